"""Trends over ordered periods by permuted dates, on synthetic texts.

The texts and the training are those of the study of corpora.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from weatherglass.corpus.permutation import Pool, divide
from weatherglass.significance import permuted_difference, trend

from .corpora import (
    ALPHA,
    LEVEL,
    POPULATIONS,
    PPMI,
    STATISTICS,
    VOCABULARY,
    Texts,
    Trainer,
    draw_population,
)
from .study import Cell, Study

PERMUTATIONS = 99


@dataclass(frozen=True)
class Case:
    """Series of periods whose trend is tested.

    Attributes
    ----------
    row
        What the table calls it.
    sizes
        Documents of each period.
    share
        Of the study's trials, the share that it gets.
    planted
        The strength of the planted association in the last period; it grows from 0 in the first.
    shock
        The strength of the planted association in one period drawn at random.
    rank, residual, change
        The bands of the rank p, of the residual t and of the p-value of the change: their level
        or, with a trend, their power.
    """

    row: str
    sizes: tuple[int, ...]
    share: float = 1.0
    planted: float = 0.0
    shock: float = 0.0
    rank: tuple[float, float] = LEVEL
    residual: tuple[float, float] = LEVEL
    change: tuple[float, float] = LEVEL

    def draw(self, number: int, seed: int, rng: Generator) -> list[Texts]:
        """Return the documents of each period."""
        population = draw_population(seed, number)
        strengths = np.linspace(0, self.planted, len(self.sizes))
        strengths[rng.integers(len(self.sizes))] += self.shock
        return [
            population.documents(size, rng, strength)
            for size, strength in zip(self.sizes, strengths.tolist(), strict=True)
        ]


GROWING = (30, 45, 60, 75, 90, 150)
POWER = (0.35, 0.8)
CASES = (
    Case("6 periods of 75 documents", (75,) * 6),
    Case("6 periods of 30 to 150 documents", GROWING),
    Case("12 periods of 40 documents", (40,) * 12, 0.25),
    Case(
        "6 periods of 75 documents, a shock in one",
        (75,) * 6,
        0.4,
        shock=0.6,
        rank=(0.15, 0.6),
        residual=(0.01, 0.1),
        change=(0.03, 0.3),
    ),
    Case(
        "6 periods of 75 documents, planted trend",
        (75,) * 6,
        0.4,
        planted=0.4,
        rank=POWER,
        residual=(0.25, 0.7),
        change=(0.25, 0.7),
    ),
    Case(
        "6 periods of 30 to 150 documents, planted trend",
        GROWING,
        0.4,
        planted=0.4,
        rank=POWER,
        residual=(0.25, 0.7),
        change=POWER,
    ),
)


def make_pool(periods: list[Texts]) -> Pool:
    """Return the documents of all periods as the pool from which permuted parts are drawn."""
    words = [f"w{k}" for k in range(VOCABULARY)]
    tokens = tuple(np.concatenate(texts) for texts in periods)
    ends = tuple(np.cumsum([len(text) for text in texts]) for texts in periods)
    return Pool(words, tokens, ends)


def measure_parts(
    trainer: Trainer, pool: Pool, parts: tuple[NDArray[np.int64], ...], rng: Generator
) -> NDArray[np.float64]:
    """Return a row for each statistic with the value of each part."""
    return np.array([trainer.measure(pool, part, rng) for part in parts]).T


def test_once(trainer: Trainer, pool: Pool, rng: Generator) -> NDArray[np.bool_]:
    """Return, for each statistic, which tests reject: rank p, residual t, change to the last."""
    everything = np.arange(sum(pool.sizes))
    whole = tuple(np.split(everything, np.cumsum(pool.sizes)[:-1]))
    observed = measure_parts(trainer, pool, whole, rng)
    permuted = np.array(
        [measure_parts(trainer, pool, divide(pool.sizes, rng), rng) for _ in range(PERMUTATIONS)]
    )
    equal_sizes = len(set(pool.sizes)) == 1
    rejected = []
    for k in range(len(STATISTICS)):
        times = np.arange(len(pool.sizes)).tolist()
        test = trend(times, observed[k].tolist(), permuted[:, k].tolist(), equal_sizes=equal_sizes)
        change = permuted_difference(
            float(observed[k, -1] - observed[k, 0]),
            (permuted[:, k, -1] - permuted[:, k, 0]).tolist(),
            equal_sizes=pool.sizes[0] == pool.sizes[-1],
        )
        residual_p = 1.0 if test.residual_p is None else test.residual_p
        rejected.append([p <= ALPHA for p in (test.p, residual_p, change.p)])
    return np.array(rejected)


def run_trial(case: Case, trial: int, seed: int, folder: Path) -> NDArray[np.bool_]:
    """Return which tests reject in one series of periods."""
    number = trial % POPULATIONS
    strength = [int(1000 * case.planted), int(1000 * case.shock)]
    rng = np.random.default_rng([seed, 4, *case.sizes, *strength, trial])
    periods = case.draw(number, seed, rng)
    trainer = Trainer(draw_population(seed, number), PPMI, folder)
    return test_once(trainer, make_pool(periods), rng)


def run_case(case: Case, trials: int, seed: int, folder: Path) -> list[Cell]:
    """Run the trials of one case."""
    rejected = sum(run_trial(case, trial, seed, folder).astype(int) for trial in range(trials))
    return count_cells(case, np.asarray(rejected), trials)


def count_cells(case: Case, rejected: NDArray[np.int64], trials: int) -> list[Cell]:
    """Return the cells of one case."""
    columns = ("rank p of the trend", "residual t of the trend", "p of the change, last − first")
    bands = (case.rank, case.residual, case.change)
    return [
        Cell(case.row, f"{column}, {statistic}", int(rejected[k, c]), trials, *bands[c])
        for k, statistic in enumerate(STATISTICS)
        for c, column in enumerate(columns)
    ]


def run(trials: int, seed: int) -> list[Cell]:
    """Test series of periods, and count."""
    from threadpoolctl import threadpool_limits

    cells: list[Cell] = []
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(limits=1):
        for case in CASES:
            cells += run_case(case, max(1, round(case.share * trials)), seed, Path(folder))
    return cells


ABOUT = """
`weatherglass compare --by year` on synthetic texts: a series of periods with documents of about \
40 words, from the topic models of the comparison of corpora, in the same way. *Rank p* is that of \
the slope by 99 permutations of the documents' dates, *residual t* that of the same slope by the \
distances of periods from the line, and *p of the change* that of the difference of the last and \
the first period by the same permutations; the cells count p ≤ 0.05. In the first three rows no \
period differs from another.

In the fourth row a single period, drawn at random, differs: in it an A word comes after an X \
word, and a B word after a Y word, in 60 % of cases. There is no trend, but dates matter, so that \
the null hypothesis of the rank p is false and it rejects often; the residual t does not. A trend \
is therefore called clear only if both p-values are at most 0.05. In the last two rows that share \
grows steadily from 0 in the first period to 40 % in the last, and the cells have the power. Bands \
of the last three rows are around what these four topic models gave.
"""

STUDIES = [
    Study(
        name="trends",
        title="Trends over periods",
        about=ABOUT,
        run=run,
        trials=160,
        quick_trials=4,
    )
]
