"""``weatherglass compare``: tests on several corpora, or on the groups of one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure, UsageError, quote_safe

from .corpus_options import (
    bootstrap_option,
    group_options,
    method_option,
    min_size_option,
    model_options,
    pop_tokenizer,
    word_options,
)
from .options import (
    case_option,
    missing_option,
    output_options,
    overlap_option,
    seed_option,
    tests_options,
    worker_options,
)
from .output import Output, announce, progress_bar, remarks, table
from .run_tests import select_tests
from .trajectory import replace_facts, run_trajectory
from .typeset import CitedTest

if TYPE_CHECKING:
    from weatherglass.seedlab import CorpusComparison, CorpusDifference, CorpusEffect


@click.command()
@click.argument("corpora", metavar="CORPUS...", nargs=-1, required=True)
@group_options(
    "Group the documents of a single CORPUS by this column. Three or more groups of numbers or "
    "dates are periods, and their trend is tested."
)
@click.option(
    "--trend/--pairs",
    default=None,
    help="Test the trend over the groups, or the differences of every two; by default the trend, "
    "if the column has numbers or dates.",
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
@method_option
@model_options
@word_options
@bootstrap_option(0)
@click.option(
    "--permutations",
    type=click.IntRange(0),
    help="How often documents are exchanged at random: those of two corpora, to test their "
    "difference, which trains two models each time (default 20; 0 tests none), or those of all "
    "periods, to test a trend, which trains a model of each period (default 99).",
)
@click.option(
    "--against",
    metavar="CORPUS",
    help="Compare each corpus, or value of COLUMN, with this one only, not every two; for periods, "
    "the one that changes are against (default the first).",
)
@click.option(
    "--statistic",
    type=click.Choice(["both", "effect", "unstandardised"]),
    default="both",
    show_default=True,
    help="Test differences of effect sizes, of unstandardised effects, or of both; decide before "
    "you look, as Holm's correction is over what is tested.",
)
@click.option(
    "--facts",
    type=click.Path(path_type=Path),
    help="For the trend of a factual test: a table with the columns word, year and value (or word "
    "and value) instead of the facts of the test.",
)
@min_size_option
@seed_option
@worker_options(
    "Processes; all processors by default.",
    "each model is a task; its workers need access to the folder of --models",
)
@output_options(plot=True, paper=True)
def compare(
    corpora: tuple[str, ...],
    by: str | None,
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    models: Path,
    trend: bool | None,
    permutations: int | None,
    facts: Path | None,
    output: Output,
    **options: Any,
) -> None:
    """Train vectors on each CORPUS and on samples of its documents, run tests, and compare.

    Name two or more corpora, or one with --by, such as author gender or decade. Bootstrap samples
    show how much an effect depends on the choice of documents. A difference is tested by exchanging
    documents between two corpora at random and training again. `weatherglass seeds multiverse`
    shows how much depends on the choice of words.

    If --by names years or other numbers, as with --by year --bins decade, the groups are periods:
    the table has the effect in each, its change since the first, and a test of the trend, by
    exchanging the dates of documents. Several corpora with --by have a trend each.
    """
    from weatherglass.catalog import FactualTest, GroupsTest, Test
    from weatherglass.seedlab import compare as run

    if not ids and not files:
        raise UsageError("Name a test with --test ID, or give your own with --tests FILE.")
    options["tokenizer"] = pop_tokenizer(options)
    if _is_trend(corpora, by, trend, options):
        named: Any = corpora[0] if len(corpora) == 1 else label_corpora(corpora)
        tests = select_tests(ids, files, (Test, FactualTest))
        if facts is not None:
            tests, options["facts"] = replace_facts(tests, facts)
        run_trajectory(named, tests, models, output, permutations, {"by": by, **options})
        return
    if (len(corpora) == 1) != (by is not None):
        raise UsageError("Name two corpora or more, or one with --by COLUMN.")
    if facts is not None:
        raise UsageError("--facts is for the trend of a factual test; give --by and --bins.")
    tests = select_tests(ids, files, Test | GroupsTest)
    compared: Any = corpora[0] if by else label_corpora(corpora)
    with progress_bar("training") as draw:
        comparison = run(
            compared,
            tests,
            out=models,
            by=by,
            permutations=20 if permutations is None else permutations,
            progress=lambda stage, done, total: draw(done, total, stage),
            announce=announce,
            **options,
        )
    if output.format == "table":
        output.write(_table(comparison))
    else:
        output.write_rows(comparison.to_rows(), document=comparison.to_dict())
    if all(effect.effect is None for effect in comparison.effects):
        raise CannotMeasure(f"No test could be run: {comparison.effects[0].reason}.")
    output.write_bibtex(CitedTest(test.id) for test in tests)
    output.draw(comparison)


def _is_trend(
    corpora: tuple[str, ...], by: str | None, asked: bool | None, options: dict[str, Any]
) -> bool:
    """Return whether the groups are periods whose trend is tested."""
    from weatherglass.seedlab import is_ordered

    if by is None:
        if asked:
            raise UsageError("A trend needs the column of the dates; give --by COLUMN.")
        return False
    if asked is not None:
        return asked
    if len(corpora) > 1:  # pairs are of corpora or of groups, not of both
        return True
    return is_ordered(corpora[0], by, options["bins"], options["only"], options["where"])


def label_corpora(corpora: tuple[str, ...]) -> dict[str, str]:
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
