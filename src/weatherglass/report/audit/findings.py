"""The findings of an audit in the order of reports: by social dimension, by grade, by size."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weatherglass.catalog import CONTROL, dimension_position
from weatherglass.findings import GRADES, GRADING_KINDS, Finding
from weatherglass.findings import is_reversing as is_reversing
from weatherglass.findings import reversal_sentence as reversal_sentence
from weatherglass.measures import Measurement, Results, SourceValence, from_plain
from weatherglass.seedlab import Multiverse

ALPHA = 0.05


@dataclass(frozen=True)
class Headline:
    """The first finding about a question, and those that ask the same.

    `others` are of other words, of sentences, or of other sources.
    """

    finding: Finding
    others: tuple[Finding, ...] = ()

    @property
    def result(self) -> Measurement:
        """The result of the first finding."""
        return self.finding.result


def with_seed_choices(
    results: Iterable[Measurement], multiverses: Sequence[Multiverse]
) -> list[Measurement]:
    """Return results with what the multiverse of the same test on the same source found.

    Then the finding of a result takes other seed words into account, on every surface.
    """
    by_test = {(found.test, found.source_name): found for found in multiverses}
    completed = []
    for result in results:
        found = by_test.get((result.test, result.source_name))
        if found is not None and result.section == "words" and result.main_value:
            choices = found.seed_choices(result.main_value)
            result = dataclasses.replace(result, seed_choices=choices)
        completed.append(result)
    return completed


def with_valence(results: Iterable[Measurement], about: Mapping[str, Any]) -> list[Measurement]:
    """Return results with how far their source agrees with the ratings of people.

    Then no finding on a source that encodes little of what people agree on is graded clear.
    """
    by_source = source_valences(about.get("sources", ()))
    return [
        dataclasses.replace(result, valence=by_source.get(result.source_name)) for result in results
    ]


def source_valences(sources: Iterable[Mapping[str, Any]]) -> dict[str, SourceValence]:
    """Return the valence of each source, as the record of an audit states it."""
    return {
        str(source.get("name", "")): from_plain(SourceValence, source["valence"])
        for source in sources
        if source.get("valence")
    }


def corrected_p(result: Measurement, results: Results) -> float | None:
    """The p-value of the finding, corrected for all tests of the source.

    That is Holm's, where the results were corrected. Otherwise the p-value is multiplied by the
    number of tests (Bonferroni), which is never smaller.
    """
    p = result.main_p_for_finding
    if p is None or result.p_finding is not None:
        return result.p_finding
    tests = sum(
        other.source_name == result.source_name and other.main_p_for_finding is not None
        for other in results
    )
    return min(1.0, p * max(1, tests))


def graded_findings(results: Iterable[Measurement]) -> list[Finding]:
    """The findings of tests whose effects have a largest possible size, in report order.

    Other measures have scales of their own, so that their sizes cannot be compared.
    """
    findings = [r.finding for r in results if r.max_value is not None and r.main_value is not None]
    return sorted(findings, key=report_order)


def headlines(results: Iterable[Measurement]) -> dict[str, list[Headline]]:
    """The findings by social dimension; tests that ask the same question share a headline.

    The first finding of a headline is the one with the most evidence, so that a result that was
    examined less does not look clearer; among equals, the one with the largest effect. Headlines
    are sorted by dimension in the order of the catalogue, by grade, and by the size of the effect
    as a share of the largest possible. Controls are left out.
    """
    questions: dict[tuple[str, Hashable], list[Finding]] = {}
    for finding in graded_findings(results):
        dimension = finding.result.dimension
        if dimension != CONTROL:
            questions.setdefault((dimension, finding.result.question), []).append(finding)
    grouped: dict[str, list[Headline]] = {}
    for (dimension, _), found in questions.items():
        first = min(found, key=_lead_key)
        others = tuple(finding for finding in found if finding is not first)
        grouped.setdefault(dimension, []).append(Headline(first, others))
    for dimension, found_here in grouped.items():
        grouped[dimension] = sorted(found_here, key=lambda headline: report_order(headline.finding))
    return grouped


def _lead_key(finding: Finding) -> tuple[int, float]:
    kinds = {item.kind for item in finding.evidence if item.kind in GRADING_KINDS}
    return -len(kinds), -relative_size(finding.result)


def control_findings(results: Iterable[Measurement]) -> list[Finding]:
    """The findings of controls: tests about no group of people, whose answer is known."""
    return [finding for finding in graded_findings(results) if finding.result.dimension == CONTROL]


def reversals(results: Iterable[Measurement]) -> list[Finding]:
    """The findings about people that change their sign: under a control, or with other words."""
    return [
        finding
        for finding in graded_findings(results)
        if finding.result.dimension != CONTROL and is_reversing(finding)
    ]


def relative_size(result: Measurement) -> float:
    """The size of an effect as a share of the largest possible."""
    return abs(result.main_value or 0.0) / (result.max_value or 1.0)


def dimension_title(dimension: str) -> str:
    """The heading of a dimension.

    >>> dimension_title("gender"), dimension_title("")
    ('Gender', 'Other tests')
    """
    return dimension[:1].upper() + dimension[1:] or "Other tests"


def report_order(finding: Finding) -> tuple[int, str, int, float]:
    """The place of a finding in reports: by dimension, then grade, then size."""
    dimension, grade = finding.result.dimension, GRADES.index(finding.grade)
    return dimension_position(dimension), dimension, grade, -relative_size(finding.result)
