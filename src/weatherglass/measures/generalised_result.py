"""The result of a generalised WEAT: numbers, follow-up tests and claim."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from weatherglass.significance import GroupStatistic, PValue, smallest_group_p

from .claims import groups_claim, groups_subject
from .group_effect import GroupPair, max_group_effect, split_sets
from .influence import Influence
from .measurement import Measurement
from .word_sets import rank_words


@dataclass(frozen=True, kw_only=True, repr=False)
class GeneralisedResult(Measurement):
    """The result of a generalised WEAT.

    Attributes
    ----------
    effect
        The typical difference between two groups, in standard deviations; see `generalised_weat`.
        For two groups it is the WEAT effect size. None for a single group.
    g, parts
        The statistic g of Swinger et al. (2019), and the part of it that each group adds. Without
        an attribute set for each group there is no g, and a part is how far the mean association
        of the group is above that of all groups.
    difference
        The numerator of `effect`, in units of cosine.
    p, p_two_sided
        The permutation p-value over words, as tested and two-sided; None if only pairs of groups
        and attributes were given.
    p_holm, p_bh
        `p` corrected for all tests of a result set; set by `Results.correct`.
    pairs
        The follow-up tests of every two groups, with Holm's correction over the pairs.
    associations
        The association of every word of a group that `parts` averages.
    influence
        What dropping each single word does, if asked for.

    The other attributes are those of every `Measurement`; `words` has the groups as X1, X2, …
    """

    measure: ClassVar[str] = "generalised-weat"
    noun: ClassVar[str] = "generalised WEAT"
    chart: ClassVar[str] = "groups"
    decimals: ClassVar[int] = 2
    main_name: ClassVar[str] = "effect"
    possible_evidence: ClassVar[tuple[str, ...]] = (
        "p",
        "leave-one-out",
        "frequency control",
        "anisotropy control",
    )

    effect: float | None = None
    g: float | None = None
    difference: float | None = None
    parts: dict[str, float] = field(default_factory=dict)
    p: PValue | None = None
    p_two_sided: PValue | None = None
    p_holm: float | None = None
    p_bh: float | None = None
    pairs: tuple[GroupPair, ...] = ()
    associations: dict[str, tuple[float, ...]] = field(default_factory=dict)
    influence: tuple[Influence, ...] = ()

    @property
    def value(self) -> float | None:
        """The effect; g for a single group."""
        return self.g if self.effect is None else self.effect

    @property
    def max_value(self) -> float | None:
        sizes = [self.n.get(name, 0) for name in self.groups]
        if self.p is None or not sizes or min(sizes) < 1:
            return None
        return max_group_effect(sizes, self.is_paired, self.options.get("ddof", 1))

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups: X1, X2, …"""
        return tuple(split_sets(self.labels)[0])

    @property
    def is_paired(self) -> bool:
        """Whether each group has an attribute set of its own."""
        return len(self.labels) == 2 * len(self.groups)

    # The names that `MeasureResult` has, so that code for any measure also takes this one.
    @property
    def by_word(self) -> dict[str, tuple[float, ...]]:
        """The associations."""
        return self.associations

    @property
    def columns(self) -> dict[str, dict[str, tuple[float, ...]]]:
        """Other numbers of each word; there are none."""
        return {}

    @property
    def details(self) -> dict[str, float]:
        """Other numbers of the whole test."""
        numbers = {"g": self.g, "difference": self.difference}
        return {name: value for name, value in numbers.items() if value is not None}

    @property
    def intervals(self) -> tuple[()]:
        """None over all groups; each of `pairs` has one."""
        return ()

    @property
    def p_value(self) -> float | None:
        return self.p.value if self.p else None

    @property
    def p_two_sided_value(self) -> float | None:
        return self.p_two_sided.value if self.p_two_sided else None

    def ranked(self, name: str = "X1") -> tuple[tuple[str, float], ...]:
        """Return the words of a group with their associations, the largest first."""
        return rank_words(self.words, self.associations, name)

    def clear_pairs(self, alpha: float = 0.05) -> tuple[GroupPair, ...]:
        """Return the pairs of groups that differ, with Holm's correction."""
        return tuple(pair for pair in self.pairs if pair.p_holm <= alpha and pair.effect)

    def claim(self) -> str:
        return groups_claim(self)

    def subject(self) -> str:
        return groups_subject(self)

    def target_associations(self) -> dict[str, tuple[float, ...]]:
        return self.associations

    def smallest_p_without(self, name: str) -> float:
        sizes = {group: self.n[group] for group in self.groups}
        if name in sizes:
            sizes[name] -= 1
        statistic: GroupStatistic = "sum" if self.is_paired else "spread"
        return smallest_group_p(list(sizes.values()), statistic, self.finding_alternative)

    def set_sizes(self) -> list[int | None]:
        """Return no sizes: the columns of a table are those of two targets and attributes."""
        return [None] * 4

    def measure_columns(self) -> dict[str, Any]:
        return {
            "groups": "; ".join(f"{self.label(name)} {self.n[name]}" for name in self.groups),
            "g": self.g,
            "difference": self.difference,
            "p_low": self.p.low if self.p else None,
            "p_high": self.p.high if self.p else None,
            "p_method": self.p.method if self.p else None,
            "p_two_sided": self.p_two_sided_value,
            "p_holm": self.p_holm,
            "p_bh": self.p_bh,
            "pairs": "; ".join(
                f"{self.label(pair.first)} vs {self.label(pair.second)}: "
                f"{'' if pair.effect is None else f'{pair.effect:.2f}'}, p Holm {pair.p_holm:.2g}"
                for pair in self.pairs
            ),
        }

    def group_rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each group."""
        return [
            {
                "test": self.test,
                "group": self.label(name),
                "words": self.n[name],
                "part": self.parts[name],
                "association": float(np.mean(self.associations[name])),
            }
            for name in self.groups
            if name in self.parts
        ]

    def pair_rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each pair of groups."""
        return [
            {
                "test": self.test,
                "first": self.label(pair.first),
                "second": self.label(pair.second),
                "effect": pair.effect,
                "low": pair.interval.low if pair.interval else None,
                "high": pair.interval.high if pair.interval else None,
                "p": pair.p.value,
                "p_holm": pair.p_holm,
            }
            for pair in self.pairs
        ]
