"""Seed sets of the catalogue: filtered and grouped, checked with lint, compared in pairs."""

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
from weatherglass.errors import UsageError
from weatherglass.report import word_list
from weatherglass.seedlab import SEVERITIES, Finding, Lint, lint

from ..session import Session
from ..settings import Settings
from ..sources import SourceReference, fingerprints
from ..word_sets import read_set

Grouping = Literal["concept", "study", "origin"]
MAX_FIRST_WORDS = 7
MAX_QUICK_WORDS = 300
"""Lint of more words takes seconds, and is a long job."""


# The list


@dataclass(frozen=True)
class SeedFilter:
    """Which sets are listed, and how they are grouped.

    Examples
    --------
    >>> len(SeedFilter().sets()), len(SeedFilter(study="garg2018").sets())
    (178, 21)
    >>> [seed_set.id for seed_set in SeedFilter(find="career caliskan").sets()]
    ['careers-Caliskan_et_al_2017', 'career-Caliskan_et_al_2017']
    """

    find: str = ""
    by: Grouping = "concept"
    concept: str = ""
    study: str = ""
    origin: str = ""

    @property
    def query(self) -> str:
        """The query of the address."""
        values = {name: getattr(self, name) for name in ("find", "concept", "study", "origin")}
        values["by"] = self.by if self.by != "concept" else ""
        return urlencode({name: value for name, value in values.items() if value})

    @property
    def conditions(self) -> dict[str, str]:
        """The concept, study and origin that the sets must have, as the page shows them."""
        values = {
            "concept": self.concept,
            "study": studies().get(self.study),
            "origin": self.origin,
        }
        return {name: value for name, value in values.items() if value}

    def sets(self) -> list[SeedSet]:
        """Return the sets, in the catalogue's order.

        Raises
        ------
        UnknownEntry
            There is no such concept, study or origin.
        """
        matching = list(seed_sets())
        # One condition at a time, because `seed_sets` raises if no set meets all of them.
        for conditions in (
            {"concept": self.concept},
            {"study": self.study},
            {"source": self.origin},
        ):
            if any(conditions.values()):
                ids = {seed_set.id for seed_set in seed_sets(**conditions)}
                matching = [seed_set for seed_set in matching if seed_set.id in ids]
        parts = self.find.lower().split()
        return [
            seed_set for seed_set in matching if all(_matches(seed_set, part) for part in parts)
        ]

    def groups(self) -> list[tuple[str, str, list[SeedSet]]]:
        """Return the sets in groups: the title of a group, its description, its sets."""
        groups: dict[str, list[SeedSet]] = {}
        for seed_set in self.sets():
            for key in _group_keys(seed_set, self.by):
                groups.setdefault(key, []).append(seed_set)
        descriptions = _group_descriptions(self.by)
        order = {key: rank for rank, key in enumerate(descriptions)}
        return [
            (_group_title(key, self.by), descriptions.get(key, ""), groups[key])
            for key in sorted(groups, key=lambda key: order.get(key, len(order)))
        ]


def _group_keys(seed_set: SeedSet, by: Grouping) -> Iterator[str]:
    if by == "concept":
        yield seed_set.concept
    elif by == "study":
        yield seed_set.study.key if seed_set.study else ""
    else:
        yield from seed_set.sources or ("",)


def _group_title(key: str, by: Grouping) -> str:
    if not key:
        return "not documented"
    return {"concept": key, "study": studies().get(key, key), "origin": format_origin(key)}[by]


def format_origin(origin: str) -> str:
    """Format the origin of words for reading.

    >>> format_origin("population-derived"), format_origin("borrowed-from-social-sciences")
    ('population-derived', 'borrowed from social sciences')
    """
    return origin.replace("-", " ") if origin.count("-") > 1 else origin


def seed_title(seed_set: SeedSet) -> str:
    """Return what people call a set: its words and the study that used them.

    >>> seed_title(seeds("career-Caliskan_et_al_2017"))
    'Career words, Caliskan et al. 2017'
    >>> seed_title(seeds("male_1-Caliskan_et_al_2017"))
    'Male words 1, Caliskan et al. 2017'
    """
    name, _, _ = seed_set.id.partition("-")
    stem, _, number = name.rpartition("_")
    if not (stem and number.isdigit()):
        stem, number = name, ""
    words = stem.replace("_", " ")
    if words.startswith("names "):
        words = f"{words.removeprefix('names ')} names"
    words = words if words.endswith(("words", "names", "terms")) else f"{words} words"
    title = f"{words[:1].upper()}{words[1:]} {number}".rstrip()
    return f"{title}, {seed_set.study.short}" if seed_set.study else title


def nearest_sets(seed_set: SeedSet, limit: int = 5) -> list[tuple[SeedSet, int]]:
    """Return the published sets that share most words with a set, and how many they share.

    They are ordered by the Jaccard index: shared words as a share of the words of both.
    """
    words = set(seed_set.words)
    shares = []
    for other in seed_sets():
        shared = len(words & set(other.words))
        if shared and other.id != seed_set.id:
            shares.append((shared / len(words | set(other.words)), shared, other))
    shares.sort(key=lambda item: (-item[0], item[2].id))
    return [(other, shared) for _, shared, other in shares[:limit]]


def _group_descriptions(by: Grouping) -> dict[str, str]:
    """The groups in their order, with their descriptions."""
    if by == "concept":
        return dict(sorted(concepts().items()))
    if by == "origin":
        return dict(seed_sources())
    return {key: "" for key, _ in sorted(studies().items(), key=lambda pair: pair[1])}


