"""Words of a vocabulary that a mistyped word may stand for."""

from __future__ import annotations

import string
from collections.abc import Iterator

from weatherglass.vectors import Vectors

MAX_SUGGESTIONS = 2
_MIN_LENGTH = 4  # shorter words are one letter away from too many others
_MAX_LENGTH = 30


def suggest_words(vectors: Vectors, word: str, limit: int = MAX_SUGGESTIONS) -> list[str]:
    """Return the words one slip away from a word: a letter too many, too few, wrong, or exchanged.

    Words that are shorter come last, and otherwise the most frequent ones first.

    Examples
    --------
    >>> import weatherglass as wg
    >>> suggest_words(wg.open_vectors("default"), "enginer")
    ['engineer', 'engines']
    """
    lowered = word.lower()
    if not _MIN_LENGTH <= len(word) <= _MAX_LENGTH:
        return []
    candidates = list(dict.fromkeys(_one_slip_away(lowered)))
    if vectors.cased:
        candidates += [word.lower(), word.capitalize(), *(c.capitalize() for c in candidates)]
    positions = vectors.words.find(candidates).tolist()
    # A letter is more often forgotten than typed too much.
    known = sorted(
        (len(candidate) < len(word), position, candidate)
        for position, candidate in zip(positions, candidates, strict=True)
        if position >= 0
    )
    return [candidate for *_, candidate in known[:limit]]


def _one_slip_away(word: str) -> Iterator[str]:
    letters = string.ascii_lowercase
    for k in range(len(word) + 1):
        before, after = word[:k], word[k:]
        if after:
            yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        for letter in letters:
            if after and letter != after[0]:
                yield before + letter + after[1:]
            yield before + letter + after
