"""Coverage of the intervals of effect sizes for sets of two, three and four words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weatherglass.errors import CannotMeasure
from weatherglass.significance import Interval, crossed_interval, effect_interval

from . import intervals
from .study import Cell, Study

SIZES = ((2, 2), (3, 3), (4, 4), (2, 8))
EFFECTS = (0.0, 0.9, 1.66)
TARGETS = {
    "normal": (0.92, 0.98),
    "names of weat3": (0.90, 0.995),
    "χ² with 2 df": (0.83, 0.98),
    "t with 3 df": (0.85, 0.99),
}
"""Populations of the associations, and the band of the interval over other target words."""

BCA_SHARE = 0.25
"""Share of the trials in which the slower bootstrap is measured."""

BCA = (0.45, 0.93)
CROSSED = (0.94, 1.0)


def run_targets(trials: int, seed: int) -> list[Cell]:
    """Measure the intervals over other target words: noncentral t, and the BCa bootstrap."""
    cells, bootstrap = [], []
    drawn_from = intervals.populations()
    for number, (name, band) in enumerate(TARGETS.items()):
        x, y, deviations, _ = drawn_from[name]
        for effect in EFFECTS:
            for sizes in SIZES:
                difference = intervals.difference_of_means(effect, *sizes, deviations)
                pairs = list(
                    intervals.draw_samples(trials, [seed, number, *sizes], x, y, sizes, difference)
                )
                row, column = f"{name}, effect {effect:g}", _column(sizes)
                found = [_compute(effect_interval, *pair) for pair in pairs]
                cells.append(_cell(row, column, found, effect, band))
                if name == "normal":
                    few = pairs[: round(BCA_SHARE * trials)]
                    found = [intervals.bca(*pair, trial) for trial, pair in enumerate(few)]
                    bootstrap.append(_cell(f"BCa bootstrap, {row}", column, found, effect, BCA))
    return [*cells, *bootstrap]


def run_crossed(trials: int, seed: int) -> list[Cell]:
    """Measure the interval over other words in all four sets."""
    kinds: list[tuple[str, Callable[..., Any], Callable[..., float], tuple[Any, ...]]] = [
        (f"words of {test}", intervals.word_tables, intervals.true_word_effect, (test,))
        for test in ("weat1", "weat3")
    ]
    for difference in (0.0, 3.0):
        row = f"normal, difference {difference:g} sd"
        arguments = (difference, 0.5)
        kinds.append((row, intervals.normal_tables, intervals.true_normal_effect, arguments))
    cells = []
    for number, (row, draw, truth_of, arguments) in enumerate(kinds):
        for n, m in SIZES:
            sizes = (n, m, n, m)
            rng = np.random.default_rng([seed, number, *sizes])
            tables = (draw(*arguments, sizes, rng) for _ in range(trials))
            found = [_compute(crossed_interval, *drawn) for drawn in tables]
            truth = truth_of(*arguments, sizes)
            cells.append(_cell(f"all four sets, {row}", _column((n, m)), found, truth, CROSSED))
    return cells


def _compute(interval: Callable[..., Interval], *numbers: Any) -> Interval | None:
    try:
        return interval(*numbers)
    except CannotMeasure:  # a word was drawn twice, and the set does not vary
        return None


def _cell(
    row: str,
    column: str,
    found: Sequence[Interval | None],
    truth: float,
    band: tuple[float, float],
) -> Cell:
    """Count the intervals that contain the truth, of those that there are."""
    computed = [interval for interval in found if interval is not None]
    hits = sum(intervals.contains(interval, truth) for interval in computed)
    return Cell(row, column, hits, len(computed), *band)


def _column(sizes: tuple[int, int]) -> str:
    return "{}+{} words".format(*sizes)


def run(trials: int, seed: int) -> list[Cell]:
    return [*run_targets(trials, seed), *run_crossed(trials, seed)]


STUDIES = [
    Study(
        name="intervals-few-words",
        title="Intervals of the effect size of very few words",
        about=(
            "The same intervals as above for sets of two to four words. The populations are those "
            "of the tables above; the lines *all four sets* have the interval over other words in "
            "all four sets, with as many attributes as targets, and the lines *BCa bootstrap* that "
            "of the bootstrap. An interval can cover and say next to nothing: with two words in "
            "each set it is nearly as wide as the range of the effect size. Samples in which no "
            "word of a set differs from the others have no interval, and are left out."
        ),
        run=run,
        trials=600,
        quick_trials=40,
    )
]
