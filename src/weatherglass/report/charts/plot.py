"""`plot` draws any result, and `save_plot` writes a chart to a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weatherglass.errors import CannotMeasure, CannotWrite
from weatherglass.measures import NO_CHART, Results
from weatherglass.significance import equate_p

from ..audit import ALPHA, group_by_test, model_names
from .agreement import plot_agreement
from .crowd import plot_crowd
from .discovery import plot_change, plot_discovery
from .effects import draw_contexts, draw_forest, plot_trend
from .groups import plot_group_differences
from .measures import plot_groups, plot_lint, plot_measures
from .multiverse import plot_multiverses
from .norms import plot_norms
from .papers import (
    draw_matrix,
    draw_paper_matrix,
    plot_analogous_pairs,
    plot_analogy,
    plot_experiments,
    plot_plane,
)
from .retrieval import plot_contrasts, plot_name_effects, plot_retrieval, plot_sentiment
from .source_line import add_source_line
from .style import RULE, import_altair
from .survey import plot_survey
from .trajectories import plot_trajectory
from .words import draw_scatter, draw_strips

if TYPE_CHECKING:
    from weatherglass.encoders import SeatResult
    from weatherglass.measures import Result, WeatResult, WefatResult

SUFFIXES = (".svg", ".png", ".pdf", ".html", ".json")
_STRIPS_WIDTH, _SCATTER_WIDTH, _SCATTER_HEIGHT = 640, 440, 340
# Lines of labels above a strip: enough to name every word of the published tests. Of more targets,
# such as sentences, only the outermost are named, because high stacks of labels are hard to read.
_ALL_NAMED_LEVELS, _MAX_NAMED, _FEW_LEVELS = 12, 80, 3


def plot(
    results: Result | Iterable[Result], *, alpha: float = 0.01, source_line: bool = True
) -> Any:
    """Draw results: effects next to the published ones, or facts against associations.

    Parameters
    ----------
    results
        A result, or a set of results of one measure. A single association test is drawn word by
        word, several as a forest plot, those of sentence encoders as a matrix (a `SeatTable` as
        that of the paper), and those of the layers of a model as lines over the layers; factual
        tests are drawn as points with their regression line, other measures as dots (see
        `plot_measures`). A discovery is drawn as its table (see `plot_discovery`), two of them by
        their scores (see `plot_change`), its evaluation by people cell by cell, experiments of the
        seed lab as the figures of its paper, a multiverse as its specification curve, the agreement
        of two sources as points, of more as a matrix, a retrieval audit by its effects and impact
        ratios, differences of groups as dots with their intervals, a trajectory as lines over time,
        pairs of words in a plane as points joined by lines, the answers to an analogy as bars,
        sentiment scores as ranges over names, and norms as points, with the words named that are
        farthest from the line.
    alpha
        The level at which corrected p-values are marked in a matrix; 0.01 in May et al. (2019).
    source_line
        Whether a line says what was measured, by which version, and when it was drawn.

    Returns
    -------
    altair.Chart
        Shows itself in a notebook; `save_plot` writes it to a file.

    Examples
    --------
    >>> import weatherglass as wg
    >>> chart = wg.plot(wg.weat(wg.open_vectors("default"), "weat6"))
    >>> chart.to_dict()["title"]["text"]
    'Male vs female names, career vs family: effect 1.71, p = 1.6e-04'
    """
    items = list(results) if isinstance(results, Iterable) else [results]
    done = [result for result in items if result.is_done]
    if not done:
        raise CannotMeasure("There is nothing to draw: no test was run.")
    by_chart: dict[str, list[Any]] = {}
    for result in done:
        if result.chart == NO_CHART:
            raise CannotMeasure(f"There is no chart of a {result.noun}.")
        by_chart.setdefault(result.chart, []).append(result)
    alone = next((name for name in by_chart if name in _ALONE), None)
    if alone is not None:
        if len(by_chart) > 1:
            raise CannotMeasure("Results of different kinds have different charts; draw each kind.")
        chart = _ALONE[alone](done)
        return add_source_line(chart, done) if source_line else chart
    parts = [
        part
        for name, draw in _TOGETHER.items()
        if name in by_chart
        for part in draw(by_chart[name], alpha)
    ]
    chart = parts[0] if len(parts) == 1 else import_altair().hconcat(*parts)
    chart = add_source_line(chart, done) if source_line else chart
    return chart.configure_view(strokeWidth=0).configure_axis(
        gridColor=RULE, domain=False, ticks=False, labelFontSize=12, titleFontSize=12
    )


def _draw_single(draw: Callable[[Any], Any]) -> Callable[[Sequence[Any]], Any]:
    """Return a function that draws a list of one result."""

    def draw_first(results: Sequence[Any]) -> Any:
        if len(results) > 1:
            raise CannotMeasure(f"{len(results)} {results[0].measure} results have no chart.")
        return draw(results[0])

    return draw_first


def _draw_facts(results: Sequence[WefatResult], alpha: float) -> list[Any]:
    return [_plot_facts(result, f"pointed_{index}") for index, result in enumerate(results)]


def _draw_tests(results: Sequence[WeatResult], alpha: float) -> list[Any]:
    return [plot_words(results) if len(results) == 1 else _plot_effects(results)]


def _draw_sentences(results: Sequence[SeatResult], alpha: float) -> list[Any]:
    layers = {result.source.get("facts", {}).get("layer") for result in results}
    if len(layers) > 1 and None not in layers:
        return [plot_trend(Results.of(results))[0]]
    return [plot_words(results) if len(results) == 1 else draw_matrix(results, alpha)]


# By `Result.chart`. To add a chart, name it in the class of the result and draw it here.
_ALONE: dict[str, Callable[[list[Any]], Any]] = {
    "discovery": _draw_single(plot_discovery),
    "changes": _draw_single(plot_change),
    "crowd": _draw_single(plot_crowd),
    "lint": _draw_single(plot_lint),
    "survey": _draw_single(plot_survey),
    "experiments": plot_experiments,
    "multiverse": plot_multiverses,
    "agreement": plot_agreement,
    "analogy": _draw_single(plot_analogy),
    "analogous pairs": _draw_single(plot_analogous_pairs),
    "word plane": _draw_single(plot_plane),
    "norms": plot_norms,
    "trajectory": _draw_single(plot_trajectory),
    "retrieval": _draw_single(plot_retrieval),
    "sentiment": _draw_single(plot_sentiment),
    "group differences": plot_group_differences,
}
# Results of these kinds may be mixed; their charts are drawn side by side, in this order.
_TOGETHER: dict[str, Callable[[list[Any], float], list[Any]]] = {
    "facts": _draw_facts,
    "contexts": lambda results, alpha: [draw_contexts(results)],
    "measures": lambda results, alpha: [plot_measures(results)],
    "tests": _draw_tests,
    "groups": lambda results, alpha: [plot_groups(result) for result in results],
    "sentences": _draw_sentences,
    "seat table": lambda tables, alpha: [draw_paper_matrix(table, alpha) for table in tables],
    "rankings": lambda results, alpha: [plot_contrasts(results)],
    "sentiments": lambda results, alpha: [plot_name_effects(results)],
}


def _plot_effects(results: Sequence[WeatResult]) -> Any:
    """A forest plot with a heading and a legend."""
    alt = import_altair()
    tests = group_by_test(results)
    names = model_names([result.source_name for result in results])
    legend = []
    if any(result.p_finding is not None for result in results):
        legend.append(f"filled: p ≤ {ALPHA:g} after Holm's correction")
    if any((result.published or {}).get("effect") is not None for result in results):
        legend.append("diamond: published effect")
    on = f" on {next(iter(names.values()))}" if len(names) == 1 else ""
    title = alt.TitleParams(
        f"Association tests{on}", subtitle="; ".join(legend), anchor="start", offset=12
    )
    return draw_forest(tests, names, width=None, fluid=False).properties(title=title)


def plot_words(results: Sequence[WeatResult]) -> Any:
    """Draw the strips of one test on one or several sources, with a heading."""
    (test,) = group_by_test(results)
    result = results[0]
    heading = result.title
    if len(results) == 1 and result.main_p_for_finding is not None:
        heading += f": effect {result.effect:.2f}, {equate_p(result.main_p_for_finding)}"
    targets = sum(map(len, result.associations.values()))
    levels = _ALL_NAMED_LEVELS if targets <= _MAX_NAMED else _FEW_LEVELS
    names = model_names([result.source_name for result in results])
    chart = draw_strips(test, names, width=_STRIPS_WIDTH, levels=levels)
    legend = "A stroke for each word, and a ring at the mean of the set."
    title = import_altair().TitleParams(heading, anchor="start", subtitle=[legend])
    return chart.properties(title=title)


def _plot_facts(result: WefatResult, pointer: str) -> Any:
    """The scatter plot of one factual test, with a heading."""
    if result.pearson is None:
        raise CannotMeasure("There is nothing to draw: all words have the same association.")
    heading = f"{result.title}: r = {result.pearson:.2f}"
    chart = draw_scatter(result, width=_SCATTER_WIDTH, height=_SCATTER_HEIGHT, pointer=pointer)
    return chart.properties(title=import_altair().TitleParams(heading, anchor="start"))


def save_plot(chart: Any, path: str | Path) -> None:
    """Write a chart to a file.

    Parameters
    ----------
    chart
        A chart from `plot`.
    path
        The file; its suffix decides the format: ``.svg``, ``.png``, ``.pdf``, ``.html`` (complete,
        needs no network) or ``.json`` (Vega-Lite).

    Raises
    ------
    CannotWrite
        The suffix is another one, or the file cannot be written.

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
            temporary.write_text(_html_page(chart), encoding="utf-8")
        else:
            options = {"scale_factor": 2} if path.suffix == ".png" else {}
            chart.save(str(temporary), format=path.suffix[1:], **options)


_PLACEHOLDER = "\ue000"  # private use area: no font has it and no word contains it


def _html_page(chart: Any) -> str:
    """The chart as a page; a word that contains ``</script>`` must not end the page's script."""
    spec = json.dumps(chart.to_dict()).replace("<", _PLACEHOLDER)
    page: str = type(chart).from_json(spec).to_html(inline=True)
    escaped = "\\u003c"
    return page.replace(_PLACEHOLDER, escaped).replace(r"\ue000", escaped)
