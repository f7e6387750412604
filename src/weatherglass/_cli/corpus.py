"""``weatherglass corpus``: show what a corpus contains."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import join_first, quote_safe

from .corpus_options import (
    group_options,
    pop_tokenizer,
    token_options,
    tokenizer_options,
    word_options,
)
from .options import missing_option, output_options, seed_option, tests_options
from .output import Output, progress_bar, remarks, table
from .run_tests import select_tests
from .verbosity import SuggestingGroup

if TYPE_CHECKING:
    from weatherglass.corpus import Column, CorpusContext, CorpusWords, Summary

_LINE_CHARACTERS = 52  # of a line on each side, so that two fit a wide terminal


@click.group(cls=SuggestingGroup)
def corpus() -> None:
    """Show what a corpus contains: documents, metadata, and words by group and in context.

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
    notes = opened.notes()
    document = asdict(summary) | {"left_out": list(opened.left_out), "notes": notes}
    output.write_rows(_rows(summary, opened.left_out, notes), document=document)


def _rows(summary: Summary, left_out: tuple[str, ...], notes: list[str]) -> list[dict[str, str]]:
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
    if notes:
        facts["encoding"] = "; ".join(notes)
    return [{"": name, "value": fact} for name, fact in facts.items()]


def _values(column: Column) -> str:
    if column.different is None:
        return "more than 10,000 values"
    more = " …" if column.different > len(column.frequent) else ""
    return f"{column.different:,} values: {_list_counts(column.frequent)}{more}"


def _list_counts(counts: list[tuple[str, int]]) -> str:
    return ", ".join(f"{quote_safe(name)} {count:,}" for name, count in counts)


@corpus.command()
@click.argument("corpus")
@click.argument("wanted", metavar="[WORD]...", nargs=-1)
@tests_options
@group_options("Count separately for each value of this column.")
@missing_option()
@word_options
@output_options()
def words(
    corpus: str,
    wanted: tuple[str, ...],
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    output: Output,
    **options: Any,
) -> None:
    """Count words, or the words of tests, in each group of CORPUS before you train.

    A word marked * occurs fewer than --min-count times and gets no vector there; one marked ~ is
    likely to be too rare in some bootstrap sample. The second table says in which group each test
    can be run.
    """
    from weatherglass.catalog import Test
    from weatherglass.corpus import corpus_words

    tests = select_tests(ids, files, Test) if ids or files else []
    tokenizer = pop_tokenizer(options)
    with progress_bar(f"reading {corpus}") as draw:
        counts = corpus_words(
            corpus, wanted, tests=tests, tokenizer=tokenizer, progress=draw, **options
        )
    if output.format == "table":
        output.write(_words_page(counts))
    else:
        output.write_rows(counts.to_rows(), document=counts.to_dict())


def _words_page(counts: CorpusWords) -> str:
    from weatherglass.corpus import in_group

    rows: list[dict[str, Any]] = []
    for test, sets in counts.sets.items():
        for name, listed in sets.items():
            for word in listed:
                row = {"test": test, "set": name} if counts.tests else {}
                cells = (
                    f"{count:,}{counts.mark(word, group)}"
                    for group, count in zip(counts.groups, counts.counts[word], strict=True)
                )
                columns = (group or "count" for group in counts.groups)
                rows.append(row | {"word": word} | dict(zip(columns, cells, strict=True)))
    sizes = zip(counts.groups, counts.documents, counts.tokens, strict=True)
    title = "; ".join(
        f"{group + ': ' if group else ''}{documents:,} document{'s' * (documents != 1)}, "
        f"{tokens:,} words"
        for group, documents, tokens in sizes
    )
    text = table(rows, title)
    checks = [check for check in counts.tests if check.reason]
    if counts.tests and counts.by is not None:
        by_test: dict[str, dict[str, str]] = {}
        for check in counts.tests:
            row = by_test.setdefault(check.test, {"test": check.test})
            row[check.group] = "no" if check.reason else "yes"
        text += table(list(by_test.values()), "Can be run")
    lines = [
        f"{check.test} cannot be run{in_group(check.group)}: {check.reason}." for check in checks
    ]
    lines.append(
        f"* occurs fewer than {counts.min_count} times; ~ may do so in a bootstrap sample."
    )
    return text + remarks([*lines, *(f"{note}." for note in counts.notes)])


@corpus.command()
@click.argument("corpus")
@click.argument("wanted", metavar="WORD...", nargs=-1, required=True)
@click.option(
    "--near",
    multiple=True,
    metavar="WORD",
    help="Show only lines with this word within the window; repeatable.",
)
@group_options("Look separately at each value of this column.")
@click.option(
    "--window",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Words on each side that are near a word.",
)
@click.option(
    "--lines",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="Lines of each word and group, drawn at random.",
)
@click.option(
    "--collocates",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="Collocates of each word and group.",
)
@click.option(
    "--measure",
    type=click.Choice(["log-likelihood", "pmi"]),
    default="log-likelihood",
    show_default=True,
    help="Order collocates by the log-likelihood ratio, or by pointwise mutual information (PMI), "
    "which prefers rare words.",
)
@click.option(
    "--min-together",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="How often a collocate must be near the word.",
)
@seed_option
@tokenizer_options
@output_options()
def context(corpus: str, wanted: tuple[str, ...], output: Output, **options: Any) -> None:
    """Show each WORD of CORPUS in context, and the words near it more often than by chance.

    `--near family` shows only lines with *family* near WORD: why are they associated? CSV and TSV
    have the lines, or with `--lines 0` the collocates; JSON has both.
    """
    from weatherglass.corpus import corpus_context

    tokenizer = pop_tokenizer(options)
    with progress_bar(f"reading {corpus}") as draw:
        result = corpus_context(corpus, wanted, tokenizer=tokenizer, progress=draw, **options)
    if output.format == "table":
        output.write(_context_page(result))
    else:
        rows = result.to_rows() if options["lines"] else result.collocate_rows()
        output.write_rows(rows, document=result.to_dict())


def _context_page(result: CorpusContext) -> str:
    from weatherglass.corpus import in_group

    by = () if result.by is None else (result.by,)
    collocates = [
        {"word": c.word, **dict.fromkeys(by, c.group), "near it": c.collocate}
        | {"together": c.count, "expected": f"{c.expected:.1f}"}
        | {"log-likelihood": f"{c.log_likelihood:.1f}", "PMI": f"{c.pmi:.2f}"}
        for c in result.collocates
    ]
    lines = [
        {**dict.fromkeys(by, line.group), "document": line.label or f"no. {line.document + 1}"}
        | {"before": f"{line.before[-_LINE_CHARACTERS:]:>{_LINE_CHARACTERS}}"}
        | {"word": line.keyword, "after": line.after[:_LINE_CHARACTERS]}
        for line in result.lines
    ]
    text = table(collocates, f"Within {result.window} words") if collocates else ""
    text += table(lines, "Lines") if lines else ""
    counts = [
        f"{quote_safe(word)} occurs "
        + ", ".join(
            f"{count:,} times{in_group(group)}"
            for group, count in zip(result.groups, counts, strict=True)
        )
        for word, counts in result.counts.items()
    ]
    return text + remarks(f"{line}." for line in (*counts, *result.notes))
