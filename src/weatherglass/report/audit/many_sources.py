"""An audit of many sources as one page: each test over all sources, not each source by itself.

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
from ..html import collapsible, element, join, sentence_markup, table
from ..page import definition_list, render_page, section, tiles
from . import appendix
from .data import AuditResult, Names, TestBySource, group_by_test, short_names, source_names
from .findings import reversals
from .headline import describe_time, reversals_box, source_remarks

MAX_SEPARATE_SOURCES = 8
"""A page shows more sources than these together."""

_MAX_ROWS = 400
_MAX_REVERSALS = 10
_GRADES: tuple[Grade, ...] = ("clear", "mixed", "none")


def many_page(audit: AuditResult, *, show_slurs: bool = False) -> str:
    """Write an audit of many sources as one HTML file that needs no network."""
    names = short_names(source_names(audit))
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
    has_charts = any('<figure id="' in part for part in sections)
    return render_page(
        f"Audit of {len(names)} sources",
        sections,
        show_slurs=show_slurs,
        script=page.chart_script() if has_charts else "",
        sheets=("audit.css",),
    )


def _overview_section(audit: AuditResult, sources: int) -> Markup:
    about, suite = audit.about, audit.about.get("suite") or {}
    steps = Counter(step["status"] for step in about.get("steps", ()))
    return section(
        "measured",
        "What was measured",
        tiles(
            [
                (f"{sources:,}", "sources"),
                (f"{len(audit.results):,}", "tests and measures"),
                *((f"{count:,}", f"steps {status}") for status, count in steps.items()),
            ]
        ),
        definition_list(
            [
                *source_remarks(audit),
                ("Suite", sentence_markup(str(suite.get("title", "")))),
                ("When", describe_time(about)),
            ]
        ),
        element(
            "p",
            "This page shows all sources together. The file results.parquet has every number of "
            "every source; query it with ",
            element("code", "weatherglass query"),
            " and ",
            element("code", "weatherglass rank"),
            ".",
        ),
    )


def _reversals_section(audit: AuditResult, names: Names) -> list[Markup]:
    """The results that change their sign, above everything else."""
    found = reversals(audit.results)
    if not found:
        return []
    box = reversals_box(found[:_MAX_REVERSALS], names, len(found))
    return [section("reversals", "Changes of sign", box)]


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
    figure = page.chart_figure(chart, "course", f"Chart of effects {subject}. {text}")
    return [section("course-of-effects", f"Effects {subject}", element("p", text), figure)]


def _tests_section(tests: Sequence[TestBySource], names: Names) -> Markup:
    rows = []
    for test in tests:
        effects = {n: r.main_value for n, r in test.done.items() if r.main_value is not None}
        if not effects:
            continue
        low, high = min(effects, key=effects.__getitem__), max(effects, key=effects.__getitem__)
        grades = Counter(result.finding.grade for result in test.done.values())
        rows.append(
            (
                test.test,
                test.measure,
                test.any.dimension,
                f"{len(effects):,}",
                numbers.effect(median(effects.values())),
                join(numbers.effect(effects[low]), " ", element("bdi", names[low])),
                join(numbers.effect(effects[high]), " ", element("bdi", names[high])),
                *(f"{grades[grade]:,}" for grade in _GRADES),
            )
        )
    heads = ["Test", "Measure", "Dimension", "Sources", "Median", "Lowest", "Highest"]
    heads += [grade.capitalize() for grade in _GRADES]
    return section(
        "tests",
        "Every test over all sources",
        table("Every test over all sources", heads, rows, numbers=(3, 4, 7, 8, 9)),
        element(
            "p",
            "The last columns count findings by grade: clear, mixed (it depends on something that "
            "was tried), or none (no clear difference). p-values are two-sided and corrected over "
            "all tests of a source.",
        ),
    )


def _sources_section(audit: AuditResult, names: Names) -> Markup:
    sources = audit.about.get("sources", ())
    facts = list(dict.fromkeys(fact for source in sources for fact in source.get("facts", {})))
    grades: Counter[tuple[str, str]] = Counter(
        (result.source_name, result.finding.grade) for result in audit.results
    )
    rows = [
        (
            element("bdi", names.get(source["name"], source["name"])),
            *(str(source.get("facts", {}).get(fact, "")) for fact in facts),
            f"{source['words']:,}" if source.get("words") is not None else "",
            *(f"{grades[source['name'], grade]:,}" for grade in _GRADES),
        )
        for source in sources[:_MAX_ROWS]
    ]
    content = table("Sources", ("Source", *facts, "Words", *map(str.capitalize, _GRADES)), rows)
    omission = f" The first {_MAX_ROWS:,} of {len(sources):,}." if len(sources) > _MAX_ROWS else ""
    summary = f"{prose.count_noun(len(rows), 'source')}{omission}"
    return section("sources", "Sources", collapsible(summary, content))


def _steps_section(audit: AuditResult) -> list[Markup]:
    """Steps that failed or were skipped, by reason."""
    sources: dict[tuple[str, str], list[str]] = {}
    for step in audit.about.get("steps", ()):
        if step["status"] != "done":
            sources.setdefault((step["status"], step["reason"]), []).append(step["source"])
    if not sources:
        return []
    rows = [
        (status, f"{len(group):,}", reason, element("bdi", sentence_markup(", ".join(group[:5]))))
        for (status, reason), group in list(sources.items())[:_MAX_ROWS]
    ]
    heads = ("Status", "Steps", "Reason", "First sources")
    content = table("Steps without a result", heads, rows, numbers=(1,))
    return [section("not-done", "Steps without a result", content)]
