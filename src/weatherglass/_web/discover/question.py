"""A discovery as it is asked for: the whole of it stands in the address of its page."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query

Names = Literal["ssa", "surnames", "auto"]
Control = Literal["auto", "frequency", "none"]
MAX_VALUES = {
    "groups": 50,
    "categories": 500,
    "words": 200_000,
    "per_cell": 10,
    "rotations": 100_000,
}
"""The largest numbers that a search may be asked for, so that it fits into memory and a day."""


@dataclass(frozen=True)
class Search:
    """What is searched, and how; the defaults are the published method's.

    Names are those of the catalogue: a page names no files.

    Examples
    --------
    >>> Search(source="default", rotations=1000).query
    'source=default&rotations=1000'
    >>> Search(source="default").options["rng"]
    0
    """

    source: str = ""
    against: str = ""
    names: Names = "ssa"
    groups: int = 12
    categories: int = 64
    words: int = 30_000
    per_cell: int = 3
    rotations: int = 10_000
    alpha: float = 0.05
    control: Control = "auto"
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
    def query(self) -> str:
        """The search as the end of an address, nothing in it that goes without saying."""
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        usual = {one.name: one.default for one in fields(self)}
        return urlencode({name: value for name, value in given.items() if value != usual[name]})

    @property
    def options(self) -> dict[str, Any]:
        """What `weatherglass.discover` is called with."""
        about = ("source", "against", "seed")
        made = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in about}
        return made | {"rng": self.seed}


def _bounded(name: str, least: int, told: str) -> Any:
    return Query(ge=least, le=MAX_VALUES[name], description=told)


CellId = Annotated[str, Query(max_length=60, description="An id, as the table has it.")]
SourceName = Annotated[str, Query(max_length=200, description="A source by name.")]


async def _read_search(
    source: SourceName = "",
    against: Annotated[
        str, Query(max_length=200, description="A second source, to be compared with the first.")
    ] = "",
    names: Annotated[Names, Query(description="Which list of names.")] = "ssa",
    groups: Annotated[int, _bounded("groups", 2, "Groups of names.")] = 12,
    categories: Annotated[int, _bounded("categories", 1, "Categories of words.")] = 64,
    words: Annotated[int, _bounded("words", 1, "Most frequent words.")] = 30_000,
    per_cell: Annotated[int, _bounded("per_cell", 1, "Words of a cell.")] = 3,
    rotations: Annotated[int, _bounded("rotations", 1, "Random rotations.")] = 10_000,
    alpha: Annotated[float, Query(gt=0, lt=1, description="Rate of false discoveries.")] = 0.05,
    control: Annotated[Control, Query(description="Whether to take frequency out.")] = "auto",
    seed: Annotated[int, Query(ge=0, lt=1 << 32, description="The seed of what is drawn.")] = 0,
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
        seed=seed,
    )


SearchQuery = Annotated[Search, Depends(_read_search)]
"""The search of an address, as an argument of a route."""
