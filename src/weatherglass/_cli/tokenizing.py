"""What the commands that read a corpus share: how texts are cut into words, and models made."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from weatherglass.corpus import Tokenizer

Command = TypeVar("Command", bound=Callable[..., Any])

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
