"""A picture of what lint found: how many errors, warnings and notes each seed set has."""

from __future__ import annotations

from collections import Counter
from typing import Any

from weatherglass.errors import CannotMeasure
from weatherglass.report.markup import visible
from weatherglass.report.plots import ACCENT, PALE, drawing
from weatherglass.seedlab.checks import Severity
from weatherglass.seedlab.findings import Lint

_COLOURS: dict[Severity, str] = {"error": "#9c2f2f", "warning": ACCENT, "note": PALE}
_MOST = 40


def plot_lint(found: Lint) -> Any:
    """Draw a bar for each set and pair of sets, those with the gravest findings on top.

    Parameters
    ----------
    found
        What `weatherglass.lint` gave.

    Returns
    -------
    altair.Chart
        Bars of counts by severity; at most forty of them, and the title says so.

    Examples
    --------
    >>> import weatherglass as wg
    >>> found = wg.lint(["male_1-Caliskan_et_al_2017", "female_1-Caliskan_et_al_2017"])
    >>> sum(row["findings"] for row in plot_lint(found).data.values) == len(found.findings)
    True
    """
    counts = Counter((one.sets, one.severity) for one in found.findings)
    if not counts:
        raise CannotMeasure("There is nothing to draw: lint found nothing.")
    every = sorted(
        {sets for sets, _ in counts},
        key=lambda sets: tuple(-counts[sets, severity] for severity in _COLOURS),
    )
    shown = every[:_MOST]
    rows = [
        {
            "sets": " / ".join(visible(id) for id in sets),
            "severity": severity,
            "findings": counts[sets, severity],
            "order": list(_COLOURS).index(severity),
        }
        for sets in shown
        for severity in _COLOURS
        if counts[sets, severity]
    ]
    alt = drawing()
    some = f", {_MOST} of {len(every)} sets and pairs" if len(shown) < len(every) else ""
    names = list(dict.fromkeys(str(row["sets"]) for row in rows))
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(height=12)
        .encode(
            alt.X("findings:Q", title="findings", axis=alt.Axis(tickMinStep=1)),
            alt.Y("sets:N", sort=names, title=None, axis=alt.Axis(labelLimit=420, grid=False)),
            alt.Color(
                "severity:N",
                title=None,
                scale=alt.Scale(domain=list(_COLOURS), range=list(_COLOURS.values())),
            ),
            alt.Order("order:Q"),
            tooltip=["sets:N", "severity:N", "findings:Q"],
        )
        .properties(
            width=360,
            height=alt.Step(18),
            title=alt.TitleParams(f"What lint found{some}", anchor="start"),
        )
        .configure_view(strokeWidth=0)
    )
