"""The seed sets of the catalogue, found by what people remember of them, in groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query
from markupsafe import Markup

from weatherglass.catalog import (
    Pairing,
    SeedSet,
    concepts,
    pairings,
    seed_sets,
    seed_sources,
    seeds,
)
from weatherglass.errors import UnknownEntry, UsageError
from weatherglass.report import word_list
from weatherglass.seedlab import SEVERITIES, Finding, Lint, lint

from ..session import Session
from ..settings import Settings
from ..sources import fingerprints
from ..word_sets import read_set

Grouping = Literal["concept", "study", "origin"]
MAX_OPEN_SETS = 24
"""So many sets are shown at once; of more, the groups are folded."""

MAX_FIRST_WORDS = 7


@dataclass(frozen=True)
class SeedFilter:
    """Which sets are shown, and in which groups.

    Examples
    --------
    >>> len(SeedFilter().sets()), len(SeedFilter(study="garg2018").sets())
    (178, 21)
    >>> [one.id for one in SeedFilter(find="career caliskan").sets()]
    ['careers-Caliskan_et_al_2017', 'career-Caliskan_et_al_2017']
    """

    find: str = ""
    by: Grouping = "concept"
    concept: str = ""
    study: str = ""
    origin: str = ""

    @property
    def query(self) -> str:
        """The same as the end of an address."""
        given = {name: getattr(self, name) for name in ("find", "concept", "study", "origin")}
        given["by"] = self.by if self.by != "concept" else ""
        return urlencode({name: value for name, value in given.items() if value})

    @property
    def narrowed(self) -> dict[str, str]:
        """What only sets of are shown, in words."""
        short = {key: told for key, told in studies().items() if key == self.study}
        given = {"concept": self.concept, "study": short.get(self.study), "origin": self.origin}
        return {name: value for name, value in given.items() if value}

    def sets(self) -> list[SeedSet]:
        """The sets, in the catalogue's order.

        Raises
        ------
        UnknownEntry
            There is no such concept, study or origin.
        """
        try:
            some = seed_sets(
                concept=self.concept or None, study=self.study or None, source=self.origin or None
            )
        except UnknownEntry as error:
            if "matches" not in str(error):
                raise
            return []  # each is known, and no set has all of them
        parts = self.find.lower().split()
        return [one for one in some if all(_matches(one, part) for part in parts)]

    def groups(self) -> list[tuple[str, str, list[SeedSet]]]:
        """The sets in groups: what a group is called, what that means, its sets."""
        made: dict[str, list[SeedSet]] = {}
        for one in self.sets():
            for name in _group_keys(one, self.by):
                made.setdefault(name, []).append(one)
        told = _group_descriptions(self.by)
        order = sorted(made, key=lambda name: list(told).index(name) if name in told else len(told))
        return [(_group_title(name, self.by), told.get(name, ""), made[name]) for name in order]


def _group_keys(one: SeedSet, by: Grouping) -> Iterator[str]:
    if by == "concept":
        yield one.concept
    elif by == "study":
        yield one.study.key if one.study else ""
    else:
        yield from one.sources or ("",)


def _group_title(name: str, by: Grouping) -> str:
    if not name:
        return "not documented"
    return {"concept": name, "study": studies().get(name, name), "origin": format_origin(name)}[by]


def format_origin(origin: str) -> str:
    """A source of words as it is read.

    >>> format_origin("population-derived"), format_origin("borrowed-from-social-sciences")
    ('population-derived', 'borrowed from social sciences')
    """
    return origin.replace("-", " ") if origin.count("-") > 1 else origin


def _group_descriptions(by: Grouping) -> dict[str, str]:
    """The groups in their order, with what each is."""
    if by == "concept":
        return dict(sorted(concepts().items()))
    if by == "origin":
        return dict(seed_sources())
    return {key: "" for key, _ in sorted(studies().items(), key=lambda pair: pair[1])}


@cache
def studies() -> dict[str, str]:
    """The studies that the sets are from: key and short name."""
    return {one.study.key: one.study.short for one in seed_sets() if one.study}


def _matches(one: SeedSet, part: str) -> bool:
    """Whether a set is called so, or a word of it begins so."""
    return part in _searchable_texts()[one.id] or any(
        word.lower().startswith(part) for word in one.words
    )


@cache
def flags_of(id: str) -> tuple[str, ...]:
    """The flags of a set; to look every word up takes long, and a list shows all sets."""
    return seeds(id).flags


@cache
def first_words(id: str) -> Markup:
    """The first words of a set, for a list."""
    words = seeds(id).words
    return Markup(
        word_list(words[:MAX_FIRST_WORDS]) + (", …" if len(words) > MAX_FIRST_WORDS else "")
    )


@cache
def _searchable_texts() -> dict[str, str]:
    """What each set is found by besides its words."""
    made = {}
    for one in seed_sets():
        study = one.study.short if one.study else ""
        parts = (
            one.id,
            one.id.replace("_", " "),
            one.concept,
            study,
            *one.sources,
            *flags_of(one.id),
        )
        made[one.id] = " ".join(parts).lower()
    return made


async def _read_filter(
    find: Annotated[str, Query(max_length=100, description="What to look for.")] = "",
    by: Annotated[Grouping, Query(description="How the sets are grouped.")] = "concept",
    concept: Annotated[str, Query(max_length=100, description="Only of this concept.")] = "",
    study: Annotated[str, Query(max_length=100, description="Only of this study.")] = "",
    origin: Annotated[
        str, Query(max_length=100, description="Only with words from there, such as curated.")
    ] = "",
) -> SeedFilter:
    return SeedFilter(find.strip(), by, concept, study, origin)


FilterQuery = Annotated[SeedFilter, Depends(_read_filter)]
"""What an address asks of the catalogue, as an argument of a route."""


MAX_QUICK_WORDS = 300  # words; to look at more takes seconds


async def lint_sets(
    here: Session, one: SeedSet, other: SeedSet | None, source: str, job: str = ""
) -> Lint:
    """What lint says of a set, or of two that are held against each other, in a source."""
    vectors = await here.sources.opened([source] if source else [], job)
    (first,) = vectors.values()

    def work(report: Callable[..., None]) -> Lint:
        return lint(one, against=other or (), source=first, progress=report)

    size = len(one) + (len(other) if other else 0)
    key = ("seed lint", one, other, *fingerprints(vectors))
    return await here.jobs.answer(
        key, "Looking at the words", work, is_long=size > MAX_QUICK_WORDS, job=job
    )


def sort_findings(found: Lint) -> list[Finding]:
    """The findings, errors on top."""
    return sorted(found.findings, key=lambda one: -SEVERITIES.index(one.severity))


def read_seed_set(text: str, settings: Settings, called: str) -> SeedSet:
    """A set of the catalogue, or words of one's own under a name.

    Raises
    ------
    UnknownEntry
        The catalogue has no such set.
    UsageError
        There are no words.

    Examples
    --------
    >>> read_seed_set("@career-Caliskan_et_al_2017", Settings(), "mine").concept
    'career'
    >>> read_seed_set("sun, moon", Settings(), "mine").words
    ('sun', 'moon')
    """
    alone = text.strip().removeprefix("@")
    if text.strip().startswith("@") and not any(mark in alone for mark in " ,;@"):
        if "." not in alone or alone.rpartition(".")[2] not in "XYAB":
            return seeds(alone)
        called = alone
    typed = read_set(text, settings)
    if not typed.words:
        raise UsageError("There are no words; a set of the catalogue or words were expected.")
    return SeedSet(id=called, words=typed.words)


@dataclass(frozen=True, eq=False)
class SetComparison:
    """Two sets beside each other."""

    one: SeedSet
    other: SeedSet
    found: Lint

    @property
    def shared(self) -> list[str]:
        """The words of both."""
        return [word for word in dict.fromkeys(self.one.words) if word in set(self.other.words)]

    @property
    def only(self) -> tuple[list[str], list[str]]:
        """The words of the first alone, and of the second alone."""
        both = set(self.shared)
        first, second = (
            [word for word in dict.fromkeys(some.words) if word not in both]
            for some in (self.one, self.other)
        )
        return first, second

    def value(self, check: str) -> float | None:
        """The number of a check of both sets, if it was run and found something."""
        return next((one.value for one in self.found.findings if one.check == check), None)

    @property
    def pairing(self) -> Pairing | None:
        """The study that holds the two against each other, if one does."""
        every = (one for one in pairings() if set(one.sets) == {self.one.id, self.other.id})
        return next(every, None)


async def compare_sets(
    here: Session, one: SeedSet, other: SeedSet, source: str, job: str = ""
) -> SetComparison:
    """Hold two sets against each other."""
    if one.id == other.id:
        raise UsageError("These are one and the same set; two were expected.")
    return SetComparison(one, other, await lint_sets(here, one, other, source, job))
