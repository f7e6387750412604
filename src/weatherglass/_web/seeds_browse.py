"""The seed sets of the catalogue, found by what people remember of them, in groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query
from markupsafe import Markup

from weatherglass.catalog import SeedSet, concepts, seed_sets, seed_sources, seeds
from weatherglass.errors import UnknownEntry
from weatherglass.report.words import listed

By = Literal["concept", "study", "origin"]
FEW = 24
"""So many sets are shown at once; of more, the groups are folded."""

_FIRST = 7


@dataclass(frozen=True)
class Browse:
    """Which sets are shown, and in which groups.

    Examples
    --------
    >>> len(Browse().sets()), len(Browse(study="garg2018").sets())
    (178, 21)
    >>> [one.id for one in Browse(find="career caliskan").sets()]
    ['careers-Caliskan_et_al_2017', 'career-Caliskan_et_al_2017']
    """

    find: str = ""
    by: By = "concept"
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
        return [one for one in some if all(_has(one, part) for part in parts)]

    def groups(self) -> list[tuple[str, str, list[SeedSet]]]:
        """The sets in groups: what a group is called, what that means, its sets."""
        made: dict[str, list[SeedSet]] = {}
        for one in self.sets():
            for name in _names(one, self.by):
                made.setdefault(name, []).append(one)
        told = _meanings(self.by)
        order = sorted(made, key=lambda name: list(told).index(name) if name in told else len(told))
        return [(_called(name, self.by), told.get(name, ""), made[name]) for name in order]


def _names(one: SeedSet, by: By) -> Iterator[str]:
    if by == "concept":
        yield one.concept
    elif by == "study":
        yield one.study.key if one.study else ""
    else:
        yield from one.sources or ("",)


def _called(name: str, by: By) -> str:
    if not name:
        return "not documented"
    return {"concept": name, "study": studies().get(name, name), "origin": in_words(name)}[by]


def in_words(origin: str) -> str:
    """A source of words as it is read.

    >>> in_words("population-derived"), in_words("borrowed-from-social-sciences")
    ('population-derived', 'borrowed from social sciences')
    """
    return origin.replace("-", " ") if origin.count("-") > 1 else origin


def _meanings(by: By) -> dict[str, str]:
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


def _has(one: SeedSet, part: str) -> bool:
    """Whether a set is called so, or a word of it begins so."""
    return part in _told()[one.id] or any(word.lower().startswith(part) for word in one.words)


@cache
def flags_of(id: str) -> tuple[str, ...]:
    """The flags of a set; to look every word up takes long, and a list shows all sets."""
    return seeds(id).flags


@cache
def first_words(id: str) -> Markup:
    """The first words of a set, for a list."""
    words = seeds(id).words
    return Markup(listed(words[:_FIRST]) + (", …" if len(words) > _FIRST else ""))


@cache
def _told() -> dict[str, str]:
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


async def _asked(
    find: Annotated[str, Query(max_length=100, description="What to look for.")] = "",
    by: Annotated[By, Query(description="How the sets are grouped.")] = "concept",
    concept: Annotated[str, Query(max_length=100, description="Only of this concept.")] = "",
    study: Annotated[str, Query(max_length=100, description="Only of this study.")] = "",
    origin: Annotated[
        str, Query(max_length=100, description="Only with words from there, such as curated.")
    ] = "",
) -> Browse:
    return Browse(find.strip(), by, concept, study, origin)


Browsed = Annotated[Browse, Depends(_asked)]
"""What an address asks of the catalogue, as an argument of a route."""
