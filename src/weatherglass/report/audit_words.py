"""Sections of an audit's page about single words: factual tests, and associations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weatherglass.report import prose, rounding
from weatherglass.report.arranged import (
    Asked,
    Names,
    association_tests,
    factual_tests,
    published_number,
)
from weatherglass.report.audited import Audited
from weatherglass.report.markup import Markup, element, joined
from weatherglass.report.page import section
from weatherglass.report.pictures import Draw
from weatherglass.report.strongest import claim
from weatherglass.report.tables import folded, stacked, table
from weatherglass.report.words import sentence, word


def factual(audited: Audited, names: Names, draw: Draw) -> list[Markup]:
    """Factual tests: scatter plots, and their table."""
    from weatherglass.report.scatter import scatter

    tests = factual_tests(audited.results)
    if not tests:
        return []
    read = (
        "Does the place of a word predict a fact of the world? Each point is a word: how much "
        "nearer it is to one set of attributes than to the other, and its number in the world. "
        "Point at it, or touch it, for its name."
    )
    cards = []
    for at, one in enumerate(tests):
        for k, (source, result) in enumerate(one.done.items()):
            where = f", on {names[source]}" if len(names) > 1 else ""
            said = (
                f"Scatter plot of {prose.count(len(result.facts), 'word')}: {claim(result)} "
                f"Correlation {rounding.effect(result.pearson)}."
            )
            head = joined(sentence(one.title), where)
            chart = draw(lambda result=result: scatter(result), f"facts-{at}-{k}", said)
            cards.append(element("div", element("h3", head), chart, _facts(result), class_="card"))
    made = [element("p", read), element("div", *cards, class_="cards"), _facts_table(tests, names)]
    return [section("facts", "Factual tests", *made)]


def _facts(result: Any) -> Markup:
    """Every point in a table, for those who cannot see the chart."""
    fact = result.fact.get("name") or "Fact"
    unit = f" ({result.fact['unit']})" if result.fact.get("unit") else ""
    triples = sorted(
        zip(result.words["W"], result.associations, result.facts, strict=True),
        key=lambda one: -one[1],
    )
    rows = [[word(a), rounding.effect(b), f"{c:,.4g}"] for a, b, c in triples]
    heads = ["Word", "Association", fact + unit]
    return folded("All words", table(f"Words of {result.title}", heads, rows, numbers=[1, 2]))


def _facts_table(tests: Sequence[Asked], names: Names) -> Markup:
    shown = [name for name in names if any(name in one.on for one in tests)]
    heads = ["Test", "Published"]
    over = [("", 2)]
    rows: list[list[str]] = [
        [stacked(sentence(one.title), one.test), rounding.effect(published_number(one.any))]
        for one in tests
    ]
    for name in shown:
        heads += ["Correlation", "p", "Rank correlation", "Without frequency"]
        over.append((element("bdi", names[name]), 4))
        for row, one in zip(rows, tests, strict=True):
            row += _fact_cells(one.on.get(name))
    columns = range(1, 2 + 4 * len(shown))
    return table("Factual tests", heads, rows, over=over if len(shown) > 1 else (), numbers=columns)


def _fact_cells(one: Any) -> list[str]:
    if one is None or one.status != "done":
        not_run = element("a", "not run", href="#missing") if one else rounding.ABSENT
        return [not_run, *[rounding.ABSENT] * 3]
    control = one.control or {}
    survives = control.get("survives")
    return [
        rounding.effect(one.pearson),
        rounding.p_value(one.pearson_p),
        stacked(rounding.effect(one.spearman), f"p {rounding.p_value(one.spearman_p)}"),
        stacked(
            rounding.effect(control.get("pearson")),
            "" if survives is None else f"{survives:.0%} of it",
        ),
    ]


def words(audited: Audited, names: Names, draw: Draw) -> list[Markup]:
    """Every target of every association test, on a strip."""
    from weatherglass.report.strips import strips

    tests = [one for one in association_tests(audited.results) if one.done]
    if not tests:
        return []
    read = (
        "A stroke is a word of a target set; the farther right, the nearer it is to the attribute "
        "named there. The ring is the mean of the set. Point at a stroke, or touch it, for its "
        "word. The scale differs from test to test."
    )
    cards = []
    for at, one in enumerate(tests):
        shown = {name: names[name] for name in names if name in one.done}
        result = one.any
        said = f"Strip plot of the associations of {len(result.associations['X'])} and "
        said += f"{len(result.associations['Y'])} words: {claim(result)}"
        chart = draw(lambda one=one, shown=shown: strips(one, shown), f"words-{at}", said)
        cards.append(
            element(
                "div", element("h3", sentence(one.title)), chart, _strips(one, shown), class_="card"
            )
        )
    inside = element("div", *cards, class_="cards")
    return [section("words", "Word by word", element("p", read), inside)]


def _strips(one: Asked, names: Names) -> Markup:
    heads = ["Word", "Set", *(element("bdi", names[name]) for name in names)]
    if len(names) == 1:
        heads[2] = "Association"
    values: dict[tuple[str, str], dict[str, float]] = {}
    for name in names:
        result = one.done[name]
        for side in ("X", "Y"):
            label = result.labels.get(side) or side
            for text, value in zip(result.words[side], result.associations[side], strict=True):
                values.setdefault((label, text), {})[name] = value
    first = next(iter(names))
    ordered = sorted(values.items(), key=lambda item: -item[1].get(first, -9.0))
    rows = [
        [word(text), sentence(label), *(rounding.effect(some.get(name)) for name in names)]
        for (label, text), some in ordered
    ]
    columns = range(2, 2 + len(names))
    return folded("All words", table(f"Words of {one.title}", heads, rows, numbers=columns))
