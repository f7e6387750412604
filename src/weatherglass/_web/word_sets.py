"""A word set as a person types it: words, and references to sets of the catalogue.

Words stand between commas, semicolons or spaces; a word with a space in it stands in quotes.
``@female_1-Caliskan_et_al_2017`` is a seed set of the catalogue, ``@weat6.A`` a set of a test.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache

from weatherglass.catalog import SeedSet, Test, WordSet, is_slur, seed_sets, seeds, test, tests
from weatherglass.errors import UnknownEntry, UsageError, WeatherglassError, quote_safe
from weatherglass.measures import find_words
from weatherglass.seedlab import Finding, lint

from .session import Session
from .settings import Settings
from .sources import fingerprints

_PARTS = re.compile(r'"([^"]*)"|([^\s,;]+)')
_OF_TEST = re.compile(r"(.+)\.([XYAB])")


@dataclass(frozen=True)
class CatalogSet:
    """A set of the catalogue that was named: what it is, and where it comes from."""

    name: str
    label: str
    words: tuple[str, ...]
    provenance: str
    notes: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class WordSetInput:
    """A set as it was typed, read.

    `words` has each word once, `references` the sets of the catalogue that they are from.
    """

    words: tuple[str, ...] = ()
    references: tuple[CatalogSet, ...] = ()
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


def read_set(text: str, settings: Settings, label: str = "") -> WordSetInput:
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
            found = find_reference(plain[1:])
            references.append(found)
            words |= dict.fromkeys(found.words)
        elif word := quoted.strip() or plain:
            if len(word) > settings.letters:
                raise UsageError(
                    f"{quote_safe(word, 20)} has {len(word)} letters; a word has at most "
                    f"{settings.letters}."
                )
            words[word] = None
    if len(words) > settings.words:
        raise UsageError(f"The set has {len(words):,} words; at most {settings.words:,} are asked.")
    return WordSetInput(tuple(words), tuple(references), label.strip())


def find_reference(name: str) -> CatalogSet:
    """The set of the catalogue that a name stands for."""
    of_test = _OF_TEST.fullmatch(name)
    if of_test:
        entry = test(of_test[1])
        if not isinstance(entry, Test) or entry.level != "word":
            raise UsageError(f"{entry.id} is no association test of words.")
        return describe_word_set(name, entry.sets[of_test[2]], entry)
    return describe_seed_set(seeds(name))


def describe_seed_set(one: SeedSet) -> CatalogSet:
    """A seed set with its provenance in a sentence."""
    words = tuple(dict.fromkeys(one.words))
    if not words:
        one.word_set()  # raises, and says why the set has no words
    where = ", ".join(source.replace("-", " ") for source in one.sources)
    told = f"{one.study.short}: " if one.study else ""
    told += one.description or one.concept
    told = told.rstrip(".") + (f" ({where})" if where else "")
    return CatalogSet(one.id, one.concept, words, f"{told}.", one.notes, one.flags)


def describe_word_set(name: str, one: WordSet, entry: Test) -> CatalogSet:
    """A set of a test with its provenance in a sentence."""
    study = one.source or entry.study
    told = f"{study.short}: " if study else ""
    flags = ("slurs",) if any(map(is_slur, one.words)) else ()
    return CatalogSet(name, one.label, one.words, f"{told}{one.label}, of {entry.id}.", "", flags)


def format_words(words: Iterable[str]) -> str:
    """Words as they are typed, so that they are read again as they are.

    >>> format_words(["rose", "New York", "@home"])
    'rose, "New York", "@home"'
    """
    return ", ".join(f'"{word}"' if re.search(r"[\s,;]|^@", word) else word for word in words)


@dataclass(frozen=True)
class Lookup:
    """A set in some sources.

    `missing` has the words that each source lacks, `wrong` why a source cannot be asked, and
    `findings` what lint says of the set on the first source, the gravest first.
    """

    missing: dict[str, tuple[str, ...]]
    wrong: dict[str, str]
    findings: tuple[Finding, ...]


async def look_up_words(
    here: Session, sources: Sequence[str], typed: WordSetInput, job: str = ""
) -> Lookup:
    """Look the words of a set up."""
    vectors = await here.sources.opened(sources, job)

    def work(report: Callable[..., None]) -> Lookup:
        missing, wrong = {}, {}
        for name, one in vectors.items():
            try:
                missing[name] = find_words(one, typed.words, "auto").missing
            except WeatherglassError as error:
                wrong[name] = str(error)
        first = next(iter(vectors.values()))
        found = lint(_seed_set(typed), source=first).at_least("warning")
        told = (one for one in found if one.check != "missing")  # the words themselves are shown
        return Lookup(missing, wrong, tuple(sorted(told, key=lambda one: one.severity)))

    return await here.jobs.answer(
        ("words", typed, fingerprints(vectors)), "Looking words up", work, job=job
    )


def _seed_set(typed: WordSetInput) -> SeedSet:
    """A set for lint: the catalogue's own, with its repeats, if it is one of its seed sets."""
    if len(typed.references) == 1 and typed.references[0].words == typed.words:
        with suppress(UnknownEntry):  # a set of a test
            return seeds(typed.references[0].name)
    visible = "".join(c for c in typed.label if c.isprintable()).strip()
    return SeedSet(id=visible or quote_safe(typed.words[0], 20), words=typed.words)


