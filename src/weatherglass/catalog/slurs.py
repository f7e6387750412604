"""Slurs, which reports mask until the reader asks to see them.

The list is ``data/slurs.csv``. Its column `also` has other meanings of the word; words whose common
meaning is another one (spade, fairy) are not listed. An entry with a space also matches with an
underscore or a hyphen in its place, and as one word. Entries of the kind ``none`` contain the
letters of a slur but are not slurs.

`source` names the lists that contain the word; ``data/slurs.yaml`` has their authors and licences.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args

from weatherglass.errors import CatalogError, quote_safe

from .record_files import read_table

_COLUMNS = ("word", "kind", "also", "source")
_TOKEN = re.compile(r"[^\W_]+")
_GAP = re.compile(r"[\s_-]+")  # between the words of a phrase; a comma ends it
_SIBILANT_PLURALS = ("ses", "xes", "zes", "ches", "shes")
_MAX_TOKENS = 3  # of an entry
_MAX_CACHED = 60  # characters


Kind = Literal[
    "race", "ethnicity", "religion", "sexuality", "gender", "disability", "class", "none"
]


@dataclass(frozen=True)  # no `Record`: every table is masked, and pydantic takes long to import
class Slur:
    """An entry of the list: a word, the kind of group that it targets, and its sources."""

    word: str
    kind: Kind
    also: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise CatalogError(f"slurs.csv has the unknown kind {quote_safe(self.kind)}.")


def is_slur(word: str) -> bool:
    """Whether a word, or any word of a phrase, is a slur.

    Case is ignored, anything but letters and digits separates words, and plurals in s, es and ies
    match, too.

    Examples
    --------
    >>> is_slur("Rednecks"), is_slur("mentally_retarded"), is_slur("pansy")
    (True, True, False)
    """
    return next(iter(_find_spans(word)), None) is not None


def mask_slurs(word: str) -> str:
    """Replace all letters of slurs but the first by asterisks.

    Examples
    --------
    >>> mask_slurs("mentally_retarded"), mask_slurs("white trash"), mask_slurs("doo-wop")
    ('mentally_r*******', 'w**** t****', 'doo-wop')
    """
    letters = list(word)
    for start, end in _find_spans(word):
        letters[start + 1 : end] = "*" * (end - start - 1)
    return "".join(letters)


@functools.cache
def slurs() -> tuple[Slur, ...]:
    """Return all entries of the list."""
    table = read_table(Path(__file__).parent / "data" / "slurs.csv", _COLUMNS)
    fields: list[dict[str, Any]] = [dict(zip(_COLUMNS, row, strict=True)) for row in table.rows]
    return tuple(Slur(**entry) for entry in fields)


@functools.cache
def _entries() -> tuple[dict[str, bool], dict[str, bool]]:
    """Map all entries, and those of several words, to whether they are slurs; without spaces."""
    entries = {slur.word.replace(" ", ""): slur.kind != "none" for slur in slurs()}
    phrases = {slur.word.replace(" ", "") for slur in slurs() if " " in slur.word}
    return entries, {word: is_bad for word, is_bad in entries.items() if word in phrases}


@functools.cache
def _phrase_beginnings() -> frozenset[str]:
    """Return what the first token of an entry of several words can be."""
    return frozenset(word[:end] for word in _entries()[True] for end in range(1, len(word) + 1))


def _find_spans(text: str) -> Iterable[tuple[int, int]]:
    """Return the start and end of each token of a slur; longer entries take precedence."""
    # A page shows the same words in many places; longer texts are searched once.
    return _find_short(text) if len(text) <= _MAX_CACHED else _search(text)


@functools.lru_cache(16384)
def _find_short(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(_search(text))


def _search(text: str) -> Iterator[tuple[int, int]]:
    tokens = [(_normalise(match[0]), match.span()) for match in _TOKEN.finditer(text)]
    position = 0
    while position < len(tokens):
        begins_phrase = tokens[position][0] in _phrase_beginnings()
        for size in range(min(_MAX_TOKENS if begins_phrase else 1, len(tokens) - position), 0, -1):
            window = tokens[position : position + size]
            if not _is_phrase(text, [span for _, span in window]):
                continue
            joined = "".join(token for token, _ in window)
            is_bad = _look_up(joined, is_phrase=size > 1)
            if is_bad is not None:
                yield from (span for _, span in window if is_bad)
                position += size
                break
        else:
            position += 1


def _is_phrase(text: str, spans: list[tuple[int, int]]) -> bool:
    """Whether tokens follow each other as the words of a phrase do."""
    gaps = ((before[1], after[0]) for before, after in pairwise(spans))
    return all(_GAP.fullmatch(text, start, end) for start, end in gaps)


@functools.lru_cache(65536)
def _look_up(word: str, is_phrase: bool) -> bool | None:
    """Whether a word, in the singular or plural, is a slur; None if it is not listed."""
    entries = _entries()[is_phrase]
    forms = [word, word.removesuffix("s")]
    if word.endswith("ies"):
        forms.append(word.removesuffix("ies") + "y")
    if word.endswith(_SIBILANT_PLURALS):
        forms.append(word.removesuffix("es"))
    return next((entries[form] for form in forms if form in entries), None)


def _normalise(token: str) -> str:
    return unicodedata.normalize("NFKC", token).casefold()
