"""Sections of an audit's report about association tests of words and of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from weatherglass.catalog import CONTROL
from weatherglass.measures import Results, control_outcome, format_percentile

from .. import numbers
from ..discovery import prose
from ..model_titles import model_title
from ..page import Draw
from .data import AuditResult, Names, TestBySource, association_tests, sentence_tests
from .findings import ALPHA, corrected_p
from .rendering import figure, render_part

_MAX_IN_FOREST = 3
"""Encoders in a forest plot; more are drawn as a matrix."""


def effects_section(audit: AuditResult, names: Names) -> list[Markup]:
    """All association tests: the forest plot by topic, and its table in a fold."""
    tests = association_tests(audit.results)
    if not tests:
        return []
    done = [test for test in tests if test.done]
    guide = (
        "A positive effect size means that the first set of words is more strongly associated with "
        "the third set, compared with the fourth, than the second set of words is; 2 is about the "
        "largest possible for sets of equal size. The line is the 95 % confidence interval over "
        "other target words. Published effects were measured on other, mostly larger embeddings."
    )
    if any(baseline(result) for test in done for result in test.done.values()):
        guide += (
            " The baseline in the table is the share of comparable word sets of the same "
            "vocabulary that are less aligned; it says how unusual the alignment is, not whether "
            "the effect is real."
        )
    chart: str = ""
    if done:
        sources = {name: names[name] for name in names if any(name in test.done for test in done)}
        description = _describe_forest(done, audit.results)
        chart = _forest_figure(audit, done, sources, "forest", description)
    return [
        _section(
            audit,
            names,
            tests,
            id="effects",
            headline=_headline(done, "association test", "association tests"),
            name="Association tests",
            guide=guide,
            chart=chart,
        )
    ]


def _forest_figure(
    audit: AuditResult, tests: Sequence[TestBySource], sources: Names, id: str, description: str
) -> Markup:
    from ..drawings import NARROW, WIDE, lay_out_forest

    plots = {"wide": lay_out_forest(tests, sources, WIDE)}
    plots["narrow"] = lay_out_forest(tests, sources, NARROW)
    return figure(
        render_part("drawings/forest.html", plots=plots),
        id=id,
        title="Effect sizes by topic, with 95 % intervals",
        description=description,
        source=source_line(audit, list(sources)),
        table="effects-table" if id == "forest" else "sentences-table",
    )


def source_line(audit: AuditResult, sources: Sequence[str] = ()) -> str:
    """Where the numbers of a figure come from: sources, version, date."""
    from .data import model_names, source_names

    titles = {
        str(about.get("name")): model_title(about) for about in audit.about.get("sources", ())
    }
    names = model_names(source_names(audit))
    listed = ", ".join(titles.get(name) or names[name] for name in sources or names)
    date = str(audit.about.get("started", ""))[:10]
    version = audit.about.get("weatherglass", "")
    parts = [f"Source: {listed}", f"Weatherglass {version}".strip(), date]
    return "; ".join(filter(None, parts)) + "."


def _headline(tests: Sequence[TestBySource], noun: str, plural: str) -> str:
    """How many tests about people show a difference after correction; controls do not count."""
    findings = [
        result.finding
        for test in tests
        for result in test.done.values()
        if result.dimension != CONTROL
    ]
    if not findings:
        return plural.capitalize()
    different = sum(finding.direction != 0 for finding in findings)
    total = prose.count_noun(len(findings), noun, plural)
    if not different:
        return f"None of {total} about people shows a difference"
    verb = "shows" if different == 1 else "show"
    return f"{different} of {total} about people {verb} a difference"


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


def _section(
    audit: AuditResult,
    names: Names,
    tests: Sequence[TestBySource],
    *,
    id: str,
    headline: str,
    name: str,
    guide: str,
    chart: str,
) -> Markup:
    sources = [source for source in names if any(source in test.results for test in tests)]
    return render_part(
        "audit/effects.html",
        id=id,
        headline=headline,
        table_name=name,
        guide=guide,
        chart=chart,
        tests=tests,
        sources=sources,
        names=names,
        has_baseline={
            source: any(source in t.done and baseline(t.done[source]) for t in tests)
            for source in sources
        },
        baseline=baseline,
        test_details=_test_details,
        control_phrases=control_phrases,
        control_cells=control_cells,
    )


def _test_details(test: TestBySource) -> str:
    """The id of a test, and the sizes of its sets."""
    sizes = test.any.n
    details = test.test
    if all(sizes.get(name) for name in "XYAB"):
        details += (
            f" · {sizes['X']} and {sizes['Y']} targets, {sizes['A']} and {sizes['B']} attributes"
        )
    return details


def baseline(result: Any) -> str:
    """The share of comparable word sets that are less aligned; empty where it is not known."""
    percentile = result.baseline.percentile if result.baseline else None
    return "" if percentile is None else format_percentile(percentile)


def control_phrases(test: TestBySource) -> list[str]:
    """The controls of a test on any source, each of which has a row below the test."""
    phrases = (
        control.phrase
        for result in test.results.values()
        for control in result.controls
        if control.effect is not None or control.reason
    )
    return list(dict.fromkeys(phrases))


def control_cells(result: Any, phrase: str) -> tuple[str, str, str, bool]:
    """The number after a control, its p-value, what it does to a clear effect, if it reverses."""
    controls = () if result is None else result.controls
    control = next((control for control in controls if control.phrase == phrase), None)
    if control is None:
        return numbers.ABSENT, numbers.ABSENT, numbers.ABSENT, False
    outcome = control_outcome(result, control) if result.finding.direction else ""
    text = outcome.capitalize()
    if control.effect is None:
        text = f"Not measured: {control.reason}" if control.reason else numbers.ABSENT
    p = control.p if result.is_declared or control.p_two_sided is None else control.p_two_sided
    is_reversed = outcome == "reverses" and control.effect is not None
    return numbers.effect(control.effect), numbers.p_value(p), text, is_reversed


def sentences_section(audit: AuditResult, names: Names, draw: Draw) -> list[Markup]:
    """Association tests on encoders: a forest plot, of many encoders a matrix; and its table."""
    from ..charts import plot

    tests = sentence_tests(audit.results)
    if not tests:
        return []
    done = [test for test in tests if test.done]
    results = [result for test in done for result in test.done.values()]
    guide = (
        "The same tests on encoders, whose inputs are single words, or sentences that contain the "
        "words. The sentences of a word are near-copies of each other, so effect, interval and "
        "p-value count each word once; the paper, which counts sentences, gives smaller p-values. "
        "A test without a clear difference does not show that an encoder is free of bias."
    )
    sources = {name: names[name] for name in names if any(name in test.done for test in done)}
    chart: str = ""
    if results and len(sources) <= _MAX_IN_FOREST:
        description = _describe_forest(done, audit.results)
        chart = _forest_figure(audit, done, sources, "sentences-forest", description)
    elif results:
        description = (
            f"Matrix of {prose.count_noun(len(tests), 'test')} and "
            f"{prose.count_noun(len(sources), 'encoder')}: the colour is the effect, each word "
            "counted once. The table below has the numbers."
        )
        chart = draw(
            lambda: plot(results, source_line=False),
            "matrix",
            description,
            title="Effect sizes of encoders, each word counted once",
            table="sentences-table",
        )
    return [
        _section(
            audit,
            names,
            tests,
            id="sentences",
            headline=_headline(done, "test of encoders", "tests of encoders"),
            name="Sentence encoders",
            guide=guide,
            chart=chart,
        )
    ]
