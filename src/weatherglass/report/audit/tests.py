"""Sections of an audit's page about association tests, of words and of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from weatherglass.measures import Results

from .. import numbers
from ..discovery import prose
from ..html import (
    collapsible,
    element,
    join,
    sentence_markup,
    table,
    two_lines,
    word_markup,
)
from ..page import Draw, section
from .data import (
    AuditResult,
    Names,
    TestBySource,
    association_tests,
    factual_tests,
    number_of,
    p_of,
    published_number,
    sentence_tests,
)
from .headline import ALPHA, claim, corrected_p, frequency, seed_choices


def effects_section(audited: AuditResult, names: Names, draw: Draw) -> list[Markup]:
    """All association tests: the forest plot, and its table."""
    from ..charts import draw_forest

    tests = association_tests(audited.results)
    if not tests:
        return []
    done = [one for one in tests if one.done]
    read = (
        "An effect above 0 means that the first set of words is nearer to the third than to the "
        "fourth, compared with the second set; 2 is about the largest there can be. The line is "
        "the interval in which the effect lies when words are drawn anew. Filled dots are "
        f"significant at {ALPHA:g} after Holm's correction, hollow ones are not; diamonds are the "
        "published effects, most of which were measured on larger embeddings."
    )
    made = [element("p", read)]
    if done:
        shown = {name: names[name] for name in names if any(name in one.done for one in done)}
        said = _forest_told(done, audited.results)
        made.append(draw(lambda: draw_forest(done, shown), "forest", said, fluid=True))
    made.append(_effects_table(tests, audited, names))
    return [section("effects", "Association tests", *made)]


def _forest_told(tests: Sequence[TestBySource], results: Results) -> str:
    ordered = sorted(
        (one for test in tests for one in test.done.values()), key=lambda one: number_of(one) or 0.0
    )
    sure = sum((corrected_p(one, results) or 1.0) <= ALPHA for one in ordered)
    low, high = ordered[0], ordered[-1]
    return (
        f"Forest plot of {prose.count_noun(len(ordered), 'effect')}, from "
        f"{numbers.effect(number_of(low))} ({low.title}) to {numbers.effect(number_of(high))} "
        f"({high.title}). {sure} are significant after correction. The table below has all numbers."
    )


def _effects_table(tests: Sequence[TestBySource], audited: AuditResult, names: Names) -> Markup:
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
        published = numbers.effect(published_number(one.any))
        row: list[str] = [_heading(one), two_lines(published, f"p {printed}" if printed else "")]
        for name in shown:
            row += _effect_cells(one.on.get(name), audited)[: 3 if robust[name] else 2]
        rows.append(row)
    return table(
        "Association tests", heads, rows, over=over if len(shown) > 1 else (), numbers=columns
    )


def _heading(one: TestBySource) -> Markup:
    sizes = one.any.n
    small = one.test
    if all(sizes.get(name) for name in "XYAB"):
        small += (
            f" · {sizes['X']} and {sizes['Y']} targets, {sizes['A']} and {sizes['B']} attributes"
        )
    return two_lines(sentence_markup(one.title), small)


def _effect_cells(one: Any, audited: AuditResult) -> list[str]:
    if one is None:
        return [numbers.ABSENT] * 3
    if one.status != "done":
        return [element("a", "not run", href="#missing"), numbers.ABSENT, numbers.ABSENT]
    first = one.intervals[0] if one.intervals else None
    interval = numbers.interval(first.low, first.high) if first else ""
    corrected = corrected_p(one, audited.results)
    sure = corrected is not None and corrected <= ALPHA
    effect = numbers.effect(number_of(one))
    p = two_lines(
        numbers.p_value(p_of(one)), f"{_method(one)}corrected {numbers.p_value(corrected)}"
    )
    robust = _robust(one, audited) or numbers.ABSENT
    return [two_lines(element("b", effect) if sure else effect, interval), p, robust]


def _method(one: Any) -> str:
    """How the p-value was found."""
    p = getattr(one, "p_by_word", None) or one.p
    return f"{p.method}, " if p is not None else ""


def _robust(one: Any, audited: AuditResult) -> str:
    parts = [seed_choices(one, audited.multiverses), frequency(one)]
    said = "; ".join(part for part in parts if part)
    return said[:1].upper() + said[1:]


def sentences_section(audited: AuditResult, names: Names, draw: Draw) -> list[Markup]:
    """Association tests on sentence encoders: the matrix, and its table."""
    from ..charts import plot

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
            f"Matrix of {prose.count_noun(len(tests), 'test')} and "
            f"{prose.count_noun(len({id for one in tests for id in one.done}), 'encoder')}: the colour "
            "is the effect over sentences. The table below has the numbers."
        )
        made.append(draw(lambda: plot(done), "matrix", said))
    made.append(_effects_table(tests, audited, names))
    return [section("sentences", "Sentence encoders", *made)]


def facts_section(audited: AuditResult, names: Names, draw: Draw) -> list[Markup]:
    """Factual tests: scatter plots, and their table."""
    from ..charts import draw_scatter

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
                f"Scatter plot of {prose.count_noun(len(result.facts), 'word')}: {claim(result)} "
                f"Correlation {numbers.effect(result.pearson)}."
            )
            head = join(sentence_markup(one.title), where)
            chart = draw(lambda result=result: draw_scatter(result), f"facts-{at}-{k}", said)
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
    rows = [[word_markup(a), numbers.effect(b), f"{c:,.4g}"] for a, b, c in triples]
    heads = ["Word", "Association", fact + unit]
    return collapsible("All words", table(f"Words of {result.title}", heads, rows, numbers=[1, 2]))


def _facts_table(tests: Sequence[TestBySource], names: Names) -> Markup:
    shown = [name for name in names if any(name in one.on for one in tests)]
    heads = ["Test", "Published"]
    over = [("", 2)]
    rows: list[list[str]] = [
        [two_lines(sentence_markup(one.title), one.test), numbers.effect(published_number(one.any))]
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
        not_run = element("a", "not run", href="#missing") if one else numbers.ABSENT
        return [not_run, *[numbers.ABSENT] * 3]
    control = one.control or {}
    survives = control.get("survives")
    return [
        numbers.effect(one.pearson),
        numbers.p_value(one.pearson_p),
        two_lines(numbers.effect(one.spearman), f"p {numbers.p_value(one.spearman_p)}"),
        two_lines(
            numbers.effect(control.get("pearson")),
            "" if survives is None else f"{survives:.0%} of it",
        ),
    ]


def words_section(audited: AuditResult, names: Names, draw: Draw) -> list[Markup]:
    """Every target of every association test, on a strip."""
    from ..charts import draw_strips

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
        chart = draw(lambda one=one, shown=shown: draw_strips(one, shown), f"words-{at}", said)
        cards.append(
            element(
                "div",
                element("h3", sentence_markup(one.title)),
                chart,
                _strips(one, shown),
                class_="card",
            )
        )
    inside = element("div", *cards, class_="cards")
    return [section("words", "Word by word", element("p", read), inside)]


def _strips(one: TestBySource, names: Names) -> Markup:
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
        [
            word_markup(text),
            sentence_markup(label),
            *(numbers.effect(some.get(name)) for name in names),
        ]
        for (label, text), some in ordered
    ]
    columns = range(2, 2 + len(names))
    return collapsible("All words", table(f"Words of {one.title}", heads, rows, numbers=columns))
