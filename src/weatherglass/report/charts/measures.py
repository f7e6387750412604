"""Pictures of the measures of word sets: one word by word, several beside each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from weatherglass.errors import CannotMeasure
from weatherglass.measures import MEASURES, GeneralisedResult, MeasureResult
from weatherglass.seedlab import Lint, Severity

from .. import numbers
from ..html import make_visible, spell
from .plot import ACCENT, INK, PALE, WIDTH, import_altair

MOST_WORDS = 40
"""Most words of a set; of more, as many from each end."""

SOFT = "#51646b"
_LONGEST, _ROOM = 60, 330


def plot_measures(results: Sequence[MeasureResult]) -> Any:
    """Draw measures of word sets.

    Parameters
    ----------
    results
        What `weatherglass.measure` gave. One result is drawn word by word, if it has a number for
        each; several are drawn as a dot each, a panel for each measure, because every measure has
        a scale of its own.

    Returns
    -------
    altair.VConcatChart
        The grey line is the number of an embedding without bias.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.Vectors.of(["nurse", "pilot", "she", "he"], [[4, 3], [3, 4], [1, 0], [0, 1]])
    >>> sets = {"X": ["nurse", "pilot"], "A": ["she"], "B": ["he"]}
    >>> len(plot_measures([wg.measure(vectors, "semaxis", sets)]).vconcat)
    1
    """
    alt = import_altair()
    if len(results) == 1 and results[0].by_word:
        parts = [_words(results[0], name) for name in results[0].by_word]
    else:
        parts = [
            _values([one for one in results if one.measure == name])
            for name in dict.fromkeys(one.measure for one in results)
        ]
    return alt.vconcat(*parts, spacing=18).resolve_scale(x="independent", y="independent")


def plot_groups(result: GeneralisedResult) -> Any:
    """Draw what each group adds to the generalised WEAT, in the order in which they were given."""
    alt = import_altair()
    rows = [
        {
            "at": at,
            "name": f"group {row['group']}: {row['names']} names, {row['words']} words",
            "low": 0.0,
            "number": row["part"],
            "value": _written(row["part"]),
        }
        for at, row in enumerate(result.to_rows())
    ]
    x = alt.X("number:Q", title="each group")
    y = alt.Y("at:O", axis=None)
    line = alt.Chart(alt.Data(values=rows)).mark_rule(color=PALE, strokeWidth=2)
    heading = alt.TitleParams(f"Generalised WEAT {_written(result.value)}", anchor="start")
    made = _together(rows, x, y, 0.0, line.encode(x, y, alt.X2("low:Q")))
    return made.properties(title=heading).configure_view(strokeWidth=0)


def _words(result: MeasureResult, name: str) -> Any:
    """The words of a set, the largest number on top, each on a line from where no bias is."""
    alt = import_altair()
    ranked = result.ranked(name)
    half = MOST_WORDS // 2
    shown = ranked if len(ranked) <= MOST_WORDS else (*ranked[:half], *ranked[-half:])
    middle = 1 / len(ranked) if result.measure == "rnsb" else 0.0  # equal shares, or no distance
    rows = [
        {"at": at, "name": spell(word), "low": middle, "number": value, "value": _written(value)}
        for at, (word, value) in enumerate(shown)
    ]
    cut = f"the {half} words at each end of {len(ranked):,}"
    heading = alt.TitleParams(
        f"{_title(result)} {_written(result.value)}: {result.labels.get(name) or name}",
        subtitle=[_of(result), *([cut] if len(shown) < len(ranked) else [])],
        anchor="start",
        subtitleColor=SOFT,
    )
    chart = alt.Chart(alt.Data(values=rows))
    x = alt.X("number:Q", title="each word", scale=alt.Scale(zero=False))
    y = alt.Y("at:O", axis=None)
    line = chart.mark_rule(color=PALE, strokeWidth=2).encode(x, y, alt.X2("low:Q"))
    return _together(rows, x, y, middle, line).properties(title=heading)


def _values(results: Sequence[MeasureResult]) -> Any:
    """One measure of several sets or sources, a line each."""
    alt = import_altair()
    several = len({one.source.get("name") for one in results}) > 1
    rows = [
        {
            "at": at,
            "name": spell(_called(one, several)),
            "number": one.value,
            "value": _written(one.value),
            "low": one.intervals[0].low if one.intervals else None,
            "high": one.intervals[0].high if one.intervals else None,
        }
        for at, one in enumerate(results)
    ]
    first = results[0]
    heading = alt.TitleParams(_title(first), anchor="start")
    if not several:
        heading.subtitle = f"on {first.source.get('name')}"
        heading.subtitleColor = SOFT
    chart = alt.Chart(alt.Data(values=rows)).transform_filter("isValid(datum.low)")
    x = alt.X("number:Q", title="value", scale=alt.Scale(zero=False))
    y = alt.Y("at:O", axis=None)
    interval = chart.mark_rule(color=INK, strokeWidth=2, opacity=0.6).encode(
        alt.X("low:Q"), y, alt.X2("high:Q")
    )
    known = MEASURES.get(first.measure)
    middle = float(known.neutral) if known else 0.0
    return _together(rows, x, y, middle, interval).properties(title=heading)


def _together(rows: list[dict[str, Any]], x: Any, y: Any, middle: float, lines: Any) -> Any:
    """Lines, dots on them, names to the left, numbers to the right; grey where no bias is."""
    alt = import_altair()
    chart = alt.Chart(alt.Data(values=rows))
    zero = alt.Chart(alt.Data(values=[{"number": middle}])).mark_rule(color=PALE).encode(x)
    dots = chart.mark_circle(size=70, color=INK, opacity=1).encode(
        x, y, tooltip=["name:N", "value:N"]
    )
    names = chart.mark_text(align="right", fontSize=11, limit=_ROOM).encode(
        y, alt.Text("name:N"), x=alt.value(-10)
    )
    numbers = chart.mark_text(align="right", fontSize=11, color=SOFT).encode(
        y, alt.Text("value:N"), x=alt.value(WIDTH + 60)
    )
    return alt.layer(zero, lines, dots, names, numbers).properties(width=WIDTH, height=alt.Step(18))


def _called(one: MeasureResult, several: bool) -> str:
    name = one.title if one.title and one.title != _title(one) else one.test
    text = f"{name} · {one.source.get('name')}" if several else name
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _title(one: MeasureResult) -> str:
    known = MEASURES.get(one.measure)
    return known.title if known else one.measure


def _of(one: MeasureResult) -> str:
    sides = [f"{side}: {label}" for side, label in one.labels.items() if label and label != side]
    return f"on {one.source.get('name')}" + (f" · {'; '.join(sides)}" if sides else "")


def _written(value: float | None) -> str:
    return numbers.measure(value)


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
            "sets": " / ".join(make_visible(id) for id in sets),
            "severity": severity,
            "findings": counts[sets, severity],
            "order": list(_COLOURS).index(severity),
        }
        for sets in shown
        for severity in _COLOURS
        if counts[sets, severity]
    ]
    alt = import_altair()
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
