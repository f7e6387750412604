"""Where the work of a command is done: how many workers, on this machine or on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from weatherglass.errors import UsageError

from .output import progress_bar

if TYPE_CHECKING:
    from weatherglass.corpus import Tokenizer
    from weatherglass.vectors import Format, Vectors

Command = TypeVar("Command", bound=Callable[..., Any])


def spread_options(workers: str, tasks: str) -> Callable[[Command], Command]:
    """``--workers`` and ``--cluster``.

    Parameters
    ----------
    workers
        What local workers are, and how many by default.
    tasks
        What is a task of its own on a cluster.
    """

    def add(command: Command) -> Command:
        there = click.option(
            "--cluster",
            metavar="ADDRESS|local",
            help=f"A Dask cluster, such as tcp://host:8786, or one on this machine: {tasks}. "
            "ADDRESS?limit=600 gives up a task after so many seconds, and runs it elsewhere.",
        )
        here = click.option("--workers", type=click.IntRange(1), help=workers)
        return here(there(command))

    return add


_OPTIONS = (
    click.option("--keep-case", is_flag=True, help="Leave capital letters as they are."),
    click.option(
        "--words",
        type=click.Choice(["letters", "spaces"]),
        default="letters",
        show_default=True,
        help="A word is a run of letters, or (for text that was cut up before) what stands "
        "between spaces.",
    ),
    click.option(
        "--apostrophes",
        type=click.Choice(["possessive", "keep", "split"]),
        default="possessive",
        show_default=True,
        help="Inside a word: keep them but drop a final 's, keep all, or end the word.",
    ),
    click.option("--hyphens", is_flag=True, help="A word may hold hyphens."),
    click.option("--numbers", is_flag=True, help="A word may hold digits."),
    click.option(
        "--min-count",
        type=click.IntRange(1),
        default=10,
        show_default=True,
        help="How often a word must occur.",
    ),
)

_MODEL_OPTIONS = (
    click.option(
        "--dim", type=click.IntRange(1), default=100, show_default=True, help="Numbers a vector."
    ),
    click.option(
        "--window",
        type=click.IntRange(1),
        default=5,
        show_default=True,
        help="Words to each side that are context.",
    ),
    click.option(
        "--epochs",
        type=click.IntRange(1),
        default=5,
        show_default=True,
        help="sgns: times through the corpus.",
    ),
)

min_size_option = click.option(
    "--min-size",
    type=click.IntRange(0),
    default=10_000,
    show_default=True,
    help="With --by: values with fewer tokens are left out, and named.",
)


def model_options(command: Command) -> Command:
    """Add the options that every way to train has."""
    for add in reversed(_MODEL_OPTIONS):
        command = add(command)
    return command


def word_options(command: Command) -> Command:
    """Add the options that say what a word is."""
    for add in reversed(_OPTIONS):
        command = add(command)
    return command


def token_options(command: Command) -> Command:
    """Add CORPUS and the options that say what a word is."""
    return click.argument("corpus")(word_options(command))


def chosen_tokenizer(options: dict[str, Any]) -> Tokenizer:
    """The tokenizer that the options ask for, which are taken out."""
    from weatherglass.corpus import Tokenizer

    return Tokenizer(
        lower=not options.pop("keep_case"),
        words=options.pop("words"),
        apostrophes=options.pop("apostrophes"),
        hyphens=options.pop("hyphens"),
        numbers=options.pop("numbers"),
    )


def opened(source: str) -> Vectors:
    """A source, whole, with a progress bar."""
    from weatherglass.vectors import open_vectors

    with progress_bar(f"reading {source}") as draw:
        return open_vectors(source, progress=draw)


def format_of(out: Path) -> Format:
    """The format to write, found before anything is read."""
    from weatherglass.vectors import format_for_writing

    if not out.parent.is_dir():
        raise UsageError(f"There is no folder {out.parent}.")
    return format_for_writing(out)


def write(found: Vectors, form: Format, out: Path) -> None:
    """Write vectors, and say so."""
    assert form.write is not None
    form.write(found, out)
    click.echo(f"{len(found):,} words × {found.dim} in {out} ({form.name}).", err=True)
