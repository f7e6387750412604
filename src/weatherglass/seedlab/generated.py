"""Figure 5: sets that are too similar explain little, among generated and gathered seed sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from weatherglass.errors import UsageError
from weatherglass.vectors.spelling import Case

from .association import BAD, GOOD
from .generating import Tags, generate_seeds
from .measured import MeasuredPairs, PairMeasures
from .measuring import MAX_MISSING, Measure, Progress, measure_pairs
from .models import Models
from .pairs import SeedPair, gathered_pairs, seed_pair
from .spread import Spread

Against = Literal["explained", "coherence-pca", "coherence-weat", "effect"]
_NEEDS: dict[Against, Measure] = {
    "explained": "explained",
    "coherence-pca": "coherence-pca",
    "coherence-weat": "coherence-weat",
    "effect": "weat",
}


@dataclass(frozen=True)
class Correlation:
    """Pearson's correlation over `n` pairs of sets, and its two-sided p-value."""

    r: float
    p: float
    n: int


@dataclass(frozen=True, kw_only=True)
class GeneratedPairs(MeasuredPairs):
    """Pairs of generated seed sets beside pairs of gathered ones.

    Attributes
    ----------
    pairs
        The pairs; `PairMeasures.kind` says which are ``generated``.
    against
        What set similarity is held against.
    correlation
        Of both, over the generated pairs; None where they do not vary.
    """

    measure: ClassVar[str] = "seed-generated"

    against: Against
    correlation: Correlation | None

    def value(self, one: PairMeasures) -> Spread | None:
        """What similarity is held against, of one pair of sets.

        The variance that one pair of words explains is 1 by construction, so it has none.
        """
        return _value(one, self.against)


def compare_generated(
    models: Any,
    *,
    count: int = 500,
    size: int = 5,
    ranks: tuple[int, int] = (500, 5000),
    part: str | None = None,
    tags: Tags | None = None,
    against: Against = "explained",
    gathered: Sequence[SeedPair] | None = None,
    a: Sequence[str] = GOOD,
    b: Sequence[str] = BAD,
    max_missing: float = MAX_MISSING,
    case: Case = "auto",
    rng: int = 0,
    progress: Progress | None = None,
) -> GeneratedPairs:
    """Hold the similarity of two seed sets against what can be measured with them.

    Parameters
    ----------
    models
        Vectors; or several, of samples of one corpus: what `weatherglass.corpus.open_models` gives.
    count
        How many pairs of generated sets.
    size, ranks, part, tags
        As in `generate_seeds`.
    against
        ``explained``, the share of variance along the first component; ``coherence-pca``;
        ``coherence-weat``; or ``effect``, the size of the WEAT effect.
    gathered
        The pairs of gathered sets; by default every one that a study documents.
    a, b
        The attributes of WEAT.
    max_missing, case
        As in `measure_pairs`, for gathered sets.
    rng
        Seed for drawing.
    progress
        Called with the pairs done and those in all.

    References
    ----------
    .. [1] M. Antoniak, D. Mimno (2021). Bad Seeds: evaluating lexical methods for bias
       measurement. ACL. Section 8 and figure 5.

    Examples
    --------
    >>> import weatherglass as wg
    >>> found = wg.compare_generated(wg.open_vectors("default"), count=200)
    >>> found.correlation.r < -0.5
    True
    """
    if against not in _NEEDS:
        raise UsageError(
            f"against is {against!r}; it must be one of {', '.join(get_args(Against))}."
        )
    made = Models.of(models)
    sets = generate_seeds(made, 2 * count, size=size, ranks=ranks, part=part, tags=tags, rng=rng)
    pairs = [seed_pair(x, y, "generated") for x, y in zip(sets[::2], sets[1::2], strict=True)]
    pairs += gathered_pairs() if gathered is None else gathered
    measured = measure_pairs(
        made,
        pairs,
        measures=("similarity", _NEEDS[against]),
        a=a,
        b=b,
        max_missing=max_missing,
        case=case,
        progress=progress,
    )
    options = {"count": count, "size": size, "ranks": list(ranks), "part": part, "rng": rng}
    return GeneratedPairs(
        pairs=measured.pairs,
        against=against,
        correlation=_correlation(measured.pairs, against),
        source=measured.source,
        options=options | measured.options,
    )


def _value(one: PairMeasures, against: Against) -> Spread | None:
    if against == "explained":
        return one.explained[0] if one.pairs > 1 and one.explained else None
    if against == "effect":
        return one.effect
    return one.coherence_pca if against == "coherence-pca" else one.coherence_weat


def _correlation(pairs: Sequence[PairMeasures], against: Against) -> Correlation | None:
    from scipy.stats import pearsonr

    points = [
        (one.similarity.mean, abs(value.mean))
        for one in pairs
        if one.kind == "generated" and one.similarity and (value := _value(one, against))
    ]
    if len(points) < 3 or any(max(some) == min(some) for some in zip(*points, strict=True)):
        return None
    found = pearsonr(*zip(*points, strict=True))
    r, p = float(found.statistic), float(found.pvalue)
    return Correlation(r, p, len(points)) if math.isfinite(r) else None
