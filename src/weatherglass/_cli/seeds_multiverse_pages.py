"""A multiverse for people to read: sentences, what each choice does, what changes the answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .output import remarks, table
from .seeds_sources import control_told

if TYPE_CHECKING:
    from weatherglass.seedlab.multiverse_parts import Part, Side
    from weatherglass.seedlab.multiverse_record import Multiverse

_MOST_FLIPS = 8
_MOST_DROPPED = 20


def page(one: Multiverse) -> str:
    """A multiverse for people to read: sentences, what each choice does, what changes it."""
    heading = f"{one.test} on {one.source['name']}: {one.title}"
    lines = [heading, "", *_sentences(one), ""]
    text = remarks(lines)
    for title, rows in _margin_rows(one):
        text += table(rows, title)
    if flips := _flip_rows(one):
        more = len(one.summary.flips) - len(flips)
        told = f"; the first {len(flips)} of {more + len(flips)}" if more else ""
        text += table(flips, f"Choices that change the answer{told}")
    return text + remarks(_remarks(one))


def _sentences(one: Multiverse) -> Iterator[str]:
    """The summary in sentences."""
    from weatherglass.significance import format_p

    told, alpha = one.summary, one.options["alpha"]
    choices, every = len(one.whole), len(one.specifications)
    drawn = one.options["samples"]
    subsampled = f", and {drawn} sub-samples of {one.options['share']:.0%} of their words"
    whole = f"{choices} choices of seed sets" if choices > 1 else "1 choice of seed sets"
    yield f"{whole}{subsampled if drawn else ''}: {every:,} specifications."
    if one.documented is None:
        yield "Documented: its own sets cannot be measured here."
    else:
        own = one.specifications[one.documented]
        yield (
            f"Documented: effect {own.effect:.2f}, p {own.p}, corrected {format_p(own.p_holm)} "
            f"(Holm); {told.place:.0%} of all effects are smaller."
        )
    at = told.effects
    yield (
        f"Effect: median {at['median']:.2f}; 90% from {at['5%']:.2f} to {at['95%']:.2f}, "
        f"all from {at['least']:.2f} to {at['largest']:.2f}."
    )
    sign = "The documented sign" if one.documented is not None else "A positive sign"
    yield f"{sign}: {_of(told.same_sign)}."
    for name, way in (("holm", "Holm"), ("bh", "Benjamini-Hochberg"), ("none", "no")):
        correction = f"{way} correction"
        counted = _of(told.significant[name]) + _turned(one, name)
        yield f"Significant at {alpha:g} with {correction}: {counted}."
    if told.out_of_reach.count:
        yield (
            f"Out of reach: {told.out_of_reach.share:.0%} of all have so few targets that even "
            "complete separation hardly passes the correction."
        )


def _turned(one: Multiverse, correction: str) -> str:
    """How many significant choices have another sign than the documented one, if there are any."""
    own = 1.0 if one.documented is None else one.specifications[one.documented].effect
    turned = 0
    for some in one.whole:
        p = {"none": some.p.value, "holm": some.p_holm, "bh": some.p_bh}[correction]
        turned += p <= one.options["alpha"] and some.effect * own < 0
    return f"; {turned} of the choices with the other sign" if turned else ""


def _of(parts: dict[str, Part]) -> str:
    whole, every = parts["whole"], parts["all"]
    choices = f"{whole.count} of {whole.of} choices"
    return choices if whole.of == every.of else f"{choices}, {every.share:.0%} of all"


def _margin_rows(one: Multiverse) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A table for each factor: what its choices do."""
    by_sets = {tuple(margin.sets.items()): margin for margin in one.summary.margins}
    for factor in one.factors:
        rows = []
        for choice in factor:
            margin = by_sets.get(tuple(choice.sets.items()))
            if margin is None:
                continue
            rows.append(
                {
                    " and ".join(choice.sets): choice.name + (" *" if choice.documented else ""),
                    "words": "+".join(str(len(words)) for words in choice.words.values()),
                    "mean effect": f"{margin.mean:.2f}",
                    "with - without": ""
                    if margin.difference is None
                    else f"{margin.difference:+.2f}",
                    "same sign": f"{margin.same_sign.share:.0%}",
                    "significant": f"{margin.significant.share:.0%}",
                }
            )
        if rows:
            sides = {side: one.sides[side] for side in factor[0].sets}
            yield "; ".join(f"{side}: {_stands_for(told)}" for side, told in sides.items()), rows


def _stands_for(side: Side) -> str:
    return " or ".join(side.concepts) or side.label


def _flip_rows(one: Multiverse) -> list[dict[str, Any]]:
    from weatherglass.seedlab.multiverse_parts import set_names
    from weatherglass.significance import format_p

    return [
        {
            "change": flip.change,
            "effect": f"{flip.effect:.2f}",
            "p": str(flip.p),
            "p Holm": format_p(flip.p_holm),
            **({"sub-samples too": f"{flip.samples.share:.0%}"} if flip.samples.of else {}),
            **{
                " and ".join(choice.sets): set_names(choice.sets)
                for choice in one.choices(flip.sets)
            },
        }
        for flip in one.summary.flips[:_MOST_FLIPS]
    ]


def _remarks(one: Multiverse) -> Iterator[str]:
    """What the tables do not say: the mark, sets that are one set here, and sets not used."""
    from weatherglass.seedlab.multiverse_parts import set_names

    yield "* the test's own sets; significant: after Holm's correction; shares are of all."
    yield from control_told([one.source])
    yield from one.notes
    for choice in (choice for factor in one.factors for choice in factor):
        if choice.same:
            others = "; ".join(set_names(ids) for ids in choice.same)
            yield f"The same words as {choice.name}: {others}."
    for lost in one.dropped[:_MOST_DROPPED]:
        yield f"Not used: {set_names(lost.sets)} ({', '.join(lost.sets)}): {lost.reason}."
    if len(one.dropped) > _MOST_DROPPED:
        yield f"Not used: {len(one.dropped) - _MOST_DROPPED} more; --format json lists them."
