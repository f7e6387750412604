"""``weatherglass train``: train vectors on a corpus and on bootstrap samples of it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .corpus_options import (
    bootstrap_option,
    group_options,
    method_option,
    min_size_option,
    model_options,
    pop_tokenizer,
    token_options,
)
from .options import language_option, output_options, seed_option, tests_options, worker_options
from .output import Output, announce, printable, progress_bar
from .run_tests import select_tests

if TYPE_CHECKING:
    from weatherglass.corpus import Trained


@click.command()
@token_options
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder for the models. If it has some of them already, training continues from there.",
)
@method_option
@model_options
@click.option(
    "--negative",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="sgns: negative samples per word.",
)
@click.option(
    "--sample",
    type=float,
    default=1e-3,
    show_default=True,
    help="sgns: share of the tokens above which a word is down-sampled.",
)
@click.option(
    "--smoothing",
    type=float,
    default=0.75,
    show_default=True,
    help="ppmi-svd: exponent of the context counts (context distribution smoothing).",
)
@click.option(
    "--shift",
    type=float,
    default=1.0,
    show_default=True,
    help="ppmi-svd: its logarithm is subtracted from every cell (shifted PPMI).",
)
@click.option(
    "--power",
    type=float,
    default=0.5,
    show_default=True,
    help="ppmi-svd: exponent of the singular values in the vectors.",
)
@language_option(
    "Language of the texts, such as de; by default the one that their metadata state. It does not "
    "change the vectors, and is stored for checks of their words."
)
@bootstrap_option(0)
@group_options("Train separate models for each value of this column of the corpus.")
@tests_options
@min_size_option
@seed_option
@worker_options(
    "Processes that train models; all processors by default.",
    "each model is a task; its workers need access to the folder of -o",
)
@output_options(out=False)
def train(
    corpus: str,
    out: Path,
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    output: Output,
    **options: Any,
) -> None:
    """Train vectors on CORPUS, and on bootstrap samples of its documents.

    A sample has as many documents as the corpus, drawn with replacement. Models are written to the
    folder as they finish: full.parquet, boot-000.parquet, … After an interruption the same command
    continues; the same seed gives the same vectors with any number of workers. With --test or
    --tests the words of tests are counted first, and nothing is trained if no test could be run.
    See `weatherglass corpus --help` for what a corpus can be.
    """
    from weatherglass.catalog import Test
    from weatherglass.corpus import train as run

    options["tests"] = select_tests(ids, files, Test) if ids or files else ()
    tokenizer = pop_tokenizer(options)
    with _stages(corpus) as draw:
        trained = run(corpus, out, tokenizer=tokenizer, progress=draw, announce=announce, **options)
    for note in trained.notes:
        click.echo(printable(f"weatherglass: {note}."), err=True)
    output.write_rows(_rows(trained, options["by"]))


@contextlib.contextmanager
def _stages(corpus: str) -> Iterator[Callable[[str, int, int], None]]:
    """Give a function that draws a progress bar for each stage, one after another."""
    with contextlib.ExitStack() as stack:
        stage, bar = "", None

        def draw(current: str, done: int, total: int) -> None:
            nonlocal stage, bar
            if bar is None or current != stage:
                stack.close()
                stage, bar = current, stack.enter_context(progress_bar(f"{current} {corpus}"))
            bar(done, total)

        yield draw


def _rows(trained: Trained, by: str | None) -> list[dict[str, Any]]:
    rows = []
    for name, group in trained.groups.items():
        folder = group.get("folder")
        models = [label for label in trained.models if label.rpartition("/")[0] == folder]
        row = {by: name} if by is not None else {}
        rows.append(
            row
            | {
                "documents": group["documents"],
                "tokens": group["tokens"],
                "words": group.get("words"),
                "models": len(models),
                "folder": str(trained.folder / folder) if folder is not None else None,
            }
        )
    return rows
