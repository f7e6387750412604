"""What Explore is asked: neighbours of a word, or words on one axis or two."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query

from weatherglass.errors import UsageError, WeatherglassError, did_you_mean
from weatherglass.measures import MeasureResult, find_words, measure
from weatherglass.vectors import Vectors

from ..ask import MAX_SET_CHARACTERS
from ..session import Session
from ..settings import Settings
from ..sources import fingerprints
from ..word_sets import WordSetInput, read_set

View = Literal["near", "axis", "map"]
Axis = tuple[str, str]
"""The letters of the sets at the high end and at the low end."""

_AXES: dict[View, tuple[Axis, ...]] = {
    "near": (),
    "axis": (("a", "b"),),
    "map": (("a", "b"), ("c", "d")),
}
DEFAULT_NEIGHBOURS = 20
"""So many neighbours, where nothing else is said."""


@dataclass(frozen=True)
class Exploration:
    """What is looked at: the whole of it stands in the address.

    Examples
    --------
    >>> Exploration(sources=("default",), word="nurse").query
    'source=default&word=nurse'
    >>> Exploration(view="axis", words="nurse", a="she", b="he").is_whole
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
        """What the view needs to know."""
        return ("words", *(one for axis in self.axes for one in axis)) if self.axes else ("word",)

    @property
    def is_whole(self) -> bool:
        """Whether there is enough to look at."""
        return all(getattr(self, name).strip() for name in self.fields)

    @property
    def query(self) -> str:
        """The same as the end of an address, without what goes without saying."""
        parts: list[tuple[str, str]] = []
        if self.view != "near":
            parts.append(("view", self.view))
        parts += [("source", one) for one in self.sources]
        parts += [(name, getattr(self, name)) for name in self.fields if getattr(self, name)]
        if self.view == "near" and self.n != DEFAULT_NEIGHBOURS:
            parts.append(("n", str(self.n)))
        return urlencode(parts)

    def read(self, name: str, settings: Settings) -> WordSetInput:
        """One of the word sets."""
        return read_set(getattr(self, name), settings)


SetQuery = Annotated[
    str, Query(max_length=MAX_SET_CHARACTERS, description="Words, or @ and a set's id.")
]
SourcesQuery = Annotated[
    tuple[Annotated[str, Query(max_length=200)], ...],
    Query(max_length=50, description="Sources by name; without one, the first."),
]
WordQuery = Annotated[
    str, Query(max_length=100, description="The word whose neighbours are meant.")
]
CountQuery = Annotated[int, Query(ge=1, le=200, description="How many neighbours.")]


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
    return Exploration(
        view, tuple(dict.fromkeys(filter(None, source))), word.strip(), n, words, a, b, c, d
    )


ExplorationQuery = Annotated[Exploration, Depends(_read_exploration)]
"""What an address asks Explore, as an argument of a route."""


MAX_SUGGESTION_WORDS = (
    20_000  # of the most frequent words, among which a misspelt one is looked for
)
MAX_QUICK_NUMBERS = 100_000_000  # numbers; to compare a word with more of them takes seconds


@dataclass(frozen=True)
class Near:
    """The neighbours of a word in one source, as it spells it; or why there are none."""

    spelled: str = ""
    found: tuple[tuple[str, float], ...] = ()
    reason: str = ""


async def find_neighbours(here: Session, look: Exploration, job: str = "") -> dict[str, Near]:
    """The nearest words, source by source."""
    if not look.word:
        raise UsageError("There is no word; neighbours are those of a word.")
    vectors = await here.sources.opened(look.sources, job)

    def work(report: Callable[..., None]) -> dict[str, Near]:
        made = {}
        for done, (name, one) in enumerate(vectors.items()):
            report(done, len(vectors))
            made[name] = _neighbours_of(one, look.word, look.n)
        return made

    key = ("near", look.word, look.n, *fingerprints(vectors))
    numbers = sum(len(one) * one.dim for one in vectors.values())
    return await here.jobs.answer(
        key, "Looking for neighbours", work, is_long=numbers > MAX_QUICK_NUMBERS, job=job
    )


