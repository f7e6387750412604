"""The seed sets of the catalogue: looked up by id, by concept, by source, by study."""

from __future__ import annotations

import difflib
import fnmatch
import functools
from collections.abc import Iterable, Mapping

from weatherglass.catalog.seedschema import SeedSet, seed_sources
from weatherglass.catalog.studies import DATA, cited, studies
from weatherglass.catalog.textfiles import read_text
from weatherglass.catalog.yamltext import read_yaml
from weatherglass.errors import UnknownEntry, did_you_mean, shown

# The order in which the catalogue is listed.
_FILES = (
    "gender",
    "race",
    "names",
    "religion",
    "society",
    "work",
    "traits",
    "feeling",
    "things",
)


def seeds(id: str) -> SeedSet:
    """A seed set of the catalogue.

    Parameters
    ----------
    id
        The set's id, as Antoniak and Mimno (2021) give it.

    Returns
    -------
    SeedSet
        The words with their provenance. It can be a target or attribute set of a `Test`.

    Raises
    ------
    UnknownEntry
        If there is no such set; the message names the nearest.

    Examples
    --------
    >>> male = seeds("male_1-Caliskan_et_al_2017")
    >>> male.words[:3], male.concept, male.study.short
    (('brother', 'male', 'man'), 'male', 'Caliskan et al. 2017')
    """
    known = _sets()
    if id not in known:
        raise UnknownEntry(
            f"There is no seed set {shown(id)} in the catalogue."
            + (_nearest(id, known) or " See `weatherglass seeds list`.")
        )
    return known[id]


def seed_sets(
    *patterns: str,
    concept: str | None = None,
    source: str | None = None,
    study: str | None = None,
) -> tuple[SeedSet, ...]:
    """Every seed set whose id matches a pattern, in the catalogue's order.

    Parameters
    ----------
    *patterns
        As for file names: ``*`` any text, ``?`` one character, ``[12]`` one of these; without a
        pattern, every set. Several patterns give their matches one after another, each set once.
    concept
        Only sets that stand for this, such as ``"female"``; `concepts` has them all.
    source
        Only sets whose words come from there, such as ``"population-derived"``; `seed_sources`
        has them all.
    study
        Only sets that this work used, by its key, such as ``"garg2018"``.

    Raises
    ------
    UnknownEntry
        If a pattern matches nothing, or a concept, source or study is not known.

    Examples
    --------
    >>> len(seed_sets()), len(seed_sets(concept="female")), len(seed_sets(study="garg2018"))
    (178, 20, 21)
    >>> [one.id for one in seed_sets("names_b*", "names_w*")]
    ['names_black-Garg_et_al_2018', 'names_white-Garg_et_al_2018']
    """
    _must_be_known("concept", concept, concepts())
    _must_be_known("source", source, seed_sources())
    _must_be_known("study", study, _studies())
    found: dict[str, SeedSet] = {}
    for pattern in patterns or ("*",):
        matches = [
            one
            for one in _sets().values()
            if fnmatch.fnmatchcase(one.id, pattern)
            and concept in (None, one.concept)
            and (source is None or source in one.sources)
            and study in (None, one.study and one.study.key)
        ]
        if not matches:
            asked = {"concept": concept, "source": source, "study": study}
            only = "".join(f" of the {name} {value}" for name, value in asked.items() if value)
            near = "" if only else _nearest(pattern, _sets())
            raise UnknownEntry(f"No seed set{only} matches {shown(pattern)}.{near}")
        found |= {one.id: one for one in matches}
    return tuple(found.values())


@functools.cache
def concepts() -> Mapping[str, str]:
    """What the seed sets of the catalogue stand for: concepts by name, each in a few words.

    >>> concepts()["career"]
    'working life'
    """
    path = DATA / "seeds" / "concepts.yaml"
    (names,) = read_yaml(read_text(path), path.name)
    return dict(names)


@functools.cache
def _sets() -> dict[str, SeedSet]:
    """Every set by id, in the order of the files."""
    made: dict[str, SeedSet] = {}
    for name in _FILES:
        path = DATA / "seeds" / f"{name}.yaml"
        (document,) = read_yaml(read_text(path), path.name)
        for record in document["seeds"]:
            assert record["id"] not in made, f"{path.name} repeats {record['id']}"
            made[record["id"]] = SeedSet.model_validate(cited(record))
    return made


def _studies() -> dict[str, str]:
    used = {one.study.key for one in _sets().values() if one.study}
    return {key: one.short for key, one in studies().items() if key in used}


def _must_be_known(what: str, name: str | None, known: Mapping[str, str]) -> None:
    if name is not None and name not in known:
        near = did_you_mean(name.lower(), known) or f" There are {', '.join(known)}."
        raise UnknownEntry(f"No seed set has the {what} {shown(name)}.{near}")


def _nearest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown id: the nearest known ones, or nothing."""
    # An id ends in authors and year, and what people remember is its beginning.
    part = name.strip("*?").lower()
    near = [id for id in known if part and part in id.lower()]
    if not near:
        ways = {id.rpartition("-")[0]: id for id in known} | {id: id for id in known}
        near = [ways[way] for way in difflib.get_close_matches(part, ways, n=3)]
    return f" Did you mean {' or '.join(dict.fromkeys(near[:3]))}?" if near else ""
