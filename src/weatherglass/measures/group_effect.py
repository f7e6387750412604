"""Associations and effect size of several groups, in the symbols of Swinger et al. (2019)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import CannotMeasure
from weatherglass.significance import (
    Alternative,
    GroupStatistic,
    Interval,
    PValue,
    effect_interval,
    group_permutation_p,
    holm,
    permutation_p,
)

from .effect_size import MIN_SPREAD, NOISE, cosines, effect, spread, value_scale
from .word_sets import is_target_set

Floats = NDArray[np.float64]


class GroupNumbers(NamedTuple):
    """The numbers of a test of several groups: effect size, its numerator, and g if there is one.

    `effect` is None where all words have the same association, so that it has no scale.
    """

    effect: float | None
    difference: float
    g: float | None


@dataclass(frozen=True, eq=False)
class GroupScores:
    """The associations of the words of several groups.

    Attributes
    ----------
    sizes
        The number of words in each group.
    values
        With an attribute set for each group, a table with a row for each word and a column for
        each group: the mean cosine with Aᵢ, minus the mean of that over all i. Otherwise a single
        column: the mean cosine with A, minus that with B if there is one.
    scale
        The size of the values of a table, which rounding errors are proportional to; 1 for cosines.
    """

    sizes: tuple[int, ...]
    values: Floats
    scale: float = 1.0

    @classmethod
    def of(
        cls, groups: Sequence[Floats], attributes: Sequence[Floats], is_of_table: bool = False
    ) -> GroupScores:
        """Return the scores of groups of unit rows; one, two or as many attribute sets."""
        rows = np.concatenate(groups)
        tables = [cosines(rows, words) for words in attributes]
        # The cosines are averaged, and not the attributes: see `effect_size.associations`.
        means = np.stack([table.mean(axis=1) for table in tables], axis=1)
        if len(attributes) == len(groups):
            values = means - means.mean(axis=1, keepdims=True)
        elif len(attributes) == 2:
            values = means[:, :1] - means[:, 1:]
        else:
            values = means
        scale = value_scale(tables) if is_of_table else 1.0
        return cls(tuple(map(len, groups)), values, scale)

    @property
    def is_paired(self) -> bool:
        """Whether each group has an attribute set of its own."""
        return bool(self.values.shape[1] > 1)

    @property
    def statistic(self) -> GroupStatistic:
        """The statistic of the permutation test."""
        return "sum" if self.is_paired else "spread"

    def group(self, index: int) -> Floats:
        """Return the rows of a group's words."""
        end = sum(self.sizes[: index + 1])
        return self.values[end - self.sizes[index] : end]

    def mean_scores(self) -> Floats:
        """Return the mean association of each group, with its own attributes if it has some."""
        return np.array(
            [
                self.group(index)[:, index if self.is_paired else 0].mean()
                for index in range(len(self.sizes))
            ]
        )

    def parts(self) -> Floats:
        """Return what each group adds to g; its mean minus that of all groups if there is no g."""
        if not self.is_paired:
            means = self.mean_scores()
            return np.asarray(means - means.mean())
        table = np.stack([self.group(index).mean(axis=0) for index in range(len(self.sizes))])
        return np.asarray(np.diag(table) - table.mean(axis=0))

    def numbers(self, ddof: int = 1) -> GroupNumbers:
        """Return the effect size and what it is computed from; see `generalised_weat`."""
        n = len(self.sizes)
        means = self.mean_scores()
        variances = self.values.var(axis=0, ddof=ddof)
        if self.is_paired:
            g = float(means.sum())
            difference = 2 * g / (n - 1)
            scale = math.sqrt(2 * float(variances.sum()) / (n - 1))
        else:
            g = None
            # The mean over pairs of the squared difference is twice the unbiased variance.
            difference = math.sqrt(2 * float(means.var(ddof=1)))
            scale = math.sqrt(float(variances[0]))
        has_scale = scale > self.scale * MIN_SPREAD
        return GroupNumbers(difference / scale if has_scale else None, difference, g)

    def oriented_effect(self, reference: Floats, ddof: int = 1) -> float:
        """Return the effect, below zero if the groups changed their order; 0 if it has no scale.

        An effect of groups that share their attributes has no sign of its own. `reference` has the
        mean associations of the groups before words were left out, or vectors controlled: they
        changed their order if the covariance of the means, before and after, is negative.
        """
        value = self.numbers(ddof).effect or 0.0
        if self.is_paired:
            return value
        means = self.mean_scores()
        return (
            value if float((means - means.mean()) @ (reference - reference.mean())) >= 0 else -value
        )

    def p(self, alternative: Alternative, rng: int, n_resamples: int = 99_999) -> PValue:
        """Return the p-value of the permutation test over words."""
        scores = self.values if self.is_paired else self.values[:, 0]
        return group_permutation_p(
            scores,
            self.sizes,
            statistic=self.statistic,
            alternative=alternative,
            rng=rng,
            n_resamples=n_resamples,
        )

    def pair(self, first: int, second: int) -> tuple[Floats, Floats]:
        """Return the associations of two groups: s(w, Aᵢ, Aⱼ), or s(w, A, B), or cos(w, A)."""
        rows = self.group(first), self.group(second)
        if self.is_paired:
            return rows[0][:, first] - rows[0][:, second], rows[1][:, first] - rows[1][:, second]
        return rows[0][:, 0], rows[1][:, 0]


