"""The p-values with `scipy.stats.permutation_test`, on associations by plain numpy.

scipy has no association test, so the effect is not its own: it is left out.
"""

from __future__ import annotations

from math import comb

import numpy as np
from clock import best, job, say
from scipy.stats import permutation_test

SAMPLED = 99_999
MOST = 20_000  # partitions that are counted one by one; the next size of test has 601,080,390

todo = job()
rows = {}
with open(todo["vectors"], encoding="utf-8") as file:
    next(file)
    for line in file:
        word, *numbers = line.rstrip("\n").split(" ")
        row = np.array(numbers, dtype=np.float64)
        rows[word] = row / np.linalg.norm(row)


def difference(x, y, axis):
    """The mean association of X minus that of Y."""
    return x.mean(axis=axis) - y.mean(axis=axis)


def run(sets):
    """Associations, then the one-sided test."""
    side = {name: np.array([rows[word] for word in words]) for name, words in sets.items()}
    along = side["A"].mean(axis=0) - side["B"].mean(axis=0)
    x, y = side["X"] @ along, side["Y"] @ along
    exact = comb(len(x) + len(y), len(x)) <= MOST
    return exact, permutation_test(
        (x, y),
        difference,
        vectorized=True,
        n_resamples=np.inf if exact else SAMPLED,
        batch=10_000,
        alternative="greater",
        rng=np.random.default_rng(0),
    )


for sets in list(todo["tests"].values())[-1:]:
    run(sets)
for name, sets in todo["tests"].items():
    seconds, (exact, found) = best(lambda sets=sets: run(sets))
    say(
        test=name,
        effect=None,
        p=float(found.pvalue),
        how="exact" if exact else "sampled",
        n=len(found.null_distribution) if exact else SAMPLED,
        seconds=seconds,
    )
