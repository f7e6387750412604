"""How much of an embedding is word frequency, and the same vectors without it.

In most embeddings frequent and rare words point in different directions, so that words can look
related because they are about as frequent. The control subtracts from every unit vector the mean
vector that is expected at its frequency, and makes what is left a unit vector again.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import cpu_count, map_in_order
from weatherglass.errors import CannotMeasure, UsageError

from .vectors import EPSILON, Floats, Positions, Vectors, row_blocks, unit_rows, unusable_rows

ControlMethod = Literal["auto", "frequency", "none"]

R2_THRESHOLD = 0.25  # of R², above which ``auto`` controls
DEGREE = 5
MAX_R2_WORDS = 60_000  # the most frequent words, by which R² is found
# R² of vectors that know nothing of frequency is about dimensions / words: at most 0.05 then.
MIN_WORDS, MIN_WORDS_PER_DIM = 1000, 20


def order_by_frequency(vectors: Vectors) -> Positions:
    """Positions of the words, the most frequent first: by count where there is one, or in the order
    of the file."""
    if vectors.counts is None:
        return np.arange(len(vectors), dtype=np.intp)
    return np.argsort(-vectors.counts, kind="stable")


@dataclass(frozen=True)
class Control:
    """What was done about frequency.

    Attributes
    ----------
    method
        ``"frequency"`` if it was taken out, ``"none"`` if the vectors are as they were.
    r2_before, r2_after
        The share of the variance of log frequency that a linear function of the unit vectors
        predicts, over the 60,000 most frequent words; `None` where there are too few words to say,
        and after where nothing was done.
    asked
        ``"auto"``, ``"frequency"`` or ``"none"``.
    by
        Where frequency comes from: ``"counts"`` of words in training, or ``"rank"``, the order of
        the file, where the source has no counts or hardly any that differ.
    threshold
        The R² above which ``"auto"`` takes frequency out.
    """

    method: str
    r2_before: float | None
    r2_after: float | None
    asked: str = "auto"
    by: str = "rank"
    threshold: float = R2_THRESHOLD


def control(
    vectors: Vectors,
    method: ControlMethod = "auto",
    *,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Vectors, Control]:
    """Take word frequency out of vectors.

    Parameters
    ----------
    vectors
        A whole embedding, whose words are in the order of their frequency or have counts.
    method
        ``frequency`` takes it out, ``none`` only says how much of it there is, and ``auto`` takes
        it out where R² is over 0.25.
    workers
        Threads; all processors by default. The result does not depend on their number.
    progress
        Called with the rows done and the rows in all.

    Returns
    -------
    vectors, control
        Unit vectors without frequency (or the vectors as they came in), and what was done. A row
        that is just what its frequency leads one to expect has no direction left: it becomes zeros
        and is listed in `unusable`.

    Raises
    ------
    CannotMeasure
        Some words only were opened, so that their ranks are not known; or ``frequency`` was asked
        for and there are too few words for it.

    Notes
    -----
    The vector expected at a frequency is, in each dimension, a polynomial of degree 5 in log rank
    (log count, where the source has counts), fitted by least squares to all usable unit vectors.
    A word's weight is 1 / rank, so that every range of log rank has about the same say; the first
    2 × dimensions words weigh alike. Without that bound the fit would lean on a handful of words,
    and leave their own directions in every vector of an embedding with many dimensions.

    Examples
    --------
    >>> import weatherglass as wg
    >>> plain, done = wg.control(wg.open_vectors("default"))
    >>> done.method, round(done.r2_before, 2), round(done.r2_after, 2)
    ('frequency', 0.88, 0.04)
    """
    if method not in get_args(ControlMethod):
        raise UsageError(
            f"control is {method!r}; it must be one of {', '.join(get_args(ControlMethod))}."
        )
    by = "rank" if _counts(vectors) is None else "counts"
    unknown = _why_unknown(vectors)
    if unknown and (method == "frequency" or (method == "auto" and vectors.part)):
        raise CannotMeasure(f"Frequency cannot be taken out of {vectors.source}: {unknown}.")
    if unknown:
        return vectors, Control("none", None, None, method, by)
    from threadpoolctl import threadpool_limits

    words, workers = _Words.of(vectors), workers or cpu_count()
    with threadpool_limits(limits=1, user_api="blas"):  # the threads are ours
        before = _r2(vectors, words, workers)
        if method == "none" or (method == "auto" and before <= R2_THRESHOLD):
            return vectors, Control("none", before, None, method, by)
        made = _controlled(vectors, words, workers, progress or (lambda done, total: None))
        after = _r2(made, words, workers)
    return made, Control("frequency", before, after, method, by)


def _why_unknown(vectors: Vectors) -> str:
    """Why nothing can be said about frequency; empty if something can."""
    if vectors.part:
        return (
            "only some of its words were opened, so it is not known how frequent each is; open all "
            "of it, control that, and then take the words"
        )
    usable = len(vectors) - len(vectors.unusable)
    least = max(MIN_WORDS, MIN_WORDS_PER_DIM * vectors.dim)
    if usable < least:
        return (
            f"it has {usable:,} usable words, and with {vectors.dim} dimensions at least "
            f"{least:,} are needed"
        )
    return ""


def _counts(vectors: Vectors) -> NDArray[np.int64] | None:
    """The counts, if the source has them and they say something."""
    counts = vectors.counts
    if counts is None or len(np.unique(np.delete(counts, vectors.unusable))) <= DEGREE:
        return None
    return counts


@dataclass(frozen=True, eq=False)
class _Words:
    """Of every word: log frequency up to a constant, the same as a number from -1 to 1, and the
    weight in the fit, which is 0 for a row without direction."""

    log: Floats
    scaled: Floats
    weight: Floats

    @classmethod
    def of(cls, vectors: Vectors) -> _Words:
        counts = _counts(vectors)
        if counts is None:
            rank = np.arange(1, len(vectors) + 1, dtype=np.float64)
            log = -np.log(rank)
        else:
            # Half a time for a word that was never seen. Words of one count share their ranks.
            log = np.log(np.maximum(counts, 0.5))
            _, group, size = np.unique(-counts, return_inverse=True, return_counts=True)
            rank = (np.cumsum(size) - (size - 1) / 2).astype(np.float64)[group]
        weight = 1 / np.maximum(rank, 2 * vectors.dim)
        weight[vectors.unusable] = 0
        low, high = log[weight > 0].min(), log[weight > 0].max()
        return cls(log, np.clip(2 * (log - low) / (high - low) - 1, -1, 1), weight)

    def terms(self, rows: slice) -> Floats:
        """The Chebyshev polynomials of log frequency."""
        made = np.polynomial.chebyshev.chebvander(self.scaled[rows], DEGREE)
        return np.asarray(made, dtype=np.float64)


def _added(
    sums: Callable[[slice], tuple[Floats, ...]],
    parts: list[slice],
    workers: int,
    seen: Callable[[int], None] = lambda end: None,
) -> tuple[Floats, ...]:
    """What a function gives for each slice, added up in order, whatever the number of threads."""
    total: tuple[Floats, ...] = ()
    for part, values in zip(parts, map_in_order(sums, parts, workers), strict=True):
        total = tuple(a + b for a, b in zip(total, values, strict=True)) if total else values
        seen(part.stop)
    return total


def _r2(vectors: Vectors, words: _Words, workers: int) -> float:
    """The share of the variance of log frequency that is linear in the unit vectors.

    With an intercept, by least squares, over the most frequent usable words.
    """
    usable = words.weight > 0
    usable[vectors.unusable] = False
    at = np.flatnonzero(usable)
    at = at[np.argsort(-words.log[at], kind="stable")][:MAX_R2_WORDS]
    y = words.log[at] - words.log[at].mean()
    variance = float(y @ y)
    if variance == 0:
        return 0.0

    def sums(part: slice) -> tuple[Floats, ...]:
        rows = unit_rows(vectors, at[part])
        return rows.sum(axis=0), rows.T @ rows, rows.T @ y[part]

    total, squares, products = _added(sums, list(row_blocks(len(at))), workers)
    spread, axes = np.linalg.eigh(squares - np.outer(total, total / len(at)))
    real = spread > EPSILON**2 * len(at)  # the rest is rounding: there is no such dimension
    predicted = float(((products @ axes[:, real]) ** 2 / spread[real]).sum())
    return min(1.0, predicted / variance)


def _controlled(
    vectors: Vectors, words: _Words, workers: int, progress: Callable[[int, int], None]
) -> Vectors:
    """Unit vectors less what is expected at their frequency, made unit vectors again."""
    count = len(vectors)
    parts = list(row_blocks(count))

    def sums(part: slice) -> tuple[Floats, ...]:
        terms = words.terms(part)
        weighted = (terms * words.weight[part, None]).T
        return weighted @ terms, weighted @ unit_rows(vectors, part)

    squares, products = _added(sums, parts, workers, lambda end: progress(end // 2, count))
    expected = np.linalg.lstsq(squares, products, rcond=None)[0]
    matrix = np.empty(vectors.matrix.shape, dtype=np.float32)

    def write(part: slice) -> int:
        rows = unit_rows(vectors, part)
        rows -= words.terms(part) @ expected
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        rows /= np.maximum(norms, EPSILON)[:, None]
        rows[(norms < EPSILON) | (words.weight[part] == 0)] = 0
        matrix[part] = rows
        return int(part.stop)

    for end in map_in_order(write, parts, workers):
        progress((count + end) // 2, count)
    unusable = unusable_rows(matrix)
    if len(unusable) == count:
        raise CannotMeasure(
            f"Nothing is left of {vectors.source} without frequency: every vector is the one "
            "expected at its word's frequency."
        )
    matrix.flags.writeable = False
    fingerprint = controlled_fingerprint(vectors.fingerprint)
    return dataclasses.replace(vectors, matrix=matrix, fingerprint=fingerprint, unusable=unusable)


def controlled_fingerprint(fingerprint: str) -> str:
    """The fingerprint that vectors have without frequency: of what went in and what was done."""
    recipe = f"{fingerprint} without frequency, degree {DEGREE}"
    return hashlib.blake2b(recipe.encode(), digest_size=16).hexdigest()
