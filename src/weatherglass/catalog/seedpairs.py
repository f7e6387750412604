"""Which seed sets are held against each other, and how their words answer each other."""

from __future__ import annotations

import functools
from typing import Literal

from weatherglass.catalog.parts import Record, Study
from weatherglass.catalog.seedsets import seeds
from weatherglass.catalog.studies import DATA, cited
from weatherglass.catalog.textfiles import read_text
from weatherglass.catalog.yamltext import read_yaml
from weatherglass.errors import CatalogError, UnknownEntry


class Pairing(Record):
    """Two seed sets that a study holds against each other.

    Parameters
    ----------
    sets
        The ids of both.
    match
        How their words answer each other: ``"documented"`` where the study gives pairs of words,
        ``"parallel"`` where the lists run side by side but the study compares them whole, and
        ``"none"``.
    study, place
        The work that pairs them, and where in it.
    pairs
        The pairs of words, where they do not go by position.
    """

    sets: tuple[str, str]
    match: Literal["documented", "parallel", "none"]
    study: Study
    place: str
    pairs: tuple[tuple[str, str], ...] = ()

    def other(self, id: str) -> str:
        """The set that stands against this one."""
        return self.sets[self.sets[0] == id]

    def words(self) -> tuple[tuple[str, str], ...]:
        """The pairs of words; empty where the sets are only compared whole."""
        if self.pairs or self.match == "none":
            return self.pairs
        first, second = (seeds(id).words for id in self.sets)
        return tuple(zip(first, second, strict=True))


@functools.cache
def _all() -> tuple[Pairing, ...]:
    path = DATA / "seeds" / "pairings.yaml"
    (document,) = read_yaml(read_text(path), path.name)
    return tuple(Pairing.model_validate(cited(record)) for record in document["pairings"])


def pairings(id: str | None = None) -> tuple[Pairing, ...]:
    """Every documented pairing of seed sets, or those of one set.

    Examples
    --------
    >>> [one.other("career-Caliskan_et_al_2017") for one in pairings("career-Caliskan_et_al_2017")]
    ['family-Caliskan_et_al_2017']
    """
    if id is None:
        return _all()
    return tuple(one for one in _all() if seeds(id).id in one.sets)


def pairs(a: str, b: str) -> tuple[tuple[str, str], ...]:
    """The words of two seed sets, pair by pair.

    Parameters
    ----------
    a, b
        Ids of two sets whose words answer each other one by one, in either order.

    Raises
    ------
    UnknownEntry
        If there is no such set, or no study pairs these two.
    CatalogError
        If the sets are compared whole, so that no word answers another.

    Examples
    --------
    >>> pairs("male_2-Caliskan_et_al_2017", "female_2-Caliskan_et_al_2017")[:3]
    (('brother', 'sister'), ('father', 'mother'), ('uncle', 'aunt'))
    """
    against = pairings(a)
    found = next((one for one in against if one.other(a) == seeds(b).id), None)
    if found is None:
        has = " or ".join(one.other(a) for one in against)
        known = f"{a} goes with {has}" if has else f"{a} goes with no other"
        raise UnknownEntry(f"No study pairs {a} with {b}; {known}.")
    if not found.words():
        raise CatalogError(
            f"{found.study.short} compares {a} with {b} as a whole; no word answers another."
        )
    return tuple((x, y) if found.sets[0] == a else (y, x) for x, y in found.words())
