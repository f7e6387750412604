"""How a command prints: rows as a table for people, or as JSON, TSV or CSV for programs."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from weatherglass.errors import CannotWrite, UsageError, did_you_mean, quote_safe

from .latex import latex_table
from .masking import mask
from .typeset import STYLES, bibtex, find_works, markdown
from .verbosity import is_quiet

Row = Mapping[str, Any]
_MAX_NO_WRAP = 24
"""Characters up to which a cell is never wrapped."""
_MAX_TABLE_ROWS = 1000
_STYLE = "weatherglass.style"
_RAW_CELLS = "weatherglass.raw_cells"
_PAPER = "weatherglass.paper"

# C0 and C1 control characters, and the marks that reorder text on the screen.
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))} | {
    code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
}


@dataclass(frozen=True)
class Output:
    """The values of ``--format``, ``-o`` and ``--plot``, and how to write with them.

    `chart` names the chart to draw, where a command has several; empty is its usual one.
    """

    format: str
    path: Path | None = None
    plot: Path | None = None
    chart: str = ""

    @property
    def delimiter(self) -> str:
        """The delimiter of the formats tsv and csv."""
        return {"tsv": "\t", "csv": ","}[self.format]

    def delimit_results(self, results: Any) -> str:
        """Format a result set as TSV or CSV."""
        raw = has_raw_cells()
        if _paper_options().get("columns"):
            return delimited(results.to_rows(), self.delimiter)
        return str(results.to_delimited(self.delimiter, record=raw, raw_cells=raw))

    def write_bibtex(self, results: Iterable[Any]) -> None:
        """Write the publications to cite to the file of ``--bibtex``, if it was given."""
        path = _paper_options().get("bibtex")
        if path is not None:
            write_whole(path, bibtex(find_works(results)))

    def write(self, text: str) -> None:
        """Print a text, or write it to the file of ``-o``; if that fails, print it after all."""
        _check_columns_used()
        if self.path is None:
            click.echo(text, nl=False)
            return
        try:
            write_whole(self.path, text)
        except CannotWrite as error:
            click.echo(text, nl=False)
            raise CannotWrite(f"{error} It was printed instead.") from None

    def write_rows(
        self, rows: Sequence[Row], *, document: object | None = None, title: str | None = None
    ) -> None:
        """Write rows in the chosen format; JSON is `document` if there is one."""
        if self.format == "json":
            content = rows if document is None else document
            options: Any = {"indent": 2, "ensure_ascii": True, "allow_nan": False, "default": str}
            self.write(json.dumps(content, **options) + "\n")
        elif self.format == "table":
            self.write(table(rows, title))
        else:
            self.write(delimited(rows, self.delimiter))

    def draw(self, results: Any, **options: Any) -> None:
        """Draw results to the file of ``--plot``, if it was given."""
        if self.plot is not None:
            from weatherglass.report import plot, save_plot

            save_plot(plot(results, **options), self.plot)


def set_style(context: click.Context, option: click.Parameter, form: str) -> str:
    """Callback of ``--format``: Markdown and LaTeX are styles of the format ``table``."""
    context.meta[_STYLE] = form if form in STYLES else ""
    return "table" if form in STYLES else form


def set_raw_cells(context: click.Context, option: click.Parameter, value: bool) -> bool:
    """Callback of ``--raw-cells``."""
    context.meta[_RAW_CELLS] = value
    return value


def set_paper_option(context: click.Context, option: click.Parameter, value: Any) -> Any:
    """Callback of the options of a table for a paper, such as ``--columns``."""
    if value:
        context.meta.setdefault(_PAPER, {})[option.name] = value
    return value


def _paper_options() -> dict[str, Any]:
    context = click.get_current_context(silent=True)
    return dict(context.meta.get(_PAPER, {})) if context else {}


def _take_paper_options(known: Sequence[str] = ()) -> dict[str, Any]:
    """Return the options of a table for a paper that has these columns.

    ``--columns``, ``--caption`` and ``--label`` apply to one table: the first that has all the
    columns that were named.
    """
    options = _paper_options()
    context = click.get_current_context(silent=True)
    if context is not None:
        if not set(options.get("columns", ())) <= set(known):
            seen = [*options.get("seen", ()), *known]
            context.meta[_PAPER] = options | {"seen": list(dict.fromkeys(seen))}
            names = ("columns", "caption", "label")
            return {name: value for name, value in options.items() if name not in names}
        kept = {name: options[name] for name in ("siunitx", "bibtex") if name in options}
        context.meta[_PAPER] = kept | {"is_used": True}
    if not options.get("is_used") and context is not None:
        options.setdefault("label", f"tab:{context.info_name}")
    return options


def _check_columns_used() -> None:
    """Refuse columns of ``--columns`` that no table has."""
    options = _paper_options()
    known = options.get("seen", ())
    for name in options.get("columns", ()):
        if known and name not in known:
            hint = did_you_mean(name, known) or f" It has {', '.join(filter(None, known))}."
            raise UsageError(f"The table has no column {quote_safe(name)}.{hint}")
    if known and options.get("columns"):
        raise UsageError("No table has all the columns of --columns; they are in several tables.")


def _column_names(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _select_columns(rows: Sequence[Row], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows with these columns only, in this order."""
    return [{name: row.get(name) for name in names} for row in rows]


