"""``weatherglass seeds lint``: check seed sets before anything is measured with them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import UsageError

from ..corpus_options import pop_tokenizer, word_options
from ..exit_codes import FAILED
from ..masking import slurs_option
from ..options import case_option, language_option, output_options, seed_option
from ..output import Output, delimited, printable, progress_bar, remarks, table
from .options import controlled_vectors_option, describe_controls, named_vectors, open_whole

if TYPE_CHECKING:
    from weatherglass.corpus import Tokenizer
    from weatherglass.seedlab import Finding, Lint, Models, WordCounts

_MAX_NEIGHBOURS = 6  # of a word in the table; JSON has ten


@click.command()
@click.argument("sets", metavar="ID|FILE...", nargs=-1, required=True)
@click.option(
    "--against",
    metavar="ID|FILE",
    multiple=True,
    help="A set to compare them with; repeatable.",
)
@click.option(
    "--source",
    metavar="VECTORS",
    help="Look the words up in these vectors, or in the full model of a folder that `weatherglass "
    "train` has written.",
)
@click.option(
    "--neighbours",
    is_flag=True,
    help="Also list the nearest neighbours of every word, which show its sense in these vectors.",
)
@click.option("--corpus", metavar="CORPUS", help="Count the words in this corpus.")
@word_options
@case_option()
@language_option(
    "Language of the words, such as de; by default that of the sets, of the corpus, or of the "
    "corpus that the vectors were trained on. Checks that do not know it are not run."
)
@controlled_vectors_option
@seed_option
@click.option(
    "--least",
    type=click.Choice(["note", "warning", "error"]),
    default="note",
    show_default=True,
    help="Minimum severity to print; JSON always has all findings.",
)
@click.option("--strict", is_flag=True, help="Exit with code 1 if there is a warning or an error.")
@slurs_option()
@output_options()
@click.pass_context
def lint(
    context: click.Context,
    /,
    sets: tuple[str, ...],
    against: tuple[str, ...],
    source: str | None,
    neighbours: bool,
    corpus: str | None,
    min_count: int,
    case: Any,
    language: str | None,
    control: Any,
    seed: int,
    least: Any,
    strict: bool,
    output: Output,
    **options: Any,
) -> None:
    """Check seed sets before anything is measured with them.

    ID may be a pattern (* any text), FILE has your own sets. Each factor that makes a measurement
    unstable gets a number and a sentence, for each set and for pairs: each set with each set of
    --against; without that, all pairs of up to four sets, and of more sets those that a study
    pairs. The tokenizer's options are for --corpus.

    Slurs are masked in the table; JSON, TSV and CSV are for programs and have every word in full.
    """
    from weatherglass.seedlab import lint as run
    from weatherglass.seedlab import resolve_sets

    chosen = resolve_sets(sets)  # a wrong name is reported before anything is read
    others = resolve_sets(against) if against else ()
    if neighbours and source is None:
        raise UsageError("--neighbours needs vectors: name them with --source.")
    models = _open_model(source, control)
    tokenizer = pop_tokenizer(options)
    counts = None if corpus is None else _count_words(corpus, tokenizer)
    with progress_bar("checking") as draw:
        linted = run(
            chosen,
            against=others,
            source=None if models is None else named_vectors(models),
            corpus=counts,
            min_count=min_count,
            case=case,
            language=language,
            rng=seed,
            progress=draw,
        )
    if models is not None and models.control is not None:
        described = {"control": dataclasses.asdict(models.control)}
        linted = dataclasses.replace(linted, source=linted.source | described)
    findings = linted.at_least(least)
    output.write(_text(linted, findings, neighbours, output))
    if strict and linted.at_least("warning"):
        context.exit(FAILED)


def _open_model(source: str | None, control: Any) -> Models | None:
    if source is None:
        if control != "none":
            raise UsageError("--control needs vectors: name them with --source.")
        return None
    models = open_whole(source, control=control)
    if len(models) > 1:
        raise UsageError(
            f"{source} has models of {len(models)} groups; name the file of one of them, such as "
            f"{models[0].whole.source}."
        )
    return models[0]


def _count_words(corpus: str, tokenizer: Tokenizer) -> WordCounts:
    from weatherglass.corpus import open_corpus
    from weatherglass.seedlab import count_words

    with progress_bar(f"reading {corpus}") as draw:
        return count_words(open_corpus(corpus), tokenizer=tokenizer, progress=draw)


def _text(linted: Lint, findings: Sequence[Finding], neighbours: bool, output: Output) -> str:
    from weatherglass.seedlab import finding_row

    if output.format == "json":
        return linted.to_json() + "\n"
    if output.format == "table":
        listed = _neighbours(linted) if neighbours else ""
        return listed + _page(linted, findings)
    return delimited([finding_row(finding) for finding in findings], output.delimiter)


def _page(linted: Lint, findings: Sequence[Finding]) -> str:
    """A table for each set and pair, and the checks that were not run."""
    tables = []
    for sets, group in groupby(findings, key=lambda finding: finding.sets):
        rows = [
            {
                "": finding.severity,
                "check": finding.check,
                "number": _format_number(finding.value),
                "finding": finding.sentence,
            }
            for finding in group
        ]
        tables.append(table(rows, printable(" / ".join(sets))))
    counts = [f"{n:,} {severity}" + "s" * (n != 1) for severity, n in linted.counts.items() if n]
    lines = [f"{', '.join(counts)}."]
    lines += [linted.language_note] if _is_worth_saying(linted) else []
    lines += [f"Not run: {', '.join(checks)}: {why}." for why, checks in linted.not_run.items()]
    lines += describe_controls([linted.source])
    return "".join(tables) + remarks(lines)


def _is_worth_saying(linted: Lint) -> bool:
    """Whether the language is not that of sets of the catalogue, which are English."""
    is_listed = linted.options["language"] == "en" and "the sets state" in linted.language_note
    return bool(linted.language_note) and not is_listed


def _format_number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.3g}"


def _neighbours(linted: Lint) -> str:
    """A table with the nearest neighbours of every word."""
    rows = [
        {
            "word": word,
            "nearest": ", ".join(f"{other} {c:.2f}" for other, c in near[:_MAX_NEIGHBOURS]),
        }
        for word, near in linted.neighbours.items()
    ]
    if not rows:
        return "No neighbours: see below why words were not compared.\n\n"
    return table(rows, f"Nearest words in {linted.source['name']}")
