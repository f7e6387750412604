"""A question: the whole of it stands in the address of its page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query

from weatherglass.catalog import Test
from weatherglass.errors import UsageError
from weatherglass.measures.weat import association_test

from .settings import Settings
from .typed import Typed, read_set

SIDES = ("x", "y", "a", "b")
MOST_LETTERS = 10_000
Alternative = Literal["greater", "less", "two-sided"]
Side = Literal["x", "y", "a", "b"]
Four = tuple[str, str, str, str]


@dataclass(frozen=True)
class Question:
    """What is asked: of which sources, a test of the catalogue or four sets, and how.

    Examples
    --------
    >>> mine = Question(sources=("default",), sets=("a b", "c d", "e", "f"))
    >>> mine.query
    'source=default&x=a+b&y=c+d&a=e&b=f'
    >>> mine.made(Settings()).y.words
    ('c', 'd')
    """

    sources: tuple[str, ...] = ()
    test: str = ""
    sets: Four = ("", "", "", "")
    names: Four = ("", "", "", "")
    alternative: Alternative = "greater"
    missing: float = 0.2

    @property
    def is_whole(self) -> bool:
        """Whether there is enough to ask."""
        return bool(self.test) or all(one.strip() for one in self.sets)

    @property
    def lacking(self) -> list[str]:
        """The sets that have no words yet."""
        return [side.upper() for side, text in self.by_side(self.sets).items() if not text.strip()]

    @property
    def query(self) -> str:
        """The question as the end of an address, nothing in it that goes without saying."""
        parts: list[tuple[str, str]] = [("source", one) for one in self.sources]
        if self.test:
            parts.append(("test", self.test))
        else:
            parts += [(side, text) for side, text in self.by_side(self.sets).items() if text]
            named = self.by_side(self.names).items()
            parts += [(f"{side}_name", name) for side, name in named if name]
        if self.alternative != "greater":
            parts.append(("alternative", self.alternative))
        if self.missing != 0.2:
            parts.append(("missing", f"{self.missing:g}"))
        return urlencode(parts)

    @staticmethod
    def by_side(some: Four) -> dict[str, str]:
        """Four things under the letters of the sides."""
        return dict(zip(SIDES, some, strict=True))

    def read(self, side: str, settings: Settings) -> Typed:
        """One of the sets."""
        at = SIDES.index(side)
        return read_set(self.sets[at], settings, self.names[at])

    def made(self, settings: Settings) -> Test:
        """The test that is asked.

        Raises
        ------
        UsageError
            It is no association test of words, or a set has no words.
        """
        return _test(self, settings)

    def as_sets(self) -> Question:
        """The same with the test's sets in the four boxes, so that they can be changed."""
        if not self.test:
            return self
        x, y, a, b = (f"@{self.test}.{side.upper()}" for side in SIDES)
        return replace(self, test="", sets=(x, y, a, b))


@lru_cache(1024)
def _test(question: Question, settings: Settings) -> Test:
    if question.test:
        entry = association_test(question.test)
        if entry.level != "word":
            raise UsageError(f"{entry.id} is a test of sentences: run `weatherglass seat`.")
        return entry
    sets: dict[str, Any] = {}
    for side in SIDES:
        typed = question.read(side, settings)
        if not typed.words:
            raise UsageError(f"The set {side.upper()} has no words; all four sets need some.")
        sets[side] = {"label": typed.label or side.upper(), "words": typed.words}
    return Test(**sets)


Words = Annotated[str, Query(max_length=MOST_LETTERS, description="Words, or @ and a set's id.")]
Name = Annotated[str, Query(max_length=60, description="What the set stands for.")]


async def _asked(
    source: Annotated[
        tuple[Annotated[str, Query(max_length=200)], ...],
        Query(max_length=50, description="Sources by name; without one, the first."),
    ] = (),
    test: Annotated[
        str, Query(max_length=100, description="A test of the catalogue.", examples=["weat6"])
    ] = "",
    x: Words = "",
    y: Words = "",
    a: Words = "",
    b: Words = "",
    x_name: Name = "",
    y_name: Name = "",
    a_name: Name = "",
    b_name: Name = "",
    alternative: Annotated[Alternative, Query(description="Which tail.")] = "greater",
    missing: Annotated[float, Query(ge=0, le=1, description="Most words missing.")] = 0.2,
) -> Question:
    sources = tuple(dict.fromkeys(filter(None, source)))
    sets: Four = ("", "", "", "") if test else (x, y, a, b)
    names: Four = ("", "", "", "") if test else (x_name, y_name, a_name, b_name)
    return Question(sources, test.strip(), sets, names, alternative, missing)


Asked = Annotated[Question, Depends(_asked)]
"""The question of an address, as an argument of a route."""

JobOf = Annotated[str, Query(max_length=40, description="The job that is waited for.")]
