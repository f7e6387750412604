"""``weatherglass seeds variance``, ``axis`` and ``concept``: what seeds make of an embedding."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure, UnknownEntry

from ..output import format_option, out_option, plot_option, table
from ..run_tests import seed_option
from .options import (
    case_option,
    chosen_pairs,
    control_option,
    each_of,
    known_sets,
    lines,
    missing_option,
    missing_words,
    number,
    open_sources,
    pair_options,
    sets_options,
    slurs_option,
    tell,
    words_option,
)

if TYPE_CHECKING:
    from weatherglass.seedlab import AxisWord, ConceptCosines, PairVariance, SeedAxis, SeedPair

_COLUMNS = 5  # components in the table


def variance_page(found: Sequence[PairVariance]) -> str:
    """What each component explains, three lines for each pair."""
    rows = []
    remarks = []
    several = len({one.source["name"] for one in found}) > 1
    for some in found:
        where = f" on {some.source['name']}" if several else ""
        for one in some.arrangements:
            first = one.arrangement == "ordered"  # what stands above need not be said again
            row: dict[str, Any] = {"source": some.source["name"] * first} if several else {}
            row |= {"X": some.x * first, "Y": some.y * first}
            row |= {"pairs": str(len(some.pairs)) * first, "order": one.arrangement}
            shares = [number(value, 2) for value in one.components[:_COLUMNS]]
            row |= {str(at): shares[at - 1] if at <= len(shares) else "" for at in range(1, 6)}
            rows.append(row)
        remarks.append(
            f"{some.name}{where}: the first component of the pairs explains more than that of "
            f"{some.less:.0%} of {some.options['draws']} shuffles."
        )
        remarks += missing_words(some.name, some.missing, some.source["name"])
    name = "" if several else f" on {found[0].source['name']}"
    return table(rows, f"Variance explained by each component{name}") + lines(remarks)


def axis_page(found: Sequence[SeedAxis], show_slurs: bool) -> str:
    """The words at both ends, side by side."""
    text = ""
    for some in found:
        columns = {}
        for one in some.ends:
            columns[f"{one.arrangement}: X end"] = [_word(word, show_slurs) for word in one.high]
            columns[f"{one.arrangement}: Y end"] = [_word(word, show_slurs) for word in one.low]
        rows = [
            dict(zip(columns, cells, strict=True))
            for cells in zip_longest(*columns.values(), fillvalue="")
        ]
        text += table(
            rows,
            f"Component {some.component} of {some.name} on {some.source['name']} (a star: a seed)",
        )
        agreement = [
            f"{one.arrangement} {one.agreement:.2f}"
            for one in some.ends
            if one.agreement is not None
        ]
        if agreement:
            text += lines(
                [
                    "How far the samples agree on the axis (correlation): "
                    + ", ".join(agreement)
                    + "."
                ]
            )
        text += lines(missing_words(some.name, some.missing))
    return text


def _word(one: AxisWord, show_slurs: bool) -> str:
    from weatherglass.catalog import masked

    word = one.word if show_slurs else masked(one.word)
    return f"{word}* {one.cosine.mean:.2f}" if one.seed else f"{word} {one.cosine.mean:.2f}"


def concept_page(found: Sequence[ConceptCosines]) -> str:
    """A line for each set, a column for each source."""
    rows: dict[str, dict[str, Any]] = {}
    remarks = []
    for some in found:
        where = some.source["name"]
        for one in some.sets:
            if any(one.id == other.id and other.mean for each in found for other in each.sets):
                row = rows.setdefault(one.id, {"set": one.id})
                row[where] = number(one.mean)
                row[f"words of {where}"] = f"{len(one.words)}/{len(one.words) + len(one.missing)}"
        done = [one.mean.mean for one in some.sets if one.mean]
        if len(done) > 1:
            remarks.append(
                f"On {where} the answer goes from {min(done):.3f} to {max(done):.3f} with the "
                f"choice of the set ({len(done)} sets)."
            )
        for one in some.sets:
            if one.mean is None:
                which = f" on {where}" if one.missing else ""
                remarks.append(f"{one.id}: not run{which}, {one.reason}.")
        remarks += missing_words(some.attribute, some.attribute_missing, where)
    title = f"Cosine of the sets of {found[0].concept} with {found[0].attribute}"
    return table(list(rows.values()), title) + lines(remarks)


# The pairs of figure 3 and of section 8; figure 4 has the first.
_FIGURE_3 = (
    ("definitional_female-Bolukbasi_et_al_2016", "definitional_male-Bolukbasi_et_al_2016"),
    ("upperclass-Kozlowski_et_al_2019", "lowerclass-Kozlowski_et_al_2019"),
    ("pleasantness-Caliskan_et_al_2017", "unpleasantness-Caliskan_et_al_2017"),
)


@click.command()
@pair_options
@click.option(
    "--draws",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="How many times to shuffle, and to draw random words.",
)
@words_option(20_000, "Draw random words from so many of the most frequent; 0: all.")
@case_option
@control_option
@seed_option
@format_option
@out_option
@plot_option
def variance(
    sources: tuple[str, ...],
    named: tuple[tuple[str, str], ...],
    files: tuple[Path, ...],
    draws: int,
    words: int | None,
    case: Any,
    control: Any,
    seed: int,
    form: str,
    out: Path | None,
    picture: Path | None,
) -> None:
    """Compare ordered, shuffled and random pairs of seeds.

    How much of the difference does one direction of SOURCE explain? The differences within the
    pairs of two seed sets are taken apart into principal components; so are those of the same words
    with their partners shuffled, and of random words. Without --pair: gender, class and
    pleasantness.
    """
    from weatherglass.seedlab import pair_variance

    pairs = chosen_pairs(named, files, lambda: _pairs(*_FIGURE_3))
    found, failed = each_of(
        pairs,
        sources,
        control,
        lambda models, pair: pair_variance(
            models, pair, draws=draws, words=words, case=case, rng=seed
        ),
    )
    tell(found, form, out, picture, lambda: variance_page(found) + failed)


@click.command()
@pair_options
@click.option(
    "--component",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Which principal component.",
)
@click.option(
    "--top",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="How many words of each end.",
)
@words_option(20_000, "Rank so many of the most frequent words; 0: all.")
@case_option
@control_option
@seed_option
@slurs_option
@format_option
@out_option
@plot_option
def axis(
    sources: tuple[str, ...],
    named: tuple[tuple[str, str], ...],
    files: tuple[Path, ...],
    component: int,
    top: int,
    words: int | None,
    case: Any,
    control: Any,
    seed: int,
    show_slurs: bool,
    form: str,
    out: Path | None,
    picture: Path | None,
) -> None:
    """Show the words at both ends of the axis of two seed sets.

    What does it tell apart in SOURCE? The words at both ends of a principal component of the pairs,
    of the same words with their partners shuffled, and of random words. Without --pair: gender.
    """
    from weatherglass.seedlab import seed_axis

    pairs = chosen_pairs(named, files, lambda: _pairs(_FIGURE_3[0]))
    found, failed = each_of(
        pairs,
        sources,
        control,
        lambda models, pair: seed_axis(
            models, pair, component=component, top=top, words=words, case=case, rng=seed
        ),
    )
    tell(found, form, out, picture, lambda: axis_page(found, show_slurs) + failed)


@click.command()
@click.argument("concept")
@sets_options
@click.option(
    "--attribute",
    default="unpleasantness-Caliskan_et_al_2017",
    show_default=True,
    metavar="ID",
    help="The seed set whose mean vector the sets are held against.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="Only sets whose id matches; may be given again.",
)
@missing_option
@case_option
@control_option
@format_option
@out_option
@plot_option
def concept(
    concept: str,
    sources: tuple[str, ...],
    files: tuple[Path, ...],
    attribute: str,
    only: tuple[str, ...],
    max_missing: float,
    case: Any,
    control: Any,
    form: str,
    out: Path | None,
    picture: Path | None,
) -> None:
    """Ask one question with every seed set of a concept.

    How near is each set of CONCEPT, such as female, in SOURCE to the mean vector of an attribute?
    Sets that claim to stand for the same should answer the same.
    """
    from weatherglass.seedlab import concept_cosines

    own = known_sets(files)
    sets = _of_concept(concept, own, only)
    found = [
        concept_cosines(
            models, sets, own.get(attribute, attribute), max_missing=max_missing, case=case
        )
        for models in open_sources(sources, control)
    ]
    if all(one.status == "not run" for some in found for one in some.sets):
        raise CannotMeasure(f"No set could be measured: {found[0].sets[0].reason}.")
    tell(found, form, out, picture, lambda: concept_page(found))


def _pairs(*ids: tuple[str, str]) -> tuple[SeedPair, ...]:
    from weatherglass.seedlab import seed_pair

    return tuple(seed_pair(*both) for both in ids)


def _of_concept(concept: str, own: dict[str, Any], only: Sequence[str]) -> list[Any]:
    """The sets of a concept: the catalogue's, then the user's."""
    from fnmatch import fnmatchcase

    from weatherglass.catalog import seed_sets

    mine = [one for one in own.values() if one.concept == concept]
    try:
        sets = [*seed_sets(concept=concept), *mine]
    except UnknownEntry:
        if not mine:
            raise
        sets = list(mine)
    if only:
        sets = [one for one in sets if any(fnmatchcase(one.id, pattern) for pattern in only)]
    if not sets:
        raise UnknownEntry(f"No seed set of the concept {concept} matches {' or '.join(only)}.")
    return sets
