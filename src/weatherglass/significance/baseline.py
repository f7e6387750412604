"""The baseline p-value: how often comparable word sets of the same vocabulary are so aligned.

Rotation p compares an alignment with that of random directions, but no word set of a real
embedding has a random direction: the vectors are anisotropic, and frequent words and words of one
topic point the same way. The baseline therefore draws words. All arrays here are rows of a sample
of the vocabulary, sorted by frequency; a word's place is where it belongs in that order.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure

from .pvalue import PValue
from .sampling import MAX_NUMBERS, share_from_count

N_DRAWS = 9_999
HALF_WINDOW = 100  # sampled rows before and after a word that are about as frequent as it
CENTRES = 500  # rows around which the sets of a coherent draw lie
CALIBRATION_CENTRES = 64  # of them, used to choose how many neighbours are candidates
MAX_DRAWS_PER_ACCEPTED = 30  # coherent draws with overlapping sets are rejected
MIN_ACCEPTED = 999
MAX_REMEMBERED = 64  # topics of a sample; each has at most a few hundred candidates per centre
TOLERANCE = 1e-6  # rounding error of a cosine in float32; draws that tie with the observed count

Rows = NDArray[np.float32]
Floats = NDArray[np.float64]
Indices = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class SetProfile:
    """What the draws for a word set must match.

    Attributes
    ----------
    places
        Where its words belong in the sample; their number is the size of the set.
    coherence
        The mean cosine of its pairs of words; not used for a single word.
    """

    places: NDArray[np.intp]
    coherence: float

    @property
    def size(self) -> int:
        return len(self.places)

    @classmethod
    def of(cls, places: NDArray[np.intp], rows: Floats) -> SetProfile:
        """Describe a set by the places and the unit rows of its words, in any order."""
        return cls(np.sort(places), mean_cosine(rows))

    def order(self) -> tuple[tuple[int, ...], float]:
        """Return a key by which sets are sorted."""
        return tuple(self.places.tolist()), self.coherence


@dataclass(frozen=True)
class BaselineShare:
    """The share of draws that are at least as aligned, and how coherent the drawn sets are.

    `coherence` is the mean over the sets of the expected cosine of a pair; None for draws that are
    not matched in coherence.
    """

    p: PValue
    drawn: int
    coherence: float | None = None


def mean_cosine(rows: Floats) -> float:
    """Return the mean cosine of all pairs of unit rows; 1 for a single row.

    >>> round(mean_cosine(np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])), 3)
    0.467
    """
    n = len(rows)
    if n < 2:
        return 1.0
    total = rows.sum(axis=0)
    return float((total @ total - n) / (n * (n - 1)))


def frequency_baseline(
    rows: Rows,
    sets: Sequence[SetProfile],
    cosine: float,
    *,
    is_ordered: bool = True,
    n_draws: int = N_DRAWS,
    rng: int = 0,
) -> BaselineShare:
    """Compare an alignment with that of random words which are about as frequent.

    The null hypothesis is that X, Y, A and B are four arbitrary sets of different words with these
    frequencies. Every word is replaced by a random one among the 201 sampled rows around its place
    (among more for a test of more than 100 words, among all rows unless the sample `is_ordered` by
    frequency).

    Parameters
    ----------
    rows
        Unit rows of the sample.
    sets
        The profiles of X, Y, A and B.
    cosine
        cos(X̄ − Ȳ, Ā − B̄) of the test; its sign is ignored.
    is_ordered
        Whether the order of the rows shows frequency.
    n_draws, rng
        The number of draws, and the random seed. Exchanging X with Y, A with B, or the targets with
        the attributes changes nothing.

    Returns
    -------
    BaselineShare
        p is (draws at least as aligned + 1) / (draws + 1), with the 99 % Clopper-Pearson interval.
    """
    ordered = _canonical_order(sets)
    sizes = [profile.size for profile in ordered]
    places = np.concatenate([profile.places for profile in ordered])
    if len(rows) < len(places):
        raise CannotMeasure(f"the sample has {len(rows)} rows, fewer than the test has words")
    half = max(HALF_WINDOW, len(places)) if is_ordered else len(rows)
    low, width = _windows(places, half, len(rows))
    generator = np.random.default_rng(rng)
    count = 0
    for draws in _chunks(n_draws, len(places)):
        drawn = _distinct_rows(generator, low, width, draws)
        count += _count_aligned(rows, drawn, sizes, cosine)
    return BaselineShare(_p_value(count, n_draws), n_draws)


def coherence_baseline(
    rows: Rows,
    sets: Sequence[SetProfile],
    cosine: float,
    *,
    is_ordered: bool = True,
    n_draws: int = N_DRAWS,
    rng: int = 0,
    memory: TopicMemory | None = None,
) -> BaselineShare:
    """Compare an alignment with that of random topics: coherent sets of equally frequent words.

    As `frequency_baseline`, for four arbitrary sets that are also as coherent as X, Y, A and B. A
    set of n words is drawn from the k nearest neighbours of a random row of its frequency band; k
    is chosen so that a pair of words has the observed mean cosine, or the nearest to it that the
    sample allows. Draws with overlapping sets are rejected, and others take their place.

    `memory` keeps the neighbours that were found for other tests on the same `rows`: tests that
    share a set share the search for them, and their numbers stay the same.

    Raises
    ------
    CannotMeasure
        Nearly all draws overlap.
    """
    ordered = _canonical_order(sets)
    sizes = [profile.size for profile in ordered]
    if len(rows) < sum(sizes):
        raise CannotMeasure(f"the sample has {len(rows)} rows, fewer than the test has words")
    generator = np.random.default_rng(rng)
    memory = TopicMemory() if memory is None else memory
    topics = [memory.around(generator, rows, profile, is_ordered) for profile in ordered]
    accepted = tried = count = 0
    while accepted < n_draws and tried < MAX_DRAWS_PER_ACCEPTED * n_draws:
        share = max(accepted / tried, 1 / MAX_DRAWS_PER_ACCEPTED) if tried else 1.0
        limit = max(1, MAX_NUMBERS // sum(sizes))
        draws = min(limit, int(1.05 * (n_draws - accepted) / share) + 1)
        tried += draws
        drawn = _disjoint_sets(generator, topics, draws)[: n_draws - accepted]
        count += _count_aligned(rows, drawn, sizes, cosine)
        accepted += len(drawn)
    if accepted < min(n_draws, MIN_ACCEPTED):
        raise CannotMeasure("the vocabulary has too few words to draw sets that do not overlap")
    coherence = float(np.mean([topic.coherence for topic in topics]))
    return BaselineShare(_p_value(count, accepted), accepted, coherence)


def _p_value(count: int, drawn: int) -> PValue:
    return PValue(*share_from_count(count, drawn), "baseline", "two-sided")


def _canonical_order(sets: Sequence[SetProfile]) -> list[SetProfile]:
    """Sort X and Y, A and B, and the two pairs, so that names of sets do not change the draws."""
    x, y, a, b = sets
    pairs = [sorted(pair, key=SetProfile.order) for pair in ((x, y), (a, b))]
    pairs.sort(key=lambda pair: [profile.order() for profile in pair])
    return [profile for pair in pairs for profile in pair]


def _windows(places: NDArray[np.intp], half: int, rows: int) -> tuple[NDArray[np.intp], int]:
    """Return the first row of the window around each place, and the width of all windows."""
    width = min(2 * half + 1, rows)
    return np.clip(places - half, 0, rows - width), width


def _chunks(draws: int, words: int) -> Iterator[int]:
    """Yield numbers of draws that fit into memory together; their sum is `draws`."""
    step = max(1, MAX_NUMBERS // words)
    for start in range(0, draws, step):
        yield min(step, draws - start)


def _distinct_rows(
    rng: Generator, low: NDArray[np.intp], width: int, draws: int
) -> NDArray[np.int64]:
    """Draw a row from each window; the rows of a draw are different."""
    words = len(low)
    drawn = low + (rng.random((draws, words)) * width).astype(np.int64)
    repeated = np.arange(draws)
    while len(repeated):
        # Sorting numbers that hold row and column finds the columns that repeat an earlier one.
        tagged = np.sort(drawn[repeated] * words + np.arange(words), axis=1)
        at, k = np.nonzero(tagged[:, 1:] // words == tagged[:, :-1] // words)
        column = tagged[at, k + 1] % words
        repeated = repeated[at]
        drawn[repeated, column] = low[column] + (rng.random(len(column)) * width).astype(np.int64)
        repeated = np.unique(repeated)
    return drawn


def _count_aligned(
    rows: Rows, drawn: NDArray[np.integer], sizes: Sequence[int], cosine: float
) -> int:
    """Count the draws whose alignment is at least that of the test."""
    from scipy.sparse import csr_matrix

    def difference(columns: slice, n: int, m: int) -> Rows:
        """Return the mean of the first n rows of each draw minus that of the other m."""
        indices = np.ascontiguousarray(drawn[:, columns], dtype=np.int32)
        weights = np.repeat(np.array([1 / n, -1 / m], dtype=np.float32), [n, m])
        ends = np.arange(0, indices.size + 1, n + m, dtype=np.int32)
        table = np.tile(weights, len(indices)), indices.ravel(), ends
        means: Rows = csr_matrix(table, shape=(len(indices), len(rows))) @ rows
        return means

    x, y, a, b = sizes
    u, v = difference(slice(0, x + y), x, y), difference(slice(x + y, None), a, b)
    squares: Callable[[Rows, Rows], Rows] = lambda s, t: np.einsum("ij,ij->i", s, t)  # noqa: E731
    with np.errstate(all="ignore"):  # sets with the same mean have no direction: not aligned
        cosines = np.abs(squares(u, v)) / np.sqrt(squares(u, u) * squares(v, v))
    return int((cosines >= abs(cosine) - TOLERANCE).sum())


@dataclass(frozen=True, eq=False)
class _Topics:
    """The candidates of a set: for each of the centres, the rows of its nearest neighbours."""

    candidates: Indices
    size: int
    coherence: float

    @classmethod
    def around(cls, rng: Generator, rows: Rows, profile: SetProfile, is_ordered: bool) -> _Topics:
        """Find random centres that are as frequent as the set's words, and their neighbours."""
        half = max(HALF_WINDOW, profile.size) if is_ordered else len(rows)
        low, width = _windows(profile.places, half, len(rows))
        first, last = int(low.min()), int(low.max()) + width
        near = rng.integers(0, profile.size, CENTRES)
        centres = low[near] + (rng.random(CENTRES) * width).astype(np.intp)
        if profile.size == 1:
            return cls(centres[:, None].astype(np.int32), 1, 1.0)
        band = rows[first:last]
        cosines = rows[centres] @ band.T
        count, coherence = _choose_count(band, cosines[:CALIBRATION_CENTRES], profile)
        nearest = np.argpartition(cosines, len(band) - count, axis=1)[:, len(band) - count :]
        return cls((first + nearest).astype(np.int32), profile.size, coherence)

    def draw(self, rng: Generator, draws: int) -> Indices:
        """Draw `size` different candidates of a random centre, by the method of Floyd (1987)."""
        centre = rng.integers(0, len(self.candidates), draws)
        count = self.candidates.shape[1]
        chosen = np.empty((self.size, draws), dtype=np.int32)
        for k, last in enumerate(range(count - self.size, count)):
            choice = (rng.random(draws) * (last + 1)).astype(np.int32)
            choice[(chosen[:k] == choice).any(axis=0)] = last
            chosen[k] = choice
        return self.candidates[centre, chosen].T


