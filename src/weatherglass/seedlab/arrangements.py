"""The same pairs in other arrangements: as documented, with partners changed, of random words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator

from weatherglass.errors import CannotMeasure, few, shown
from weatherglass.vectors.spelling import Case

from .models import Lookup, Models, Positions, frequent
from .pairs import SeedPair

Arrangement = Literal["ordered", "shuffled", "random"]
ARRANGEMENTS: tuple[Arrangement, ...] = ("ordered", "shuffled", "random")
_POOL = 4000  # random words to draw from; more would only take longer to look up


@dataclass(frozen=True, eq=False)
class Arranged:
    """Pairs in several arrangements.

    Attributes
    ----------
    found
        The words.
    x, y
        For each arrangement, rows of `found`: a line for each time that chance was tried, and in it
        a row for each pair.
    missing
        The words of the pairs that are not there.
    """

    found: Lookup
    x: dict[Arrangement, Positions]
    y: dict[Arrangement, Positions]
    missing: tuple[str, ...]

    def pairs(self, which: Arrangement, draw: int = 0) -> tuple[tuple[str, str], ...]:
        """The words of the pairs."""
        both = zip(self.x[which][draw].tolist(), self.y[which][draw].tolist(), strict=True)
        return tuple((self.found.words[x], self.found.words[y]) for x, y in both)


def arrange(
    models: Models, pair: SeedPair, draws: int, words: int | None, case: Case, rng: Generator
) -> Arranged:
    """Look up the pairs of two seed sets, and rearrange them.

    ``ordered`` are the pairs of which both words are there. ``shuffled`` are the same words with
    partners drawn at random. ``random`` are as many pairs of words drawn from the `words` most
    frequent ones.

    Raises
    ------
    CannotMeasure
        No pair is complete, or there are too few words to draw from.
    """
    seeds = [word for both in pair.pairs for word in both]
    pool = _pool(models, words, 2 * len(pair.pairs), rng)
    found = Lookup.of(models, [*seeds, *pool], case)
    rows = dict.fromkeys(
        (found.row[x], found.row[y])
        for x, y in pair.pairs
        if x in found.row and y in found.row and found.row[x] != found.row[y]
    )
    missing = found.missing(seeds)
    if not rows:
        some = few(map(shown, missing))
        raise CannotMeasure(
            f"No pair of {pair.name} has two different words in {models.name}"
            + (f" (missing: {some})." if some else ".")
        )
    ordered = np.array(list(rows), dtype=np.intp).T
    others = np.array(found.rows(pool), dtype=np.intp)
    count = len(rows)
    if len(others) < 2 * count:
        raise CannotMeasure(
            f"{models.name} has {len(others)} words to draw {count} random pairs from; at least "
            f"{2 * count} are needed."
        )
    shuffled = np.array([rng.permutation(ordered[1]) for _ in range(draws)])
    drawn = np.array([rng.choice(others, 2 * count, replace=False) for _ in range(draws)])
    return Arranged(
        found,
        {
            "ordered": ordered[:1],
            "shuffled": np.repeat(ordered[:1], draws, axis=0),
            "random": drawn[:, :count],
        },
        {"ordered": ordered[1:], "shuffled": shuffled, "random": drawn[:, count:]},
        missing,
    )


def _pool(models: Models, words: int | None, least: int, rng: Generator) -> Sequence[str]:
    """Some words of the vocabulary."""
    places = frequent(models.whole, 1, words)
    some = rng.permutation(places)[: max(_POOL, 2 * least)]
    return [models.whole.words[int(place)] for place in some]
