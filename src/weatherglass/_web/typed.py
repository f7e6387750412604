"""A word set as a person types it: words, and references to sets of the catalogue.

Words stand between commas, semicolons or spaces; a word with a space in it stands in quotes.
``@female_1-Caliskan_et_al_2017`` is a seed set of the catalogue, ``@weat6.A`` a set of a test.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from weatherglass.catalog import SeedSet, Test, WordSet, is_slur, seeds, test
from weatherglass.errors import UsageError, shown

from .settings import Settings

_PARTS = re.compile(r'"([^"]*)"|([^\s,;]+)')
_OF_TEST = re.compile(r"(.+)\.([XYAB])")


@dataclass(frozen=True)
class Reference:
    """A set of the catalogue that was named: what it is, and where it comes from."""

    name: str
    label: str
    words: tuple[str, ...]
    provenance: str
    notes: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Typed:
    """A set as it was typed, read.

    `words` has each word once, `references` the sets of the catalogue that they are from.
    """

    words: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    _label: str = field(default="", repr=False)

    @property
    def label(self) -> str:
        """What the set stands for: its name, or that of the only set it is made of."""
        only = self.references[0] if len(self.references) == 1 else None
        return self._label or (only.label if only and only.words == self.words else "")

    @property
    def has_slurs(self) -> bool:
        """Whether a word is a slur."""
        return any(map(is_slur, self.words))


def read_set(text: str, settings: Settings, label: str = "") -> Typed:
    """Read a set as it was typed.

    Raises
    ------
    UsageError
        It is longer than the server allows.
    UnknownEntry
        It names a set that the catalogue does not have.

    Examples
    --------
    >>> read_set('rose, "New York"; lily rose', Settings()).words
    ('rose', 'New York', 'lily')
    >>> made = read_set("@weat9.A", Settings())
    >>> made.label, made.words[:2]
    ('Temporary', ('impermanent', 'unstable'))
    """
    words: dict[str, None] = {}
    references = []
    for quoted, plain in _PARTS.findall(text):
        if plain.startswith("@") and len(plain) > 1:
            found = reference(plain[1:])
            references.append(found)
            words |= dict.fromkeys(found.words)
        elif word := quoted.strip() or plain:
            if len(word) > settings.letters:
                raise UsageError(
                    f"{shown(word, 20)} has {len(word)} letters; a word has at most "
                    f"{settings.letters}."
                )
            words[word] = None
    if len(words) > settings.words:
        raise UsageError(f"The set has {len(words):,} words; at most {settings.words:,} are asked.")
    return Typed(tuple(words), tuple(references), label.strip())


def reference(name: str) -> Reference:
    """The set of the catalogue that a name stands for."""
    of_test = _OF_TEST.fullmatch(name)
    if of_test:
        entry = test(of_test[1])
        if not isinstance(entry, Test) or entry.level != "word":
            raise UsageError(f"{entry.id} is no association test of words.")
        return of_word_set(name, entry.sets[of_test[2]], entry)
    return of_seed_set(seeds(name))


def of_seed_set(one: SeedSet) -> Reference:
    """A seed set with its provenance in a sentence."""
    words = tuple(dict.fromkeys(one.words))
    if not words:
        one.word_set()  # raises, and says why the set has no words
    where = ", ".join(source.replace("-", " ") for source in one.sources)
    told = f"{one.study.short}: " if one.study else ""
    told += one.description or one.concept
    told = told.rstrip(".") + (f" ({where})" if where else "")
    return Reference(one.id, one.concept, words, f"{told}.", one.notes, one.flags)


def of_word_set(name: str, one: WordSet, entry: Test) -> Reference:
    """A set of a test with its provenance in a sentence."""
    study = one.source or entry.study
    told = f"{study.short}: " if study else ""
    flags = ("slurs",) if any(map(is_slur, one.words)) else ()
    return Reference(name, one.label, one.words, f"{told}{one.label}, of {entry.id}.", "", flags)


def written_out(words: Iterable[str]) -> str:
    """Words as they are typed, so that they are read again as they are.

    >>> written_out(["rose", "New York", "@home"])
    'rose, "New York", "@home"'
    """
    return ", ".join(f'"{word}"' if re.search(r"[\s,;]|^@", word) else word for word in words)
