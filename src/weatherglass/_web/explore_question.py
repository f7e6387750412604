"""What Explore is asked: neighbours of a word, or words on one axis or two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query

from .ask_question import MOST_LETTERS
from .settings import Settings
from .typed import Typed, read_set

View = Literal["near", "axis", "map"]
Axis = tuple[str, str]
"""The letters of the sets at the high end and at the low end."""

_AXES: dict[View, tuple[Axis, ...]] = {
    "near": (),
    "axis": (("a", "b"),),
    "map": (("a", "b"), ("c", "d")),
}
USUAL = 20
"""So many neighbours, where nothing else is said."""


@dataclass(frozen=True)
class Look:
    """What is looked at: the whole of it stands in the address.

    Examples
    --------
    >>> Look(sources=("default",), word="nurse").query
    'source=default&word=nurse'
    >>> Look(view="axis", words="nurse", a="she", b="he").is_whole
    True
    """

    view: View = "near"
    sources: tuple[str, ...] = ()
    word: str = ""
    n: int = USUAL
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
        if self.view == "near" and self.n != USUAL:
            parts.append(("n", str(self.n)))
        return urlencode(parts)

    def read(self, name: str, settings: Settings) -> Typed:
        """One of the word sets."""
        return read_set(getattr(self, name), settings)


Text = Annotated[str, Query(max_length=MOST_LETTERS, description="Words, or @ and a set's id.")]
SourcesOf = Annotated[
    tuple[Annotated[str, Query(max_length=200)], ...],
    Query(max_length=50, description="Sources by name; without one, the first."),
]
WordOf = Annotated[str, Query(max_length=100, description="The word whose neighbours are meant.")]
CountOf = Annotated[int, Query(ge=1, le=200, description="How many neighbours.")]


async def _asked(
    view: Annotated[View, Query(description="Neighbours, one axis or two.")] = "near",
    source: SourcesOf = (),
    word: WordOf = "",
    n: CountOf = USUAL,
    words: Text = "",
    a: Text = "",
    b: Text = "",
    c: Text = "",
    d: Text = "",
) -> Look:
    return Look(
        view, tuple(dict.fromkeys(filter(None, source))), word.strip(), n, words, a, b, c, d
    )


LookedAt = Annotated[Look, Depends(_asked)]
"""What an address asks Explore, as an argument of a route."""
