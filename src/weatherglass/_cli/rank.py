"""``weatherglass rank``: the sources of audits by their effect in a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from weatherglass.errors import UsageError

from .output import emit, format_option, out_option, put, table


@click.command()
@click.argument(
    "folders", metavar="[DIR]...", nargs=-1, type=click.Path(file_okay=False, path_type=Path)
)
@click.option(
    "--test", "tests", multiple=True, metavar="ID", help="A test or measure; may be given again."
)
@click.option("--measure", help="Only this measure, where several have the same ID.")
@click.option("--ascending", is_flag=True, help="The smallest effect first.")
@click.option("--top", type=click.IntRange(1), help="Only so many.")
@format_option
@out_option
def rank(
    folders: tuple[Path, ...],
    tests: tuple[str, ...],
    measure: str | None,
    ascending: bool,
    top: int | None,
    form: str,
    out: Path | None,
) -> None:
    """Order the sources of audits by their effect in a test.

    DIR is a folder that `weatherglass audit` wrote, `audit` by default. The p-value is that of the
    test, p Holm is corrected over all tests of the source.
    """
    from weatherglass.auditing import rank as ranked

    if not tests:
        raise UsageError("Say which test: --test weat6.")
    asked = list(dict.fromkeys(tests))
    found = {
        test: ranked(test, list(folders) or "audit", measure=measure, ascending=ascending)[:top]
        for test in asked
    }
    if form != "table":
        emit([{"test": test, **row} for test, rows in found.items() for row in rows], form, out=out)
        return
    made = (
        table([_shown(row) for row in rows], f"{test}, by effect") for test, rows in found.items()
    )
    put("\n".join(made), out)


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    from weatherglass.significance import format_p

    told = dict(row)
    told["effect"] = "" if row["effect"] is None else f"{row['effect']:.2f}"
    told["p"] = "" if row["p"] is None else format_p(row["p"])
    told["p Holm"] = "" if row["p_holm"] is None else format_p(row["p_holm"])
    del told["p_holm"], told["reason"]
    return told | {"": row["reason"]}
