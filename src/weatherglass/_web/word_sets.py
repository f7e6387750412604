"""Word sets as a person types them: read, looked up in sources, found in the catalogue.

Words are separated by commas, semicolons or spaces; quote words that contain spaces. A text of
several lines is a column: each line is a word, without its number and its quotes.
``@female_1-Caliskan_et_al_2017`` is a seed set of the catalogue, ``@weat6.A`` a set of a test, and
``~rose`` a word that is muted: it stays in the set, and is not measured.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Annotated, NamedTuple

from fastapi import Query

from weatherglass.catalog import SeedSet, Test, WordSet, is_slur, seed_sets, seeds, test, tests
from weatherglass.errors import UnknownEntry, UsageError, WeatherglassError, quote_safe
from weatherglass.measures import find_words
from weatherglass.seedlab import Finding, lint

from .session import Session
from .settings import Settings
from .sources import fingerprints

MAX_SET_CHARACTERS = 10_000
MAX_FOUND = 12
"""How many sets of the catalogue a search lists."""

SetQuery = Annotated[
    str,
    Query(max_length=MAX_SET_CHARACTERS, description="Words, or @ and the id of a set."),
]

_PARTS = re.compile(r'(~?)(?:"([^"]*)"|[“„«]([^“”„«»]+)[“”»])|([^\s,;]+)')
_LINE_NUMBER = re.compile(r"^\s*(?:\(?\d{1,3}[.):](?!\d)\s*|[-*•‣–]\s+)")
_NEEDS_QUOTES = re.compile(r"[\s,;]|^[@~“„«]")
_SET_OF_TEST = re.compile(r"(.+)\.([XYAB])")


# Reading


@dataclass(frozen=True)
class CatalogSet:
    """A set of the catalogue: its id, what it stands for, and where it comes from."""

    name: str
    label: str
    words: tuple[str, ...]
    provenance: str
    notes: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class WordSetInput:
    """A set as it was typed: each word once, and the sets of the catalogue that it names."""

    words: tuple[str, ...] = ()
    references: tuple[CatalogSet, ...] = ()
    _label: str = field(default="", repr=False)
    muted: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    """All words in their order, the muted ones among them."""

    @property
    def label(self) -> str:
        """What the set stands for: its name, or that of the one set that it consists of."""
        single = self.references[0] if len(self.references) == 1 else None
        return self._label or (single.label if single and single.words == self.words else "")

    @property
    def has_slurs(self) -> bool:
        """Whether a word is a slur."""
        return any(map(is_slur, self.words))


@lru_cache(256)  # a page reads the sets of its question several times
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
    >>> temporary = read_set("@weat9.A", Settings())
    >>> temporary.label, temporary.words[:2]
    ('Temporary', ('impermanent', 'unstable'))
    """
    words: dict[str, bool] = {}  # whether each is muted
    references = []
    for entry in split_words(text):
        if entry.is_reference:
            reference = find_reference(entry.word)
            references.append(reference)
            words |= {word: False for word in reference.words if word not in words}
            continue
        word = entry.word
        if len(word) > settings.max_word_length:
            raise UsageError(
                f"{quote_safe(word, 20)} has {len(word)} characters; a word may have at most "
                f"{settings.max_word_length}."
            )
        words[word] = entry.is_muted and words.get(word, True)
    if len(words) > settings.max_words:
        raise UsageError(
            f"The set has {len(words):,} words; a set may have at most {settings.max_words:,}."
        )
    active = tuple(word for word, is_muted in words.items() if not is_muted)
    muted = tuple(word for word, is_muted in words.items() if is_muted)
    return WordSetInput(active, tuple(references), label.strip(), muted, tuple(words))


class Entry(NamedTuple):
    """A word of a typed set, or the name of a set of the catalogue."""

    word: str
    is_muted: bool = False
    is_reference: bool = False


def split_words(text: str) -> list[Entry]:
    r"""Split a typed or pasted text into its words.

    >>> [entry.word for entry in split_words("1. pilot\n2. software engineer\n“nurse”")]
    ['pilot', 'software engineer', 'nurse']
    >>> split_words("~rose @weat6.A")[0].is_muted
    True
    """
    text = text.replace("\r\n", "\n").strip()
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2:
        return _split_line(text)
    return [entry for line in lines for entry in _split_column_line(line)]


