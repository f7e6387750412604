"""``weatherglass train``: vectors from a corpus, with bootstraps."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import chosen_tokenizer, min_size_option, model_options, spread_options, token_options
from .output import emit, format_option, printable, progress_bar
from .run_tests import seed_option

if TYPE_CHECKING:
    from weatherglass.corpus import Trained


@click.command()
@token_options
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="The folder for the models. If it holds some of them, training goes on from there.",
)
@click.option(
    "--method",
    type=click.Choice(["sgns", "ppmi-svd"]),
    default="sgns",
    show_default=True,
    help="Skip-gram with negative sampling (needs gensim), or factors of mutual information, which "
    "are much faster.",
)
@model_options
@click.option(
    "--negative",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="sgns: noise words for each word.",
)
@click.option(
    "--sample",
    type=float,
    default=1e-3,
    show_default=True,
    help="sgns: the share of the text above which a word is passed over at times.",
)
@click.option(
    "--smoothing",
    type=float,
    default=0.75,
    show_default=True,
    help="ppmi-svd: the power of context counts.",
)
@click.option(
    "--shift",
    type=float,
    default=1.0,
    show_default=True,
    help="ppmi-svd: the number whose logarithm lowers every cell.",
)
@click.option(
    "--power",
    type=float,
    default=0.5,
    show_default=True,
    help="ppmi-svd: the power of the singular values in the vectors.",
)
@click.option(
    "--bootstrap",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="How many samples of the documents to train on as well.",
)
@click.option(
    "--by",
    metavar="COLUMN",
    help="Train models for each value of this column of the corpus.",
)
@min_size_option
@seed_option
@spread_options(
    "Processes that train; by default as many as there are processors.",
    "each model is a task; its workers must see the folder of -o",
)
@format_option
def train(corpus: str, out: Path, form: str, **options: Any) -> None:
    """Train vectors on CORPUS, and on bootstrap samples of its documents.

    A sample is as many documents as there are, drawn with replacement. Models land in the folder
    as they finish: full.parquet, boot-000.parquet, … The same command goes on where it was
    stopped; the same seed gives the same vectors, whatever the number of workers. See
    `weatherglass corpus --help` for what a corpus can be.
    """
    from weatherglass.corpus import train as run

    tokenizer = chosen_tokenizer(options)
    with _stages(corpus) as draw:
        trained = run(corpus, out, tokenizer=tokenizer, progress=draw, **options)
    for note in trained.notes:
        click.echo(printable(f"weatherglass: {note}."), err=True)
    _say(trained, options["by"], form)


@contextlib.contextmanager
def _stages(corpus: str) -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar for each stage, one after another."""
    with contextlib.ExitStack() as stack:
        stage, bar = "", None

        def draw(now: str, done: int, total: int) -> None:
            nonlocal stage, bar
            if bar is None or now != stage:
                stack.close()
                stage, bar = now, stack.enter_context(progress_bar(f"{now} {corpus}"))
            bar(done, total)

        yield draw


def _say(trained: Trained, by: str | None, form: str) -> None:
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
    emit(rows, form)