@dataclass(frozen=True, slots=True)
class GroupPair:
    """The follow-up test of two groups.

    Attributes
    ----------
    first, second
        The names of the two sets, such as ``X1`` and ``X3``.
    effect
        The WEAT effect size of the two groups; above zero the first is more strongly associated
        with A (rather than B), or each with its own attributes. None if it has no scale.
    p, p_holm
        The two-sided permutation p-value of the two groups, and after Holm's correction over all
        pairs of the test.
    interval
        The 95 % confidence interval of the effect over other target words.
    """

    first: str
    second: str
    effect: float | None
    p: PValue
    p_holm: float
    interval: Interval | None = None


def pairwise_groups(
    scores: GroupScores, names: Sequence[str], ddof: int, workers: int | None = None
) -> tuple[GroupPair, ...]:
    """Test every two groups, with Holm's correction over the pairs."""
    pairs: list[dict[str, Any]] = []
    for first in range(len(names)):
        for second in range(first + 1, len(names)):
            x, y = scores.pair(first, second)
            has_scale = spread(x, y, ddof) > scores.scale * MIN_SPREAD
            pairs.append(
                {
                    "first": names[first],
                    "second": names[second],
                    "effect": effect(x, y, ddof) if has_scale else None,
                    "p": permutation_p(
                        x,
                        y,
                        alternative="two-sided",
                        resolution=scores.scale * NOISE,
                        workers=workers,
                    ),
                    "interval": _interval(x, y, ddof) if has_scale else None,
                }
            )
    corrected = holm([pair["p"].value for pair in pairs]).tolist()
    return tuple(GroupPair(**pair, p_holm=p) for pair, p in zip(pairs, corrected, strict=True))


def _interval(x: Floats, y: Floats, ddof: int) -> Interval | None:
    try:
        return effect_interval(x, y, ddof=ddof)
    except CannotMeasure:  # too few words, or words that do not vary
        return None


def g_parts(
    x: ArrayLike, a: ArrayLike, all_x: Floats | None = None, all_a: Floats | None = None
) -> Floats:
    """Return (X̄ᵢ − μ)·(Āᵢ − 𝒜̄) of each group, from the means X̄ᵢ and Āᵢ; g is their sum.

    For two groups and more 𝒜̄ does not change the sum; without it the mean of the Āᵢ is used.
    """
    x, a = np.asarray(x, dtype=np.float64), np.asarray(a, dtype=np.float64)
    mu = all_x if len(x) == 1 else x.mean(axis=0)
    origin = a.mean(axis=0) if all_a is None else all_a
    return np.asarray(((x - mu) * (a - origin)).sum(axis=1))


def max_group_effect(sizes: Sequence[int], is_paired: bool, ddof: int = 1) -> float:
    """Return the largest effect that groups of these sizes can have.

    For n groups of one size it is √(2n/(n − 1) · (N − ddof)/N), or √(2n (N − ddof)/N) if each group
    has attributes of its own; for two groups both are that of WEAT.

    >>> [round(max_group_effect(s, p), 2) for s, p in (([8, 8], False), ([8, 8], True))]
    [1.94, 1.94]
    >>> [round(max_group_effect([5, 5, 5], is_paired), 2) for is_paired in (False, True)]
    [1.67, 2.37]
    """
    counts = np.asarray(sizes, dtype=np.float64)
    n, total = len(counts), float(counts.sum())
    if is_paired:
        # g is the product of the table with H, whose part with centred rows and columns counts.
        h = np.repeat(np.diag(1 / counts), sizes, axis=0)
        h = h - h.mean(axis=1, keepdims=True) - h.mean(axis=0) + h.mean()
        return math.sqrt(2 / (n - 1) * float((h**2).sum()) * (total - ddof))
    # The largest share of the mean squared difference of pairs in the variance of all words.
    pairs = n * np.eye(n) - 1.0
    variance = np.diag(counts) - np.outer(counts, counts) / total
    largest = float(np.linalg.eigvals(np.linalg.pinv(variance) @ pairs).real.max())
    return math.sqrt(largest * (total - ddof) / (n * (n - 1) / 2))


def min_words(sets: Iterable[str]) -> dict[str, int]:
    """Return how many words each set of an association test needs: targets two, attributes one.

    >>> min_words(["X1", "A"])
    {'X1': 2, 'A': 1}
    """
    return {name: 2 if is_target_set(name) else 1 for name in sets}


def split_sets(sets: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the names of the groups and of the attribute sets of a test of several groups.

    >>> split_sets(dict.fromkeys(["X1", "X2", "A", "X3"]))
    (['X1', 'X2', 'X3'], ['A'])
    """
    groups = [name for name in sets if name.startswith("X")]
    return groups, [name for name in sets if not name.startswith("X")]
