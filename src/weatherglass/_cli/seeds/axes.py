"""``weatherglass seeds variance``, ``axis`` and ``concept``: subspaces and concepts of seeds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure, UnknownEntry

from ..masking import slurs_option
from ..options import case_option, output_options, seed_option
from ..output import Output, table
from .options import (
    controlled_vectors_option,
    format_spread,
    load_sets,
    missing_sets_option,
    missing_words,
    open_sources,
    pair_options,
    run_each,
    select_pairs,
    sets_options,
    unique_remarks,
    words_option,
    write_experiments,
)

if TYPE_CHECKING:
    from weatherglass.seedlab import AxisWord, ConceptCosines, PairVariance, SeedAxis, SeedPair

_MAX_COMPONENTS = 5  # columns of the table


def variance_page(results: Sequence[PairVariance]) -> str:
    """The variance that each component explains, with three lines for each pair."""
    rows = []
    remarks = []
    sources = {result.source["name"] for result in results}
    with_source = len(sources) > 1
    for result in results:
        source = result.source["name"]
        where = f" on {source}" if with_source else ""
        for item in result.arrangements:
            first = item.arrangement == "ordered"  # the next lines do not repeat the pair
            row: dict[str, Any] = {"source": source * first} if with_source else {}
            row |= {"X": result.x * first, "Y": result.y * first}
            row |= {"pairs": str(len(result.pairs)) * first, "order": item.arrangement}
            shares = [format_spread(value, 2) for value in item.components[:_MAX_COMPONENTS]]
            shares += [""] * (_MAX_COMPONENTS - len(shares))
            row |= {str(number): share for number, share in enumerate(shares, 1)}
            rows.append(row)
        remarks.append(
            f"{result.name}{where}: the first component of the pairs explains more variance than "
            f"that of {result.less:.0%} of {result.options['draws']} shuffles."
        )
        remarks += missing_words(result.name, result.missing, source)
    where = "" if with_source else f" on {results[0].source['name']}"
    return table(rows, f"Variance explained by each component{where}") + unique_remarks(remarks)


def axis_page(results: Sequence[SeedAxis]) -> str:
    """The words at both ends of each axis, side by side."""
    text = ""
    for result in results:
        columns = {}
        for ends in result.ends:
            columns[f"{ends.arrangement}: X end"] = [_word(word) for word in ends.high]
            columns[f"{ends.arrangement}: Y end"] = [_word(word) for word in ends.low]
        rows = [
            dict(zip(columns, cells, strict=True))
            for cells in zip_longest(*columns.values(), fillvalue="")
        ]
        text += table(
            rows,
            f"Component {result.component} of {result.name} on {result.source['name']} "
            "(* marks a seed)",
        )
        agreement = ", ".join(
            f"{ends.arrangement} {ends.agreement:.2f}"
            for ends in result.ends
            if ends.agreement is not None
        )
        if agreement:
            text += unique_remarks([f"Correlation of the axis between samples: {agreement}."])
        text += unique_remarks(missing_words(result.name, result.missing))
    return text


def _word(item: AxisWord) -> str:
    return f"{item.word}{'*' if item.seed else ''} {item.cosine.mean:.2f}"


def concept_page(results: Sequence[ConceptCosines]) -> str:
    """A line for each set that could be measured, a column for each source."""
    measured = {item.id for result in results for item in result.sets if item.mean}
    rows: dict[str, dict[str, Any]] = {}
    remarks = []
    for result in results:
        source = result.source["name"]
        for item in result.sets:
            if item.id in measured:
                row = rows.setdefault(item.id, {"set": item.id})
                row[source] = format_spread(item.mean)
                total = len(item.words) + len(item.missing)
                row[f"words of {source}"] = f"{len(item.words)}/{total}"
        means = [item.mean.mean for item in result.sets if item.mean]
        if len(means) > 1:
            remarks.append(
                f"On {source} the cosine ranges from {min(means):.3f} to {max(means):.3f} with "
                f"the choice of the set ({len(means)} sets)."
            )
        for item in result.sets:
            if item.mean is None:
                where = f" on {source}" if item.missing else ""
                remarks.append(f"{item.id}: not run{where}, {item.reason}.")
        remarks += missing_words(result.attribute, result.attribute_missing, source)
    title = f"Cosine of the sets of {results[0].concept} with {results[0].attribute}"
    return table(list(rows.values()), title) + unique_remarks(remarks)


# The pairs of figure 3 and section 8 of the paper; figure 4 uses the first.
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
    help="Number of shuffles, and of draws of random words.",
)
@words_option(20_000, "Draw random words from this many most frequent words; 0: all.")
@case_option()
@controlled_vectors_option
@seed_option
@output_options(plot=True)
def variance(
    sources: tuple[str, ...],
    named: tuple[tuple[str, str], ...],
    files: tuple[Path, ...],
    draws: int,
    words: int | None,
    case: Any,
    control: Any,
    seed: int,
    output: Output,
) -> None:
    """Compare ordered, shuffled and random pairs of seeds.

    How much of the difference between two seed sets does one direction of SOURCE explain? The
    principal components of the differences within pairs are compared with those of the same words
    with their partners shuffled, and of random words. Without --pair: gender, class and
    pleasantness.
    """
    from weatherglass.seedlab import pair_variance

    pairs = select_pairs(named, files, lambda: _pairs(*_FIGURE_3))
    results, errors = run_each(
        pairs,
        sources,
        control,
        lambda models, pair: pair_variance(
            models, pair, draws=draws, words=words, case=case, rng=seed
        ),
    )
    write_experiments(results, output, lambda: variance_page(results) + errors)


@click.command()
@pair_options
@click.option(
    "--component",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Number of the principal component.",
)
@click.option(
    "--top",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Number of words at each end.",
)
@words_option(20_000, "Rank this many most frequent words; 0: all.")
@case_option()
@controlled_vectors_option
@seed_option
@slurs_option()
@output_options(plot=True)
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
    output: Output,
) -> None:
    """Show the words at both ends of the axis of two seed sets.

    What does the axis separate in SOURCE? The table has the words at both ends of a principal
    component of the pairs, of the same words with their partners shuffled, and of random words.
    Without --pair: gender.
    """
    from weatherglass.seedlab import seed_axis

    pairs = select_pairs(named, files, lambda: _pairs(_FIGURE_3[0]))
    results, errors = run_each(
        pairs,
        sources,
        control,
        lambda models, pair: seed_axis(
            models, pair, component=component, top=top, words=words, case=case, rng=seed
        ),
    )
    write_experiments(results, output, lambda: axis_page(results) + errors)


@click.command()
@sets_options
@click.argument("concept")
@click.option(
    "--attribute",
    default="unpleasantness-Caliskan_et_al_2017",
    show_default=True,
    metavar="ID",
    help="The seed set whose mean vector the sets are compared with.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="Only sets whose id matches; repeatable.",
)
@missing_sets_option
@case_option()
@controlled_vectors_option
@output_options(plot=True)
def concept(
    sources: tuple[str, ...],
    concept: str,
    files: tuple[Path, ...],
    attribute: str,
    only: tuple[str, ...],
    max_missing: float,
    case: Any,
    control: Any,
    output: Output,
) -> None:
    """Measure the same attribute with every seed set of a concept.

    What is the cosine similarity of each set of CONCEPT, such as female, with the mean vector of an
    attribute in SOURCE? Sets for the same concept should give the same answer.
    """
    from weatherglass.seedlab import concept_cosines

    own = load_sets(files)
    sets = _select_sets(concept, own, only)
    results = [
        concept_cosines(
            models, sets, own.get(attribute, attribute), max_missing=max_missing, case=case
        )
        for models in open_sources(sources, control)
    ]
    if all(item.status == "not run" for result in results for item in result.sets):
        raise CannotMeasure(f"No set could be measured: {results[0].sets[0].reason}.")
    write_experiments(results, output, lambda: concept_page(results))


def _pairs(*ids: tuple[str, str]) -> tuple[SeedPair, ...]:
    from weatherglass.seedlab import seed_pair

    return tuple(seed_pair(x, y) for x, y in ids)


def _select_sets(concept: str, own: dict[str, Any], only: Sequence[str]) -> list[Any]:
    """Return the sets of a concept: the catalogue's, then the user's."""
    from fnmatch import fnmatchcase

    from weatherglass.catalog import seed_sets

    own_sets = [seed_set for seed_set in own.values() if seed_set.concept == concept]
    try:
        sets = [*seed_sets(concept=concept), *own_sets]
    except UnknownEntry:
        if not own_sets:
            raise
        sets = own_sets
    if only:
        sets = [s for s in sets if any(fnmatchcase(s.id, pattern) for pattern in only)]
    if not sets:
        raise UnknownEntry(f"No seed set of the concept {concept} matches {' or '.join(only)}.")
    return sets
