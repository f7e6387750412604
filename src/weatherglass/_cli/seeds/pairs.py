"""``weatherglass seeds measure``, ``coherence`` and ``generated``: pairs of seed sets, measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure

from ..output import format_option, out_option, plot_option, progress_bar, table
from ..run_tests import seed_option
from .options import (
    attribute_words,
    case_option,
    chosen_pairs,
    control_option,
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
    from weatherglass.seedlab import GeneratedPairs, MeasuredPairs, PairMeasures

_NAMED = 4  # words of a set that a table names
_EXTREMES = 3  # generated pairs that are shown of each end, as in table 4
_REASONS = 3  # pairs that were not run, of which the reason is given


def measures_page(found: Sequence[MeasuredPairs]) -> str:
    """Every measure, a line for each pair."""
    text = ""
    for some in found:
        rows = []
        for one in some.pairs:
            if one.status == "not run":
                continue
            row = {
                "X": one.x,
                "Y": one.y,
                "pairs": one.pairs,
                "similarity": number(one.similarity, 2),
                "explained": number(one.explained[0], 2) if one.explained else "",
                "coherence PCA": number(one.coherence_pca),
                "coherence WEAT": number(one.coherence_weat),
                "WEAT effect": number(one.effect, 2),
                "statistic": number(one.statistic, 2),
            }
            if "p" in some.options["measures"]:
                row["p"] = str(one.p) if one.p else ""
            rows.append(row)
        attributes = " against ".join(", ".join(some.options[name][:5]) for name in ("a", "b"))
        text += table(rows, f"Seed pairs on {_source(some)}; WEAT with {attributes}")
    return text + _remarks(found)


def ranking_page(found: Sequence[MeasuredPairs], by: Any, show_slurs: bool) -> str:
    """Pairs by their coherence, with a few of their words."""
    text = ""
    for some in found:
        rows = [
            {
                "coherence": number(one.coherence(by)),
                "similarity": number(one.similarity, 2),
                "words": f"{len(one.x_words)}+{len(one.y_words)}",
                "X": _named(one.x, one.x_words, show_slurs),
                "Y": _named(one.y, one.y_words, show_slurs),
            }
            for one in some.pairs
            if one.coherence(by)
        ]
        text += table(rows, f"Coherence in the {by.upper()} subspace of {_source(some)}")
    return text + _remarks(found)


def generated_page(found: Sequence[GeneratedPairs]) -> str:
    """Gathered pairs by their similarity, and the generated ones at both ends."""
    text = ""
    remarks = []
    for some in found:
        rows = [
            {
                "gathered pair": one.name,
                "pairs": one.pairs,
                "similarity": number(one.similarity),
                some.against: number(some.value(one)),
            }
            for one in sorted(some.pairs, key=_similarity)
            if one.kind != "generated" and one.similarity and some.value(one)
        ]
        gone = sum(one.status == "not run" for one in some.pairs)
        if gone:
            count = "1 gathered pair was" if gone == 1 else f"{gone} gathered pairs were"
            where = some.source["name"]
            remarks.append(f"{count} not run on {where}: too many of their words are missing.")
        text += table(rows, f"Similarity and {some.against} on {_source(some)}")
        text += table(
            _extremes(some), f"Generated pairs with the highest and lowest {some.against}"
        )
        if some.correlation:
            from weatherglass.significance import format_p

            r, p, n = some.correlation.r, some.correlation.p, some.correlation.n
            remarks.append(
                f"{n} generated pairs on {some.source['name']}: r = {r:.2f} between similarity and "
                f"{some.against} (p {format_p(p)})."
            )
    return text + lines(remarks)


def _extremes(some: GeneratedPairs) -> list[dict[str, str]]:
    """The generated pairs at both ends."""
    from weatherglass.catalog import masked

    made = [(one, some.value(one)) for one in some.pairs if one.kind == "generated"]
    done = [(one, value) for one, value in made if value]
    done.sort(key=lambda both: -abs(both[1].mean))
    shown = done if len(done) <= 2 * _EXTREMES else done[:_EXTREMES] + done[-_EXTREMES:]
    return [
        {
            some.against: number(value),
            "similarity": number(one.similarity),
            "X": ", ".join(map(masked, one.x_words)),
            "Y": ", ".join(map(masked, one.y_words)),
        }
        for one, value in shown
    ]


def _similarity(one: PairMeasures) -> float:
    return one.similarity.mean if one.similarity else 0.0


def _named(id: str, words: Sequence[str], show_slurs: bool) -> str:
    from weatherglass.catalog import masked

    some = words[:_NAMED] if show_slurs else tuple(map(masked, words[:_NAMED]))
    more = ", …" if len(words) > _NAMED else ""
    return f"{id}: {', '.join(some)}{more}"


def _source(found: MeasuredPairs) -> str:
    samples = found.source["samples"]
    return str(found.source["name"]) + (f" (± over {samples} samples)" if samples else "")


def _remarks(found: Sequence[MeasuredPairs]) -> str:
    """Pairs that could not be measured, and words that are missing."""
    sentences = []
    for some in found:
        where = some.source["name"]
        not_run = [one for one in some.pairs if one.status == "not run"]
        for one in not_run[:_REASONS]:
            sentences.append(f"{one.name}: not run on {where}, {one.reason}.")
        if len(not_run) > _REASONS:
            more = len(not_run) - _REASONS
            sentences.append(f"{more} more pairs were not run on {where}; --format json says why.")
        gaps = [one for one in some.pairs if one.status == "done"]
        gaps = [one for one in gaps if one.x_missing or one.y_missing]
        if len(gaps) == 1:
            missing = (*gaps[0].x_missing, *gaps[0].y_missing)
            sentences += missing_words(gaps[0].name, missing, where)
        elif gaps:
            sentences.append(f"{len(gaps)} pairs lack words on {where}; --format json lists them.")
    return lines(sentences)


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
    from weatherglass.seedlab import MEASURES, Measure

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
    from weatherglass.seedlab import compare_generated, gathered_pairs

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
    from weatherglass.corpus import part_of_speech

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
    from weatherglass.seedlab import gathered_pairs, measure_pairs

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
