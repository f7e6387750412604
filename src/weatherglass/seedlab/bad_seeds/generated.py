"""Figure 5: sets that are too similar explain little, among generated and gathered seed sets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from weatherglass.catalog import SeedSet
from weatherglass.errors import CannotMeasure, UsageError, quote_safe
from weatherglass.vectors import Case

from ..models import Floats, Lookup, Models, Spread, frequent
from ..pairs import SeedPair, gathered_pairs, seed_pair
from .measure_pairs import (
    MAX_MISSING,
    Measure,
    MeasuredPairs,
    PairMeasures,
    Progress,
    measure_pairs,
)
from .subspaces import BAD, GOOD

Tags = Callable[[list[str]], Mapping[str, str]]
"""Gives words their parts of speech, as `weatherglass.corpus.part_of_speech` does."""


def generate_seeds(
    models: Any,
    count: int,
    *,
    size: int = 5,
    ranks: tuple[int, int] = (500, 5000),
    part: str | None = None,
    tags: Tags | None = None,
    rng: int = 0,
) -> tuple[SeedSet, ...]:
    """Make seed sets whose words are alike in meaning, in part of speech and in frequency.

    Each is a word drawn at random and the words nearest to it by cosine, among the words of one
    part of speech in a band of frequency.

    Parameters
    ----------
    models
        Vectors; or several, of samples of one corpus: then words are near in the vectors of the
        whole corpus, and only words that all samples have are taken.
    count
        How many sets; of different random words, as far as there are enough.
    size
        Words a set.
    ranks
        The band: from the so-manieth most frequent word to the so-manieth; by counts where there
        are any, else in the order of the file.
    part
        A part of speech, such as ``NOUN``; any by default.
    tags
        Gives words their parts of speech; needed with `part`.
    rng
        Seed for drawing.

    Raises
    ------
    CannotMeasure
        There are fewer such words than a set needs.

    Examples
    --------
    >>> import weatherglass as wg
    >>> for one in wg.generate_seeds(wg.open_vectors("default"), 2, rng=1):
    ...     print(one.words)
    ('cook', 'lunch', 'chicken', 'eat', 'fish')
    ('breaks', 'break', 'breaking', 'putting', 'double')
    """
    first, last = ranks
    if not 1 <= first <= last:
        raise UsageError(
            f"ranks is {first} to {last}; from 1 up, the lower one first, is expected."
        )
    if part is not None and tags is None:
        raise UsageError("With `part`, `tags` must say which part of speech a word is.")
    if count < 1 or size < 1:
        raise UsageError(f"{count} sets of {size} words were asked for; at least 1 of 1 is needed.")
    made = Models.of(models)
    words = _band(made, ranks)
    told, way_out = "", "Take a wider band."
    if part is not None and tags is not None:
        tagged = tags(words)
        words = [word for word in words if tagged.get(word) == part]
        others = Counter(tagged.values())
        told = f" with the part of speech {quote_safe(part)}"
        if others and part not in others:
            way_out = f"There are {', '.join(name for name, _ in others.most_common())}."
    if len(words) < size:
        raise CannotMeasure(
            f"{made.name} has {len(words)} words{told} of rank {first} to {last}, and a set needs "
            f"{size}. {way_out}"
        )
    rows = made.whole.unit(words)
    chance = np.random.default_rng(rng)
    targets = np.resize(chance.permutation(len(words)), count)
    return tuple(
        SeedSet(id=f"generated_{words[near[0]]}", words=tuple(words[at] for at in near))
        for near in _nearest(rows, targets.tolist(), size)
    )


def _band(models: Models, ranks: tuple[int, int]) -> list[str]:
    """The words of a band that all models have; what has no letter is no word."""
    places = frequent(models.whole, *ranks)
    listed = [models.whole.words[int(place)] for place in places]
    words = [word for word in listed if word.isprintable() and any(map(str.isalpha, word))]
    found = Lookup.of(models, words, "keep")
    return [word for word in words if word in found.row]


def _nearest(rows: Floats, targets: list[int], size: int) -> Iterable[list[int]]:
    """Each target and its nearest neighbours, nearest first."""
    for start in range(0, len(targets), step := 256):
        some = targets[start : start + step]
        cosines = rows[some] @ rows.T
        cosines[np.arange(len(some)), some] = np.inf  # itself comes first
        for line in cosines:
            near = np.argpartition(-line, size - 1)[:size]
            yield sorted(near.tolist(), key=lambda at: (-line[at], at))


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
