"""``weatherglass seeds multiverse``: a test under every documented choice of seed words."""

from __future__ import annotations

import dataclasses
import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure, UsageError, WeatherglassError, quote_safe

from ..options import spread_options
from ..output import (
    delimited,
    format_option,
    out_option,
    plot_option,
    printable,
    progress_bar,
    put,
    remarks,
    table,
)
from ..run_tests import (
    a_share,
    alternative_option,
    chosen_tests,
    ids_option,
    missing_option,
    own_tests_option,
    seed_option,
)
from .options import (
    case_option,
    control_option,
    control_told,
    named_vectors,
    open_whole,
    sources_argument,
)

if TYPE_CHECKING:
    from weatherglass.catalog import SeedSet, Test
    from weatherglass.seedlab import Models, Multiverse, Part, Side

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
                for choice in one.choices(flip.sets)
            },
        }
        for flip in one.summary.flips[:_MOST_FLIPS]
    ]


def _remarks(one: Multiverse) -> Iterator[str]:
    """What the tables do not say: the mark, sets that are one set here, and sets not used."""
    from weatherglass.seedlab import set_names

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


@click.command(short_help="Run a test under every documented choice of seed words.")
@sources_argument
@ids_option
@own_tests_option
@click.option(
    "--concept",
    "concepts",
    multiple=True,
    metavar="SIDE=NAME",
    help="What X, Y, A or B stands for, such as X=female; may be given again. X=none: only the "
    "test's own words and those of --with.",
)
@click.option(
    "--with",
    "own",
    multiple=True,
    metavar="SIDE=FILE",
    help="Seed sets of your own for X, Y, A or B: YAML, JSON, CSV or a list of words.",
)
@click.option("--cross", is_flag=True, help="Combine also sets that no study holds together.")
@click.option(
    "--samples",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    help="Random sub-samples of the words of each choice, besides the whole sets.",
)
@click.option(
    "--share",
    type=float,
    callback=a_share,
    default=0.75,
    show_default=True,
    help="The share of its words that a sub-sample has.",
)
@alternative_option
@click.option(
    "--alpha",
    type=float,
    callback=a_share,
    default=0.05,
    show_default=True,
    help="The level of what is called significant, after correction.",
)
@case_option
@missing_option
@control_option
@seed_option
@spread_options(
    "Threads; all processors by default.", "the p-values of 64 specifications are a task"
)
@format_option
@out_option
@plot_option
def multiverse(
    sources: tuple[str, ...],
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    concepts: tuple[str, ...],
    own: tuple[str, ...],
    cross: bool,
    control: Any,
    form: str,
    out: Path | None,
    picture: Path | None,
    seed: int,
    workers: int | None,
    cluster: str | None,
    **options: Any,
) -> None:
    """Run a test under every documented choice of seed words, on each SOURCE.

    Every set of the test is exchanged for the other sets that studies used for the same concept,
    and for random sub-samples of each. Says how far the answer depends on the choice. Of a folder
    that `weatherglass train` has written, the full model of each group is measured.
    """
    from weatherglass.catalog import Test
    from weatherglass.tasks import executor

    if not ids and not files:
        raise UsageError("Say which test: --test weat6, or --tests FILE for your own.")
    tests = chosen_tests(ids, files, Test)
    options |= {"concepts": _concepts(concepts), "own": _own(own), "cross": cross, "rng": seed}
    with executor(workers, cluster, threads=True) as team:
        made, runs = _run_all(dict.fromkeys(sources), tests, control, options | {"workers": team})
    if not made:
        raise CannotMeasure("No test could be run on any source.")
    _say(made, form, out, picture)
    if len(made) < runs:
        raise CannotMeasure(f"{runs - len(made)} of {runs} runs could not be made.")


def _run_all(
    sources: Collection[str], tests: Sequence[Test], control: Any, options: dict[str, Any]
) -> tuple[list[Multiverse], int]:
    """Every test on every source, and how many runs there were; what fails is told."""
    alone = len(tests) == 1 and len(sources) == 1
    made: list[Multiverse] = []
    runs = 0
    for source in sources:
        try:
            opened = open_whole(source, _wanted(tests, options), control)
        except WeatherglassError as error:
            if alone:
                raise
            _tell_failed(source, error)
            runs += len(tests)
            continue
        for models, test in ((models, test) for models in opened for test in tests):
            runs += 1
            try:
                made.append(_run(models, test, options))
            except WeatherglassError as error:
                if alone and len(opened) == 1:
                    raise
                _tell_failed(f"{models.name}, {test.id}", error)  # what the others give is not lost
    return made, runs


def _tell_failed(what: str, error: WeatherglassError) -> None:
    click.echo(f"weatherglass: {printable(f'{what}: {error}')}", err=True)


def _concepts(given: Sequence[str]) -> dict[str, list[str]]:
    made: dict[str, list[str]] = defaultdict(list)
    for one in given:
        side, name = _of_a_side("--concept", one, "X=female")
        made[side] += [name] if name != "none" else []
    return dict(made)


def _own(given: Sequence[str]) -> dict[str, list[SeedSet]]:
    from weatherglass.catalog import load_seeds

    made: dict[str, list[SeedSet]] = defaultdict(list)
    for one in given:
        side, name = _of_a_side("--with", one, "X=mine.yaml")
        made[side] += load_seeds(name)
    return dict(made)


def _of_a_side(option: str, given: str, like: str) -> tuple[str, str]:
    side, _, value = given.partition("=")
    if side.upper() not in ("X", "Y", "A", "B") or not value:
        raise UsageError(
            f"{option} is {quote_safe(given)}; it must be a side and a value, as in {like}."
        )
    return side.upper(), value


def _wanted(tests: Sequence[Test], options: dict[str, Any]) -> list[str]:
    """Every spelling that some test may look up; what is wrong with a test is told when it runs."""
    from weatherglass.measures import spellings
    from weatherglass.seedlab import alternatives

    some = {name: options[name] for name in ("concepts", "own", "cross")}
    sets: list[SeedSet] = []
    for test in tests:
        try:
            sets += alternatives(test, **some).sets()
        except WeatherglassError:
            if len(tests) == 1:
                raise
    return list(spellings(sets))


def _run(models: Models, test: Test, options: dict[str, Any]) -> Multiverse:
    from weatherglass.seedlab import multiverse as measure

    with progress_bar("measuring") as draw:
        made = measure(named_vectors(models), test, **options, progress=draw)
    if models.control is None:
        return made
    control = {"control": dataclasses.asdict(models.control)}
    return dataclasses.replace(made, source=made.source | control)


def _say(made: Sequence[Multiverse], form: str, out: Path | None, picture: Path | None) -> None:
    """Print or write every multiverse, one after another, and draw them."""
    from weatherglass._version import __version__

    if form == "json":
        records = ",\n".join(one.to_json() for one in made)
        text = f'{{"weatherglass": {json.dumps(__version__)}, "multiverses": [\n{records}\n]}}\n'
    elif form in ("tsv", "csv"):
        rows = [
            {"source": one.source["name"], "test": one.test, **row}
            for one in made
            for row in one.to_rows()
        ]
        text = delimited(rows, "\t" if form == "tsv" else ",")
    else:
        text = "\n".join(page(one) for one in made)
    put(text, out)
    if picture is not None:
        from weatherglass.report import plot, save_plot

        save_plot(plot(made), picture)