@cache
def studies() -> dict[str, str]:
    """The studies that used the sets: key and short name."""
    return {seed_set.study.key: seed_set.study.short for seed_set in seed_sets() if seed_set.study}


def _matches(seed_set: SeedSet, part: str) -> bool:
    """Whether the description of a set contains a text, or one of its words begins with it."""
    if part in _searchable_texts()[seed_set.id]:
        return True
    return any(word.lower().startswith(part) for word in seed_set.words)


@cache
def find_flags(id: str) -> tuple[str, ...]:
    """The flags of a set; cached, because it takes long to look up every word of every set."""
    return seeds(id).flags


@cache
def first_words(id: str) -> Markup:
    """The first words of a set, for the list."""
    words = seeds(id).words
    rest = ", …" if len(words) > MAX_FIRST_WORDS else ""
    return Markup(word_list(words[:MAX_FIRST_WORDS]) + rest)


@cache
def _searchable_texts() -> dict[str, str]:
    """The text in which a search looks for a set, besides its words."""
    texts = {}
    for seed_set in seed_sets():
        parts = (
            seed_set.id,
            seed_set.id.replace("_", " "),
            seed_title(seed_set),
            seed_set.concept,
            seed_set.study.short if seed_set.study else "",
            *seed_set.sources,
            *find_flags(seed_set.id),
        )
        texts[seed_set.id] = " ".join(parts).lower()
    return texts


async def _read_filter(
    find: Annotated[str, Query(max_length=100, description="The text to search for.")] = "",
    by: Annotated[Grouping, Query(description="How the sets are grouped.")] = "concept",
    concept: Annotated[str, Query(max_length=100, description="Only this concept.")] = "",
    study: Annotated[str, Query(max_length=100, description="Only this study.")] = "",
    origin: Annotated[
        str, Query(max_length=100, description="Only words of this origin, such as curated.")
    ] = "",
) -> SeedFilter:
    return SeedFilter(find.strip(), by, concept, study, origin)


FilterQuery = Annotated[SeedFilter, Depends(_read_filter)]
"""The filter of an address, as an argument of a route."""


# One set, or two


def read_seed_set(text: str, settings: Settings, name: str) -> SeedSet:
    """Return a set of the catalogue, or typed words as a set with the given name.

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
    id = text.strip().removeprefix("@")
    is_single_reference = text.strip().startswith("@") and not any(c in id for c in " ,;@")
    if is_single_reference:
        is_set_of_test = "." in id and id.rpartition(".")[2] in "XYAB"
        if not is_set_of_test:
            return seeds(id)
        name = id
    word_set = read_set(text, settings)
    if not word_set.words:
        raise UsageError("There are no words; type words, or @ and the id of a set.")
    return SeedSet(id=name, words=word_set.words)


async def lint_sets(
    session: Session, seed_set: SeedSet, other: SeedSet | None, source: str, job: str = ""
) -> Lint:
    """Check a set with lint, or a pair of sets, in one source."""
    vectors = await session.sources.open([source] if source else [], job)
    (first,) = vectors.values()

    n_words = len(seed_set) + (len(other) if other else 0)

    def work(report: Callable[..., None]) -> Lint:
        if n_words <= MAX_QUICK_WORDS:
            return lint(seed_set, against=other or (), source=first, progress=report)
        (reference,) = session.sources.refer(vectors)
        return session.jobs.call(report, _lint_in_process, reference, seed_set, other)

    key = ("seed lint", seed_set, other, *fingerprints(vectors))
    return await session.jobs.answer(
        key, "Checking the words", work, is_long=n_words > MAX_QUICK_WORDS, job=job
    )


def _lint_in_process(
    report: Callable[..., None],
    reference: SourceReference,
    seed_set: SeedSet,
    other: SeedSet | None,
) -> Lint:
    source = reference.open(report)
    return lint(seed_set, against=other or (), source=source, progress=report)


def sort_findings(result: Lint) -> list[Finding]:
    """Return the findings, most severe first."""
    return sorted(result.findings, key=lambda finding: -SEVERITIES.index(finding.severity))


@dataclass(frozen=True, eq=False)
class SetComparison:
    """Two seed sets, and what lint reports about the pair."""

    first: SeedSet
    second: SeedSet
    lint: Lint

    @property
    def shared(self) -> list[str]:
        """The words of both."""
        return [word for word in dict.fromkeys(self.first.words) if word in set(self.second.words)]

    @property
    def unshared(self) -> tuple[list[str], list[str]]:
        """The words of the first set only, and of the second only."""
        shared = set(self.shared)
        first, second = (
            [word for word in dict.fromkeys(seed_set.words) if word not in shared]
            for seed_set in (self.first, self.second)
        )
        return first, second

    @property
    def similarity(self) -> float | None:
        """The cosine of the sets' means, if both have words in the source."""
        values = (finding.value for finding in self.lint.findings if finding.check == "similarity")
        return next(values, None)

    @property
    def pairing(self) -> Pairing | None:
        """The study that contrasts the two sets, if there is one."""
        ids = {self.first.id, self.second.id}
        return next((pairing for pairing in pairings() if set(pairing.sets) == ids), None)


async def compare_sets(
    session: Session, first: SeedSet, second: SeedSet, source: str, job: str = ""
) -> SetComparison:
    """Compare two sets in one source."""
    if first.id == second.id:
        raise UsageError("Both sets are the same; choose two different sets.")
    return SetComparison(first, second, await lint_sets(session, first, second, source, job))
