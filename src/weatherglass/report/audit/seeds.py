"""Sections of an audit's page about seed words: other choices, and words that are missing."""

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
from .data import AuditResult, Names, source_name

_MOST_FLIPS, _LISTED = 12, 20
_FEW, _ALL_COLUMNS, _FEWEST = 4, 840, 70
"""Few curves have all their columns; more share as many as a page of five megabytes has room
for, and no curve has fewer than the last."""
_ALL = " draws all of them."


def seed_choices_section(audited: AuditResult, names: Names, draw: Draw) -> list[Markup]:
    """Specification curves: the same test with every documented choice of seed sets."""
    from ..charts import plot_multiverses

    if not audited.multiverses:
        return []
    read = (
        "Other researchers have drawn up other lists for the same concepts. Here each test is run "
        "with every list that was documented for its concepts, and with random parts of them. A "
        "result that turns with the list says as much about the list as about the embedding."
    )
    made: list[Markup] = [element("p", read)]
    columns, drawn = columns_of(len(audited.multiverses))
    if drawn < len(audited.multiverses):
        some = f"Only the first {drawn} of {len(audited.multiverses)} have a picture here; "
        made.append(element("p", some, element("code", "weatherglass report DIR --figures"), _ALL))
    for at, one in enumerate(audited.multiverses):
        where = join(" · ", element("bdi", names[source_name(one)])) if len(names) > 1 else ""
        made += [element("h3", sentence_markup(one.title), where), element("p", _together(one))]
        if at < drawn:
            made.append(
                draw(
                    lambda one=one: plot_multiverses([one], columns=columns),
                    f"choices-{at}",
                    _curve_told(one),
                )
            )
        made += _details(one)
    return [section("choices", "Other seed words", *made)]


