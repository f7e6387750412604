"""``weatherglass corpus``: show what a corpus contains."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import join_first, quote_safe

from .options import output_options, pop_tokenizer, token_options
from .output import Output, progress_bar
from .verbosity import SuggestingGroup

if TYPE_CHECKING:
    from weatherglass.corpus import Column, Summary


@click.group(cls=SuggestingGroup)
def corpus() -> None:
    """Show what a corpus contains: documents, words, metadata.

    A CORPUS is a file or a folder of files: plain text, CSV, TSV, JSON Lines, Parquet or TEI XML,
    all but Parquet also compressed (.gz, .zst, .xz, .zip). Options follow a question mark:
    `letters.csv?text=body` names the column with the text; `?documents=` says what a document is
    (`file`, `lines` or `paragraphs`; in a table, a column: neighbouring rows with the same value
    are one document); `?encoding=latin-1`; `?format=text`. `letters?about=letters.csv` reads the
    metadata of the files of a folder from a table with the file names in the column `file`.
    """


@corpus.command()
@token_options
@click.option(
    "--top",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Number of frequent words, and of values of a column, to show.",
)
@output_options(out=False)
def info(corpus: str, min_count: int, top: int, output: Output, **options: Any) -> None:
    """Show the documents, words and metadata of CORPUS, which is read once as a stream."""
    from weatherglass.corpus import open_corpus, summarise

    tokenizer = pop_tokenizer(options)
    opened = open_corpus(corpus)
    with progress_bar(f"reading {corpus}") as draw:
        summary = summarise(
            opened, min_count=min_count, tokenizer=tokenizer, top=top, progress=draw
        )
    document = asdict(summary) | {"left_out": list(opened.left_out)}
    output.write_rows(_rows(summary, opened.left_out), document=document)


def _rows(summary: Summary, left_out: tuple[str, ...]) -> list[dict[str, str]]:
    share = summary.frequent_tokens / summary.tokens if summary.tokens else 0.0
    facts = {
        "corpus": summary.source,
        "documents": f"{summary.documents:,}",
        "tokens": f"{summary.tokens:,}",
        "distinct words": f"{summary.types:,}",
        f"at least {summary.min_count} times": f"{summary.frequent_types:,} "
        f"({share:.1%} of the tokens)",
        "most frequent": _list_counts(summary.words),
    }
    facts |= {f"column {quote_safe(name)}": _values(c) for name, c in summary.columns.items()}
    if left_out:
        facts["skipped files"] = f"{len(left_out):,}: {join_first(map(quote_safe, left_out), 3)}"
    return [{"": name, "value": fact} for name, fact in facts.items()]


def _values(column: Column) -> str:
    if column.different is None:
        return "more than 10,000 values"
    more = " …" if column.different > len(column.frequent) else ""
    return f"{column.different:,} values: {_list_counts(column.frequent)}{more}"


def _list_counts(counts: list[tuple[str, int]]) -> str:
    return ", ".join(f"{quote_safe(name)} {count:,}" for name, count in counts)
