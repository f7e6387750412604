"""Options of the commands that read a corpus or train on one: what a word is, and how to train."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from .options import Command, add_options

if TYPE_CHECKING:
    from weatherglass.corpus import Tokenizer

_WORD_OPTIONS = (
    click.option("--keep-case", is_flag=True, help="Do not convert words to lower case."),
    click.option(
        "--words",
        type=click.Choice(["letters", "spaces"]),
        default="letters",
        show_default=True,
        help="A word is a run of letters, or (for text that is already tokenized) the text "
        "between two spaces.",
    ),
    click.option(
        "--apostrophes",
        type=click.Choice(["possessive", "keep", "split"]),
        default="possessive",
        show_default=True,
        help="Apostrophes within words: keep them but drop a final 's (possessive), keep all, or "
        "split the word.",
    ),
    click.option("--hyphens", is_flag=True, help="Words may contain hyphens."),
    click.option("--numbers", is_flag=True, help="Words may contain digits."),
    click.option(
        "--min-count",
        type=click.IntRange(1),
        default=10,
        show_default=True,
        help="Minimum number of occurrences of a word.",
    ),
)
_MODEL_OPTIONS = (
    click.option(
        "--dim",
        type=click.IntRange(1),
        default=100,
        show_default=True,
        help="Dimensions of the vectors.",
    ),
    click.option(
        "--window",
        type=click.IntRange(1),
        default=5,
        show_default=True,
        help="Context words on each side.",
    ),
    click.option(
        "--epochs",
        type=click.IntRange(1),
        default=5,
        show_default=True,
        help="sgns: passes over the corpus.",
    ),
)
_GROUP_OPTIONS = (
    click.option(
        "--bins",
        metavar="N|year|decade|century|EDGES",
        help="With --by: divide numbers or dates into N groups of about equally many documents, "
        "into years, decades or centuries, or at edges such as 1861,1901,1946.",
    ),
    click.option(
        "--only",
        multiple=True,
        metavar="VALUE",
        help="With --by: choose this group; repeatable.",
    ),
    click.option(
        "--where",
        multiple=True,
        metavar="CONDITION",
        help="Choose texts by a column: =, !=, <, <=, > or >= and a value, such as 'year>=1900' or "
        "'party=Democratic|Republican'; repeatable.",
    ),
)
min_size_option = click.option(
    "--min-size",
    type=click.IntRange(0),
    default=10_000,
    show_default=True,
    help="With --by: values with fewer tokens are skipped, and reported.",
)
method_option = click.option(
    "--method",
    type=click.Choice(["ppmi-svd", "sgns"]),
    default="ppmi-svd",
    show_default=True,
    help="The singular value decomposition of positive pointwise mutual information, or skip-gram "
    "with negative sampling (needs gensim), which is much slower.",
)


def bootstrap_option(minimum: int) -> Callable[[Command], Command]:
    """Add ``--bootstrap``, the number of bootstrap samples."""
    return click.option(
        "--bootstrap",
        type=click.IntRange(minimum),
        default=20,
        show_default=True,
        help="Number of bootstrap samples of the documents to train on as well.",
    )


def group_options(by: str) -> Callable[[Command], Command]:
    """Add ``--by``, described by `by`, and ``--bins``, ``--only`` and ``--where``."""
    column = click.option("--by", metavar="COLUMN", help=by)
    return lambda command: add_options(command, [column, *_GROUP_OPTIONS])


def model_options(command: Command) -> Command:
    """Add the options that every training method has."""
    return add_options(command, _MODEL_OPTIONS)


def space_options(command: Command) -> Command:
    """Add the options of vectors that are not trained in epochs: ``--dim`` and ``--window``."""
    return add_options(command, _MODEL_OPTIONS[:2])


def word_options(command: Command) -> Command:
    """Add the options of the tokenizer, and ``--min-count``."""
    return add_options(command, _WORD_OPTIONS)


def tokenizer_options(command: Command) -> Command:
    """Add the options of the tokenizer alone."""
    return add_options(command, _WORD_OPTIONS[:-1])


def token_options(command: Command) -> Command:
    """Add CORPUS, the options of the tokenizer, and ``--min-count``."""
    return click.argument("corpus")(word_options(command))


def pop_tokenizer(options: dict[str, Any]) -> Tokenizer:
    """Remove the tokenizer's options from a command's options, and return the tokenizer."""
    from weatherglass.corpus import Tokenizer

    return Tokenizer(
        lower=not options.pop("keep_case"),
        words=options.pop("words"),
        apostrophes=options.pop("apostrophes"),
        hyphens=options.pop("hyphens"),
        numbers=options.pop("numbers"),
    )
