"""``weatherglass query``: query the results of audits in SQL."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from .options import folders_argument, output_options
from .output import Output


@click.command()
@click.argument("sql")
@folders_argument
@output_options()
def query(sql: str, folders: tuple[Path, ...], output: Output) -> None:
    """Query the results of audits in SQL, as the table `results`.

    DIR is a folder that `weatherglass audit` wrote, `audit` by default; several become one table,
    with the column folder. A row is a test or measure on a source: model, test, measure,
    dimension, effect, p, p_corrected, grade, finding, status and more (`DESCRIBE results` lists
    them), and the facts about sources, such as step or year. A query has no access to files or the
    network.
    """
    from weatherglass.auditing import query as run

    table = run(sql, list(folders) or "audit")
    is_short = output.format == "table"
    rows = [{name: _plain(value, is_short) for name, value in row.items()} for row in table]
    output.write_rows(rows)


def _plain(value: Any, is_short: bool) -> Any:
    """A value that JSON can represent; a number with six digits if `is_short`."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return None
    return float(f"{value:.6g}") if is_short else value
