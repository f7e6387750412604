"""Pairs of words along a seed direction: the analogies of Bolukbasi et al. (2016)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weatherglass._version import __version__
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.vectors import (
    Case,
    Vectors,
    bias_subspace,
    order_by_frequency,
    unit_rows,
)

from ..embedding import Source, need_whole
from ..measurement import describe_source
from ..result import Result
from .analogy import highest

Floats = NDArray[np.float64]

MAX_LETTERS = 20
_BLOCK_ROWS = 512
WARNING = (
    "The two words of a pair are different by construction, so the list cannot say that a word is "
    "its own counterpart; the column unrestricted has the answer if the inputs are allowed "
    "(Nissim et al. 2020)."
)


@dataclass(frozen=True, slots=True)
class AnalogousPair:
    """Two words that differ along the seed direction: a is to b as x is to y.

    Attributes
    ----------
    x, y
        The words on the side of a and of b.
    score
        The cosine of x - y with the seed direction.
    unrestricted
        The answer to "a is to b as x is to …" by 3CosAdd if the inputs are allowed.
    """

    x: str
    y: str
    score: float
    unrestricted: str


@dataclass(frozen=True, kw_only=True, repr=False)
class AnalogousPairs(Result):
    """Pairs of words along a seed direction, the best aligned first.

    Attributes
    ----------
    seeds
        The pairs of words that define the direction.
    pairs
        The pairs that were found.
    vocabulary
        How many words were compared.
    own_counterpart
        The share of `pairs` for which the unrestricted answer is x itself.
    source, options, version
        What is needed to repeat it.
    """

    measure: ClassVar[str] = "analogous-pairs"
    noun: ClassVar[str] = "list of analogous pairs"
    chart: ClassVar[str] = "analogous pairs"

    seeds: tuple[tuple[str, str], ...]
    pairs: tuple[AnalogousPair, ...]
    vocabulary: int
    source: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    @property
    def own_counterpart(self) -> float:
        """The share of pairs for which the unrestricted answer is x itself."""
        return sum(pair.unrestricted == pair.x for pair in self.pairs) / max(1, len(self.pairs))

    def key_facts(self) -> dict[str, Any]:
        return {
            "source": self.source_name,
            "seeds": ", ".join("-".join(seed) for seed in self.seeds),
            "vocabulary": self.vocabulary,
            "pairs": len(self.pairs),
            "own_counterpart": self.own_counterpart,
        }

    def sentence(self) -> str:
        a, b = self.seeds[0]
        if not self.pairs:
            return f"No two words differ along {a} and {b} within the distance."
        first = self.pairs[0]
        return (
            f"{a} is to {b} as {first.x} is to {first.y}, and {len(self.pairs) - 1} more pairs. "
            f"With the inputs allowed, x itself is the answer for {100 * self.own_counterpart:.0f} "
            f"% of the pairs. {WARNING}"
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each pair."""
        about = {"measure": self.measure, "source": self.source_name}
        return [
            {
                **about,
                "seeds": self.key_facts()["seeds"],
                "rank": rank,
                "x": pair.x,
                "y": pair.y,
                "score": pair.score,
                "unrestricted": pair.unrestricted,
                "weatherglass": self.version,
            }
            for rank, pair in enumerate(self.pairs, 1)
        ]


