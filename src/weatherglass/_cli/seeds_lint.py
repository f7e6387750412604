"""``weatherglass seeds lint``: look at seed sets before anything is measured with them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .asking import seed_option
from .output import delimited, format_option, out_option, printable, put, table
from .progress import progress_bar
from .seeds_asking import case_option, slurs_option
from .vectorfiles import opened

if TYPE_CHECKING:
    from weatherglass.seedlab.counting import Counted
    from weatherglass.seedlab.findings import Finding, Lint


@click.command()
@click.argument("sets", metavar="ID|FILE...", nargs=-1, required=True)
@click.option(
    "--against",
    metavar="ID|FILE",
    multiple=True,
    help="A set to hold them against; may be given again.",
)
@click.option("--source", metavar="VECTORS", help="Look the words up in these vectors.")
@click.option("--corpus", metavar="CORPUS", help="Count the words in this corpus.")
@click.option(
    "--min-count",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="How often the corpus must have a word.",
)
@case_option
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
    sets: tuple[str, ...],
    against: tuple[str, ...],
    source: str | None,
    corpus: str | None,
    min_count: int,
    case: Any,
    seed: int,
    least: Any,
    strict: bool,
    show_slurs: bool,
    form: str,
    out: Path | None,
) -> None:
    """Look at seed sets before anything is measured with them.

    ID may be a pattern (* any text), FILE holds sets of your own. Each factor that makes a
    measurement unstable gets a number and a sentence, of each set and of pairs: each set with each
    of --against; without that, each two of up to four sets, and of more those that a study pairs.

    Slurs are masked on the page; JSON, TSV and CSV are for programs and have every word in full.
    """
    from weatherglass.seedlab.choosing import chosen_sets
    from weatherglass.seedlab.lint import lint as look

    chosen = chosen_sets(sets)  # a wrong name is found before anything is read
    others = chosen_sets(against) if against else ()
    vectors = None if source is None else opened(source)
    counted = None if corpus is None else _counted(corpus)
    with progress_bar("looking") as draw:
        found = look(
            chosen,
            against=others,
            source=vectors,
            corpus=counted,
            min_count=min_count,
            case=case,
            rng=seed,
            progress=draw,
        )
    _tell(found, found.at_least(least), show_slurs, form, out)
    if strict and found.at_least("warning"):
        context.exit(1)


def _counted(corpus: str) -> Counted:
    from weatherglass.corpus import open_corpus
    from weatherglass.seedlab.counting import count_words

    with progress_bar(f"reading {corpus}") as draw:
        return count_words(open_corpus(corpus), progress=draw)


def _tell(
    found: Lint, findings: Sequence[Finding], show_slurs: bool, form: str, out: Path | None
) -> None:
    from weatherglass.seedlab.findings import row

    if form == "json":
        text = found.to_json() + "\n"
    elif form == "table":
        text = _page(found, findings, show_slurs)
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
    return "".join(tables) + "".join(printable(line) + "\n" for line in lines)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.3g}"
