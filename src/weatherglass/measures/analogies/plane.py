"""Pairs of words in a plane: the first two principal components, with a line for each pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weatherglass._version import __version__
from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe
from weatherglass.vectors import Case, find_usable_positions

from ..embedding import Source, need_whole
from ..measurement import describe_source
from ..result import Result

Floats = NDArray[np.float64]

MIN_PAIRS = 2
MAX_PAIRS = 200
_SHUFFLES = 999


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word and its two coordinates."""

    word: str
    x: float
    y: float


@dataclass(frozen=True, kw_only=True, repr=False)
class WordPlane(Result):
    """Pairs of words, projected onto their first two principal components.

    Attributes
    ----------
    words
        Every word with its coordinates, once.
    pairs
        The pairs, each a line of the figure.
    explained
        The share of the variance of the words along both components.
    parallel
        The mean cosine similarity between the differences of any two pairs, in all dimensions: 1 if
        the differences are parallel.
    shuffled
        The mean of the same after the second words were shuffled among the pairs.
    missing
        The words that the source lacks; their pairs are left out.
    source, options, version
        What is needed to repeat it.
    """

    measure: ClassVar[str] = "word-plane"
    noun: ClassVar[str] = "plane of words"
    chart: ClassVar[str] = "word plane"

    words: tuple[PlacedWord, ...]
    pairs: tuple[tuple[str, str], ...]
    explained: tuple[float, float]
    parallel: float
    shuffled: float
    missing: tuple[str, ...] = ()
    source: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    def key_facts(self) -> dict[str, Any]:
        return {
            "source": self.source_name,
            "pairs": len(self.pairs),
            "explained": sum(self.explained),
            "parallel": self.parallel,
            "shuffled": self.shuffled,
        }

    def sentence(self) -> str:
        return (
            f"The differences of the {len(self.pairs)} pairs have a mean cosine similarity of "
            f"{self.parallel:.2f} with each other, and of {self.shuffled:.2f} if the second words "
            f"are shuffled; the plane shows {100 * sum(self.explained):.0f} % of the variance of "
            "these words."
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each word of each pair."""
        places = {placed.word: placed for placed in self.words}
        return [
            {
                "measure": self.measure,
                "source": self.source_name,
                "pair": number,
                "word": word,
                "x": places[word].x,
                "y": places[word].y,
                "parallel": self.parallel,
                "shuffled": self.shuffled,
                "weatherglass": self.version,
            }
            for number, pair in enumerate(self.pairs, 1)
            for word in pair
        ]


def word_plane(
    source: Source,
    pairs: Sequence[Sequence[str]],
    *,
    case: Case = "auto",
    seed: int = 0,
) -> WordPlane:
    """Project pairs of words onto the first two principal components of their vectors.

    Parameters
    ----------
    source
        An embedding: a path, a name, or an object in memory (see `as_source`).
    pairs
        Pairs of words that differ in one respect, such as king and queen.
    case
        How words are looked up.
    seed
        Random seed of the shuffled pairs.

    Returns
    -------
    WordPlane
        `weatherglass.plot` draws it, with a line for each pair.

    Notes
    -----
    This is figure 3 of the first draft of Caliskan et al. [1]_: pairs that differ only by gender
    have roughly the same vector difference. Vectors are as the source has them, not normalised; the
    words are centred, and the components are those of the words drawn. A figure of two components
    can look more regular than the vectors are, so that `parallel` states how parallel the
    differences are in all dimensions, and `shuffled` what chance would give.

    References
    ----------
    .. [1] A. Caliskan-Islam, J. Bryson, A. Narayanan (2016). Semantics derived automatically from
       language corpora necessarily contain human biases. arXiv:1608.07187v1.

    Examples
    --------
    >>> import weatherglass as wg
    >>> plane = wg.word_plane("default", [("man", "woman"), ("king", "queen"), ("uncle", "aunt")])
    >>> plane.parallel > plane.shuffled
    True
    """
    listed = _check_pairs(pairs)
    vectors = need_whole(source, "A plane of words")
    asked = [word for pair in listed for word in pair]
    found = find_usable_positions(vectors, asked, case).tolist()
    missing = tuple(dict.fromkeys(w for w, row in zip(asked, found, strict=True) if row < 0))
    rows_of_pairs = zip(found[::2], found[1::2], strict=True)
    kept = list(dict.fromkeys((a, b) for a, b in rows_of_pairs if min(a, b) >= 0 and a != b))
    if len(kept) < MIN_PAIRS:
        listing = f" (missing: {join_first(map(quote_safe, missing))})" if missing else ""
        raise CannotMeasure(
            f"{vectors.source} has {len(kept)} of the {len(listed)} pairs{listing}; "
            f"a plane needs at least {MIN_PAIRS}."
        )
    positions = list(dict.fromkeys(row for pair in kept for row in pair))
    rows = np.asarray(vectors.matrix[positions], dtype=np.float64)
    places, explained = _principal_plane(rows)
    first, second = (
        np.asarray(vectors.matrix[[pair[side] for pair in kept]], dtype=np.float64)
        for side in range(2)
    )
    return WordPlane(
        words=tuple(
            PlacedWord(vectors.words[row], x, y)
            for row, (x, y) in zip(positions, places.tolist(), strict=True)
        ),
        pairs=tuple((vectors.words[a], vectors.words[b]) for a, b in kept),
        explained=explained,
        parallel=_mean_cosine(second - first),
        shuffled=_shuffled_cosine(first, second, seed),
        missing=missing,
        source=describe_source(vectors),
        options={"case": case, "seed": seed},
    )


def _check_pairs(pairs: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    listed = []
    for pair in pairs:
        if isinstance(pair, str) or len(pair) != 2:
            raise UsageError(f"{quote_safe(str(pair))} is no pair of two words.")
        listed.append((pair[0], pair[1]))
    if not MIN_PAIRS <= len(listed) <= MAX_PAIRS:
        raise UsageError(f"There are {len(listed)} pairs; give {MIN_PAIRS} to {MAX_PAIRS}.")
    return listed


def _principal_plane(rows: Floats) -> tuple[Floats, tuple[float, float]]:
    """Return the coordinates on the first two components, and their shares of the variance."""
    centred = rows - rows.mean(axis=0)
    left, strengths, _ = np.linalg.svd(centred, full_matrices=False)
    total = float((strengths**2).sum())
    if total <= 0 or len(strengths) < 2:
        raise CannotMeasure("All words have the same vector, so there is no plane to show.")
    places = left[:, :2] * strengths[:2]
    # The sign of a component is arbitrary: the first word is on the left and below.
    places = places * np.where(places[0] > 0, -1.0, 1.0)
    first, second = (strengths[:2] ** 2 / total).tolist()
    return places, (first, second)


def _mean_cosine(differences: Floats) -> float:
    """Return the mean cosine between different rows; zeros have no direction and count as 0."""
    lengths = np.linalg.norm(differences, axis=1, keepdims=True)
    units = np.divide(differences, lengths, out=np.zeros_like(differences), where=lengths > 0)
    n = len(units)
    total = units.sum(axis=0)
    same = float((units * units).sum())
    return float((total @ total - same) / (n * (n - 1)))


def _shuffled_cosine(first: Floats, second: Floats, seed: int) -> float:
    rng = np.random.default_rng(seed)
    means = [_mean_cosine(second[rng.permutation(len(second))] - first) for _ in range(_SHUFFLES)]
    return float(np.mean(means))
