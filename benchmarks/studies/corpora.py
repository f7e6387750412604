"""Differences of corpora by permuted documents, and intervals of one corpus, on synthetic texts.

Models are trained by the functions that `weatherglass.compare` calls, without its files.
"""

from __future__ import annotations

import importlib.util
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from weatherglass.corpus.permutation import Pool, divide
from weatherglass.corpus.run_folder import Settings
from weatherglass.corpus.worker import draw_documents, train_documents
from weatherglass.measures import associations, effect
from weatherglass.significance import (
    PermutedDifference,
    permuted_difference,
    retrained_interval,
)

from .study import Cell, Study

VOCABULARY, TOPICS, POPULATIONS = 120, 6, 4
SET_SIZE = 8
MODELS = 20  # permutations, and bootstrap samples
PPMI = Settings(method="ppmi-svd", dim=16, min_count=2, by="corpus")
SGNS = Settings(method="sgns", dim=16, min_count=2, epochs=5, by="corpus")
ALPHA = 0.05
STATISTICS = ("effect size", "unstandardised effect")
LEVEL = (0.03, 0.08)
COVERAGE = (0.9, 0.98)
MIN_PAIRS = 30
"""Pairs of corpora, at least, whose mean is what an interval should cover."""

Floats = NDArray[np.float64]
Texts = list[NDArray[np.int32]]


