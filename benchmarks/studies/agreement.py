"""Agreement of sources: level and power of the paired test, coverage of the intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.stats import rankdata

import weatherglass as wg
from weatherglass.measures import associations, paired_difference, set_contrast
from weatherglass.significance import pearson, spearman

from .study import Cell, Study

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]

STIMULI = Path(__file__).parents[3] / "shared" / "data" / "glove840b-stimuli" / "vectors.txt"
DRAWS = 999  # sign vectors of a sampled p-value, which add noise but do not change its level
LEVEL = (0.035, 0.065)
COVERAGE = (0.925, 0.98)


@dataclass(frozen=True)
class Words:
    """The unit rows of a test's targets, X before Y, and the rows of A and B."""

    targets: Floats
    a: Floats
    b: Floats


@cache
def real_words(test: str) -> Words:
    entry = wg.test(test)
    vectors = wg.open_vectors("default")
    rows = {
        name: unit(vectors.take([w.lower() for w in words.words if w.lower() in vectors]).rows)
        for name, words in entry.sets.items()
    }
    size = min(len(rows["X"]), len(rows["Y"]))
    return Words(np.concatenate([rows["X"][:size], rows["Y"][:size]]), rows["A"], rows["B"])


def unit(rows: Any) -> Floats:
    rows = np.asarray(rows, dtype=np.float64)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def noisy(rows: Floats, size: float, rng: Generator) -> Floats:
    """Add noise whose expected length is `size` times that of a row."""
    return unit(rows + size * rng.normal(size=rows.shape) / np.sqrt(rows.shape[1]))


@dataclass(frozen=True)
class Setting:
    """How two sources come from one: the noise in each, and what else differs.

    `mixed` assigns the words to X and Y at random, so that neither source has an effect; `planted`
    moves the words of X in the first source by a share of the difference of A and B.
    """

    name: str
    noise: tuple[float, float]
    attributes: float = 0.0
    mixed: bool = False
    planted: float = 0.0

    def draw(self, words: Words, rng: Generator) -> Pair:
        targets = words.targets
        if self.mixed:
            targets = targets[rng.permutation(len(targets))]
        pair = []
        for index, size in enumerate(self.noise):
            rows = targets
            if self.planted and index == 0:
                direction = words.a.mean(axis=0) - words.b.mean(axis=0)
                shift = self.planted * direction / np.linalg.norm(direction)
                half = len(rows) // 2
                rows = np.concatenate([rows[:half] + shift, rows[half:]])
            a, b = words.a, words.b
            if self.attributes:
                a, b = noisy(a, self.attributes, rng), noisy(b, self.attributes, rng)
            pair.append(associations(noisy(rows, size, rng), a, b))
        return pair[0], pair[1]


EQUAL = Setting("same noise in both sources", (0.5, 0.5))
LARGE = Setting("same noise, as large as the rows", (1.0, 1.0))
ZERO = Setting("no effect; noise 0.3 and 0.9", (0.3, 0.9), mixed=True)
ATTRIBUTES = Setting("same noise, also in the attributes", (0.5, 0.5), attributes=0.5)
PLANTED = Setting("X moved towards A in one source (power)", (0.5, 0.5), planted=0.15)
TESTS = {"8+8": "weat6", "16+16": "weat5", "25+25": "weat2"}


