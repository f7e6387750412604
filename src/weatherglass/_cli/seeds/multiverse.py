"""``weatherglass seeds multiverse``: a test under every documented choice of seed words."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import (
    CannotMeasure,
    UsageError,
    WeatherglassError,
    did_you_mean,
    join_first,
    quote_safe,
)

from ..options import (
    alpha_option,
    alternative_option,
    case_option,
    check_share,
    missing_option,
    output_options,
    overlap_option,
    seed_option,
    tests_options,
    worker_options,
)
from ..output import Output, delimited, printable, progress_bar, remarks, table
from ..run_tests import is_table, select_tests
from .options import (
    controlled_vectors_option,
    describe_controls,
    named_vectors,
    open_whole,
    sources_argument,
)

if TYPE_CHECKING:
    from weatherglass.catalog import SeedSet, Test
    from weatherglass.measures import AssociationTable
    from weatherglass.seedlab import Models, Multiverse, Part, Side

_MAX_FLIPS = 8
_MAX_DROPPED = 20


def page(result: Multiverse) -> str:
    """A multiverse for people to read: a summary, each choice, and choices that change the sign."""
    heading = f"{result.test} on {result.source['name']}: {result.title}"
    text = remarks([heading, "", *_summary(result), ""])
    for title, rows in _margin_rows(result):
        text += table(rows, title)
    if flips := _flip_rows(result):
        total = len(result.summary.flips)
        limited = f"; the first {len(flips)} of {total}" if total > len(flips) else ""
        text += table(flips, f"Choices that change the answer{limited}")
    return text + remarks(_remarks(result))


def _summary(result: Multiverse) -> Iterator[str]:
    """The summary in sentences."""
    from weatherglass.significance import format_p

    summary, alpha = result.summary, result.options["alpha"]
    choices, samples = len(result.whole), result.options["samples"]
    subsampled = f", and {samples} sub-samples of {result.options['share']:.0%} of their words"
    whole = f"{choices} choices of seed sets" if choices > 1 else "1 choice of seed sets"
    total = len(result.specifications)
    yield f"{whole}{subsampled if samples else ''}: {total:,} specifications."
    is_documented = result.own_adjective == "documented"
    own_sets = "Documented" if is_documented else "Your sets"
    if result.documented is None:
        yield f"{own_sets}: the test's own sets cannot be measured here."
    else:
        own = result.specifications[result.documented]
        yield (
            f"{own_sets}: effect {own.effect:.2f}, p {own.p}, corrected {format_p(own.p_holm)} "
            f"(Holm); {summary.place:.0%} of all effects are smaller."
        )
    effects = summary.effects
    yield (
        f"Effect: median {effects['median']:.2f}; 90% from {effects['5%']:.2f} to "
        f"{effects['95%']:.2f}, all from {effects['least']:.2f} to {effects['largest']:.2f}."
    )
    sign = "The documented sign" if is_documented else "The sign of your sets"
    sign = sign if result.documented is not None else "A positive sign"
    yield f"{sign}: {_counts(summary.same_sign)}."
    for key, name in (("holm", "Holm"), ("bh", "Benjamini-Hochberg"), ("none", "no")):
        counts = _counts(summary.significant[key]) + _other_sign(result, key)
        yield f"Significant at {alpha:g} with {name} correction: {counts}."
    if summary.out_of_reach.count:
        yield (
            f"Out of reach: {summary.out_of_reach.share:.0%} of all have so few targets that even "
            "complete separation is hardly significant after correction."
        )


def _other_sign(result: Multiverse, correction: str) -> str:
    """The number of significant choices with the opposite sign of the test's own sets, if any."""
    own = 1.0 if result.documented is None else result.specifications[result.documented].effect
    count = 0
    for choice in result.whole:
        p = {"none": choice.p.value, "holm": choice.p_holm, "bh": choice.p_bh}[correction]
        count += p <= result.options["alpha"] and choice.effect * own < 0
    return f"; {count} of the choices with the opposite sign" if count else ""


def _counts(parts: dict[str, Part]) -> str:
    whole, total = parts["whole"], parts["all"]
    choices = f"{whole.count} of {whole.of} choices"
    return choices if whole.of == total.of else f"{choices}, {total.share:.0%} of all"


