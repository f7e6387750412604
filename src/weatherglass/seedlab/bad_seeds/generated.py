"""Figure 5: set similarity against explained variance, for generated and gathered seed sets.

Section 6, Generated Seed Sets, says how sets are generated; section 8, Set Similarity, compares.
"""

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

from ..models import Floats, Lookup, Models, Spread, positions_by_rank
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
"""Returns the parts of speech of words, as `weatherglass.corpus.part_of_speech` does."""


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
    """Generate seed sets whose words are similar in meaning, part of speech and frequency.

    Each set is a random word and its nearest neighbours by cosine, among the words of one part of
    speech in a band of frequency ranks (section 6, Generated Seed Sets).

    Parameters
    ----------
    models
        Vectors; or the models of bootstrap samples of a corpus: then neighbours are those in the
        vectors of the whole corpus, and only words that all samples have are used.
    count
        The number of sets; their first words differ as long as there are enough words.
    size
        The number of words per set.
    ranks
        The first and last frequency rank to use; by counts if the source has them, else by the
        order of the file.
    part
        A part of speech, such as ``NOUN``; any by default.
    tags
        Returns the parts of speech of words; required with `part`.
    rng
        Random seed.

    Raises
    ------
    CannotMeasure
        There are fewer such words than a set needs.

    Examples
    --------
    >>> import weatherglass as wg
    >>> for seed_set in wg.generate_seeds(wg.open_vectors("default"), 2, rng=1):
    ...     print(seed_set.words)
    ('cook', 'lunch', 'chicken', 'eat', 'fish')
    ('breaks', 'break', 'breaking', 'putting', 'double')
    """
    first, last = ranks
    if not 1 <= first <= last:
        raise UsageError(f"ranks is {first} to {last}; give ranks from 1 up, the lower one first.")
    if part is not None and tags is None:
        raise UsageError("With `part`, give `tags`, which says which part of speech a word is.")
    if count < 1 or size < 1:
        raise UsageError(f"count is {count} and size is {size}; both must be at least 1.")
    embeddings = Models.of(models)
    words = _words_in_band(embeddings, ranks)
    condition, advice = "", "Use a wider band."
    if part is not None and tags is not None:
        tagged = tags(words)
        words = [word for word in words if tagged.get(word) == part]
        parts = Counter(tagged.values())
        condition = f" with the part of speech {quote_safe(part)}"
        if parts and part not in parts:
            advice = f"There are {', '.join(name for name, _ in parts.most_common())}."
    if len(words) < size:
        raise CannotMeasure(
            f"{embeddings.name} has {len(words)} words{condition} of rank {first} to {last}, and a "
            f"set needs {size}. {advice}"
        )
    rows = embeddings.whole.unit(words)
    targets = np.resize(np.random.default_rng(rng).permutation(len(words)), count)
    return tuple(
        SeedSet(id=f"generated_{words[near[0]]}", words=tuple(words[k] for k in near))
        for near in _nearest(rows, targets.tolist(), size)
    )


def _words_in_band(models: Models, ranks: tuple[int, int]) -> list[str]:
    """Return the words of a band of ranks that all models have and that contain a letter."""
    positions = positions_by_rank(models.whole, *ranks)
    band = [models.whole.words[int(position)] for position in positions]
    words = [word for word in band if word.isprintable() and any(map(str.isalpha, word))]
    lookup = Lookup.of(models, words, "keep")
    return [word for word in words if word in lookup.row]


def _nearest(rows: Floats, targets: list[int], size: int) -> Iterable[list[int]]:
    """Yield each target and its nearest neighbours, nearest first."""
    for start in range(0, len(targets), step := 256):
        block = targets[start : start + step]
        cosines = rows[block] @ rows.T
        cosines[np.arange(len(block)), block] = np.inf  # the target itself comes first
        for line in cosines:
            near = np.argpartition(-line, size - 1)[:size]
            yield sorted(near.tolist(), key=lambda k: (-line[k], k))


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


@dataclass(frozen=True, kw_only=True, repr=False)
class GeneratedPairs(MeasuredPairs):
    """Set similarity and another measure, for pairs of generated and of gathered seed sets.

    Attributes
    ----------
    pairs
        The pairs; `PairMeasures.kind` says which are ``generated``.
    against
        The measure that set similarity is compared with.
    correlation
        The correlation of the two over the generated pairs; None if one of them does not vary.
    """

    measure: ClassVar[str] = "seed-generated"

    against: Against
    correlation: Correlation | None

    def value(self, pair: PairMeasures) -> Spread | None:
        """Return the measure that similarity is compared with, for a pair of sets.

        None for the explained variance of a single pair of words, which is 1 by construction.
        """
        return _value(pair, self.against)


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
    """Compare the similarity of two seed sets with how well they define a bias subspace.

    Parameters
    ----------
    models
        Vectors; or the models of bootstrap samples of a corpus, from
        `weatherglass.corpus.open_models`.
    count
        The number of pairs of generated sets.
    size, ranks, part, tags
        As in `generate_seeds`.
    against
        ``explained``, the share of variance along the first component; ``coherence-pca``;
        ``coherence-weat``; or ``effect``, the size of the WEAT effect.
    gathered
        The pairs of gathered sets; by default all that a study documents.
    a, b
        The attributes of WEAT.
    max_missing, case
        As in `measure_pairs`, for gathered sets.
    rng
        Random seed.
    progress
        Called with the number of models done and in total.

    References
    ----------
    .. [1] M. Antoniak, D. Mimno (2021). Bad Seeds: evaluating lexical methods for bias
       measurement. ACL. Section 8 and figure 5.

    Examples
    --------
    >>> import weatherglass as wg
    >>> generated = wg.compare_generated(wg.open_vectors("default"), count=200)
    >>> generated.correlation.r < -0.5
    True
    """
    if against not in _NEEDS:
        raise UsageError(
            f"against is {against!r}; it must be one of {', '.join(get_args(Against))}."
        )
    embeddings = Models.of(models)
    sets = generate_seeds(
        embeddings, 2 * count, size=size, ranks=ranks, part=part, tags=tags, rng=rng
    )
    pairs = [seed_pair(x, y, "generated") for x, y in zip(sets[::2], sets[1::2], strict=True)]
    pairs += gathered_pairs() if gathered is None else gathered
    measured = measure_pairs(
        embeddings,
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


def _value(pair: PairMeasures, against: Against) -> Spread | None:
    if against == "explained":
        return pair.explained[0] if pair.pairs > 1 and pair.explained else None
    if against == "effect":
        return pair.effect
    return pair.coherence_pca if against == "coherence-pca" else pair.coherence_weat


def _correlation(pairs: Sequence[PairMeasures], against: Against) -> Correlation | None:
    """Correlate similarity with the size of the other measure, over the generated pairs."""
    from scipy.stats import pearsonr

    points = [
        (pair.similarity.mean, abs(value.mean))
        for pair in pairs
        if pair.kind == "generated" and pair.similarity and (value := _value(pair, against))
    ]
    if len(points) < 3 or any(max(axis) == min(axis) for axis in zip(*points, strict=True)):
        return None
    result = pearsonr(*zip(*points, strict=True))
    r, p = float(result.statistic), float(result.pvalue)
    return Correlation(r, p, len(points)) if math.isfinite(r) else None