def write_on_one_line(text: str, added: str = "") -> str:
    r"""Return a typed set with words that are added to it, on one line.

    >>> write_on_one_line("rose, lily", "tulip\nbird of paradise")
    'rose, lily, tulip, "bird of paradise"'
    """
    parts = [part.strip() for part in (text, added) if part.strip()]
    if len(parts) < 2 and "\n" not in text.strip():
        return text if not added.strip() else added.strip()
    lines = [
        part.rstrip(",; ") if part is parts[0] and "\n" not in part else _write_entries(part)
        for part in parts
    ]
    return ", ".join(lines)


def _write_entries(text: str) -> str:
    return ", ".join(
        f"@{entry.word}" if entry.is_reference else _format_word(entry.word, entry.is_muted)
        for entry in split_words(text)
    )


def _split_column_line(line: str) -> list[Entry]:
    """Return the word of a line of a column, or its words, where it is a list or a reference."""
    line = _LINE_NUMBER.sub("", line).strip()
    if re.search(r'[,;\t"]|^[@~“„«]', line):
        return _split_line(line)
    word = line.strip("'‘’")
    return [Entry(word)] if word else []


def _split_line(line: str) -> list[Entry]:
    entries = []
    for mark, straight, curly, plain in _PARTS.findall(line):
        if plain.startswith("@") and len(plain) > 1:
            entries.append(Entry(plain[1:], is_reference=True))
        elif plain.startswith("~") and len(plain) > 1:
            entries.append(Entry(plain[1:], is_muted=True))
        elif word := straight.strip() or curly.strip() or plain:
            entries.append(Entry(word, is_muted=bool(mark)))
    return entries


def find_reference(name: str) -> CatalogSet:
    """Return the set of the catalogue with this name."""
    match = _SET_OF_TEST.fullmatch(name)
    if match:
        entry = test(match[1])
        if not isinstance(entry, Test) or entry.level != "word":
            raise UsageError(f"{entry.id} is not an association test of words.")
        return describe_word_set(name, entry.sets[match[2]], entry)
    return describe_seed_set(seeds(name))


def describe_seed_set(seed_set: SeedSet) -> CatalogSet:
    """Describe a seed set, with its provenance in a sentence."""
    words = tuple(dict.fromkeys(seed_set.words))
    if not words:
        seed_set.word_set()  # raises, and says why the set has no words
    origins = ", ".join(source.replace("-", " ") for source in seed_set.sources)
    study = f"{seed_set.study.short}: " if seed_set.study else ""
    content = (seed_set.description or seed_set.concept).rstrip(".")
    provenance = f"{study}{content}" + (f" ({origins})" if origins else "") + "."
    return CatalogSet(
        seed_set.id, seed_set.concept, words, provenance, seed_set.notes, seed_set.flags
    )


def describe_word_set(name: str, word_set: WordSet, entry: Test) -> CatalogSet:
    """Describe a set of a test, with its provenance in a sentence."""
    source = word_set.source or entry.study
    study = f"{source.short}: " if source else ""
    flags = ("slurs",) if any(map(is_slur, word_set.words)) else ()
    provenance = f"{study}{word_set.label}, of {entry.id}."
    return CatalogSet(name, word_set.label, word_set.words, provenance, "", flags)


def format_words(words: Iterable[str], muted: Collection[str] = ()) -> str:
    """Write words so that `read_set` reads the same words, with the muted ones marked.

    >>> format_words(["rose", "New York", "@home"], muted=["rose"])
    '~rose, "New York", "@home"'
    """
    return ", ".join(_format_word(word, word in muted) for word in words)


def _format_word(word: str, is_muted: bool) -> str:
    if not is_muted:
        return f'"{word}"' if _NEEDS_QUOTES.search(word) else word
    return f'~"{word}"' if _NEEDS_QUOTES.search(word) else f"~{word}"


# Looking up


@dataclass(frozen=True)
class Lookup:
    """A set looked up in sources.

    `missing` has the words that each source lacks, `errors` why a source cannot be used, and
    `findings` what lint reports about the set on the first source, most severe first.
    """

    missing: dict[str, tuple[str, ...]]
    errors: dict[str, str]
    findings: tuple[Finding, ...]


