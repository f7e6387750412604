"""The permutation p-value under its null hypothesis, by method, and the bounds of sampled ones."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.significance import PValue, permutation_p
from weatherglass.significance.bracket import bracket_shares
from weatherglass.significance.tail import build_tail

from .study import Cell, Study

Floats = NDArray[np.float64]

SIZES = ((5, 5), (8, 8), (16, 16), (30, 30), (6, 18))
POPULATIONS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.chisquare(2, size=n),
    "heavy-tailed": lambda rng, n: rng.standard_t(2, size=n),
    "tied": lambda rng, n: rng.integers(5, size=n) / 4,
}
METHODS = ("exact", "tilted", "bracket", "sample", "normal")
MAX_EXACT = 44
"""Targets up to which `exact` is measured: more take a second each."""

TILTED_SHARE = 0.25
"""Share of the trials that `tilted` takes, which is slower."""

BRACKET_BUDGET = 4_000_000
"""A hundredth of what `bracket` takes, for its time; its bounds are a hundred times as wide."""

RESAMPLES = {"sample": 999, "normal": 1000}
LEVELS = (0.05, 0.01)
SIDES = {"greater": "one-sided", "two-sided": "two-sided"}


def compute(a: Floats, n: int, rng: np.random.Generator, **options: Any) -> PValue:
    """Compute the p-value of the first `n` associations against the others, on one thread."""
    return permutation_p(a[:n], a[n:], rng=rng, workers=1, **options)


def compute_bracket(a: Floats, n: int, alternative: str) -> float:
    """Compute the p-value by `bracket` with a smaller budget."""
    upper, lower = (
        bracket_shares(build_tail(a[:n], a[n:], greater=greater), budget=BRACKET_BUDGET, workers=1)
        for greater in (True, False)
    )
    return upper[0] if alternative == "greater" else min(1.0, 2 * min(upper[0], lower[0]))


def run_levels(trials: int, seed: int) -> list[Cell]:
    """Measure the share of p-values at most 0.05 and 0.01 when targets are assigned at random."""
    cells = []
    for number, ((n, m), method, population) in enumerate(product(SIZES, METHODS, POPULATIONS)):
        if method == "exact" and n + m > MAX_EXACT:
            continue
        rng = np.random.default_rng([seed, number])
        count = int(trials * (TILTED_SHARE if method == "tilted" else 1))
        options = {"method": method, "n_resamples": RESAMPLES.get(method)}
        p: dict[str, list[float]] = {side: [] for side in SIDES}
        for _ in range(count):
            a = POPULATIONS[population](rng, n + m)  # in random order, so X is random, too
            for side, values in p.items():
                if method == "bracket":
                    values.append(compute_bracket(a, n, side))
                else:
                    values.append(compute(a, n, rng, alternative=side, **options).value)
        for (side, values), level in product(p.items(), LEVELS):
            hits = sum(value <= level for value in values)
            row, column = f"`{method}`, {n}+{m}, {population}", f"{SIDES[side]}, p ≤ {level}"
            cells.append(Cell(row, column, hits, count, *_level_band(method, level)))
    return cells


def _level_band(method: str, level: float) -> tuple[float, float]:
    """Return the band: a permutation test is never liberal, and conservative with few partitions.

    A normal distribution fitted to them may be either.
    """
    return (0.2 * level, 1.5 * level) if method == "normal" else (0.2 * level, level)


def run_bounds(trials: int, seed: int) -> list[Cell]:
    """Measure how often the 99 % bounds of `sample` and `normal` contain the exact p-value."""
    cells = []
    sizes = [(n, m) for n, m in SIZES if n + m <= MAX_EXACT]
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
        "against 5 targets the smallest two-sided p is 2/252. `normal` is an approximation and may "
        "be liberal: its band is wider. `sample` and `normal` draw 1,000 partitions here, and "
        "`bracket` has a hundredth of its budget. `tilted` gives the p-value of the method that it "
        "falls back to, if the integral is not accurate enough.",
        run=run_levels,
        trials=300,
        quick_trials=24,
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