def _margin_rows(result: Multiverse) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A table for each factor: the effects with each of its choices."""
    by_sets = {tuple(margin.sets.items()): margin for margin in result.summary.margins}
    for factor in result.factors:
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
            sides = {name: result.sides[name] for name in factor[0].sets}
            yield "; ".join(f"{name}: {_concept(side)}" for name, side in sides.items()), rows


def _concept(side: Side) -> str:
    return " or ".join(side.concepts) or side.label


def _flip_rows(result: Multiverse) -> list[dict[str, Any]]:
    from weatherglass.seedlab import set_names
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
                for choice in result.choices(flip.sets)
            },
        }
        for flip in result.summary.flips[:_MAX_FLIPS]
    ]


def _remarks(result: Multiverse) -> Iterator[str]:
    """The lines under the tables: marks, sets with the same words, and sets that are not used."""
    from weatherglass.seedlab import set_names

    yield "* marks the test's own sets; significant: after Holm's correction; shares are of all."
    yield from describe_controls([result.source])
    yield from result.notes
    for choice in (choice for factor in result.factors for choice in factor):
        if choice.same:
            others = "; ".join(set_names(ids) for ids in choice.same)
            yield f"The same words as {choice.name}: {others}."
    for dropped in result.dropped[:_MAX_DROPPED]:
        names = f"{set_names(dropped.sets)} ({', '.join(dropped.sets)})"
        yield f"Not used: {names}: {dropped.reason}."
    if len(result.dropped) > _MAX_DROPPED:
        yield f"Not used: {len(result.dropped) - _MAX_DROPPED} more; --format json lists them."


@click.command(short_help="Run a test under every documented choice of seed words.")
@sources_argument
@tests_options
@click.option(
    "--concept",
    "concepts",
    multiple=True,
    metavar="[TEST:]SIDE=NAME",
    help="The concept of X, Y, A or B, such as X=female, or of one of several tests, such as "
    "weat6:X=female; repeatable. X=none: only the test's own words and those of --with.",
)
@click.option(
    "--with",
    "own",
    multiple=True,
    metavar="[TEST:]SIDE=FILE",
    help="Your own seed sets for X, Y, A or B: YAML, JSON, CSV or a list of words; repeatable.",
)
@click.option("--cross", is_flag=True, help="Also combine sets that no study combines.")
@click.option(
    "--samples",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    help="Number of random sub-samples of the words of each choice, besides the whole sets.",
)
@click.option(
    "--share",
    type=float,
    callback=check_share,
    default=0.75,
    show_default=True,
    help="Share of the words in a sub-sample.",
)
@alternative_option
@alpha_option(0.05, "Significance level, after correction.")
@case_option()
@missing_option()
@overlap_option
@controlled_vectors_option
@seed_option
@worker_options(
    "Threads; all processors by default.", "the p-values of 64 specifications are a task"
)
@output_options(plot=True, paper=True)
def multiverse(
    sources: tuple[str, ...],
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    concepts: tuple[str, ...],
    own: tuple[str, ...],
    cross: bool,
    control: Any,
    output: Output,
    seed: int,
    workers: int | None,
    cluster: str | None,
    **options: Any,
) -> None:
    """Run a test under every documented choice of seed words, on each SOURCE.

    Every set of the test is replaced by the other sets that studies used for the same concept, and
    by random sub-samples of each, to show how much the result depends on the choice. In a folder
    that `weatherglass train` has written, the full model of each group is measured.
    """
    from weatherglass.catalog import Test
    from weatherglass.tasks import executor

    if not ids and not files:
        raise UsageError("Name a test, such as --test weat6, or give your own with --tests FILE.")
    tests = select_tests(ids, files, Test)
    by_test = _parse_sides(tests, concepts, own)
    options |= {"cross": cross, "rng": seed}
    with executor(workers, cluster, threads=True) as team:
        options |= {"workers": team}
        results, runs = _run_all(dict.fromkeys(sources), tests, control, by_test, options)
    if not results:
        raise CannotMeasure("No test could be run on any source.")
    output.write(_text(results, output))
    output.write_bibtex(results)
    output.draw(results)
    if len(results) < runs:
        raise CannotMeasure(f"{runs - len(results)} of {runs} runs failed.")


def _run_all(
    sources: Collection[str],
    tests: Sequence[Test],
    control: Any,
    by_test: Mapping[str, Sides],
    options: dict[str, Any],
) -> tuple[list[Multiverse], int]:
    """Run every test on every source; return the results and the number of runs.

    If there are several runs, the errors of those that fail are printed.
    """
    from weatherglass.seedlab import Models

    is_single = len(tests) == 1 and len(sources) == 1
    results: list[Multiverse] = []
    runs = 0
    for source in sources:
        opened: Sequence[Models | AssociationTable]
        try:
            opened = _open(source, _needed_words(tests, by_test, options["cross"]), control)
        except WeatherglassError as error:
            if is_single:
                raise
            _print_error(source, error)
            runs += len(tests)
            continue
        for models, test in ((models, test) for models in opened for test in tests):
            runs += 1
            try:
                results.append(_run(models, test, options | by_test[test.id]))
            except WeatherglassError as error:
                if is_single and len(opened) == 1:
                    raise
                name = models.name if isinstance(models, Models) else models.source
                _print_error(f"{name}, {test.id}", error)
    return results, runs


def _open(source: str, words: list[str], control: Any) -> Sequence[Models | AssociationTable]:
    """Open a source; an association table is read whole and has nothing to control."""
    from weatherglass.measures import NOT_FOR_TABLES, open_table
    from weatherglass.vectors import parse_spec

    if not is_table(source):
        return open_whole(source, words, control)
    if control != "none":
        raise UsageError(f"--control is {NOT_FOR_TABLES}.")
    return [open_table(parse_spec(source))]


def _print_error(run: str, error: WeatherglassError) -> None:
    click.echo(f"weatherglass: {printable(f'{run}: {error}')}", err=True)


Sides = dict[str, dict[str, list[Any]]]
"""Concepts and own sets by side: the arguments `concepts` and `own` of a multiverse."""


def _parse_sides(
    tests: Sequence[Test], concepts: Sequence[str], own: Sequence[str]
) -> dict[str, Sides]:
    """Return the concepts and own seed sets of each test, by side."""
    from weatherglass.catalog import load_seeds

    by_test: dict[str, Sides] = {test.id: {"concepts": {}, "own": {}} for test in tests}
    for text in concepts:
        test, side, name = _split_side("--concept", text, "X=female", by_test)
        by_test[test]["concepts"].setdefault(side, []).extend([name] if name != "none" else [])
    for text in own:
        test, side, path = _split_side("--with", text, "X=mine.yaml", by_test)
        by_test[test]["own"].setdefault(side, []).extend(load_seeds(path))
    return by_test


def _split_side(
    option: str, text: str, example: str, tests: Collection[str]
) -> tuple[str, str, str]:
    """Split ``TEST:SIDE=VALUE``; the test may be left out if there is only one."""
    place, _, value = text.partition("=")
    test, _, side = place.rpartition(":")
    if side.upper() not in ("X", "Y", "A", "B") or not value:
        raise UsageError(
            f"{option} is {quote_safe(text)}; it must be a side and a value, as in {example}."
        )
    if not test and len(tests) > 1:
        raise UsageError(
            f"{option} {quote_safe(text)} does not say which of the {len(tests)} tests it is for; "
            f"name it, as in {option} {next(iter(tests))}:{text}."
        )
    test = test or next(iter(tests))
    if test not in tests:
        listed = join_first(map(quote_safe, tests), 10)
        raise UsageError(
            f"{option} {quote_safe(text)} names a test that is not run here; these are {listed}."
            + did_you_mean(test, tests)
        )
    return test, side.upper(), value


def _needed_words(tests: Sequence[Test], by_test: Mapping[str, Sides], cross: bool) -> list[str]:
    """Every spelling that a test may look up."""
    from weatherglass.measures import spellings
    from weatherglass.seedlab import alternatives

    sets: list[SeedSet] = []
    for test in tests:
        try:
            sets += alternatives(test, cross=cross, **by_test[test.id]).sets()
        except WeatherglassError:  # of several tests; it is reported when the test runs
            if len(tests) == 1:
                raise
    return list(spellings(sets))


def _run(models: Models | AssociationTable, test: Test, options: dict[str, Any]) -> Multiverse:
    from weatherglass.measures import AssociationTable
    from weatherglass.seedlab import multiverse as measure

    if isinstance(models, AssociationTable):
        with progress_bar("measuring") as draw:
            return measure(models, test, **options, progress=draw)
    with progress_bar("measuring") as draw:
        result = measure(named_vectors(models), test, **options, progress=draw)
    if models.control is None:
        return result
    control = {"control": dataclasses.asdict(models.control)}
    return dataclasses.replace(result, source=result.source | control)


def _text(results: Sequence[Multiverse], output: Output) -> str:
    """All multiverses, one after another."""
    from weatherglass._version import __version__

    if output.format == "json":
        records = ",\n".join(result.to_json() for result in results)
        return f'{{"weatherglass": {json.dumps(__version__)}, "multiverses": [\n{records}\n]}}\n'
    if output.format in ("tsv", "csv"):
        rows = [
            {"source": result.source["name"], "test": result.test, **row}
            for result in results
            for row in result.to_rows()
        ]
        return delimited(rows, output.delimiter)
    return "\n".join(page(result) for result in results)
