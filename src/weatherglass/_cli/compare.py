"""``weatherglass compare``: a test on two corpora, or on the parts of one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure, UsageError, quote_safe

from .options import chosen_tokenizer, min_size_option, model_options, spread_options, word_options
from .output import emit, format_option, out_option, plot_option, progress_bar, put, remarks, table
from .run_tests import chosen_tests, ids_option, missing_option, own_tests_option, seed_option
from .seeds import case_option

if TYPE_CHECKING:
    from weatherglass.seedlab import CorpusComparison


@click.command()
@click.argument("corpora", metavar="CORPUS...", nargs=-1, required=True)
@click.option("--by", metavar="COLUMN", help="Divide one CORPUS by this column.")
@ids_option
@own_tests_option
@case_option
@missing_option
@click.option(
    "--models",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("models"),
    show_default=True,
    help="The folder for the models, which are kept; a second run goes on from there.",
)
@click.option(
    "--method",
    type=click.Choice(["ppmi-svd", "sgns"]),
    default="ppmi-svd",
    show_default=True,
    help="How vectors are trained.",
)
@model_options
@word_options
@click.option(
    "--bootstrap",
    type=click.IntRange(2),
    default=20,
    show_default=True,
    help="How many samples of the documents to train on as well.",
)
@min_size_option
@seed_option
@spread_options(
    "Processes; all processors by default.",
    "each model is a task; its workers must see the folder of --models",
)
@format_option
@out_option
@plot_option
def compare(
    corpora: tuple[str, ...],
    by: str | None,
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    models: Path,
    form: str,
    out: Path | None,
    picture: Path | None,
    **options: Any,
) -> None:
    """Train vectors on each CORPUS and on samples of its documents, run tests, and compare.

    Two corpora and more, or one with --by: author gender, decade. The samples say how much of a
    difference is the choice of documents; `weatherglass seeds multiverse` says how much is the
    choice of words.
    """
    from weatherglass.catalog import Test
    from weatherglass.seedlab import compare as run

    if (len(corpora) == 1) != (by is not None):
        raise UsageError("Name two corpora or more, or one with --by COLUMN.")
    if not ids and not files:
        raise UsageError("Name a test with --test ID, or give your own with --tests FILE.")
    chosen = chosen_tests(ids, files, Test)
    what: Any = corpora[0] if by else _named(corpora)
    tokenizer = chosen_tokenizer(options)
    with progress_bar("training") as draw:
        found = run(
            what,
            chosen,
            out=models,
            by=by,
            tokenizer=tokenizer,
            progress=lambda now, done, total: draw(done, total, now),
            **options,
        )
    if form == "table":
        put(_table(found), out)
    else:
        emit(found.to_rows(), form, document=found.to_dict(), out=out)
    if all(one.effect is None for one in found.effects):
        raise CannotMeasure(f"No test could be run: {found.effects[0].reason}.")
    if picture is not None:
        from weatherglass.report import plot, save_plot

        save_plot(plot(found), picture)


def _named(corpora: tuple[str, ...]) -> dict[str, str]:
    """Each corpus under its file name, or where two have the same, under its whole path."""
    names = [Path(one.partition("?")[0]).name.partition(".")[0] or one for one in corpora]
    if len(set(names)) < len(names):
        names = list(corpora)
    if len(set(names)) < len(names):
        raise UsageError("Name each corpus once.")
    return dict(zip(names, corpora, strict=True))


def _table(found: CorpusComparison) -> str:
    from weatherglass.significance import format_p

    rows = [
        {
            "test": one.test,
            "corpus": one.corpus,
            "effect": f"{one.effect:.2f}",
            "samples": f"{one.spread.mean:.2f} ± {one.spread.sd:.2f}" if one.spread else "",
            "95 %": f"{one.spread.low:.2f} to {one.spread.high:.2f}" if one.spread else "",
            "": found.titles[one.test],
        }
        for one in found.effects
        if one.effect is not None
    ]
    gaps = [
        {
            "test": one.test,
            "difference": f"{one.corpora[0]} − {one.corpora[1]}",
            "effect": f"{one.difference:+.2f}",
            "error": f"{one.se:.2f}",
            "95 %": f"{one.low:+.2f} to {one.high:+.2f}",
            "p": format_p(one.p),
            "p Holm": format_p(one.p_holm),
        }
        for one in found.differences
    ]
    text = table(rows, "Effects") if rows else ""
    text += table(gaps, "Differences") if gaps else ""
    lines = [f"{one.test}: not run, {one.reason}." for one in found.effects if one.reason]
    for test, sets in found.missing.items():
        gone = [
            f"{name} {', '.join(map(quote_safe, words))}" for name, words in sets.items() if words
        ]
        if gone:
            lines.append(f"{test}: missing words: {'; '.join(gone)}.")
    lines += [f"{note}." for note in found.notes]
    return text + remarks(dict.fromkeys(lines))
