"""``weatherglass sentiment``: the same sentences with different names, scored by word vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from weatherglass.errors import CannotMeasure, quote_safe

from .options import output_options, seed_option
from .output import Output, printable, remarks, table
from .run_tests import finding_lines, interval_text, open_source

_MAX_SENTENCES = 8


@click.command()
@click.argument("source")
@click.option(
    "--sentences",
    metavar="TEXTS",
    default="reviews",
    show_default=True,
    help="Sentences with {name} where the name belongs: reviews of the catalogue, a file (CSV, "
    "JSON Lines, Parquet, plain text) or a folder.",
)
@click.option(
    "--names",
    metavar="NAMES",
    default="bertrand-mullainathan",
    show_default=True,
    help="What is inserted, with columns of groups: bertrand-mullainathan or us-names of the "
    "catalogue, or a table.",
)
@click.option(
    "--template",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with the text of a version, for sentences without {name}.",
)
@click.option(
    "--group",
    "groups",
    metavar="COLUMN",
    multiple=True,
    help="A column of groups; repeatable. By default all columns that are not inserted.",
)
@click.option(
    "--words",
    metavar="TEST",
    default="weat4",
    show_default=True,
    help="A test of the catalogue whose sets A and B are the positive and negative words.",
)
@seed_option
@output_options(plot=True)
def sentiment(
    source: str,
    template: Path | None,
    groups: tuple[str, ...],
    output: Output,
    **options: Any,
) -> None:
    """Score the same sentences with different names.

    The score of a sentence is the sum of its words' associations with positive rather than negative
    words: the straw-man sentiment analysis of the first draft of Caliskan et al. Effect, interval
    and p count each name once.
    """
    from weatherglass._files import read_text
    from weatherglass.scoring import sentiment as measure

    if template is not None:
        options["template"] = read_text(template).strip("\n")
    found = measure(open_source(source), groups=groups, **options)
    if not any(contrast.is_done for contrast in found.contrasts):
        raise CannotMeasure(f"Nothing could be compared: {found.contrasts[0].reason}.")
    if output.format == "table":
        output.write(_text(found))
    elif output.format == "json":
        output.write(found.to_json() + "\n")
    else:
        output.write(output.delimit_results(found.results))
    output.draw(found)


def _text(found: Any) -> str:
    """The tables, and what they say."""
    from weatherglass.significance import format_p

    results = found.results
    title = (
        f"Sentiment with {found.source_name}: {len(found.sentences)} sentences, "
        f"{len(found.names)} names; each name counted once"
    )
    rows = [
        {
            "groups": f"{result.label('X')} vs {result.label('Y')}",
            "effect": f"{result.effect:.2f}",
            "interval": interval_text(result.main_interval),
            "difference": f"{result.difference:.3f}",
            "p": format_p(result.main_p_for_finding),
            "p corrected": "" if result.p_finding is None else format_p(result.p_finding),
            "names": f"{result.n['X']}+{result.n['Y']}",
            "score > 0": f"{100 * result.rates['X']:.1f} %, {100 * result.rates['Y']:.1f} %",
            "grade": result.finding.grade,
            "naive p over rows": format_p(result.naive_p),
        }
        for result in results
        if result.is_done
    ]
    nearest = sorted(found.sentences, key=lambda entry: abs(entry.low + entry.high))
    scores = [
        {
            "sentence": entry.sentence,
            "lowest": f"{entry.low:+.3f} {entry.lowest}",
            "highest": f"{entry.high:+.3f} {entry.highest}",
            "positive with": f"{100 * entry.positive:.0f} % of names",
        }
        for entry in nearest[:_MAX_SENTENCES]
    ]
    text = table(rows, title) + table(scores, "The sentences with scores nearest to zero")
    return text + remarks([*finding_lines(results), *_notes(found)])


def _notes(found: Any) -> list[str]:
    lines = [printable(found.changing_sentence())]
    if found.missing["names"]:
        listed = ", ".join(map(quote_safe, found.missing["names"]))
        lines.append(f"Names that {found.source_name} does not have: {listed}.")
    if found.coverage < 1:
        lines.append(f"It has {100 * found.coverage:.0f} % of the words of the sentences.")
    lines.append(
        "Another name changes the score of every sentence by the same amount, so sentences are no "
        "further evidence; the naive p, which counts them all, is printed to show the difference."
    )
    return lines
