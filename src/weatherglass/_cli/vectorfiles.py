"""What the commands that write vectors share: open a source, choose a format, write a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weatherglass.errors import UsageError

from .progress import progress_bar

if TYPE_CHECKING:
    from weatherglass.vectors import Vectors
    from weatherglass.vectors.formats import Format


def opened(source: str) -> Vectors:
    """A source, whole, with a progress bar."""
    from weatherglass.vectors import open_vectors

    with progress_bar(f"reading {source}") as draw:
        return open_vectors(source, progress=draw)


def format_of(out: Path) -> Format:
    """The format to write, found before anything is read."""
    from weatherglass.vectors.detect import format_for_writing

    if not out.parent.is_dir():
        raise UsageError(f"There is no folder {out.parent}.")
    return format_for_writing(out)


def write(found: Vectors, form: Format, out: Path) -> None:
    """Write vectors, and say so."""
    assert form.write is not None
    form.write(found, out)
    click.echo(f"{len(found):,} words × {found.dim} in {out} ({form.name}).", err=True)
