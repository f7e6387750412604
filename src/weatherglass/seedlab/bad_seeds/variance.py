"""Figure 3: variance of seed pairs along their principal components, against chance (section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import Generator

from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe
from weatherglass.vectors import Case

from ..models import Floats, Lookup, Models, Positions, Spread, positions_by_rank
from ..pairs import Match, SeedPair
from ..result import Experiment
from .subspaces import TIE_TOLERANCE, explained_variance

Arrangement = Literal["ordered", "shuffled", "random"]
ARRANGEMENTS: tuple[Arrangement, ...] = ("ordered", "shuffled", "random")
MIN_POOL = 4000  # random words to draw from; more would only take longer to look up


@dataclass(frozen=True, eq=False)
class Arranged:
    """Pairs of words as documented, with shuffled partners, and of random words.

    Attributes
    ----------
    lookup
        The words.
    x, y
        For each arrangement, rows of `lookup` as an array of draws × pairs.
    missing
        The words of the pairs that were not found.
    """

    lookup: Lookup
    x: dict[Arrangement, Positions]
    y: dict[Arrangement, Positions]
    missing: tuple[str, ...]

    def pairs(self, arrangement: Arrangement, draw: int = 0) -> tuple[tuple[str, str], ...]:
        """Return the words of the pairs in one draw."""
        x_rows, y_rows = self.x[arrangement][draw].tolist(), self.y[arrangement][draw].tolist()
        words = self.lookup.words
        return tuple((words[x], words[y]) for x, y in zip(x_rows, y_rows, strict=True))


def arrange(
    models: Models, pair: SeedPair, draws: int, words: int | None, case: Case, rng: Generator
) -> Arranged:
    """Look up the pairs of two seed sets, and rearrange them at random.

    ``ordered`` are the documented pairs of which both words were found. ``shuffled`` are the same
    words with partners drawn at random. ``random`` are as many pairs of words drawn from the
    `words` most frequent ones.

    Raises
    ------
    CannotMeasure
        No pair is complete, or there are too few words to draw from.
    """
    seed_words = [word for both in pair.pairs for word in both]
    pool = _draw_pool(models, words, 2 * len(pair.pairs), rng)
    lookup = Lookup.of(models, [*seed_words, *pool], case)
    rows = dict.fromkeys(
        (lookup.row[x], lookup.row[y])
        for x, y in pair.pairs
        if x in lookup.row and y in lookup.row and lookup.row[x] != lookup.row[y]
    )
    missing = lookup.missing(seed_words)
    if not rows:
        listed = join_first(map(quote_safe, missing))
        raise CannotMeasure(
            f"No pair of {pair.name} has two different words in {models.name}"
            + (f" (missing: {listed})." if listed else ".")
        )
    ordered = np.array(list(rows), dtype=np.intp).T
    pool_rows = np.array(lookup.rows(pool), dtype=np.intp)
    count = len(rows)
    if len(pool_rows) < 2 * count:
        raise CannotMeasure(
            f"{models.name} has {len(pool_rows)} words to draw {count} random pairs from; at least "
            f"{2 * count} are needed."
        )
    shuffled = np.array([rng.permutation(ordered[1]) for _ in range(draws)])
    drawn = np.array([rng.choice(pool_rows, 2 * count, replace=False) for _ in range(draws)])
    return Arranged(
        lookup,
        {
            "ordered": ordered[:1],
            "shuffled": np.repeat(ordered[:1], draws, axis=0),
            "random": drawn[:, :count],
        },
        {"ordered": ordered[1:], "shuffled": shuffled, "random": drawn[:, count:]},
        missing,
    )


def _draw_pool(models: Models, words: int | None, needed: int, rng: Generator) -> Sequence[str]:
    """Draw words of the vocabulary, twice as many as needed, because samples may lack some."""
    positions = positions_by_rank(models.whole, 1, words)
    drawn = rng.permutation(positions)[: max(MIN_POOL, 2 * needed)]
    return [models.whole.words[int(position)] for position in drawn]


@dataclass(frozen=True)
class Explained:
    """The variance share of each of the first ten components, in one arrangement."""

    arrangement: Arrangement
    components: tuple[Spread, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class PairVariance(Experiment):
    """Variance shares of the pairs of two seed sets: documented, shuffled, and random words.

    Attributes
    ----------
    x, y, match
        As in `SeedPair`.
    pairs, missing
        The pairs used, and the words that the source does not have.
    arrangements
        ``ordered``: over the samples of the corpus. ``shuffled`` and ``random``: over all draws on
        all samples.
    less
        The share of shuffles whose first component explains less than that of the ordered pairs.
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

    def key_facts(self) -> dict[str, Any]:
        return {"source": self.source_name, "x": self.x, "y": self.y, "pairs": len(self.pairs)}

    def sentence(self) -> str:
        return (
            f"The first component of the pairs of {self.name} explains more than that of "
            f"{self.less:.0%} of the shuffled pairs."
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each arrangement and component."""
        return [
            {
                "source": self.source["name"],
                "x": self.x,
                "y": self.y,
                "pairs": len(self.pairs),
                "arrangement": explained.arrangement,
                "component": component,
                "explained": value.mean,
                "sd": value.sd,
                "low": value.low,
                "high": value.high,
            }
            for explained in self.arrangements
            for component, value in enumerate(explained.components, 1)
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
    """Compare the variance shares of seed pairs with those of shuffled pairs and of random words.

    Parameters
    ----------
    models
        Vectors; or the models of bootstrap samples of a corpus, from
        `weatherglass.corpus.open_models`.
    pair
        From `seed_pair`.
    draws
        The number of shuffles, and of draws of random words.
    words
        Draw from this many of the most frequent words; None for all.
    case
        ``auto`` falls back to lower case where the vocabulary has no capitals; ``keep``; ``lower``.
    rng
        Random seed.

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
    >>> variance = wg.pair_variance(wg.open_vectors("default"), gender)
    >>> for explained in variance.arrangements:
    ...     print(explained.arrangement, round(explained.components[0].mean, 2))
    ordered 0.69
    shuffled 0.45
    random 0.23
    >>> variance.less
    1.0
    """
    if draws < 1:
        raise UsageError(f"draws is {draws}; it must be at least 1.")
    embeddings = Models.of(models)
    arranged = arrange(embeddings, pair, draws, words, case, np.random.default_rng(rng))
    shares: dict[Arrangement, list[Floats]] = {arrangement: [] for arrangement in ARRANGEMENTS}
    for k, vectors in enumerate(embeddings.each):
        rows = vectors.unit_at(arranged.lookup.at[k])
        for arrangement in ARRANGEMENTS:
            x, y = rows[arranged.x[arrangement]], rows[arranged.y[arrangement]]
            shares[arrangement].append(explained_variance(x, y))
    less = [
        np.mean(shuffled[:, 0] < ordered[0, 0] - TIE_TOLERANCE)
        for ordered, shuffled in zip(shares["ordered"], shares["shuffled"], strict=True)
    ]
    return PairVariance(
        x=pair.x,
        y=pair.y,
        match=pair.match,
        pairs=arranged.pairs("ordered"),
        missing=arranged.missing,
        arrangements=tuple(
            Explained(arrangement, tuple(map(Spread.of, np.concatenate(values).T)))
            for arrangement, values in shares.items()
        ),
        less=float(np.mean(less)),
        source=embeddings.about(),
        options={"draws": draws, "words": words, "case": case, "rng": rng},
    )