@dataclass(frozen=True)
class Population:
    """Documents of about 40 words: runs of five words of one topic, words by Zipf's law.

    Attributes
    ----------
    cumulated
        The distribution of words in each topic, cumulated.
    sets
        The word sets X, Y, A and B: the most frequent words, dealt out in turn.
    """

    cumulated: NDArray[np.float64]
    sets: tuple[NDArray[np.int64], ...]

    @classmethod
    def draw(cls, rng: Generator) -> Population:
        base = 1 / np.arange(1, VOCABULARY + 1) ** 0.8
        topics = base * rng.gamma(0.4, 1, (TOPICS, VOCABULARY))
        topics /= topics.sum(axis=1, keepdims=True)
        frequent = np.argsort(-topics.sum(axis=0))[: 4 * SET_SIZE]
        return cls(np.cumsum(topics, axis=1), tuple(frequent[k::4] for k in range(4)))

    def documents(self, number: int, rng: Generator, planted: float = 0.0) -> Texts:
        """Return random documents.

        After an X word comes an A word with probability `planted`, after a Y word a B word.
        """
        texts = []
        for _ in range(number):
            shares = rng.dirichlet(np.full(TOPICS, 0.3))
            length = int(rng.poisson(35)) + 5
            topics = np.repeat(rng.choice(TOPICS, length // 5 + 1, p=shares), 5)[:length]
            uniform = rng.random(length)
            below = self.cumulated[topics] < uniform[:, np.newaxis]
            words = np.minimum(below.sum(axis=1), VOCABULARY - 1).astype(np.int32)
            if planted:
                for target, attribute in ((0, 2), (1, 3)):
                    after = 1 + np.flatnonzero(np.isin(words[:-1], self.sets[target]))
                    chosen = after[rng.random(len(after)) < planted]
                    words[chosen] = rng.choice(self.sets[attribute], len(chosen))
            texts.append(words)
        return texts


@dataclass(frozen=True)
class Trainer:
    """Trains a model on documents, and gives the effect size of the test and its numerator."""

    population: Population
    settings: Settings
    folder: Path

    def measure(
        self, pool: Pool, documents: NDArray[np.int64], rng: Generator
    ) -> NDArray[np.float64]:
        corpus = pool.part(documents, self.settings.min_count)
        table = train_documents(corpus, self.settings, rng, self.folder).astype(np.float64)
        norms = np.linalg.norm(table, axis=1)
        row = {word: table[k] / norms[k] for k, word in enumerate(corpus.words) if norms[k] > 0}
        x, y, a, b = (
            np.array([row[name] for name in (f"w{k}" for k in word_set) if name in row])
            for word_set in self.population.sets
        )
        s_x, s_y = associations(x, a, b), associations(y, a, b)
        return np.array([float(effect(s_x, s_y, 1)), float(s_x.mean() - s_y.mean())])


def make_pool(first: Texts, second: Texts) -> Pool:
    """Return documents as the pool from which permuted parts are drawn."""
    words = [f"w{k}" for k in range(VOCABULARY)]
    tokens = tuple(np.concatenate(texts) for texts in (first, second))
    ends = tuple(np.cumsum([len(text) for text in texts]) for texts in (first, second))
    return Pool(words, (tokens[0], tokens[1]), (ends[0], ends[1]))


def measure_both(trainer: Trainer, pool: Pool, rng: Generator) -> tuple[Floats, Floats]:
    """Return both statistics of both corpora."""
    parts = (np.arange(pool.sizes[0]), np.arange(pool.sizes[0], sum(pool.sizes)))
    return trainer.measure(pool, parts[0], rng), trainer.measure(pool, parts[1], rng)


def compare_once(
    trainer: Trainer, pool: Pool, rng: Generator
) -> tuple[float, list[PermutedDifference]]:
    """Return the effect size of the first corpus, and the tests of both differences."""
    first, second = measure_both(trainer, pool, rng)
    permuted = []
    for _ in range(MODELS):
        one, other = (trainer.measure(pool, part, rng) for part in divide(pool.sizes, rng))
        permuted.append(one - other)
    columns = np.array(permuted).T
    equal_sizes = pool.sizes[0] == pool.sizes[1]
    tests = [
        permuted_difference(float(first[k] - second[k]), columns[k], equal_sizes=equal_sizes)
        for k in range(len(STATISTICS))
    ]
    return float(first[0]), tests


def sample_effects(trainer: Trainer, texts: Texts, rng: Generator) -> list[float]:
    """Return the effect sizes on bootstrap samples of documents."""
    effects = []
    for _ in range(MODELS):
        drawn = [texts[d] for d in draw_documents(len(texts), rng)]
        pool = make_pool(drawn, drawn[:1])
        effects.append(float(trainer.measure(pool, np.arange(len(drawn)), rng)[0]))
    return effects


@dataclass(frozen=True)
class Case:
    """Pairs of corpora to compare.

    Attributes
    ----------
    row
        What the table calls it.
    sizes
        Documents of each corpus.
    share
        Of the study's trials, the share that it gets.
    settings, planted
        How vectors are trained, and the strength of the planted difference.
    covered
        Of its trials, the share in which the interval of the first corpus is measured as well.
    rejected
        The band of both p-values: of their level or, where a difference was planted, of their
        power.
    """

    row: str
    sizes: tuple[int, int]
    share: float
    settings: Settings = PPMI
    planted: float = 0.0
    covered: float = 0.0
    rejected: tuple[float, float] = LEVEL

    def draw(self, population: Population, rng: Generator) -> tuple[Texts, Texts]:
        """Return two random corpora."""
        first = population.documents(self.sizes[0], rng)
        return first, population.documents(self.sizes[1], rng, self.planted)


CASES = (
    Case("150 and 150 documents", (150, 150), 1, covered=0.4),
    Case("600 and 600 documents", (600, 600), 1, covered=0.1),
    Case("75 and 300 documents", (75, 300), 1),
    Case("150 and 150 documents, skip-gram", (150, 150), 0.15, settings=SGNS),
    Case("150 and 150 documents, planted", (150, 150), 0.4, planted=0.2, rejected=(0.15, 0.55)),
    Case("600 and 600 documents, planted", (600, 600), 0.4, planted=0.1, rejected=(0.2, 0.6)),
    Case("75 and 300 documents, planted", (75, 300), 0.4, planted=0.2, rejected=(0.12, 0.5)),
)


def draw_population(seed: int, number: int) -> Population:
    """Return one of the topic models."""
    return Population.draw(np.random.default_rng([seed, 1, number]))


def expected_values(case: Case, pairs: int, seed: int, folder: Path) -> list[tuple[float, Floats]]:
    """Return what intervals should cover, by topic model.

    That is the mean effect size of the first corpus, and the mean difference of both corpora in
    effect size and in unstandardised effect, over `pairs` further pairs of corpora. Two corpora of
    one size and one topic model have a mean difference of 0.
    """
    expected = []
    is_null = case.sizes[0] == case.sizes[1] and not case.planted
    for number in range(POPULATIONS):
        if is_null and not case.covered:
            expected.append((math.nan, np.zeros(len(STATISTICS))))
            continue
        population = draw_population(seed, number)
        trainer = Trainer(population, case.settings, folder)
        effects, differences = [], []
        for k in range(pairs):
            rng = np.random.default_rng([seed, 3, *case.sizes, int(1000 * case.planted), number, k])
            pool = make_pool(*case.draw(population, rng))
            first, second = measure_both(trainer, pool, rng)
            effects.append(float(first[0]))
            differences.append(first - second)
        mean = np.zeros(len(STATISTICS)) if is_null else np.mean(differences, axis=0)
        expected.append((float(np.mean(effects)), mean))
    return expected


def run_case(case: Case, trials: int, seed: int, folder: Path) -> list[Cell]:
    """Run the trials of one case."""
    rejected = np.zeros(len(STATISTICS), dtype=int)
    covered = np.zeros(len(STATISTICS), dtype=int)
    in_interval, intervals = 0, round(case.covered * trials)
    expected = expected_values(case, max(MIN_PAIRS, trials // POPULATIONS), seed, folder)
    for trial in range(trials):
        number = trial % POPULATIONS
        population = draw_population(seed, number)
        mean_effect, mean_differences = expected[number]
        rng = np.random.default_rng([seed, 2, *case.sizes, int(1000 * case.planted), trial])
        texts = case.draw(population, rng)
        trainer = Trainer(population, case.settings, folder)
        values, tests = compare_once(trainer, make_pool(*texts), rng)
        rejected += [test.p <= ALPHA for test in tests]
        covered += [
            test.low <= mean <= test.high
            for test, mean in zip(tests, mean_differences, strict=True)
        ]
        if trial < intervals:
            interval = retrained_interval(values, sample_effects(trainer, texts[0], rng))
            assert interval is not None
            in_interval += interval[0] <= mean_effect <= interval[1]
    cells = []
    for k, statistic in enumerate(STATISTICS):
        cells.append(Cell(case.row, f"p of {statistic}", int(rejected[k]), trials, *case.rejected))
    for k, statistic in enumerate(STATISTICS):
        column = f"interval of the difference, {statistic}"
        cells.append(Cell(case.row, column, int(covered[k]), trials, *COVERAGE))
    if intervals:
        column = "interval of one corpus"
        cells.append(Cell(case.row, column, in_interval, intervals, 0.95, 1.0))
    return cells


def run(trials: int, seed: int) -> list[Cell]:
    """Compare pairs of corpora, and count."""
    from threadpoolctl import threadpool_limits

    cells: list[Cell] = []
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(limits=1):
        for case in CASES:
            if case.settings is SGNS and importlib.util.find_spec("gensim") is None:
                print("  skip-gram is left out: it needs gensim")
                continue
            cells += run_case(case, max(1, round(case.share * trials)), seed, Path(folder))
    return cells


ABOUT = """
`weatherglass compare` on synthetic texts: two corpora of documents of about 40 words, from one \
topic model (120 words, six topics, words by Zipf's law, runs of five words from one topic); four \
such models in turn. Vectors have 16 dimensions, by PPMI and SVD or, where the row says so, by \
skip-gram. *p* is that of the difference of the corpora, by Student's t with 20 permutations of \
their documents; the cells count p ≤ 0.05. Where a difference was planted, after an X word of the \
second corpus comes an A word, and after a Y word a B word, in 20 % (10 % for 600 documents) of \
cases, and the cells have the power, with a band around what these four topic models gave.

*Interval of the difference* counts how often difference ± t · standard error contains the \
expected difference: 0 for corpora of equal size without a planted difference, where the interval \
contains it if p is above 0.05; otherwise the mean of further pairs of corpora. *Interval of one \
corpus* counts how often effect ± t · standard deviation of 20 bootstrap samples contains the \
expected effect size of corpora of that size. It covers more than 95 % here, as the standard \
deviation of bootstrap samples is too large for such texts; on real corpora with few and very \
different documents it may be too small.
"""

STUDIES = [
    Study(
        name="corpora",
        title="Comparison of corpora",
        about=ABOUT,
        run=run,
        trials=400,
        quick_trials=12,
    )
]
