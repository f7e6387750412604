"""How well a word's frequency can be predicted from its vector, out of sample.

A linear fit misses frequency that is in the spread of the vectors rather than in their mean, so
two flexible predictors are tried: the mean of the nearest neighbours, and boosted trees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .anisotropy import MAX_FITTED_WORDS, Rows
from .frequency import WordFrequencies
from .vectors import EPSILON, Floats, Positions

SAMPLED_WORDS = 9000  # drawn from the 60,000 most frequent
TRAINING_SHARE = 7 / 9
NEIGHBOURS = 20
_BLOCK_ROWS = 256  # of distances to all other words, so that memory stays bounded
SEED = 0  # the same words before and after a control, and in every run


@dataclass(frozen=True)
class Predictability:
    """R² of log frequency on words that were not used to fit the predictor.

    At most 1. Zero or less means that the predictor is no better than the mean frequency.

    Attributes
    ----------
    neighbours
        The mean of the 20 nearest neighbours by cosine.
    trees
        Gradient boosted trees of the coordinates.
    linear
        Least squares.
    """

    neighbours: float
    trees: float
    linear: float

    @property
    def largest(self) -> float:
        """The R² of the best of the three predictors."""
        return max(self.neighbours, self.trees, self.linear)


@dataclass(frozen=True, eq=False)
class FrequencySample:
    """Words to learn from and words to predict, drawn from the most frequent ones."""

    training: Positions
    test: Positions
    frequencies: WordFrequencies

    @classmethod
    def of(cls, frequencies: WordFrequencies) -> FrequencySample:
        among = frequencies.order[:MAX_FITTED_WORDS]
        size = min(SAMPLED_WORDS, len(among))
        drawn = np.random.default_rng(SEED).choice(len(among), size, replace=False)
        n_training = round(size * TRAINING_SHARE)
        return cls(among[drawn[:n_training]], among[drawn[n_training:]], frequencies)

    def predictability(self, rows: Rows) -> Predictability:
        """Return R² of each predictor, given the function that returns unit rows."""
        x, new = rows(self.training), rows(self.test)
        y, target = (self.frequencies.log[part] for part in (self.training, self.test))
        if np.ptp(y) == 0 or np.ptp(target) == 0:
            return Predictability(0.0, 0.0, 0.0)
        return Predictability(
            _r2(target, _predict_by_neighbours(x, y, new)),
            _r2(target, _predict_by_trees(x, y, new)),
            _r2(target, _predict_linearly(x, y, new)),
        )


def _r2(target: Floats, predicted: Floats) -> float:
    return 1 - float(((target - predicted) ** 2).sum() / ((target - target.mean()) ** 2).sum())


def _predict_by_neighbours(x: Floats, y: Floats, new: Floats) -> Floats:
    count = min(NEIGHBOURS, len(x))
    known = -x.T.astype(np.float32)
    predicted = np.empty(len(new))
    for start in range(0, len(new), _BLOCK_ROWS):
        block = slice(start, start + _BLOCK_ROWS)
        distances = new[block].astype(np.float32) @ known
        nearest = np.argpartition(distances, count - 1, axis=1)[:, :count]
        predicted[block] = y[nearest].mean(axis=1)
    return predicted


def _predict_by_trees(x: Floats, y: Floats, new: Floats) -> Floats:
    from sklearn.ensemble import HistGradientBoostingRegressor
    from threadpoolctl import threadpool_limits

    # 32 bins are twice as fast as the 255 by default, and R² is the same to 0.01. OpenMP threads
    # would spin where other processes use the same processors.
    trees = HistGradientBoostingRegressor(max_bins=32, early_stopping=False, random_state=SEED)
    with threadpool_limits(limits=1, user_api="openmp"):
        return np.asarray(trees.fit(x, y).predict(new), dtype=np.float64)


def _predict_linearly(x: Floats, y: Floats, new: Floats) -> Floats:
    mean = x.mean(axis=0)
    weights = np.linalg.lstsq(x - mean, y - y.mean(), rcond=EPSILON)[0]
    predicted: Floats = y.mean() + (new - mean) @ weights
    return predicted
