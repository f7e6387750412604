"""The verdicts of a check as Markdown, for the summary of a CI job."""

from __future__ import annotations

import html

from weatherglass.vectors import describe_history

from .record import Check, Verdict

_SPECIAL = str.maketrans({char: f"\\{char}" for char in "\\`*_[]|~"} | {"\n": " ", "\r": " "})
_MARKS = {
    "passed": "✅ passed",
    "violated": "❌ violated",
    "waived": "☑️ waived",
    "not run": "⚠️ not run",
}


def job_summary(checked: Check) -> str:
    """Return a table of all verdicts, those that fail first, and what was checked."""
    order = {"error": 0, "warning": 1, "note": 2, "none": 3}
    verdicts = sorted(checked.verdicts, key=lambda verdict: order[verdict.level])
    lines = [
        f"## Weatherglass: {'passed' if checked.passed else 'did not pass'}",
        "",
        _text(checked.sentence()),
        "",
        "| verdict | source | rule | test | reason |",
        "|---|---|---|---|---|",
        *(_row(verdict) for verdict in verdicts),
        "",
    ]
    policy = checked.policy
    name = _text(policy.get("file") or "a policy in memory")
    lines.append(f"Policy: {name}, SHA-256 {policy['sha256']}.")
    lines.append(f"Weatherglass {checked.version}, seed {checked.seed}.")
    lines.append("")
    for source in checked.sources:
        known = source.get("fingerprint") or source.get("reason", "")
        lines.append(f"- {_text(source['name'])}: {_text(str(known))}")
        lines += [f"  - {_text(text)}" for text in describe_history(source.get("history") or ())]
    return "\n".join(lines) + "\n"


def _row(verdict: Verdict) -> str:
    cells = (
        _MARKS[verdict.status],
        _text(verdict.source),
        _text(verdict.rule),
        f"{_text(verdict.id)}: {_text(verdict.title)}",
        _text(verdict.message),
    )
    return f"| {' | '.join(cells)} |"


def _text(text: str) -> str:
    """Return a text without markup: names of sources and tests are data."""
    visible = "".join(c if c.isprintable() or c in "\n\r" else "�" for c in text)
    return html.escape(visible.translate(_SPECIAL), quote=False)
