"""The top of an audit's page: the strongest findings, by a stated rule, and what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from weatherglass.discovery import Discovery
from weatherglass.measures import Measurement, Results, describe_outcome
from weatherglass.seedlab import Multiverse
from weatherglass.significance import Power
from weatherglass.vectors import describe_history

from .. import numbers
from ..discovery import prose
from ..html import element, join, sentence_markup, word_list
from ..page import definition_list, section, tiles
from .data import AuditResult, Names, find_multiverse

ALPHA = 0.05
MAX_FINDINGS = 5
RULE = (
    f"Lists tests with corrected p ≤ {ALPHA:g}, where the correction covers all tests of the "
    "source. The largest effects come first, as a share of the largest possible (1 for a "
    "correlation; for an effect size it depends on the sizes of the sets, just below 2 where they "
    "are equal). Tests that ask the same question with other words count once, by their "
    "largest effect. Other measures and discoveries have scales of their own; find them "
    "further down."
)


@dataclass(frozen=True)
class Finding:
    """A significant result: its size as a share of the largest possible, its corrected p-value."""

    result: Measurement
    size: float
    corrected: float


def corrected_p(result: Measurement, results: Results) -> float | None:
    """The p-value of a result, corrected for all tests of its source.

    That is Holm's where the result has it. Where it has none, such as for the words behind
    sentences, the p-value is multiplied by the number of tests (Bonferroni), which is never
    smaller.
    """
    p, holm = result.main_p, result.main_p_holm
    if p is None or holm is not None:
        return holm
    return min(1.0, p * _count_tests(result, results))


def _count_tests(result: Measurement, results: Results) -> int:
    """The number of p-values that a result's own is corrected for: those of its source."""
    return sum(
        other.source_name == result.source_name and other.main_p is not None for other in results
    )


def describe_power(result: Measurement, results: Results) -> str:
    """The smallest value that a test could have found; empty if it has found one."""
    power = _power(result, results)
    if power is None:
        return ""
    if power.detectable is None:
        return "cannot be significant"
    return f"finds {numbers.effect(power.detectable)} or more"


def _power(result: Measurement, results: Results) -> Power | None:
    """What a test could have found, at the level of Holm's first step; None if it has found it."""
    corrected = corrected_p(result, results)
    if corrected is None or corrected <= ALPHA:
        return None
    return result.power_at(ALPHA / _count_tests(result, results))


def strongest_findings(results: Results, limit: int | None = MAX_FINDINGS) -> list[Finding]:
    """The strongest findings, by `RULE`."""
    findings: dict[Any, Finding] = {}
    for result in results:
        value, corrected, largest = (
            result.main_value,
            corrected_p(result, results),
            result.max_value,
        )
        if largest is None or value is None or corrected is None or corrected > ALPHA:
            continue
        finding = Finding(result, abs(value) / largest, corrected)
        other = findings.get(result.question)
        if other is None or _sort_key(finding) < _sort_key(other):
            findings[result.question] = finding
    return sorted(findings.values(), key=_sort_key)[:limit]


def _sort_key(finding: Finding) -> tuple[float, float]:
    return -finding.size, finding.corrected


def finding_markup(finding: Finding, audit: AuditResult, names: Names) -> Markup:
    """A finding in sentences: the claim, its size, its p-value, how robust it is, its source."""
    result = finding.result
    assert result.main_p is not None  # a finding is significant
    published = result.published_value
    compared = "" if published is None else f" (published {numbers.effect(published)})"
    unit = f", {result.main_unit}" if result.main_unit else ""
    return join(
        element("b", sentence_markup(result.sentence())),
        f" {result.main_name.capitalize()} {numbers.effect(result.main_value)}{compared}"
        f"{_interval_text(result)}, {numbers.p_equation(result.main_p)}{unit}; ",
        element("span", robustness(result, audit.multiverses), class_="robust"),
        _source_text(result, audit.results, names) if len(names) > 1 else "",
    )


