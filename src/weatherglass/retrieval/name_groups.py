"""`NameGroupsResult`: two groups of names in the same texts, whatever scores the texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from weatherglass.measures import NO_CHART, Influence, Measurement, Section, max_effect
from weatherglass.significance import Alternative, Interval, Power, PValue, effect_power


@dataclass(frozen=True, kw_only=True, repr=False)
class NameGroupsResult(Measurement):
    """Two groups of names in the same texts; X and Y are the names of both groups.

    Attributes
    ----------
    effect
        The difference of the mean associations of both groups, divided by the standard deviation
        over all of their names.
    difference
        The same difference in units of the score.
    p
        The two-sided permutation p-value over names.
    intervals
        Of the effect, over other names first.
    influence
        Effect and p-value without each single name.
    naive_p, naive_rows
        What a test over all scores as if they were independent would report, and their number.
    associations
        The mean centred score of every name of X and Y.
    """

    chart: ClassVar[str] = NO_CHART
    decimals: ClassVar[int] = 2
    section: ClassVar[Section] = "retrieval"
    main_name: ClassVar[str] = "effect"
    possible_evidence: ClassVar[tuple[str, ...]] = (
        "p",
        "interval",
        "leave-one-out",
        "covariate control",
    )

    effect: float | None = None
    difference: float | None = None
    p: PValue | None = None
    p_holm: float | None = None
    p_bh: float | None = None
    intervals: tuple[Interval, ...] = ()
    influence: tuple[Influence, ...] = ()
    naive_p: float | None = None
    naive_rows: int = 0
    associations: dict[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def value(self) -> float | None:
        """The effect size over names."""
        return self.effect

    @property
    def max_value(self) -> float | None:
        return max_effect(self.n.get("X", 0), self.n.get("Y", 0))

    @property
    def p_value(self) -> float | None:
        return self.p.value if self.p else None

    @property
    def main_unit(self) -> str:
        return "each name counted once"

    @property
    def ordered_sets(self) -> tuple[str, str]:
        """X and Y, or Y and X if the names of Y have the higher scores."""
        return ("X", "Y") if (self.effect or 0.0) >= 0 else ("Y", "X")

    def set_phrase(self, name: str) -> str:
        return self.label(name)  # groups keep their capital

    def power_at(
        self, alpha: float, power: float = 0.8, alternative: Alternative | None = None
    ) -> Power | None:
        n, m = self.n.get("X", 0), self.n.get("Y", 0)
        if not self.is_done or min(n, m) < 2:
            return None
        chosen = alternative or self.finding_alternative
        return effect_power(n, m, alpha=alpha, power=power, alternative=chosen)

    def target_associations(self) -> dict[str, tuple[float, ...]]:
        return self.associations
