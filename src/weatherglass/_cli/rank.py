"""``weatherglass rank``: rank the sources of audits by their effect size in a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from weatherglass.errors import UsageError

from .options import folders_argument, output_options
from .output import Output, table


@click.command()
@folders_argument
@click.option("--test", "tests", multiple=True, metavar="ID", help="A test or measure; repeatable.")
@click.option("--measure", help="Only this measure, if several have the same ID.")
@click.option("--ascending", is_flag=True, help="Smallest effect first; by default the largest.")
@click.option("--top", type=click.IntRange(1), help="Maximum number of sources.")
@output_options()
def rank(
    folders: tuple[Path, ...],
    tests: tuple[str, ...],
    measure: str | None,
    ascending: bool,
    top: int | None,
    output: Output,
) -> None:
    """Rank the sources of audits by their effect size in a test.

    DIR is a folder that `weatherglass audit` wrote, `audit` by default. The p-value is that of the
    test; p Holm is corrected over all tests of the source.
    """
    from weatherglass.auditing import rank as rank_sources

    if not tests:
        raise UsageError("Name a test, such as --test weat6.")
    ranked = {
        test: rank_sources(test, list(folders) or "audit", measure=measure, ascending=ascending)
        for test in dict.fromkeys(tests)
    }
    if output.format != "table":
        output.write_rows(
            [{"test": test, **row} for test, rows in ranked.items() for row in rows[:top]]
        )
        return
    tables = (
        table([_format_row(row) for row in rows[:top]], f"{test}, by effect")
        for test, rows in ranked.items()
    )
    output.write("\n".join(tables))


def _format_row(row: dict[str, Any]) -> dict[str, Any]:
    from weatherglass.significance import format_p

    cells = dict(row)
    cells["effect"] = "" if row["effect"] is None else f"{row['effect']:.2f}"
    cells["p"] = "" if row["p"] is None else format_p(row["p"])
    cells["p Holm"] = "" if row["p_holm"] is None else format_p(row["p_holm"])
    del cells["p_holm"], cells["reason"]
    return cells | {"": row["reason"]}
