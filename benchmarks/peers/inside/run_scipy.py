"""Compute the p-values with `scipy.stats.permutation_test`, from associations by plain numpy.

scipy has no association test, so there is no effect size to compare.
"""

from __future__ import annotations

from math import comb

import numpy as np
from clock import best_run, print_row, read_job
from scipy.stats import permutation_test

DRAWS = 99_999
MAX_PARTITIONS = 20_000  # for an exact p-value; the next larger test has 601,080,390

job = read_job()
rows = {}
with open(job["vectors"], encoding="utf-8") as file:
    next(file)
    for line in file:
        word, *numbers = line.rstrip("\n").split(" ")
        row = np.array(numbers, dtype=np.float64)
        rows[word] = row / np.linalg.norm(row)


def difference(x, y, axis):
    """Mean association of X minus that of Y."""
    return x.mean(axis=axis) - y.mean(axis=axis)


def run(sets):
    """Compute the associations and run the one-sided test."""
    side = {name: np.array([rows[word] for word in words]) for name, words in sets.items()}
    direction = side["A"].mean(axis=0) - side["B"].mean(axis=0)
    x, y = side["X"] @ direction, side["Y"] @ direction
    exact = comb(len(x) + len(y), len(x)) <= MAX_PARTITIONS
    return exact, permutation_test(
        (x, y),
        difference,
        vectorized=True,
        n_resamples=np.inf if exact else DRAWS,
        batch=10_000,
        alternative="greater",
        rng=np.random.default_rng(0),
    )


for sets in list(job["tests"].values())[-1:]:
    run(sets)
for name, sets in job["tests"].items():
    seconds, (exact, result) = best_run(lambda sets=sets: run(sets))
    print_row(
        test=name,
        effect=None,
        p=float(result.pvalue),
        how="exact" if exact else "sampled",
        n=len(result.null_distribution) if exact else DRAWS,
        seconds=seconds,
    )
