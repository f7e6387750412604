"""`GroupDifference`: the difference of two groups of documents in a test, or its slope."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from weatherglass.measures import Measurement, interval_columns
from weatherglass.significance import (
    Alternative,
    Interval,
    Power,
    PValue,
    detectable_difference,
)

ALPHA = 0.05
_CITATIONS = (
    (
        "M. Khodak, N. Saunshi, Y. Liang, T. Ma, B. Stewart, S. Arora (2018). A la carte "
        "embedding: cheap but effective induction of semantic feature vectors. ACL, 12-22.",
        "10.18653/v1/P18-1002",
    ),
    (
        "P. L. Rodriguez, A. Spirling, B. M. Stewart (2023). Embedding regression: models for "
        "context-specific description and inference. Am. Polit. Sci. Rev. 117, 1255-1274.",
        "10.1017/S0003055422001228",
    ),
)


@dataclass(frozen=True)
class GroupSize:
    """How much text a group has.

    Attributes
    ----------
    documents, tokens
        Its documents, and their words, without those that are too rare in the corpus.
    x, y
        How often words of X and of Y occur in them.
    effect
        The effect in the group, in standard deviations: that of all documents together, moved by
        the estimated difference, so that the effects of two groups differ by it. None if it was
        not measured.
    """

    documents: int
    tokens: int
    x: int
    y: int
    effect: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class GroupDifference(Measurement):
    """The difference of an association between groups of documents, in one shared space.

    Attributes
    ----------
    column, groups
        The column that was tested, and the two values that were compared; no groups if the column
        has numbers.
    step
        For numbers, their standard deviation; the difference is for documents that far apart.
    adjusted_for
        The other columns of the formula, which are held constant.
    value
        The difference of effects, the first group minus the second, in standard deviations of the
        associations of X and Y in all documents together, as an effect size is. Positive if X,
        compared with Y, is associated with A rather than B more in the first group.
    unstandardised
        The same as a difference of mean associations.
    sizes, total
        Documents and words, by group and of all documents that were compared.
    se
        The standard error under the null hypothesis, from the permutations.
    p
        The p-value: the share of permutations of the documents' values with a difference at least
        as large.
    p_holm, p_bh
        The same corrected over a result set.
    intervals
        The 95 % interval of the difference: those that the permutation test does not reject.

    The other attributes are those of every `Measurement`.
    """

    measure: ClassVar[str] = "group-difference"
    noun: ClassVar[str] = "difference of groups"
    chart: ClassVar[str] = "group differences"
    main_name: ClassVar[str] = "difference"
    possible_evidence: ClassVar[tuple[str, ...]] = ("p", "interval")

    citations: ClassVar[tuple[tuple[str, str], ...]] = _CITATIONS
    """The publications of the method, each with its DOI."""

    column: str
    groups: tuple[str, ...] = ()
    step: float = 1.0
    adjusted_for: tuple[str, ...] = ()
    value: float | None = None
    unstandardised: float | None = None
    sizes: dict[str, GroupSize] = field(default_factory=dict)
    total: GroupSize | None = None
    se: float | None = None
    p: PValue | None = None
    p_holm: float | None = None
    p_bh: float | None = None
    intervals: tuple[Interval, ...] = ()

    @property
    def contrast(self) -> str:
        """What was compared, in a table: ``D − R``, or ``year + 12.5``."""
        return " − ".join(self.groups) if self.groups else f"{self.column} + {self.step:.4g}"

    @property
    def p_value(self) -> float | None:
        return self.p.value if self.p else None

    @property
    def main_unit(self) -> str:
        return "permuting documents"

    @property
    def documents(self) -> tuple[int, ...]:
        """The number of documents of each group, or, of a column of numbers, of all."""
        if self.groups:
            return tuple(self.sizes[name].documents for name in self.groups)
        return (self.total.documents,) if self.total else ()

    @property
    def detectable(self) -> float | None:
        """The difference that is found with 80 % power at p ≤ 0.05, regardless of sign."""
        return None if self.se is None else detectable_difference(self.se, ALPHA, 0.8)

    def power_at(
        self, alpha: float, power: float = 0.8, alternative: Alternative | None = None
    ) -> Power | None:
        """Return what the test can find with so many documents at a level."""
        if self.se is None or self.p is None:
            return None
        smallest = 1 / (self.options.get("permutations", 0) + 1)
        return Power(
            kind="difference",
            sizes=self.documents,
            alpha=alpha,
            alternative="two-sided",
            power=power,
            smallest_p=smallest,
            detectable=None if smallest > alpha else detectable_difference(self.se, alpha, power),
            unit="documents",
        )

    def claim(self) -> str:
        x, y, a, b = (self.set_phrase(name) for name in "XYAB")
        association = f"the association of {x}, compared with {y}, with {a} rather than {b}"
        if not self.groups:
            verb = "grows" if (self.value or 0.0) >= 0 else "falls"
            return f"{association} {verb} with {self.column}{self._held()}."
        first, second = self.groups if (self.value or 0.0) >= 0 else self.groups[::-1]
        where = f"where {self.column} is {first} than where it is {second}"
        return f"{association} is stronger {where}{self._held()}."

    def subject(self) -> str:
        x, y, a, b = (self.set_phrase(name) for name in "XYAB")
        compared = f"in how {x} and {y} are associated with {a} rather than {b}"
        if not self.groups:
            return f"{compared}, by {self.column}{self._held()}"
        first, second = self.groups
        return f"{compared} where {self.column} is {first} and where it is {second}{self._held()}"

    def _held(self) -> str:
        held = " and ".join(self.adjusted_for)
        return f", with {held} held constant" if held else ""

    def key_facts(self) -> dict[str, Any]:
        facts = super().key_facts()
        return {"test": facts.pop("test"), "contrast": self.contrast} | facts

    def measure_columns(self) -> dict[str, Any]:
        interval = self.intervals[0] if self.intervals else None
        names = (*self.groups, *("",) * (2 - len(self.groups)))
        columns: dict[str, Any] = {
            "column": self.column,
            "group": names[0],
            "against": names[1],
            "adjusted_for": " ".join(self.adjusted_for),
            "contrast": self.contrast,
            "unstandardised": self.unstandardised,
            "se": self.se,
            **interval_columns(interval),
            "p_holm": self.p_holm,
            "p_bh": self.p_bh,
            "detectable": self.detectable,
        }
        for side, name in zip(("group", "against"), names, strict=True):
            size = self.sizes.get(name)
            for fact in ("documents", "tokens", "x", "y", "effect"):
                columns[f"{side}_{fact}"] = getattr(size, fact) if size else None
        columns["all_documents"] = self.total.documents if self.total else None
        columns["all_tokens"] = self.total.tokens if self.total else None
        return columns
