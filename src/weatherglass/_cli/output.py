"""What a command prints: rows as a table for people, or as JSON, TSV or CSV for programs."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from weatherglass.errors import CannotWrite

from .typeset import STYLES, latex, markdown

Command = TypeVar("Command", bound=Callable[..., Any])
Row = Mapping[str, Any]
_SHORT = 24
_LONG = 1000
_STYLE = "weatherglass.style"

# C0 and C1 control characters, and the marks that reorder text on the screen.
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))} | {
    code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
}


def format_choice(*more: str, help: str = "How to print the result.") -> Callable[..., Any]:
    """``--format table|json|tsv|csv|markdown|latex``, and `more`.

    Markdown and LaTeX are the table in another dress: commands see ``table``, and `table` looks up
    how to write it.
    """
    forms = ["table", "json", "tsv", "csv", *more, *STYLES]
    return click.option(
        "--format",
        "form",
        type=click.Choice(forms),
        default="table",
        show_default=True,
        callback=_dressed,
        help=help,
    )


def format_option(command: Command) -> Command:
    """Add ``--format``."""
    made: Command = format_choice()(command)
    return made


def _dressed(context: click.Context, option: click.Parameter, form: str) -> str:
    context.meta[_STYLE] = form if form in STYLES else ""
    return "table" if form in STYLES else form


def style() -> str:
    """``markdown``, ``latex``, or nothing for a table on a terminal."""
    context = click.get_current_context(silent=True)
    return str(context.meta.get(_STYLE, "")) if context else ""


def remarks(lines: Iterable[str]) -> str:
    """Lines under a table; in LaTeX they are comments."""
    before = "% " if style() == "latex" else ""
    return "".join(f"{before}{printable(line)}\n" for line in lines)


def out_option(command: Command) -> Command:
    """Add ``-o FILE``."""
    return click.option(
        "-o",
        "--out",
        type=click.Path(dir_okay=False, path_type=Path),
        callback=_writable,
        help="Write to this file instead of printing.",
    )(command)


def _drawable(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a picture that cannot be written before anything is measured."""
    if path is not None and path.suffix not in (".svg", ".png", ".pdf", ".html", ".json"):
        raise click.BadParameter(f"{path.name} must end in .svg, .png, .pdf, .html or .json.")
    return _writable(context, option, path)


def _writable(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    if path is None:
        return None
    if not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {path.parent}.")
    is_device = path.exists() and not path.is_file()
    if not is_device and not os.access(path.parent, os.W_OK):
        raise click.BadParameter(f"nothing can be written to the folder {path.parent}.")
    return path


def plot_option(command: Command) -> Command:
    """Add ``--plot FILE``."""
    return click.option(
        "--plot",
        "picture",
        type=click.Path(dir_okay=False, path_type=Path),
        callback=_drawable,
        help="Also draw the results: a file that ends in .svg, .png, .pdf, .html or .json "
        "(Vega-Lite).",
    )(command)


def printable(value: object) -> str:
    r"""A cell's text with control characters made visible.

    >>> print(printable("a\tb\x1b[31m"))
    a\x09b\x1b[31m
    """
    text = "" if value is None else str(value)
    return text.translate(_CONTROL).encode("utf-8", "backslashreplace").decode()


def table(rows: Sequence[Row], title: str | None = None) -> str:
    """Rows as a table for a terminal; numbers to the right. Very long ones are plain columns."""
    if not rows:
        return "Nothing to show.\n"
    if style():
        return (markdown if style() == "markdown" else latex)(rows, title) + "\n"
    if len(rows) > _LONG:
        return delimited(rows, "\t")
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD)
    needed = 2  # a number must not be cut, however narrow the terminal
    for name in rows[0] if rows else ():
        right = all(isinstance(row[name], int | float | None) for row in rows)
        # In a narrow terminal long cells wrap, numbers never; a long column without a name only
        # explains the others, and is cut to the room they leave.
        longest = max(len(printable(name)), *(len(printable(row[name])) for row in rows))
        short = longest <= _SHORT
        needed += 3 + (longest if short else _SHORT // 2)
        more: Any = {"no_wrap": short, "overflow": "fold"}
        if not name and not short:
            more = {"no_wrap": True, "overflow": "ellipsis", "ratio": 1}
            grid.expand = True
        grid.add_column(Text(printable(name)), justify="right" if right else "left", **more)
    for row in rows:
        grid.add_row(*(Text(printable(cell)) for cell in row.values()))
    stream = io.StringIO()
    width = max(shutil.get_terminal_size().columns if sys.stdout.isatty() else 160, needed)
    Console(file=stream, width=width, color_system=None, highlight=False).print(grid)
    lines = [printable(title)] if title else []  # outside: rich would fold it to the table's width
    return "\n".join(lines + [line.rstrip() for line in stream.getvalue().splitlines()]) + "\n"


def delimited(rows: Sequence[Row], delimiter: str) -> str:
    """Rows as TSV or CSV with a header line."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    if rows:
        writer.writerow(map(printable, rows[0]))
    writer.writerows([printable(cell) for cell in row.values()] for row in rows)
    return stream.getvalue()


def emit(
    rows: Sequence[Row],
    form: str,
    *,
    document: object | None = None,
    title: str | None = None,
    out: Path | None = None,
) -> None:
    """Print `rows` in the format asked for; JSON prints `document` where one is given."""
    if form == "json":
        content = rows if document is None else document
        text = json.dumps(content, indent=2, ensure_ascii=True, allow_nan=False, default=str) + "\n"
    elif form == "table":
        text = table(rows, title)
    else:
        text = delimited(rows, {"tsv": "\t", "csv": ","}[form])
    put(text, out)


def put(text: str, out: Path | None) -> None:
    """Print a text, or write it to a file; where that fails, it is not lost but printed."""
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        write_whole(out, text)
    except CannotWrite as error:
        click.echo(text, nl=False)
        raise CannotWrite(f"{error} It was printed instead.") from None


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is never seen half-written."""
    from weatherglass._files import write_text

    write_text(path, text)


_PATIENCE = 1.0


@contextlib.contextmanager
def progress_bar(what: str) -> Iterator[Callable[..., None]]:
    """Give a function that takes the work done and the work in all, and draws when it is late; and
    what is being done now, if that changes."""
    if not sys.stderr.isatty():
        yield lambda done, total, now=what: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    start = time.monotonic()
    with contextlib.ExitStack() as stack:
        bar: Progress | None = None

        def draw(done: int, total: int, now: str = what) -> None:
            nonlocal bar
            if bar is None and time.monotonic() - start > _PATIENCE:
                bar = stack.enter_context(Progress(console=Console(stderr=True), transient=True))
                bar.add_task(escape(what))
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done, total=total, description=escape(now))

        yield draw