class TopicMemory:
    """The topics found last in the rows of one sample, for sets that occur in many tests.

    Topics depend on the random numbers before them, so these are part of what is looked up.
    """

    def __init__(self) -> None:
        self._topics: OrderedDict[Any, tuple[_Topics, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def around(self, rng: Generator, rows: Rows, profile: SetProfile, is_ordered: bool) -> _Topics:
        """Return `_Topics.around`, and leave the generator in the same state."""
        state: Any = rng.bit_generator.state
        key = (profile.order(), is_ordered, repr(state))
        with self._lock:
            known = self._topics.get(key)
            if known is not None:
                self._topics.move_to_end(key)
        if known is None:
            known = _Topics.around(rng, rows, profile, is_ordered), rng.bit_generator.state
            with self._lock:
                self._topics[key] = known
                while len(self._topics) > MAX_REMEMBERED:
                    self._topics.popitem(last=False)
        topics, rng.bit_generator.state = known
        return topics


def _choose_count(band: Rows, cosines: Rows, profile: SetProfile) -> tuple[int, float]:
    """Return how many neighbours are candidates, and the mean cosine of a pair of them.

    A random pair of n of the k nearest neighbours has the mean cosine of all pairs of the k, which
    falls as k grows: find the k where it is the observed one, by bisection.
    """
    falling = np.sort(cosines, axis=1)[:, ::-1]

    def coherence(count: int) -> float:
        is_near = (cosines >= falling[:, count - 1 : count]).astype(np.float32)
        sums = (is_near @ band).astype(np.float64)
        sizes = is_near.sum(axis=1).astype(np.float64)
        pairs = (np.einsum("ij,ij->i", sums, sums) - sizes) / (sizes * (sizes - 1))
        return float(pairs.mean())

    low, high = profile.size, len(band)
    values = {low: coherence(low), high: coherence(high)}
    while high - low > 1:
        middle = (low + high) // 2
        values[middle] = coherence(middle)
        if values[middle] > profile.coherence:
            low = middle
        else:
            high = middle
    count = min((low, high), key=lambda k: abs(values[k] - profile.coherence))
    return count, values[count]


def _disjoint_sets(rng: Generator, topics: Sequence[_Topics], draws: int) -> Indices:
    """Draw all sets; return the draws without a word in two sets."""
    drawn = np.empty((draws, 0), dtype=np.int32)
    for topic in topics:
        drawn = np.concatenate([drawn, topic.draw(rng, len(drawn))], axis=1)
        in_order = np.sort(drawn, axis=1)
        drawn = drawn[(in_order[:, 1:] != in_order[:, :-1]).all(axis=1)]
    return drawn
