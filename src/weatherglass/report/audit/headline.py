"""The top of an audit's report: the scorecard, the findings by topic, and what was measured."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from weatherglass.catalog import CONTROL
from weatherglass.findings import (
    COLUMNS,
    GRADES,
    Finding,
    control_sentence,
    count_sentence,
    is_low,
    key_findings,
    scorecard,
    valence_sentence,
    vanishes,
)
from weatherglass.vectors import describe_histories

from .. import numbers
from ..discovery import prose
from ..html import sentence_markup
from ..model_titles import model_title
from .data import AuditResult, Names
from .findings import (
    Headline,
    control_findings,
    dimension_title,
    graded_findings,
    headlines,
    is_reversing,
    reversals,
    source_valences,
)
from .rendering import render_part

MAX_FINDINGS = 4  # of one dimension
MAX_KEY_FINDINGS = 3

CAVEAT = (
    "These are associations between words that a model has learned from text. Some are offensive "
    "stereotypes; the report says that the model holds them, not that they are true of anyone. A "
    "test without a clear difference does not show that there is no bias."
)
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
    return render_part("audit/badge.html", finding=finding, names={})


def evidence_list(finding: Finding) -> Markup:
    """The evidence: for each kind whether the result holds, and the number; then the context."""
    return render_part("audit/evidence.html", finding=finding, names={})


def summary_section(audit: AuditResult, names: Names) -> Markup:
    """Page one: a scorecard by social dimension, three sentences, and one caveat."""
    findings = graded_findings(audit.results)
    # In the order of the audit, so that the sources of every dimension have the same order.
    in_order = sorted(findings, key=lambda finding: list(names).index(finding.result.source_name))
    return render_part(
        "audit/scorecard.html",
        headline=count_sentence(findings),
        rows=scorecard(in_order),
        columns=COLUMNS,
        key=key_findings(_candidates(audit), MAX_KEY_FINDINGS),
        controls=control_sentence(findings),
        caveat=CAVEAT,
        names=names,
        has_sources=len(names) > 1,
        topic_id=topic_id,
        dimension_title=dimension_title,
    )


def model_line(audit: AuditResult) -> Markup:
    """What the model is: its name and size; and which suite was run, when."""
    about = audit.about
    suite = about.get("suite") or {}
    title = suite.get("title") or suite.get("id") or "" if isinstance(suite, dict) else suite
    return render_part(
        "audit/model.html",
        sources=about.get("sources", ()),
        kind_of=_source_kind,
        title_of=model_title,
        warnings=[
            valence_sentence(valence)
            for valence in source_valences(about.get("sources", ())).values()
            if is_low(valence)
        ],
        suite=str(title),
        when=str(about.get("started", ""))[:10],
    )


def _candidates(audit: AuditResult) -> list[Finding]:
    """Changes of sign, then the first finding of each question, which has the most evidence."""
    flipped = reversals(audit.results)
    leads = [headline.finding for group in headlines(audit.results).values() for headline in group]
    return flipped + [lead for lead in leads if not any(lead is finding for finding in flipped)]


@dataclass(frozen=True)
class _Topic:
    """The findings about a social dimension; those without a clear difference are apart."""

    dimension: str
    shown: Sequence[Headline]
    more: str
    without: Sequence[Headline]

    @property
    def id(self) -> str:
        return topic_id(self.dimension)

    @property
    def title(self) -> str:
        return dimension_title(self.dimension)

    @property
    def without_summary(self) -> str:
        count = prose.count_noun(len(self.without), "question")
        return f"{count} without a clear difference"

    @property
    def counts(self) -> str:
        """How many findings have each grade."""
        grades = Counter(item.finding.grade for item in (*self.shown, *self.without))
        words = {"none": "without a clear difference"}
        return ", ".join(f"{grades[g]} {words.get(g, g)}" for g in GRADES if grades[g])


def topic_id(dimension: str) -> str:
    """The id of a dimension's findings on the page.

    >>> topic_id("gender"), topic_id("social class"), topic_id("")
    ('topic-gender', 'topic-social-class', 'topic-other')
    """
    return f"topic-{re.sub('[^a-z0-9]+', '-', dimension.lower()).strip('-') or 'other'}"


def findings_section(audit: AuditResult, names: Names) -> Markup:
    """The findings: what reverses or vanishes first, then by dimension, then the controls."""
    grouped = headlines(audit.results)
    every = [headline for group in grouped.values() for headline in group]
    reversing = reversals(audit.results)
    vanishing = [
        headline.finding
        for headline in every
        if vanishes(headline.finding) and not is_reversing(headline.finding)
    ]
    return render_part(
        "audit/findings.html",
        reversing=reversing,
        reversals_total=len(reversing),
        vanishing=vanishing,
        is_without_difference=bool(every) and all(h.finding.grade == "none" for h in every),
        topics=[_topic(*item) for item in grouped.items()],
        controls=control_findings(audit.results),
        rule=RULE,
        names=names,
    )


def _topic(dimension: str, found: Sequence[Headline]) -> _Topic:
    flipped = [headline for headline in found if is_reversing(headline.finding)]
    rest_found = [headline for headline in found if not is_reversing(headline.finding)]
    without = [headline for headline in rest_found if headline.finding.grade == "none"]
    shown = flipped + [headline for headline in rest_found if headline.finding.grade != "none"]
    rest = len(shown) - MAX_FINDINGS
    more = prose.count_noun(rest, "more finding") if rest > 0 else ""
    return _Topic(dimension, shown[:MAX_FINDINGS], more, without)


def overview_section(audit: AuditResult, names: Names) -> Markup:
    """What was measured, on which sources, and how many results there are."""
    about = audit.about
    suite = about.get("suite") or {}
    title = suite.get("title") or suite.get("id") or "tests" if isinstance(suite, dict) else suite
    suite_id = sentence_markup(str(suite.get("id", ""))) if isinstance(suite, dict) else ""
    return render_part(
        "audit/overview.html",
        suite_title=str(title),
        names=names,
        tiles=_summary_figures(audit),
        facts=[
            *((_source_kind(s), describe_source(s)) for s in about.get("sources", ())),
            *_valence_remarks(audit),
            *source_remarks(audit),
            ("Suite", suite_id),
            ("When", describe_time(about)),
        ],
    )


_MAX_REMARKS = 8


def _valence_remarks(audit: AuditResult) -> list[tuple[str, Markup]]:
    """How far each source agrees with the ratings of people, and what that means."""
    valences = source_valences(audit.about.get("sources", ()))
    # Of many sources, those with the lowest correlation: they are what a reader must know.
    lowest = sorted(valences.items(), key=lambda pair: 2.0 if pair[1].r is None else pair[1].r)
    shown = dict(lowest[:_MAX_REMARKS]) if len(valences) > _MAX_REMARKS else valences
    remarks = [
        ("Valence", sentence_markup((f"{name}: " if len(valences) > 1 else "") + text))
        for name, text in ((name, valence_sentence(v)) for name, v in shown.items())
    ]
    if more := len(valences) - len(shown):
        text = f"{more:,} more sources, with a higher correlation or none, are in run.json."
        remarks.append(("Valence", sentence_markup(text)))
    return remarks


def source_remarks(audit: AuditResult) -> list[tuple[str, Markup]]:
    """How sources were made, and warnings about them, to stand next to their names."""
    remarks: list[tuple[str, Markup]] = []
    sources = audit.about.get("sources", ())
    remarks += [("History", sentence_markup(text)) for text in describe_histories(sources)]
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
    kinds = {"encoder": "Encoder", "table": "Association table"}
    return kinds.get(str(source.get("kind", "")), "Embedding")


def describe_source(source: Mapping[str, Any]) -> Markup:
    """A source with its size; or why it could not be opened."""
    return render_part("audit/source.html", source=source)


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
