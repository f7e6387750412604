"""The rotation null: how often does a random rotation of the names score as high?

The null hypothesis (step 4 of the paper) is that names and words each keep their inner geometry,
and the rotation between the two is uniformly random. Under a Haar-random rotation U of the names'
space the centroids X̄ become X̄U. With X̄ = LQ, where Q has k = min(n, d) orthonormal rows,
X̄U = L(QU), and QU is a random k-frame, which the QR decomposition of a d × k Gaussian matrix
gives; the d × d matrix U is never formed. The words are multiplied by the centred centroids
(X̄ᵢ − μ)U: subtracting the mean does not change which centroid is nearest to a word, and makes the
product equal to the score up to a constant per category.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.significance import benjamini_hochberg
from weatherglass.tasks import Checkpoint, Shared, Workers
from weatherglass.tasks import run as run_tasks

from .result import Rotations

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Space:
    """Group centroids and categorised words: the input of the search.

    Attributes
    ----------
    centres
        X̄ᵢ, the mean unit vector of each group of names, as rows.
    words
        The unit vectors of all words, sorted by category.
    starts
        The first row of each category in `words`, and the end of the last.
    per_cell
        t, the number of words per cell.
    voronoi
        Whether a word may appear only in the cell of its nearest group.
    """

    centres: Floats
    words: NDArray[np.float32] | Floats
    starts: NDArray[np.intp]
    per_cell: int
    voronoi: bool = True

    @property
    def categories(self) -> int:
        """m, the number of categories."""
        return len(self.starts) - 1

    def category(self, j: int) -> NDArray[np.float32] | Floats:
        """Return the word vectors of category j."""
        return self.words[self.starts[j] : self.starts[j + 1]]


@dataclass(frozen=True, eq=False)
class Chosen:
    """The words of each cell, as positions in `Space.words`, and the cell's score.

    A cell with too few words has positions -1 and score -infinity.
    """

    positions: NDArray[np.intp]
    scores: Floats


def choose(space: Space) -> Chosen:
    """Choose the t words of each cell that maximise (X̄ᵢ − μ)·(w̄ − Āⱼ), and score them by the mean.

    The paper's σᵢⱼ has Ā without an index. It is read as Āⱼ, the mean of the category: the words
    were chosen with it, and with it the sum over the groups is the generalised WEAT.
    """
    n, m, t = len(space.centres), space.categories, space.per_cell
    positions = np.full((n, m, t), -1, np.intp)
    scores = np.full((n, m), -np.inf)
    apart = space.centres - space.centres.mean(axis=0)
    for j in range(m):
        rows = space.category(j).astype(np.float64, copy=False)
        gain = rows @ apart.T
        nearest = gain.argmax(axis=1)  # subtracting the mean centroid does not change the order
        gain -= gain.mean(axis=0)
        for i in range(n):
            inside = np.flatnonzero(nearest == i) if space.voronoi else np.arange(len(rows))
            if len(inside) >= t:
                best = inside[np.argsort(-gain[inside, i], kind="stable")[:t]]
                positions[i, j] = best + space.starts[j]
                scores[i, j] = gain[best, i].mean()
    return Chosen(positions, scores)


Counts = NDArray[np.int64]

COLUMNS = 768
"""Approximate columns per matrix product: wide enough for BLAS to run at full speed, and narrow
enough that the scores of a few hundred words stay in the processor's cache."""

ROWS = 512
BATCHES_PER_CHECK = 8
"""Batches between two checks for an early stop; fixed, so that every machine stops at the same
rotation."""


