"""Which tokens of a vocabulary are words for categories, and how frequent they are."""

from __future__ import annotations

import re
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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
