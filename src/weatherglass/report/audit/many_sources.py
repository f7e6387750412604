"""An audit of many sources as one page: each test over all of them, not each source by itself.

What is said of a single source would be too much for a page when there are hundreds: the tables
have the ends and the middle, the picture has every point it can, and the rest is in the folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from markupsafe import Markup

from .. import numbers, page
from ..charts import MAX_POINTS, correct_by_source, plot_trend, trend_axis
from ..discovery import prose
from ..html import collapsible, element, join, sentence_markup, table
from ..page import definition_list, render_page, section, tiles
from . import appendix
from .data import (
    AuditResult,
    TestBySource,
    group_by_test,
    number_of,
    short_names,
    source_name,
    source_names,
)
from .headline import ALPHA

MAX_SEPARATE_SOURCES = 8
"""More sources than these are shown together."""

_ROWS = 400
Corrected = dict[int, float | None]


def many_page(audited: AuditResult, *, show_slurs: bool = False) -> str:
    """An audit of many sources as one HTML file that needs no network."""
    names = short_names(source_names(audited))
    tests = [one for one in group_by_test(audited.results) if one.done]
    p = correct_by_source(audited.results)
    made = [
        _measured(audited, len(names)),
        *_course(audited, tests),
        _tests(tests, names, p),
        _sources(audited, names, p),
        *_not_done(audited),
        appendix.notes_section(audited),
        appendix.citations_section(audited),
        appendix.repeat_section(audited),
    ]
    drawn = any('<figure id="' in one for one in made)
    return render_page(
        f"Audit of {len(names)} sources",
        made,
        show_slurs=show_slurs,
        script=page.chart_script() if drawn else "",
        sheets=("audit.css",),
    )


def _measured(audited: AuditResult, count: int) -> Markup:
    about, suite = audited.about, audited.about.get("suite") or {}
    steps = Counter(step["status"] for step in about.get("steps", ()))
    took = numbers.duration(about["seconds"]) if about.get("seconds") is not None else ""
    when = str(about.get("started", ""))[:16].replace("T", " ")
    return section(
        "measured",
        "What was measured",
        tiles(
            [
                (f"{count:,}", "sources"),
                (f"{len(audited.results):,}", "tests and measures"),
                *((f"{n:,}", f"steps {status}") for status, n in steps.items()),
            ]
        ),
        definition_list(
            [
                ("Suite", sentence_markup(str(suite.get("title", "")))),
                ("When", f"{when} UTC, in {took}" if when and took else when),
            ]
        ),
        element(
            "p",
            "This page shows all sources together. Every number of every source is in "
            "results.parquet, where ",
            element("code", "weatherglass query"),
            " and ",
            element("code", "weatherglass rank"),
            " find it.",
        ),
    )


def _course(audited: AuditResult, tests: Sequence[TestBySource]) -> list[Markup]:
    """Effects over the first fact that is a number, or without one by size."""
    if not tests or not page.can_draw():
        return []
    chart, shown, points = plot_trend(audited.results)
    by = trend_axis(audited.results)
    what = f"over {by}" if by else "of all sources"
    told = f"{shown} of {len(tests)} tests are drawn, those with the largest effects first."
    told = told if shown < len(tests) else f"{prose.count_noun(shown, 'test', 'tests')} in all."
    if points >= MAX_POINTS:
        told += " Of many points some are left out, evenly."
    drawn = page.chart_figure(chart, "course", f"A picture of effects {what}. {told}")
    return [section("course-of-effects", f"Effects {what}", element("p", told), drawn)]


def _tests(tests: Sequence[TestBySource], names: dict[str, str], p: Corrected) -> Markup:
    rows = []
    for one in tests:
        effects = {name: n for name, r in one.done.items() if (n := number_of(r)) is not None}
        if not effects:
            continue
        low, high = min(effects, key=effects.__getitem__), max(effects, key=effects.__getitem__)
        sure = [value for r in one.done.values() if (value := p[id(r)]) is not None]
        rows.append(
            (
                one.test,
                one.measure,
                f"{len(effects):,}",
                numbers.effect(median(effects.values())),
                join(numbers.effect(effects[low]), " ", element("bdi", names[low])),
                join(numbers.effect(effects[high]), " ", element("bdi", names[high])),
                f"{sum(value <= ALPHA for value in sure):,} of {len(sure):,}" if sure else "",
            )
        )
    heads = ("Test", "Measure", "Sources", "Median", "Lowest", "Highest", "Significant")
    return section(
        "tests",
        "Every test over all sources",
        table("Every test over all sources", heads, rows, numbers=(2, 3)),
        element(
            "p",
            f"Significant: p, corrected over all tests of a source, is at most {ALPHA:g}.",
        ),
    )


def _sources(audited: AuditResult, names: dict[str, str], p: Corrected) -> Markup:
    listed = audited.about.get("sources", ())
    known = list(dict.fromkeys(fact for one in listed for fact in one.get("facts", {})))
    count: Counter[str] = Counter()
    run: Counter[str] = Counter()
    for one in audited.results:
        value = p[id(one)] if one.status == "done" else None
        if value is not None:
            run[source_name(one)] += 1
            count[source_name(one)] += value <= ALPHA
    rows = [
        (
            element("bdi", names.get(one["name"], one["name"])),
            *(str(one.get("facts", {}).get(fact, "")) for fact in known),
            f"{one['words']:,}" if one.get("words") is not None else "",
            f"{count[one['name']]} of {run[one['name']]}",
        )
        for one in listed[:_ROWS]
    ]
    made = table("Sources", ("Source", *known, "Words", "Significant tests"), rows)
    more = f" The first {_ROWS:,} of {len(listed):,}." if len(listed) > _ROWS else ""
    return section(
        "sources",
        "The sources",
        collapsible(f"{prose.count_noun(len(rows), 'source', 'sources')}{more}", made),
    )


def _not_done(audited: AuditResult) -> list[Markup]:
    """Steps that failed or were left out, by reason."""
    where: dict[tuple[str, str], list[str]] = {}
    for step in audited.about.get("steps", ()):
        if step["status"] != "done":
            where.setdefault((step["status"], step["reason"]), []).append(step["source"])
    if not where:
        return []
    rows = [
        (status, f"{len(which):,}", reason, element("bdi", sentence_markup(", ".join(which[:5]))))
        for (status, reason), which in list(where.items())[:_ROWS]
    ]
    heads = ("What", "Steps", "Why", "Sources, the first")
    return [section("not-done", "What was not done", table("Not done", heads, rows, numbers=(1,)))]