@dataclass(frozen=True, eq=False)
class Null:
    """A search and its observed scores.

    Each batch of rotations has a random stream of its own, so batches can be counted in any order
    on any machine.
    """

    space: Space
    scores: Floats
    rng: int

    @classmethod
    def of(cls, rng: int, scores: Floats, **space: Any) -> Null:
        """Build a search from the fields of its space, its scores and its seed."""
        return cls(Space(**space), scores, rng)

    def shared(self) -> Shared[Null]:
        """Return the search in the form that is sent once to each worker."""
        space = self.space
        arrays: dict[str, NDArray[Any]] = {
            "centres": space.centres,
            "words": space.words,
            "starts": space.starts,
            "scores": self.scores,
        }
        plain = {"rng": self.rng, "per_cell": space.per_cell, "voronoi": space.voronoi}
        return Shared(self, Null.of, arrays, plain)

    @property
    def batch(self) -> int:
        """Rotations in a full batch."""
        return 16 * max(1, COLUMNS // (16 * len(self.space.centres)))

    @cached_property
    def _factor(self) -> Floats:
        """L − its mean row, with X̄ = LQ."""
        factor = np.linalg.qr(self.space.centres.T).R.T
        return np.asarray(factor - factor.mean(axis=0))

    @cached_property
    def _means(self) -> NDArray[np.float32]:
        """Āⱼ of each category."""
        categories = range(self.space.categories)
        rows = [self.space.category(j).mean(axis=0, dtype=np.float64) for j in categories]
        return np.array(rows, dtype=np.float32)

    def rotated(self, index: int, size: int) -> NDArray[np.float32]:
        """Return X̄ᵢ − μ under each rotation of a batch: dimensions × groups × size."""
        k, d = self._factor.shape[1], self.space.centres.shape[1]
        stream = np.random.default_rng(np.random.SeedSequence(self.rng, spawn_key=(index,)))
        columns = self._factor @ frames(stream, size, d, k)
        return np.ascontiguousarray(columns.transpose(2, 1, 0), dtype=np.float32)

    def count(self, index: int, size: int) -> Counts:
        """Count the rotations of a batch in which each cell scores at least its observed score."""
        from .kernels import keep_best

        space, n = self.space, len(self.space.centres)
        turned = self.rotated(index, size).reshape(-1, n * size)
        middle = (self._means @ turned).reshape(-1, n, size)
        product = np.empty((min(ROWS, len(space.words)), n * size), np.float32)
        top = np.full((space.categories, n, size, space.per_cell), -np.inf, np.float32)
        for start in range(0, len(space.words), ROWS):
            rows = space.words[start : start + ROWS]
            score = np.matmul(rows, turned, out=product[: len(rows)]).reshape(-1, n, size)
            for j, part in self._pieces(start, len(rows)):
                keep_best(score[part], space.voronoi, top[j])
        reached = top.mean(axis=3) - middle
        return np.asarray((reached >= self.scores.T[:, :, None]).sum(axis=2).T)

    def _pieces(self, start: int, count: int) -> Iterator[tuple[int, slice]]:
        """Yield each category in a run of words, with the slice of the run that belongs to it."""
        starts, stop = self.space.starts, start + count
        first, last = np.searchsorted(starts, [start, stop - 1], side="right") - 1
        for j in range(int(first), int(last) + 1):
            here, there = max(int(starts[j]), start), min(int(starts[j + 1]), stop)
            yield j, slice(here - start, there - start)


def frames(stream: np.random.Generator, size: int, d: int, k: int) -> Floats:
    """Draw uniformly distributed k-frames in d dimensions, as rows: size × k × d."""
    normal = stream.standard_normal((size, d, k))
    if d >= 2 * k:
        # With d much larger than k, Cholesky is faster than QR and accurate enough: G = QR and
        # GᵀG = RᵀR, so Qᵀ = R⁻ᵀGᵀ.
        across = normal.transpose(0, 2, 1)
        return np.asarray(np.linalg.inv(np.linalg.cholesky(across @ normal)) @ across)
    q, r = np.linalg.qr(normal)
    # The decomposition is unique, and so uniform, only with a positive diagonal.
    q *= np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]
    return np.asarray(q.transpose(0, 2, 1))


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts after `batches` batches and `done` rotations; `stopped` is the reason of an early
    stop."""

    counts: Counts
    batches: int = 0
    done: int = 0
    stopped: str = ""


def batches(null: Null, rotations: int) -> Iterator[tuple[int, int]]:
    """Yield the index and the size of each batch."""
    starts = range(0, rotations, null.batch)
    return ((k, min(null.batch, rotations - start)) for k, start in enumerate(starts))


def count_batch(null: Null, batch: tuple[int, int]) -> Counts:
    """Count one batch: the task of a worker."""
    return null.count(*batch)


def open_checkpoint(shared: Shared[Null], rotations: int, resume: bool) -> Checkpoint[Counts]:
    """Open the checkpoint of a search; its key covers everything that the counts depend on."""
    shape = shared.value.scores.shape

    def decode(counts: Any) -> Counts:
        return np.array(counts, dtype=np.int64).reshape(shape)

    key = [shared.digest, shared.value.batch, rotations]
    return Checkpoint("discovery", key, encode=np.ndarray.tolist, decode=decode, resume=resume)


def run(
    null: Null,
    rotations: int,
    workers: Workers,
    *,
    alpha: float,
    stop_early: bool,
    resume: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Tally:
    """Count rotations until all are done, or until no cell's verdict can change."""
    shared = null.shared()
    checkpoint = open_checkpoint(shared, rotations, resume)
    tally = Tally(np.zeros(null.scores.shape, np.int64))
    with contextlib.closing(
        run_tasks(
            count_batch, batches(null, rotations), workers, shared=shared, checkpoint=checkpoint
        )
    ) as counted:
        for (k, size), counts in zip(batches(null, rotations), counted, strict=False):
            tally = Tally(tally.counts + counts, k + 1, tally.done + size)
            is_check = tally.batches % BATCHES_PER_CHECK == 0 and tally.done < rotations
            if is_check and stop_early and is_settled(tally.counts, tally.done, rotations, alpha):
                reason = f"after {tally.done:,} rotations no cell's verdict could still change"
                tally = dataclasses.replace(tally, stopped=reason)
            if progress and k not in checkpoint.found:  # batches read back would inflate the speed
                progress(tally.done, rotations)
            if tally.stopped:
                break
    checkpoint.remove()
    return tally


def is_settled(counts: Counts, done: int, rotations: int, alpha: float) -> bool:
    """Return whether the remaining rotations cannot change the verdict on any cell.

    The Benjamini–Hochberg procedure is monotone: smaller p-values never reject fewer cells. So the
    final verdicts lie between those where every remaining rotation reaches every score and those
    where none does.
    """
    worst = significant(counts + (rotations - done), rotations, alpha)
    best = significant(counts, rotations, alpha)
    return bool((worst == best).all())


def significant(counts: Counts, done: int, alpha: float) -> NDArray[np.bool_]:
    """Return which cells are significant at false discovery rate `alpha`, over all cells."""
    p = (counts.ravel() + 1) / (done + 1)
    return np.asarray(benjamini_hochberg(p) <= alpha).reshape(counts.shape)


def verdicts(tally: Tally, rotations: int, alpha: float) -> tuple[NDArray[np.bool_], Rotations]:
    """Return the significant cells; after an early stop, those that all rotations would give."""
    final = significant(tally.counts, rotations if tally.stopped else tally.done, alpha)
    return final, Rotations(rotations, tally.done, tally.stopped)
