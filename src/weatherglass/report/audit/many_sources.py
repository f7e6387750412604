"""An audit of many sources as one page: each test over all of them, not each source by itself.

What is said of a single source would be too much for a page when there are hundreds: the tables
have the ends and the middle, the picture has every point it can, and the rest is in the folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from .. import numbers, page
from ..charts import POINTS, axis_of, corrected, plot_course
from ..discovery import prose
from ..html import Markup, element, folded, joined, sentence, table
from ..page import facts, render_page, section, tiles
from . import appendix
from .data import Asked, Audited, asked, number_of, short_names, source_of, sources
from .headline import LEVEL

MANY = 8
"""More sources than these are shown together."""

_ROWS = 400
Corrected = dict[int, float | None]


def many_page(audited: Audited, *, show_slurs: bool = False) -> str:
    """An audit of many sources as one HTML file that needs no network."""
    names = short_names(sources(audited))
    tests = [one for one in asked(audited.results) if one.done]
    p = corrected(audited.results)
    made = [
        _measured(audited, len(names)),
        *_course(audited, tests),
        _tests(tests, names, p),
        _sources(audited, names, p),
        *_not_done(audited),
        appendix.notes(audited),
        appendix.cite(audited),
        appendix.repeat(audited),
    ]
    drawn = any('<figure id="' in one for one in made)
    return render_page(
        f"Audit of {len(names)} sources",
        made,
        show_slurs=show_slurs,
        script=page.script() if drawn else "",
        sheets=("audit.css",),
    )


def _measured(audited: Audited, count: int) -> Markup:
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
        facts(
            [
                ("Suite", sentence(str(suite.get("title", "")))),
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


def _course(audited: Audited, tests: Sequence[Asked]) -> list[Markup]:
    """Effects over the first fact that is a number, or without one by size."""
    if not tests or not page.can_draw():
        return []
    chart, shown, points = plot_course(audited.results)
    by = axis_of(audited.results)
    what = f"over {by}" if by else "of all sources"
    told = f"{shown} of {len(tests)} tests are drawn, those with the largest effects first."
    told = told if shown < len(tests) else f"{prose.count(shown, 'test', 'tests')} in all."
    if points >= POINTS:
        told += " Of many points some are left out, evenly."
    drawn = page.picture(chart, "course", f"A picture of effects {what}. {told}")
    return [section("course-of-effects", f"Effects {what}", element("p", told), drawn)]


def _tests(tests: Sequence[Asked], names: dict[str, str], p: Corrected) -> Markup:
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
                joined(numbers.effect(effects[low]), " ", element("bdi", names[low])),
                joined(numbers.effect(effects[high]), " ", element("bdi", names[high])),
                f"{sum(value <= LEVEL for value in sure):,} of {len(sure):,}" if sure else "",
            )
        )
    heads = ("Test", "Measure", "Sources", "Median", "Lowest", "Highest", "Significant")
    return section(
        "tests",
        "Every test over all sources",
        table("Every test over all sources", heads, rows, numbers=(2, 3)),
        element(
            "p",
            f"Significant: p, corrected over all tests of a source, is at most {LEVEL:g}.",
        ),
    )


def _sources(audited: Audited, names: dict[str, str], p: Corrected) -> Markup:
    listed = audited.about.get("sources", ())
    known = list(dict.fromkeys(fact for one in listed for fact in one.get("facts", {})))
    count: Counter[str] = Counter()
    run: Counter[str] = Counter()
    for one in audited.results:
        value = p[id(one)] if one.status == "done" else None
        if value is not None:
            run[source_of(one)] += 1
            count[source_of(one)] += value <= LEVEL
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
        folded(f"{prose.count(len(rows), 'source', 'sources')}{more}", made),
    )


def _not_done(audited: Audited) -> list[Markup]:
    """Steps that failed or were left out, by reason."""
    where: dict[tuple[str, str], list[str]] = {}
    for step in audited.about.get("steps", ()):
        if step["status"] != "done":
            where.setdefault((step["status"], step["reason"]), []).append(step["source"])
    if not where:
        return []
    rows = [
        (status, f"{len(which):,}", reason, element("bdi", sentence(", ".join(which[:5]))))
        for (status, reason), which in list(where.items())[:_ROWS]
    ]
    heads = ("What", "Steps", "Why", "Sources, the first")
    return [section("not-done", "What was not done", table("Not done", heads, rows, numbers=(1,)))]
