"""Seed sets in an embedding: where their words are, and which other words are as frequent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from weatherglass.vectors import Case, Vectors, find_usable_positions, unit_rows

from ..bad_seeds import NOTHING
from ..models import Floats, Positions, frequent

LEAST = 1000  # words that an embedding must have for others to stand for chance


@dataclass(frozen=True, eq=False)
class Space:
    """The words of some seed sets in an embedding.

    Attributes
    ----------
    vectors
        The embedding.
    by_frequency
        The positions of its usable words, the most frequent first; none where only some words of
        the source were opened.
    at
        The position of each word that was asked for and is there.
    """

    vectors: Vectors
    by_frequency: Positions
    at: dict[str, int] = field(repr=False)
    _place: NDArray[np.int64] = field(repr=False)

    @classmethod
    def of(cls, vectors: Vectors, words: Iterable[str], case: Case = "auto") -> Space:
        """Find words."""
        asked = list(dict.fromkeys(words))
        found = find_usable_positions(vectors, asked, case).tolist()
        some = np.empty(0, dtype=np.intp)  # of a part, what is frequent is not known
        order = some if vectors.part else frequent(vectors, 1, None)
        place = np.full(len(vectors), -1, dtype=np.int64)
        place[order] = np.arange(len(order))
        there = {word: at for word, at in zip(asked, found, strict=True) if at >= 0}
        return cls(vectors, order, there, place)

    @property
    def why_no_chance(self) -> str:
        """Why its words cannot stand for what chance would give; empty if they can."""
        if self.vectors.part:
            return f"only some words of {self.vectors.source} were opened; open all of it"
        if len(self.by_frequency) < LEAST:
            return (
                f"{self.vectors.source} has {len(self.by_frequency):,} usable words, and at least "
                f"{LEAST:,} are needed to compare with words drawn at random"
            )
        return ""

    def positions(self, words: Iterable[str]) -> Positions:
        """The positions of those words that are there, each once."""
        found = dict.fromkeys(self.at[word] for word in words if word in self.at)
        return np.array(list(found), dtype=np.intp)

    def missing(self, words: Iterable[str]) -> tuple[str, ...]:
        """The words that are not there."""
        return tuple(dict.fromkeys(word for word in words if word not in self.at))

    def rows(self, positions: Positions) -> Floats:
        """Unit rows."""
        return unit_rows(self.vectors, positions)

    def word(self, position: int) -> str:
        """A word as the source spells it."""
        return self.vectors.words[position]

    def as_frequent(self, position: int, count: int) -> Positions:
        """The words next to one in order of frequency, on both sides where there are any."""
        last = len(self.by_frequency) - count
        start = min(max(0, int(self._place[position]) - count // 2), max(0, last))
        return self.by_frequency[start : start + count]

    def drawn(self, positions: Positions, count: int, rng: np.random.Generator) -> Positions:
        """Random sets, a row each: for every word one of half to twice its rank of frequency."""
        ranks = self._place[positions] + 1
        factors = np.exp(rng.uniform(-np.log(2), np.log(2), (count, len(positions))))
        drawn = np.rint(ranks * factors).astype(np.int64)
        return self.by_frequency[np.clip(drawn, 1, len(self.by_frequency)) - 1]


def nearest(
    space: Space, positions: Positions, count: int, among: int
) -> tuple[Positions, NDArray[np.float32]]:
    """The nearest words of some words by cosine, among the most frequent; and the cosines.

    Parameters
    ----------
    positions
        The words.
    count
        How many neighbours of each; the word itself is none.
    among
        How many words to look at.

    Returns
    -------
    positions, cosines
        A row for each word, the nearest first.
    """
    frequent_words = space.by_frequency[:among]
    rows = space.rows(frequent_words).astype(np.float32)
    own = {int(at): k for k, at in enumerate(frequent_words)}
    count = min(count, len(rows) - 1)
    sample = slice(None, None, max(1, len(rows) // 5000))
    found = np.empty((len(positions), count), dtype=np.intp)
    cosines = np.empty((len(positions), count), dtype=np.float32)
    step = max(1, (1 << 24) // len(rows))
    for start in range(0, len(positions), step):
        part = positions[start : start + step]
        scores = space.rows(part).astype(np.float32) @ rows.T
        for k, at in enumerate(part.tolist()):
            if at in own:
                scores[k, own[at]] = -2
        # The tenth of a sample is not above the tenth of all: what is below it can be passed over.
        floor = np.partition(scores[:, sample], -count, axis=1)[:, -count]
        for k, line in enumerate(scores):
            kept = np.flatnonzero(line >= floor[k])
            best = kept[np.argsort(-line[kept], kind="stable")[:count]]
            found[start + k], cosines[start + k] = frequent_words[best], line[best]
    return found, cosines


def listed_neighbours(
    space: Space, positions: Sequence[int], cosines: Sequence[float]
) -> tuple[tuple[str, float], ...]:
    """Neighbours as words and cosines."""
    return tuple(
        (space.word(int(at)), round(float(cosine), 4))
        for at, cosine in zip(positions, cosines, strict=True)
    )


LEAST_WORDS = 3
AS_FREQUENT = 200  # words that stand for what an arbitrary one of that frequency would give
NEIGHBOURS = 10
AMONG = 50_000  # the most frequent words, among which neighbours are looked for
NEAR = 0.05  # the share of these that counts as near to a set
_SAMPLED = 2000  # of these, from which that distance is found


@dataclass(frozen=True, eq=False)
class Belonging:
    """How well each word of a set fits the others.

    Attributes
    ----------
    at
        The positions of the words.
    rest
        Unit rows: the mean direction of all other words of the set.
    cosine
        The cosine of each word with that.
    z
        The same as a distance from the set's mean, in standard deviations.
    better
        The share of equally frequent words that are nearer to the rest of the set.
    """

    at: Positions
    rest: Floats
    cosine: Floats
    z: Floats
    better: Floats


def belonging(space: Space, at: Positions) -> Belonging:
    """How well each word of a set fits the others, with that word left out of them."""
    rows = space.rows(at)
    rest = rows.sum(axis=0) - rows
    rest /= np.maximum(np.linalg.norm(rest, axis=1, keepdims=True), NOTHING)
    cosine = np.einsum("ij,ij->i", rows, rest)
    spread = float(cosine.std())
    z = (cosine - cosine.mean()) / spread if spread > NOTHING else np.zeros(len(at))
    own = np.zeros(len(space.vectors), dtype=bool)
    own[at] = True
    better = np.zeros(len(at))
    for k, position in enumerate(at.tolist()):
        others = space.as_frequent(position, AS_FREQUENT)
        others = others[~own[others]]
        if len(others):
            better[k] = np.mean(space.rows(others) @ rest[k] > cosine[k])
    return Belonging(at, rest, cosine, z, better)


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The nearest words of the words of all sets.

    `row` says in which row of `found` and `cosines` a word is. `sample` has the unit rows of words
    that stand for the vocabulary.
    """

    row: dict[int, int]
    found: Positions
    cosines: NDArray[np.float32]
    sample: NDArray[np.float32]

    @classmethod
    def of(cls, space: Space) -> Neighbourhood:
        """Look for the neighbours of all words of a space."""
        at = np.array(sorted(set(space.at.values())), dtype=np.intp)
        found, cosines = nearest(space, at, NEIGHBOURS, AMONG)
        frequent = space.by_frequency[:AMONG]
        sample = space.rows(frequent[:: max(1, len(frequent) // _SAMPLED)])
        return cls({int(p): k for k, p in enumerate(at)}, found, cosines, sample.astype(np.float32))


def kindred(space: Space, near: Neighbourhood, fit: Belonging) -> NDArray[np.int64]:
    """For each word of a set, how many of its neighbours are near to the rest of the set.

    Near are the 5 % of the vocabulary with the largest cosine, and the set's own words.
    """
    cosines = fit.rest.astype(np.float32) @ near.sample.T
    top = max(1, round(NEAR * cosines.shape[1]))
    limit = np.partition(cosines, -top, axis=1)[:, -top]
    neighbours = near.found[[near.row[int(at)] for at in fit.at]]
    rows = space.rows(neighbours.reshape(-1)).reshape(*neighbours.shape, -1)
    close = np.einsum("ikj,ij->ik", rows, fit.rest) >= limit[:, None]
    count: NDArray[np.int64] = (close | np.isin(neighbours, fit.at)).sum(axis=1)
    return count
