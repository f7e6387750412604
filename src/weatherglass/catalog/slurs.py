"""Slurs, which reports mask until the reader asks to see them.

The list is ``data/slurs.csv``. Its column `also` has what else the word may mean; a word whose
everyday meaning comes first (spade, fairy) is not in it. An entry with a space is found with a
space, an underscore or a hyphen in it, and as one word. Entries of the kind ``none`` hold the
letters of a slur and are none.

`source` names the lists that contain the word; ``data/slurs.yaml`` has their authors and licences.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator
from typing import Literal

from weatherglass._files import read_csv_rows

from .provenance import DATA, Record

_COLUMNS = ("word", "kind", "also", "source")
_TOKEN = re.compile(r"[^\W_]+")
_HISSING = ("ses", "xes", "zes", "ches", "shes")
_LONGEST = 3  # tokens in an entry


class Slur(Record):
    """An entry of the list: a word, whom it is aimed at, and where it is listed."""

    word: str
    kind: Literal[
        "race", "ethnicity", "religion", "sexuality", "gender", "disability", "class", "none"
    ]
    also: str = ""
    source: str = ""


def is_slur(word: str) -> bool:
    """Whether a word, or any word of a phrase, is a slur.

    Upper and lower case are the same, words are told apart at anything that is no letter or digit,
    and plurals in s, es and ies are found too.

    Examples
    --------
    >>> is_slur("Rednecks"), is_slur("mentally_retarded"), is_slur("pansy")
    (True, True, False)
    """
    return next(_places(word), None) is not None


def masked(word: str) -> str:
    """A word or phrase with asterisks for all letters of slurs but the first.

    Examples
    --------
    >>> masked("mentally_retarded"), masked("white trash"), masked("doo-wop")
    ('mentally_r*******', 'w**** t****', 'doo-wop')
    """
    made = list(word)
    for start, end in _places(word):
        made[start + 1 : end] = "*" * (end - start - 1)
    return "".join(made)


@functools.cache
def slurs() -> tuple[Slur, ...]:
    """Every entry of the list."""
    found = read_csv_rows(DATA / "slurs.csv", _COLUMNS)
    return tuple(Slur.model_validate(dict(zip(_COLUMNS, cells, strict=True))) for _, cells in found)


@functools.cache
def _by_size() -> tuple[dict[str, bool], dict[str, bool]]:
    """Entries as one token and entries as several, without spaces; false for what is no slur."""
    entries = {one.word.replace(" ", ""): one.kind != "none" for one in slurs()}
    phrases = {one.word.replace(" ", "") for one in slurs() if " " in one.word}
    return entries, {word: bad for word, bad in entries.items() if word in phrases}


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Where the tokens of slurs begin and end, the longest entry first."""
    one, several = _by_size()
    tokens = [(_plain(match[0]), match.span()) for match in _TOKEN.finditer(text)]
    at = 0
    while at < len(tokens):
        for size in range(min(_LONGEST, len(tokens) - at), 0, -1):
            here = tokens[at : at + size]
            bad = _look_up("".join(token for token, _ in here), several if size > 1 else one)
            if bad is not None:
                yield from (span for _, span in here if bad)
                at += size
                break
        else:
            at += 1


def _look_up(word: str, entries: dict[str, bool]) -> bool | None:
    """Whether a word, in the singular or plural, is a slur; None if no entry has it."""
    ways = [word, word.removesuffix("s")]
    if word.endswith("ies"):
        ways.append(word.removesuffix("ies") + "y")
    if word.endswith(_HISSING):
        ways.append(word.removesuffix("es"))
    return next((entries[way] for way in ways if way in entries), None)


def _plain(token: str) -> str:
    return unicodedata.normalize("NFKC", token).casefold()
