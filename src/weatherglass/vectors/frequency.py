"""Frequency control: how much of an embedding is word frequency, and the same vectors without it.

In most embeddings frequent and rare words have different directions, so that words can seem
related because they are about equally frequent. The control subtracts from every unit vector the
mean vector expected at its frequency, and normalises the rest.
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

R2_THRESHOLD = 0.25  # ``auto`` controls for frequency above this R²
DEGREE = 5  # of the polynomial in log frequency
MAX_R2_WORDS = 60_000  # R² is computed over the most frequent words
# R² of vectors unrelated to frequency is about dimensions / words: with these limits at most 0.05.
MIN_WORDS, MIN_WORDS_PER_DIM = 1000, 20


def order_by_frequency(vectors: Vectors) -> Positions:
    """Return the positions of all words, most frequent first: by count, or else in file order."""
    if vectors.counts is None:
        return np.arange(len(vectors), dtype=np.intp)
    return np.argsort(-vectors.counts, kind="stable")


@dataclass(frozen=True)
class Control:
    """The outcome of the frequency control.

    Attributes
    ----------
    method
        ``"frequency"`` if frequency was removed, ``"none"`` if the vectors are unchanged.
    r2_before, r2_after
        The share of the variance of log frequency that a linear function of the unit vectors
        predicts, over the 60,000 most frequent words; `None` if there are too few words, and
        `r2_after` also if the vectors are unchanged.
    asked
        The method requested: ``"auto"``, ``"frequency"`` or ``"none"``.
    by
        Where frequency comes from: ``"counts"`` of words in the training text, or ``"rank"``, the
        file order, if the source has no counts or hardly any that differ.
    threshold
        The R² above which ``"auto"`` removes frequency.
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
    """Remove word frequency from vectors.

    Parameters
    ----------
    vectors
        A complete embedding, whose words are sorted by frequency or have counts.
    method
        ``frequency`` removes it, ``none`` only computes R², and ``auto`` removes it if R² is above
        0.25.
    workers
        Threads; all processors by default. The result does not depend on their number.
    progress
        Called with the number of rows done and the total number.

    Returns
    -------
    vectors, control
        Unit vectors without frequency (or the unchanged vectors), and the outcome. A row that
        equals the vector expected at its frequency has no direction left: it becomes zeros and is
        listed in `unusable`.

    Raises
    ------
    CannotMeasure
        Only some words were opened, so that their ranks are unknown; or the method is
        ``frequency`` and there are too few words.

    Notes
    -----
    The vector expected at a frequency is, in each dimension, a polynomial of degree 5 in log rank
    (log count, where the source has counts), fitted by least squares to all usable unit vectors.
    A word's weight is 1 / rank, so that every range of log rank has about the same influence; the
    first 2 × dimensions words have equal weights. Without that bound the fit would depend on a
    handful of words, whose own directions would remain in every vector of an embedding with many
    dimensions.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors, control = wg.control(wg.open_vectors("default"))
    >>> control.method, round(control.r2_before, 2), round(control.r2_after, 2)
    ('frequency', 0.88, 0.04)
    """
    if method not in get_args(ControlMethod):
        raise UsageError(
            f"control is {method!r}; it must be one of {', '.join(get_args(ControlMethod))}."
        )
    by = "rank" if _informative_counts(vectors) is None else "counts"
    problem = _find_problem(vectors)
    if problem and (method == "frequency" or (method == "auto" and vectors.part)):
        raise CannotMeasure(f"Frequency cannot be removed from {vectors.source}: {problem}.")
    if problem:
        return vectors, Control("none", None, None, method, by)
    from threadpoolctl import threadpool_limits

    words, workers = _WordFrequencies.of(vectors), workers or cpu_count()
    with threadpool_limits(limits=1, user_api="blas"):  # we start the threads ourselves
        before = _compute_r2(vectors, words, workers)
        if method == "none" or (method == "auto" and before <= R2_THRESHOLD):
            return vectors, Control("none", before, None, method, by)
        controlled = _remove_frequency(
            vectors, words, workers, progress or (lambda done, total: None)
        )
        after = _compute_r2(controlled, words, workers)
    return controlled, Control("frequency", before, after, method, by)


def _find_problem(vectors: Vectors) -> str:
    """Return why frequency cannot be controlled for; an empty text if it can."""
    if vectors.part:
        return (
            "only some of its words were opened, so it is not known how frequent each is; open all "
            "words, control for frequency, and then select words"
        )
    usable = len(vectors) - len(vectors.unusable)
    min_words = max(MIN_WORDS, MIN_WORDS_PER_DIM * vectors.dim)
    if usable < min_words:
        return (
            f"it has {usable:,} usable words, but with {vectors.dim} dimensions at least "
            f"{min_words:,} are needed"
        )
    return ""


def _informative_counts(vectors: Vectors) -> NDArray[np.int64] | None:
    """Return the counts, if the source has them and enough of them differ for the fit."""
    counts = vectors.counts
    if counts is None or len(np.unique(np.delete(counts, vectors.unusable))) <= DEGREE:
        return None
    return counts


