"""Sections of an audit's page about association tests, of words and of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weatherglass.measures import Results
from weatherglass.report import prose, rounding
from weatherglass.report.arranged import (
    Asked,
    Names,
    association_tests,
    number_of,
    p_of,
    published_number,
    sentence_tests,
)
from weatherglass.report.audited import Audited
from weatherglass.report.markup import Markup, element
from weatherglass.report.page import section
from weatherglass.report.pictures import Draw
from weatherglass.report.strongest import LEVEL, corrected_p, frequency, seed_choices
from weatherglass.report.tables import stacked, table
from weatherglass.report.words import sentence


def effects(audited: Audited, names: Names, draw: Draw) -> list[Markup]:
    """All association tests: the forest plot, and its table."""
    from weatherglass.report.forest import forest

    tests = association_tests(audited.results)
    if not tests:
        return []
    done = [one for one in tests if one.done]
    read = (
        "An effect above 0 means that the first set of words is nearer to the third than to the "
        "fourth, compared with the second set; 2 is about the largest there can be. The line is "
        "the interval in which the effect lies when words are drawn anew. Filled dots are "
        f"significant at {LEVEL:g} after Holm's correction, hollow ones are not; diamonds are the "
        "published effects, most of which were measured on larger embeddings."
    )
    made = [element("p", read)]
    if done:
        shown = {name: names[name] for name in names if any(name in one.done for one in done)}
        said = _forest_told(done, audited.results)
        made.append(draw(lambda: forest(done, shown), "forest", said, fluid=True))
    made.append(_effects_table(tests, audited, names))
    return [section("effects", "Association tests", *made)]


def _forest_told(tests: Sequence[Asked], results: Results) -> str:
    ordered = sorted(
        (one for test in tests for one in test.done.values()), key=lambda one: number_of(one) or 0.0
    )
    sure = sum((corrected_p(one, results) or 1.0) <= LEVEL for one in ordered)
    low, high = ordered[0], ordered[-1]
    return (
        f"Forest plot of {prose.count(len(ordered), 'effect')}, from "
        f"{rounding.effect(number_of(low))} ({low.title}) to {rounding.effect(number_of(high))} "
        f"({high.title}). {sure} are significant after correction. The table below has all numbers."
    )


def _effects_table(tests: Sequence[Asked], audited: Audited, names: Names) -> Markup:
    shown = [name for name in names if any(name in one.on for one in tests)]
    heads = ["Test", "Published"]
    over = [("", 2)]
    robust = {
        name: any(name in one.done and _robust(one.done[name], audited) for one in tests)
        for name in shown
    }
    columns = [1]
    for name in shown:
        columns += [len(heads), len(heads) + 1]
        heads += ["Effect", "p", "How robust"] if robust[name] else ["Effect", "p"]
        over.append((element("bdi", names[name]), 3 if robust[name] else 2))
    rows = []
    for one in tests:
        printed = (one.any.published or {}).get("p")
        published = rounding.effect(published_number(one.any))
        row: list[str] = [_heading(one), stacked(published, f"p {printed}" if printed else "")]
        for name in shown:
            row += _effect_cells(one.on.get(name), audited)[: 3 if robust[name] else 2]
        rows.append(row)
    return table(
        "Association tests", heads, rows, over=over if len(shown) > 1 else (), numbers=columns
    )


def _heading(one: Asked) -> Markup:
    sizes = one.any.n
    small = one.test
    if all(sizes.get(name) for name in "XYAB"):
        small += (
            f" · {sizes['X']} and {sizes['Y']} targets, {sizes['A']} and {sizes['B']} attributes"
        )
    return stacked(sentence(one.title), small)


def _effect_cells(one: Any, audited: Audited) -> list[str]:
    if one is None:
        return [rounding.ABSENT] * 3
    if one.status != "done":
        return [element("a", "not run", href="#missing"), rounding.ABSENT, rounding.ABSENT]
    first = one.intervals[0] if one.intervals else None
    interval = rounding.ends(first.low, first.high) if first else ""
    corrected = corrected_p(one, audited.results)
    sure = corrected is not None and corrected <= LEVEL
    effect = rounding.effect(number_of(one))
    p = stacked(
        rounding.p_value(p_of(one)), f"{_method(one)}corrected {rounding.p_value(corrected)}"
    )
    robust = _robust(one, audited) or rounding.ABSENT
    return [stacked(element("b", effect) if sure else effect, interval), p, robust]


def _method(one: Any) -> str:
    """How the p-value was found."""
    p = getattr(one, "p_by_word", None) or one.p
    return f"{p.method}, " if p is not None else ""


def _robust(one: Any, audited: Audited) -> str:
    parts = [seed_choices(one, audited.multiverses), frequency(one)]
    said = "; ".join(part for part in parts if part)
    return said[:1].upper() + said[1:]


def sentences(audited: Audited, names: Names, draw: Draw) -> list[Markup]:
    """Association tests on sentence encoders: the matrix, and its table."""
    from weatherglass.report.plots import plot

    tests = sentence_tests(audited.results)
    if not tests:
        return []
    done = [result for one in tests for result in one.done.values()]
    read = (
        "The same tests on encoders, which are given single words, or sentences in the place of "
        "words. The sentences of a word are near-copies of each other, so effect and p-value count "
        "each word once. A test that finds nothing in an encoder does not show that there is "
        "nothing."
    )
    made = [element("p", read)]
    if len(done) > 1:
        said = (
            f"Matrix of {prose.count(len(tests), 'test')} and "
            f"{prose.count(len({id for one in tests for id in one.done}), 'encoder')}: the colour "
            "is the effect over sentences. The table below has the numbers."
        )
        made.append(draw(lambda: plot(done), "matrix", said))
    made.append(_effects_table(tests, audited, names))
    return [section("sentences", "Sentence encoders", *made)]
