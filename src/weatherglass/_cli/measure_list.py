"""``weatherglass measure --list``: the measures and what is declared of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .output import emit, put, table

if TYPE_CHECKING:
    from weatherglass.measures import Measure


def list_measures(asked: Sequence[Measure], form: str, out: Path | None) -> None:
    """Print what is declared: a line a measure, or all that is known of the only one."""
    if form != "table" or len(asked) > 1:
        documents = [_document(one) for one in asked]
        emit([_entry(one) for one in asked], form, document=documents, out=out)
        return
    (which,) = asked
    sets = [
        {"set": one.name, "words": f"≥ {one.least}", "what for": one.meaning} for one in which.needs
    ]
    if which.further:
        sets.append({"set": "others", "words": "≥ 1", "what for": which.further})
    pairs = "The words of A and B answer each other in their order.\n" * which.paired
    options = ", ".join(f"{name}={value}" for name, value in which.options.items()) or "none"
    text = f"{which.title} ({which.name})\n{which.reading}\n{table(sets)}{pairs}"
    text += f"Options: {options}.\n{which.citation} doi:{which.doi}\n"
    put(text, out)


def _entry(which: Measure) -> dict[str, Any]:
    """A line of the list."""
    sets = ", ".join(f"{one.name} ≥ {one.least}" for one in which.needs)
    larger = {"more": "more bias", "less": "less bias", "either": "towards a side"}
    return {
        "name": which.name,
        "measure": which.title,
        "sets": sets + (", …" if which.further else "") + ("; A, B in pairs" * which.paired),
        "larger is": larger[which.larger],
        "options": " ".join(f"{name}={value}" for name, value in which.options.items()),
        "doi": which.doi,
    }


def _document(which: Measure) -> dict[str, Any]:
    """All that is declared of a measure."""
    return {
        "name": which.name,
        "title": which.title,
        "sets": [
            {"name": one.name, "least": one.least, "meaning": one.meaning} for one in which.needs
        ],
        "further": which.further,
        "paired": which.paired,
        "options": which.options,
        "reading": which.reading,
        "low": which.low,
        "high": which.high,
        "neutral": which.neutral,
        "larger": which.larger,
        "citation": which.citation,
        "doi": which.doi,
    }
