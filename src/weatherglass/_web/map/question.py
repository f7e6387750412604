"""The question that an address asks the Map, and the jobs that answer it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Annotated, Literal
from urllib.parse import urlencode

import numpy as np
from fastapi import Depends, Query

from weatherglass.catalog import is_slur, mask_slurs
from weatherglass.errors import UsageError, WeatherglassError
from weatherglass.measures import find_words
from weatherglass.report import classes_of_sets, spell
from weatherglass.vectors import Vectors

from ..explore import WordQuery
from ..jobs import Busy, Cancelled, Job, Working
from ..responses import error_text, escape_surrogates
from ..session import Session, SourcesQuery
from ..settings import Settings
from ..word_sets import SetQuery, WordSetInput, read_set
from .neighbourhoods import Neighbourhoods, find_or_place, find_saved
from .projection import (
    Bounds,
    Contribution,
    Projection,
    WordAxis,
    encode_coordinates,
    find_axis,
    find_bounds,
    fit_components,
    frequent_positions,
    project_on_axes,
    project_words,
)

Layout = Literal["components", "neighbourhoods", "axes"]
MAX_MAPS = 2
"""How many embeddings are shown side by side."""

MAX_QUICK_DIM = 1000
"""Principal components of longer vectors take seconds, and are a long job."""

GROUPS = ("x", "y", "words")
POLES = (("a", "b"), ("c", "d"))
"""The high and the low end of the horizontal and of the vertical axis, as in Explore."""


@dataclass(frozen=True)
class MapQuestion:
    """What an address asks the Map; sets that an address lacks are those of the defaults.

    Examples
    --------
    >>> MapQuestion(layout="axes", word="nurse").query
    'layout=axes&word=nurse'
    """

    sources: tuple[str, ...] = ()
    layout: Layout = "components"
    x: str = "@weat6.X"
    y: str = "@weat6.Y"
    words: str = (
        "nurse, librarian, teacher, hairdresser, secretary, lawyer, journalist, doctor, scientist, "
        "surgeon, professor, farmer, soldier, programmer, engineer, mechanic, carpenter, plumber, "
        "banker, waiter, cleaner, maid"
    )
    a: str = "@female_1-Caliskan_et_al_2017"
    b: str = "@male_1-Caliskan_et_al_2017"
    c: str = "@upperclass-Kozlowski_et_al_2019"
    d: str = "@lowerclass-Kozlowski_et_al_2019"
    word: str = ""

    @property
    def query(self) -> str:
        """The query of the address, without what has its default value."""
        parts = [("source", source) for source in self.sources]
        for item in fields(self)[1:]:
            text = getattr(self, item.name)
            if text != item.default:
                parts.append((item.name, text))
        return urlencode(parts)

    def read(self, name: str, settings: Settings) -> WordSetInput:
        """Read one of the word sets."""
        return read_set(getattr(self, name), settings)


_DEFAULT = MapQuestion()


async def _read_question(
    source: SourcesQuery = (),
    layout: Annotated[
        Layout,
        Query(description="Principal components, UMAP, or axes between word sets."),
    ] = "components",
    x: SetQuery = _DEFAULT.x,
    y: SetQuery = _DEFAULT.y,
    words: SetQuery = _DEFAULT.words,
    a: SetQuery = _DEFAULT.a,
    b: SetQuery = _DEFAULT.b,
    c: SetQuery = _DEFAULT.c,
    d: SetQuery = _DEFAULT.d,
    word: WordQuery = "",
) -> MapQuestion:
    sources = tuple(dict.fromkeys(filter(None, source)))
    return MapQuestion(sources, layout, x, y, words, a, b, c, d, word.strip())


MapQuery = Annotated[MapQuestion, Depends(_read_question)]
"""The question of an address, as an argument of a route."""


# The cloud: all frequent words


@dataclass(frozen=True, eq=False)
class Cloud:
    """The frequent words of a source with their principal components.

    `bounds` are the left, right, lower and upper end of the window that holds nearly all of them.
    """

    positions: np.ndarray[tuple[int, ...], np.dtype[np.intp]]
    projection: Projection
    encoded: bytes
    bounds: Bounds


async def open_sources(session: Session, question: MapQuestion, job: str) -> dict[str, Vectors]:
    """Open the sources of a question.

    Raises
    ------
    UsageError
        There are more than can be shown side by side.
    """
    if len(question.sources) > MAX_MAPS:
        raise UsageError(f"Choose at most {MAX_MAPS} embeddings to see them side by side.")
    return await session.sources.open(question.sources, job)


async def find_cloud(session: Session, vectors: Vectors, job: str = "") -> Cloud:
    """Return the frequent words of a source on two principal components."""

    def work(report: Callable[..., None]) -> Cloud:
        positions = frequent_positions(vectors)
        projection = fit_components(vectors, positions)
        coordinates = project_words(vectors, positions, projection)
        encoded = encode_coordinates(coordinates)
        return Cloud(positions, projection, encoded, find_bounds(coordinates))

    is_long = vectors.dim > MAX_QUICK_DIM
    key = ("map components", vectors.fingerprint)
    what = "Computing principal components"
    return await session.jobs.answer(key, what, work, is_long=is_long, job=job)


@dataclass(frozen=True, eq=False)
class AxesCloud:
    """The frequent words of a source on two axes."""

    axes: tuple[WordAxis, ...]
    projection: Projection
    encoded: bytes
    bounds: Bounds


async def find_axes_cloud(
    session: Session, question: MapQuestion, vectors: Vectors, cloud: Cloud, job: str = ""
) -> AxesCloud:
    """Return the frequent words of a source on the axes of a question.

    Raises
    ------
    UsageError
        A set is empty.
    CannotMeasure
        The source has no word of a set, or both ends of an axis have the same mean.
    """
    sets = read_poles(question, session.settings)

    def work(report: Callable[..., None]) -> AxesCloud:
        axes = tuple(find_axis(vectors, sets[high].words, sets[low].words) for high, low in POLES)
        projection = project_on_axes(axes)
        coordinates = project_words(vectors, cloud.positions, projection)
        encoded = encode_coordinates(coordinates)
        return AxesCloud(axes, projection, encoded, find_bounds(coordinates))

    words = tuple(word_set.words for word_set in sets.values())
    key = ("map axes", words, vectors.fingerprint, vectors.source)
    return await session.jobs.answer(key, "Placing words on axes", work, job=job)


def read_poles(question: MapQuestion, settings: Settings) -> dict[str, WordSetInput]:
    """Read the four ends of the axes; raise `UsageError` where one has no words."""
    sets = {name: question.read(name, settings) for axis in POLES for name in axis}
    titles = {"a": "right", "b": "left", "c": "upper", "d": "lower"}
    for name, word_set in sets.items():
        if not word_set.words:
            raise UsageError(f"The {titles[name]} end of the axes is empty; give it words.")
    return sets


def label_set(word_set: WordSetInput) -> str:
    """Return what a set stands for: its label, or its first words."""
    first = ", ".join(word_set.words[:2]) + (", …" if len(word_set.words) > 2 else "")
    return word_set.label or first


# Marked words


@dataclass(frozen=True)
class Mark:
    """A word of a group with its coordinates in each layout, None where it has no place."""

    word: str
    group: str
    css_class: str
    components: tuple[float, float]
    axes: tuple[float, float] | None
    neighbourhoods: tuple[float, float] | None = None

    @property
    def text(self) -> str:
        """The word as a label, masked if it is a slur."""
        return spell(self.word, mask=True)

    @property
    def slur(self) -> str:
        """The word as a label, if it is a slur."""
        return spell(self.word) if is_slur(self.word) else ""

    def at(self, layout: Layout) -> tuple[float, float] | None:
        """Return the coordinates in a layout, if the word has a place there."""
        return {
            "components": self.components,
            "neighbourhoods": self.neighbourhoods,
            "axes": self.axes,
        }[layout]


@dataclass(frozen=True, eq=False)
class SourceMap:
    """The map of a source: its marked words, the words it lacks, and the bounds of each layout.

    `bounds` has only the layouts that are known. `reason` says why there are no axes, and `note`
    why there are no neighbourhoods; while those are placed, `computing` is the job that does it.
    """

    source: str
    count: int
    shares: tuple[float, ...]
    marks: tuple[Mark, ...]
    missing: tuple[str, ...]
    bounds: dict[str, Bounds]
    reason: str = ""
    note: str = ""
    computing: Job | None = None

    @property
    def unplaced(self) -> tuple[str, ...]:
        """The marked words without a place among the neighbourhoods, because they are rare."""
        if "neighbourhoods" not in self.bounds:
            return ()
        return tuple(mark.word for mark in self.marks if mark.neighbourhoods is None)


@dataclass(frozen=True)
class Group:
    """A group of marked words: its label, and the class that gives it a colour."""

    name: str
    label: str
    css_class: str
    words: tuple[str, ...]


def read_groups(question: MapQuestion, settings: Settings) -> list[Group]:
    """Read the groups of marked words; empty ones are left out."""
    sets = {name: question.read(name, settings) for name in GROUPS}
    sides = dict(zip(GROUPS, "XYA", strict=True))
    described = {sides[name]: (group.label, group.words) for name, group in sets.items()}
    classes = classes_of_sets({**described, "B": ("", ())})
    return [
        Group(
            name,
            label_set(word_set) if name != "words" or word_set.label else "Other words",
            classes[sides[name]],
            word_set.words,
        )
        for name, word_set in sets.items()
        if word_set.words
    ]


async def draw_source(
    session: Session, question: MapQuestion, vectors: Vectors, groups: Sequence[Group], job: str
) -> SourceMap:
    """Return the map of a source."""
    cloud = await find_cloud(session, vectors, job)
    axes: AxesCloud | None = None
    reason = ""
    try:
        axes = await find_axes_cloud(session, question, vectors, cloud, job)
    except (Busy, Cancelled):
        raise
    except WeatherglassError as error:  # the principal components can be drawn all the same
        reason = error_text(error)

    near = await find_saved(session, vectors, cloud.positions, job)
    computing, note = None, ""
    if near is None and question.layout == "neighbourhoods":
        try:
            near = await find_or_place(session, vectors, cloud.positions, job, wait_seconds=0)
        except Working as working:  # the principal components are shown until then
            computing = working.job
        except WeatherglassError as error:
            note = error_text(error)

    def work(report: Callable[..., None]) -> SourceMap:
        return _mark_words(vectors, groups, cloud, axes, near, reason)

    poles = tuple((axis.high.words, axis.low.words) for axis in axes.axes) if axes else ()
    known = (tuple(groups), poles, reason, near is None)
    key = ("map marks", *known, vectors.fingerprint, vectors.source)
    marked = await session.jobs.answer(key, "Placing words", work, job=job)
    return replace(marked, computing=computing, note=note)


def _mark_words(
    vectors: Vectors,
    groups: Sequence[Group],
    cloud: Cloud,
    axes: AxesCloud | None,
    near: Neighbourhoods | None,
    reason: str,
) -> SourceMap:
    ranks = np.full(len(vectors), -1)
    ranks[cloud.positions] = np.arange(len(cloud.positions))
    marks: dict[str, Mark] = {}  # a word of several groups belongs to the first
    missing: list[str] = []
    for group in groups:
        lookup = find_words(vectors, group.words, "auto")
        missing += lookup.missing
        components = cloud.projection.place(lookup.rows).tolist()
        on_axes = axes.projection.place(lookup.rows).tolist() if axes else []
        of_words = ranks[vectors.words.find(lookup.words)]
        for index, (word, place) in enumerate(zip(lookup.words, components, strict=True)):
            on_both = (on_axes[index][0], on_axes[index][1]) if axes else None
            x, y = near.coordinates[of_words[index]].tolist() if near else (0.0, 0.0)
            by_umap = (x, y) if near and of_words[index] >= 0 else None
            mark = Mark(word, group.label, group.css_class, (place[0], place[1]), on_both, by_umap)
            marks.setdefault(word, mark)
    bounds = {"components": _include(cloud.bounds, [mark.components for mark in marks.values()])}
    if axes:
        places = [mark.axes for mark in marks.values() if mark.axes is not None]
        bounds["axes"] = _include(axes.bounds, [*places, (0.0, 0.0)])
    if near:
        placed = [mark.neighbourhoods for mark in marks.values() if mark.neighbourhoods is not None]
        bounds["neighbourhoods"] = _include(near.bounds, placed)
    return SourceMap(
        vectors.source,
        len(cloud.positions),
        cloud.projection.shares,
        tuple(marks.values()),
        tuple(dict.fromkeys(missing)),
        bounds,
        reason,
    )


def _include(bounds: Bounds, places: Sequence[tuple[float, float]]) -> Bounds:
    """Widen a window so that it holds places."""
    left, right, low, high = bounds
    across, up = [x for x, _ in places], [y for _, y in places]
    return (min([left, *across]), max([right, *across]), min([low, *up]), max([high, *up]))


# One word


@dataclass(frozen=True)
class AxisExplanation:
    """Why a word is where it is on an axis: its coordinate, and what each seed contributes.

    `low` and `high` are the labels of the ends, and the classes give them a colour.
    """

    low: str
    high: str
    low_class: str
    high_class: str
    coordinate: float
    contributions: tuple[Contribution, ...]


async def explain_word(
    session: Session, question: MapQuestion, vectors: Vectors, job: str = ""
) -> list[AxisExplanation]:
    """Return what each seed word contributes to the coordinates of the question's word.

    The list is empty where the source does not have the word.
    """
    cloud = await find_cloud(session, vectors, job)
    axes = await find_axes_cloud(session, question, vectors, cloud, job)
    lookup = find_words(vectors, [question.word], "auto")
    if not lookup.words:
        lookup = find_words(vectors, [question.word.replace(" ", "_")], "auto")
    if not lookup.words:
        return []
    sets = read_poles(question, session.settings)
    explanations = []
    for axis, (high, low), coordinate in zip(
        axes.axes, POLES, axes.projection.place(lookup.rows)[0].tolist(), strict=True
    ):
        ends = {"X": (sets[high].label, sets[high].words), "Y": (sets[low].label, sets[low].words)}
        classes = classes_of_sets({**ends, "A": ("", ()), "B": ("", ())})
        explanations.append(
            AxisExplanation(
                label_set(sets[low]),
                label_set(sets[high]),
                classes["Y"],
                classes["X"],
                coordinate,
                tuple(axis.contributions(lookup.rows[0])),
            )
        )
    return explanations


# Words for the script


@dataclass(frozen=True)
class CloudWords:
    """The frequent words of a source, most frequent first.

    `words` are spelled as a page shows them and `names` as the source does, where that differs;
    `masks` replace slurs. Both are by the index of the word.
    """

    words: list[str]
    names: dict[str, str]
    masks: dict[str, str]


async def list_cloud_words(session: Session, vectors: Vectors, job: str = "") -> CloudWords:
    """Return the frequent words of a source, in the order of their encoded coordinates."""
    cloud = await find_cloud(session, vectors, job)

    def work(report: Callable[..., None]) -> CloudWords:
        names = [escape_surrogates(word) for word in vectors.words.at(cloud.positions)]
        words = [spell(name) for name in names]
        differing = {
            str(index): name
            for index, (name, word) in enumerate(zip(names, words, strict=True))
            if name != word
        }
        masks = {
            str(index): spell(mask_slurs(name)) for index, name in enumerate(names) if is_slur(name)
        }
        return CloudWords(words, differing, masks)

    return await session.jobs.answer(
        ("map words", vectors.fingerprint), "Listing words", work, job=job
    )