def run_paired(trials: int, seed: int) -> list[Cell]:
    cells = []
    for number, setting in enumerate((EQUAL, LARGE, ZERO, ATTRIBUTES, PLANTED)):
        for size, test in TESTS.items():
            words = real_words(test)
            rng = np.random.default_rng([seed, number, len(words.targets)])
            contrast = set_contrast(len(words.targets) // 2, len(words.targets) // 2)
            drawn = [setting.draw(words, rng) for _ in range(trials)]
            for method in ("exact", "sample") if len(words.targets) < 40 else ("sample",):
                if method == "sample" and setting is not EQUAL and len(words.targets) < 40:
                    continue
                results = [
                    paired_difference(
                        *pair, contrast, method=method, rng=rng, n_resamples=DRAWS, workers=1
                    )
                    for pair in drawn
                ]
                hits = sum(result.p.value <= 0.05 for result in results)
                band = LEVEL
                if setting is ATTRIBUTES:
                    band = (0.05, 0.2)
                elif setting is PLANTED:
                    band = (0.2, 1.0)
                cells.append(Cell(setting.name, f"p ≤ 0.05, {size} {method}", hits, trials, *band))
            if setting is ATTRIBUTES:
                continue
            truth = float(np.mean([result.difference for result in results]))
            truth = truth if setting is PLANTED else 0.0
            covered = sum(result.low <= truth <= result.high for result in results)
            cells.append(Cell(setting.name, f"interval, {size}", covered, trials, *COVERAGE))
    return cells


def normal_pairs(rho: float) -> Callable[[int, Generator], Pair]:
    def draw(n: int, rng: Generator) -> Pair:
        x = rng.normal(size=n)
        return x, rho * x + np.sqrt(1 - rho**2) * rng.normal(size=n)

    return draw


def skewed_pairs(rho: float) -> Callable[[int, Generator], Pair]:
    """A common part and two own ones, each with the skewness of an exponential distribution."""

    def draw(n: int, rng: Generator) -> Pair:
        common, first, second = rng.exponential(size=(3, n)) - 1
        own = np.sqrt(1 - rho)
        return np.sqrt(rho) * common + own * first, np.sqrt(rho) * common + own * second

    return draw


def drawn_from(x: Floats, y: Floats) -> Callable[[int, Generator], Pair]:
    def draw(n: int, rng: Generator) -> Pair:
        at = rng.integers(len(x), size=n)
        return x[at], y[at]

    return draw


def gender_associations(words: list[str], vectors: wg.Vectors, columns: slice) -> Floats:
    test = wg.test("wefat1")
    rows = [
        unit(vectors.take(list(part)).rows[:, columns])
        for part in (words, test.a.words, test.b.words)
    ]
    return associations(*rows)


def populations() -> Iterator[tuple[str, Callable[[int, Generator], Pair], float, float]]:
    """Yield the name, a function that draws words, and both correlations of each population."""
    rng = np.random.default_rng(0)
    for rho in (0.5, 0.86):
        yield f"normal, r {rho}", normal_pairs(rho), rho, 6 / np.pi * float(np.arcsin(rho / 2))
    for rho in (0.5, 0.86):
        draw = skewed_pairs(rho)
        x, y = draw(1_000_000, rng)
        yield f"strongly skewed, r {rho}", draw, rho, _correlate(rankdata(x), rankdata(y))
    vectors = wg.open_vectors("default")
    words = [word for word in vectors.words[:20_000] if word.isalpha()]
    halves = slice(0, 25), slice(25, 50)
    x, y = (gender_associations(words, vectors, half) for half in halves)
    name = "two halves of the dimensions of `default`"
    yield name, drawn_from(x, y), _correlate(x, y), _correlate(rankdata(x), rankdata(y))
    if STIMULI.exists():
        other = wg.open_vectors(STIMULI)
        attributes = {*wg.test("wefat1").a.words, *wg.test("wefat1").b.words}
        words = [w for w in other.words[:] if w in vectors and w not in attributes]
        x, y = (gender_associations(words, source, slice(None)) for source in (vectors, other))
        name = "`default` and GloVe 840B, words of the Science paper"
        yield name, drawn_from(x, y), _correlate(x, y), _correlate(rankdata(x), rankdata(y))


def _correlate(x: Floats, y: Floats) -> float:
    return float(np.corrcoef(x, y)[0, 1])


def run_correlations(trials: int, seed: int) -> list[Cell]:
    cells = []
    for number, (name, draw, r, rho) in enumerate(populations()):
        is_skewed = name.startswith("strongly")
        for n in (16, 50):
            rng = np.random.default_rng([seed, number, n])
            pairs = [draw(n, rng) for _ in range(trials)]
            for kind, correlate, truth in (("Pearson", pearson, r), ("Spearman", spearman, rho)):
                intervals = [correlate(*pair) for pair in pairs]
                covered = sum(interval.low <= truth <= interval.high for interval in intervals)
                band = (0.90, 0.955) if is_skewed else (0.94, 0.98)
                cells.append(Cell(name, f"{kind}, {n} words", covered, trials, *band))
    return cells


STUDIES = [
    Study(
        name="paired",
        title="Paired test of one effect on two sources",
        about="""
Two sources are made from `default` by adding independent normal noise to the rows of the targets
of `weat6` (8+8), `weat5` (16+16) and `weat2` (25+25); the size of the noise is its expected length
relative to a row's. Where both have the same noise, their effects differ by chance only, and the
paired sign-flip test should reject in 5 % of trials. With different noise the larger noise makes an
effect smaller, so that equal effects need an effect of zero: the words are then assigned to X and Y
at random. Sampled p-values draw 999 sign vectors.

The test takes the attributes as given. Where these are noisy as well, all targets of a source are
off together, and it rejects in 7 to 14 % of trials: it says that the sources differ, not that the
targets are the reason. The row for that case has a band of its own. The last row is power: the
words of X are moved towards A, by 0.15 of their length, in one source. The interval is that of the
difference of the effects; in the last row the true difference is the mean over the trials.
""",
        run=run_paired,
        trials=2000,
        quick_trials=100,
    ),
    Study(
        name="correlations",
        title="Intervals of the correlations between sources",
        about="""
95 % intervals of Pearson's and Spearman's correlation over words, for normal pairs, for pairs as
skewed as an exponential distribution, and for the gender associations of real words, drawn with
replacement: 20,000 frequent words in the first and the last 25 dimensions of `default`, and the
words of the Science paper in `default` and in GloVe 840B. Strong skewness lowers the coverage of
Pearson's interval to 91 %.
""",
        run=run_correlations,
        trials=4000,
        quick_trials=300,
    ),
]