@dataclass(frozen=True, eq=False)
class _WordFrequencies:
    """The frequencies of all words.

    Attributes
    ----------
    log
        Log frequency, up to a constant.
    scaled
        Log frequency scaled to the range from -1 to 1.
    weight
        The weight in the fit; 0 for a row without direction.
    """

    log: Floats
    scaled: Floats
    weight: Floats

    @classmethod
    def of(cls, vectors: Vectors) -> _WordFrequencies:
        counts = _informative_counts(vectors)
        if counts is None:
            rank = np.arange(1, len(vectors) + 1, dtype=np.float64)
            log = -np.log(rank)
        else:
            # A count of 0 is taken as 0.5. Words of the same count share their mean rank.
            log = np.log(np.maximum(counts, 0.5))
            _, group, size = np.unique(-counts, return_inverse=True, return_counts=True)
            rank = (np.cumsum(size) - (size - 1) / 2).astype(np.float64)[group]
        weight = 1 / np.maximum(rank, 2 * vectors.dim)
        weight[vectors.unusable] = 0
        low, high = log[weight > 0].min(), log[weight > 0].max()
        return cls(log, np.clip(2 * (log - low) / (high - low) - 1, -1, 1), weight)

    def terms(self, rows: slice) -> Floats:
        """Return the Chebyshev polynomials of log frequency, one column for each degree."""
        terms = np.polynomial.chebyshev.chebvander(self.scaled[rows], DEGREE)
        return np.asarray(terms, dtype=np.float64)


def _sum_blocks(
    function: Callable[[slice], tuple[Floats, ...]],
    blocks: list[slice],
    workers: int,
    report: Callable[[int], None] = lambda end: None,
) -> tuple[Floats, ...]:
    """Sum the results of a function over blocks, in an order that threads do not change."""
    total: tuple[Floats, ...] = ()
    for block, values in zip(blocks, map_in_order(function, blocks, workers), strict=True):
        total = tuple(a + b for a, b in zip(total, values, strict=True)) if total else values
        report(block.stop)
    return total


def _compute_r2(vectors: Vectors, words: _WordFrequencies, workers: int) -> float:
    """Return R² of the linear regression of log frequency on the unit vectors.

    By least squares with an intercept, over the most frequent usable words.
    """
    is_usable = words.weight > 0
    is_usable[vectors.unusable] = False
    positions = np.flatnonzero(is_usable)
    positions = positions[np.argsort(-words.log[positions], kind="stable")][:MAX_R2_WORDS]
    y = words.log[positions] - words.log[positions].mean()
    variance = float(y @ y)
    if variance == 0:
        return 0.0

    def sums(block: slice) -> tuple[Floats, ...]:
        rows = unit_rows(vectors, positions[block])
        return rows.sum(axis=0), rows.T @ rows, rows.T @ y[block]

    total, squares, products = _sum_blocks(sums, list(row_blocks(len(positions))), workers)
    spread, axes = np.linalg.eigh(squares - np.outer(total, total / len(positions)))
    is_real = spread > EPSILON**2 * len(positions)  # smaller variance is rounding error
    predicted = float(((products @ axes[:, is_real]) ** 2 / spread[is_real]).sum())
    return min(1.0, predicted / variance)


def _remove_frequency(
    vectors: Vectors,
    words: _WordFrequencies,
    workers: int,
    progress: Callable[[int, int], None],
) -> Vectors:
    """Return the unit vectors minus those expected at their frequency, normalised again."""
    count = len(vectors)
    blocks = list(row_blocks(count))

    def sums(block: slice) -> tuple[Floats, ...]:
        terms = words.terms(block)
        weighted = (terms * words.weight[block, None]).T
        return weighted @ terms, weighted @ unit_rows(vectors, block)

    squares, products = _sum_blocks(sums, blocks, workers, lambda end: progress(end // 2, count))
    coefficients = np.linalg.lstsq(squares, products, rcond=None)[0]
    matrix = np.empty_like(vectors.matrix, subok=False)

    def write(block: slice) -> int:
        rows = unit_rows(vectors, block)
        rows -= words.terms(block) @ coefficients
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        rows /= np.maximum(norms, EPSILON)[:, None]
        rows[(norms < EPSILON) | (words.weight[block] == 0)] = 0
        matrix[block] = rows
        return int(block.stop)

    for end in map_in_order(write, blocks, workers):
        progress((count + end) // 2, count)
    unusable = unusable_rows(matrix)
    if len(unusable) == count:
        raise CannotMeasure(
            f"Nothing is left of {vectors.source} without frequency: every vector equals the one "
            "expected at its word's frequency."
        )
    matrix.flags.writeable = False
    fingerprint = controlled_fingerprint(vectors.fingerprint)
    return dataclasses.replace(vectors, matrix=matrix, fingerprint=fingerprint, unusable=unusable)


def controlled_fingerprint(fingerprint: str) -> str:
    """Return the fingerprint that vectors with this fingerprint have after frequency control."""
    recipe = f"{fingerprint} without frequency, degree {DEGREE}"
    return hashlib.blake2b(recipe.encode(), digest_size=16).hexdigest()
