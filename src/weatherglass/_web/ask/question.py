"""The question that an address asks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any, Literal
from urllib.parse import quote_plus

from fastapi import Depends, Query

from weatherglass.catalog import Test
from weatherglass.catalog import test as catalogue_test
from weatherglass.errors import UsageError, quote_safe

from ..session import SourcesQuery
from ..settings import Settings
from ..word_sets import (
    MAX_SET_CHARACTERS,
    SetQuery,
    WordSetInput,
    read_set,
    write_on_one_line,
)

SIDES = ("x", "y", "a", "b")
MAX_MISSING = 0.2
MAX_DROP = 50
"""How many of the most influential words can be left out."""

Alternative = Literal["greater", "less", "two-sided"]
Side = Literal["x", "y", "a", "b"]
SetTexts = tuple[str, str, str, str]


# The question


@dataclass(frozen=True)
class Question:
    """A test of the catalogue or four typed sets, the sources to ask, and the options.

    Examples
    --------
    >>> question = Question(sources=("default",), sets=("a b", "c d", "e", "f"))
    >>> question.query
    'source=default&x=a+b&y=c+d&a=e&b=f'
    >>> question.build_test(Settings()).y.words
    ('c', 'd')
    """

    sources: tuple[str, ...] = ()
    test: str = ""
    sets: SetTexts = ("", "", "", "")
    names: SetTexts = ("", "", "", "")
    alternative: Alternative | None = None
    max_missing: float = MAX_MISSING
    allow_overlap: bool = False
    drop: int = 0
    """How many of the most influential words are left out."""

    @property
    def is_complete(self) -> bool:
        """Whether there is a test, or words in all four sets."""
        return bool(self.test) or all(text.strip() for text in self.sets)

    @property
    def empty_sets(self) -> list[str]:
        """The sets that have no words yet."""
        return [side.upper() for side, text in self.by_side(self.sets).items() if not text.strip()]

    @property
    def query(self) -> str:
        """The question as the query of an address, without what has its default value."""
        parts: list[tuple[str, str]] = [("source", source) for source in self.sources]
        if self.test:
            parts.append(("test", self.test))
        else:
            parts += [(side, text) for side, text in self.by_side(self.sets).items() if text]
            names = self.by_side(self.names).items()
            parts += [(f"{side}_name", name) for side, name in names if name]
        if self.alternative is not None:
            parts.append(("alternative", self.alternative))
        if self.max_missing != MAX_MISSING:
            parts.append(("missing", f"{self.max_missing:g}"))
        if self.allow_overlap:
            parts.append(("overlap", "true"))
        if self.drop:
            parts.append(("drop", str(self.drop)))
        return "&".join(f"{key}={_quote(value)}" for key, value in parts)

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `weatherglass.weat` and `weatherglass.multiverse`."""
        return {
            "alternative": self.alternative,
            "max_missing": self.max_missing,
            "allow_overlap": self.allow_overlap,
        }

    @staticmethod
    def by_side(texts: SetTexts) -> dict[str, str]:
        """Return four texts under the letters of their sets."""
        return dict(zip(SIDES, texts, strict=True))

    def read(self, side: str, settings: Settings) -> WordSetInput:
        """Read the set of a side."""
        index = SIDES.index(side)
        return read_set(self.sets[index], settings, self.names[index])

    def build_test(self, settings: Settings) -> Test:
        """Return the test to run.

        Raises
        ------
        UsageError
            It is not an association test of words, or a set has no words.
        """
        return _build_test(self, settings)

    def with_sets(self) -> Question:
        """Return the same question with the sets of its test written into the four boxes."""
        if not self.test:
            return self
        x, y, a, b = (f"@{self.test}.{side.upper()}" for side in SIDES)
        return replace(self, test="", sets=(x, y, a, b))


# A page has a link for each word, and all of them repeat the other sets.
_quote = lru_cache(4096)(quote_plus)


