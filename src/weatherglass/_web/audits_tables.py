"""Audits as tables: all of them as links, and what changed between two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

import markupsafe

from weatherglass.auditing.changes import Changed
from weatherglass.report import rounding
from weatherglass.report.arranged import short_names
from weatherglass.report.markup import element, joined
from weatherglass.report.tables import table
from weatherglass.report.words import sentence

from .audits_folders import Run
from .files import csv_text

_PS = ("p", "p_rotation", "p_holm", "pearson_p")
_NUMBERS = {
    "p_rotation": "p, random rotations",
    "p_holm": "p, Holm's correction",
    "pearson": "Pearson's r",
    "pearson_p": "p of Pearson's r",
    "spearman": "Spearman's ρ",
}


def all_of(runs: Sequence[Run]) -> markupsafe.Markup:
    """Runs as a table of links."""
    rows = []
    for run in runs:
        at = f"/audits/run?{urlencode({'run': run.name})}"
        names = short_names([one.name for one in run.about.sources]).values()
        steps = ", ".join(f"{count:,} {status}" for status, count in run.counts.items())
        rows.append(
            (
                element("a", element("bdi", sentence(run.name)), href=at),
                element(
                    "span",
                    joined(*(element("bdi", sentence(name)) for name in names), between=", "),
                ),
                sentence(run.about.suite.id),
                sentence(run.when),
                sentence(steps),
            )
        )
    heads = ("Audit", "Sources", "Suite", "When (UTC)", "Steps")
    return markupsafe.Markup(table("Audits", heads, rows))


def listed(some: Sequence[Changed], several: bool) -> markupsafe.Markup:
    """Changes as a table."""
    rows = [
        (
            sentence(one.test),
            *([element("bdi", sentence(one.source))] if several else []),
            sentence(one.measure),
            sentence(_NUMBERS.get(one.number, one.number)),
            *map(sentence, written(one)),
        )
        for one in some
    ]
    heads = ("Test", *(["Source"] if several else []), "Measure", "Number", "Before", "After")
    last = len(heads) - 1
    return markupsafe.Markup(table("Changes", heads, rows, numbers=(last - 1, last)))


def written(one: Changed) -> tuple[str, str]:
    """Both numbers as pages write them; with more digits where these hide the change.

    >>> written(Changed("", "weat", "weat6", "effect", 1.7078, 1.7112))
    ('1.708', '1.711')
    >>> written(Changed("", "weat", "weat6", "p", 0.0123, 0.5))
    ('0.012', '0.50')
    """
    pair = (one.before, one.after)
    if not all(isinstance(value, float) for value in pair):
        before, after = map(str, pair)
        return before, after
    forms: list[Callable[[Any], str]] = [
        rounding.p_value if one.number in _PS else rounding.effect,
        *(f"{{:.{digits}g}}".format for digits in (4, 6, 17)),
    ]
    for form in forms:
        before, after = map(form, pair)
        if before != after:
            break
    return before, after


def as_csv(some: Sequence[Changed]) -> str:
    """Changes as CSV."""
    return csv_text(Changed.__dataclass_fields__, (asdict(one).values() for one in some))
