"""The top of an audit's page: the findings by social dimension, and what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from weatherglass.catalog import CONTROL
from weatherglass.discovery import Discovery
from weatherglass.findings import Evidence, Finding
from weatherglass.measures import Measurement
from weatherglass.vectors import describe_history

from .. import numbers
from ..discovery import prose
from ..html import collapsible, element, join, sentence_markup, word_list
from ..page import definition_list, section, tiles
from .data import AuditResult, Names
from .findings import (
    Headline,
    control_findings,
    dimension_title,
    graded_findings,
    headlines,
    is_reversing,
    reversal_sentence,
    reversals,
)

MAX_FINDINGS = 4  # of one dimension
RULE = (
    "Findings are listed by social dimension, then by grade, then by the size of the effect as a "
    "share of the largest possible. The p-value is two-sided unless a direction was declared, and "
    "corrected for all tests of the source (Holm). Clear: the result holds under all evidence that "
    "was collected. Mixed: it depends on something, which the sentence names. None: no clear "
    "difference. Tests that ask the same question with other words share an entry, under the one "
    "with the most evidence, then the largest effect. Other measures and discoveries have scales "
    "of their own; find them further down."
)


def grade_badge(finding: Finding) -> Markup:
    """The grade in a box; a change of sign has a box of its own."""
    badge = element("span", finding.grade, class_=f"grade {finding.grade.replace(' ', '-')}")
    if not is_reversing(finding):
        return badge
    return join(badge, " ", element("span", "reverses", class_="grade reverses"))


def evidence_list(finding: Finding) -> Markup:
    """The evidence: for each kind whether the result holds, and the number; then the context."""
    items = [_evidence_item(item) for item in finding.evidence]
    if finding.context:
        items.append(_labelled_item("context", "context", sentence_markup(finding.context)))
    if finding.not_collected:
        kinds = ", ".join(_KIND_TITLES.get(kind, kind) for kind in finding.not_collected)
        items.append(_labelled_item("not collected", "context", f"{kinds}."))
    return element("ul", *items, class_="evidence")


_KIND_TITLES = {"p": "permutation test"}


def _evidence_item(item: Evidence) -> Markup:
    verdict = "reverses" if item.reverses else item.verdict
    kind = element("b", _KIND_TITLES.get(item.kind, item.kind))
    return _labelled_item(verdict, verdict, kind, ": ", sentence_markup(item.text), ".")


def _labelled_item(label: str, kind: str, *content: str) -> Markup:
    verdict = element("span", label, class_=f"verdict {kind}")
    return element("li", verdict, " ", element("span", *content))


def finding_markup(finding: Finding, names: Names) -> Markup:
    """A finding: its grade, its sentence, its numbers, and its evidence in a fold."""
    result = finding.result
    return join(
        grade_badge(finding),
        " ",
        element("b", sentence_markup(finding.sentence), class_="says"),
        " ",
        _numbers(result, names),
        collapsible(_count_verdicts(finding), evidence_list(finding)),
    )


def _numbers(result: Measurement, names: Names) -> Markup:
    published = result.published_value
    compared = "" if published is None else f" (published {numbers.effect(published)})"
    unit = f", {result.main_unit}" if result.main_unit else ""
    p = result.main_p_for_finding
    tested = "" if p is None else f", {numbers.p_equation(p)}{unit}"
    corrected = (
        "" if result.p_finding is None else f", corrected {numbers.p_value(result.p_finding)}"
    )
    source = join(", on ", element("bdi", names[result.source_name])) if len(names) > 1 else ""
    return element(
        "span",
        sentence_markup(result.test),
        source,
        f": {result.main_name} {numbers.effect(result.main_value)}{compared}"
        f"{_interval_text(result)}{tested}{corrected}.",
        class_="robust",
    )


def _count_verdicts(finding: Finding) -> str:
    """How much of the evidence passes, for the summary of a fold."""
    counts = Counter(item.verdict for item in finding.evidence)
    counted = ", ".join(f"{counts[v]} {v}" for v in ("pass", "depends", "fails") if counts[v])
    return f"Evidence: {counted}" if counted else "Evidence"


def _interval_text(result: Measurement) -> str:
    interval = result.main_interval
    if interval is None:
        return ""
    ends = numbers.interval(interval.low, interval.high)
    return f", {interval.title} {ends}"


def findings_section(audit: AuditResult, names: Names) -> Markup:
    """The findings: changes of sign first, then by social dimension, then the controls."""
    grouped = headlines(audit.results)
    parts: list[Markup] = []
    if flipped := reversals(audit.results):
        parts.append(reversals_box(flipped, names))
    if grouped and all(h.finding.grade == "none" for group in grouped.values() for h in group):
        parts.append(element("p", element("b", "No test shows a clear difference.")))
    for dimension, found in grouped.items():
        parts += _dimension(dimension, found, names)
    parts += _controls(control_findings(audit.results), names)
    parts += [_discovery_paragraph(found, names) for found in audit.discoveries]
    parts.append(element("p", element("b", "Rule. "), RULE, class_="rule"))
    return section("findings", "Findings", *parts)


def reversals_box(findings: Sequence[Finding], names: Names, total: int = 0) -> Markup:
    """The results that change their sign, in a box that stands above everything else."""
    items = [
        element(
            "li",
            element("b", sentence_markup(reversal_sentence(finding))),
            " ",
            _numbers(finding.result, names),
        )
        for finding in findings
    ]
    count = total or len(items)
    head = f"{count:,} results change their sign" if count > 1 else "A result changes its sign"
    if count > len(items):
        items.append(element("li", f"{count - len(items):,} more."))
    return element("div", element("h3", head), element("ul", *items), class_="reversals")


def _dimension(dimension: str, found: list[Headline], names: Names) -> list[Markup]:
    """The findings of a dimension; those without a clear difference share a line."""
    shown = [headline for headline in found if headline.finding.grade != "none"]
    nothing = [headline for headline in found if headline.finding.grade == "none"]
    parts = [element("h3", sentence_markup(dimension_title(dimension)))]
    if shown:
        items = [element("li", _headline_markup(h, names)) for h in shown[:MAX_FINDINGS]]
        parts.append(element("ul", *items, class_="strongest"))
    if len(shown) > MAX_FINDINGS:
        more = prose.count_noun(len(shown) - MAX_FINDINGS, "more finding")
        parts.append(element("p", f"{more} in the tables below.", class_="rule"))
    if nothing:
        items = [element("li", _headline_markup(h, names)) for h in nothing]
        text = prose.count_noun(len(nothing), "question") + " without a clear difference"
        parts.append(
            collapsible(text, element("ul", *items, class_="strongest"), is_open=not shown)
        )
    return parts


def _headline_markup(headline: Headline, names: Names) -> Markup:
    others = [_short_finding(finding, names) for finding in headline.others]
    rest = join(" The same question: ", join(*others, separator="; "), ".") if others else ""
    return join(finding_markup(headline.finding, names), element("span", rest, class_="robust"))


def _short_finding(finding: Finding, names: Names) -> Markup:
    """A finding in a few words: its test, its source, its number, its grade."""
    result = finding.result
    source = join(" on ", element("bdi", names[result.source_name])) if len(names) > 1 else ""
    value = f" {numbers.effect(result.main_value)}, {finding.grade}"
    return join(sentence_markup(result.test), source, value)


def _controls(findings: list[Finding], names: Names) -> list[Markup]:
    if not findings:
        return []
    guide = (
        "Tests about no group of people, whose answer is known. They show that a source encodes "
        "ordinary associations, and are not findings about bias."
    )
    items = [
        element(
            "li",
            grade_badge(finding),
            " ",
            sentence_markup(finding.sentence),
            " ",
            _numbers(finding.result, names),
        )
        for finding in findings
    ]
    return [
        element("h3", "Controls"),
        element("p", guide),
        element("ul", *items, class_="controls"),
    ]


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
    graded = graded_findings(audit.results)
    figures = [(f"{len(done):,}", "tests and measures with a result")]
    if graded:
        people = [finding for finding in graded if finding.result.dimension != CONTROL]
        clear = sum(finding.grade == "clear" for finding in people)
        figures.append((f"{clear:,}", f"clear findings, of {len(people):,} tests about people"))
        mixed = sum(finding.grade == "mixed" for finding in people)
        figures.append((f"{mixed:,}", "mixed: they depend on something that was tried"))
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
