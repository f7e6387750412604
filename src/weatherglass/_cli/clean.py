"""``weatherglass vectors clean``: drop the words of a list that are least like the others."""

from __future__ import annotations

from typing import Any

import click

from weatherglass.errors import UsageError

from .options import check_share, output_options, seed_option
from .output import Output, remarks, table
from .run_tests import open_source

_MAX_LISTED = 40  # in the table; the other formats have all


@click.command(short_help="Drop the words of a list that are least like the others.")
@click.argument("source")
@click.argument("words", metavar="LIST")
@click.option(
    "--keep",
    type=float,
    default=0.8,
    show_default=True,
    callback=check_share,
    help="Share of the words to keep.",
)
@click.option(
    "--method",
    type=click.Choice(["centroid", "classifier"]),
    default="centroid",
    show_default=True,
    help="centroid: keep the words nearest to the centroid of all (Caliskan et al. 2017); "
    "classifier: those that a linear classifier tells most clearly from other frequent words "
    "(Swinger et al. 2019).",
)
@seed_option
@output_options("txt", help="Output format; txt has the words kept, one on each line.")
def clean(source: str, words: str, keep: float, method: Any, seed: int, output: Output) -> None:
    """Drop the words of LIST that SOURCE uses least like the others.

    LIST is a list of names of the catalogue (ssa, surnames) or a file: one word per line, or CSV
    with a header. "Will" and "May" are names, but the embedding uses them mostly as other words.
    The table has the words dropped, and JSON, TSV and CSV have all words.
    """
    from weatherglass.catalog import load_names
    from weatherglass.discovery import clean_list

    if keep == 0:
        raise UsageError("--keep must be greater than 0.")
    listed = load_names(words)  # a wrong name is reported before a large file is read
    found = clean_list(open_source(source), listed, keep=keep, method=method, rng=seed)
    if output.format == "txt":
        output.write("".join(f"{word}\n" for word in found.kept))
    elif output.format == "table":
        output.write(_text(found))
    else:
        output.write_rows(found.to_rows(), document=found.to_dict())


def _text(found: Any) -> str:
    likeness = dict(zip(found.words, found.likeness, strict=True))
    title = (
        f"Dropped: the {len(found.dropped):,} words least like the others on {found.source_name}"
    )
    rows = [
        {"word": word, "likeness": f"{likeness[word]:.3f}"} for word in found.dropped[:_MAX_LISTED]
    ]
    measured = "cosine with the centroid" if found.options["method"] == "centroid" else "margin"
    lines = [f"{found.sentence()} Likeness: {measured}."]
    if len(found.dropped) > _MAX_LISTED:
        lines.append(f"The first {_MAX_LISTED} of {len(found.dropped):,} are listed.")
    if found.missing:
        lines.append(f"{len(found.missing):,} words of the list are not in the vocabulary.")
    return (table(rows, title) if rows else "No word was dropped.\n") + remarks(lines)
