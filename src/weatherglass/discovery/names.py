"""Names: look them up in a vocabulary, clean them (appendix C.3), or extract them from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from weatherglass.catalog import NameList
from weatherglass.errors import CannotMeasure
from weatherglass.vectors import Vectors, order_by_frequency

Positions = NDArray[np.intp]
Alphabet = Literal["english", "any"]
_ENGLISH = re.compile(r"[a-z]+(?:[ _][a-z]+)*")
_CHUNK = 1 << 14


def is_usable(vectors: Vectors, positions: Positions) -> NDArray[np.bool_]:
    """Return whether each row has a direction (is finite and not zero)."""
    return ~np.isin(positions, vectors.unusable)


def frequent_words(
    vectors: Vectors,
    limit: int,
    names: Positions,
    alphabet: Alphabet = "english",
    also: Vectors | None = None,
) -> Positions:
    """Return the positions of the most frequent lower-case words and phrases (appendix C.4).

    A word consists of lower-case letters; a phrase has spaces or underscores between words. In a
    cased vocabulary a token is excluded if its capitalised form is more frequent ("john"); in any
    vocabulary, if it is one of the names. With `also`, only words that both embeddings have.
    """
    order = order_by_frequency(vectors)
    rank = np.empty(len(vectors) + 1, np.intp)
    rank[order] = np.arange(len(vectors))
    rank[-1] = len(vectors)  # the rank of an out-of-vocabulary token
    chosen: list[Positions] = []
    count = 0
    for start in range(0, len(order), _CHUNK):
        if count >= limit:
            break
        chunk = order[start : start + _CHUNK]
        chunk = chunk[is_usable(vectors, chunk) & ~np.isin(chunk, names)]
        tokens = vectors.words.at(chunk)
        is_kept = np.array([is_word(token, alphabet) for token in tokens], bool)
        if vectors.cased or alphabet == "any":  # `cased` only considers the letters A to Z
            for capitalise in (str.capitalize, capitalise_parts, str.upper):
                other = vectors.words.find([capitalise(token) for token in tokens])
                is_kept &= (other == chunk) | (rank[other] > rank[chunk])
        if also is not None:
            other = also.words.find(tokens)
            is_kept &= (other >= 0) & is_usable(also, other)
        chosen.append(chunk[is_kept])
        count += int(is_kept.sum())
    return np.concatenate([*chosen, np.empty(0, np.intp)])[:limit]


def is_word(token: str, alphabet: Alphabet) -> bool:
    """Return whether a token consists of lower-case letters, in one or several parts."""
    if alphabet == "english":
        return _ENGLISH.fullmatch(token) is not None
    parts = token.replace("_", " ").split(" ")
    return token == token.lower() and all(part.isalpha() for part in parts)


def capitalise_parts(token: str) -> str:
    """Capitalise each part of a token.

    >>> capitalise_parts("jean-luc"), capitalise_parts("mary_ann")
    ('Jean-Luc', 'Mary_Ann')
    """
    return re.sub(r"(^|[ _-])(\w)", lambda at: at[1] + at[2].upper(), token)


NON_NAME_RANK = 50_000
"""Words that are not names are drawn from this many most frequent words."""

EXTRACT_RANK = 100_000
"""`extract` looks for names among this many most frequent words."""

NEIGHBOURS = 10
"""`extract` requires at least half of this many nearest neighbours to be names of the list."""

_CLEANING_STREAM = (0, 1)  # a random stream apart from those of the rotations


@dataclass(frozen=True, eq=False)
class Names:
    """Names by their position in a vocabulary.

    Attributes
    ----------
    positions
        Rows of the embedding.
    facts
        For each column of the list, one value per name; NaN where it is not known.
    missing
        Names without a usable row in the vocabulary.
    dropped
        Names removed by cleaning.
    groups
        The group of each name, where the list states it; empty for a name without one.
    people
        How many people have each name, where the list states it; NaN where it is not known.
    """

    positions: Positions
    facts: dict[str, NDArray[np.float64]]
    missing: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    groups: tuple[str, ...] | None = None
    people: NDArray[np.float64] | None = None

    def keep(self, mask: NDArray[np.bool_], dropped: Sequence[str] = ()) -> Names:
        """Return only the names for which `mask` is true."""
        facts = {column: values[mask] for column, values in self.facts.items()}
        groups = self.groups and tuple(np.array(self.groups)[mask].tolist())
        people = None if self.people is None else self.people[mask]
        return Names(self.positions[mask], facts, self.missing, tuple(dropped), groups, people)


def find(
    vectors: Vectors, names: NameList, column: str | None = None, people: str | None = None
) -> Names:
    """Look up a list of names in a vocabulary.

    `column` states their groups, and `people` is the column of the number of people with a name.
    """
    positions = locate(vectors, names.names, names.spellings)
    is_present = positions >= 0
    numbers = {
        column: np.array([np.nan if v is None else v for v in values], np.float64)[is_present]
        for column, values in names.facts.items()
    }
    facts = {
        column: values
        for column, values in numbers.items()
        # The number of bearers of a name does not describe a group.
        if names.units.get(column) != "people" and column != people
    }
    missing = tuple(
        name for name, present in zip(names.names, is_present, strict=True) if not present
    )
    groups = None
    if column is not None:
        values = zip(names.texts[column], is_present, strict=True)
        groups = tuple(value for value, present in values if present)
    return Names(positions[is_present], facts, missing, (), groups, numbers.get(people or ""))


def locate(
    vectors: Vectors, names: Sequence[str], others: Mapping[str, Sequence[str]] | None = None
) -> Positions:
    """Return the position of each name in the first of its spellings that the vocabulary has.

    The position is -1 where no spelling is in the vocabulary, where the row has no direction, and
    where an earlier name is the same token. `others` has further spellings of a name.
    """
    is_single_case = all(map(str.islower, names)) or all(map(str.isupper, names))
    others = others or {}
    spellings = [
        [
            spelling
            for variant in (name, *others.get(name, ()))
            for spelling in _spellings(variant, vectors.cased, is_single_case)
        ]
        for name in names
    ]
    positions = np.full(len(spellings), -1, np.intp)
    for k in range(max(map(len, spellings), default=0)):
        left = [i for i, tries in enumerate(spellings) if positions[i] < 0 and k < len(tries)]
        positions[left] = vectors.words.find([spellings[i][k] for i in left])
    _, first = np.unique(positions, return_index=True)
    is_repeated = np.ones(len(positions), bool)
    is_repeated[first] = False
    positions[is_repeated | ~is_usable(vectors, positions)] = -1
    return positions


def place(vectors: Vectors, names: Sequence[str]) -> Positions:
    """Return the position of each name as written, or else in another spelling; -1 if missing."""
    positions = vectors.words.find(names)
    positions[~is_usable(vectors, positions)] = -1
    left = np.flatnonzero(positions < 0)
    respelled = locate(vectors, [names[int(i)] for i in left])
    respelled[np.isin(respelled, positions)] = -1
    positions[left] = respelled
    return np.asarray(positions)


def _spellings(name: str, cased: bool, is_single_case: bool) -> list[str]:
    """List how a vocabulary may spell a name, the likeliest first.

    Lower case is tried only in an uncased vocabulary: in a cased one it is another word. Names of
    a list in a single case are capitalised first.
    """
    name = name.replace("_", " ")
    capitalised = capitalise_parts(name.lower() if is_single_case else name)
    if not cased:
        forms = [name, name.lower()]
    else:
        forms = [capitalised, name] if is_single_case else [name]
        forms += [capitalised.upper()]
    return list(dict.fromkeys(form.replace(" ", gap) for form in forms for gap in (" ", "_", "-")))


def clean(vectors: Vectors, names: Names, known: Positions, share: float, rng: int) -> Names:
    """Keep the given share of the names: those that the embedding uses most clearly as names.

    A linear support vector machine is trained to separate the names from as many words drawn from
    the 50,000 most frequent ones that are not `known` names; the names with the smallest margin are
    dropped (appendix C.3).
    """
    if share >= 1 or len(names.positions) < 2:
        return names
    margin = train_margin(vectors, names.positions, known, rng)(names.positions)
    drop = len(margin) - max(1, round(share * len(margin)))
    mask = np.ones(len(margin), bool)
    mask[np.argsort(margin, kind="stable")[:drop]] = False
    return names.keep(mask, vectors.words.at(names.positions[~mask]))


def extract(vectors: Vectors, known: Names, share: float, rng: int, rank: int | None) -> Names:
    """Extract names from the embedding itself (the paper's first footnote).

    The candidates are the most frequent tokens of letters, 100,000 or `rank` of them; in a cased
    vocabulary, the capitalised ones. A candidate is a name if its margin, in the classifier trained
    on the `known` names, is at least the margin that the given share of known names reaches, and if
    most of its nearest neighbours are known names. A plane alone does not separate "daughter" from
    a name.
    """
    margin = train_margin(vectors, known.positions, known.positions, rng)
    min_margin = float(np.quantile(margin(known.positions), 1 - share))
    frequent = order_by_frequency(vectors)[: rank or EXTRACT_RANK]
    is_candidate = [_looks_like_name(token, vectors.cased) for token in vectors.words.at(frequent)]
    positions = frequent[np.array(is_candidate, bool) & is_usable(vectors, frequent)]
    if len(positions):
        positions = positions[margin(positions) >= min_margin]
    if len(positions):
        positions = positions[_has_name_neighbours(vectors, positions, known.positions)]
    facts = {}
    for column, values in known.facts.items():
        facts[column] = np.full(len(positions), np.nan)
        _, new, old = np.intersect1d(positions, known.positions, return_indices=True)
        facts[column][new] = values[old]
    return Names(positions, facts)


def _looks_like_name(token: str, cased: bool) -> bool:
    return token.isalpha() and len(token) > 1 and (not cased or token == token.capitalize())


def _has_name_neighbours(
    vectors: Vectors, tokens: Positions, known: Positions
) -> NDArray[np.bool_]:
    """Return whether at least half of the nearest neighbours of each token are known names."""
    from sklearn.neighbors import NearestNeighbors

    frequent = order_by_frequency(vectors)[:NON_NAME_RANK]
    pool = np.union1d(frequent[is_usable(vectors, frequent)], known)
    count = min(NEIGHBOURS + 1, len(pool))  # one more, because a token is its own neighbour
    rows = vectors.single_unit_at(pool)
    search = NearestNeighbors(n_neighbors=count, algorithm="brute").fit(rows)
    near = search.kneighbors(vectors.single_unit_at(tokens), return_distance=False)
    is_neighbour = pool[near] != tokens[:, None]
    # A token outside the pool is not its own neighbour: drop the last of the count.
    is_neighbour[is_neighbour.all(axis=1), -1] = False
    is_name = np.isin(pool, known)[near] & is_neighbour
    return np.asarray(2 * is_name.sum(axis=1) >= is_neighbour.sum(axis=1))


def train_margin(
    vectors: Vectors, names: Positions, known: Positions, rng: int
) -> Callable[[Positions], NDArray[np.float64]]:
    """Train the classifier of names; returns a function that gives the margin of tokens."""
    from sklearn.svm import LinearSVC
    from threadpoolctl import threadpool_limits

    frequent = order_by_frequency(vectors)[:NON_NAME_RANK]
    words = frequent[is_usable(vectors, frequent) & ~np.isin(frequent, known)]
    if not len(words):
        raise CannotMeasure(
            f"Every usable word of {vectors.source} is a name, so the names cannot be cleaned. "
            "Use --keep-names 1 to keep all of them."
        )
    stream = np.random.default_rng(np.random.SeedSequence(rng, spawn_key=_CLEANING_STREAM))
    drawn = stream.choice(words, min(len(names), len(words)), replace=False)
    rows = vectors.unit_at(np.concatenate([names, drawn]))
    with threadpool_limits(1):
        classifier = LinearSVC(dual=False).fit(rows, np.arange(len(rows)) < len(names))
    return lambda positions: np.asarray(classifier.decision_function(vectors.unit_at(positions)))
