"""Sections of an audit's page about seed words: other choices, lint, missing words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from weatherglass.seedlab import SEVERITIES, Finding, Flip, Lint, Multiverse, set_names

from .. import numbers
from ..charts import MAX_COLUMNS
from ..discovery import prose
from ..html import collapsible, element, join, sentence_markup, table, word_list
from ..page import Draw, section
from .data import AuditResult, Names
from .findings import ALPHA

_MAX_FLIPS, _MAX_MISSING_WORDS = 12, 20
# A page of five megabytes has room for a few curves with all their columns; more curves share the
# columns, and no curve has fewer than the minimum.
_MAX_FULL_CURVES, _TOTAL_COLUMNS, _MIN_COLUMNS = 4, 840, 70


def seed_choices_section(audit: AuditResult, names: Names, draw: Draw) -> list[Markup]:
    """Specification curves: the same test with every documented choice of seed sets."""
    from ..charts import plot_multiverses

    multiverses = audit.multiverses
    if not multiverses:
        return []
    guide = (
        "Other researchers have published other word lists for the same concepts. Here each test "
        "runs with every list that was documented for its concepts, and with random parts of them. "
        "A result that changes with the list says as much about the list as about the embedding."
    )
    parts: list[Markup] = [element("p", guide)]
    columns, drawn = allot_columns(len(multiverses))
    if drawn < len(multiverses):
        command = element("code", "weatherglass report DIR --figures")
        text = f"Only the first {drawn} of {len(multiverses)} have a chart here; "
        parts.append(element("p", text, command, " draws all of them."))
    for index, multiverse in enumerate(multiverses):
        source = element("bdi", names[multiverse.source_name])
        suffix = join(" · ", source) if len(names) > 1 else ""
        parts.append(element("h3", sentence_markup(multiverse.title), suffix))
        parts.append(element("p", _summarise(multiverse)))
        if index < drawn:
            parts.append(
                draw(
                    lambda multiverse=multiverse: plot_multiverses([multiverse], columns=columns),
                    f"choices-{index}",
                    _describe_curve(multiverse),
                )
            )
        parts += _multiverse_details(multiverse)
    return [section("choices", "Other seed words", *parts)]


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
    reference = (
        "a positive sign" if multiverse.documented is None else "the sign of the documented choice"
    )
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


def _describe_curve(multiverse: Multiverse) -> str:
    documented = ""
    if multiverse.documented is not None:
        effect = multiverse.specifications[multiverse.documented].effect
        documented = f" The documented effect is {numbers.effect(effect)}."
    return (
        f"Specification curve of {len(multiverse.specifications):,} effects in order, for "
        f"{multiverse.title}.{documented} {_summarise(multiverse)}"
    )


def _multiverse_details(multiverse: Multiverse) -> list[Markup]:
    """Tables of choices, of choices that change the result, and of sets that were not used."""
    summary = multiverse.summary
    rows = [
        [
            sentence_markup(set_names(margin.sets)),
            numbers.effect(margin.mean),
            numbers.effect(margin.difference),
            f"{margin.same_sign.share:.0%}",
            f"{margin.significant.share:.0%}",
        ]
        for margin in sorted(summary.margins, key=lambda margin: -margin.mean)
    ]
    heads = ["Sets", "Mean effect", "Above the others", "Same sign", "Significant (Holm)"]
    margins = table(f"Choices of {multiverse.title}", heads, rows, numbers=range(1, 5))
    parts = [collapsible("Effect of each choice of sets", margins)]
    if summary.flips:
        items = [element("li", _flip_markup(flip)) for flip in summary.flips[:_MAX_FLIPS]]
        rest = len(summary.flips) - _MAX_FLIPS
        more = [element("p", f"And {rest:,} more.")] if rest > 0 else []
        heading = f"Choices that change the result: {len(summary.flips):,}"
        parts.append(collapsible(heading, element("ul", *items), *more))
    if multiverse.dropped:
        items = [
            element("li", sentence_markup(set_names(d.sets)), ": ", sentence_markup(d.reason))
            for d in multiverse.dropped
        ]
        parts.append(collapsible(f"Sets that were not used: {len(items):,}", element("ul", *items)))
    return [*parts, *(element("p", sentence_markup(note)) for note in multiverse.notes)]


def _flip_markup(flip: Flip) -> Markup:
    samples = flip.samples
    return join(
        sentence_markup(set_names(flip.sets)),
        f": {flip.change}, effect {numbers.effect(flip.effect)}, "
        f"{numbers.p_equation(flip.p.value)}",
        f"; also in {samples.count} of {samples.of} parts" if samples.of else "",
    )


def missing_words_section(audit: AuditResult, names: Names) -> list[Markup]:
    """Words that a source does not have, by test; and tests that could not be run."""
    has_sources = len(names) > 1
    rows = _missing_word_rows(audit, names)
    if not rows:
        parts: list[Markup] = [element("p", "No word is missing.")]
    else:
        heads = ["Test", *(["Source"] if has_sources else []), "Set", "Missing", "Words"]
        guide = (
            "These words are not in the vocabulary and were left out. A test with too many missing "
            "words in a set is not run."
        )
        words_table = table("Missing words", heads, rows, numbers=[len(heads) - 2])
        parts = [element("p", guide), words_table]
    return [section("missing", "Missing words", *parts, *_tests_not_run(audit, names))]


def _missing_word_rows(audit: AuditResult, names: Names) -> list[list[str]]:
    """A row for each set with missing words; several measures of one test share it."""
    rows: dict[Any, list[str]] = {}
    for result in audit.results:
        for name, words in result.missing.items():
            key = (result.source_name, result.test, name, words)
            if not words or key in rows:
                continue
            total, rest = len(words) + result.n.get(name, 0), len(words) - _MAX_MISSING_WORDS
            source = [element("bdi", names[result.source_name])] if len(names) > 1 else []
            rows[key] = [
                join(sentence_markup(result.title), element("small", result.test)),
                *source,
                sentence_markup(result.label(name)),
                f"{len(words):,} of {total:,}",
                join(
                    word_list(words[:_MAX_MISSING_WORDS]),
                    f" and {rest:,} more" if rest > 0 else "",
                ),
            ]
    return list(rows.values())


def _tests_not_run(audit: AuditResult, names: Names) -> list[Markup]:
    results = [result for result in audit.results if not result.is_done]
    if not results:
        return []
    items = (
        element("li", _result_title(result, names), ": ", sentence_markup(result.reason), ".")
        for result in results
    )
    count = prose.count_noun(len(results), "test or measure", "tests or measures")
    return [element("h3", f"Not run: {count}"), element("ul", *items)]


def _result_title(result: Any, names: Names) -> Markup:
    source = element("bdi", names[result.source_name])
    suffix = join(" on ", source) if len(names) > 1 else ""
    return join(element("b", sentence_markup(result.title)), suffix)


def lint_section(audit: AuditResult, names: Names) -> list[Markup]:
    """The findings of lint about the seed sets, the most severe first, folded by set."""
    if not audit.lints:
        return []
    guide = (
        "Check the word lists before you trust what they measure: an error rules a list out, a "
        "warning calls for a decision, a note is for information. The checks follow Antoniak and "
        "Mimno (2021)."
    )
    parts: list[Markup] = [element("p", guide)]
    for lint in audit.lints:
        if lint.source and len(audit.lints) > 1:
            parts.append(element("h3", element("bdi", names[lint.source_name])))
        parts += _lint_markup(lint)
    return [section("lint", "Checks of the seed sets", *parts)]


def _lint_markup(lint: Lint) -> list[Markup]:
    by_sets: dict[tuple[str, ...], list[Finding]] = {}
    for finding in sorted(lint.findings, key=lambda finding: -_severity_rank(finding)):
        by_sets.setdefault(finding.sets, []).append(finding)
    counts = ", ".join(prose.count_noun(count, name) for name, count in lint.counts.items())
    total = f"{counts} on {prose.count_noun(len(lint.sets), 'set')}."
    parts = [element("p", element("b", total))]
    severe = {sets: group for sets, group in by_sets.items() if _severity_rank(group[0])}
    parts += [_set_findings(sets, group) for sets, group in severe.items()]
    notes = [_set_findings(sets, group) for sets, group in by_sets.items() if sets not in severe]
    if severe and notes:  # folded, so that notes do not distract from what calls for a decision
        count = prose.count_noun(len(notes), "set or pair", "sets and pairs")
        parts.append(collapsible(f"{count} with notes only", *notes))
    else:
        parts += notes
    for reason, checks in lint.not_run.items():
        text = f"Checks not run ({', '.join(checks)}): "
        parts.append(element("p", text, sentence_markup(reason), "."))
    return parts


def _set_findings(sets: Sequence[str], findings: Sequence[Finding]) -> Markup:
    name = element("bdi", sentence_markup(" / ".join(sets)))
    items = element("ul", *map(_finding_item, findings), class_="findings")
    return collapsible(join(name, " ", element("small", _count_severities(findings))), items)


def _count_severities(findings: Sequence[Finding]) -> str:
    counts = Counter(finding.severity for finding in findings)
    return ", ".join(
        prose.count_noun(counts[name], name) for name in reversed(SEVERITIES) if counts[name]
    )


def _severity_rank(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)


def _finding_item(finding: Finding) -> Markup:
    return element(
        "li",
        element("b", finding.severity, class_=f"severity {finding.severity}"),
        " ",
        sentence_markup(finding.sentence),
        " ",
        element("small", f"{finding.check}; {finding.place}"),
    )
