"""Figure 3: how much of the variance of seed pairs one direction explains, and by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from weatherglass.errors import UsageError
from weatherglass.vectors.spelling import Case

from .arrangements import ARRANGEMENTS, Arrangement, arrange
from .components import explained_variance
from .models import Floats, Models
from .pairs import Match, SeedPair
from .record import Experiment
from .spread import Spread


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
