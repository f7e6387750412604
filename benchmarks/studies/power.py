"""The power that tests have for the effects that they are said to detect."""

from __future__ import annotations

import math

import numpy as np

from weatherglass.significance import (
    Alternative,
    batch_permutation_p,
    correlation_power,
    effect_power,
)

from .study import Cell, Study

BAND = (0.75, 0.85)
FEW_PARTITIONS = (0.68, 0.85)
MIN_REJECTED = 3  # of the partitions; with fewer, the t test is a rough approximation
EPSILON = 1e-9

SIZES = ((3, 3), (4, 4), (5, 5), (8, 8), (16, 16), (25, 25), (5, 20), (8, 25))
LEVELS: tuple[tuple[float, Alternative], ...] = (
    (0.05, "greater"),
    (0.05, "two-sided"),
    (0.005, "greater"),
)


def run_effects(trials: int, seed: int) -> list[Cell]:
    cells = []
    for ratio in (1.0, 2.0):
        for n, m in SIZES:
            for alpha, alternative in LEVELS:
                power = effect_power(n, m, alpha=alpha, alternative=alternative, spreads=(1, ratio))
                sides = 2 if alternative == "two-sided" else 1
                row = f"{n}+{m} words, sd 1:{ratio:g}"
                column = f"p ≤ {alpha:g}, {alternative}"
                rng = np.random.default_rng([seed, n, m, int(ratio), int(1000 * alpha), sides])
                # Where nothing can be significant, no difference, however large, must be found.
                difference = 9.0 if power.difference is None else power.difference
                pairs = [
                    (rng.normal(difference, 1, n), rng.normal(0, ratio, m)) for _ in range(trials)
                ]
                p_values = batch_permutation_p(pairs, alternative=alternative)
                hits = sum(p.value <= alpha * (1 + EPSILON) for p in p_values)
                if power.detectable is None:
                    band = (0.0, 0.0)
                else:
                    rejected = math.floor(alpha / sides * math.comb(n + m, n) * (1 + EPSILON))
                    band = BAND if rejected >= MIN_REJECTED else FEW_PARTITIONS
                cells.append(Cell(row, column, hits, trials, *band))
    return cells


def run_correlations(trials: int, seed: int) -> list[Cell]:
    from scipy.stats import pearsonr

    cells = []
    for n in (10, 20, 50):
        for alpha in (0.05, 0.01):
            correlation = correlation_power(n, alpha=alpha).detectable
            assert correlation is not None
            rng = np.random.default_rng([seed, 9, n, int(1000 * alpha)])
            x = rng.normal(size=(trials, n))
            y = correlation * x + math.sqrt(1 - correlation**2) * rng.normal(size=(trials, n))
            hits = int((pearsonr(x, y, axis=1).pvalue <= alpha).sum())
            cells.append(Cell(f"{n} words", f"p ≤ {alpha:g}", hits, trials, *BAND))
    return cells


STUDIES = [
    Study(
        name="power",
        title="Power at the smallest detectable effect",
        about=(
            "For the effect size that a test of this size is said to detect with 80 % power, the "
            "share of simulated tests with a permutation p-value of at most α. Associations are "
            "normal; in the second half the words of Y vary twice as much as those of X. Where no "
            "outcome can be significant, the effect was made very large instead, and nothing may "
            "be found. Where fewer than three partitions may be rejected, the stated power is a "
            "rougher approximation, and up to twelve points too high."
        ),
        run=run_effects,
        trials=1000,
        quick_trials=100,
    ),
    Study(
        name="power-correlation",
        title="Power at the smallest detectable correlation",
        about=(
            "The same for factual tests: the share of simulated samples of normal numbers whose "
            "Pearson correlation has a two-sided p-value of at most α, at the correlation that is "
            "said to be detected with 80 % power."
        ),
        run=run_correlations,
        trials=5000,
        quick_trials=500,
    ),
]
