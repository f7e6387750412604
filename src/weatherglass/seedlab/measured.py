"""What was measured of pairs of seed sets, as records."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

from weatherglass.errors import UsageError
from weatherglass.significance import PValue

from .pairs import Kind, Match
from .record import Experiment
from .spread import Spread

Subspace = Literal["weat", "pca"]


@dataclass(frozen=True)
class PairMeasures:
    """What was measured of one pair of seed sets.

    Attributes
    ----------
    x, y, kind, match
        As in `SeedPair`.
    x_words, y_words, x_missing, y_missing
        The words that were used, as the source spells them, and the words that it does not have.
    pairs
        How many pairs of words are complete.
    status, reason
        ``done``, or ``not run`` and why.
    similarity
        Set similarity, the cosine of the set means.
    explained
        The share of the variance of the pairs' half-differences along each of the first ten
        components.
    coherence_pca, coherence_weat
        Coherence along the first component, and along the difference of the set means.
    statistic, effect
        WEAT with the attributes of the result set.
    p
        The two-sided permutation p-value of that, on the whole corpus, if asked for; None where X
        and Y share a word.

    A number that cannot be had is None (`explained`: empty).
    """

    x: str
    y: str
    kind: Kind = "own"
    match: Match = "position"
    x_words: tuple[str, ...] = ()
    y_words: tuple[str, ...] = ()
    x_missing: tuple[str, ...] = ()
    y_missing: tuple[str, ...] = ()
    pairs: int = 0
    status: Literal["done", "not run"] = "done"
    reason: str = ""
    similarity: Spread | None = None
    explained: tuple[Spread, ...] = ()
    coherence_pca: Spread | None = None
    coherence_weat: Spread | None = None
    statistic: Spread | None = None
    effect: Spread | None = None
    p: PValue | None = None

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.x} / {self.y}"

    def coherence(self, by: Subspace) -> Spread | None:
        """Coherence along the one subspace or the other."""
        return self.coherence_weat if by == "weat" else self.coherence_pca


@dataclass(frozen=True, kw_only=True)
class MeasuredPairs(Experiment):
    """Pairs of seed sets, measured on one source.

    Attributes
    ----------
    pairs
        What was measured of each.
    ranked_by
        ``weat`` or ``pca`` if they are in the order of their coherence, highest first.
    """

    measure: ClassVar[str] = "seed-pairs"

    pairs: tuple[PairMeasures, ...]
    ranked_by: Subspace | None = None

    def ranked(self, by: Subspace = "weat") -> Self:
        """The same pairs in the order of their coherence; those without it come last."""
        if by not in get_args(Subspace):
            raise UsageError(f"by is {by!r}; it must be weat or pca.")

        def key(one: PairMeasures) -> tuple[bool, float]:
            value = one.coherence(by)
            return value is None, -value.mean if value else 0.0

        return dataclasses.replace(self, pairs=tuple(sorted(self.pairs, key=key)), ranked_by=by)

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row for each pair."""
        return [_flat(one, self.source["name"]) for one in self.pairs]


def _flat(one: PairMeasures, source: str) -> dict[str, Any]:
    """A row; of each number the mean, the standard deviation and the interval."""
    row: dict[str, Any] = {
        "source": source,
        "x": one.x,
        "y": one.y,
        "kind": one.kind,
        "match": one.match,
        "n_x": len(one.x_words),
        "n_y": len(one.y_words),
        "pairs": one.pairs,
        "status": one.status,
        "reason": one.reason,
    }
    spreads = {
        "similarity": one.similarity,
        "explained": one.explained[0] if one.explained else None,
        "coherence_pca": one.coherence_pca,
        "coherence_weat": one.coherence_weat,
        "statistic": one.statistic,
        "effect": one.effect,
    }
    for name, value in spreads.items():
        row[name] = value and value.mean
        for part in ("sd", "low", "high"):
            row[f"{name}_{part}"] = value and getattr(value, part)
    return row | {
        "p": one.p and one.p.value,
        "x_words": " ".join(one.x_words),
        "y_words": " ".join(one.y_words),
        "missing": " ".join((*one.x_missing, *one.y_missing)),
    }
