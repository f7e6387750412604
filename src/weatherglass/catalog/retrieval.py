"""Texts and names that audits combine: résumés, job descriptions, reviews, and first names."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from .person_names import load_names
from .provenance import DATA
from .record_files import read_mapping, read_table

_FOLDER = DATA / "retrieval"
_COLUMNS = ("name", "race", "gender")

US_NAMES_PER_GROUP = 12
RACE_SHARES = {"White": 0.7, "Black": 0.7, "Hispanic": 0.7, "Asian": 0.7}
"""The share of a race among the people with a name from which the name counts as one of it."""

GENDER_SHARE = 0.95
"""The share of a sex among the births with a name from which the name counts as one of it."""


@functools.cache
def retrieval_texts() -> Mapping[str, Mapping[str, str]]:
    """Return the collections of texts: for each, the texts by id.

    They were written for this project, and do not tell gender, race, age or religion; the reviews
    have ``{name}`` where a person is named.

    >>> {name: len(texts) for name, texts in retrieval_texts().items()}
    {'resumes': 20, 'jobs': 20, 'reviews': 20}
    """
    collections = {}
    for name in ("resumes", "jobs", "reviews"):
        entries = read_mapping(_FOLDER / f"{name}.yaml")["texts"]
        collections[name] = {entry["id"]: entry["text"].strip() for entry in entries}
    return collections


@functools.cache
def retrieval_names() -> Mapping[str, list[dict[str, str]]]:
    """Return lists of first names with the race and the gender that they suggest.

    ``bertrand-mullainathan`` has the 36 names of the field experiment of Bertrand and Mullainathan
    (2004). ``us-names`` has the twelve most frequent names of each of four races and both sexes, by
    births and census shares of the catalogue's list ``ssa``.

    >>> {name: len(rows) for name, rows in retrieval_names().items()}
    {'bertrand-mullainathan': 36, 'us-names': 96}
    """
    table = read_table(_FOLDER / "names.csv", _COLUMNS)
    resume_study = [dict(zip(_COLUMNS, cells, strict=True)) for cells in table.rows]
    return {"bertrand-mullainathan": resume_study, "us-names": _us_names()}


def _us_names() -> list[dict[str, str]]:
    """Return the most frequent first names by race and sex."""
    names = load_names("ssa")
    rows = []
    for race, least in RACE_SHARES.items():
        shares = names.facts[f"share_{race.lower()}"]
        for gender in ("female", "male"):
            female = names.facts["share_female"]
            chosen = [
                name
                for name, share, births in zip(names.names, shares, female, strict=True)
                if share is not None
                and births is not None
                and share >= least
                and (births if gender == "female" else 1 - births) >= GENDER_SHARE
            ]
            rows += [
                {"name": name, "race": race, "gender": gender}
                for name in chosen[:US_NAMES_PER_GROUP]
            ]
    return rows
