"""Two seed sets held against each other, and which word of the one answers which of the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from weatherglass.catalog import Pairing, SeedSet, pairings, seeds
from weatherglass.errors import UsageError

from .choosing import is_known

Match = Literal["documented", "parallel", "position"]
Kind = Literal["gathered", "generated", "own"]
Words = SeedSet | str | Sequence[str]


@dataclass(frozen=True)
class SeedPair:
    """Seed sets X and Y.

    Attributes
    ----------
    x, y
        What they are called.
    x_words, y_words
        Their words, each once.
    pairs
        The words of X and Y that answer each other, for PCA.
    match
        How that is known: ``documented``, where a study gives pairs of words; ``parallel``, where
        its lists run side by side; ``position``, where neither is so and the first word is paired
        with the first, and so on. A word beyond the end of the shorter list is then in no pair.
    kind
        ``gathered`` from the literature, ``generated`` by the seed lab, or your ``own``.
    """

    x: str
    y: str
    x_words: tuple[str, ...]
    y_words: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    match: Match = "position"
    kind: Kind = "own"

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.x} / {self.y}"


def seed_pair(x: Words, y: Words, kind: Kind | None = None) -> SeedPair:
    """Hold two seed sets against each other.

    Parameters
    ----------
    x, y
        Seed sets, ids of the catalogue, or lists of words. Where the catalogue says how the words
        of two sets answer each other, that is kept.
    kind
        ``gathered`` if both sets are in the catalogue, else ``own``.

    Raises
    ------
    CatalogError
        A set has no words.

    Examples
    --------
    >>> pair = seed_pair("upperclass-Kozlowski_et_al_2019", "lowerclass-Kozlowski_et_al_2019")
    >>> pair.pairs[0], pair.match, pair.kind
    (('rich', 'poor'), 'documented', 'gathered')
    >>> seed_pair(["sun", "warm"], ["rain", "cold", "wet"]).pairs
    (('sun', 'rain'), ('warm', 'cold'))
    """
    first, second = _set(x, "X"), _set(y, "Y")
    known = _documented(first, second)
    # As Python's zip: figure 3 (c) pairs 17 names with 20.
    listed = known.words() if known else ()
    if listed and known and known.sets[0] != first.id:
        listed = tuple((b, a) for a, b in listed)
    match: Match = "position"
    if listed and known and known.match != "none":
        match = known.match
    return SeedPair(
        x=first.id,
        y=second.id,
        x_words=first.word_set().words,
        y_words=second.word_set().words,
        pairs=tuple(dict.fromkeys(listed or zip(first.words, second.words, strict=False))),
        match=match,
        kind=kind or ("gathered" if is_known(first) and is_known(second) else "own"),
    )


def gathered_pairs(which: Iterable[Pairing] | None = None) -> tuple[SeedPair, ...]:
    """Every pair of seed sets that a study holds against each other.

    Parameters
    ----------
    which
        Only these, of what `weatherglass.catalog.pairings` gives; by default all.

    Examples
    --------
    >>> len(gathered_pairs())
    66
    >>> from weatherglass.catalog import pairings
    >>> [pair.y for pair in gathered_pairs(pairings("jew-Manzini_et_al_2019"))]
    ['christian-Manzini_et_al_2019', 'muslim-Manzini_et_al_2019']
    """
    return tuple(seed_pair(*one.sets) for one in (pairings() if which is None else which))


def _set(given: Words, name: str) -> SeedSet:
    if isinstance(given, SeedSet):
        return given
    if isinstance(given, str):
        return seeds(given)
    if not given:
        raise UsageError(f"{name} has no words.")
    return SeedSet(id=name, words=tuple(given))


def _documented(first: SeedSet, second: SeedSet) -> Pairing | None:
    if not (is_known(first) and is_known(second)):
        return None
    return next((one for one in pairings(first.id) if one.other(first.id) == second.id), None)
