"""The question that an address asks Explore, and the jobs that answer it.

There are three views: the neighbours of a word, words along an axis, and words on two axes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query
from pydantic import PlainSerializer

from weatherglass.errors import UsageError, WeatherglassError, did_you_mean
from weatherglass.measures import MeasureResult, find_words, measure
from weatherglass.vectors import Vectors

from ..responses import escape_surrogates
from ..session import Session, SourcesQuery
from ..settings import Settings
from ..sources import SourceReference, fingerprints, open_all
from ..word_sets import SetQuery, WordSetInput, read_set

View = Literal["near", "axis", "map"]
Axis = tuple[str, str]
"""The letters of the sets at the high end and at the low end."""

_AXES: dict[View, tuple[Axis, ...]] = {
    "near": (),
    "axis": (("a", "b"),),
    "map": (("a", "b"), ("c", "d")),
}
DEFAULT_NEIGHBOURS = 20
MAX_SUGGESTION_WORDS = 20_000
"""A word that is not found is compared with so many frequent words, to suggest a spelling."""

MAX_QUICK_NUMBERS = 100_000_000
"""Comparing a word with more numbers than these takes seconds, and is a long job."""

JsonText = Annotated[str, PlainSerializer(escape_surrogates, return_type=str)]
"""Text from a file, which may hold bytes that are not text."""


# The question


@dataclass(frozen=True)
class Exploration:
    """What an address asks Explore.

    Examples
    --------
    >>> Exploration(sources=("default",), word="nurse").query
    'source=default&word=nurse'
    >>> Exploration(view="axis", words="nurse", a="she", b="he").is_complete
    True
    """

    view: View = "near"
    sources: tuple[str, ...] = ()
    word: str = ""
    n: int = DEFAULT_NEIGHBOURS
    words: str = ""
    a: str = ""
    b: str = ""
    c: str = ""
    d: str = ""

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes of the view."""
        return _AXES[self.view]

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the view needs."""
        return ("words", *(side for axis in self.axes for side in axis)) if self.axes else ("word",)

    @property
    def is_complete(self) -> bool:
        """Whether all fields of the view are filled in."""
        return all(getattr(self, name).strip() for name in self.fields)

    @property
    def query(self) -> str:
        """The query of the address, without what has its default value."""
        parts: list[tuple[str, str]] = []
        if self.view != "near":
            parts.append(("view", self.view))
        parts += [("source", source) for source in self.sources]
        parts += [(name, getattr(self, name)) for name in self.fields if getattr(self, name)]
        if self.view == "near" and self.n != DEFAULT_NEIGHBOURS:
            parts.append(("n", str(self.n)))
        return urlencode(parts)

    def read(self, name: str, settings: Settings) -> WordSetInput:
        """Read one of the word sets."""
        return read_set(getattr(self, name), settings)


WordQuery = Annotated[
    str, Query(max_length=100, description="The word whose neighbours to return.")
]
CountQuery = Annotated[int, Query(ge=1, le=200, description="The number of neighbours.")]


async def _read_exploration(
    view: Annotated[View, Query(description="Neighbours, one axis or two.")] = "near",
    source: SourcesQuery = (),
    word: WordQuery = "",
    n: CountQuery = DEFAULT_NEIGHBOURS,
    words: SetQuery = "",
    a: SetQuery = "",
    b: SetQuery = "",
    c: SetQuery = "",
    d: SetQuery = "",
) -> Exploration:
    sources = tuple(dict.fromkeys(filter(None, source)))
    return Exploration(view, sources, word.strip(), n, words, a, b, c, d)


ExplorationQuery = Annotated[Exploration, Depends(_read_exploration)]
"""The question of an address, as an argument of a route."""


# Neighbours


@dataclass(frozen=True)
class Neighbour:
    """A neighbouring word and its cosine similarity."""

    word: JsonText
    cosine: float


@dataclass(frozen=True)
class Neighbours:
    """The neighbours of a word in one source, nearest first; `reason` says why there are none.

    `word` is the word as the source spells it.
    """

    source: str
    word: JsonText = ""
    reason: JsonText = ""
    neighbours: tuple[Neighbour, ...] = ()


async def find_neighbours(
    session: Session, exploration: Exploration, job: str = ""
) -> list[Neighbours]:
    """Find the nearest neighbours of a word, source by source."""
    if not exploration.word:
        raise UsageError("Type a word to see its neighbours.")
    vectors = await session.sources.open(exploration.sources, job)

    numbers = sum(len(source) * source.dim for source in vectors.values())
    is_long = numbers > MAX_QUICK_NUMBERS

    def work(report: Callable[..., None]) -> list[Neighbours]:
        word, count = exploration.word, exploration.n
        if not is_long:
            return _neighbours_in_all(report, vectors, word, count)
        references = session.sources.refer(vectors)
        return session.jobs.call(report, _neighbours_in_process, references, word, count)

    key = ("neighbours", exploration.word, exploration.n, *fingerprints(vectors))
    return await session.jobs.answer(key, "Finding neighbours", work, is_long=is_long, job=job)


def _neighbours_in_process(
    report: Callable[..., None], references: Sequence[SourceReference], word: str, count: int
) -> list[Neighbours]:
    return _neighbours_in_all(report, open_all(references, report), word, count)


def _neighbours_in_all(
    report: Callable[..., None], vectors: Mapping[str, Vectors], word: str, count: int
) -> list[Neighbours]:
    lists = []
    for done, (name, source) in enumerate(vectors.items()):
        report(done, len(vectors))
        lists.append(_neighbours_in(name, source, word, count))
    return lists


def _neighbours_in(source: str, vectors: Vectors, word: str, count: int) -> Neighbours:
    try:
        # Many files write phrases with underscores.
        spellings = (word, word.replace(" ", "_"))
        lookups = [find_words(vectors, [spelling], "auto") for spelling in spellings]
        spelled = next((lookup.words[0] for lookup in lookups if lookup.words), None)
        if spelled is None:
            frequent = list(islice(vectors.words, MAX_SUGGESTION_WORDS))
            hint = did_you_mean(word.lower(), frequent)
            return Neighbours(source, reason=f"This embedding does not have the word.{hint}")
        nearest = vectors.neighbours(spelled, count)
        return Neighbours(
            source, spelled, "", tuple(Neighbour(near, cosine) for near, cosine in nearest)
        )
    except WeatherglassError as error:
        return Neighbours(source, reason=str(error))


# Words on axes


@dataclass(frozen=True)
class Position:
    """A word and its cosine with each axis, in the order in which the axes were given."""

    word: JsonText
    places: tuple[float, ...]


@dataclass(frozen=True)
class SourcePositions:
    """The words in one source; `missing` has the words that it lacks, by set."""

    source: str
    status: str
    reason: JsonText
    words: tuple[Position, ...]
    missing: dict[str, tuple[JsonText, ...]]


@dataclass(frozen=True, eq=False)
class Placement:
    """Words on the axes of a view, source by source; `labels` are what the sets stand for."""

    exploration: Exploration
    results: Mapping[str, tuple[MeasureResult, ...]]
    labels: Mapping[str, str]
    key: tuple[object, ...]

    @property
    def done(self) -> dict[str, tuple[MeasureResult, ...]]:
        """The sources in which every axis could be computed."""
        return {
            name: results
            for name, results in self.results.items()
            if all(result.status == "done" for result in results)
        }

    @property
    def ends(self) -> list[tuple[str, str]]:
        """The labels of the low and the high end of each axis."""
        return [(self.labels[low], self.labels[high]) for high, low in self.exploration.axes]

    def explain(self, source: str) -> str:
        """Say why the axes could not be computed in a source, with the sets named by label."""
        for result, (high, low) in zip(self.results[source], self.exploration.axes, strict=True):
            if result.status == "done":
                continue
            subject = re.match(r"A and B(?= have)|[XAB](?= has)", result.reason)
            if subject is None:
                return f"{result.reason}."
            names = {"X": "the list", "A": self.labels[high], "B": self.labels[low]}
            labels = " and ".join(names[side] for side in subject[0].split(" and "))
            return f"{labels}{result.reason[len(subject[0]) :]}."
        return ""

    def missing(self, source: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the words that a source lacks, by set; complete sets are left out."""
        axes = self.exploration.axes
        for result, axis in zip(self.results[source], axes, strict=True):
            names = {"X": "words", "A": axis[0], "B": axis[1]}
            for side, words in result.missing.items():
                is_repeated = side == "X" and axis != axes[0]  # the same list on both axes
                if words and not is_repeated:
                    yield names[side], words

    def positions(self, source: str) -> list[Position]:
        """Return the words of a source with their cosines; none if an axis was not computed."""
        if source not in self.done:
            return []
        results = self.results[source]
        places = zip(*(result.by_word["X"] for result in results), strict=True)
        return [
            Position(word, place) for word, place in zip(results[0].words["X"], places, strict=True)
        ]

    def by_word(self) -> dict[str, dict[str, tuple[float, ...]]]:
        """Return the places of each word by source, sorted by the mean cosine with axis 1."""
        places: dict[str, dict[str, tuple[float, ...]]] = {}
        for name in self.done:
            for position in self.positions(name):
                places.setdefault(position.word, {})[name] = position.places
        means = {
            word: sum(place[0] for place in by_source.values()) / len(by_source)
            for word, by_source in places.items()
        }
        return {word: places[word] for word in sorted(places, key=lambda word: -means[word])}

    def to_records(self) -> list[SourcePositions]:
        """Return the words source by source, ready for JSON."""
        return [
            SourcePositions(
                source=name,
                status="done" if name in self.done else "not run",
                reason=next((r.reason for r in results if r.status != "done"), ""),
                words=tuple(self.positions(name)),
                missing=dict(self.missing(name)),
            )
            for name, results in self.results.items()
        ]


