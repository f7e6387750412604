"""What changed between two audits, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from weatherglass.errors import join_first

from .output import delimited, table, write_whole

if TYPE_CHECKING:
    from weatherglass.auditing import Change
    from weatherglass.report import AuditResult

_MAX_ROWS = 20
_P_VALUES = ("p", "p_rotation", "p_holm", "pearson_p")


def write_changes(
    before: AuditResult, after: AuditResult, out: Path, *, is_printed: bool
) -> Sequence[Change]:
    """Write all changes to ``changes.tsv`` and return them; print the first ones if asked to."""
    from weatherglass.auditing import find_changes

    changes = find_changes(before, after)
    write_whole(out / "changes.tsv", delimited([vars(change) for change in changes], "\t"))
    if is_printed:
        has_many = max(len(audited.about["sources"]) for audited in (before, after)) > 1
        click.echo(changes_text(changes, has_many), nl=False)
    return changes


def changes_text(changes: Sequence[Change], with_source: bool) -> str:
    """Return the changed signs, and a table of the first changes."""
    if not changes:
        return "Nothing changed.\n"
    from weatherglass.significance import format_p

    in_both = [change for change in changes if change.of_both]
    rows = [
        {
            **({"source": change.source} if with_source else {}),
            "measure": change.measure,
            "test": change.test,
            "number": change.number,
            **dict(zip(("before", "after"), _format_pair(change), strict=True)),
            "p of change": "" if change.p is None else format_p(change.p),
        }
        for change in in_both[:_MAX_ROWS]
    ]
    if not any(row["p of change"] for row in rows):
        rows = [{name: row[name] for name in row if name != "p of change"} for row in rows]
    flipped = [
        f"{c.test or c.measure}{f' on {c.source}' if c.source else ''} "
        f"({c.before:.2f} → {c.after:.2f})"
        for c in in_both
        if c.is_sign_flip
    ]
    limited = f", the first {_MAX_ROWS}" if len(in_both) > _MAX_ROWS else ""
    text = f"Changed sign: {join_first(flipped, _MAX_ROWS)}.\n" if flipped else ""
    text += table(rows, f"{len(in_both):,} numbers changed{limited}") if in_both else ""
    only_before = sum(change.after is None for change in changes)
    only_after = sum(change.before is None for change in changes)
    if only_before or only_after:
        text += (
            f"{only_before:,} numbers are only in the earlier audit, {only_after:,} only in this "
            "one.\n"
        )
    return text


def _format_pair(change: Change) -> list[str]:
    """Format both numbers as usual, with more digits if these would hide the change."""
    pair = [change.before, change.after]
    if not all(isinstance(value, float) for value in pair):
        return [str(value) for value in pair]
    from weatherglass.significance import format_p

    format_number = format_p if change.number in _P_VALUES else "{:.2f}".format
    short = [format_number(value) for value in pair]
    return short if short[0] != short[1] else [f"{value:.6g}" for value in pair]
