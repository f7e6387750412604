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
    overlap_option,
    pop_tokenizer,
    seed_option,
    tests_options,
    word_options,
    worker_options,
)
from .output import Output, progress_bar, remarks, table
from .run_tests import select_tests

if TYPE_CHECKING:
    from weatherglass.seedlab import CorpusComparison, CorpusDifference, CorpusEffect


@click.command()
@click.argument("corpora", metavar="CORPUS...", nargs=-1, required=True)
@click.option(
    "--by", metavar="COLUMN", help="Group the documents of a single CORPUS by this column."
)
@tests_options
@case_option()
@missing_option()
@overlap_option
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
@bootstrap_option(0)
@click.option(
    "--permutations",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="How often the documents of two corpora are exchanged at random, to test their "
    "difference; each time trains two models. 0 tests none.",
)
@click.option(
    "--against",
    metavar="CORPUS",
    help="Compare each corpus, or value of COLUMN, with this one only, not every two.",
)
@click.option(
    "--statistic",
    type=click.Choice(["both", "effect", "unstandardised"]),
    default="both",
    show_default=True,
    help="Test differences of effect sizes, of unstandardised effects, or of both; decide before "
    "you look, as Holm's correction is over what is tested.",
)
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

    Name two or more corpora, or one with --by, such as author gender or decade. Bootstrap samples
    show how much an effect depends on the choice of documents. A difference is tested by exchanging
    documents between two corpora at random and training again. `weatherglass seeds multiverse`
    shows how much depends on the choice of words.
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
    rows = [_effect_row(effect, comparison) for effect in comparison.effects if not effect.reason]
    tested = (*comparison.differences, *comparison.unstandardised)
    shows_expected = any(difference.expected for difference in tested)
    order = {effect.test: position for position, effect in enumerate(comparison.effects)}
    differences = [
        _difference_row(difference, shows_expected)
        for difference in sorted(tested, key=lambda difference: order[difference.test])
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


def _effect_row(effect: CorpusEffect, comparison: CorpusComparison) -> dict[str, str]:
    row = {"test": effect.test, "corpus": effect.corpus, "effect": f"{effect.effect:.2f}"}
    row["95 %"] = "" if effect.low is None else f"{effect.low:.2f} to {effect.high:.2f}"
    row["samples"] = "" if effect.sd is None else f"{effect.mean:.2f} ± {effect.sd:.2f}"
    row["unstandardised"] = f"{effect.unstandardised:.4f}"
    return row | {"": comparison.titles[effect.test]}


def _difference_row(difference: CorpusDifference, shows_expected: bool) -> dict[str, str]:
    from weatherglass.significance import format_p

    digits = 2 if difference.statistic == "effect" else 4
    value, expected, se, low, high = (
        f"{number:+.{digits}f}"
        for number in (
            difference.difference,
            difference.expected,
            difference.se,
            difference.low,
            difference.high,
        )
    )
    row = {"test": difference.test}
    row["difference"] = f"{difference.corpora[0]} − {difference.corpora[1]}"
    row |= {"of": difference.statistic, "value": value}
    row |= {"expected": expected} if shows_expected else {}
    row |= {"error": se.lstrip("+"), "95 %": f"{low} to {high}"}
    return row | {"p": format_p(difference.p), "p Holm": format_p(difference.p_holm)}