def analogous_pairs(
    source: Source,
    seeds: Sequence[Sequence[str]] = (("she", "he"),),
    *,
    count: int = 20,
    words: int = 10_000,
    distance: float = 1.0,
    case: Case = "auto",
    progress: Callable[[int, int], None] | None = None,
) -> AnalogousPairs:
    """Find pairs of words x, y such that a is to b as x is to y.

    Parameters
    ----------
    source
        An embedding: a path, a name, or an object in memory (see `as_source`).
    seeds
        One or more pairs (a, b) that define the direction.
    count
        How many pairs to return.
    words
        Compare this many of the most frequent words: lower case, only letters, fewer than 20 of
        them, as in the paper, which took 50,000.
    distance
        The two words of a pair are at most so far apart, as unit vectors (δ in the paper).
    case
        How the seeds are looked up.
    progress
        Called with the number of words compared and their total.

    Returns
    -------
    AnalogousPairs

    Notes
    -----
    The score is S(x, y) = cos(a - b, x - y) if \\|x - y\\| is at most δ, and 0 otherwise, over unit
    vectors (section 4 of [1]_). Each word is x of one pair at most. With several seeds the
    direction is their first principal component, as for `weatherglass.debias`.

    The two words of a pair must differ, so that a list of such pairs shows gender everywhere: a
    word without any cannot be its own counterpart [2]_. Each pair therefore also has the answer to
    "a is to b as x is to …" with the inputs allowed.

    References
    ----------
    .. [1] T. Bolukbasi, K.-W. Chang, J. Zou, V. Saligrama, A. Kalai (2016). Man is to computer
       programmer as woman is to homemaker? Debiasing word embeddings. NIPS.
    .. [2] M. Nissim, R. van Noord, R. van der Goot (2020). Fair is better than sensational: man is
       to doctor as woman is to doctor. Computational Linguistics 46(2), 487-497.

    Examples
    --------
    >>> import weatherglass as wg
    >>> found = wg.analogous_pairs("default", [("she", "he")], words=2000, count=2)
    >>> [(pair.x, pair.y, pair.unrestricted) for pair in found.pairs]
    [('her', 'his', 'his'), ('mother', 'father', 'father')]
    """
    if count < 1 or words < 2:
        raise UsageError("count must be at least 1, and words at least 2.")
    if not 0 < distance <= 2:
        raise UsageError(f"distance is {distance:g}; it must be above 0 and at most 2.")
    vectors = need_whole(source, "An analogy")
    subspace = bias_subspace(vectors, seeds, case=case)
    seed_words = tuple((vectors.words[rows[0]], vectors.words[rows[1]]) for rows in subspace.sets)
    positions = _frequent_plain_words(vectors, words)
    if len(positions) < 2:
        raise CannotMeasure(f"{vectors.source} has fewer than two words of lower-case letters.")
    rows = unit_rows(vectors, positions)
    direction = subspace.axes[0]
    y, scores = _best_partners(rows, direction, distance, progress)
    seed_rows = [row for pair in subspace.sets for row in pair]
    scores[np.isin(positions, seed_rows)] = -np.inf  # the seeds are their own best example
    chosen = highest(scores, count)
    a, b = vectors.unit(seed_words[0])
    answers = np.argmax(rows @ (rows[chosen] + (b - a)).T, axis=0) if chosen else []
    names = [vectors.words[int(row)] for row in positions]
    pairs = tuple(
        AnalogousPair(names[x], names[int(y[x])], float(scores[x]), names[int(answer)])
        for x, answer in zip(chosen, answers, strict=True)
    )
    return AnalogousPairs(
        seeds=seed_words,
        pairs=pairs,
        vocabulary=len(positions),
        source=describe_source(vectors),
        options={"words": words, "distance": distance, "count": count, "case": case},
    )


def _frequent_plain_words(vectors: Vectors, count: int) -> NDArray[np.intp]:
    """Return the positions of the most frequent words that the paper keeps."""
    unusable = set(vectors.unusable.tolist())
    chosen = []
    for row in order_by_frequency(vectors).tolist():
        word = vectors.words[row]
        is_plain = len(word) < MAX_LETTERS and word.isalpha() and word == word.lower()
        if is_plain and row not in unusable:
            chosen.append(row)
            if len(chosen) == count:
                break
    return np.array(chosen, dtype=np.intp)


def _best_partners(
    rows: Floats,
    direction: Floats,
    distance: float,
    progress: Callable[[int, int], None] | None,
) -> tuple[NDArray[np.intp], Floats]:
    """Return for each x the best y, and its score; -infinity where no y is near enough."""
    single = rows.astype(np.float32)
    along = single @ direction.astype(np.float32)
    best = np.zeros(len(rows), dtype=np.intp)
    scores = np.full(len(rows), -np.inf)
    for start in range(0, len(rows), _BLOCK_ROWS):
        stop = min(start + _BLOCK_ROWS, len(rows))
        squares = np.maximum(2 - 2 * (single[start:stop] @ single.T), 0)
        lengths = np.sqrt(squares)
        with np.errstate(all="ignore"):
            values = (along[start:stop, None] - along[None, :]) / lengths
        # Two rows in the same place have no difference to compare.
        values[(lengths > distance) | (lengths < 1e-3)] = -np.inf
        best[start:stop] = values.argmax(axis=1)
        scores[start:stop] = np.minimum(values.max(axis=1), 1)
        if progress is not None:
            progress(stop, len(rows))
    return best, scores
