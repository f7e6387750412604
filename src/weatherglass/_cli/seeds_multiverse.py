"""``weatherglass seeds multiverse``: a test under every documented choice of seed words."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure, UsageError, WeatherglassError, shown

from .asking import (
    a_share,
    alternative_option,
    chosen_tests,
    ids_option,
    missing_option,
    own_tests_option,
    seed_option,
)
from .output import delimited, format_option, out_option, plot_option, printable, put, table
from .progress import progress_bar
from .seeds_asking import case_option, sources_argument

if TYPE_CHECKING:
    from weatherglass.catalog import SeedSet, Test
    from weatherglass.seedlab.multiverse_parts import Part, Side
    from weatherglass.seedlab.multiverse_record import Multiverse

_MOST_FLIPS = 8
_MOST_DROPPED = 20


@click.command()
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
@seed_option
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
    form: str,
    out: Path | None,
    picture: Path | None,
    seed: int,
    **options: Any,
) -> None:
    """Run a test under every documented choice of seed words, on each SOURCE.

    Every set of the test is exchanged for the other sets that studies used for the same concept,
    and for random sub-samples of each. Says how far the answer depends on the choice.
    """
    from weatherglass.catalog import Test

    if not ids and not files:
        raise UsageError("Say which test: --test weat6, or --tests FILE for your own.")
    tests = chosen_tests(ids, files, Test)
    options |= {"concepts": _concepts(concepts), "own": _own(own), "cross": cross, "rng": seed}
    made: list[Multiverse] = []
    failed: list[str] = []
    asked = [(source, test) for source in dict.fromkeys(sources) for test in tests]
    for source, test in asked:
        try:
            made.append(_run(source, test, options))
        except WeatherglassError as error:
            if len(asked) == 1:
                raise
            failed.append(source)  # what the others give is not lost
            where = f"{source}, {test.id}: {error}"
            click.echo(f"weatherglass: {printable(where)}", err=True)
    if not made:
        raise CannotMeasure("No test could be run on any source.")
    _say(made, form, out, picture)
    if failed:
        raise CannotMeasure(f"{len(failed)} of {len(asked)} runs could not be made.")


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
            f"{option} is {shown(given)}; it must be a side and a value, as in {like}."
        )
    return side.upper(), value


def _run(source: str, test: Test, options: dict[str, Any]) -> Multiverse:
    from weatherglass.measures import spellings
    from weatherglass.seedlab.alternatives import alternatives
    from weatherglass.seedlab.multiverse import multiverse as measure
    from weatherglass.vectors import open_vectors

    asked = alternatives(test, **{name: options[name] for name in ("concepts", "own", "cross")})
    with progress_bar(f"reading {source}") as draw:
        vectors = open_vectors(source, words=spellings(asked.sets()), progress=draw)
    with progress_bar("measuring") as draw:
        return measure(vectors, test, **options, progress=draw)


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


def page(one: Multiverse) -> str:
    """A multiverse for people to read: sentences, what each choice does, what changes it."""
    heading = f"{one.test} on {one.source['name']}: {one.title}"
    lines = [heading, "", *_sentences(one), ""]
    text = "".join(printable(line) + "\n" for line in lines)
    for title, rows in _margin_rows(one):
        text += table(rows, title)
    if flips := _flip_rows(one):
        more = len(one.summary.flips) - len(flips)
        told = f"; the first {len(flips)} of {more + len(flips)}" if more else ""
        text += table(flips, f"Choices that change the answer{told}")
    return text + "".join(printable(line) + "\n" for line in _remarks(one))


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
        yield f"Significant at {alpha:g} with {correction}: {_of(told.significant[name])}."
    if told.out_of_reach.count:
        yield (
            f"Out of reach: {told.out_of_reach.share:.0%} of all have so few targets that even "
            "complete separation hardly passes the correction."
        )


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
    yield from one.notes
    for choice in (choice for factor in one.factors for choice in factor):
        if choice.same:
            others = "; ".join(set_names(ids) for ids in choice.same)
            yield f"The same words as {choice.name}: {others}."
    for lost in one.dropped[:_MOST_DROPPED]:
        yield f"Not used: {set_names(lost.sets)} ({', '.join(lost.sets)}): {lost.reason}."
    if len(one.dropped) > _MOST_DROPPED:
        yield f"Not used: {len(one.dropped) - _MOST_DROPPED} more; --format json lists them."
