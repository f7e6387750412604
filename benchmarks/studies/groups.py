"""The level and the power of tests of several groups (generalised WEAT)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import weatherglass as wg
from weatherglass.measures import GroupScores, pairwise_groups

from .study import Cell, Study

Floats = NDArray[np.float64]

SIZES = {
    "4 + 4 + 4 words": (4, 4, 4),
    "8 + 8 + 8 words": (8, 8, 8),
    "4 + 8 + 16 words": (4, 8, 16),
    "6 groups of 6 words": (6,) * 6,
}
ATTRIBUTE_WORDS = 8
DRAWS = 999  # of assignments; the level does not depend on it
SHIFT = 2.0  # standard deviations by which one group is moved


def run(trials: int, seed: int) -> list[Cell]:
    vectors = wg.open_vectors("default")
    frequent = [word for word in vectors.words[200:20_000] if word.isalpha()]
    rows = vectors.unit(frequent)
    cells = []
    for number, (row, sizes) in enumerate(SIZES.items()):
        for kind, name in ((1, "one attribute set"), (2, "two"), (len(sizes), "one each")):
            rng = np.random.default_rng([seed, number, kind])
            counts = _simulate(rows, sizes, kind, rng, trials, shift=0.0)
            columns = (f"{name}: all groups", f"{name}: any pair, Holm")
            bounds = ((0.03, 0.065), (0.0, 0.065))
            for column, hits, (low, high) in zip(columns, counts[:2], bounds, strict=True):
                cells.append(Cell(row, column, hits, trials, low, high))
    return cells


def run_planted(trials: int, seed: int) -> list[Cell]:
    vectors = wg.open_vectors("default")
    frequent = [word for word in vectors.words[200:20_000] if word.isalpha()]
    rows = vectors.unit(frequent)
    cells = []
    for number, (row, sizes) in enumerate(SIZES.items()):
        rng = np.random.default_rng([seed, 100 + number])
        counts = _simulate(rows, sizes, 2, rng, trials, shift=SHIFT)
        columns = ("all groups", "any pair, Holm", "a pair without the moved group")
        bands = _BANDS[row]
        for column, hits, (low, high) in zip(columns, counts, bands, strict=True):
            cells.append(Cell(row, column, hits, trials, low, high))
    return cells


# With four words in a group, Holm's correction over three pairs leaves no significant outcome.
_BANDS = {
    "4 + 4 + 4 words": ((0.5, 0.85), (0.0, 0.0), (0.0, 0.0)),
    "8 + 8 + 8 words": ((0.95, 1.0), (0.93, 1.0), (0.0, 0.065)),
    "4 + 8 + 16 words": ((0.85, 1.0), (0.7, 0.95), (0.0, 0.065)),
    "6 groups of 6 words": ((0.8, 0.98), (0.4, 0.75), (0.0, 0.065)),
}


def _simulate(
    rows: Floats,
    sizes: tuple[int, ...],
    kind: int,
    rng: np.random.Generator,
    trials: int,
    shift: float,
) -> tuple[int, int, int]:
    """Count p-values of at most 0.05: of all groups, of any pair, of a pair of unmoved groups."""
    omnibus = any_pair = false_pair = 0
    names = [f"X{k}" for k in range(1, len(sizes) + 1)]
    total = sum(sizes)
    for trial in range(trials):
        chosen = rows[rng.choice(len(rows), total + kind * ATTRIBUTE_WORDS, replace=False)]
        attributes = np.split(chosen[total:], kind)
        groups = np.split(chosen[:total], np.cumsum(sizes)[:-1])
        scores = GroupScores.of(groups, attributes)
        if shift:
            values = scores.values.copy()
            values[: sizes[0]] += shift * values.std(ddof=1)
            scores = GroupScores(scores.sizes, values)
        omnibus += scores.p("two-sided", trial, DRAWS).value <= 0.05
        pairs = [pair for pair in pairwise_groups(scores, names, 1, 1) if pair.p_holm <= 0.05]
        any_pair += bool(pairs)
        false_pair += any(pair.first != "X1" for pair in pairs)
    return omnibus, any_pair, false_pair


STUDIES = [
    Study(
        name="groups",
        title="Level of tests of several groups",
        about=(
            "The share of p-values of at most 0.05 if the words are assigned to the groups at "
            "random: frequent words of `default`, with attribute sets of "
            f'{ATTRIBUTE_WORDS} random words. "All groups" is the p-value of the generalised '
            'WEAT, with one attribute set, two, or one for each group; "any pair" is the share '
            "of tests in which a follow-up test of two groups has p ≤ 0.05 after Holm's correction "
            "over the pairs."
        ),
        run=run,
        trials=1000,
        quick_trials=100,
    ),
    Study(
        name="groups-power",
        title="Power of tests of several groups",
        about=(
            "The same words with two attribute sets, but the associations of the first group are "
            f"raised by {SHIFT:g} standard deviations of the associations. The third column is "
            "the share of tests with a significant pair that does not have the moved group, which "
            "is an error. With four words in a group no pair can be significant after correction "
            "for three pairs."
        ),
        run=run_planted,
        trials=500,
        quick_trials=50,
    ),
]
