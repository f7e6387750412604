"""``weatherglass compare``: tests on several corpora, or on the groups of one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure, UsageError, quote_safe

from .options import (
    bootstrap_option,
    case_option,
    method_option,
    min_size_option,
    missing_option,
    model_options,
    output_options,
    pop_tokenizer,
    seed_option,
    tests_options,
    word_options,
    worker_options,
)
from .output import Output, progress_bar, remarks, table
from .run_tests import select_tests

if TYPE_CHECKING:
    from weatherglass.seedlab import CorpusComparison


@click.command()
@click.argument("corpora", metavar="CORPUS...", nargs=-1, required=True)
@click.option(
    "--by", metavar="COLUMN", help="Group the documents of a single CORPUS by this column."
)
@tests_options
@case_option()
@missing_option()
@click.option(
    "--models",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("models"),
    show_default=True,
    help="Folder for the models; a later run continues from there.",
)
@method_option("ppmi-svd")
@model_options
@word_options
@bootstrap_option(2)
@min_size_option
@seed_option
@worker_options(
    "Processes; all processors by default.",
    "each model is a task; its workers need access to the folder of --models",
)
@output_options(plot=True)
def compare(
    corpora: tuple[str, ...],
    by: str | None,
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    models: Path,
    output: Output,
    **options: Any,
) -> None:
    """Train vectors on each CORPUS and on samples of its documents, run tests, and compare.

    Name two or more corpora, or one with --by, such as author gender or decade. The bootstrap
    samples show how much of a difference is due to the choice of documents; `weatherglass seeds
    multiverse` shows how much is due to the choice of words.
    """
    from weatherglass.catalog import Test
    from weatherglass.seedlab import compare as run

    if (len(corpora) == 1) != (by is not None):
        raise UsageError("Name two corpora or more, or one with --by COLUMN.")
    if not ids and not files:
        raise UsageError("Name a test with --test ID, or give your own with --tests FILE.")
    tests = select_tests(ids, files, Test)
    compared: Any = corpora[0] if by else _label(corpora)
    tokenizer = pop_tokenizer(options)
    with progress_bar("training") as draw:
        comparison = run(
            compared,
            tests,
            out=models,
            by=by,
            tokenizer=tokenizer,
            progress=lambda stage, done, total: draw(done, total, stage),
            **options,
        )
    if output.format == "table":
        output.write(_table(comparison))
    else:
        output.write_rows(comparison.to_rows(), document=comparison.to_dict())
    if all(effect.effect is None for effect in comparison.effects):
        raise CannotMeasure(f"No test could be run: {comparison.effects[0].reason}.")
    output.draw(comparison)


def _label(corpora: tuple[str, ...]) -> dict[str, str]:
    """Name each corpus by its file name, or by its whole path if two have the same name."""
    names = [Path(path.partition("?")[0]).name.partition(".")[0] or path for path in corpora]
    if len(set(names)) < len(names):
        names = list(corpora)
    if len(set(names)) < len(names):
        raise UsageError("Name each corpus once.")
    return dict(zip(names, corpora, strict=True))


def _table(comparison: CorpusComparison) -> str:
    from weatherglass.significance import format_p

    rows = [
        {
            "test": effect.test,
            "corpus": effect.corpus,
            "effect": f"{effect.effect:.2f}",
            "samples": f"{effect.spread.mean:.2f} ± {effect.spread.sd:.2f}"
            if effect.spread
            else "",
            "95 %": f"{effect.spread.low:.2f} to {effect.spread.high:.2f}" if effect.spread else "",
            "": comparison.titles[effect.test],
        }
        for effect in comparison.effects
        if effect.effect is not None
    ]
    differences = [
        {
            "test": difference.test,
            "difference": f"{difference.corpora[0]} − {difference.corpora[1]}",
            "effect": f"{difference.difference:+.2f}",
            "error": f"{difference.se:.2f}",
            "95 %": f"{difference.low:+.2f} to {difference.high:+.2f}",
            "p": format_p(difference.p),
            "p Holm": format_p(difference.p_holm),
        }
        for difference in comparison.differences
    ]
    text = table(rows, "Effects") if rows else ""
    text += table(differences, "Differences") if differences else ""
    lines = [f"{e.test}: not run, {e.reason}." for e in comparison.effects if e.reason]
    for test, sets in comparison.missing.items():
        missing = [
            f"{name} {', '.join(map(quote_safe, words))}" for name, words in sets.items() if words
        ]
        if missing:
            lines.append(f"{test}: missing words: {'; '.join(missing)}.")
    lines += [f"{note}." for note in comparison.notes]
    return text + remarks(dict.fromkeys(lines))
