"""``weatherglass corpus``: look at a corpus."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import join_first, quote_safe

from .options import chosen_tokenizer, token_options
from .output import emit, format_option, progress_bar

if TYPE_CHECKING:
    from weatherglass.corpus import Column, Summary


@click.group()
def corpus() -> None:
    """Look at a corpus: documents, words, metadata.

    A CORPUS is a file or a folder of files: plain text, CSV, TSV, JSON Lines, Parquet or TEI XML,
    all but Parquet also inside .gz, .zst, .xz and .zip. Options follow a question mark:
    `letters.csv?text=body` names the column that holds the text, `?documents=` says what one
    document is (`file`, `lines` or `paragraphs`; in a table, the column whose neighbouring rows
    with the same value are one), `?encoding=latin-1`, `?format=text`. `letters?about=letters.csv`
    reads what is known of each file of a folder from a table, whose column `file` has their names.
    """


@corpus.command()
@token_options
@click.option(
    "--top",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="How many frequent words, and values of a column, to show.",
)
@format_option
def info(corpus: str, min_count: int, top: int, form: str, **options: Any) -> None:
    """Show what CORPUS holds: documents, words, metadata. It is read once, and streams by."""
    from weatherglass.corpus import open_corpus, summarise

    cut = chosen_tokenizer(options)
    opened = open_corpus(corpus)
    with progress_bar(f"reading {corpus}") as draw:
        found = summarise(opened, min_count=min_count, tokenizer=cut, top=top, progress=draw)
    document = asdict(found) | {"left_out": list(opened.left_out)}
    emit(_rows(found, opened.left_out), form, document=document)


def _rows(found: Summary, left_out: tuple[str, ...]) -> list[dict[str, str]]:
    share = found.frequent_tokens / found.tokens if found.tokens else 0.0
    facts = {
        "corpus": found.source,
        "documents": f"{found.documents:,}",
        "tokens": f"{found.tokens:,}",
        "different words": f"{found.types:,}",
        f"of them {found.min_count} times or more": f"{found.frequent_types:,} ({share:.1%} of the "
        "tokens)",
        "most frequent": _listed(found.words),
    }
    facts |= {f"column {quote_safe(name)}": _said(one) for name, one in found.columns.items()}
    if left_out:
        facts["files left out"] = f"{len(left_out):,}: {join_first(map(quote_safe, left_out), 3)}"
    return [{"": name, "value": fact} for name, fact in facts.items()]


def _said(column: Column) -> str:
    if column.different is None:
        return "more than 10,000 values"
    more = " …" if column.different > len(column.frequent) else ""
    return f"{column.different:,} values: {_listed(column.frequent)}{more}"


def _listed(counts: list[tuple[str, int]]) -> str:
    return ", ".join(f"{quote_safe(name)} {count:,}" for name, count in counts)
