"""Seed sets in an embedding: missing words, words that do not fit, similarity, order of pairs.

Where a number needs a comparison, it is compared with words of the same frequency, because cosines
depend on frequency.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from weatherglass.catalog import SeedSet
from weatherglass.errors import join_first, quote_safe
from weatherglass.vectors import Case, Vectors, find_usable_positions, unit_rows

from ..bad_seeds import EPSILON, set_similarity
from ..models import Floats, Positions, positions_by_rank
from ..pairs import seed_pair
from .findings import MAX_BETTER_SHARE, Finding, count_noun, is_or_are, make_finding, quote_first

MIN_VOCABULARY = 1000  # usable words; with fewer, random words are no comparison
MIN_WORDS = 3  # of a set, for its words to be compared with the rest of it
MIN_PAIRS = 3
EQUALLY_FREQUENT = 200  # words of about the same rank that a word is compared with
NEIGHBOURS = 10
MAX_NEIGHBOUR_RANK = 50_000  # neighbours are sought among the most frequent words
NEAR_SHARE = 0.05  # the share of the vocabulary that counts as near to a set
NEAR_SAMPLE = 2000  # words from which the cosine at that share is estimated
RANDOM_SETS = 1000
SHUFFLES = 200
MAX_CELLS = 1 << 22  # numbers of random sets, or of shuffles, held in memory at once
NAMED_WORDS, NAMED_NEIGHBOURS = 5, 3  # in the sentence about other senses


@dataclass(frozen=True, eq=False)
class Space:
    """The words of seed sets in an embedding.

    Attributes
    ----------
    vectors
        The embedding.
    by_frequency
        The positions of its usable words, the most frequent first; empty if only some words of the
        source were opened.
    at
        The position of each requested word that was found.
    """

    vectors: Vectors
    by_frequency: Positions
    at: dict[str, int] = field(repr=False)
    _rank: NDArray[np.int64] = field(repr=False)  # from 0, by position

    @classmethod
    def of(cls, vectors: Vectors, words: Iterable[str], case: Case = "auto") -> Space:
        """Look up words."""
        spellings = list(dict.fromkeys(words))
        positions = find_usable_positions(vectors, spellings, case).tolist()
        # The ranks of a part of a source are unknown.
        unknown = np.empty(0, dtype=np.intp)
        by_frequency = unknown if vectors.part else positions_by_rank(vectors, 1, None)
        rank = np.full(len(vectors), -1, dtype=np.int64)
        rank[by_frequency] = np.arange(len(by_frequency))
        found = {word: at for word, at in zip(spellings, positions, strict=True) if at >= 0}
        return cls(vectors, by_frequency, found, rank)

    @property
    def why_not_comparable(self) -> str:
        """Why random words of this source are no comparison; empty if they are."""
        if self.vectors.part:
            return f"only some words of {self.vectors.source} were opened; open all of it"
        if len(self.by_frequency) < MIN_VOCABULARY:
            return (
                f"{self.vectors.source} has {len(self.by_frequency):,} usable words, and at least "
                f"{MIN_VOCABULARY:,} are needed to compare with random words"
            )
        return ""

    def positions(self, words: Iterable[str]) -> Positions:
        """Return the positions of the words that were found, without duplicates."""
        found = dict.fromkeys(self.at[word] for word in words if word in self.at)
        return np.array(list(found), dtype=np.intp)

    def missing(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the words that were not found."""
        return tuple(dict.fromkeys(word for word in words if word not in self.at))

    def rows(self, positions: Positions) -> Floats:
        """Return unit rows."""
        return unit_rows(self.vectors, positions)

    def word(self, position: int) -> str:
        """Return a word as the source spells it."""
        return self.vectors.words[position]

    def equally_frequent(self, position: int, count: int) -> Positions:
        """Return the words next to a word in order of frequency, on both sides if possible."""
        last = len(self.by_frequency) - count
        start = min(max(0, int(self._rank[position]) - count // 2), max(0, last))
        return self.by_frequency[start : start + count]

    def draw_sets(self, positions: Positions, count: int, rng: np.random.Generator) -> Positions:
        """Draw random sets, one per row: for each word, one of half to twice its frequency rank."""
        ranks = self._rank[positions] + 1
        factors = np.exp(rng.uniform(-np.log(2), np.log(2), (count, len(positions))))
        drawn = np.rint(ranks * factors).astype(np.int64)
        return self.by_frequency[np.clip(drawn, 1, len(self.by_frequency)) - 1]


def find_nearest(
    space: Space, positions: Positions, count: int, among: int
) -> tuple[Positions, NDArray[np.float32]]:
    """Find the nearest neighbours of words by cosine, among the most frequent words.

    Parameters
    ----------
    positions
        The words.
    count
        The number of neighbours of each; a word is not its own neighbour.
    among
        The number of most frequent words to search.

    Returns
    -------
    positions, cosines
        A row for each word, the nearest first.
    """
    candidates = space.by_frequency[:among]
    rows = space.rows(candidates).astype(np.float32)
    own_column = {int(at): k for k, at in enumerate(candidates)}
    count = min(count, len(rows) - 1)
    sample = slice(None, None, max(1, len(rows) // 5000))
    nearest = np.empty((len(positions), count), dtype=np.intp)
    cosines = np.empty((len(positions), count), dtype=np.float32)
    step = max(1, (1 << 24) // len(rows))
    for start in range(0, len(positions), step):
        block = positions[start : start + step]
        scores = space.rows(block).astype(np.float32) @ rows.T
        for k, at in enumerate(block.tolist()):
            if at in own_column:
                scores[k, own_column[at]] = -2
        # The tenth best of a sample is at most the tenth best of all, so what is below it can be
        # skipped: sorting the few that remain is much faster than partitioning all.
        floor = np.partition(scores[:, sample], -count, axis=1)[:, -count]
        for k, line in enumerate(scores):
            above = np.flatnonzero(line >= floor[k])
            best = above[np.argsort(-line[above], kind="stable")[:count]]
            nearest[start + k], cosines[start + k] = candidates[best], line[best]
    return nearest, cosines


def name_neighbours(
    space: Space, positions: Sequence[int], cosines: Sequence[float]
) -> tuple[tuple[str, float], ...]:
    """Return neighbours as words and cosines."""
    return tuple(
        (space.word(int(at)), round(float(cosine), 4))
        for at, cosine in zip(positions, cosines, strict=True)
    )


@dataclass(frozen=True, eq=False)
class Fit:
    """The fit of each word of a set with the rest of the set (leave-one-out).

    Attributes
    ----------
    at
        The positions of the words.
    rest
        Unit rows: the mean direction of all other words of the set.
    cosine
        The cosine of each word with that.
    z
        The same in standard deviations from the set's mean.
    better
        The share of equally frequent words with a larger cosine.
    """

    at: Positions
    rest: Floats
    cosine: Floats
    z: Floats
    better: Floats


def measure_fit(space: Space, at: Positions) -> Fit:
    """Measure how well each word of a set fits the rest of the set."""
    rows = space.rows(at)
    rest = rows.sum(axis=0) - rows
    rest /= np.maximum(np.linalg.norm(rest, axis=1, keepdims=True), EPSILON)
    cosine = np.einsum("ij,ij->i", rows, rest)
    sd = float(cosine.std())
    z = (cosine - cosine.mean()) / sd if sd > EPSILON else np.zeros(len(at))
    is_own = np.zeros(len(space.vectors), dtype=bool)
    is_own[at] = True
    better = np.zeros(len(at))
    for k, position in enumerate(at.tolist()):
        others = space.equally_frequent(position, EQUALLY_FREQUENT)
        others = others[~is_own[others]]
        if len(others):
            better[k] = np.mean(space.rows(others) @ rest[k] > cosine[k])
    return Fit(at, rest, cosine, z, better)


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The nearest neighbours of the words of all sets.

    `row` has the row of each position in `positions` and `cosines`. `sample` has unit rows that
    represent the vocabulary.
    """

    row: dict[int, int]
    positions: Positions
    cosines: NDArray[np.float32]
    sample: NDArray[np.float32]

    @classmethod
    def of(cls, space: Space) -> Neighbourhood:
        """Find the neighbours of all words of a space."""
        at = np.array(sorted(set(space.at.values())), dtype=np.intp)
        nearest, cosines = find_nearest(space, at, NEIGHBOURS, MAX_NEIGHBOUR_RANK)
        candidates = space.by_frequency[:MAX_NEIGHBOUR_RANK]
        sample = space.rows(candidates[:: max(1, len(candidates) // NEAR_SAMPLE)])
        rows = {int(position): k for k, position in enumerate(at)}
        return cls(rows, nearest, cosines, sample.astype(np.float32))


def count_related_neighbours(
    space: Space, neighbourhood: Neighbourhood, fit: Fit
) -> NDArray[np.int64]:
    """Count, for each word of a set, its neighbours that are near to the rest of the set.

    Near are the 5 % of the vocabulary with the largest cosine, and the set's own words.
    """
    cosines = fit.rest.astype(np.float32) @ neighbourhood.sample.T
    top = max(1, round(NEAR_SHARE * cosines.shape[1]))
    limit = np.partition(cosines, -top, axis=1)[:, -top]
    neighbours = neighbourhood.positions[[neighbourhood.row[int(at)] for at in fit.at]]
    rows = space.rows(neighbours.reshape(-1)).reshape(*neighbours.shape, -1)
    is_near = np.einsum("ikj,ij->ik", rows, fit.rest) >= limit[:, None]
    count: NDArray[np.int64] = (is_near | np.isin(neighbours, fit.at)).sum(axis=1)
    return count


def check_missing(seed_set: SeedSet, space: Space) -> Iterator[Finding]:
    """Report the words that the embedding does not have."""
    missing, count = space.missing(seed_set.words), len(set(seed_set.words))
    if missing:
        sentence = (
            f"{len(missing)} of its {count} words {is_or_are(len(missing))} not in "
            f"{space.vectors.source}: {quote_first(missing)}."
        )
        yield make_finding("missing", [seed_set.id], len(missing) / count, sentence, missing)


def check_fit(seed_set: SeedSet, space: Space, neighbourhood: Neighbourhood) -> Iterator[Finding]:
    """Report the words that do not fit the set, and those that have another sense."""
    at = space.positions(seed_set.words)
    if len(at) < MIN_WORDS:
        return
    fit = measure_fit(space, at)
    yield _find_outlier(seed_set, space, fit)
    yield from _find_strangers(seed_set, space, fit)
    yield from _find_other_senses(seed_set, space, neighbourhood, fit)


def _find_outlier(seed_set: SeedSet, space: Space, fit: Fit) -> Finding:
    worst = int(np.lexsort((fit.z, -fit.better))[0])
    word = space.word(int(fit.at[worst]))
    sentence = (
        f"{quote_first([word])} fits least: {fit.better[worst]:.0%} of equally frequent words are "
        f"more similar to the rest of the set (cosine {fit.cosine[worst]:.2f}, "
        f"z {fit.z[worst]:.1f})."
    )
    return make_finding("outlier", [seed_set.id], float(fit.better[worst]), sentence, [word])


def _find_strangers(seed_set: SeedSet, space: Space, fit: Fit) -> Iterator[Finding]:
    ranked = np.argsort(-fit.better, kind="stable")
    strangers = [space.word(int(fit.at[k])) for k in ranked if fit.better[k] > MAX_BETTER_SHARE]
    if strangers:
        sentence = (
            f"{len(strangers)} of its {len(fit.at)} words fit{'s' * (len(strangers) == 1)} little "
            f"better than chance: more than {MAX_BETTER_SHARE:.0%} of equally frequent words are "
            f"more similar to the rest of the set: {quote_first(strangers)}."
        )
        share = len(strangers) / len(fit.at)
        yield make_finding("strangers", [seed_set.id], share, sentence, strangers)


def _find_other_senses(
    seed_set: SeedSet, space: Space, neighbourhood: Neighbourhood, fit: Fit
) -> Iterator[Finding]:
    unrelated = fit.at[count_related_neighbours(space, neighbourhood, fit) == 0].tolist()
    if unrelated:
        neighbours = {
            at: [space.word(int(near)) for near in neighbourhood.positions[neighbourhood.row[at]]]
            for at in unrelated
        }
        listed = join_first(
            (
                f"{quote_safe(space.word(at))} is near {quote_first(near[:NAMED_NEIGHBOURS])}"
                for at, near in neighbours.items()
            ),
            NAMED_WORDS,
            separator="; ",
        )
        sentence = (
            f"{len(unrelated)} of its {len(fit.at)} words may have another sense here, because "
            f"their neighbours are far from the set: {listed}."
        )
        words = [space.word(at) for at in unrelated]
        yield make_finding("senses", [seed_set.id], len(words) / len(fit.at), sentence, words)


def _generator(first: SeedSet, second: SeedSet, seed: int) -> np.random.Generator:
    """Return a generator of this pair's own, whatever other pairs are checked."""
    return np.random.default_rng([seed, zlib.crc32(f"{first.id}\n{second.id}".encode())])


def check_similarity(first: SeedSet, second: SeedSet, space: Space, seed: int) -> Iterator[Finding]:
    """Report the similarity of two sets, compared with random sets."""
    rng = _generator(first, second, seed)
    x, y = space.positions(first.words), space.positions(second.words)
    value = set_similarity(space.rows(x), space.rows(y))
    if value is None:
        return
    sentence = f"The cosine of their means is {value:.3f}."
    if not space.why_not_comparable:
        share = float(np.mean(random_similarities(space, x, y, RANDOM_SETS, rng) < value))
        sentence += (
            f" Of {RANDOM_SETS:,} pairs of random sets of the same size and frequency, "
            f"{_format_share(share)} are less similar."
        )
    yield make_finding("similarity", [first.id, second.id], value, sentence)


def random_similarities(
    space: Space, x: Positions, y: Positions, count: int, rng: np.random.Generator
) -> Floats:
    """Return the similarities of random pairs of sets of the same sizes and frequencies."""
    similarities = np.empty(count)
    step = max(1, MAX_CELLS // (max(len(x), len(y)) * space.vectors.dim))
    for start in range(0, count, step):
        size = min(step, count - start)
        mean_x, mean_y = (_mean_rows(space, space.draw_sets(at, size, rng)) for at in (x, y))
        lengths = np.linalg.norm(mean_x, axis=1) * np.linalg.norm(mean_y, axis=1)
        dots = np.einsum("ij,ij->i", mean_x, mean_y)
        similarities[start : start + size] = dots / np.maximum(lengths, EPSILON)
    return similarities


def _mean_rows(space: Space, sets: Positions) -> Floats:
    """Return the mean unit row of each set."""
    rows = space.rows(sets.reshape(-1))
    means: Floats = rows.reshape(*sets.shape, -1).mean(axis=1)
    return means


def check_order(first: SeedSet, second: SeedSet, space: Space, seed: int) -> Iterator[Finding]:
    """Report whether the documented pairs explain more variance than shuffled ones."""
    rng = _generator(first, second, seed)
    pair = seed_pair(first, second)
    found = [(space.at[x], space.at[y]) for x, y in pair.pairs if x in space.at and y in space.at]
    if pair.match == "position" or len(found) < MIN_PAIRS:
        return
    x, y = (space.rows(np.array(side, dtype=np.intp)) for side in zip(*found, strict=True))
    ordered = float(first_component_share(x, y))
    shuffled = shuffled_shares(x, y, SHUFFLES, rng)
    share = float(np.mean(shuffled >= ordered - 1e-12))
    sentence = (
        f"In the documented order the first component of the {count_noun(len(found), 'pair')} "
        f"explains {ordered:.0%} of their variance; {_format_share(share)} of {SHUFFLES} shuffles "
        f"(mean {shuffled.mean():.0%}) explain as much."
    )
    yield make_finding("order", [first.id, second.id], share, sentence)


def shuffled_shares(x: Floats, y: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Return the first component's share of variance when the second words are shuffled."""
    shares = np.empty(count)
    step = max(1, MAX_CELLS // y.size)
    for start in range(0, count, step):
        size = min(step, count - start)
        orders = rng.permuted(np.tile(np.arange(len(y)), (size, 1)), axis=1)
        shares[start : start + size] = first_component_share(x[None], y[orders])
    return shares


def first_component_share(x: Floats, y: Floats) -> Floats:
    """Return the first share of `explained_variance`, much faster.

    For shape (..., pairs, dimensions), one number for each list of pairs. The variances are the
    eigenvalues of the smaller of the two products of the differences with themselves.
    """
    differences = x - y
    transposed = np.swapaxes(differences, -1, -2)
    is_wide = differences.shape[-2] <= differences.shape[-1]
    products = differences @ transposed if is_wide else transposed @ differences
    total = np.trace(products, axis1=-2, axis2=-1)
    largest = np.linalg.eigvalsh(products)[..., -1]
    shares: Floats = np.divide(largest, total, out=np.zeros_like(total), where=total > EPSILON)
    return shares


def _format_share(share: float) -> str:
    """Return a share as a percentage that is 0 % or 100 % only if it is exact.

    >>> _format_share(0.9996), _format_share(1.0), _format_share(0.25)
    ('99.9%', '100%', '25%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    return f"{min(max(share, 0.001), 0.999):.1%}".replace(".0%", "%")
