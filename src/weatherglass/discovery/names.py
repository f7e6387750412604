"""The names: found in a vocabulary, cleaned (appendix C.3), or drawn from the embedding itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from weatherglass.catalog import NameList
from weatherglass.errors import CannotMeasure
from weatherglass.vectors import Vectors, by_frequency

Positions = NDArray[np.intp]
Alphabet = Literal["english", "any"]
_ENGLISH = re.compile(r"[a-z]+(?:[ _][a-z]+)*")
_STEP = 1 << 14


def usable(vectors: Vectors, positions: Positions) -> NDArray[np.bool_]:
    """Whether each row has a direction."""
    return ~np.isin(positions, vectors.unusable)


def frequent_words(
    vectors: Vectors,
    most: int,
    names: Positions,
    alphabet: Alphabet = "english",
    also: Vectors | None = None,
) -> Positions:
    """The most frequent lower-case words and phrases (appendix C.4).

    Tokens of lower-case letters, and spaces or underscores between them. In a vocabulary with
    capitals a token is left out if the same token with a capital is more frequent ("john"), in
    one without capitals if it is a name of the list. With `also`, only words that it has as well.
    """
    order = by_frequency(vectors)
    rank = np.empty(len(vectors) + 1, np.intp)
    rank[order] = np.arange(len(vectors))
    rank[-1] = len(vectors)  # of a token that is not there
    kept: list[Positions] = []
    found = 0
    for start in range(0, len(order), _STEP):
        if found >= most:
            break
        here = order[start : start + _STEP]
        here = here[usable(vectors, here) & ~np.isin(here, names)]
        tokens = vectors.words.at(here)
        good = np.array([is_word(token, alphabet) for token in tokens], bool)
        if vectors.cased or alphabet == "any":  # `cased` looks at the letters A to Z alone
            for raised in (str.capitalize, every_capital, str.upper):
                other = vectors.words.find([raised(token) for token in tokens])
                good &= (other == here) | (rank[other] > rank[here])
        if also is not None:
            other = also.words.find(tokens)
            good &= (other >= 0) & usable(also, other)
        kept.append(here[good])
        found += int(good.sum())
    return np.concatenate([*kept, np.empty(0, np.intp)])[:most]


def is_word(token: str, alphabet: Alphabet) -> bool:
    """Whether a token is made of lower-case letters only, in one or several parts."""
    if alphabet == "english":
        return _ENGLISH.fullmatch(token) is not None
    parts = token.replace("_", " ").split(" ")
    return token == token.lower() and all(part.isalpha() for part in parts)


def every_capital(token: str) -> str:
    """A token with a capital at the start of each part.

    >>> every_capital("jean-luc"), every_capital("mary_ann")
    ('Jean-Luc', 'Mary_Ann')
    """
    return re.sub(r"(^|[ _-])(\w)", lambda at: at[1] + at[2].upper(), token)


NON_NAMES = 50_000
"""The most frequent words, from which the words that are not names are drawn."""

_CLEANING = (0, 1)  # a stream of its own beside those of the rotations

READ = 100_000
"""The most frequent words, among which `extract` looks for names."""

NEIGHBOURS = 10
"""Nearest words that `extract` asks; at least half of them must be names of the list."""


@dataclass(frozen=True, eq=False)
class Names:
    """Names by their position in a vocabulary.

    `facts` has, for each column of the list, a value a name, NaN where it is not known; `missing`
    has the names that the vocabulary does not have or has no usable row for, `dropped` those that
    cleaning took away.
    """

    positions: Positions
    facts: dict[str, NDArray[np.float64]]
    missing: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    def keep(self, kept: NDArray[np.bool_], dropped: Sequence[str] = ()) -> Names:
        """Only the names for which `kept` is true."""
        facts = {column: values[kept] for column, values in self.facts.items()}
        return Names(self.positions[kept], facts, self.missing, tuple(dropped))


def find(vectors: Vectors, names: NameList) -> Names:
    """Look a list of names up."""
    found = locate(vectors, names.names, names.spellings)
    there = found >= 0
    facts = {
        column: np.array([np.nan if v is None else v for v in values], np.float64)[there]
        for column, values in names.facts.items()
        if names.units.get(column) != "people"  # how many bear a name says nothing of a group
    }
    missing = tuple(name for name, here in zip(names.names, there, strict=True) if not here)
    return Names(found[there], facts, missing)


def locate(
    vectors: Vectors, names: Sequence[str], others: Mapping[str, Sequence[str]] | None = None
) -> Positions:
    """The position of each name in the first of its spellings that the vocabulary has; -1 where it
    has none, where its row has no direction, and where an earlier name is the same token."""
    bare = all(map(str.islower, names)) or all(map(str.isupper, names))
    others = others or {}
    ways = [
        [
            way
            for one in (name, *others.get(name, ()))
            for way in _spellings(one, vectors.cased, bare)
        ]
        for name in names
    ]
    found = np.full(len(ways), -1, np.intp)
    for k in range(max(map(len, ways), default=0)):
        left = [i for i, way in enumerate(ways) if found[i] < 0 and k < len(way)]
        found[left] = vectors.words.find([ways[i][k] for i in left])
    _, first = np.unique(found, return_index=True)
    again = np.ones(len(found), bool)
    again[first] = False
    found[again | ~usable(vectors, found)] = -1
    return found


def place(vectors: Vectors, names: Sequence[str]) -> Positions:
    """The position of each name as it is written, or else in another spelling; -1 where none is."""
    found = vectors.words.find(names)
    found[~usable(vectors, found)] = -1
    left = np.flatnonzero(found < 0)
    other = locate(vectors, [names[int(i)] for i in left])
    other[np.isin(other, found)] = -1
    found[left] = other
    return np.asarray(found)


def _spellings(name: str, cased: bool, bare: bool) -> list[str]:
    """How a vocabulary may write a name, the likeliest first.

    In lower case only where the vocabulary has no capitals: elsewhere that is another word. A
    `bare` list, in which no name has both capitals and small letters, is read as if it had them.
    """
    name = name.replace("_", " ")
    capital = every_capital(name.lower() if bare else name)
    if not cased:
        ways = [name, name.lower()]
    else:
        ways = [capital, name] if bare else [name]
        ways += [capital.upper()]
    return list(dict.fromkeys(way.replace(" ", gap) for way in ways for gap in (" ", "_", "-")))


def clean(vectors: Vectors, names: Names, known: Positions, share: float, rng: int) -> Names:
    """Keep the given share of names, those that the embedding uses most clearly as names.

    A linear support vector machine learns to tell the names from as many words drawn from the
    50,000 most frequent, which are not among the `known` names; the names with the smallest margin
    are dropped (appendix C.3).
    """
    if share >= 1 or len(names.positions) < 2:
        return names
    margin = _judge(vectors, names.positions, known, rng)(names.positions)
    drop = len(margin) - max(1, round(share * len(margin)))
    kept = np.ones(len(margin), bool)
    kept[np.argsort(margin, kind="stable")[:drop]] = False
    gone = vectors.words.at(names.positions[~kept])
    return names.keep(kept, gone)


def extract(vectors: Vectors, known: Names, share: float, rng: int, rank: int | None) -> Names:
    """Names from the embedding itself (the paper's first footnote).

    Of the most frequent tokens of letters, 100,000 or `rank` of them, those count as names that
    the same machine, taught with the names of a list, finds as clearly names as the given share of
    the list, and whose nearest neighbours are mostly names of the list: a plane alone cannot tell
    "daughter" from a name. In a vocabulary with capitals only tokens with a capital are looked at.
    """
    judge = _judge(vectors, known.positions, known.positions, rng)
    least = float(np.quantile(judge(known.positions), 1 - share))
    frequent = by_frequency(vectors)[: rank or READ]
    looks = [_like_a_name(token, vectors.cased) for token in vectors.words.at(frequent)]
    found = frequent[np.array(looks, bool) & usable(vectors, frequent)]
    found = found[judge(found) >= least] if len(found) else found
    found = found[_among_names(vectors, found, known.positions)] if len(found) else found
    facts = {}
    for column, values in known.facts.items():
        facts[column] = np.full(len(found), np.nan)
        _, here, there = np.intersect1d(found, known.positions, return_indices=True)
        facts[column][here] = values[there]
    return Names(found, facts)


def _like_a_name(token: str, cased: bool) -> bool:
    return token.isalpha() and len(token) > 1 and (not cased or token == token.capitalize())


def _among_names(vectors: Vectors, asked: Positions, known: Positions) -> NDArray[np.bool_]:
    """Whether at least half of the nearest neighbours of each token are known names."""
    from sklearn.neighbors import NearestNeighbors

    frequent = by_frequency(vectors)[:NON_NAMES]
    every = np.union1d(frequent[usable(vectors, frequent)], known)
    count = min(NEIGHBOURS + 1, len(every))
    rows = vectors.single_unit_at(every)
    search = NearestNeighbors(n_neighbors=count, algorithm="brute").fit(rows)
    near = search.kneighbors(vectors.single_unit_at(asked), return_distance=False)
    others = every[near] != asked[:, None]
    others[others.all(axis=1), -1] = False  # one neighbour too many: the token itself is not there
    names = np.isin(every, known)[near] & others
    return np.asarray(2 * names.sum(axis=1) >= others.sum(axis=1))


def _judge(
    vectors: Vectors, names: Positions, known: Positions, rng: int
) -> Callable[[Positions], NDArray[np.float64]]:
    """A function that says how clearly tokens are names: the margin of the machine."""
    from sklearn.svm import LinearSVC
    from threadpoolctl import threadpool_limits

    frequent = by_frequency(vectors)[:NON_NAMES]
    others = frequent[usable(vectors, frequent) & ~np.isin(frequent, known)]
    if not len(others):
        raise CannotMeasure(
            f"Every usable word of {vectors.source} is a name, so that names cannot be told from "
            "other words. Give --keep-names 1 to keep all of them."
        )
    stream = np.random.default_rng(np.random.SeedSequence(rng, spawn_key=_CLEANING))
    drawn = stream.choice(others, min(len(names), len(others)), replace=False)
    rows = vectors.unit_at(np.concatenate([names, drawn]))
    with threadpool_limits(1):
        machine = LinearSVC(dual=False).fit(rows, np.arange(len(rows)) < len(names))
    return lambda positions: np.asarray(machine.decision_function(vectors.unit_at(positions)))
