"""Slurs in what people read: tables and sentences mask them unless ``--show-slurs`` is given.

JSON, TSV and CSV are for programs, and have every word in full.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import click

_SHOW_SLURS = "weatherglass.show_slurs"

Command = TypeVar("Command", bound=Callable[..., Any])


def slurs_option(*, hidden: bool = False) -> Callable[[Command], Command]:
    """Add ``--show-slurs``."""
    return click.option(
        "--show-slurs",
        is_flag=True,
        expose_value=False,
        hidden=hidden,
        callback=_set_show_slurs,
        help="Do not mask slurs.",
    )


def shows_slurs() -> bool:
    """Return whether slurs are printed in full."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(_SHOW_SLURS))


def mask(text: str) -> str:
    """Return text for people to read, with slurs masked unless they are to be shown."""
    return text if shows_slurs() else _mask(text)


@cache
def _mask(text: str) -> str:
    if not any(map(str.isalpha, text)):
        return text
    from weatherglass.catalog import mask_slurs  # late, so that `--help` starts quickly

    return mask_slurs(text)


def _set_show_slurs(context: click.Context, option: click.Parameter, value: bool) -> None:
    if value:
        context.meta[_SHOW_SLURS] = True
