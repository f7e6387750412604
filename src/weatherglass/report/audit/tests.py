"""Sections of an audit's page about tests of words and sentences, factual tests and measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from weatherglass.measures import MEASURES, Results, control_outcome, format_percentile

from .. import numbers
from ..discovery import prose
from ..html import collapsible, element, join, sentence_markup, table, two_lines, word_markup
from ..page import Draw, definition_list, section
from .data import (
    AuditResult,
    Names,
    TestBySource,
    association_tests,
    factual_tests,
    other_measures,
    sentence_tests,
)
from .findings import ALPHA, corrected_p
from .headline import evidence_list, grade_badge


def effects_section(audit: AuditResult, names: Names, draw: Draw) -> list[Markup]:
    """All association tests: the forest plot, and its table."""
    from ..charts import draw_forest

    tests = association_tests(audit.results)
    if not tests:
        return []
    done = [test for test in tests if test.done]
    guide = (
        "A positive effect size means that the first set of words is more strongly associated with "
        "the third set, compared with the fourth, than the second set of words is; 2 is about the "
        "largest possible for sets of equal size. The line is the 95 % confidence interval over "
        f"other target words. Filled dots have p ≤ {ALPHA:g} (two-sided, after Holm's correction), "
        "hollow ones do not; diamonds are published effects, most of which were measured on larger "
        "embeddings. The table has the grade of each finding with its evidence, and below the "
        "two-sided p the one-sided p of the paper."
    )
    if any(_baseline(result) for test in done for result in test.done.values()):
        guide += (
            " The baseline is the share of comparable word sets of the same vocabulary that are "
            "less aligned; it says how unusual the alignment is, not whether the effect is real."
        )
    parts = [element("p", guide)]
    if done:
        sources = {name: names[name] for name in names if any(name in test.done for test in done)}
        description = _describe_forest(done, audit.results)
        parts.append(draw(lambda: draw_forest(done, sources), "forest", description, fluid=True))
    parts.append(_effects_table(tests, audit, names))
    return [section("effects", "Association tests", *parts)]


def _describe_forest(tests: Sequence[TestBySource], results: Results) -> str:
    ranked = sorted(
        (result for test in tests for result in test.done.values()),
        key=lambda result: result.main_value or 0.0,
    )
    significant = sum((corrected_p(result, results) or 1.0) <= ALPHA for result in ranked)
    low, high = ranked[0], ranked[-1]
    return (
        f"Forest plot of {prose.count_noun(len(ranked), 'effect size')}, from "
        f"{numbers.effect(low.main_value)} ({low.title}) to {numbers.effect(high.main_value)} "
        f"({high.title}). {significant} are significant after correction. The table below has all "
        "numbers."
    )


def _effects_table(tests: Sequence[TestBySource], audit: AuditResult, names: Names) -> Markup:
    sources = [name for name in names if any(name in test.results for test in tests)]
    heads = ["Test", "Published"]
    over = [("", 2)]
    has_baseline = {
        name: any(name in test.done and _baseline(test.done[name]) for test in tests)
        for name in sources
    }
    number_columns = [1]
    for name in sources:
        further = [*["Baseline"] * has_baseline[name], "Finding"]
        number_columns += [len(heads) + k for k in range(2 + has_baseline[name])]
        heads += ["Effect", "p", *further]
        over.append((element("bdi", names[name]), 2 + len(further)))
    rows = []
    for test in tests:
        published_p = (test.any.published or {}).get("p")
        published = two_lines(
            numbers.effect(test.any.published_value), f"p {published_p}" if published_p else ""
        )
        row: list[str] = [_test_heading(test), published]
        for name in sources:
            effect, p, baseline, finding = _effect_cells(test.results.get(name))
            row += [effect, p, *([baseline] if has_baseline[name] else []), finding]
        rows.append(row)
        for phrase in _control_phrases(test):
            row = [phrase, ""]
            for name in sources:
                effect, p, outcome = _control_cells(test.results.get(name), phrase)
                row += [effect, p, *([numbers.ABSENT] if has_baseline[name] else []), outcome]
            rows.append(row)
    return table(
        "Association tests",
        heads,
        rows,
        over=over if len(sources) > 1 else (),
        numbers=number_columns,
    )


def _test_heading(test: TestBySource) -> Markup:
    sizes = test.any.n
    details = test.test
    if all(sizes.get(name) for name in "XYAB"):
        details += (
            f" · {sizes['X']} and {sizes['Y']} targets, {sizes['A']} and {sizes['B']} attributes"
        )
    return two_lines(sentence_markup(test.title), details)


def _effect_cells(result: Any) -> list[str]:
    if result is None:
        return [numbers.ABSENT] * 4
    if not result.is_done:
        return [_not_run_link(), *[numbers.ABSENT] * 3]
    first = result.main_interval
    interval = numbers.interval(first.low, first.high) if first else ""
    effect = numbers.effect(result.main_value)
    if result.finding.direction:
        effect = element("b", effect)
    further = [_baseline(result) or numbers.ABSENT, _finding_cell(result)]
    return [two_lines(effect, interval), _p_cell(result), *further]


def _p_cell(result: Any) -> Markup:
    """The p-value of the finding; below it how it was computed, and the p-value of the paper."""
    details = [f"corrected {numbers.p_value(result.p_finding)}"] if result.p_finding else []
    is_one_sided = result.options.get("alternative", "two-sided") != "two-sided"
    if is_one_sided and not result.is_declared and not result.main_unit:
        details.append(f"one-sided {numbers.p_value(result.main_p)}")
    if result.main_p_method:
        details.append(result.main_p_method)
    return two_lines(numbers.p_value(result.main_p_for_finding), ", ".join(details))


def _finding_cell(result: Any) -> Markup:
    """The grade, what the finding depends on, and its evidence in a fold."""
    finding = result.finding
    phrases = list(finding.depends_on) if finding.direction else []
    phrases += [item.text for item in finding.evidence if item.kind == "power"]
    text = sentence_markup("; ".join(phrases))
    fold = collapsible("Evidence", evidence_list(finding))
    return join(grade_badge(finding), " ", text, fold)


def _baseline(result: Any) -> str:
    """The share of comparable word sets that are less aligned; empty where it is not known."""
    percentile = result.baseline.percentile if result.baseline else None
    return "" if percentile is None else format_percentile(percentile)


def _control_phrases(test: TestBySource) -> list[str]:
    """The controls of a test on any source, each of which has a row below the test."""
    phrases = (
        control.phrase
        for result in test.results.values()
        for control in result.controls
        if control.effect is not None or control.reason
    )
    return list(dict.fromkeys(phrases))


def _control_cells(result: Any, phrase: str) -> list[str]:
    """The number after a control, its p-value, and what the control does to a clear effect."""
    controls = () if result is None else result.controls
    control = next((control for control in controls if control.phrase == phrase), None)
    if control is None:
        return [numbers.ABSENT] * 3
    outcome = control_outcome(result, control) if result.finding.direction else ""
    text: str = element("b", "Reverses") if outcome == "reverses" else outcome.capitalize()
    if control.effect is None:
        text = f"Not measured: {control.reason}" if control.reason else numbers.ABSENT
    p = control.p if result.is_declared or control.p_two_sided is None else control.p_two_sided
    return [numbers.effect(control.effect), numbers.p_value(p), text]


def _not_run_link() -> Markup:
    return element("a", "not run", href="#missing")


def sentences_section(audit: AuditResult, names: Names, draw: Draw) -> list[Markup]:
    """Association tests on sentence encoders: the matrix, and its table."""
    from ..charts import plot

    tests = sentence_tests(audit.results)
    if not tests:
        return []
    done = [result for test in tests for result in test.done.values()]
    guide = (
        "The same tests on encoders, whose inputs are single words, or sentences that contain the "
        "words. The sentences of a word are near-copies of each other, so effect, interval and "
        "p-value count each word once; the paper, which counts sentences, gives smaller p-values. "
        "A test without a clear difference does not show that an encoder is free of bias."
    )
    parts = [element("p", guide)]
    if len(done) > 1:
        encoders = prose.count_noun(len({name for test in tests for name in test.done}), "encoder")
        description = (
            f"Matrix of {prose.count_noun(len(tests), 'test')} and {encoders}: the colour is the "
            "effect, each word counted once. The table below has the numbers."
        )
        parts.append(draw(lambda: plot(done), "matrix", description))
    parts.append(_effects_table(tests, audit, names))
    return [section("sentences", "Sentence encoders", *parts)]


def facts_section(audit: AuditResult, names: Names, draw: Draw) -> list[Markup]:
    """Factual tests: scatter plots, and their table."""
    from ..charts import draw_scatter

    tests = factual_tests(audit.results)
    if not tests:
        return []
    guide = (
        "Does the association of a word predict a fact of the world? Each point is a word: its "
        "association with the first set of attributes compared with the second, and the fact. "
        "Point at it, or touch it, to see its word. The interval below a correlation is the 95 % "
        "confidence interval over other words."
    )
    cards = []
    for number, test in enumerate(tests):
        for index, (source, result) in enumerate(test.done.items()):
            suffix = f", on {names[source]}" if len(names) > 1 else ""
            description = (
                f"Scatter plot of {prose.count_noun(len(result.facts), 'word')}: "
                f"{result.finding.sentence} Correlation {numbers.effect(result.pearson)}."
            )
            chart = draw(
                lambda result=result: draw_scatter(result), f"facts-{number}-{index}", description
            )
            heading = element("h3", sentence_markup(test.title), suffix)
            cards.append(element("div", heading, chart, _fact_words(result), class_="card"))
    return [
        section(
            "facts",
            "Factual tests",
            element("p", guide),
            element("div", *cards, class_="cards"),
            _facts_table(tests, names),
        )
    ]


def _fact_words(result: Any) -> Markup:
    """A table of all points, for readers who cannot see the chart."""
    unit = f" ({result.fact['unit']})" if result.fact.get("unit") else ""
    heads = ["Word", "Association", (result.fact.get("name") or "Fact") + unit]
    points = zip(result.words["W"], result.associations, result.facts, strict=True)
    rows = [
        [word_markup(word), numbers.effect(association), f"{fact:,.4g}"]
        for word, association, fact in sorted(points, key=lambda point: -point[1])
    ]
    return collapsible("All words", table(f"Words of {result.title}", heads, rows, numbers=[1, 2]))


def _facts_table(tests: Sequence[TestBySource], names: Names) -> Markup:
    sources = [name for name in names if any(name in test.results for test in tests)]
    heads = ["Test", "Published"]
    over = [("", 2)]
    rows: list[list[str]] = []
    for name in sources:
        heads += ["Correlation", "p", "Rank correlation", "Finding"]
        over.append((element("bdi", names[name]), 4))
    for test in tests:
        title = two_lines(sentence_markup(test.title), test.test)
        row: list[str] = [title, numbers.effect(test.any.published_value)]
        for name in sources:
            row += _fact_cells(test.results.get(name))
        rows.append(row)
        for phrase in _control_phrases(test):
            row = [phrase, ""]
            for name in sources:
                value, p, outcome = _control_cells(test.results.get(name), phrase)
                row += [value, p, numbers.ABSENT, outcome]
            rows.append(row)
    columns = [k for k in range(1, len(heads)) if heads[k] != "Finding"]
    return table(
        "Factual tests", heads, rows, over=over if len(sources) > 1 else (), numbers=columns
    )


def _fact_cells(result: Any) -> list[str]:
    if result is None or not result.is_done:
        return [_not_run_link() if result else numbers.ABSENT, *[numbers.ABSENT] * 3]
    interval = result.main_interval
    return [
        two_lines(
            numbers.effect(result.pearson),
            numbers.interval(interval.low, interval.high) if interval else "",
        ),
        _p_cell(result),
        two_lines(numbers.effect(result.spearman), f"p {numbers.p_value(result.spearman_p)}"),
        _finding_cell(result),
    ]


def words_section(audit: AuditResult, names: Names, draw: Draw) -> list[Markup]:
    """Every target word of every association test, on strips."""
    from ..charts import draw_strips

    tests = [test for test in association_tests(audit.results) if test.done]
    if not tests:
        return []
    guide = (
        "A stroke is a word of a target set; the further right, the more strongly it is associated "
        "with the attribute named there, compared with the attribute named at the left. The ring "
        "is the mean of the set. Point at a stroke, or touch it, to see its word. The scale "
        "differs from test to test."
    )
    cards = []
    for index, test in enumerate(tests):
        sources = {name: names[name] for name in names if name in test.done}
        associations = test.any.associations
        description = (
            f"Strip plot of the associations of {len(associations['X'])} and "
            f"{len(associations['Y'])} words: {test.any.finding.sentence}"
        )
        chart = draw(
            lambda test=test, sources=sources: draw_strips(test, sources),
            f"words-{index}",
            description,
        )
        heading = element("h3", sentence_markup(test.title))
        cards.append(element("div", heading, chart, _strip_words(test, sources), class_="card"))
    content = element("div", *cards, class_="cards")
    return [section("words", "Word by word", element("p", guide), content)]


def _strip_words(test: TestBySource, names: Names) -> Markup:
    """A table of all strokes, for readers who cannot see the chart."""
    heads = ["Word", "Set", *(element("bdi", names[name]) for name in names)]
    if len(names) == 1:
        heads[2] = "Association"
    associations: dict[tuple[str, str], dict[str, float]] = {}
    for name in names:
        result = test.done[name]
        for side in ("X", "Y"):
            for word, value in zip(result.words[side], result.associations[side], strict=True):
                associations.setdefault((result.label(side), word), {})[name] = value
    first = next(iter(names))
    ranked = sorted(associations.items(), key=lambda item: -item[1].get(first, -9.0))
    rows = [
        [word_markup(word), sentence_markup(label), *(numbers.effect(values.get(n)) for n in names)]
        for (label, word), values in ranked
    ]
    columns = range(2, 2 + len(names))
    return collapsible("All words", table(f"Words of {test.title}", heads, rows, numbers=columns))


_CEAT_MEANING = "The effect size of an association test over the contexts in which its words occur."
_DIRECTIONS = {
    "more": "larger values mean more bias",
    "less": "smaller values mean more bias",
    "either": "the sign is the direction",
}


def measures_section(audit: AuditResult, names: Names) -> list[Markup]:
    """The other measures, with what each number means."""
    tests = other_measures(audit.results)
    if not tests:
        return []
    sources = [name for name in names if any(name in test.results for test in tests)]
    heads = ["Measure", "Sets", *(element("bdi", names[name]) for name in sources)]
    if len(sources) == 1:
        heads[2] = "Value"
    rows = [
        [
            _measure_title(test.measure),
            _measured_sets(test),
            *(_measure_cell(test.results.get(name)) for name in sources),
        ]
        for test in tests
    ]
    guide = (
        "Each measure has a scale of its own: compare its values between sources or sets, not with "
        "other measures. The list below the table says what the numbers mean."
    )
    measures = dict.fromkeys(test.measure for test in tests)
    return [
        section(
            "measures",
            "Other measures",
            element("p", guide),
            table("Other measures", heads, rows, numbers=range(2, 2 + len(sources)), stack=True),
            element("h3", "What the numbers mean"),
            definition_list([(_measure_title(name), _meaning(name)) for name in measures]),
        )
    ]


def _measure_title(name: str) -> str:
    measure = MEASURES.get(name)
    return measure.title if measure else name.upper()


def _measured_sets(test: TestBySource) -> Markup:
    """The title of a measurement, and the labels of its sets."""
    labels = {name: label for name, label in test.any.labels.items() if label and label != name}
    sets = "; ".join(f"{name}: {label}" for name, label in labels.items())
    title = "" if test.title == _measure_title(test.measure) else test.title
    return two_lines(sentence_markup(title), sentence_markup(sets))


def _measure_cell(result: Any) -> str:
    if result is None:
        return numbers.ABSENT
    if not result.is_done:
        return _not_run_link()
    details = []
    intervals = getattr(result, "intervals", ())
    if intervals:
        ends = (numbers.measure(end) for end in (intervals[0].low, intervals[0].high))
        details.append(" to ".join(ends))
    if result.main_p is not None:
        details.append(numbers.p_equation(result.main_p))
    quantiles = list(getattr(result, "quantiles", {}).values())
    if quantiles:
        details.append(f"over samples {numbers.interval(quantiles[0], quantiles[-1])}")
    write = numbers.effect if result.decimals == 2 else numbers.measure
    return two_lines(write(result.main_value), " · ".join(details))


def _meaning(name: str) -> Markup:
    """What a measure's number means, and its scale."""
    measure = MEASURES.get(name)
    if measure is None:
        return join(_CEAT_MEANING if name == "ceat" else "")
    low, high = (None if end is None else numbers.plain(end) for end in (measure.low, measure.high))
    scale = f"{numbers.plain(measure.neutral)} is unbiased"
    if low is not None:
        scale = f"From {low} {'up' if high is None else f'to {high}'}; {scale}"
    return join(f"{measure.reading} {scale}; {_DIRECTIONS[measure.larger]}.")
