"""The search that an address asks for, and the jobs that run it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query

from weatherglass.discovery import Category, Cell, Comparison, Discovery, Group
from weatherglass.errors import (
    UnknownEntry,
    UsageError,
    WeatherglassError,
    did_you_mean,
    quote_safe,
)
from weatherglass.tasks import Checkpoint
from weatherglass.vectors import Vectors

from ..explore import Neighbour
from ..jobs import Cancelled
from ..session import Session
from ..sources import SourceReference, fingerprints, open_all

NameList = Literal["ssa", "surnames", "auto"]
Control = Literal["auto", "frequency", "none"]
MAX_VALUES = {
    "groups": 50,
    "categories": 500,
    "words": 200_000,
    "per_cell": 10,
    "rotations": 100_000,
    "placebo": 10,
}
"""The largest values of a search, so that it fits into memory and ends within a day."""

NEIGHBOURS_PER_WORD = 8
SearchResult = Discovery | Comparison


# The search


@dataclass(frozen=True)
class Search:
    """A discovery on one source, or the comparison of two; the defaults are the paper's.

    Names come from the catalogue: requests never name files.

    Examples
    --------
    >>> Search(source="default", rotations=1000).query
    'source=default&rotations=1000'
    >>> Search(source="default").options["rng"]
    0
    """

    source: str = ""
    against: str = ""
    names: NameList = "ssa"
    groups: int = 12
    categories: int = 64
    words: int = 30_000
    per_cell: int = 3
    rotations: int = 10_000
    alpha: float = 0.05
    control: Control = "auto"
    placebo: int = 0
    seed: int = 0

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources, one or two."""
        return tuple(dict.fromkeys(filter(None, (self.source, self.against))))

    @property
    def is_comparison(self) -> bool:
        """Whether two sources are compared."""
        return len(self.sources) == 2

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the address, without what has its default value."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        defaults = {field.name: field.default for field in fields(self)}
        return {name: value for name, value in values.items() if value != defaults[name]}

    @property
    def query(self) -> str:
        """The query of the address."""
        return urlencode(self.parameters)

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `weatherglass.discover`."""
        others = ("source", "against", "seed")
        values = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name not in others
        }
        return values | {"rng": self.seed}


def _bounded(name: str, minimum: int, description: str) -> Any:
    return Query(ge=minimum, le=MAX_VALUES[name], description=description)


CellId = Annotated[str, Query(max_length=60, description="The id of a group or a category.")]


async def _read_search(
    source: Annotated[str, Query(max_length=200, description="A source by name.")] = "",
    against: Annotated[
        str, Query(max_length=200, description="A second source, to compare with the first.")
    ] = "",
    names: Annotated[NameList, Query(description="Which list of names.")] = "ssa",
    groups: Annotated[int, _bounded("groups", 2, "Groups of names.")] = 12,
    categories: Annotated[int, _bounded("categories", 1, "Categories of words.")] = 64,
    words: Annotated[int, _bounded("words", 1, "Most frequent words.")] = 30_000,
    per_cell: Annotated[int, _bounded("per_cell", 1, "Words per cell.")] = 3,
    rotations: Annotated[int, _bounded("rotations", 1, "Random rotations.")] = 10_000,
    alpha: Annotated[float, Query(gt=0, lt=1, description="False discovery rate.")] = 0.05,
    control: Annotated[Control, Query(description="Whether to control for frequency.")] = "auto",
    placebo: Annotated[
        int, _bounded("placebo", 0, "Searches with random words in place of the names.")
    ] = 0,
    seed: Annotated[int, Query(ge=0, lt=1 << 32, description="Random seed.")] = 0,
) -> Search:
    return Search(
        source=source,
        against="" if against == source else against,
        names=names,
        groups=groups,
        categories=categories,
        words=words,
        per_cell=per_cell,
        rotations=rotations,
        alpha=alpha,
        control=control,
        placebo=0 if against and against != source else placebo,
        seed=seed,
    )


SearchQuery = Annotated[Search, Depends(_read_search)]
"""The search of an address, as an argument of a route."""


# The jobs


FIRST_STEP = "Clustering names into groups and words into categories"
BACKGROUND_NICENESS = 5
OPENING_SEARCH = Search(source="default", rotations=1000, placebo=1)
"""The search with which the page opens, if the server offers the bundled embedding."""


async def run_search(session: Session, search: Search, job: str = "") -> SearchResult:
    """Run a search, resuming from the saved rotations of an earlier run of the same search."""
    if not search.source:
        raise UsageError("Choose an embedding to search.")
    vectors = await session.sources.open(search.sources, job)
    key, work = _prepare(session, search, vectors)
    try:
        return await session.jobs.answer(key, FIRST_STEP, work, is_long=True, job=job)
    except Cancelled as error:
        raise Cancelled(f"{error} The same search resumes where it stopped.") from None


def start_opening_search(session: Session) -> None:
    """Start the search with which the page opens; other jobs do not wait for it."""

    def start(report: Callable[..., None]) -> None:
        with suppress(WeatherglassError):  # there is no such source, or it cannot be opened
            source = session.sources.find(OPENING_SEARCH.source)
            vectors = {source.name: source.open(report, session.jobs)}
            key, work = _prepare(session, OPENING_SEARCH, vectors, niceness=BACKGROUND_NICENESS)
            session.jobs.start(key, FIRST_STEP, work, is_long=True, is_background=True)

    session.jobs.start(
        ("open discovery",), "Opening the embedding", start, is_long=True, is_background=True
    )


def find_opening_search(session: Session) -> Search | None:
    """Return the search with which the page opens, if it was started and did not fail."""
    started = list_searches(session)
    return OPENING_SEARCH if OPENING_SEARCH in started else None


def list_searches(session: Session) -> list[Search]:
    """Return the searches of the session that did not fail, the latest first."""
    keys = [job.key for job in session.jobs.of_kind("discover")]
    return [key[1] for key in keys if isinstance(key, tuple)]


def _prepare(
    session: Session, search: Search, vectors: Mapping[str, Vectors], niceness: int = 0
) -> tuple[tuple[object, ...], Callable[..., SearchResult]]:
    """Return the key and the work of the job that runs a search."""

    def work(report: Callable[..., None]) -> SearchResult:
        references = session.sources.refer(vectors)
        # Saved rotations of a search in an upload are deleted with the upload.
        cache = next((entry.cache for entry in references if entry.cache), None)

        def run() -> SearchResult:
            return session.jobs.call(
                report, search_in_process, references, search, niceness, cache=cache
            )

        # Nothing of an upload is kept outside its own folder.
        is_kept = search == OPENING_SEARCH and cache is None
        return load_or_run(search, vectors, run) if is_kept else run()

    return ("discover", search, fingerprints(vectors)), work


def load_or_run(
    search: Search, vectors: Mapping[str, Vectors], run: Callable[[], SearchResult]
) -> SearchResult:
    """Return the saved result of the opening search, or run it and save its result.

    It is saved under the fingerprint of the vectors, the options and the version. A file that is
    damaged, or that holds the result of another search, is replaced.
    """
    (source,) = vectors.values()

    def decode(record: Any) -> Discovery:
        result = Discovery.from_dict(record)
        if result.source.get("fingerprint") != source.fingerprint:
            raise ValueError("the result of other vectors")
        return result

    saved: Checkpoint[Discovery] = Checkpoint(
        "searches",
        [fingerprints(vectors), search.options],
        encode=Discovery.to_dict,
        decode=decode,
        resume=True,
    )
    if 0 in saved.found:
        return saved.load(0)
    result = run()
    saved.remove()
    saved.save(0, result.reference)
    return result


def search_in_process(
    report: Callable[..., None],
    references: Sequence[SourceReference],
    search: Search,
    niceness: int = 0,
) -> SearchResult:
    """Run a search, in a process; the nicer it is, the sooner other processes get their turn."""
    from weatherglass.discovery import discover, discover_both

    def report_rotations(done: int, total: int) -> None:
        report(done, total, "Rotating names against words at random")

    if niceness and hasattr(os, "nice"):  # not on Windows
        os.nice(niceness)
    vectors = open_all(references, report)
    run: Any = discover_both if search.is_comparison else discover
    result: SearchResult = run(
        *vectors.values(), resume=True, progress=report_rotations, **search.options
    )
    return result


@dataclass(frozen=True)
class OpenedCell:
    """A cell with its group and category, the rest of its row, and its words' neighbours."""

    cell: Cell
    group: Group
    category: Category
    others: tuple[Cell, ...]
    neighbours: Mapping[str, list[Neighbour]]
    discovery: Discovery

    @property
    def n_hidden_names(self) -> int:
        """How many names of the group are not shown."""
        return self.group.size - len(self.group.shown)


