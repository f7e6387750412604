"""``weatherglass query``: questions in SQL to the results of audits."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from .output import emit, format_option, out_option


@click.command()
@click.argument("sql")
@click.argument(
    "folders", metavar="[DIR]...", nargs=-1, type=click.Path(file_okay=False, path_type=Path)
)
@format_option
@out_option
def query(sql: str, folders: tuple[Path, ...], form: str, out: Path | None) -> None:
    """Ask the results of audits a question: SQL on the table `results`.

    DIR is a folder that `weatherglass audit` wrote, `audit` by default; several are one table, with
    the column folder. A row is a test or measure on a source: model, test, measure, effect_size,
    p_value, p_holm, status and more (`DESCRIBE results` lists them), and the facts about sources,
    such as step or year. A query sees no files and no network.
    """
    from weatherglass.auditing import query as ask

    found = ask(sql, list(folders) or "audit")
    short = form == "table"
    rows = [{name: _plain(value, short) for name, value in row.items()} for row in found]
    emit(rows, form, out=out)


def _plain(value: Any, short: bool) -> Any:
    """A value as JSON can hold it; for a table a number with six digits."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return None
    return float(f"{value:.6g}") if short else value
