"""The rotational null: how often does a random rotation of the names do as well?

The null hypothesis (step 4 of the paper) is that names and words each have their own inner order
and a rotation that was drawn at random lies between the two. Under a Haar-random rotation U of the
names' space the rows of the centres X̄ become X̄U. Written X̄ = LQ with Q of k = min(n, d)
orthonormal rows, X̄U = L(QU), and QU is a random k-frame, which the QR decomposition of a d × k
Gaussian matrix gives: the d × d matrix U is never needed. What is multiplied with the words are
the centres less their mean, (X̄ᵢ − μ)U: the mean changes nothing in which centre a word is nearest
to, and without it the product is the score itself, up to the constant of the category.
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
from weatherglass.tasks import Kept, Shared, Workers
from weatherglass.tasks import run as run_tasks

from .result import Rotations

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Space:
    """What the search goes over.

    Attributes
    ----------
    centres
        X̄ᵢ, the mean unit vector of each group of names, one a row.
    words
        The unit vectors of all words, those of one category together.
    starts
        Where each category starts in `words`, and the end of the last.
    per_cell
        t, how many words a cell has.
    voronoi
        Whether a word may stand only in the cell of the group it is nearest to.
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
        """The rows of one category."""
        return self.words[self.starts[j] : self.starts[j + 1]]


@dataclass(frozen=True, eq=False)
class Chosen:
    """For each group and category the chosen words' positions in `Space.words` and the score;
    a cell that has too few words has score -infinity and positions -1."""

    positions: NDArray[np.intp]
    scores: Floats


def choose(space: Space) -> Chosen:
    """The t words of each cell that maximise (X̄ᵢ − μ)·(w̄ − Āⱼ), and σᵢⱼ, their mean.

    The paper's σᵢⱼ has Ā without an index; it is read as Āⱼ, the mean of the category, which is
    what the words were chosen by and what makes the sum over the groups the generalised WEAT.
    """
    n, m, t = len(space.centres), space.categories, space.per_cell
    positions = np.full((n, m, t), -1, np.intp)
    scores = np.full((n, m), -np.inf)
    apart = space.centres - space.centres.mean(axis=0)
    for j in range(m):
        rows = space.category(j).astype(np.float64, copy=False)
        gain = rows @ apart.T
        nearest = gain.argmax(axis=1)  # the mean of the centres makes no difference
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
"""Columns of one matrix product, about: wide enough to run at full speed, and with a few hundred
words still small enough that the scores are read again from the processor's cache."""

ROWS = 512
ROUND = 8
"""Batches between two looks at whether to stop; fixed, so that every machine stops alike."""


@dataclass(frozen=True, eq=False)
class Null:
    """A search and the scores to beat. Batches of rotations are counted one by one, each with
    random numbers of its own, in any order and on any machine."""

    space: Space
    scores: Floats
    rng: int

    @classmethod
    def of(cls, rng: int, scores: Floats, **space: Any) -> Null:
        """A search from the fields of its space, its scores and its seed."""
        return cls(Space(**space), scores, rng)

    def shared(self) -> Shared[Null]:
        """The search as workers get it, once each."""
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
        every = range(self.space.categories)
        rows = [self.space.category(j).mean(axis=0, dtype=np.float64) for j in every]
        return np.array(rows, dtype=np.float32)

    def rotated(self, index: int, size: int) -> NDArray[np.float32]:
        """X̄ᵢ − μ under each rotation of a batch, as columns: dimensions × groups × size."""
        k, d = self._factor.shape[1], self.space.centres.shape[1]
        stream = np.random.default_rng(np.random.SeedSequence(self.rng, spawn_key=(index,)))
        columns = self._factor @ frames(stream, size, d, k)
        return np.ascontiguousarray(columns.transpose(2, 1, 0), dtype=np.float32)

    def count(self, index: int, size: int) -> Counts:
        """In how many of a batch's rotations each cell scores at least what it did."""
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
        """The categories that some words belong to, and which of these words are of each."""
        starts, stop = self.space.starts, start + count
        first, last = np.searchsorted(starts, [start, stop - 1], side="right") - 1
        for j in range(int(first), int(last) + 1):
            here, there = max(int(starts[j]), start), min(int(starts[j + 1]), stop)
            yield j, slice(here - start, there - start)