def columns_of(curves: int) -> tuple[int, int]:
    """Columns of a curve, and how many curves are drawn: many of them must not fill the page.

    >>> columns_of(4), columns_of(8), columns_of(100)
    ((280, 4), (105, 8), (70, 12))
    """
    if curves <= _FEW:
        return MAX_COLUMNS, curves
    columns = max(_FEWEST, _ALL_COLUMNS // curves)
    return columns, min(curves, _ALL_COLUMNS // columns)


def _together(found: Multiverse) -> str:
    """What all choices say, in sentences."""
    summary = found.summary
    same, sure = summary.same_sign["whole"], summary.significant
    alpha = found.options.get("alpha", 0.05)
    effects = summary.effects
    sign = "a positive sign" if found.documented is None else "the sign of the documented choice"
    said = (
        f"Of {prose.count_noun(same.of, 'choice')} of whole sets, {same.count} ({same.share:.0%}) have "
        f"{sign}, {sure['none']['whole'].count} have p ≤ {alpha:g}, and "
        f"{sure['holm']['whole'].count} still do after Holm's correction. Parts of sets included, "
        f"effects go from {numbers.effect(effects['least'])} to "
        f"{numbers.effect(effects['largest'])}; half of them lie between "
        f"{numbers.effect(effects['25%'])} and {numbers.effect(effects['75%'])}."
    )
    if summary.out_of_reach.count:
        said += (
            f" {summary.out_of_reach.share:.0%} of all have so few words that they cannot be "
            "significant after correction, whatever their effect."
        )
    return said


def _curve_told(found: Multiverse) -> str:
    documented = ""
    if found.documented is not None:
        own = found.specifications[found.documented].effect
        documented = f" The documented effect is {numbers.effect(own)}."
    return (
        f"Specification curve of {len(found.specifications):,} effects in order, for {found.title}."
        f"{documented} {_together(found)}"
    )


def _details(found: Multiverse) -> list[Markup]:
    made = []
    margins = [
        [
            sentence_markup(set_names(one.sets)),
            numbers.effect(one.mean),
            numbers.effect(one.difference),
            f"{one.same_sign.share:.0%}",
            f"{one.significant.share:.0%}",
        ]
        for one in sorted(found.summary.margins, key=lambda one: -one.mean)
    ]
    heads = ["Sets", "Mean effect", "Above the others", "Same sign", "Significant (Holm)"]
    name = f"Choices of {found.title}"
    made.append(
        collapsible(
            "What each choice of sets does", table(name, heads, margins, numbers=range(1, 5))
        )
    )
    flips = found.summary.flips
    if flips:
        items = [element("li", _flip(one)) for one in flips[:_MOST_FLIPS]]
        more = len(flips) - _MOST_FLIPS
        rest = [element("p", f"And {more:,} more.")] if more > 0 else []
        made.append(
            collapsible(
                f"Choices that change the answer: {len(flips):,}", element("ul", *items), *rest
            )
        )
    if found.dropped:
        items = [
            element("li", sentence_markup(set_names(one.sets)), ": ", sentence_markup(one.reason))
            for one in found.dropped
        ]
        made.append(
            collapsible(f"Sets that cannot stand in: {len(items):,}", element("ul", *items))
        )
    made += [element("p", sentence_markup(note)) for note in found.notes]
    return made


def _flip(one: Flip) -> Markup:
    return join(
        sentence_markup(set_names(one.sets)),
        f": {one.change}, effect {numbers.effect(one.effect)}, {numbers.p_equation(one.p.value)}",
        f"; in {one.samples.count} of {one.samples.of} parts, too" if one.samples.of else "",
    )


def missing_words_section(audited: AuditResult, names: Names) -> list[Markup]:
    """Words that a source does not have, by test; and tests that could not be run."""
    rows = []
    seen: set[Any] = set()
    for one in audited.results:
        for name, some in one.missing.items():
            key = (source_name(one), one.test, name, some)
            if not some or key in seen:
                continue
            seen.add(key)
            asked, more = len(some) + one.n.get(name, 0), len(some) - _LISTED
            row: list[str] = [join(sentence_markup(one.title), element("small", one.test))]
            row += [element("bdi", names[source_name(one)])] if len(names) > 1 else []
            row += [
                sentence_markup(one.labels.get(name) or name),
                f"{len(some):,} of {asked:,}",
                join(word_list(some[:_LISTED]), f" and {more:,} more" if more > 0 else ""),
            ]
            rows.append(row)
    if not rows:
        made: list[Markup] = [element("p", "No word is missing.")]
    else:
        heads = ["Test", *(["Source"] if len(names) > 1 else []), "Set", "Missing", "Words"]
        read = (
            "These words are not in the vocabulary and were left out. Where too many of a set are "
            "missing, the test is not run."
        )
        at = len(heads) - 2
        made = [element("p", read), table("Missing words", heads, rows, numbers=[at])]
    return [section("missing", "Missing words", *made, *_not_run(audited, names))]


def _not_run(audited: AuditResult, names: Names) -> list[Markup]:
    some = [one for one in audited.results if one.status != "done"]
    if not some:
        return []
    several = len(names) > 1
    items = (
        element("li", _which(one, names, several), ": ", sentence_markup(one.reason), ".")
        for one in some
    )
    head = f"Not run: {prose.count_noun(len(some), 'test or measure', 'tests or measures')}"
    return [element("h3", head), element("ul", *items)]


def _which(one: Any, names: Names, several: bool) -> Markup:
    where = join(" on ", element("bdi", names[source_name(one)])) if several else ""
    return join(element("b", sentence_markup(one.title)), where)


def lint_section(audited: AuditResult, names: Names) -> list[Markup]:
    """What lint says of the seed sets, grave things first, folded by set."""
    if not audited.lints:
        return []
    read = (
        "What to know of the word lists before trusting what they measure: errors cannot be "
        "measured with, warnings call for a decision, notes are good to know. The checks follow "
        "Antoniak and Mimno (2021)."
    )
    made: list[Markup] = [element("p", read)]
    for one in audited.lints:
        source = source_name(one) if one.source else ""
        if source and len(audited.lints) > 1:
            made.append(element("h3", element("bdi", names[source])))
        made += _lint(one)
    return [section("lint", "The seed sets", *made)]


def _lint(found: Lint) -> list[Markup]:
    by_sets: dict[tuple[str, ...], list[Finding]] = {}
    for one in sorted(found.findings, key=lambda one: -_gravity(one)):  # the gravest first
        by_sets.setdefault(one.sets, []).append(one)
    counts = ", ".join(
        prose.count_noun(number, severity) for severity, number in found.counts.items()
    )
    total = f"{counts} on {prose.count_noun(len(found.sets), 'set')}."
    made = [element("p", element("b", total))]
    grave = {sets: some for sets, some in by_sets.items() if _gravity(some[0])}
    made += [_of_sets(sets, some) for sets, some in grave.items()]
    light = [_of_sets(sets, some) for sets, some in by_sets.items() if sets not in grave]
    if grave and light:  # what calls for a decision must not drown in what does not
        count = prose.count_noun(len(light), "set or pair", "sets and pairs")
        made.append(collapsible(f"{count} with notes only", *light))
    else:
        made += light
    for reason, checks in found.not_run.items():
        made.append(
            element("p", f"Not looked at ({', '.join(checks)}): ", sentence_markup(reason), ".")
        )
    return made


def _of_sets(sets: Sequence[str], some: Sequence[Finding]) -> Markup:
    named = element("bdi", sentence_markup(" / ".join(sets)))
    inside = element("ul", *map(_finding, some), class_="findings")
    return collapsible(join(named, " ", element("small", _counted(some))), inside)


def _counted(some: Sequence[Finding]) -> str:
    number = Counter(one.severity for one in some)
    return ", ".join(
        prose.count_noun(number[name], name) for name in reversed(SEVERITIES) if number[name]
    )


def _gravity(one: Finding) -> int:
    return SEVERITIES.index(one.severity)


def _finding(one: Finding) -> Markup:
    return element(
        "li",
        element("b", one.severity, class_=f"severity {one.severity}"),
        " ",
        sentence_markup(one.sentence),
        " ",
        element("small", f"{one.check}; {one.place}"),
    )
