"""Sections of an audit's page about seed words: other choices, lint, missing words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from weatherglass.seedlab import SEVERITIES, Finding, Flip, Lint, Multiverse, set_names
from weatherglass.significance import equate_p

from .. import numbers
from ..charts import MAX_COLUMNS
from ..discovery import prose
from ..page import Draw
from .data import AuditResult, Names
from .effects import source_line
from .findings import ALPHA
from .rendering import figure, render_part

_MAX_FLIPS, _MAX_MISSING_WORDS = 12, 20
# A page of five megabytes has room for a few curves with all their columns; more curves share the
# columns, and no curve has fewer than the minimum.
_MAX_FULL_CURVES, _TOTAL_COLUMNS, _MIN_COLUMNS = 4, 840, 70


def seed_choices_section(
    audit: AuditResult, names: Names, draw: Draw | None = None
) -> list[Markup]:
    """Specification curves: the same test with every documented choice of seed sets.

    `draw` puts another chart on the page than the drawing of the report.
    """
    from ..charts import plot_multiverses

    multiverses = audit.multiverses
    if not multiverses:
        return []
    columns, drawn = allot_columns(len(multiverses))
    cards = []
    for index, multiverse in enumerate(multiverses):
        chart: str = ""
        if index < drawn:
            description = _describe_curve(multiverse)
            if draw is not None:
                chart = draw(
                    lambda multiverse=multiverse: plot_multiverses([multiverse], columns=columns),
                    f"choices-{index}",
                    description,
                )
            else:
                chart = _curve_figure(audit, multiverse, f"choices-{index}", description)
        cards.append(
            {
                "multiverse": multiverse,
                "source": names[multiverse.source_name] if len(names) > 1 else "",
                "summary": _summarise(multiverse),
                "chart": chart,
                "table": f"choices-{index}-table",
                "margins": sorted(multiverse.summary.margins, key=lambda margin: -margin.mean),
                "flips": multiverse.summary.flips[:_MAX_FLIPS],
                "more_flips": len(multiverse.summary.flips) - _MAX_FLIPS,
            }
        )
    return [
        render_part(
            "audit/choices.html",
            headline=_choices_headline(audit),
            cards=cards,
            drawn=drawn,
            set_names=set_names,
            flip_text=_flip_text,
        )
    ]


def _curve_figure(audit: AuditResult, multiverse: Multiverse, id: str, description: str) -> Markup:
    from ..drawings import NARROW, WIDE, lay_out_curve

    plots = {"wide": lay_out_curve(multiverse, WIDE), "narrow": lay_out_curve(multiverse, NARROW)}
    return figure(
        render_part("drawings/curve.html", plots=plots),
        id=id,
        title=f"{multiverse.title}: effects with other published word lists",
        description=description,
        source=source_line(audit, [multiverse.source_name]),
        table=f"{id}-table",
    )


def _choices_headline(audit: AuditResult) -> str:
    """How many results hold with other published word lists, by their evidence."""
    evidence = [
        item
        for result in audit.results
        if result.seed_choices is not None
        for item in result.finding.evidence
        if item.kind == "seed choices"
    ]
    if not evidence:
        return "Other seed words"
    holding = sum(item.verdict == "pass" for item in evidence)
    total = prose.count_noun(len(evidence), "result")
    return f"With other published word lists, {holding} of {total} hold"


def allot_columns(curves: int) -> tuple[int, int]:
    """How many columns each curve gets, and how many curves are drawn, so that a page stays small.

    >>> allot_columns(4), allot_columns(8), allot_columns(100)
    ((280, 4), (105, 8), (70, 12))
    """
    if curves <= _MAX_FULL_CURVES:
        return MAX_COLUMNS, curves
    columns = max(_MIN_COLUMNS, _TOTAL_COLUMNS // curves)
    return columns, min(curves, _TOTAL_COLUMNS // columns)


def _summarise(multiverse: Multiverse) -> str:
    """The outcome of all choices, in sentences."""
    summary = multiverse.summary
    same_sign, significant = summary.same_sign["whole"], summary.significant
    alpha = multiverse.options.get("alpha", ALPHA)
    effects = {name: numbers.effect(value) for name, value in summary.effects.items()}
    reference = "a positive sign"
    if multiverse.documented is not None:
        reference = f"the sign of {_own(multiverse)} choice"
    text = (
        f"Of {prose.count_noun(same_sign.of, 'choice')} of whole sets, {same_sign.count} "
        f"({same_sign.share:.0%}) have {reference}, {significant['none']['whole'].count} have "
        f"p ≤ {alpha:g}, and {significant['holm']['whole'].count} still do after Holm's "
        f"correction. With parts of sets, effects range from {effects['least']} to "
        f"{effects['largest']}; half of them are between {effects['25%']} and {effects['75%']}."
    )
    if summary.out_of_reach.count:
        text += (
            f" {summary.out_of_reach.share:.0%} of all specifications have too few words to be "
            "significant after correction, whatever their effect."
        )
    return text


def _own(multiverse: Multiverse) -> str:
    adjective = multiverse.own_adjective
    return adjective if adjective == "your" else f"the {adjective}"


def _describe_curve(multiverse: Multiverse) -> str:
    documented = ""
    if multiverse.documented is not None:
        effect = multiverse.specifications[multiverse.documented].effect
        documented = f" The effect of {_own(multiverse)} choice is {numbers.effect(effect)}."
    return (
        f"Specification curve of {len(multiverse.specifications):,} effects in order, for "
        f"{multiverse.title}.{documented} {_summarise(multiverse)}"
    )


def _flip_text(flip: Flip) -> str:
    samples = flip.samples
    also = f"; also in {samples.count} of {samples.of} parts" if samples.of else ""
    effect, p = numbers.effect(flip.effect), equate_p(flip.p.value)
    return f": {flip.change}, effect {effect}, {p}{also}"


def missing_words_section(audit: AuditResult, names: Names) -> list[Markup]:
    """Words that a source does not have, by test; and tests that could not be run."""
    rows = _missing_word_rows(audit, names)
    not_run = [result for result in audit.results if not result.is_done]
    count = prose.count_noun(len(not_run), "test or measure", "tests or measures")
    return [
        render_part(
            "audit/missing.html",
            rows=rows,
            max_words=_MAX_MISSING_WORDS,
            not_run=not_run,
            not_run_count=count,
            names=names,
        )
    ]


def _missing_word_rows(audit: AuditResult, names: Names) -> list[tuple[Any, ...]]:
    """A row for each set with missing words; several measures of one test share it."""
    rows: dict[Any, tuple[Any, ...]] = {}
    for result in audit.results:
        for name, words in result.missing.items():
            key = (result.source_name, result.test, name, words)
            if words and key not in rows:
                total = len(words) + result.n.get(name, 0)
                count = f"{len(words):,} of {total:,}"
                rows[key] = (result, names[result.source_name], result.label(name), count, words)
    return list(rows.values())


def lint_section(audit: AuditResult, names: Names) -> list[Markup]:
    """The findings of lint about the seed sets, the most severe first, folded by set."""
    if not audit.lints:
        return []
    counts: Counter[str] = Counter()
    for lint in audit.lints:
        counts.update(lint.counts)
    listed = ", ".join(
        prose.count_noun(counts[name], name) for name in reversed(SEVERITIES) if counts[name]
    )
    headline = f"Checks of the word lists: {listed}" if listed else "The word lists pass all checks"
    return [
        render_part(
            "audit/lint.html",
            headline=headline,
            lints=[(lint, *_by_severity(lint)) for lint in audit.lints],
            names=names,
            count_severities=_count_severities,
            count_noun=prose.count_noun,
        )
    ]


_Group = tuple[tuple[str, ...], list[Finding]]


def _by_severity(lint: Lint) -> tuple[list[_Group], list[_Group]]:
    """The findings by set: those that call for a decision, and those with notes only."""
    by_sets: dict[tuple[str, ...], list[Finding]] = {}
    for finding in sorted(lint.findings, key=lambda finding: -_severity_rank(finding)):
        by_sets.setdefault(finding.sets, []).append(finding)
    severe = [(sets, group) for sets, group in by_sets.items() if _severity_rank(group[0])]
    notes = [(sets, group) for sets, group in by_sets.items() if not _severity_rank(group[0])]
    return severe, notes


def _count_severities(findings: Sequence[Finding]) -> str:
    counts = Counter(finding.severity for finding in findings)
    return ", ".join(
        prose.count_noun(counts[name], name) for name in reversed(SEVERITIES) if counts[name]
    )


def _severity_rank(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)