def frames(stream: np.random.Generator, size: int, d: int, k: int) -> Floats:
    """Random k-frames in d dimensions, uniformly distributed, as rows: size × k × d."""
    normal = stream.standard_normal((size, d, k))
    if d >= 2 * k:
        # Of many more dimensions than rows the triangle is got faster, and well enough, from the
        # products: G = QR and GᵀG = RᵀR, so that Qᵀ is R⁻ᵀGᵀ.
        across = normal.transpose(0, 2, 1)
        return np.asarray(np.linalg.inv(np.linalg.cholesky(across @ normal)) @ across)
    q, r = np.linalg.qr(normal)
    # The decomposition is unique, and so uniform, only with a positive diagonal.
    q *= np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]
    return np.asarray(q.transpose(0, 2, 1))


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts after `batches` batches and `done` rotations; `stopped` says why it ended early."""

    counts: Counts
    batches: int = 0
    done: int = 0
    stopped: str = ""


def batches(null: Null, asked: int) -> Iterator[tuple[int, int]]:
    """The number and the size of each batch of a search for so many rotations."""
    starts = range(0, asked, null.batch)
    return ((k, min(null.batch, asked - start)) for k, start in enumerate(starts))


def counts_of(null: Null, batch: tuple[int, int]) -> Counts:
    """The task of a worker: the counts of one batch."""
    return null.count(*batch)


def kept_counts(shared: Shared[Null], asked: int, resume: bool) -> Kept[Counts]:
    """Where the counts of a search are kept, under all that they depend on."""
    shape = shared.value.scores.shape

    def decode(counts: Any) -> Counts:
        return np.array(counts, dtype=np.int64).reshape(shape)

    question = [shared.digest, shared.value.batch, asked]
    return Kept("discovery", question, encode=np.ndarray.tolist, decode=decode, resume=resume)


def run(
    null: Null,
    asked: int,
    workers: Workers,
    *,
    alpha: float,
    stop_early: bool,
    resume: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Tally:
    """Count rotations until `asked` are done, or no verdict can change."""
    shared = null.shared()
    kept = kept_counts(shared, asked, resume)
    tally = Tally(np.zeros(null.scores.shape, np.int64))
    with contextlib.closing(
        run_tasks(counts_of, batches(null, asked), workers, shared=shared, kept=kept)
    ) as counted:
        for (k, size), some in zip(batches(null, asked), counted, strict=False):
            tally = Tally(tally.counts + some, k + 1, tally.done + size)
            look = tally.batches % ROUND == 0 and tally.done < asked
            if look and stop_early and settled(tally.counts, tally.done, asked, alpha):
                why = f"after {tally.done:,} rotations no cell's verdict could still change"
                tally = dataclasses.replace(tally, stopped=why)
            if progress and k not in kept.found:  # the speed is that of what is counted now
                progress(tally.done, asked)
            if tally.stopped:
                break
    kept.remove()
    return tally


def settled(counts: Counts, done: int, asked: int, alpha: float) -> bool:
    """Whether the verdict on every cell is the same however the rest of the rotations turn out.

    The verdicts of Benjamini and Hochberg can only grow when p-values fall. So they lie between
    those where all that are left reach the score of every cell, and those where none does.
    """
    worst = significant(counts + (asked - done), asked, alpha)
    best = significant(counts, asked, alpha)
    return bool((worst == best).all())


def significant(counts: Counts, done: int, alpha: float) -> NDArray[np.bool_]:
    """Which cells are significant at `alpha`, of all cells together."""
    p = (counts.ravel() + 1) / (done + 1)
    return np.asarray(benjamini_hochberg(p) <= alpha).reshape(counts.shape)


def verdicts(tally: Tally, asked: int, alpha: float) -> tuple[NDArray[np.bool_], Rotations]:
    """The significant cells. After an early stop they are those that all rotations would give."""
    final = significant(tally.counts, asked if tally.stopped else tally.done, alpha)
    return final, Rotations(asked, tally.done, tally.stopped)
