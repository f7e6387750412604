"""``weatherglass seeds lint``: look at seed sets before anything is measured with them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import UsageError

from ..options import chosen_tokenizer, word_options
from ..output import (
    delimited,
    format_option,
    out_option,
    printable,
    progress_bar,
    put,
    remarks,
    table,
)
from ..run_tests import seed_option
from .options import (
    case_option,
    control_option,
    control_told,
    named_vectors,
    open_whole,
    slurs_option,
)

if TYPE_CHECKING:
    from weatherglass.corpus import Tokenizer
    from weatherglass.seedlab import Counted, Finding, Lint, Models

_NEAR = 6  # neighbours of a word that the page has; JSON has ten


@click.command()
@click.argument("sets", metavar="ID|FILE...", nargs=-1, required=True)
@click.option(
    "--against",
    metavar="ID|FILE",
    multiple=True,
    help="A set to hold them against; may be given again.",
)
@click.option(
    "--source",
    metavar="VECTORS",
    help="Look the words up in these vectors; of a folder that `weatherglass train` has written, "
    "in its full model.",
)
@click.option(
    "--neighbours",
    is_flag=True,
    help="Also list the words nearest to every word: which sense it has in these vectors.",
)
@click.option("--corpus", metavar="CORPUS", help="Count the words in this corpus.")
@word_options
@case_option
@control_option
@seed_option
@click.option(
    "--least",
    type=click.Choice(["note", "warning", "error"]),
    default="note",
    show_default=True,
    help="Print findings that are so grave, or graver; JSON always has all.",
)
@click.option("--strict", is_flag=True, help="Exit code 1 if there is a warning or an error.")
@slurs_option
@format_option
@out_option
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
    control: Any,
    seed: int,
    least: Any,
    strict: bool,
    show_slurs: bool,
    form: str,
    out: Path | None,
    **options: Any,
) -> None:
    """Look at seed sets before anything is measured with them.

    ID may be a pattern (* any text), FILE holds sets of your own. Each factor that makes a
    measurement unstable gets a number and a sentence, of each set and of pairs: each set with each
    of --against; without that, each two of up to four sets, and of more those that a study pairs.
    The options that say what a word is are for --corpus.

    Slurs are masked on the page; JSON, TSV and CSV are for programs and have every word in full.
    """
    from weatherglass.seedlab import chosen_sets
    from weatherglass.seedlab import lint as look

    chosen = chosen_sets(sets)  # a wrong name is found before anything is read
    others = chosen_sets(against) if against else ()
    if neighbours and source is None:
        raise UsageError("--neighbours are those in some vectors: say which with --source.")
    models = _models(source, control)
    tokenizer = chosen_tokenizer(options)
    counted = None if corpus is None else _counted(corpus, tokenizer)
    with progress_bar("looking") as draw:
        found = look(
            chosen,
            against=others,
            source=None if models is None else named_vectors(models),
            corpus=counted,
            min_count=min_count,
            case=case,
            rng=seed,
            progress=draw,
        )
    if models is not None and models.control is not None:
        told = {"control": dataclasses.asdict(models.control)}
        found = dataclasses.replace(found, source=found.source | told)
    _tell(found, found.at_least(least), show_slurs, neighbours, form, out)
    if strict and found.at_least("warning"):
        context.exit(1)


def _models(source: str | None, control: Any) -> Models | None:
    if source is None:
        if control != "none":
            raise UsageError("--control takes frequency out of vectors: say which with --source.")
        return None
    found = open_whole(source, control=control)
    if len(found) > 1:
        raise UsageError(
            f"{source} holds models of {len(found)} groups; name the file of one of them, such as "
            f"{found[0].whole.source}."
        )
    return found[0]


def _counted(corpus: str, tokenizer: Tokenizer) -> Counted:
    from weatherglass.corpus import open_corpus
    from weatherglass.seedlab import count_words

    with progress_bar(f"reading {corpus}") as draw:
        return count_words(open_corpus(corpus), tokenizer=tokenizer, progress=draw)


def _tell(
    found: Lint,
    findings: Sequence[Finding],
    show_slurs: bool,
    neighbours: bool,
    form: str,
    out: Path | None,
) -> None:
    from weatherglass.seedlab import row

    if form == "json":
        text = found.to_json() + "\n"
    elif form == "table":
        listed = _neighbours(found, show_slurs) if neighbours else ""
        text = listed + _page(found, findings, show_slurs)
    else:
        text = delimited([row(one) for one in findings], "\t" if form == "tsv" else ",")
    put(text, out)


def _page(found: Lint, findings: Sequence[Finding], show_slurs: bool) -> str:
    """A table for each set and pair, and what was not run."""
    from weatherglass.catalog import masked

    tables = []
    for sets, some in groupby(findings, key=lambda one: one.sets):
        rows = [
            {
                "": one.severity,
                "check": one.check,
                "number": _number(one.value),
                "finding": one.sentence if show_slurs else masked(one.sentence),
            }
            for one in some
        ]
        tables.append(table(rows, printable(" / ".join(sets))))
    counts = [f"{n:,} {what}" + "s" * (n != 1) for what, n in found.counts.items() if n]
    lines = [f"{', '.join(counts)}."]
    lines += [f"Not run: {', '.join(some)}: {why}." for why, some in found.not_run.items()]
    lines += control_told([found.source])
    return "".join(tables) + remarks(lines)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.3g}"


def _neighbours(found: Lint, show_slurs: bool) -> str:
    """The words nearest to every word, a line each."""
    from weatherglass.catalog import masked

    def plain(word: str) -> str:
        return word if show_slurs else masked(word)

    rows = [
        {
            "word": plain(word),
            "nearest": ", ".join(f"{plain(other)} {cosine:.2f}" for other, cosine in near[:_NEAR]),
        }
        for word, near in found.neighbours.items()
    ]
    if not rows:
        return "No neighbours: see below why words were not compared.\n\n"
    return table(rows, f"Nearest words in {found.source['name']}")
