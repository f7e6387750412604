"""``weatherglass seeds variance``, ``axis`` and ``concept``: what seeds make of an embedding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure, UnknownEntry

from .asking import seed_option
from .output import format_option, out_option, plot_option
from .seeds_asking import (
    case_option,
    chosen_pairs,
    each_of,
    known_sets,
    missing_option,
    pair_options,
    sets_options,
    slurs_option,
    tell,
    words_option,
)
from .seeds_axis_pages import axis_page, concept_page, variance_page
from .seeds_sources import control_option, open_sources

if TYPE_CHECKING:
    from weatherglass.seedlab.pairs import SeedPair

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
    from weatherglass.seedlab.variance import pair_variance

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
    from weatherglass.seedlab.axis import seed_axis

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
    from weatherglass.seedlab.concept import concept_cosines

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
    from weatherglass.seedlab.pairs import seed_pair

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