def _neighbours_of(vectors: Vectors, word: str, count: int) -> Near:
    try:
        # Many files write a phrase with underscores.
        ways = [find_words(vectors, [way], "auto") for way in (word, word.replace(" ", "_"))]
        spelled = next((one.words[0] for one in ways if one.words), None)
        if spelled is None:
            known = list(islice(vectors.words, MAX_SUGGESTION_WORDS))
            return Near(reason=f"It does not have this word.{did_you_mean(word.lower(), known)}")
        return Near(spelled, tuple(vectors.neighbours(spelled, count)))
    except WeatherglassError as error:
        return Near(reason=str(error))


@dataclass(frozen=True, eq=False)
class Placement:
    """Words on the axes of a view, source by source; `labels` are what their ends stand for."""

    look: Exploration
    results: Mapping[str, tuple[MeasureResult, ...]]
    labels: Mapping[str, str]
    key: tuple[object, ...]

    @property
    def done(self) -> dict[str, tuple[MeasureResult, ...]]:
        """The sources in which every axis could be made."""
        every = self.results.items()
        return {name: some for name, some in every if all(one.status == "done" for one in some)}

    @property
    def sides(self) -> list[tuple[str, str]]:
        """What lies at the low and the high end of each axis."""
        return [(self.labels[low], self.labels[high]) for high, low in self.look.axes]

    def why(self, source: str) -> str:
        """Why the axes could not be made in a source, with the sets called as they are shown."""
        for one, (high, low) in zip(self.results[source], self.look.axes, strict=True):
            if one.status != "done":
                names = {"X": "the list", "A": self.labels[high], "B": self.labels[low]}
                begins = re.match(r"A and B(?= have)|[XAB](?= has)", one.reason)
                told = (
                    " and ".join(names[part] for part in begins[0].split(" and ")) if begins else ""
                )
                return f"{told}{one.reason[len(begins[0]) :]}." if begins else f"{one.reason}."
        return ""

    def missing(self, source: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The words that a source lacks, by set; sets that are whole are left out."""
        for one, axis in zip(self.results[source], self.look.axes, strict=True):
            names = {"X": "words", "A": axis[0], "B": axis[1]}
            for side, gone in one.missing.items():
                if gone and not (side == "X" and axis != self.look.axes[0]):
                    yield names[side], gone

    def places(self) -> dict[str, dict[str, tuple[float, ...]]]:
        """Word, source, place on each axis; the words with the largest first place on top."""
        made: dict[str, dict[str, tuple[float, ...]]] = {}
        for name, some in self.done.items():
            numbers = zip(*(one.by_word["X"] for one in some), strict=True)
            for word, at in zip(some[0].words["X"], numbers, strict=True):
                made.setdefault(word, {})[name] = at
        means = {
            word: sum(at[0] for at in some.values()) / len(some) for word, some in made.items()
        }
        return {word: made[word] for word in sorted(made, key=lambda word: -means[word])}


async def place_words(here: Session, look: Exploration, job: str = "") -> Placement:
    """The words of a list on one axis or two, each from one set of words to another."""
    sets = {name: look.read(name, here.settings) for name in look.fields}
    empty = next((name for name, one in sets.items() if not one.words), None)
    if empty is not None:
        what = "The list of words" if empty == "words" else f"The set {empty.upper()}"
        raise UsageError(f"{what} is empty; the list and both ends of an axis need words.")
    vectors = await here.sources.opened(look.sources, job)

    def work(report: Callable[..., None]) -> dict[str, tuple[MeasureResult, ...]]:
        made = {}
        for done, (name, one) in enumerate(vectors.items()):
            report(done, len(vectors))
            made[name] = tuple(_semaxis(one, sets, axis) for axis in look.axes)
        return made

    key = ("placed", look.axes, tuple(sets.values()), *fingerprints(vectors))
    results = await here.jobs.answer(key, "Placing the words", work, job=job)
    labels = {name: one.label or _first_words(one.words) for name, one in sets.items()}
    return Placement(look, results, labels, (*key, *vectors))


def _semaxis(vectors: Vectors, sets: Mapping[str, WordSetInput], axis: Axis) -> MeasureResult:
    high, low = axis
    words = {"X": sets["words"].words, "A": sets[high].words, "B": sets[low].words}
    return measure(vectors, "semaxis", words, max_missing=1.0)


def _first_words(words: tuple[str, ...]) -> str:
    return ", ".join(words[:2]) + (", …" if len(words) > 2 else "")
