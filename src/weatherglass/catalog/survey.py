"""What Antoniak and Mimno (2021) print about the seed sets that they gathered."""

from __future__ import annotations

import functools

from .provenance import DATA, Record
from .record_files import read_mapping
from .validation import validate


class SurveyExample(Record):
    """A line of table 1: a concept, the id of its set, and the words that the paper highlights."""

    label: str
    set: str
    words: tuple[str, ...]


class PublishedSurvey(Record):
    """The printed counts: sets, papers, the largest set, and papers by kind of source (table 3)."""

    sets: int
    papers: int
    largest: int
    sources: dict[str, int]
    examples: tuple[SurveyExample, ...]


@functools.cache
def published_survey() -> PublishedSurvey:
    """Return the printed counts and examples.

    >>> published_survey().papers, published_survey().sources["curated"]
    (18, 5)
    """
    return validate(PublishedSurvey, read_mapping(DATA / "seeds" / "survey.yaml"), "seed survey")
