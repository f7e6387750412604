"""``weatherglass seeds measure``, ``coherence`` and ``generated``: pairs of seed sets, measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure

from .asking import seed_option
from .output import format_option, out_option, plot_option
from .progress import progress_bar
from .seeds_asking import (
    attribute_words,
    case_option,
    chosen_pairs,
    known_sets,
    missing_option,
    pair_options,
    sets_options,
    slurs_option,
    tell,
    words_option,
)
from .seeds_pair_pages import generated_page, measures_page, ranking_page
from .seeds_sources import control_option, open_sources

if TYPE_CHECKING:
    from weatherglass.seedlab.measured import MeasuredPairs

_ranked_words = words_option(
    None, "Rank only so many of the most frequent words for coherence; 0: all."
)


def _attributes(command: Any) -> Any:
    """Add ``--a`` and ``--b``, the attributes of WEAT."""
    for name, default in (("--b", "bad"), ("--a", "good")):
        command = click.option(
            name,
            default=default,
            show_default=True,
            metavar="ID|WORDS",
            help=f"Attribute set {name[-1].upper()} of WEAT: a seed set, or words with commas.",
        )(command)
    return command


@click.command()
@pair_options
@_attributes
@click.option("--p", "with_p", is_flag=True, help="Also the permutation p-value of WEAT.")
@_ranked_words
@missing_option
@case_option
@control_option
@format_option
@out_option
@plot_option
def measure(
    sources: tuple[str, ...],
    named: tuple[tuple[str, str], ...],
    files: tuple[Path, ...],
    a: str,
    b: str,
    with_p: bool,
    words: int | None,
    max_missing: float,
    case: Any,
    control: Any,
    form: str,
    out: Path | None,
    picture: Path | None,
) -> None:
    """Measure pairs of seed sets: similarity, coherence, WEAT.

    SOURCE is a file or name of vectors, or a folder that `weatherglass train` has written; its
    bootstraps then give standard deviations. Without --pair, all pairs that a study documents.
    """
    from weatherglass.seedlab.measuring import MEASURES, Measure

    measures: tuple[Measure, ...] = (*MEASURES, "p") if with_p else MEASURES
    found = _measured(sources, named, files, measures, a, b, words, max_missing, case, control)
    tell(found, form, out, picture, lambda: measures_page(found))


@click.command()
@pair_options
@click.option(
    "--by",
    type=click.Choice(["weat", "pca"]),
    default="weat",
    show_default=True,
    help="The subspace: the difference of the set means, or the first principal component.",
)
@click.option("--top", type=click.IntRange(1), help="Show so many from the top, and the bottom.")
@_ranked_words
@missing_option
@case_option
@control_option
@slurs_option
@format_option
@out_option
@plot_option
def coherence(
    sources: tuple[str, ...],
    named: tuple[tuple[str, str], ...],
    files: tuple[Path, ...],
    by: Any,
    top: int | None,
    words: int | None,
    max_missing: float,
    case: Any,
    control: Any,
    show_slurs: bool,
    form: str,
    out: Path | None,
    picture: Path | None,
) -> None:
    """Rank pairs of seed sets by coherence.

    Does the subspace of two sets tell them apart? All words of SOURCE are ranked along the subspace
    of two sets. Coherence is the distance of the sets' mean ranks, from 0 to 1. Without --pair, all
    pairs that a study documents.
    """
    measures = ("similarity", "explained", "coherence-pca", "coherence-weat")
    measured = _measured(
        sources, named, files, measures, "good", "bad", words, max_missing, case, control
    )
    found = _ends([one.ranked(by) for one in measured], top)
    tell(found, form, out, picture, lambda: ranking_page(found, by, show_slurs))


@click.command()
@sets_options
@click.option(
    "--pairs",
    "count",
    type=click.IntRange(1),
    default=500,
    show_default=True,
    help="How many pairs of sets to generate.",
)
@click.option("--size", type=click.IntRange(1), default=5, show_default=True, help="Words a set.")
@click.option(
    "--ranks",
    type=(click.IntRange(1), click.IntRange(1)),
    default=(500, 5000),
    show_default=True,
    metavar="FROM TO",
    help="The band of frequency that words are drawn from, by rank.",
)
@click.option(
    "--part",
    metavar="NOUN|VERB|...",
    callback=lambda context, option, value: value and value.upper(),
    help="Draw only words of this part of speech (needs spaCy or HanTa); any by default.",
)
@click.option(
    "--against",
    type=click.Choice(["explained", "coherence-pca", "coherence-weat", "effect"]),
    default="explained",
    show_default=True,
    help="What to hold set similarity against.",
)
@_attributes
@missing_option
@case_option
@control_option
@seed_option
@format_option
@out_option
@plot_option
def generated(
    sources: tuple[str, ...],
    files: tuple[Path, ...],
    count: int,
    size: int,
    ranks: tuple[int, int],
    part: str | None,
    against: Any,
    a: str,
    b: str,
    max_missing: float,
    case: Any,
    control: Any,
    seed: int,
    form: str,
    out: Path | None,
    picture: Path | None,
) -> None:
    """Compare generated seed sets with gathered ones.

    Are sets that are alike in SOURCE harder to tell apart? A generated set is a random word and its
    nearest neighbours, of one part of speech and band of frequency. The similarity of two sets is
    held against the variance that they explain; the gathered pairs of the catalogue, or the two
    sets of --sets, stand beside them.
    """
    from weatherglass.seedlab.generated import compare_generated
    from weatherglass.seedlab.pairs import gathered_pairs

    beside = chosen_pairs((), files, gathered_pairs)
    own = known_sets(files)
    found = []
    for models in open_sources(sources, control):
        with progress_bar(f"measuring on {models.name}") as draw:
            found.append(
                compare_generated(
                    models,
                    count=count,
                    size=size,
                    ranks=ranks,
                    part=part,
                    tags=_tags if part else None,
                    against=against,
                    gathered=beside,
                    a=attribute_words(a, own),
                    b=attribute_words(b, own),
                    max_missing=max_missing,
                    case=case,
                    rng=seed,
                    progress=draw,
                )
            )
    tell(found, form, out, picture, lambda: generated_page(found))


def _tags(words: list[str]) -> dict[str, str]:
    from weatherglass.corpus.tags import part_of_speech

    return part_of_speech(words)


def _measured(
    sources: Sequence[str],
    named: Sequence[tuple[str, str]],
    files: Sequence[Path],
    measures: Any,
    a: str,
    b: str,
    words: int | None,
    max_missing: float,
    case: Any,
    control: Any,
) -> list[MeasuredPairs]:
    from weatherglass.seedlab.measuring import measure_pairs
    from weatherglass.seedlab.pairs import gathered_pairs

    pairs = chosen_pairs(named, files, gathered_pairs)
    own = known_sets(files)
    found = []
    for models in open_sources(sources, control):
        with progress_bar(f"measuring on {models.name}") as draw:
            found.append(
                measure_pairs(
                    models,
                    pairs,
                    measures=measures,
                    a=attribute_words(a, own),
                    b=attribute_words(b, own),
                    words=words,
                    max_missing=max_missing,
                    case=case,
                    progress=draw,
                )
            )
    if all(one.status == "not run" for some in found for one in some.pairs):
        raise CannotMeasure(f"No pair could be measured: {found[0].pairs[0].reason}.")
    return found


def _ends(found: list[MeasuredPairs], top: int | None) -> list[MeasuredPairs]:
    """The pairs with the highest coherence and with the lowest on the first source, on all."""
    import dataclasses

    first = found[0]
    done = [one.name for one in first.pairs if one.coherence(first.ranked_by or "weat")]
    if top is None or 2 * top >= len(done):
        return found
    left_out = set(done[top:-top])
    return [
        dataclasses.replace(
            some,
            pairs=tuple(one for one in some.pairs if one.name not in left_out),
            options=some.options | {"top": top},
        )
        for some in found
    ]
