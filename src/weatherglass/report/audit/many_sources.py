"""An audit of many sources as one report: each test over all sources, not each source by itself.

Hundreds of sources would be too much for a page: the tables show extremes and medians, the chart as
many points as it can, and the audit's folder has the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from markupsafe import Markup

from weatherglass.findings import Grade

from .. import numbers, page
from ..charts import MAX_POINTS, plot_trend, trend_axis
from ..discovery import prose
from ..page import render_page
from . import appendix
from .data import AuditResult, Names, TestBySource, group_by_test, model_names, source_names
from .effects import source_line
from .findings import reversals
from .headline import CAVEAT, describe_time, source_remarks
from .rendering import figure, render_part

MAX_SEPARATE_SOURCES = 8
"""A page shows more sources than these together."""

_MAX_ROWS = 400
_MAX_REVERSALS = 10
_GRADES: tuple[Grade, ...] = ("clear", "mixed", "none")


def many_page(audit: AuditResult, *, show_slurs: bool = False) -> str:
    """Write an audit of many sources as one HTML file that needs no network."""
    names = model_names(source_names(audit))
    tests = [test for test in group_by_test(audit.results) if test.done]
    sections = [
        *_reversals_section(audit, names),
        _overview_section(audit, len(names)),
        *_trend_section(audit, tests),
        _tests_section(tests, names),
        _sources_section(audit, names),
        *_steps_section(audit),
        appendix.notes_section(audit),
        appendix.citations_section(audit),
        appendix.repeat_section(audit),
    ]
    return render_page(
        f"Audit of {len(names)} sources",
        sections,
        show_slurs=show_slurs,
        warning=CAVEAT,
        script=page.report_script(),
        sheets=("audit.css",),
    )


def _overview_section(audit: AuditResult, sources: int) -> Markup:
    about, suite = audit.about, audit.about.get("suite") or {}
    steps = Counter(step["status"] for step in about.get("steps", ()))
    return render_part(
        "audit/many_overview.html",
        figures=[
            (f"{sources:,}", "sources"),
            (f"{len(audit.results):,}", "tests and measures"),
            *((f"{count:,}", f"steps {status}") for status, count in steps.items()),
        ],
        remarks=source_remarks(audit),
        suite=str(suite.get("title", "")),
        when=describe_time(about),
    )


def _reversals_section(audit: AuditResult, names: Names) -> list[Markup]:
    """The results that change their sign, above everything else."""
    flipped = reversals(audit.results)
    if not flipped:
        return []
    return [
        render_part(
            "audit/many_reversals.html",
            reversing=flipped[:_MAX_REVERSALS],
            reversals_total=len(flipped),
            names=names,
        )
    ]


def _trend_section(audit: AuditResult, tests: Sequence[TestBySource]) -> list[Markup]:
    """Effects over the first fact that is a number; without one, ordered by size."""
    if not tests or not page.can_draw():
        return []
    chart, drawn, points = plot_trend(audit.results)
    axis = trend_axis(audit.results)
    subject = f"over {axis}" if axis else "of all sources"
    text = f"All {prose.count_noun(drawn, 'test')} are drawn."
    if drawn < len(tests):
        text = f"{drawn} of {len(tests)} tests are drawn, those with the largest effects."
    if points >= MAX_POINTS:
        text += " The chart shows an evenly spaced selection of the points."
    drawing = figure(
        page.static_chart(chart, "course"),
        id="course",
        title=f"Effects {subject}",
        description=f"Chart of effects {subject}. {text}",
        source=source_line(audit),
        table="tests-table",
    )
    return [render_part("audit/many_trend.html", subject=subject, text=text, figure=drawing)]


def _tests_section(tests: Sequence[TestBySource], names: Names) -> Markup:
    rows = []
    for test in tests:
        effects = {n: r.main_value for n, r in test.done.items() if r.main_value is not None}
        if not effects:
            continue
        low, high = min(effects, key=effects.__getitem__), max(effects, key=effects.__getitem__)
        grades = Counter(result.finding.grade for result in test.done.values())
        rows.append(
            {
                "test": test,
                "sources": f"{len(effects):,}",
                "median": numbers.effect(median(effects.values())),
                "low": (numbers.effect(effects[low]), names[low]),
                "high": (numbers.effect(effects[high]), names[high]),
                "grades": [f"{grades[grade]:,}" for grade in _GRADES],
            }
        )
    return render_part("audit/many_tests.html", rows=rows, grades=_GRADES)


def _sources_section(audit: AuditResult, names: Names) -> Markup:
    sources = audit.about.get("sources", ())
    facts = list(dict.fromkeys(fact for source in sources for fact in source.get("facts", {})))
    grades: Counter[tuple[str, str]] = Counter(
        (result.source_name, result.finding.grade) for result in audit.results
    )
    rows = [
        {
            "name": names.get(source["name"], source["name"]),
            "facts": [str(source.get("facts", {}).get(fact, "")) for fact in facts],
            "words": f"{source['words']:,}" if source.get("words") is not None else "",
            "grades": [f"{grades[source['name'], grade]:,}" for grade in _GRADES],
        }
        for source in sources[:_MAX_ROWS]
    ]
    omission = f" The first {_MAX_ROWS:,} of {len(sources):,}." if len(sources) > _MAX_ROWS else ""
    summary = f"{prose.count_noun(len(rows), 'source')}{omission}"
    return render_part(
        "audit/many_sources.html", rows=rows, facts=facts, grades=_GRADES, summary=summary
    )


def _steps_section(audit: AuditResult) -> list[Markup]:
    """Steps that failed or were skipped, by reason."""
    sources: dict[tuple[str, str], list[str]] = {}
    for step in audit.about.get("steps", ()):
        if step["status"] != "done":
            sources.setdefault((step["status"], step["reason"]), []).append(step["source"])
    if not sources:
        return []
    rows = [
        (status, f"{len(group):,}", reason, ", ".join(group[:5]))
        for (status, reason), group in list(sources.items())[:_MAX_ROWS]
    ]
    return [render_part("audit/many_steps.html", rows=rows)]
