"""Charts of measures and of lint: dots word by word or measure by measure, bars of findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from weatherglass.errors import CannotMeasure
from weatherglass.measures import MEASURES, GeneralisedResult, MeasureResult
from weatherglass.seedlab import Lint, Severity
from weatherglass.significance import equate_p

from .. import numbers
from ..html import make_visible, spell
from .style import ACCENT, INK, PALE, SOFT, Values, import_altair

MAX_WORDS = 40
"""Maximum number of words of a set; of more, half from each end."""

_WIDTH, _LABEL_LIMIT = 440, 330  # pixels
_MAX_NAME_LETTERS = 60


def plot_measures(results: Sequence[MeasureResult]) -> Any:
    """Draw measures of word sets.

    Parameters
    ----------
    results
        Results of `weatherglass.measure`. A single result is drawn word by word, if it has a number
        for each word; several are drawn as a dot each, a panel for each measure, because every
        measure has a scale of its own.

    Returns
    -------
    altair.VConcatChart
        The grey line is the value of an embedding without bias.

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
        panels = [_words_panel(results[0], name) for name in results[0].by_word]
    else:
        panels = [
            _values_panel([result for result in results if result.measure == name])
            for name in dict.fromkeys(result.measure for result in results)
        ]
    return alt.vconcat(*panels, spacing=18).resolve_scale(x="independent", y="independent")


def plot_groups(result: GeneralisedResult) -> Any:
    """Draw how far each group is above the mean of all groups, in the order of the groups."""
    alt = import_altair()
    rows = [
        {
            "at": index,
            "name": f"{spell(result.label(name))} ({result.n[name]} words)",
            "low": 0.0,
            "number": part,
            "value": numbers.measure(part),
        }
        for index, (name, part) in enumerate(result.parts.items())
    ]
    title = "part of g" if result.is_paired else "association above the mean of the groups"
    x = alt.X("number:Q", title=title)
    y = alt.Y("at:O", axis=None)
    line = alt.Chart(alt.Data(values=rows)).mark_rule(color=PALE, strokeWidth=2)
    value = f"g {numbers.measure(result.g)}" if result.effect is None else ""
    value = value or f"effect {numbers.effect(result.effect)}"
    p = f", {equate_p(result.p.value)}" if result.p else ""
    heading = alt.TitleParams(f"{spell(result.title)}: {value}{p}", anchor="start")
    chart = _dot_plot(rows, x, y, 0.0, line.encode(x, y, alt.X2("low:Q")))
    return chart.properties(title=heading)


def _words_panel(result: MeasureResult, name: str) -> Any:
    """The words of a set, the largest number on top, each on a line from the neutral value."""
    alt = import_altair()
    ranked = result.ranked(name)
    half = MAX_WORDS // 2
    drawn = ranked if len(ranked) <= MAX_WORDS else (*ranked[:half], *ranked[-half:])
    known = MEASURES.get(result.measure)
    neutral = 1 / len(ranked) if known and known.gives_shares else 0.0
    rows = [
        {
            "at": index,
            "name": spell(word),
            "low": neutral,
            "number": value,
            "value": numbers.measure(value),
        }
        for index, (word, value) in enumerate(drawn)
    ]
    omission = f"the {half} words at each end of {len(ranked):,}"
    heading = alt.TitleParams(
        f"{_measure_title(result)} {numbers.measure(result.value)}: "
        f"{result.labels.get(name) or name}",
        subtitle=[_subtitle(result), *([omission] if len(drawn) < len(ranked) else [])],
        anchor="start",
        subtitleColor=SOFT,
    )
    x = alt.X("number:Q", title="each word", scale=alt.Scale(zero=False))
    y = alt.Y("at:O", axis=None)
    line = alt.Chart(alt.Data(values=rows)).mark_rule(color=PALE, strokeWidth=2)
    return _dot_plot(rows, x, y, neutral, line.encode(x, y, alt.X2("low:Q"))).properties(
        title=heading
    )


def _values_panel(results: Sequence[MeasureResult]) -> Any:
    """One measure of several sets or sources, a line each."""
    alt = import_altair()
    has_sources = len({result.source.get("name") for result in results}) > 1
    rows = [
        {
            "at": index,
            "name": spell(_line_name(result, has_sources)),
            "number": result.value,
            "value": numbers.measure(result.value),
            "low": result.intervals[0].low if result.intervals else None,
            "high": result.intervals[0].high if result.intervals else None,
        }
        for index, result in enumerate(results)
    ]
    first = results[0]
    heading = alt.TitleParams(_measure_title(first), anchor="start")
    if not has_sources:
        heading.subtitle = f"on {first.source.get('name')}"
        heading.subtitleColor = SOFT
    chart = alt.Chart(alt.Data(values=rows)).transform_filter("isValid(datum.low)")
    x = alt.X("number:Q", title="value", scale=alt.Scale(zero=False))
    y = alt.Y("at:O", axis=None)
    interval = chart.mark_rule(color=INK, strokeWidth=2, opacity=0.6).encode(
        alt.X("low:Q"), y, alt.X2("high:Q")
    )
    measure = MEASURES.get(first.measure)
    neutral = float(measure.neutral) if measure else 0.0
    return _dot_plot(rows, x, y, neutral, interval).properties(title=heading)