async def open_cell(
    session: Session, search: Search, group: str, category: str, job: str = ""
) -> OpenedCell:
    """Return a cell of a search, with the nearest neighbours of its words."""
    result = (await run_search(session, search, job)).reference
    cell, cell_group, cell_category = find_cell(result, group, category)
    vectors = (await session.sources.open((search.source,), job))[search.source]
    neighbours = await _find_neighbours(session, vectors, cell.words, job)
    others = tuple(other for other in result.cells if other.category == category and other != cell)
    return OpenedCell(cell, cell_group, cell_category, others, neighbours, result)


def find_cell(result: Discovery, group: str, category: str) -> tuple[Cell, Group, Category]:
    """Return a cell by the ids of its group and category."""
    groups = {entry.id: entry for entry in result.groups}
    categories = {entry.id: entry for entry in result.categories}
    for what, id, known in (("group", group, groups), ("category", category, categories)):
        if id not in known:
            hint = did_you_mean(id, known)
            raise UnknownEntry(f"This search has no {what} {quote_safe(id)}.{hint}")
    for cell in result.cells:
        if (cell.group, cell.category) == (group, category):
            return cell, groups[group], categories[category]
    raise UnknownEntry(f"{group} has too few words in {category} for a cell.")


async def _find_neighbours(
    session: Session, vectors: Vectors, words: tuple[str, ...], job: str = ""
) -> dict[str, list[Neighbour]]:
    def work(report: Callable[..., None]) -> dict[str, list[Neighbour]]:
        neighbours = {}
        for done, word in enumerate(words):
            report(done, len(words))
            nearest = vectors.neighbours(word, NEIGHBOURS_PER_WORD)
            neighbours[word] = [Neighbour(near, cosine) for near, cosine in nearest]
        return neighbours

    key = ("cell neighbours", words, vectors.fingerprint)
    return await session.jobs.answer(key, "Finding neighbours", work, job=job)
