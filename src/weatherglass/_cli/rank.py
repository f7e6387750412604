"""``weatherglass rank``: rank the sources of audits by their effect size in a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from weatherglass.errors import UsageError, join_first

from .options import folders_argument, output_options
from .output import Output, remarks, table


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

    DIR is a folder that `weatherglass audit` wrote, `audit` by default. Effect, p and grade are
    those of the finding: p is two-sided, p corrected is Holm's over all tests of the source, and
    sentence tests count each word once. The paper's numbers, which count sentences, are in columns
    of their own.
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
        + remarks(_findings(rows[:top]))
        for test, rows in ranked.items()
    )
    output.write("\n".join(tables))


def _format_row(row: dict[str, Any]) -> dict[str, Any]:
    from weatherglass.significance import format_p

    cells: dict[str, Any] = {}
    for name, value in row.items():
        if name in ("effect", "effect_sentences"):
            cells[name.replace("_", " ")] = "" if value is None else f"{value:.2f}"
        elif name in ("p", "p_corrected", "p_sentences"):
            cells[name.replace("_", " ")] = "" if value is None else format_p(value)
        elif name not in ("finding", "reason"):
            cells[name] = value
    return cells | {"": row["reason"]}


def _findings(rows: list[dict[str, Any]]) -> list[str]:
    """The findings in sentences; sources with the same finding share a line."""
    lines: dict[str, list[str]] = {}
    for row in rows:
        lines.setdefault(f"{row['grade']}: {row['finding']}", []).append(row["source"])
    return [f"{join_first(sources, 10)}, {text}" for text, sources in lines.items()]
