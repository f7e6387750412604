"""Pictures of results: what a table says, for the eye."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weatherglass.discovery import Comparison, Discovery
from weatherglass.errors import CannotMeasure, CannotWrite, MissingExtra
from weatherglass.measures import (
    CeatResult,
    GeneralisedResult,
    MeasureResult,
    Result,
    SeatResult,
    WeatResult,
    WefatResult,
)
from weatherglass.seedlab import Experiment, Lint, Multiverse

INK, ACCENT, PALE, RULE = "#1f4e5f", "#d9822b", "#9aa5a9", "#d9dee0"
WIDTH, HEIGHT = 440, 340
_MOST_NAMES = 80
SUFFIXES = (".svg", ".png", ".pdf", ".html", ".json")


def import_altair() -> Any:
    """The package that draws, altair."""
    try:
        import altair
        import vl_convert  # noqa: F401  # altair calls it to draw
    except ImportError:
        raise MissingExtra("A picture", "plots") from None
    return altair


def plot(
    results: Sequence[Result]
    | Result
    | Discovery
    | Comparison
    | GeneralisedResult
    | Sequence[Experiment]
    | Experiment
    | Sequence[Multiverse]
    | Multiverse,
    *,
    alpha: float = 0.01,
) -> Any:
    """Draw results: effects beside the published ones, or facts against associations.

    Parameters
    ----------
    results
        A result, or a set of results of one measure. A single association test is drawn word by
        word, several one a line, those of sentence encoders as a matrix; factual tests are drawn as
        points with their line, other measures as dots (see `plot_measures`). A discovery is drawn
        as its table (see `plot_discovery`), two of them by their scores (see `plot_change`),
        experiments of the seed lab as the figures of its paper, and a multiverse as its
        specification curve.
    alpha
        The level at which corrected p-values are marked in a matrix; 0.01 in May et al. (2019).

    Returns
    -------
    altair.Chart
        Shows itself in a notebook; `save_plot` writes it to a file.

    Examples
    --------
    >>> import weatherglass as wg
    >>> chart = wg.plot(wg.weat(wg.open_vectors("default"), "weat6"))
    >>> chart.to_dict()["title"]["text"]
    'Male vs female names, career vs family: effect 1.71, p = 7.8e-05'
    """
    if isinstance(results, Discovery):
        from .discovery import plot_discovery

        return plot_discovery(results)
    if isinstance(results, Comparison):
        from .discovery import plot_change

        return plot_change(results)
    if isinstance(results, GeneralisedResult):
        from .measures import plot_groups

        return plot_groups(results)
    several: list[Any] = list(results) if isinstance(results, Sequence) else [results]
    if isinstance(results, Lint):
        from .measures import plot_lint

        return plot_lint(results)
    if several and isinstance(several[0], Experiment):
        from .bad_seeds import plot_experiments

        return plot_experiments(several)
    if several and isinstance(several[0], Multiverse):
        from .multiverse import plot_multiverses

        return plot_multiverses(several)
    done = [one for one in several if one.status == "done"]
    if not done:
        raise CannotMeasure("There is nothing to draw: no test was run.")
    tests = [one for one in done if isinstance(one, WeatResult)]
    facts = [one for one in done if isinstance(one, WefatResult)]
    parts = [_facts(one) for one in facts]
    contexts = [one for one in done if isinstance(one, CeatResult)]
    parts += [_contexts(contexts)] if contexts else []
    others = [one for one in done if isinstance(one, MeasureResult)]
    if others:
        from .measures import plot_measures

        parts.append(plot_measures(others))
    sentences = [one for one in tests if isinstance(one, SeatResult)]
    if len(sentences) > 1:
        parts.append(_matrix(sentences, alpha))
    elif len(tests) == 1:
        parts.append(_words(tests[0]))
    elif tests:
        parts.append(_effects(tests))
    altair = import_altair()
    chart = parts[0] if len(parts) == 1 else altair.hconcat(*parts)
    return chart.configure_view(strokeWidth=0).configure_axis(
        gridColor=RULE, domain=False, ticks=False, labelFontSize=12, titleFontSize=12
    )


def save_plot(chart: Any, path: str | Path) -> None:
    """Write a chart to a file.

    Parameters
    ----------
    chart
        What `plot` gives.
    path
        The file; its ending says what it becomes: ``.svg``, ``.png``, ``.pdf``, ``.html`` (whole,
        needs no network) or ``.json`` (Vega-Lite).

    Raises
    ------
    CannotWrite
        The name ends in something else, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import weatherglass as wg
    >>> chart = wg.plot(wg.weat(wg.open_vectors("default"), "weat6"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     wg.save_plot(chart, f"{folder}/weat6.json")
    """
    from weatherglass._files import atomic_write

    path = Path(path)
    if path.suffix not in SUFFIXES:
        raise CannotWrite(f"{path.name} must end in {', '.join(SUFFIXES)}.")
    with atomic_write(path) as temporary:
        if path.suffix == ".html":
            temporary.write_text(_page(chart), encoding="utf-8")
        else:
            more = {"scale_factor": 2} if path.suffix == ".png" else {}
            chart.save(str(temporary), format=path.suffix[1:], **more)


_STAND_IN = "\ue000"  # of the private use area: no font has it and no word holds it


def _page(chart: Any) -> str:
    """The chart as a page. A word that holds ``</script>`` must not end the page's script."""
    described = json.dumps(chart.to_dict()).replace("<", _STAND_IN)
    page: str = type(chart).from_json(described).to_html(inline=True)
    escaped = "\\u003c"
    return page.replace(_STAND_IN, escaped).replace(r"\ue000", escaped)


def _effects(results: Sequence[WeatResult]) -> Any:
    """One line a test: our effect, the published one, and how sure."""
    alt = import_altair()
    order = [one.title for one in results]
    rows = [
        {
            "title": one.title,
            "effect": one.effect,
            "published": (one.published or {}).get("effect"),
            "p": f"p = {one.p}",
        }
        for one in results
    ]
    y = alt.Y("title:N", sort=order, title=None, axis=alt.Axis(labelLimit=640, grid=True))
    domain = [min(0.0, *(one.effect or 0.0 for one in results)), 2]
    x = alt.X("effect:Q", title="effect (filled: here, ring: published)").scale(domain=domain)
    chart = alt.Chart(alt.Data(values=rows)).properties(
        width=360,
        height=alt.Step(26),
        title=alt.TitleParams(_heading(results[0]), anchor="start"),
    )
    ours = chart.mark_circle(size=110, color=INK, opacity=1).encode(x, y)
    theirs = chart.mark_point(size=110, color=PALE, strokeWidth=2).encode(alt.X("published:Q"), y)
    sure = chart.mark_text(align="left", color="#555", fontSize=12).encode(
        y, alt.Text("p:N"), x=alt.value(372)
    )
    return theirs + ours + sure


def _contexts(results: Sequence[CeatResult]) -> Any:
    """One line a test: the combined effect, and where 95 % of the samples of contexts lie."""
    alt = import_altair()
    rows = [
        {
            "title": one.title,
            "effect": one.effect,
            "low": min(one.quantiles.values(), default=one.effect),
            "high": max(one.quantiles.values(), default=one.effect),
        }
        for one in results
    ]
    order = [one.title for one in results]
    y = alt.Y("title:N", sort=order, title=None, axis=alt.Axis(labelLimit=640, grid=True))
    chart = alt.Chart(alt.Data(values=rows)).properties(
        width=360,
        height=alt.Step(26),
        title=alt.TitleParams(_heading(results[0]), anchor="start"),
    )
    x = alt.X("low:Q", title="effect, with 95 % of the samples of contexts")
    spread = chart.mark_rule(strokeWidth=3, color=PALE).encode(x, y, alt.X2("high:Q"))
    zero = alt.Chart(alt.Data(values=[{}])).mark_rule(color=PALE).encode(x=alt.datum(0))
    dots = chart.mark_circle(size=110, color=INK, opacity=1).encode(alt.X("effect:Q"), y)
    return zero + spread + dots


def _words(result: WeatResult) -> Any:
    """Every target's association, the two sets one above the other."""
    alt = import_altair()
    rows = [
        {"set": result.labels.get(name, name), "word": word, "association": value}
        for name in ("X", "Y")
        for word, value in zip(result.words[name], result.associations[name], strict=True)
    ]
    if len(rows) > _MOST_NAMES:
        return _strips(rows, result)
    order = [row["word"] for row in sorted(rows, key=lambda row: -float(str(row["association"])))]
    chart = alt.Chart(alt.Data(values=rows)).properties(
        width=420,
        height=alt.Step(18),
        title=alt.TitleParams(
            f"{result.title}: effect {result.effect:.2f}, p = {result.p}", anchor="start"
        ),
    )
    return chart.mark_circle(size=90, opacity=1).encode(
        alt.X("association:Q", title=_between(result)),
        alt.Y("word:N", sort=order, title=None, axis=alt.Axis(grid=True)),
        alt.Color("set:N", title="target set", scale=alt.Scale(range=[INK, ACCENT])),
    )


def _strips(rows: Sequence[dict[str, Any]], result: WeatResult) -> Any:
    """Very many targets: a stroke each, without names."""
    alt = import_altair()
    heading = f"{result.title}: effect {result.effect:.2f}, p = {result.p}"
    return (
        alt.Chart(alt.Data(values=list(rows)))
        .mark_tick(color=INK, opacity=0.4, thickness=1.5)
        .encode(
            alt.X("association:Q", title=_between(result)),
            alt.Y("set:N", sort=None, title=None),
            tooltip=["word:N", "association:Q"],
        )
        .properties(
            width=WIDTH, height=alt.Step(60), title=alt.TitleParams(heading, anchor="start")
        )
    )


def _matrix(results: Sequence[SeatResult], alpha: float) -> Any:
    """Encoders and tests: the effect as colour, a dot where it stands up to Holm's correction."""
    alt = import_altair()
    rows = [
        {
            "encoder": _short(one.source["name"]),
            "test": one.test,
            "effect": one.effect,
            "p": f"{one.p}",
            "significant": one.p_holm is not None and one.p_holm <= alpha,
        }
        for one in results
    ]
    chart = alt.Chart(alt.Data(values=rows)).encode(
        alt.X(
            "encoder:N",
            sort=None,
            title=None,
            axis=alt.Axis(labelAngle=-60, labelLimit=260, orient="top"),
        ),
        alt.Y("test:N", sort=None, title=None, axis=alt.Axis(labelLimit=360)),
        tooltip=["encoder:N", "test:N", "effect:Q", "p:N"],
    )
    colour = alt.Color(
        "effect:Q", scale=alt.Scale(domain=[-2, 0, 2], range=[ACCENT, "#f4f4f2", INK])
    )
    cells = chart.mark_rect(stroke="white").encode(colour)
    dots = chart.transform_filter("datum.significant").mark_circle(color="#111", size=22, opacity=1)
    heading = f"Effects; a dot: Holm-corrected p ≤ {alpha:g}"
    return (cells + dots).properties(
        width=alt.Step(34), height=alt.Step(17), title=alt.TitleParams(heading, anchor="start")
    )


def _facts(result: WefatResult) -> Any:
    """Facts against associations, with the regression line."""
    alt = import_altair()
    points = [
        {"word": word, "association": x, "fact": y}
        for word, x, y in zip(result.words["W"], result.associations, result.facts, strict=True)
    ]
    assert result.slope is not None
    assert result.intercept is not None
    ends = [min(result.associations), max(result.associations)]
    line = [{"association": x, "fact": result.slope * x + result.intercept} for x in ends]
    unit = f" ({result.fact['unit']})" if result.fact.get("unit") else ""
    x = alt.X("association:Q", title=_between(result)).scale(zero=False)
    y = alt.Y("fact:Q", title=result.fact.get("name", "fact") + unit)
    dots = alt.Chart(alt.Data(values=points)).mark_circle(size=50, color=INK, opacity=0.9)
    names = alt.Chart(alt.Data(values=_readable(points))).mark_text(
        align="left", dx=6, fontSize=9, color="#555"
    )
    fit = alt.Chart(alt.Data(values=line)).mark_line(color=ACCENT)
    layers = fit.encode(x, y) + dots.encode(x, y, tooltip="word:N")
    heading = f"{result.title}: r = {result.pearson:.2f}"
    return (layers + names.encode(x, y, alt.Text("word:N"))).properties(
        width=WIDTH, height=HEIGHT, title=alt.TitleParams(heading, anchor="start")
    )


def _readable(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The points whose names can be written without touching a name already written."""
    scales = {}
    for axis, pixels in (("association", WIDTH), ("fact", HEIGHT)):
        values = [point[axis] for point in points]
        scales[axis] = pixels / (max(values) - min(values) or 1)
    written: list[tuple[float, float, float]] = []
    kept = []
    for point in points:
        left, low = point["association"] * scales["association"], point["fact"] * scales["fact"]
        right = left + 6 + 5 * len(point["word"])  # nine-point letters are about five pixels wide
        if all(abs(low - y) > 9 or right < a or left > b for a, b, y in written):
            written.append((left, right, low))
            kept.append(point)
    return kept


def _between(result: Result) -> str:
    return f"← {result.labels.get('B', 'B')} · association · {result.labels.get('A', 'A')} →"


def _short(name: str) -> str:
    """An encoder's name for an axis: of a long path, the last two parts."""
    scheme, colon, rest = name.partition(":")
    parts = Path(rest).parts
    return f"{scheme}{colon}…/{'/'.join(parts[-2:])}" if len(parts) > 3 else name


def _heading(result: Result) -> str:
    return f"Association tests on {result.source['name']}"
