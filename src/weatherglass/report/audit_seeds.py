"""Sections of an audit's page about seed words: other choices, and words that are missing."""

from __future__ import annotations

from typing import Any

from weatherglass.report import prose, rounding
from weatherglass.report.arranged import Names, source_of
from weatherglass.report.audited import Audited
from weatherglass.report.markup import Markup, element, joined
from weatherglass.report.multiverse_order import COLUMNS
from weatherglass.report.page import section
from weatherglass.report.pictures import Draw
from weatherglass.report.tables import folded, table
from weatherglass.report.words import listed, sentence
from weatherglass.seedlab.multiverse_parts import Flip, set_names
from weatherglass.seedlab.multiverse_record import Multiverse

_MOST_FLIPS, _LISTED = 12, 20
_FEW, _ALL_COLUMNS, _FEWEST = 4, 840, 70
"""Few curves have all their columns; more share as many as a page of five megabytes has room
for, and no curve has fewer than the last."""
_ALL = " draws all of them."


def choices(audited: Audited, names: Names, draw: Draw) -> list[Markup]:
    """Specification curves: the same test with every documented choice of seed sets."""
    from weatherglass.report.multiverse_plot import plot_multiverses

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
        where = joined(" · ", element("bdi", names[source_of(one)])) if len(names) > 1 else ""
        made += [element("h3", sentence(one.title), where), element("p", _together(one))]
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
        return COLUMNS, curves
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
        f"Of {prose.count(same.of, 'choice')} of whole sets, {same.count} ({same.share:.0%}) have "
        f"{sign}, {sure['none']['whole'].count} have p ≤ {alpha:g}, and "
        f"{sure['holm']['whole'].count} still do after Holm's correction. Parts of sets included, "
        f"effects go from {rounding.effect(effects['least'])} to "
        f"{rounding.effect(effects['largest'])}; half of them lie between "
        f"{rounding.effect(effects['25%'])} and {rounding.effect(effects['75%'])}."
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
        documented = f" The documented effect is {rounding.effect(own)}."
    return (
        f"Specification curve of {len(found.specifications):,} effects in order, for {found.title}."
        f"{documented} {_together(found)}"
    )


def _details(found: Multiverse) -> list[Markup]:
    made = []
    margins = [
        [
            sentence(set_names(one.sets)),
            rounding.effect(one.mean),
            rounding.effect(one.difference),
            f"{one.same_sign.share:.0%}",
            f"{one.significant.share:.0%}",
        ]
        for one in sorted(found.summary.margins, key=lambda one: -one.mean)
    ]
    heads = ["Sets", "Mean effect", "Above the others", "Same sign", "Significant (Holm)"]
    name = f"Choices of {found.title}"
    made.append(
        folded("What each choice of sets does", table(name, heads, margins, numbers=range(1, 5)))
    )
    flips = found.summary.flips
    if flips:
        items = [element("li", _flip(one)) for one in flips[:_MOST_FLIPS]]
        more = len(flips) - _MOST_FLIPS
        rest = [element("p", f"And {more:,} more.")] if more > 0 else []
        made.append(
            folded(f"Choices that change the answer: {len(flips):,}", element("ul", *items), *rest)
        )
    if found.dropped:
        items = [
            element("li", sentence(set_names(one.sets)), ": ", sentence(one.reason))
            for one in found.dropped
        ]
        made.append(folded(f"Sets that cannot stand in: {len(items):,}", element("ul", *items)))
    made += [element("p", sentence(note)) for note in found.notes]
    return made


def _flip(one: Flip) -> Markup:
    return joined(
        sentence(set_names(one.sets)),
        f": {one.change}, effect {rounding.effect(one.effect)}, {rounding.said_p(one.p.value)}",
        f"; in {one.samples.count} of {one.samples.of} parts, too" if one.samples.of else "",
    )


def missing(audited: Audited, names: Names) -> list[Markup]:
    """Words that a source does not have, by test; and tests that could not be run."""
    rows = []
    seen: set[Any] = set()
    for one in audited.results:
        for name, some in one.missing.items():
            key = (source_of(one), one.test, name, some)
            if not some or key in seen:
                continue
            seen.add(key)
            asked, more = len(some) + one.n.get(name, 0), len(some) - _LISTED
            row: list[str] = [joined(sentence(one.title), element("small", one.test))]
            row += [element("bdi", names[source_of(one)])] if len(names) > 1 else []
            row += [
                sentence(one.labels.get(name) or name),
                f"{len(some):,} of {asked:,}",
                joined(listed(some[:_LISTED]), f" and {more:,} more" if more > 0 else ""),
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


def _not_run(audited: Audited, names: Names) -> list[Markup]:
    some = [one for one in audited.results if one.status != "done"]
    if not some:
        return []
    several = len(names) > 1
    items = (
        element("li", _which(one, names, several), ": ", sentence(one.reason), ".") for one in some
    )
    head = f"Not run: {prose.count(len(some), 'test or measure', 'tests or measures')}"
    return [element("h3", head), element("ul", *items)]


def _which(one: Any, names: Names, several: bool) -> Markup:
    where = joined(" on ", element("bdi", names[source_of(one)])) if several else ""
    return joined(element("b", sentence(one.title)), where)
