"""The placebo: random words in place of names, with groups that mean nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from weatherglass.catalog import Test, is_slur, test
from weatherglass.errors import UsageError

Floats = NDArray[np.float64]

SPLITS = 9_999
_TESTS = ("weat1", "weat2")  # flowers and insects, instruments and weapons


def placebo_words(count: int, seed: int) -> list[str]:
    """Return random words that are no names, with a capital like names.

    They are drawn from the catalogue's tests of things: flowers, insects, instruments, weapons.

    >>> len(set(placebo_words(36, 0)))
    36
    """
    words = _things()
    if count > len(words):
        raise UsageError(
            f"A placebo for {count} names needs as many words, but there are only {len(words)}; "
            "leave the placebo out."
        )
    rng = np.random.default_rng([seed, 7])
    return [words[k].capitalize() for k in rng.choice(len(words), count, replace=False)]


def _things() -> list[str]:
    words: set[str] = set()
    for id in _TESTS:
        entry = test(id)
        assert isinstance(entry, Test)
        for targets in (entry.x, entry.y):
            words.update(word.lower() for word in targets.words if not is_slur(word))
    return sorted(words)


def share_as_large(scores: Floats, sizes: Sequence[int], difference: float, seed: int) -> float:
    """Return the share of random splits of placebo words with a difference as large.

    Parameters
    ----------
    scores
        The mean centred score of every placebo word.
    sizes
        The sizes of both groups.
    difference
        The difference of the group means of the names.
    seed
        Random seed.
    """
    first, second = sizes
    weights = np.zeros(len(scores))
    weights[:first], weights[first : first + second] = 1 / first, -1 / second
    rng = np.random.default_rng([seed, 11])
    differences = rng.permuted(np.tile(scores, (SPLITS, 1)), axis=1) @ weights
    return (1 + int((np.abs(differences) >= abs(difference)).sum())) / (SPLITS + 1)
