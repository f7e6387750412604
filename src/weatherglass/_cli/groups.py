"""``weatherglass groups``: compare small groups of a corpus in one shared space."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import UsageError

from .compare import label_corpora
from .corpus_options import group_options, pop_tokenizer, space_options, word_options
from .options import (
    case_option,
    missing_option,
    output_options,
    overlap_option,
    seed_option,
    tests_options,
)
from .output import Output, progress_bar, remarks, table
from .run_tests import interval_text, select_tests, write_results

if TYPE_CHECKING:
    from weatherglass.measures import Results
    from weatherglass.seedlab import GroupDifference


@click.command()
@click.argument("corpora", metavar="CORPUS...", nargs=-1, required=True)
@group_options("Compare the values of this column of the corpus.")
@click.option(
    "--formula",
    metavar="COLUMNS",
    help="Instead of --by: columns joined by +, such as 'party + year'. Each is tested with the "
    "others held constant; columns of numbers are numbers, unless written C(year).",
)
@click.option(
    "--against",
    metavar="GROUP",
    help="Compare each group with this one only, not every two.",
)
@tests_options
@case_option()
@missing_option()
@overlap_option
@click.option(
    "--vectors",
    metavar="SOURCE",
    help="Use the embedding space of this source. By default one is trained on all documents "
    "(ppmi-svd).",
)
@space_options
@word_options
@click.option(
    "--permutations",
    type=click.IntRange(19),
    default=9_999,
    show_default=True,
    help="How often documents' values are exchanged at random; nothing is trained again.",
)
@seed_option
@output_options(plot=True, paper=True)
def groups(
    corpora: tuple[str, ...],
    by: str | None,
    formula: str | None,
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    output: Output,
    **options: Any,
) -> None:
    """Compare groups of documents in one embedding space, also groups of few words.

    Vectors are trained once, on all documents. In each group a word has the vector of its contexts
    there, by a transform learned from all words (a la carte embeddings). Permuting the documents'
    values tests the difference of groups; `weatherglass compare` instead trains vectors on each
    group, which needs much more text. Documents are the units: with `CORPUS?documents=author`, all
    texts of an author are permuted together.
    """
    from weatherglass.catalog import Test
    from weatherglass.seedlab import compare_groups

    if not ids and not files:
        raise UsageError("Name a test with --test ID, or give your own with --tests FILE.")
    if len(corpora) == 1 and by is None and formula is None:
        raise UsageError("Give --by COLUMN, --formula COLUMNS, or two corpora.")
    if len(corpora) > 1 and by is not None:
        raise UsageError("Give --by with a single corpus; several corpora are groups already.")
    tests = select_tests(ids, files, Test)
    compared: Any = corpora[0] if len(corpora) == 1 else label_corpora(corpora)
    tokenizer = pop_tokenizer(options)
    with progress_bar("comparing groups") as draw:
        results = compare_groups(
            compared,
            tests,
            by=by,
            formula=formula,
            tokenizer=tokenizer,
            progress=lambda stage, done, total: draw(done, total, stage),
            **options,
        )
    write_results(results, output, _table)


def _table(results: Results[GroupDifference]) -> str:
    sized = [result for result in results if result.total]
    text = table(_size_rows(sized), "Groups") if sized else ""
    done = [result for result in results if result.is_done]
    text += table([_row(result) for result in done], "Differences") if done else ""
    return text + remarks(_space_remarks(done))


def _size_rows(results: list[GroupDifference]) -> list[dict[str, Any]]:
    """The text of each group of each test, each once; of a column of numbers, all text."""
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    for result in results:
        everything = {} if result.groups or result.total is None else {"all": result.total}
        for name, size in (result.sizes | everything).items():
            rows.setdefault(
                (result.test, result.column, name),
                {
                    "test": result.test,
                    "column": result.column,
                    "group": name,
                    "documents": f"{size.documents:,}",
                    "words": f"{size.tokens:,}",
                    "X": f"{size.x:,}",
                    "Y": f"{size.y:,}",
                },
            )
    return list(rows.values())


def _row(result: GroupDifference) -> dict[str, Any]:
    from weatherglass.significance import format_p

    assert result.p is not None
    assert result.p_holm is not None
    row = {"test": result.test, "difference": result.contrast}
    effects = [result.sizes[name].effect or 0.0 for name in result.groups]
    row["effects"] = ", ".join(f"{effect:.2f}" for effect in effects)
    return row | {
        "value": f"{result.value:+.2f}",
        "95 %": interval_text(result.main_interval),
        "p": str(result.p),
        "p Holm": format_p(result.p_holm),
        "detectable": f"{result.detectable:.2f}",
        "grade": result.finding.grade,
    }


def _space_remarks(results: list[GroupDifference]) -> list[str]:
    if not results:
        return []
    transform = results[0].source["transform"]
    lines = [
        "X and Y: how often words of the target sets occur. Detectable: the difference that is "
        "found with 80 % power at p ≤ 0.05.",
        f"The transform of contexts fits the vectors of {transform['words']:,} words with a median "
        f"cosine of {transform['fit']:.2f}.",
    ]
    for result in results:
        lines += [f"{note}." for note in result.source.get("notes", ())]
    return list(dict.fromkeys(lines))
