"""Single-category WEAT: coverage of its interval over other attribute words."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

import weatherglass as wg
from weatherglass.catalog import load_names
from weatherglass.significance import effect_interval

from .study import Cell, Study

Floats = NDArray[np.float64]

SIZES = ((3, 3), (5, 5), (8, 8), (16, 16), (25, 25), (8, 25))
CATEGORIES = {
    "career words of weat6": ("weat6", "A"),
    "family words of weat6": ("weat6", "B"),
    "flowers of weat1": ("weat1", "X"),
    "instruments of weat2": ("weat2", "X"),
    "the word nurse": ("nurse",),
    "the word engineer": ("engineer",),
}
NAMES = 1000
"""Of the most frequent US first names, so many are looked up."""

COVERAGE = (0.90, 0.98)


@cache
def first_names() -> tuple[Floats, Floats]:
    """The unit rows of names that at least nine of ten women, and men, of a name bear."""
    listed = load_names("ssa")
    shares = listed.facts["share_female"][:NAMES]
    rows = []
    for wanted in (lambda share: share >= 0.9, lambda share: share <= 0.1):
        chosen = [
            name.lower()
            for name, share in zip(listed.names, shares, strict=False)
            if share is not None and wanted(share)
        ]
        rows.append(_rows(chosen))
    return rows[0], rows[1]


@cache
def category(name: str) -> Floats:
    """The unit rows of the words of a category."""
    of = CATEGORIES[name]
    return _rows([word.lower() for word in wg.test(of[0]).sets[of[1]].words] if of[1:] else of)


def _rows(words: list[str] | tuple[str, ...]) -> Floats:
    vectors = wg.open_vectors("default")
    return np.asarray(vectors.unit([word for word in words if word in vectors]))


def true_effect(with_a: Floats, with_b: Floats, sizes: tuple[int, int]) -> float:
    """The effect of a test of this size, if A and B are drawn from words with these cosines."""
    share = sizes[0] / sum(sizes)
    difference = float(with_a.mean() - with_b.mean())
    within = share * with_a.var() + (1 - share) * with_b.var()
    return difference / float(np.sqrt(within + share * (1 - share) * difference**2))


def run(trials: int, seed: int) -> list[Cell]:
    women, men = first_names()
    cells = []
    for number, name in enumerate(CATEGORIES):
        mean = category(name).mean(axis=0)
        with_women, with_men = mean @ women.T, mean @ men.T
        for sizes in SIZES:
            rng = np.random.default_rng([seed, number, *sizes])
            truth = true_effect(with_women, with_men, sizes)
            covered = 0
            for _ in range(trials):
                drawn = rng.choice(with_women, sizes[0]), rng.choice(with_men, sizes[1])
                interval = effect_interval(*drawn, about="other attribute words")
                covered += interval.low <= truth <= interval.high
            effect = true_effect(with_women, with_men, (1, 1))
            row, column = f"{name}, effect {effect:.2f}", "{}+{} names".format(*sizes)
            cells.append(Cell(row, column, covered, trials, *COVERAGE))
    return cells


STUDIES = [
    Study(
        name="single-category",
        title="Single-category WEAT",
        about=(
            "The share of 95 % intervals over other attribute words (noncentral t) that contain "
            "the effect of a test of this size. Attributes are first names, drawn with replacement "
            "from those of women and of men among the thousand most frequent ones in the United "
            "States, with their cosines in `default`; the category is a word set of a published "
            "test, or one word. The effect in a row's name is that of all names, for sets of equal "
            "size. The p-value is a permutation p-value, as above."
        ),
        run=run,
        trials=1000,
        quick_trials=60,
    )
]