async def place_words(session: Session, exploration: Exploration, job: str = "") -> Placement:
    """Place a list of words on one axis or two, each defined by two sets of words (SemAxis)."""
    sets = {name: exploration.read(name, session.settings) for name in exploration.fields}
    empty = next((name for name, word_set in sets.items() if not word_set.words), None)
    if empty is not None:
        what = "The list of words" if empty == "words" else f"Set {empty.upper()}"
        raise UsageError(f"{what} is empty; the list and both ends of an axis need words.")
    vectors = await session.sources.open(exploration.sources, job)

    def work(report: Callable[..., None]) -> dict[str, tuple[MeasureResult, ...]]:
        results = {}
        for done, (name, source) in enumerate(vectors.items()):
            report(done, len(vectors))
            results[name] = tuple(_semaxis(source, sets, axis) for axis in exploration.axes)
        return results

    key = ("places", exploration.axes, tuple(sets.values()), *fingerprints(vectors))
    results = await session.jobs.answer(key, "Placing the words", work, job=job)
    labels = {
        name: word_set.label or _first_words(word_set.words) for name, word_set in sets.items()
    }
    return Placement(exploration, results, labels, (*key, *vectors))


def _semaxis(vectors: Vectors, sets: Mapping[str, WordSetInput], axis: Axis) -> MeasureResult:
    high, low = axis
    words = {"X": sets["words"].words, "A": sets[high].words, "B": sets[low].words}
    # A picture, not a test: the ends of an axis may be among the words, to show where they are.
    return measure(vectors, "semaxis", words, max_missing=1.0, allow_overlap=True)


def _first_words(words: tuple[str, ...]) -> str:
    return ", ".join(words[:2]) + (", …" if len(words) > 2 else "")
