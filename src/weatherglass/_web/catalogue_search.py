"""What can be chosen from the catalogue: tests and sets, found by what people remember of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from weatherglass.catalog import Test, seed_sets, tests

from .typed import Reference, of_seed_set, of_word_set

MOST = 12


@cache
def word_tests() -> tuple[Test, ...]:
    """The association tests of words."""
    return tuple(one for one in tests(level="word") if isinstance(one, Test))


def find_tests(asked: str) -> list[Test]:
    """The tests that have every word of a search in their id, title, study or labels.

    >>> [one.id for one in find_tests("insects caliskan")]
    ['weat1']
    """
    return [one for one in word_tests() if _has(_told(one), asked)]


def _told(one: Test) -> str:
    study = one.study.short if one.study else ""
    labels = " ".join(part.label for part in one.sets.values())
    return f"{one.id} {one.title} {study} {labels}"


@cache
def _sets() -> tuple[tuple[Reference, str, str], ...]:
    """Every set with words, what it is found by first, and what it is found by as well."""
    made = [
        (of_seed_set(one), f"{one.concept} {one.id.replace('_', ' ')}", " ".join(one.words))
        for one in seed_sets()
        if one.words
    ]
    for entry in word_tests():
        for name, one in entry.sets.items():
            told = of_word_set(f"{entry.id}.{name}", one, entry)
            made.append((told, f"{one.label} {entry.id}", " ".join(one.words)))
    return tuple(made)


def find_sets(asked: str, most: int = MOST) -> Sequence[Reference]:
    """Sets that a search finds: by concept, id and study first, then by their words.

    >>> [one.name for one in find_sets("career caliskan", 2)]
    ['careers-Caliskan_et_al_2017', 'career-Caliskan_et_al_2017']
    """
    if not asked.strip():
        return []
    ranked = [(_rank(asked, *one), one[0]) for one in _sets()]
    found = [pair for pair in ranked if pair[0] is not None]
    return [one for _, one in sorted(found, key=lambda pair: pair[0] or 0)][:most]


def _rank(asked: str, one: Reference, known: str, words: str) -> int | None:
    """How well a set fits a search, the best first; None if it does not."""
    ways = (known, f"{known} {one.provenance}", words)
    rank = next((k for k, text in enumerate(ways) if _has(text, asked)), None)
    is_called_so = one.label.lower().startswith(asked.strip().lower())
    return rank if rank is None or not is_called_so else -1


def _has(text: str, asked: str) -> bool:
    text = text.lower()
    return all(part in text for part in asked.lower().split())
