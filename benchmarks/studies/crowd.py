"""Evaluation by people: level of p-values against guessing, coverage of the intervals."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from weatherglass.crowd import (
    alpha_over_workers,
    hits_by_guessing,
    poisson_binomial,
    rate,
    upper_tail,
)

from .study import Cell, Study

Codes = NDArray[np.int64]

CHOICES = (12, 8, 8, 6, 5, 4)
WORKERS = 18
RATERS = 13
OFFENSIVE = 4.0
BOOTSTRAPS = 400
ITEMS, VALUES = 40, 8
TRUTH_WORKERS = 1500
# Probabilities of the ratings 1 to 7.
RATINGS = {
    "evenly from 1 to 7": (1, 1, 1, 1, 1, 1, 1),
    "around 4": (0, 1, 4, 6, 4, 1, 0),
    "mostly 1, a few up to 7": (12, 3, 2, 1, 1, 1, 1),
    "1 or 7": (1, 0, 0, 0, 0, 0, 1),
    "nine of ten 1, the others 2": (9, 1, 0, 0, 0, 0, 0),
}
UNEVEN = ("mostly 1, a few up to 7", "1 or 7")
"""Ratings for which Student's interval covers less than it should."""


def guess(rng: Generator, one_to_one: bool) -> list[Codes]:
    """Return workers × cells for each task: the groups that guessing workers choose."""
    answers = []
    for c in CHOICES:
        if one_to_one:
            answers.append(rng.permuted(np.tile(np.arange(c), (WORKERS, 1)), axis=1))
        else:
            answers.append(rng.integers(c, size=(WORKERS, c)))
    return answers


def run_guessing(trials: int, seed: int) -> list[Cell]:
    cells = []
    for one_to_one, name in ((False, "groups as often as wanted"), (True, "each group once")):
        rng = np.random.default_rng([seed, one_to_one])
        all_guesses = hits_by_guessing(CHOICES * WORKERS, CHOICES * WORKERS, one_to_one)
        single = {c: poisson_binomial(np.full(WORKERS, 1 / c)) for c in CHOICES}
        rejected = {"cell": 0, "all answers": 0}
        for trial in range(trials):
            answers = guess(rng, one_to_one)
            hits = [
                (chosen == np.arange(c)).sum(axis=0)
                for c, chosen in zip(CHOICES, answers, strict=True)
            ]
            task = trial % len(CHOICES)
            p = upper_tail(single[CHOICES[task]], int(hits[task][0])).value
            rejected["cell"] += p <= 0.05
            total = int(sum(counts.sum() for counts in hits))
            rejected["all answers"] += upper_tail(all_guesses, total).value <= 0.05
        for what, hits_of in rejected.items():
            # Counts are discrete: the level is at most 5 %.
            low = 0.01 if what == "cell" else 0.035
            cells.append(Cell(name, f"p of {what} ≤ 0.05", int(hits_of), trials, low, 0.05))
    return cells


def run_ratings(trials: int, seed: int) -> list[Cell]:
    cells = []
    for number, (name, weights) in enumerate(RATINGS.items()):
        rng = np.random.default_rng([seed, number])
        p = np.array(weights) / sum(weights)
        mean = float(p @ np.arange(1, 8))
        covered = 0
        for values in rng.choice(np.arange(1, 8), size=(trials, RATERS), p=p):
            rating = rate(values.tolist(), OFFENSIVE)
            assert rating.low is not None
            assert rating.high is not None
            covered += rating.low <= mean <= rating.high
        low = 0.88 if name in UNEVEN else 0.925
        cells.append(Cell(name, "mean rating", int(covered), trials, low, 1.0))
    return cells


def draw_workers(rng: Generator, base: Codes, number: int) -> Codes:
    """Return answers of workers who know between a third and all of the items."""
    known = rng.random((number, ITEMS)) < rng.uniform(0.33, 1.0, size=(number, 1))
    return np.where(known, base, rng.integers(VALUES, size=(number, ITEMS)))


def run_alpha(trials: int, seed: int) -> list[Cell]:
    cells = []
    for level in ("nominal", "ordinal"):
        for number in (WORKERS, 40):
            rng = np.random.default_rng([seed, number, level == "ordinal"])
            covered = 0
            base = rng.integers(VALUES, size=ITEMS)
            many = draw_workers(rng, base, TRUTH_WORKERS)
            truth = alpha_over_workers(many, level, rng, 0).value  # type: ignore[arg-type]
            assert truth is not None
            for _ in range(trials):
                answers = draw_workers(rng, base, number)
                alpha = alpha_over_workers(answers, level, rng, BOOTSTRAPS)  # type: ignore[arg-type]
                assert alpha.low is not None
                assert alpha.high is not None
                covered += alpha.low <= truth <= alpha.high
            cells.append(
                Cell(f"{number} workers", f"alpha, {level}", int(covered), trials, 0.9, 0.98)
            )
    return cells


STUDIES = (
    Study(
        "crowd-guessing",
        "Evaluation by people: p against guessing",
        f"{WORKERS} workers guess in matching tasks of {', '.join(map(str, CHOICES))} groups, with "
        "groups as often as they want or each once. The p-value of one cell, and that of all "
        "answers, must be at most 0.05 in at most 5 % of studies; counts are discrete, so it is "
        "less often.",
        run_guessing,
        20_000,
        600,
    ),
    Study(
        "crowd-ratings",
        "Evaluation by people: intervals of mean ratings",
        f"{RATERS} raters draw from a distribution of the ratings 1 to 7. Student's interval, "
        "within the scale, covers less than it should if ratings are skewed or at both ends.",
        run_ratings,
        20_000,
        600,
    ),
    Study(
        "crowd-alpha",
        "Evaluation by people: intervals of Krippendorff's α",
        f"Workers who know between a third and all of {ITEMS} items, and otherwise guess among "
        f"{VALUES} values; the truth is α of {TRUTH_WORKERS:,} such workers on the same items. "
        "Expanded percentiles of a bootstrap over workers, without pairs of copies of a worker.",
        run_alpha,
        300,
        60,
    ),
)
