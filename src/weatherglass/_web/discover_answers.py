"""Searches as jobs: what was found, and what lies near the words of a cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weatherglass.discovery import Comparison, Discovery
from weatherglass.errors import UsageError
from weatherglass.vectors import Vectors

from . import discover_tables
from .discover_question import Search
from .jobs import Cancelled
from .session import Session
from .sources import prints

Found = Discovery | Comparison
NEAR = 8
"""Neighbours of a word."""


async def searched(here: Session, search: Search, job: str = "") -> Found:
    """What a search found.

    The search goes on from what an earlier one of the same kind has counted, so that nothing is
    lost when the server is started anew.
    """
    if not search.source:
        raise UsageError("No source was named; a search needs one.")
    vectors = await here.sources.opened(search.sources, job)

    def work(report: Callable[..., None]) -> Found:
        from weatherglass.discovery.both import discover_both
        from weatherglass.discovery.discover import discover

        def tell(done: int, total: int) -> None:
            report(done, total, "Turning names against words at random")

        run: Any = discover_both if search.is_comparison else discover
        made: Found = run(*vectors.values(), resume=True, progress=tell, **search.options)
        return made

    key = ("discover", search, prints(vectors))
    try:
        what = "Putting names into groups and words into categories"
        return await here.jobs.answer(key, what, work, is_long=True, job=job)
    except Cancelled as error:
        raise Cancelled(f"{error} The same search goes on from what was counted.") from None


async def opened_cell(
    here: Session, search: Search, group: str, category: str, job: str = ""
) -> discover_tables.Opened:
    """A cell, and the nearest neighbours of its words."""
    found = await searched(here, search, job)
    if isinstance(found, Comparison):
        found = found.before
    one, its_group, its_category = discover_tables.find_cell(found, group, category)
    vectors = (await here.sources.opened((search.source,), job))[search.source]
    near = await neighbours(here, vectors, one.words, job)
    beside = tuple(other for other in found.cells if other.category == category and other != one)
    return discover_tables.Opened(one, its_group, its_category, beside, near)


async def neighbours(
    here: Session, vectors: Vectors, words: tuple[str, ...], job: str = ""
) -> dict[str, list[tuple[str, float]]]:
    """The nearest neighbours of some words."""

    def work(report: Callable[..., None]) -> dict[str, list[tuple[str, float]]]:
        made = {}
        for at, word in enumerate(words):
            report(at, len(words))
            made[word] = vectors.neighbours(word, NEAR)
        return made

    key = ("near", words, vectors.fingerprint)
    return await here.jobs.answer(key, "Looking for neighbours", work, job=job)
