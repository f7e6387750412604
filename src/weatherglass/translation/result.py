"""`TranslationResult`: the pronouns of translations, against the facts of occupations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from weatherglass.measures import Measurement, Section
from weatherglass.significance import Interval, PValue, equate_p

ALPHA = 0.05  # level at which a sentence says that one pronoun is more frequent


@dataclass(frozen=True, slots=True)
class EmbeddingPrediction:
    """How well the gender association of an embedding predicts the pronoun of a translation.

    Attributes
    ----------
    source, fingerprint
        The embedding.
    auc
        The share of pairs of a "she" and a "he" occupation in which the first is associated more
        strongly with female terms, compared with male terms.
    p
        Exact: the share of all ways to assign the pronouns to the occupations that predict as well.
    p_holm
        `p` corrected over all embeddings and languages of the result set.
    n
        The number of occupations that the embedding has.
    reason
        Why there is no number.
    """

    source: str
    fingerprint: str = ""
    auc: float | None = None
    p: PValue | None = None
    p_holm: float | None = None
    n: int = 0
    reason: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class TranslationResult(Measurement):
    """The pronouns that a translator gives occupations, against a fact about the occupations.

    Attributes
    ----------
    language, target
        The codes of the languages that were translated from and to.
    counts
        How many translations have each pronoun.
    pronouns
        For each occupation in ``words["W"]`` the pronoun of most of its translations; other if
        "she" and "he" are equally frequent, or neither occurs.
    associations
        For each occupation (she - he) / all translations: 1 if all have "she", -1 if all have "he".
    facts, fact
        The fact of each occupation, and its name and unit.
    auc, p
        The share of pairs of a "she" and a "he" occupation in which the first has the larger fact,
        and its exact two-sided p-value over occupations (Mann-Whitney). Without a "she" or without
        a "he" occupation there are no pairs: 0.5, with a p-value of 1.
    p_share
        The exact two-sided p-value of the hypothesis that an occupation has "she" and "he" equally
        often (sign test).
    pearson, intervals
        Pearson's correlation of `associations` and `facts`, with its interval over other
        occupations; None if all associations are equal.
    predictions
        How well embeddings predict the pronoun.
    p_holm, p_bh
        `p` corrected over the languages of a result set.

    The other attributes are those of every `Measurement`.
    """

    measure: ClassVar[str] = "translations"
    chart: ClassVar[str] = "facts"
    decimals: ClassVar[int] = 2
    section: ClassVar[Section] = "measures"
    main_name: ClassVar[str] = "rank correlation"
    max_value: ClassVar[float | None] = 1.0
    possible_evidence: ClassVar[tuple[str, ...]] = ("p",)

    language: str = ""
    target: str = "en"
    counts: dict[str, int] = field(default_factory=dict)
    pronouns: tuple[str, ...] = ()
    associations: tuple[float, ...] = ()
    facts: tuple[float, ...] = ()
    fact: dict[str, str] = field(default_factory=dict)
    auc: float | None = None
    p: PValue | None = None
    p_share: float | None = None
    pearson: float | None = None
    intervals: tuple[Interval, ...] = ()
    slope: float | None = None
    intercept: float | None = None
    predictions: tuple[EmbeddingPrediction, ...] = ()
    p_holm: float | None = None
    p_bh: float | None = None

    @property
    def value(self) -> float | None:
        """The rank-biserial correlation, 2 · AUC - 1: above 0 if "she" goes with larger facts."""
        return None if self.auc is None else 2 * self.auc - 1

    @property
    def p_value(self) -> float | None:
        return self.p.value if self.p else None

    @property
    def main_unit(self) -> str:
        return "over occupations"

    @property
    def evidence_intervals(self) -> tuple[Interval, ...]:
        """None: the interval is of Pearson's correlation, and `value` is that of ranks."""
        return ()

    @property
    def main_interval(self) -> Interval | None:
        return None

    @property
    def n_by_pronoun(self) -> dict[str, int]:
        """How many occupations have each pronoun."""
        names = ("she", "he", "they", "other")
        return {name: self.pronouns.count(name) for name in names}

    @property
    def _counted(self) -> str:
        by_pronoun = self.n_by_pronoun
        named = [f"{name!r} for {by_pronoun[name]}" for name in ("he", "she")]
        named += ["'they' for " + str(by_pronoun["they"])] if by_pronoun["they"] else []
        named += [f"no pronoun for {by_pronoun['other']}"] if by_pronoun["other"] else []
        text = f"{', '.join(named)} of {len(self.pronouns)} occupations"
        if self.p_share is None or self.p_share > ALPHA:
            return text
        return f"{text}; {equate_p(self.p_share)} if both were equally likely"

    def claim(self) -> str:
        fact = (self.fact.get("name") or "fact").lower()
        direction = "higher" if (self.value or 0.0) >= 0 else "lower"
        return (
            f"occupations that are translated with 'she' have a {direction} {fact} than those with "
            f"'he' ({self._counted})."
        )

    def subject(self) -> str:
        fact = (self.fact.get("name") or "fact").lower()
        return f"in {fact} between occupations translated with 'she' and 'he' ({self._counted})"

    def absence(self) -> str:
        by_pronoun = self.n_by_pronoun
        if by_pronoun["she"] and by_pronoun["he"]:
            return ""
        only = next((name for name in ("he", "she") if by_pronoun[name]), None)
        if only is None:
            return f"no occupation has 'she' or 'he' in most translations ({self._counted})."
        return (
            f"every occupation with a gendered pronoun has {only!r} ({self._counted}), so the "
            "pronoun follows no fact about them."
        )

    def target_associations(self) -> dict[str, tuple[float, ...]]:
        return {"W": self.associations}

    def target_facts(self) -> tuple[float, ...]:
        return self.facts

    def set_sizes(self) -> list[int | None]:
        return [self.n.get("W"), None, None, None]

    def measure_columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "language": self.language,
            "target": self.target,
            **{f"occupations_{name}": count for name, count in self.n_by_pronoun.items()},
            "auc": self.auc,
            "p_holm": self.p_holm,
            "p_bh": self.p_bh,
            "p_share": self.p_share,
            "pearson": self.pearson,
        }
        for number, found in enumerate(self.predictions, 1):
            columns |= {
                f"embedding_{number}": found.source,
                f"embedding_{number}_auc": found.auc,
                f"embedding_{number}_p": found.p.value if found.p else None,
                f"embedding_{number}_p_holm": found.p_holm,
            }
        return columns
