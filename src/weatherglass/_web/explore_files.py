"""What Explore finds, as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .explore_answers import Near, Placed
from .files import csv_text


def near_csv(word: str, some: Mapping[str, Near]) -> str:
    """Neighbours: a line for each.

    >>> print(near_csv("sun", {"tiny": Near("sun", (("moon", 0.5),))}), end="")
    source,word,rank,neighbour,cosine
    tiny,sun,1,moon,0.5
    """
    return csv_text(
        ("source", "word", "rank", "neighbour", "cosine"),
        (
            (name, one.spelled or word, rank, neighbour, round(cosine, 6))
            for name, one in some.items()
            for rank, (neighbour, cosine) in enumerate(one.found, 1)
        ),
    )


def places_csv(made: Placed) -> str:
    """Words on axes: a line for each word, source and axis; a word that is missing has no place."""
    heads = ("source", "axis", "low_end", "high_end", "word", "cosine", "status")
    return csv_text(heads, _lines(made))


def _lines(made: Placed) -> Iterable[tuple[Any, ...]]:
    for source, results in made.results.items():
        for axis, (one, sides) in enumerate(zip(results, made.sides, strict=True), 1):
            about = (source, axis, *sides)
            words, values = one.words.get("X", ()), one.by_word.get("X", ())
            if one.status == "done":
                for word, value in zip(words, values, strict=True):
                    yield (*about, word, round(value, 6), "done")
            for word in one.missing.get("X", ()):
                yield (*about, word, "", "missing")
            if one.status != "done":
                yield (*about, "", "", f"not run: {one.reason}")
