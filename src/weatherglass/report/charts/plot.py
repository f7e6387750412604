"""`plot` draws any result, and `save_plot` writes a chart to a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weatherglass.discovery import Comparison, Discovery
from weatherglass.errors import CannotMeasure, CannotWrite
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

from ..audit import ALPHA, group_by_test, short_names, source_name
from .effects import draw_contexts, draw_forest, draw_matrix
from .style import RULE, import_altair
from .words import draw_scatter, draw_strips

SUFFIXES = (".svg", ".png", ".pdf", ".html", ".json")
_STRIPS_WIDTH, _SCATTER_WIDTH, _SCATTER_HEIGHT = 640, 440, 340
_MAX_LEVELS = 12  # enough lines of labels to name every word of the published tests


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
    """Draw results: effects next to the published ones, or facts against associations.

    Parameters
    ----------
    results
        A result, or a set of results of one measure. A single association test is drawn word by
        word, several as a forest plot, those of sentence encoders as a matrix; factual tests are
        drawn as points with their regression line, other measures as dots (see `plot_measures`). A
        discovery is drawn as its table (see `plot_discovery`), two of them by their scores (see
        `plot_change`), experiments of the seed lab as the figures of its paper, and a multiverse as
        its specification curve.
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
    chart = _plot_single(results)
    if chart is not None:
        return chart
    items: list[Any] = list(results) if isinstance(results, Sequence) else [results]
    if items and isinstance(items[0], Experiment):
        from .bad_seeds import plot_experiments

        return plot_experiments(items)
    if items and isinstance(items[0], Multiverse):
        from .multiverse import plot_multiverses

        return plot_multiverses(items)
    parts = _plot_tests([result for result in items if result.status == "done"], alpha)
    if not parts:
        raise CannotMeasure("There is nothing to draw: no test was run.")
    chart = parts[0] if len(parts) == 1 else import_altair().hconcat(*parts)
    return chart.configure_view(strokeWidth=0).configure_axis(
        gridColor=RULE, domain=False, ticks=False, labelFontSize=12, titleFontSize=12
    )


def _plot_single(result: Any) -> Any:
    """Draw a result that is drawn alone; `None` for the others."""
    if isinstance(result, Discovery):
        from .discovery import plot_discovery

        return plot_discovery(result)
    if isinstance(result, Comparison):
        from .discovery import plot_change

        return plot_change(result)
    if isinstance(result, GeneralisedResult):
        from .measures import plot_groups

        return plot_groups(result)
    if isinstance(result, Lint):
        from .measures import plot_lint

        return plot_lint(result)
    return None


def _plot_tests(results: list[Any], alpha: float) -> list[Any]:
    """Draw tests and measures, a chart for each kind."""
    facts = [result for result in results if isinstance(result, WefatResult)]
    parts = [_plot_facts(result, f"pointed_{index}") for index, result in enumerate(facts)]
    contexts = [result for result in results if isinstance(result, CeatResult)]
    parts += [draw_contexts(contexts)] if contexts else []
    measures = [result for result in results if isinstance(result, MeasureResult)]
    if measures:
        from .measures import plot_measures

        parts.append(plot_measures(measures))
    tests = [result for result in results if isinstance(result, WeatResult)]
    sentence_tests = [result for result in tests if isinstance(result, SeatResult)]
    if len(sentence_tests) > 1:
        parts.append(draw_matrix(sentence_tests, alpha))
    elif len(tests) == 1:
        parts.append(_plot_words(tests[0]))
    elif tests:
        parts.append(_plot_effects(tests))
    return parts


def _plot_effects(results: Sequence[WeatResult]) -> Any:
    """A forest plot with a heading and a legend."""
    alt = import_altair()
    tests = group_by_test(results)
    names = short_names([source_name(result) for result in results])
    legend = []
    if any(result.p_holm is not None for result in results):
        legend.append(f"filled: p ≤ {ALPHA:g} after Holm's correction")
    if any((result.published or {}).get("effect") is not None for result in results):
        legend.append("diamond: published effect")
    on = f" on {next(iter(names))}" if len(names) == 1 else ""
    title = alt.TitleParams(
        f"Association tests{on}", subtitle="; ".join(legend), anchor="start", offset=12
    )
    return draw_forest(tests, names, width=None, fluid=False).properties(title=title)


def _plot_words(result: WeatResult) -> Any:
    """The strips of one test, with a heading."""
    (test,) = group_by_test([result])
    source = source_name(result)
    heading = f"{result.title}: effect {result.effect:.2f}, p = {result.p}"
    chart = draw_strips(test, {source: source}, width=_STRIPS_WIDTH, levels=_MAX_LEVELS)
    return chart.properties(title=import_altair().TitleParams(heading, anchor="start"))


def _plot_facts(result: WefatResult, pointer: str) -> Any:
    """The scatter plot of one factual test, with a heading."""
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
