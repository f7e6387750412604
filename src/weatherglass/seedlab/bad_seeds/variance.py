"""Figure 3: how much of the variance of seed pairs one direction explains, and by chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import Generator

from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe
from weatherglass.vectors import Case

from ..models import Floats, Lookup, Models, Positions, Spread, frequent
from ..pairs import Match, SeedPair
from ..result import Experiment
from .subspaces import explained_variance

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
        some = join_first(map(quote_safe, missing))
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


@dataclass(frozen=True)
class Explained:
    """The share of the variance along each of the first ten components, in one arrangement."""

    arrangement: Arrangement
    components: tuple[Spread, ...]


@dataclass(frozen=True, kw_only=True)
class PairVariance(Experiment):
    """The components of the pairs of two seed sets, as documented, shuffled, and of random words.

    Attributes
    ----------
    x, y, match
        As in `SeedPair`.
    pairs, missing
        The pairs that were used, and the words that the source does not have.
    arrangements
        ``ordered``: over the samples of the corpus. ``shuffled`` and ``random``: over all draws on
        all samples.
    less
        The share of the shuffled pairs whose first component explains less than that of the ordered
        ones.
    """

    measure: ClassVar[str] = "seed-variance"

    x: str
    y: str
    match: Match
    pairs: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]
    arrangements: tuple[Explained, ...]
    less: float

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.x} / {self.y}"

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row for each arrangement and component."""
        return [
            {
                "source": self.source["name"],
                "x": self.x,
                "y": self.y,
                "pairs": len(self.pairs),
                "arrangement": one.arrangement,
                "component": at,
                "explained": value.mean,
                "sd": value.sd,
                "low": value.low,
                "high": value.high,
            }
            for one in self.arrangements
            for at, value in enumerate(one.components, 1)
        ]


def pair_variance(
    models: Any,
    pair: SeedPair,
    *,
    draws: int = 100,
    words: int | None = 20_000,
    case: Case = "auto",
    rng: int = 0,
) -> PairVariance:
    """Compare the pairs of two seed sets with the same words in other pairs, and with random words.

    Parameters
    ----------
    models
        Vectors; or several, of samples of one corpus: what `weatherglass.corpus.open_models` gives.
    pair
        What `seed_pair` gives.
    draws
        How many times partners are shuffled, and words drawn.
    words
        Draw from so many of the most frequent words; None for all.
    case
        ``auto`` falls back to lower case where the vocabulary has no capitals; ``keep``; ``lower``.
    rng
        Seed for shuffling and drawing.

    Raises
    ------
    CannotMeasure
        No pair is complete.

    References
    ----------
    .. [1] M. Antoniak, D. Mimno (2021). Bad Seeds: evaluating lexical methods for bias
       measurement. ACL. Section 8 and figure 3.

    Examples
    --------
    >>> import weatherglass as wg
    >>> gender = wg.seed_pair("male_2-Caliskan_et_al_2017", "female_2-Caliskan_et_al_2017")
    >>> found = wg.pair_variance(wg.open_vectors("default"), gender)
    >>> [(one.arrangement, round(one.components[0].mean, 2)) for one in found.arrangements]
    [('ordered', 0.69), ('shuffled', 0.45), ('random', 0.23)]
    >>> found.less
    1.0
    """
    if draws < 1:
        raise UsageError(f"draws is {draws}; it must be at least 1.")
    made = Models.of(models)
    arranged = arrange(made, pair, draws, words, case, np.random.default_rng(rng))
    shares: dict[Arrangement, list[Floats]] = {which: [] for which in ARRANGEMENTS}
    for k, vectors in enumerate(made.each):
        rows = vectors.unit_at(arranged.found.at[k])
        for which in ARRANGEMENTS:
            x, y = rows[arranged.x[which]], rows[arranged.y[which]]
            shares[which].append(explained_variance(x, y))
    less = [
        np.mean(shuffled[:, 0] < ordered[0, 0] - 1e-12)
        for ordered, shuffled in zip(shares["ordered"], shares["shuffled"], strict=True)
    ]
    return PairVariance(
        x=pair.x,
        y=pair.y,
        match=pair.match,
        pairs=arranged.pairs("ordered"),
        missing=arranged.missing,
        arrangements=tuple(
            Explained(which, tuple(map(Spread.of, np.concatenate(values).T)))
            for which, values in shares.items()
        ),
        less=float(np.mean(less)),
        source=made.about(),
        options={"draws": draws, "words": words, "case": case, "rng": rng},
    )