@lru_cache(1024)
def _build_test(question: Question, settings: Settings) -> Test:
    if question.test:
        # Only ids of the catalogue: a visitor must not name files of this machine.
        entry = catalogue_test(question.test)
        if not isinstance(entry, Test) or entry.level != "word":
            kind = "sentences" if isinstance(entry, Test) else "facts"
            raise UsageError(f"{entry.id} is a test of {kind}; this page runs tests of words.")
        return entry
    sets: dict[str, Any] = {}
    for side in SIDES:
        word_set = question.read(side, settings)
        if not word_set.words:
            raise UsageError(f"Set {side.upper()} has no words; all four sets need words.")
        sets[side] = {"label": word_set.label or side.upper(), "words": word_set.words}
    for first, second, kind in (("x", "y", "target"), ("a", "b", "attribute")):
        shared = set(sets[first]["words"]) & set(sets[second]["words"])
        for word in sets[first]["words"]:
            if word in shared:
                raise UsageError(
                    f"{quote_safe(word)} is in both {kind} sets; remove it from one of them."
                )
    return Test(**sets)


NameQuery = Annotated[str, Query(max_length=60, description="What the set stands for.")]
AddedQuery = Annotated[
    str, Query(max_length=MAX_SET_CHARACTERS, description="Words to add to the set.")
]


async def _read_question(
    source: SourcesQuery = (),
    test: Annotated[
        str, Query(max_length=100, description="A test of the catalogue.", examples=["weat6"])
    ] = "",
    x: SetQuery = "",
    y: SetQuery = "",
    a: SetQuery = "",
    b: SetQuery = "",
    x_name: NameQuery = "",
    y_name: NameQuery = "",
    a_name: NameQuery = "",
    b_name: NameQuery = "",
    add_x: AddedQuery = "",
    add_y: AddedQuery = "",
    add_a: AddedQuery = "",
    add_b: AddedQuery = "",
    alternative: Annotated[
        Alternative | Literal[""],
        Query(
            description="A direction that is declared before the answer is known; without one, "
            "findings are two-sided."
        ),
    ] = "",
    missing: Annotated[
        float, Query(ge=0, le=1, description="The largest share of a set that may be missing.")
    ] = MAX_MISSING,
    overlap: Annotated[
        bool, Query(description="Whether a word may be both target and attribute.")
    ] = False,
    drop: Annotated[
        int,
        Query(ge=0, le=MAX_DROP, description="Leave out so many of the most influential words."),
    ] = 0,
) -> Question:
    sources = tuple(dict.fromkeys(filter(None, source)))
    sets: SetTexts = ("", "", "", "")
    names: SetTexts = ("", "", "", "")
    test = test.strip().removeprefix("@")  # as sets of the catalogue are written
    if not test:
        sets = (
            write_on_one_line(x, add_x),
            write_on_one_line(y, add_y),
            write_on_one_line(a, add_a),
            write_on_one_line(b, add_b),
        )
        names = (x_name, y_name, a_name, b_name)
        # The form of a published test that was not changed asks that test.
        if (same := _find_test_of_sets(sets)) and not any(names):
            test, sets = same, ("", "", "", "")
    return Question(sources, test, sets, names, alternative or None, missing, overlap, drop)


def _find_test_of_sets(sets: SetTexts) -> str:
    """Return the test whose four sets these are, in their order; empty if there is none.

    >>> _find_test_of_sets(("@weat6.X", "@weat6.Y", "@weat6.A", "@weat6.B"))
    'weat6'
    """
    test = sets[0].strip().removeprefix("@").removesuffix(".X")
    expected = tuple(f"@{test}.{side.upper()}" for side in SIDES)
    return test if test and tuple(text.strip() for text in sets) == expected else ""


QuestionQuery = Annotated[Question, Depends(_read_question)]
"""The question of an address, as an argument of a route."""