def _dot_plot(rows: Values, x: Any, y: Any, neutral: float, lines: Any) -> Any:
    """Lines, dots on them, names to the left, numbers to the right; the neutral value in grey."""
    alt = import_altair()
    chart = alt.Chart(alt.Data(values=rows))
    zero = alt.Chart(alt.Data(values=[{"number": neutral}])).mark_rule(color=PALE).encode(x)
    dots = chart.mark_circle(size=70, color=INK, opacity=1).encode(
        x, y, tooltip=["name:N", "value:N"]
    )
    names = chart.mark_text(align="right", fontSize=11, limit=_LABEL_LIMIT).encode(
        y, alt.Text("name:N"), x=alt.value(-10)
    )
    values = chart.mark_text(align="right", fontSize=11, color=SOFT).encode(
        y, alt.Text("value:N"), x=alt.value(_WIDTH + 60)
    )
    layers = alt.layer(zero, lines, dots, names, values)
    return layers.properties(width=_WIDTH, height=alt.Step(18))


def _line_name(result: MeasureResult, has_sources: bool) -> str:
    is_named = result.title and result.title != _measure_title(result)
    name = result.title if is_named else result.test
    text = f"{name} · {result.source.get('name')}" if has_sources else name
    return text if len(text) <= _MAX_NAME_LETTERS else text[: _MAX_NAME_LETTERS - 1] + "…"


def _measure_title(result: MeasureResult) -> str:
    measure = MEASURES.get(result.measure)
    return measure.title if measure else result.measure


def _subtitle(result: MeasureResult) -> str:
    """The source, and what the sets are called."""
    sets = [f"{side}: {label}" for side, label in result.labels.items() if label and label != side]
    return f"on {result.source.get('name')}" + (f" · {'; '.join(sets)}" if sets else "")


_SEVERITY_COLOURS: dict[Severity, str] = {"error": "#9c2f2f", "warning": ACCENT, "note": PALE}
_MAX_BARS = 40


def plot_lint(lint: Lint) -> Any:
    """Draw a bar for each set and pair of sets, those with the most severe findings on top.

    Parameters
    ----------
    lint
        The result of `weatherglass.lint`.

    Returns
    -------
    altair.Chart
        Bars of counts by severity; at most forty of them, and the title says so.

    Examples
    --------
    >>> import weatherglass as wg
    >>> lint = wg.lint(["male_1-Caliskan_et_al_2017", "female_1-Caliskan_et_al_2017"])
    >>> sum(row["findings"] for row in plot_lint(lint).data.values) == len(lint.findings)
    True
    """
    counts = Counter((finding.sets, finding.severity) for finding in lint.findings)
    if not counts:
        raise CannotMeasure("There is nothing to draw: lint found nothing.")
    ranked = sorted(
        {sets for sets, _ in counts},
        key=lambda sets: tuple(-counts[sets, severity] for severity in _SEVERITY_COLOURS),
    )
    drawn = ranked[:_MAX_BARS]
    rows = [
        {
            "sets": " / ".join(make_visible(id) for id in sets),
            "severity": severity,
            "findings": counts[sets, severity],
            "order": list(_SEVERITY_COLOURS).index(severity),
        }
        for sets in drawn
        for severity in _SEVERITY_COLOURS
        if counts[sets, severity]
    ]
    alt = import_altair()
    omission = f", {_MAX_BARS} of {len(ranked)} sets and pairs" if len(drawn) < len(ranked) else ""
    names = list(dict.fromkeys(str(row["sets"]) for row in rows))
    colours = alt.Scale(domain=list(_SEVERITY_COLOURS), range=list(_SEVERITY_COLOURS.values()))
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(height=12)
        .encode(
            alt.X("findings:Q", title="findings", axis=alt.Axis(tickMinStep=1)),
            alt.Y("sets:N", sort=names, title=None, axis=alt.Axis(labelLimit=420, grid=False)),
            alt.Color("severity:N", title=None, scale=colours),
            alt.Order("order:Q"),
            tooltip=["sets:N", "severity:N", "findings:Q"],
        )
        .properties(
            width=360,
            height=alt.Step(18),
            title=alt.TitleParams(f"Findings of lint{omission}", anchor="start"),
        )
        .configure_view(strokeWidth=0)
    )
