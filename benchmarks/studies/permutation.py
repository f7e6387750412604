"""The permutation p-value under its null hypothesis, by method, and the bounds of sampled ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.significance import PValue, permutation_p
from weatherglass.significance.bracket import bracket_shares
from weatherglass.significance.permutation import bounded_p, tail_p, two_sided_p
from weatherglass.significance.tail import build_tail

from .study import Cell, Study

Floats = NDArray[np.float64]

SIZES = ((4, 4), (5, 5), (8, 8), (16, 16), (30, 30), (6, 18))
POPULATIONS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.chisquare(2, size=n),
    "heavy-tailed": lambda rng, n: rng.standard_t(2, size=n),
    "tied": lambda rng, n: rng.integers(5, size=n) / 4,
}
METHODS = ("exact", "tilted", "bracket", "sample", "normal")
MEASURED = {"exact": range(45), "tilted": range(45, 100)}
"""Numbers of targets with which a method is measured, if not with all: more than 44 take `exact` a
second each, and fewer are counted by `auto`, and often by `tilted`."""

BRACKET_BUDGET = 1_000_000
"""A small part of what `bracket` takes, for its time; its bounds are as much wider."""

RESAMPLES = {"sample": 999, "normal": 1000}
LEVELS = (0.05, 0.01)
SIDES = {"greater": "one-sided", "two-sided": "two-sided"}


def compute(a: Floats, n: int, rng: np.random.Generator, **options: Any) -> PValue:
    """Compute the p-value of the first `n` associations against the others, on one thread."""
    return permutation_p(a[:n], a[n:], rng=rng, workers=1, **options)


def compute_sides(a: Floats, n: int, method: str, rng: np.random.Generator) -> dict[str, float]:
    """Compute the one-sided and the two-sided p-value by a method.

    Each tail is computed once, by the functions that `permutation_p` calls for both sides;
    `bracket` has a smaller budget.
    """
    if draws := RESAMPLES.get(method):
        options = {"method": method, "n_resamples": draws}
        return {side: compute(a, n, rng, alternative=side, **options).value for side in SIDES}
    tails = {greater: build_tail(a[:n], a[n:], greater=greater) for greater in (True, False)}

    @cache
    def one_sided(greater: bool) -> PValue:
        tail = tails[greater]
        if method == "bracket":
            return bounded_p(tail, *bracket_shares(tail, budget=BRACKET_BUDGET, workers=1), method)
        return tail_p(tail, method, workers=1)

    both = two_sided_p(one_sided, tails[True])
    return {"greater": one_sided(True).value, "two-sided": both.value}


def run_levels(trials: int, seed: int) -> list[Cell]:
    """Measure the share of p-values at most 0.05 and 0.01 when targets are assigned at random."""
    cells = []
    for number, (sizes, method, population) in enumerate(product(SIZES, METHODS, POPULATIONS)):
        if sum(sizes) in MEASURED.get(method, range(100)):
            rng = np.random.default_rng([seed, number])
            cells += measure_levels(sizes, method, population, trials, rng)
    return [*_pool(cells), *cells]


def measure_levels(
    sizes: tuple[int, int], method: str, population: str, trials: int, rng: np.random.Generator
) -> list[Cell]:
    """Measure the levels of one method, for one population and these sizes of X and Y."""
    n, m = sizes
    # Drawn in random order, so X is random, too.
    drawn = (POPULATIONS[population](rng, n + m) for _ in range(trials))
    p = [compute_sides(a, n, method, rng) for a in drawn]
    cells = []
    for side, level in product(SIDES, LEVELS):
        hits = sum(values[side] <= level for values in p)
        row, column = f"`{method}`, {n}+{m}, {population}", f"{SIDES[side]}, p ≤ {level}"
        low, high = _level_band(method, level)
        # Of few partitions, none may be rare enough for a p-value of this level.
        cells.append(Cell(row, column, hits, trials, low if n + m >= 10 else 0.0, high))
    return cells


def _pool(cells: list[Cell]) -> list[Cell]:
    """Return the rates of each method over all sizes and populations.

    These have so many trials that they leave their band long before a single row does.
    """
    pooled = []
    for method, side, level in product(METHODS, SIDES.values(), LEVELS):
        column = f"{side}, p ≤ {level}"
        same = [
            cell for cell in cells if cell.row.startswith(f"`{method}`") and cell.column == column
        ]
        hits, trials = sum(cell.hits for cell in same), sum(cell.trials for cell in same)
        row = f"`{method}`, all rows below"
        pooled.append(Cell(row, column, hits, trials, *_level_band(method, level)))
    return pooled


def _level_band(method: str, level: float) -> tuple[float, float]:
    """Return the band: a permutation test is never liberal, and conservative with few partitions.

    A normal distribution fitted to them may be either.
    """
    return (0.2 * level, 1.5 * level) if method == "normal" else (0.2 * level, level)


def run_bounds(trials: int, seed: int) -> list[Cell]:
    """Measure how often the 99 % bounds of `sample` and `normal` contain the exact p-value."""
    cells = []
    sizes = [(n, m) for n, m in SIZES if 10 <= n + m in MEASURED["exact"]]
    for number, ((n, m), population) in enumerate(product(sizes, POPULATIONS)):
        rng = np.random.default_rng([seed, number])
        covered = {(method, side): 0 for method in RESAMPLES for side in SIDES}
        for _ in range(trials):
            a = POPULATIONS[population](rng, n + m)
            for side in SIDES:
                truth = compute(a, n, rng, alternative=side).value
                for method, draws in RESAMPLES.items():
                    p = compute(a, n, rng, alternative=side, method=method, n_resamples=draws)
                    covered[method, side] += p.low <= truth <= p.high
        for (method, side), hits in covered.items():
            row = f"`{method}`, {n}+{m}, {population}"
            band = (0.985, 1.0)
            if method == "normal":
                band = (0.0, 0.4) if population == "tied" else (0.5, 1.0)
            cells.append(Cell(row, SIDES[side], hits, trials, *band))
    return cells


STUDIES = [
    Study(
        name="permutation",
        title="Level of the permutation p-value",
        about="Associations are drawn from one population (normal; skewed, chi-squared with 2 "
        "degrees of freedom; heavy-tailed, t with 2; tied, five equally likely ratings) and "
        "assigned to X and Y at random. Counted and sampled p-values are never liberal; with few "
        "partitions or ties they are conservative, because p can only take few values: with 5 "
        "against 5 targets the smallest two-sided p is 2/252, with 4 against 4 2/70. `normal` is "
        "an approximation and may be liberal: its band is wider. `sample` and `normal` draw "
        "1,000 partitions here, and `bracket` has a four-hundredth of its budget. `tilted` gives "
        "the p-value of the method that it falls back to, if the integral is not accurate enough, "
        "which is the rule for few targets; it is listed for 60.",
        run=run_levels,
        trials=1500,
        quick_trials=60,
    ),
    Study(
        name="permutation_bounds",
        title="Bounds of `sample` and `normal`",
        about="How often the 99 % bounds contain the exact p-value, for 1,000 drawn partitions and "
        "the populations of the table above. Those of `sample` are a Clopper-Pearson interval and "
        "hold. Those of `normal` cover only the sampling error of the fit, not the difference "
        "between the permutation distribution and a normal one, so they promise nothing about the "
        "exact p-value: with ties they hardly ever contain it. Their bands describe what was "
        "found.",
        run=run_bounds,
        trials=300,
        quick_trials=40,
    ),
]
