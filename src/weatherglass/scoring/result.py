"""Results of the sentiment scorer: two groups of names, and everything about one source."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from weatherglass._version import __version__
from weatherglass.measures import Result, Results, interval_columns
from weatherglass.retrieval import NameGroupsResult


@dataclass(frozen=True, kw_only=True, repr=False)
class SentimentResult(NameGroupsResult):
    """Two groups of names in the same sentences; X and Y are the names of both groups.

    Attributes
    ----------
    effect
        Within each sentence the scores are centred over names; a name's association is its mean.
        The effect is the difference of the means of both groups, divided by the standard deviation
        over all of their names.
    intervals
        Of the effect, over other names.
    rates
        The share of sentences with a positive score, by group.
    """

    measure: ClassVar[str] = "sentiment-groups"
    noun: ClassVar[str] = "sentiment result"
    chart: ClassVar[str] = "sentiments"

    rates: dict[str, float] = field(default_factory=dict)

    def claim(self) -> str:
        first, second = self.ordered_sets
        return (
            f"the same sentences have a higher sentiment score with {self.set_phrase(first)} than "
            f"with {self.set_phrase(second)}."
        )

    def subject(self) -> str:
        return (
            f"between the sentiment scores of sentences with {self.set_phrase('X')} and with "
            f"{self.set_phrase('Y')}"
        )

    def measure_columns(self) -> dict[str, Any]:
        return {
            **interval_columns(self.main_interval),
            "difference": self.difference,
            "positive_x": self.rates.get("X"),
            "positive_y": self.rates.get("Y"),
            "p_naive": self.naive_p,
            "p_holm": self.p_holm,
            "p_bh": self.p_bh,
        }


@dataclass(frozen=True, slots=True)
class SentenceRange:
    """The scores of one sentence with all names.

    Attributes
    ----------
    sentence
        Its id.
    lowest, highest
        The names with the lowest and the highest score.
    low, high
        These scores.
    positive
        The share of names with which the score is above zero.
    """

    sentence: str
    lowest: str
    highest: str
    low: float
    high: float
    positive: float

    @property
    def changes_sign(self) -> bool:
        """Whether the name decides between a positive and a negative score."""
        return self.low < 0 < self.high


@dataclass(frozen=True, kw_only=True, repr=False)
class Sentiment(Result):
    """How a sentiment scorer of word vectors scores the same sentences with different names.

    Attributes
    ----------
    contrasts
        For every column of groups, each two groups with effect, p-value and intervals.
    sentences
        For each sentence, the range of its scores over names.
    names, groups
        The names, and their groups in every column.
    scores
        The mean centred score of every name.
    missing
        Names, positive words (A) and negative words (B) that the source lacks.
    coverage
        The share of the words of the sentences that the source has.
    source, options, version
        What is needed to repeat it.
    """

    measure: ClassVar[str] = "sentiment"
    noun: ClassVar[str] = "sentiment audit"
    chart: ClassVar[str] = "sentiment"

    contrasts: tuple[SentimentResult, ...]
    sentences: tuple[SentenceRange, ...] = ()
    names: tuple[str, ...] = ()
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    scores: tuple[float, ...] = ()
    missing: dict[str, tuple[str, ...]] = field(default_factory=dict)
    coverage: float = 1.0
    source: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    @property
    def results(self) -> Results[SentimentResult]:
        """The contrasts as a result set, corrected for their number."""
        return Results.of(self.contrasts).correct()

    @property
    def changing(self) -> float:
        """The share of sentences whose sign depends on the name."""
        changing = sum(sentence.changes_sign for sentence in self.sentences)
        return changing / max(1, len(self.sentences))

    def key_facts(self) -> dict[str, Any]:
        return {
            "source": self.source_name,
            "names": len(self.names),
            "sentences": len(self.sentences),
            "changing": self.changing,
        }

    def sentence(self) -> str:
        findings = [contrast.finding.sentence for contrast in self.results]
        return " ".join([*findings, self.changing_sentence()])

    def changing_sentence(self) -> str:
        """Return how many sentences change their sign with the name."""
        changing = [sentence for sentence in self.sentences if sentence.changes_sign]
        verb = "has" if len(changing) == 1 else "have"
        text = (
            f"Of {len(self.sentences)} sentences, {len(changing)} {verb} a positive score with "
            "some names and a negative one with others"
        )
        if not changing:
            return f"{text}."
        widest = max(changing, key=lambda sentence: min(-sentence.low, sentence.high))
        return (
            f"{text}; {widest.sentence} has {widest.high:+.3f} with {widest.highest} and "
            f"{widest.low:+.3f} with {widest.lowest}."
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each contrast."""
        return self.results.to_rows()

    def to_dict(self) -> dict[str, Any]:
        fields = super().to_dict()
        fields["contrasts"] = [contrast.to_dict() for contrast in self.contrasts]
        return fields

    @classmethod
    def _from_fields(cls, record: dict[str, Any]) -> Sentiment:
        contrasts = record.get("contrasts", [])
        if not isinstance(contrasts, list):
            raise ValueError("the contrasts are no list")
        parsed = [SentimentResult.from_dict(contrast) for contrast in contrasts]
        rest = {name: part for name, part in record.items() if name != "measure"}
        return super()._from_fields(rest | {"contrasts": parsed})