async def look_up_words(
    session: Session, sources: Sequence[str], word_set: WordSetInput, job: str = ""
) -> Lookup:
    """Look up the words of a set in sources."""
    vectors = await session.sources.open(sources, job)

    def work(report: Callable[..., None]) -> Lookup:
        missing, errors = {}, {}
        for name, source in vectors.items():
            try:
                missing[name] = find_words(source, word_set.words, "auto").missing
            except WeatherglassError as error:
                errors[name] = str(error)
        first = next(iter(vectors.values()))
        warnings = lint(_as_seed_set(word_set), source=first).at_least("warning")
        # The page lists missing words by itself.
        findings = (finding for finding in warnings if finding.check != "missing")
        by_severity = sorted(findings, key=lambda finding: finding.severity)
        return Lookup(missing, errors, tuple(by_severity))

    key = ("words", word_set, fingerprints(vectors))
    return await session.jobs.answer(key, "Looking up words", work, job=job)


def _as_seed_set(word_set: WordSetInput) -> SeedSet:
    """Return a set for lint: the seed set of the catalogue, with its repeats, where it is one."""
    if len(word_set.references) == 1 and word_set.references[0].words == word_set.words:
        with suppress(UnknownEntry):  # it is a set of a test
            return seeds(word_set.references[0].name)
    label = "".join(c for c in word_set.label if c.isprintable()).strip()
    return SeedSet(id=label or quote_safe(word_set.words[0], 20), words=word_set.words)


# Searching the catalogue


@cache
def word_tests() -> tuple[Test, ...]:
    """The association tests of words."""
    return tuple(entry for entry in tests(level="word") if isinstance(entry, Test))


def find_tests(search: str) -> list[Test]:
    """Return the tests whose id, title, study and labels contain every word of a search.

    >>> [entry.id for entry in find_tests("insects caliskan")]
    ['weat1']
    """
    return [entry for entry in word_tests() if _contains_all(_searchable_text(entry), search)]


def _searchable_text(entry: Test) -> str:
    study = entry.study.short if entry.study else ""
    labels = " ".join(word_set.label for word_set in entry.sets.values())
    return f"{entry.id} {entry.title} {study} {labels}"


@cache
def _all_sets() -> tuple[tuple[CatalogSet, str, str], ...]:
    """Every set with words, the text that a search looks at first, and its words."""
    entries = [
        (
            describe_seed_set(seed_set),
            f"{seed_set.concept} {seed_set.id.replace('_', ' ')}",
            " ".join(seed_set.words),
        )
        for seed_set in seed_sets()
        if seed_set.words
    ]
    for entry in word_tests():
        for side, word_set in entry.sets.items():
            described = describe_word_set(f"{entry.id}.{side}", word_set, entry)
            name = f"{word_set.label} {entry.id}"
            entries.append((described, name, " ".join(word_set.words)))
    return tuple(entries)


def find_sets(search: str, limit: int = MAX_FOUND) -> Sequence[CatalogSet]:
    """Search the sets of the catalogue: by concept, id and study first, then by their words.

    >>> [word_set.name for word_set in find_sets("career caliskan", 2)]
    ['careers-Caliskan_et_al_2017', 'career-Caliskan_et_al_2017']
    """
    if not search.strip():
        return []
    ranked = [(_rank(search, *entry), entry[0]) for entry in _all_sets()]
    matching = [(rank, word_set) for rank, word_set in ranked if rank is not None]
    return [word_set for _, word_set in sorted(matching, key=lambda pair: pair[0])][:limit]


def _rank(search: str, word_set: CatalogSet, name: str, words: str) -> int | None:
    """Return how well a set matches a search, 0 and below being best; None if it does not."""
    texts = (name, f"{name} {word_set.provenance}", words)
    rank = next((k for k, text in enumerate(texts) if _contains_all(text, search)), None)
    is_named_so = word_set.label.lower().startswith(search.strip().lower())
    return rank if rank is None or not is_named_so else -1


def _contains_all(text: str, search: str) -> bool:
    text = text.lower()
    return all(part in text for part in search.lower().split())