MAX_FOUND = 12


@cache
def word_tests() -> tuple[Test, ...]:
    """The association tests of words."""
    return tuple(one for one in tests(level="word") if isinstance(one, Test))


def find_tests(asked: str) -> list[Test]:
    """The tests that have every word of a search in their id, title, study or labels.

    >>> [one.id for one in find_tests("insects caliskan")]
    ['weat1']
    """
    return [one for one in word_tests() if _contains_all(_searchable_text(one), asked)]


def _searchable_text(one: Test) -> str:
    study = one.study.short if one.study else ""
    labels = " ".join(part.label for part in one.sets.values())
    return f"{one.id} {one.title} {study} {labels}"


@cache
def _sets() -> tuple[tuple[CatalogSet, str, str], ...]:
    """Every set with words, what it is found by first, and what it is found by as well."""
    made = [
        (describe_seed_set(one), f"{one.concept} {one.id.replace('_', ' ')}", " ".join(one.words))
        for one in seed_sets()
        if one.words
    ]
    for entry in word_tests():
        for name, one in entry.sets.items():
            told = describe_word_set(f"{entry.id}.{name}", one, entry)
            made.append((told, f"{one.label} {entry.id}", " ".join(one.words)))
    return tuple(made)


def find_sets(asked: str, most: int = MAX_FOUND) -> Sequence[CatalogSet]:
    """Sets that a search finds: by concept, id and study first, then by their words.

    >>> [one.name for one in find_sets("career caliskan", 2)]
    ['careers-Caliskan_et_al_2017', 'career-Caliskan_et_al_2017']
    """
    if not asked.strip():
        return []
    ranked = [(_rank(asked, *one), one[0]) for one in _sets()]
    found = [pair for pair in ranked if pair[0] is not None]
    return [one for _, one in sorted(found, key=lambda pair: pair[0] or 0)][:most]


def _rank(asked: str, one: CatalogSet, known: str, words: str) -> int | None:
    """How well a set fits a search, the best first; None if it does not."""
    ways = (known, f"{known} {one.provenance}", words)
    rank = next((k for k, text in enumerate(ways) if _contains_all(text, asked)), None)
    is_called_so = one.label.lower().startswith(asked.strip().lower())
    return rank if rank is None or not is_called_so else -1


def _contains_all(text: str, asked: str) -> bool:
    text = text.lower()
    return all(part in text for part in asked.lower().split())
