"""Explore for programs: neighbours and places in JSON."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from .ask_question import JobOf
from .explore_answers import near, placed
from .explore_question import USUAL, CountOf, Look, SourcesOf, Text, View, WordOf
from .responses import MAY_WORK
from .session import Here

router = APIRouter()


class NeighbourOut(BaseModel):
    """A word that is near, and its cosine."""

    word: str
    cosine: float


class NearOut(BaseModel):
    """The neighbours in one source, nearest first; `reason` says why there are none."""

    source: str
    word: str
    reason: str
    neighbours: list[NeighbourOut]


class PlaceOut(BaseModel):
    """A word and its cosine with each axis, in the order in which the axes were given."""

    word: str
    places: list[float]


class PlacedOut(BaseModel):
    """The words in one source; `missing` has the words that it lacks, by set."""

    source: str
    status: str
    reason: str
    words: list[PlaceOut]
    missing: dict[str, list[str]]


@router.get("/api/neighbours", responses={**MAY_WORK})
async def neighbours(
    here: Here, word: WordOf, source: SourcesOf = (), n: CountOf = USUAL, job: JobOf = ""
) -> list[NearOut]:
    """The nearest words by cosine, source by source."""
    look = Look(sources=source, word=word.strip(), n=n)
    return [
        NearOut(
            source=name,
            word=readable(one.spelled),
            reason=readable(one.reason),
            neighbours=[NeighbourOut(word=readable(a), cosine=b) for a, b in one.found],
        )
        for name, one in (await near(here, look, job)).items()
    ]


@router.get("/api/places", responses={**MAY_WORK})
async def places(
    here: Here,
    words: Text,
    a: Text,
    b: Text,
    c: Text = "",
    d: Text = "",
    source: SourcesOf = (),
    job: JobOf = "",
) -> list[PlacedOut]:
    """The cosine of words with the axis from B to A, and with that from D to C."""
    view: View = "map" if c.strip() or d.strip() else "axis"
    look = Look(view, source, words=words, a=a, b=b, c=c, d=d)
    made = await placed(here, look, job)
    out = []
    for name, some in made.results.items():
        reason = next((one.reason for one in some if one.status != "done"), "")
        done = name in made.done
        numbers = zip(*(one.by_word["X"] for one in some), strict=True) if done else ()
        listed = zip(some[0].words["X"], numbers, strict=True) if done else ()
        out.append(
            PlacedOut(
                source=name,
                status="done" if done else "not run",
                reason=readable(reason),
                words=[PlaceOut(word=readable(word), places=list(at)) for word, at in listed],
                missing={
                    side: [readable(word) for word in gone] for side, gone in made.missing(name)
                },
            )
        )
    return out


def readable(text: str) -> str:
    r"""Text that JSON can hold: bytes of a file that are no text become escapes.

    >>> print(readable("a\udcff"))
    a\udcff
    """
    return text.encode("utf-8", "backslashreplace").decode()
