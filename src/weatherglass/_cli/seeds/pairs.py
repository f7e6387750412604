"""``weatherglass seeds measure``, ``coherence`` and ``generated``: measures of pairs of sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure

from ..masking import slurs_option
from ..options import case_option, language_option, output_options, seed_option
from ..output import Output, progress_bar, table
from .options import (
    attribute_words,
    controlled_vectors_option,
    format_spread,
    load_sets,
    missing_sets_option,
    missing_words,
    open_sources,
    pair_options,
    select_pairs,
    sets_options,
    unique_remarks,
    words_option,
    write_experiments,
)

if TYPE_CHECKING:
    from weatherglass.seedlab import GeneratedPairs, MeasuredPairs, PairMeasures

_MAX_WORDS = 4  # of a set in a table
_MAX_EXTREMES = 3  # generated pairs at each end, as in table 4 of the paper
_MAX_REASONS = 3  # pairs that were not run and whose reason is printed


def measures_page(results: Sequence[MeasuredPairs]) -> str:
    """Every measure, with a line for each pair."""
    text = ""
    for result in results:
        rows = []
        for pair in result.pairs:
            if pair.status == "not run":
                continue
            row = {
                "X": pair.x,
                "Y": pair.y,
                "pairs": pair.pairs,
                "similarity": format_spread(pair.similarity, 2),
                "explained": format_spread(pair.explained[0], 2) if pair.explained else "",
                "coherence PCA": format_spread(pair.coherence_pca),
                "coherence WEAT": format_spread(pair.coherence_weat),
                "WEAT effect": format_spread(pair.effect, 2),
                "statistic": format_spread(pair.statistic, 2),
            }
            if "p" in result.options["measures"]:
                row["p"] = str(pair.p) if pair.p else ""
            rows.append(row)
        attributes = " against ".join(", ".join(result.options[name][:5]) for name in ("a", "b"))
        text += table(rows, f"Seed pairs on {_source_name(result)}; WEAT with {attributes}")
    return text + _remarks(results)


def ranking_page(results: Sequence[MeasuredPairs], by: Any) -> str:
    """Pairs by their coherence, with some of their words."""
    text = ""
    for result in results:
        rows = [
            {
                "coherence": format_spread(pair.coherence(by)),
                "similarity": format_spread(pair.similarity, 2),
                "words": f"{len(pair.x_words)}+{len(pair.y_words)}",
                "X": _first_words(pair.x, pair.x_words),
                "Y": _first_words(pair.y, pair.y_words),
            }
            for pair in result.pairs
            if pair.coherence(by)
        ]
        text += table(rows, f"Coherence in the {by.upper()} subspace of {_source_name(result)}")
    return text + _remarks(results)


def generated_page(results: Sequence[GeneratedPairs]) -> str:
    """Gathered pairs by their similarity, and the generated ones at both ends."""
    from weatherglass.significance import format_p

    text = ""
    remarks = []
    for result in results:
        source, against = result.source["name"], result.against
        rows = [
            {
                "gathered pair": pair.name,
                "pairs": pair.pairs,
                "similarity": format_spread(pair.similarity),
                against: format_spread(result.value(pair)),
            }
            for pair in sorted(result.pairs, key=_similarity)
            if pair.kind != "generated" and pair.similarity and result.value(pair)
        ]
        not_run = sum(pair.status == "not run" for pair in result.pairs)
        if not_run:
            count = "1 gathered pair was" if not_run == 1 else f"{not_run} gathered pairs were"
            remarks.append(f"{count} not run on {source}: too many of their words are missing.")
        text += table(rows, f"Similarity and {against} on {_source_name(result)}")
        title = f"Generated pairs with the highest and lowest {against}"
        text += table(_extremes(result), title)
        if result.correlation:
            r, p, n = result.correlation.r, result.correlation.p, result.correlation.n
            remarks.append(
                f"{n} generated pairs on {source}: r = {r:.2f} between similarity and {against} "
                f"(p {format_p(p)})."
            )
    return text + unique_remarks(remarks)


def _extremes(result: GeneratedPairs) -> list[dict[str, str]]:
    """Rows for the generated pairs with the largest and smallest values."""
    values = [(pair, result.value(pair)) for pair in result.pairs if pair.kind == "generated"]
    measured = [(pair, value) for pair, value in values if value]
    measured.sort(key=lambda item: -abs(item[1].mean))
    if len(measured) > 2 * _MAX_EXTREMES:
        measured = measured[:_MAX_EXTREMES] + measured[-_MAX_EXTREMES:]
    return [
        {
            result.against: format_spread(value),
            "similarity": format_spread(pair.similarity),
            "X": ", ".join(pair.x_words),
            "Y": ", ".join(pair.y_words),
        }
        for pair, value in measured
    ]


def _similarity(pair: PairMeasures) -> float:
    return pair.similarity.mean if pair.similarity else 0.0


def _first_words(id: str, words: Sequence[str]) -> str:
    more = ", …" if len(words) > _MAX_WORDS else ""
    return f"{id}: {', '.join(words[:_MAX_WORDS])}{more}"


def _source_name(result: MeasuredPairs) -> str:
    samples = result.source["samples"]
    return str(result.source["name"]) + (f" (± over {samples} samples)" if samples else "")


def _remarks(results: Sequence[MeasuredPairs]) -> str:
    """Pairs that could not be measured, and words that are missing."""
    sentences = []
    for result in results:
        source = result.source["name"]
        not_run = [pair for pair in result.pairs if pair.status == "not run"]
        for pair in not_run[:_MAX_REASONS]:
            sentences.append(f"{pair.name}: not run on {source}, {pair.reason}.")
        if len(not_run) > _MAX_REASONS:
            more = len(not_run) - _MAX_REASONS
            sentences.append(f"{more} more pairs were not run on {source}; --format json says why.")
        measured = [pair for pair in result.pairs if pair.status == "done"]
        incomplete = [pair for pair in measured if pair.x_missing or pair.y_missing]
        if len(incomplete) == 1:
            (pair,) = incomplete
            sentences += missing_words(pair.name, (*pair.x_missing, *pair.y_missing), source)
        elif incomplete:
            sentences.append(
                f"{len(incomplete)} pairs have missing words on {source}; --format json lists them."
            )
    return unique_remarks(sentences)


_ranked_words = words_option(None, "Rank only this many most frequent words for coherence; 0: all.")


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
@missing_sets_option
@case_option()
@controlled_vectors_option
@output_options(plot=True)
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
    output: Output,
) -> None:
    """Measure pairs of seed sets: similarity, coherence, WEAT.

    SOURCE is a file or name of vectors, or a folder that `weatherglass train` has written, whose
    bootstrap samples give standard deviations. Without --pair, all pairs that studies document.
    """
    from weatherglass.seedlab import MEASURES, Measure

    measures: tuple[Measure, ...] = (*MEASURES, "p") if with_p else MEASURES
    results = _measure_all(sources, named, files, measures, a, b, words, max_missing, case, control)
    write_experiments(results, output, lambda: measures_page(results))


@click.command()
@pair_options
@click.option(
    "--by",
    type=click.Choice(["weat", "pca"]),
    default="weat",
    show_default=True,
    help="The subspace: the difference of the set means, or the first principal component.",
)
@click.option(
    "--top", type=click.IntRange(1), help="Show only this many pairs at the top and at the bottom."
)
@_ranked_words
@missing_sets_option
@case_option()
@controlled_vectors_option
@slurs_option()
@output_options(plot=True)
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
    output: Output,
) -> None:
    """Rank pairs of seed sets by coherence.

    Does the subspace of two sets separate them? All words of SOURCE are ranked along the subspace
    of two sets. Coherence is the difference of the sets' mean ranks, from 0 to 1. Without --pair,
    all pairs that studies document.
    """
    measures = ("similarity", "explained", "coherence-pca", "coherence-weat")
    measured = _measure_all(
        sources, named, files, measures, "good", "bad", words, max_missing, case, control
    )
    results = _keep_ends([result.ranked(by) for result in measured], top)
    write_experiments(results, output, lambda: ranking_page(results, by))


@click.command()
@sets_options
@click.option(
    "--pairs",
    "count",
    type=click.IntRange(1),
    default=500,
    show_default=True,
    help="Number of pairs of sets to generate.",
)
@click.option("--size", type=click.IntRange(1), default=5, show_default=True, help="Words per set.")
@click.option(
    "--ranks",
    type=(click.IntRange(1), click.IntRange(1)),
    default=(500, 5000),
    show_default=True,
    metavar="FROM TO",
    help="Draw words from these frequency ranks.",
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
    help="The measure to compare set similarity with.",
)
@_attributes
@missing_sets_option
@case_option()
@language_option(
    "Language of the vectors, for --part; by default that of the corpus that they were trained on, "
    "or else English."
)
@controlled_vectors_option
@seed_option
@output_options(plot=True)
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
    language: str | None,
    control: Any,
    seed: int,
    output: Output,
) -> None:
    """Compare generated seed sets with gathered ones.

    Are sets that are similar in SOURCE harder to separate? A generated set is a random word and its
    nearest neighbours, of the same part of speech and frequency range. The similarity of two sets
    is compared with the variance that they explain, for generated pairs and for the gathered pairs
    of the catalogue, or the two sets of --sets.
    """
    from weatherglass.seedlab import compare_generated, gathered_pairs

    gathered = select_pairs((), files, gathered_pairs)
    own = load_sets(files)
    results = []
    for models in open_sources(sources, control):
        with progress_bar(f"measuring on {models.name}") as draw:
            results.append(
                compare_generated(
                    models,
                    count=count,
                    size=size,
                    ranks=ranks,
                    part=part,
                    tags=_tagger(language, models.name) if part else None,
                    against=against,
                    gathered=gathered,
                    a=attribute_words(a, own),
                    b=attribute_words(b, own),
                    max_missing=max_missing,
                    case=case,
                    rng=seed,
                    progress=draw,
                )
            )
    write_experiments(results, output, lambda: generated_page(results))


def _tagger(language: str | None, source: str) -> Callable[[list[str]], dict[str, str]]:
    """A function that tags words in the language that was stated, or in that of the corpus."""
    from weatherglass._languages import ENGLISH
    from weatherglass.corpus import language_of_models, part_of_speech

    code = language or language_of_models(source) or ENGLISH
    return lambda words: part_of_speech(words, language=code)


def _measure_all(
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

    pairs = select_pairs(named, files, gathered_pairs)
    own = load_sets(files)
    results = []
    for models in open_sources(sources, control):
        with progress_bar(f"measuring on {models.name}") as draw:
            results.append(
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
    if all(pair.status == "not run" for result in results for pair in result.pairs):
        raise CannotMeasure(f"No pair could be measured: {results[0].pairs[0].reason}.")
    return results


def _keep_ends(results: list[MeasuredPairs], top: int | None) -> list[MeasuredPairs]:
    """Keep the pairs with the highest and the lowest coherence on the first source."""
    import dataclasses

    first = results[0]
    measured = [pair.name for pair in first.pairs if pair.coherence(first.ranked_by or "weat")]
    if top is None or 2 * top >= len(measured):
        return results
    omitted = set(measured[top:-top])
    return [
        dataclasses.replace(
            result,
            pairs=tuple(pair for pair in result.pairs if pair.name not in omitted),
            options=result.options | {"top": top},
        )
        for result in results
    ]