def _source_text(result: Measurement, results: Results, names: Names) -> Markup:
    """The source of a finding, and the values of the same test on other sources."""
    others = [
        join(element("bdi", names[other.source_name]), f" {numbers.effect(other.main_value)}")
        for other in results
        if (other.measure, other.test) == (result.measure, result.test)
        and other.source_name != result.source_name
        and other.main_value is not None
    ]
    rest = join("; on ", join(*others, separator=", on ")) if others else ""
    return join(" On ", element("bdi", names[result.source_name]), rest, ".")


def _interval_text(result: Measurement) -> str:
    interval = result.main_interval
    if interval is None:
        return ""
    ends = numbers.interval(interval.low, interval.high)
    return f", {interval.title} {ends}"


def robustness(result: Measurement, multiverses: Sequence[Multiverse]) -> str:
    """How far a result depends on the seed words, on word frequency and on main axes."""
    seeds = describe_seed_choices(result, multiverses) or "other seed words were not tried"
    parts = [seeds, describe_crossed(result), describe_controls(result)]
    return "; ".join(filter(None, parts)) + "."


def describe_seed_choices(result: Measurement, multiverses: Sequence[Multiverse]) -> str:
    """The outcome with other documented seed sets; empty where they were not tried."""
    multiverse = find_multiverse(result, multiverses)
    if multiverse is None:
        return ""
    text = multiverse.sentence()
    return text[:1].lower() + text[1:].rstrip(".")


def describe_crossed(result: Measurement) -> str:
    """The interval over other words in all four sets; empty where it was not computed."""
    for interval in getattr(result, "intervals", ()):
        if interval.method == "crossed":
            return f"{numbers.interval(interval.low, interval.high)} over {interval.about}"
    return ""


def describe_controls(result: Measurement) -> str:
    """What controls do to an effect; empty where there are none."""
    parts = [
        describe_outcome(result, control) or f"{numbers.effect(control.effect)} {control.phrase}"
        for control in result.controls
        if control.effect is not None
    ]
    return "; ".join(parts)


_NUMBER_WORDS = {2: "two", 3: "three", 4: "four", 5: "five"}


def findings_section(audit: AuditResult, names: Names) -> Markup:
    """The strongest findings, in sentences."""
    findings = strongest_findings(audit.results)
    parts: list[Markup] = []
    if findings:
        items = (element("li", finding_markup(finding, audit, names)) for finding in findings)
        parts.append(element("ol", *items, class_="strongest"))
    else:
        head = element("b", "No test is significant after correction.")
        parts.append(element("p", head, _describe_all_power(audit.results)))
    parts += [_discovery_paragraph(found, names) for found in audit.discoveries]
    parts.append(element("p", element("b", "Rule. "), RULE, class_="rule"))
    number = f"{_NUMBER_WORDS[len(findings)]} " if len(findings) > 1 else ""
    return section("findings", f"The {number}strongest findings", *parts)


def _describe_all_power(results: Results) -> str:
    """What the tests of an audit could have found, in a sentence."""
    powers = [_power(result, results) for result in results]
    detectable = [power.detectable for power in powers if power and power.kind == "effect size"]
    if not detectable:
        return ""
    sizes = [size for size in detectable if size is not None]
    if not sizes:
        return " With so few words, no association test could have been."
    ends = dict.fromkeys(numbers.effect(end) for end in (min(sizes), max(sizes)))
    return (
        " That does not show that there is no difference: with these numbers of words, association "
        f"tests find effect sizes of {' to '.join(ends)} or more with 80 % power."
    )


def _discovery_paragraph(discovery: Discovery, names: Names) -> Markup:
    """What a discovery found, in a sentence or two."""
    source = join(" on ", element("bdi", names[discovery.source_name])) if len(names) > 1 else ""
    head = join(element("b", "Discovery"), source, ": ", discovery.sentence())
    link = element("a", "discovery table", href="#discovery")
    if not discovery.significant:
        return element("p", head, " See the ", link, ".")
    best = discovery.significant[0]
    # The group is referred to by its id, as in the table: no name is next to a stereotype.
    return element(
        "p",
        head,
        f" The strongest: the names of group {best.group} are associated with ",
        word_list(best.words),
        f" (score {numbers.effect(best.score)}, {numbers.p_equation(best.p.value)}). See the ",
        link,
        ".",
    )


