"""`survey_seeds`: seed sets at a glance (Antoniak and Mimno 2021, figure 1, tables 1 and 3).

Figure 1 of the paper shows the sizes of the sets, table 3 how many papers use each kind of source,
and table 1 words that should make a reader pause.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from weatherglass._version import __version__
from weatherglass.catalog import SeedSet, published_survey, seed_sets, seed_sources
from weatherglass.errors import CannotMeasure
from weatherglass.measures import Result


@dataclass(frozen=True)
class SurveyedSet:
    """A set: its id, concept, study, number of words, and the kinds of its sources."""

    id: str
    concept: str
    study: str
    words: int
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Quartiles:
    """The quartiles of a number: of words in a set, or of sets in a study."""

    count: int
    minimum: float
    lower: float
    median: float
    upper: float
    maximum: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Quartiles:
        """Return the quartiles of values, interpolated linearly.

        >>> Quartiles.of([1, 2, 3, 4, 100])
        Quartiles(count=5, minimum=1.0, lower=2.0, median=3.0, upper=4.0, maximum=100.0)
        """
        return cls(len(values), *np.percentile(values, [0, 25, 50, 75, 100]).tolist())

    @property
    def whisker(self) -> float:
        """The end of the longest whisker: 1.5 interquartile ranges, or the maximum."""
        return min(self.maximum, self.upper + 1.5 * (self.upper - self.lower))


@dataclass(frozen=True)
class SourceFrequency:
    """A kind of source: the studies and the number of sets that use it, and table 3's count."""

    source: str
    studies: tuple[str, ...]
    sets: int
    published: int | None = None


@dataclass(frozen=True)
class HighlightedSeeds:
    """A line of table 1: words that the paper highlights, and those that its set does not have."""

    label: str
    set: str
    words: tuple[str, ...]
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, repr=False)
class SeedSurvey(Result):
    """An overview of seed sets.

    Attributes
    ----------
    sets
        The sets.
    sources
        How many studies and sets use each kind of source, the most frequent first (table 3).
    examples
        The words of table 1; empty if its sets are not part of the survey.
    source, version
        What was surveyed.
    """

    measure: ClassVar[str] = "seed-survey"
    noun: ClassVar[str] = "survey of seed sets"
    chart: ClassVar[str] = "survey"

    sets: tuple[SurveyedSet, ...]
    sources: tuple[SourceFrequency, ...]
    examples: tuple[HighlightedSeeds, ...] = ()
    source: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    @property
    def studies(self) -> tuple[str, ...]:
        """The keys of the studies."""
        return tuple(dict.fromkeys(entry.study for entry in self.sets if entry.study))

    @property
    def sizes(self) -> Quartiles:
        """The quartiles of the number of words in a set (figure 1)."""
        return Quartiles.of([entry.words for entry in self.sets])

    @property
    def sets_per_study(self) -> Quartiles | None:
        """The quartiles of the number of sets in a study; None if no study is stated."""
        studies = [entry.study for entry in self.sets if entry.study]
        return Quartiles.of([studies.count(key) for key in self.studies]) if studies else None

    def sizes_by_source(self) -> dict[str, Quartiles]:
        """Return the quartiles of the number of words for each kind of source."""
        return {
            frequency.source: Quartiles.of(
                [entry.words for entry in self.sets if frequency.source in entry.sources]
            )
            for frequency in self.sources
            if frequency.sets
        }

    def key_facts(self) -> dict[str, Any]:
        return {
            "sets": len(self.sets),
            "studies": len(self.studies),
            "median_words": self.sizes.median,
        }

    def sentence(self) -> str:
        sizes = self.sizes
        return (
            f"{len(self.sets):,} sets of {len(self.studies):,} studies have a median of "
            f"{sizes.median:g} words (quartiles {sizes.lower:g} and {sizes.upper:g}, at most "
            f"{sizes.maximum:,.0f})."
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat row for each set."""
        return [
            {
                "id": entry.id,
                "concept": entry.concept,
                "study": entry.study,
                "words": entry.words,
                "sources": " ".join(entry.sources),
            }
            for entry in self.sets
        ]


def survey_seeds(sets: Sequence[SeedSet] | None = None) -> SeedSurvey:
    """Survey seed sets: their sizes, their sources, and examples.

    Parameters
    ----------
    sets
        The sets; by default all of the catalogue, which are those of Antoniak and Mimno (2021).

    Returns
    -------
    SeedSurvey
        A set of several kinds of source counts for each of them.

    Examples
    --------
    >>> import weatherglass as wg
    >>> survey = wg.survey_seeds()
    >>> print(survey.sentence())
    178 sets of 18 studies have a median of 9.5 words (quartiles 7 and 25, at most 1,459).
    >>> survey.sources[0].source, len(survey.sources[0].studies), survey.sources[0].published
    ('corpus-derived', 7, 7)
    """
    chosen = seed_sets() if sets is None else tuple(sets)
    if not chosen:
        raise CannotMeasure("There is no seed set to survey.")
    entries = tuple(
        SurveyedSet(
            entry.id,
            entry.concept,
            entry.study.key if entry.study else "",
            len(entry),
            entry.sources,
        )
        for entry in chosen
    )
    is_catalogue = {entry.id for entry in chosen} == {entry.id for entry in seed_sets()}
    return SeedSurvey(
        sets=entries,
        sources=_source_frequencies(entries, is_catalogue),
        examples=_examples(chosen),
        source={"name": "Catalogue" if sets is None else f"{len(chosen)} sets"},
    )


def _source_frequencies(
    entries: Sequence[SurveyedSet], is_catalogue: bool
) -> tuple[SourceFrequency, ...]:
    published = published_survey().sources if is_catalogue else {}
    order = list(published_survey().sources)
    found = []
    for source in sorted(seed_sources(), key=order.index):
        using = [entry for entry in entries if source in entry.sources]
        studies = dict.fromkeys(entry.study for entry in using if entry.study)
        found.append(
            SourceFrequency(source, tuple(sorted(studies)), len(using), published.get(source))
        )
    # Stable: kinds with the same number of studies keep the order of table 3.
    return tuple(sorted(found, key=lambda entry: -len(entry.studies)))


def _examples(chosen: Sequence[SeedSet]) -> tuple[HighlightedSeeds, ...]:
    words = {entry.id: set(entry.words) for entry in chosen}
    return tuple(
        HighlightedSeeds(
            example.label,
            example.set,
            example.words,
            tuple(word for word in example.words if word not in words[example.set]),
        )
        for example in published_survey().examples
        if example.set in words
    )