def _drop_empty_columns(rows: Sequence[Row], others: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows without `others` and the columns in which no row has anything."""
    filled = {name for row in rows for name, cell in row.items() if cell not in (None, "")}
    kept = filled - set(others)
    return [{name: cell for name, cell in row.items() if name in kept} for row in rows]


def source_title(what: str, source: str) -> str:
    """Return the title of a table; in a paper without the folder of the source."""
    return f"{what} on {Path(source).name if style() and '/' in source else source}"


def has_raw_cells() -> bool:
    """Return whether CSV and TSV are for programs, not for spreadsheets."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(_RAW_CELLS))


def style() -> str:
    """Return ``markdown`` or ``latex``, or an empty text for a table on a terminal."""
    context = click.get_current_context(silent=True)
    return str(context.meta.get(_STYLE, "")) if context else ""


def remarks(lines: Iterable[str]) -> str:
    """Format lines under a table, slurs masked; in LaTeX they are comments."""
    prefix = "% " if style() == "latex" else ""
    return "".join(f"{prefix}{printable(mask(line))}\n" for line in lines)


def printable(value: object) -> str:
    r"""Format a cell, with control characters made visible.

    >>> print(printable("a\tb\x1b[31m"))
    a\x09b\x1b[31m
    """
    text = "" if value is None else str(value)
    return text.translate(_CONTROL).encode("utf-8", "backslashreplace").decode()


def table(rows: Sequence[Row], title: str | None = None, *, details: Sequence[str] = ()) -> str:
    """Format rows as a table for a terminal, numbers to the right; very long tables as TSV.

    Columns that are empty in every row are left out. `details` are columns that tables for papers
    have only if ``--columns`` names them. Slurs are masked, but not in TSV.
    """
    if not rows:
        return "Nothing to show.\n"
    paper = _take_paper_options(_column_names(rows))
    title = paper.get("caption") or title
    if columns := paper.get("columns"):
        rows = _select_columns(rows, columns)
    else:
        rows = _drop_empty_columns(rows, details if style() else ())
    if len(rows) > _MAX_TABLE_ROWS and not style():
        return delimited(rows, "\t")
    rows = [
        {name: mask(cell) if isinstance(cell, str) else cell for name, cell in row.items()}
        for row in rows
    ]
    if style() == "markdown":
        return markdown(rows, title) + "\n"
    if style() == "latex":
        label, siunitx = paper.get("label", ""), "siunitx" in paper
        return latex_table(rows, title or "", label, siunitx=siunitx) + "\n"
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD)
    min_width = 2  # a number must not be cut, however narrow the terminal
    for name in rows[0] if rows else ():
        is_numeric = all(isinstance(row[name], int | float | None) for row in rows)
        # In a narrow terminal long cells wrap, numbers never. A long column without a name holds
        # titles, which only explain the others and are cut to the room they leave, or sentences
        # such as verdicts, which are never cut: the limit is at their end.
        longest = max(len(printable(name)), *(len(printable(row[name])) for row in rows))
        is_short = longest <= _MAX_NO_WRAP
        min_width += 3 + (longest if is_short else _MAX_NO_WRAP // 2)
        layout: Any = {"no_wrap": is_short, "overflow": "fold"}
        if not name and not is_short:
            has_sentences = any(printable(row[name]).endswith(".") for row in rows)
            cut = {
                "no_wrap": not has_sentences,
                "overflow": "fold" if has_sentences else "ellipsis",
            }
            layout = {**cut, "ratio": 1}
            grid.expand = True
        grid.add_column(Text(printable(name)), justify="right" if is_numeric else "left", **layout)
    for row in rows:
        grid.add_row(*(Text(printable(cell)) for cell in row.values()))
    stream = io.StringIO()
    width = max(shutil.get_terminal_size().columns if sys.stdout.isatty() else 160, min_width)
    Console(file=stream, width=width, color_system=None, highlight=False).print(grid)
    lines = [printable(title)] if title else []  # outside: rich would fold it to the table's width
    return "\n".join(lines + [line.rstrip() for line in stream.getvalue().splitlines()]) + "\n"


def delimited(rows: Sequence[Row], delimiter: str) -> str:
    """Format rows as TSV or CSV with a header line."""
    from weatherglass._files import delimited_text  # late, so that `--help` starts quickly

    if columns := _take_paper_options(_column_names(rows)).get("columns"):
        rows = _select_columns(rows, columns)
    lines: list[list[Any]] = [list(rows[0]), *(list(row.values()) for row in rows)] if rows else []
    # Numbers stay numbers: a minus sign in front of a text would be taken for a formula.
    cells = [[c if isinstance(c, int | float) else printable(c) for c in line] for line in lines]
    return delimited_text(cells, delimiter, raw_cells=has_raw_cells())


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically."""
    from weatherglass._files import write_text  # late, so that `--help` starts quickly

    write_text(path, text)


def announce(sentence: str) -> None:
    """Print a sentence about what is being done to stderr; ``-q`` suppresses it."""
    if not is_quiet():
        click.echo(printable(f"weatherglass: {sentence}."), err=True)


_SECONDS_BEFORE_BAR = 1.0
_SECONDS_BETWEEN_LINES = 10.0


@contextlib.contextmanager
def progress_bar(title: str) -> Iterator[Callable[..., None]]:
    """Give a function of the work done, the work in total and, optionally, another title.

    On a terminal it draws a progress bar after a second. Elsewhere, such as in the log of a CI
    job, it prints a line every ten seconds; short work prints nothing. ``-q`` suppresses both.
    """
    if is_quiet():
        yield lambda done, total, current=title: None
        return
    if not sys.stderr.isatty():
        yield _progress_lines(title)
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    start = time.monotonic()
    with contextlib.ExitStack() as stack:
        bar: Progress | None = None

        def draw(done: int, total: int, current: str = title) -> None:
            nonlocal bar
            if bar is None and time.monotonic() - start > _SECONDS_BEFORE_BAR:
                bar = stack.enter_context(Progress(console=Console(stderr=True), transient=True))
                bar.add_task(escape(title))
            if bar is not None:
                task = bar.task_ids[0]
                bar.update(task, completed=done, total=total, description=escape(current))

        yield draw


def _progress_lines(title: str) -> Callable[..., None]:
    """Return a function that prints progress as plain lines, at most one every ten seconds."""
    start = last = time.monotonic()

    def draw(done: int, total: int, current: str = title) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _SECONDS_BETWEEN_LINES:
            return
        last = now
        step = title if current == title else f"{title}: {current}"
        seconds = f"{now - start:.0f} s"
        click.echo(f"{printable(step)}: {done:,} of {total:,} ({seconds})", err=True)

    return draw