def overview_section(audit: AuditResult, names: Names) -> Markup:
    """What was measured, on which sources, and how many results there are."""
    about = audit.about
    suite = about.get("suite") or {}
    title = suite.get("title") or suite.get("id") or "tests" if isinstance(suite, dict) else suite
    lead = join(
        "Weatherglass ran ",
        element("b", sentence_markup(str(title))),
        " on ",
        join(*(element("b", element("bdi", name)) for name in names.values()), separator=", "),
        ". The tests measure how words for people relate to other words in vectors that were "
        "learned from text, how large the differences are, and how certain they are.",
    )
    suite_id = sentence_markup(str(suite.get("id", ""))) if isinstance(suite, dict) else ""
    return section(
        "measured",
        "What was measured",
        element("p", lead, class_="lead"),
        tiles(_summary_figures(audit)),
        definition_list(
            [
                *((_source_kind(s), _source_markup(s)) for s in about.get("sources", ())),
                *source_remarks(audit),
                ("Suite", suite_id),
                ("When", describe_time(about)),
            ]
        ),
    )


_MAX_REMARKS = 8


def source_remarks(audit: AuditResult) -> list[tuple[str, Markup]]:
    """How sources were made, and warnings about them, to stand next to their names."""
    remarks: list[tuple[str, Markup]] = []
    sources = audit.about.get("sources", ())
    for source in sources:
        name = f"{source.get('name', '')}: " if len(sources) > 1 else ""
        history = source.get("history") or ()
        remarks += [("History", sentence_markup(name + text)) for text in describe_history(history)]
    warnings = dict.fromkeys(text for result in audit.results for text in result.warnings)
    remarks += [("Warning", sentence_markup(text)) for text in warnings]
    if len(remarks) > _MAX_REMARKS:
        more = f"{len(remarks) - _MAX_REMARKS} more are in results.json and run.json."
        remarks = [*remarks[:_MAX_REMARKS], ("Warning", sentence_markup(more))]
    return remarks


def describe_time(about: Mapping[str, Any]) -> str:
    """When an audit was started, and how long it took."""
    started = str(about.get("started", ""))[:16].replace("T", " ")
    seconds = about.get("seconds")
    if not started or seconds is None:
        return started
    return f"{started} UTC, in {numbers.duration(seconds)}"


def _source_kind(source: Mapping[str, Any]) -> str:
    return {"encoder": "Encoder"}.get(str(source.get("kind", "")), "Embedding")


def _source_markup(source: Mapping[str, Any]) -> Markup:
    words, dim = source.get("words"), source.get("dim")
    parts: list[str] = [element("bdi", str(source.get("name", "")))]
    parts += [f"{words:,} words"] if isinstance(words, int) else []
    parts += [f"{dim:,} dimensions"] if isinstance(dim, int) else []
    parts += [sentence_markup(str(source["reason"]))] if source.get("reason") else []
    return join(*parts, separator=", ")


def _summary_figures(audit: AuditResult) -> list[tuple[str, str]]:
    """The headline figures of an audit, each with what it counts."""
    done = [result for result in audit.results if result.is_done]
    tested = [r for r in done if r.main_p is not None and r.main_value is not None]
    significant = [r for r in tested if (corrected_p(r, audit.results) or 1.0) <= ALPHA]
    figures = [
        (f"{len(done):,}", "tests and measures with a result"),
        (f"{len(significant):,}", f"of {len(tested):,} p-values are ≤ {ALPHA:g} after correction"),
    ]
    if audit.multiverses:
        choices = sum(len(multiverse.whole) for multiverse in audit.multiverses)
        tests = prose.count_noun(len(audit.multiverses), "test")
        figures.append((f"{choices:,}", f"choices of seed sets were tried, for {tests}"))
    if audit.discoveries:
        cells = sum(len(discovery.significant) for discovery in audit.discoveries)
        figures.append((f"{cells:,}", "associations were discovered without a test"))
    steps = audit.about.get("steps", ())
    missing = sum(step.get("status") != "done" for step in steps)
    if missing:
        total = prose.count_noun(len(steps), "step")
        figures.append((f"{missing:,}", f"of {total} failed or were skipped"))
    return figures
