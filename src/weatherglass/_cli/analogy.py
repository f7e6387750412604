"""``weatherglass vectors analogy`` and ``plane``: analogies, and pairs of words in a plane."""

from __future__ import annotations

from typing import Any

import click

from weatherglass.errors import UsageError, quote_safe

from .options import case_option, output_options, seed_option
from .output import Output, progress_bar, remarks, source_title, table
from .run_tests import open_source


@click.command()
@click.argument("source")
@click.argument("a")
@click.argument("b")
@click.argument("c", required=False)
@click.option(
    "--rule",
    type=click.Choice(["add", "multiply"]),
    default="add",
    show_default=True,
    help="3CosAdd (add) or 3CosMul (multiply).",
)
@click.option("--allow-inputs", is_flag=True, help="Let A, B and C be answers.")
@click.option(
    "-n",
    "--count",
    type=click.IntRange(1, 10_000),
    default=10,
    show_default=True,
    help="Number of answers, or of pairs.",
)
@click.option(
    "--words",
    type=click.IntRange(2, 100_000),
    default=10_000,
    show_default=True,
    help="Without C: compare this many of the most frequent words.",
)
@click.option(
    "--distance",
    type=click.FloatRange(0, 2, min_open=True),
    default=1.0,
    show_default=True,
    help="Without C: how far apart the two words of a pair may be, as unit vectors.",
)
@case_option()
@output_options(plot=True)
def analogy(
    source: str,
    a: str,
    b: str,
    c: str | None,
    rule: Any,
    allow_inputs: bool,
    count: int,
    words: int,
    distance: float,
    case: Any,
    output: Output,
) -> None:
    """Answer "A is to B as C is to …" in SOURCE.

    The inputs are excluded from the answers, as in nearly all published analogies, and the last
    line says what the answer is if they are allowed.

    Without C, find pairs of words along the direction from B to A: "A is to B as x is to y"
    (Bolukbasi et al. 2016).
    """
    from weatherglass.measures import analogous_pairs
    from weatherglass.measures import analogy as answer

    opened = open_source(source)
    if c is not None:
        result = answer(
            opened, a, b, c, rule=rule, count=count, exclude_inputs=not allow_inputs, case=case
        )
        question = f"{result.a} is to {result.b} as {result.c} is to …"
        _write(result, output, "Analogy", _answers, question)
        return
    context = click.get_current_context()
    for name in ("rule", "allow_inputs"):
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"{option} is for an analogy of three words; name C.")
    with progress_bar("comparing words") as draw:
        found = analogous_pairs(
            opened, [(a, b)], count=count, words=words, distance=distance, case=case, progress=draw
        )
    first, second = found.seeds[0]
    _write(found, output, "Analogies", _pairs, f"{first} is to {second} as x is to y")


def _answers(result: Any) -> list[dict[str, Any]]:
    return [
        {
            "word": candidate.word,
            "score": f"{candidate.score:.3f}",
            "": "an input" if candidate.is_input else "",
        }
        for candidate in result.answers
    ]


def _pairs(found: Any) -> list[dict[str, Any]]:
    return [
        {"x": p.x, "y": p.y, "cosine": f"{p.score:.3f}", "unrestricted": p.unrestricted}
        for p in found.pairs
    ]


@click.command()
@click.argument("source")
@click.option(
    "--pair",
    "pairs",
    nargs=2,
    multiple=True,
    metavar="FIRST SECOND",
    help="Two words joined by a line; repeatable. By default pairs that differ by gender.",
)
@case_option()
@seed_option
@output_options(plot=True)
def plane(
    source: str, pairs: tuple[tuple[str, str], ...], case: Any, seed: int, output: Output
) -> None:
    """Show pairs of words of SOURCE on their first two principal components.

    `--plot` draws the words, with a line for each pair (figure 3 of the first draft of Caliskan et
    al.). The line under the table says how parallel the pairs are in all dimensions.
    """
    from weatherglass.catalog import axis
    from weatherglass.measures import word_plane

    opened = open_source(source)
    chosen = pairs or [pair for pair in axis("gender").pairs if len(pair) == 2]
    result = word_plane(opened, chosen, case=case, seed=seed)
    _write(result, output, "Pairs of words", _places, "the first two principal components")
    if result.missing:
        names = ", ".join(map(quote_safe, result.missing))
        click.echo(f"Not in {result.source_name}: {names}.", err=True)


def _places(result: Any) -> list[dict[str, Any]]:
    places = {placed.word: f"{placed.x:.2f}, {placed.y:.2f}" for placed in result.words}
    return [{"first": a, "at": places[a], "second": b, "at ": places[b]} for a, b in result.pairs]


def _write(result: Any, output: Output, what: str, rows: Any, question: str) -> None:
    """Write a result: a table with the sentence, JSON, or rows for programs."""
    if output.format == "table":
        title = f"{source_title(what, result.source_name)}: {question}"
        text = table(rows(result), title)
        output.write(text + remarks([result.sentence()]))
    elif output.format == "json":
        output.write(result.to_json() + "\n")
    else:
        output.write_rows(result.to_rows())
    output.draw(result)
