"""A corpus as token ids on disk: written once, read many times.

Words are numbered by falling count. Of the texts only the ids are kept, in one file, and the
position in it at which each document ends. Both are memory-mapped, so that the corpus may be larger
than memory; only the list of distinct words must fit.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import ArrayFile, write_array
from weatherglass.errors import CannotMeasure, quote_safe

from .formats import Document
from .tokenizer import Tokenizer

_MAX_BUFFERED_TOKENS = 1 << 22
_CHUNK_TOKENS = 1 << 24

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class TokenIds:
    """The documents of a corpus, or of one group in it, as token ids.

    Attributes
    ----------
    words, counts
        The words that are frequent enough, and their counts, the most frequent first.
    tokens
        The documents one after another, as positions in `words`. Rare words are left out, so that
        their neighbours become neighbours of each other.
    ends
        The position in `tokens` at which each document ends.
    """

    words: list[str]
    counts: Integers
    tokens: NDArray[np.int32]
    ends: Integers

    def __repr__(self) -> str:
        return (
            f"<TokenIds: {len(self.ends):,} documents, {len(self.tokens):,} tokens, "
            f"{len(self.words):,} words>"
        )

    def sample_counts(self, weights: Integers) -> Integers:
        """Return the count of each word if document d occurs ``weights[d]`` times."""
        from .kernels import count_words

        counts: Integers = count_words(self.tokens, self.ends, weights, len(self.words))
        return counts


class TokenIdWriter:
    """Writes documents as token ids, each group to a folder of its own.

    Parameters
    ----------
    folder
        Where to write; it gets a subfolder for each group.
    tokenizer
        Splits texts into words.
    keep_raw
        Whether the folders of groups keep all tokens, as ``raw`` and ``raw-ends``, after their
        rare words were dropped, and the number of each document, as ``raw-documents``.
    """

    def __init__(self, folder: Path, tokenizer: Tokenizer, keep_raw: bool = False) -> None:
        self._folder, self._tokenizer, self._keep_raw = folder, tokenizer, keep_raw
        self._ids = _NewIds()
        self._groups: dict[str, _Group] = {}
        self._buffered_tokens = 0

    def add(self, document: Document, group: str = "", number: int | None = None) -> None:
        """Add a document to a group; `number` is the same for its parts in several groups."""
        self.add_words(self._tokenizer(document.text), group, number)

    def add_words(self, words: Iterable[str], group: str = "", number: int | None = None) -> None:
        """Add a document that is split into words already."""
        ids = self._ids
        tokens = [ids[word] for word in words]
        if group not in self._groups:
            folder = self._folder / str(len(self._groups))
            folder.mkdir()
            self._groups[group] = _Group(folder)
        if number is None:
            number = sum(len(files.ends) for files in self._groups.values())
        self._groups[group].add(tokens, number)
        self._buffered_tokens += len(tokens)
        if self._buffered_tokens > _MAX_BUFFERED_TOKENS:
            for buffered_group in self._groups.values():
                buffered_group.flush()
            self._buffered_tokens = 0

    @property
    def sizes(self) -> dict[str, tuple[int, int]]:
        """The numbers of documents and of tokens, rare words included, of each group."""
        return {name: (len(group.ends), group.size) for name, group in self._groups.items()}

    def shared(self, group: str) -> dict[str, int]:
        """Return how many documents of a group also have a part in other groups, by group."""
        parts = [group.numbers for group in self._groups.values()]
        if len(set().union(*parts)) == sum(map(len, parts)):
            return {}
        own = set(self._groups[group].numbers)
        counts = {
            name: len(own.intersection(other.numbers))
            for name, other in self._groups.items()
            if name != group
        }
        return {name: count for name, count in sorted(counts.items()) if count}

    def folder(self, group: str) -> Path:
        """Return the folder of a group."""
        return self._groups[group].folder

    def write_words(self) -> Path:
        """Write all words, in the order of the ids of raw tokens, and return the file."""
        path = self._folder / "words.json"
        path.write_text(json.dumps(list(self._ids)))
        return path

    def finish(self, group: str, min_count: int, label: str) -> int:
        """Drop the words of a group that occur less than `min_count` times.

        Return how many words are left.

        Raises
        ------
        CannotMeasure
            There are none. `label` is what the message calls the group.
        """
        files = self._groups[group]
        files.flush()
        raw = open_array(files.folder / "raw", np.int32)
        counts = np.zeros(len(self._ids), dtype=np.int64)
        for chunk in _chunks(raw):
            counts += np.bincount(chunk, minlength=len(counts))
        words = list(self._ids)
        frequent = np.flatnonzero(counts >= min_count).tolist()
        if not frequent:
            raise _no_frequent_word(words, counts, min_count, label)
        frequent.sort(key=lambda i: (-counts[i], words[i]))
        new_ids = np.full(len(words), -1, dtype=np.int32)
        new_ids[frequent] = np.arange(len(frequent), dtype=np.int32)
        ends = np.array(files.ends, dtype=np.int64)
        _write_frequent(files.folder, raw, ends, new_ids)
        write_array(files.folder / "counts", counts[frequent])
        (files.folder / "words.json").write_text(json.dumps([words[i] for i in frequent]))
        del raw  # unmap the file before it is deleted
        if self._keep_raw:
            write_array(files.folder / "raw-ends", ends)
            write_array(files.folder / "raw-documents", np.array(files.numbers, dtype=np.int64))
        else:
            (files.folder / "raw").unlink()
        return len(frequent)


def open_token_ids(folder: Path) -> TokenIds:
    """Open what `TokenIdWriter` wrote to the folder of a group."""
    return TokenIds(
        words=json.loads((folder / "words.json").read_text()),
        counts=open_array(folder / "counts", np.int64),
        tokens=open_array(folder / "tokens", np.int32),
        ends=open_array(folder / "ends", np.int64),
    )


class _NewIds(dict[str, int]):
    """Ids of words; a new word gets the next id."""

    def __missing__(self, word: str) -> int:
        new_id = self[word] = len(self)
        return new_id


class _Group:
    """The file of a group, with a buffer of the tokens that are not written yet."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.size = folder, 0
        self.ends, self.numbers = array("q"), array("q")
        self._buffer = array("i")

    def add(self, tokens: list[int], number: int) -> None:
        self._buffer.extend(tokens)
        self.size += len(tokens)
        self.ends.append(self.size)
        self.numbers.append(number)

    def flush(self) -> None:
        if not self._buffer and (self.folder / "raw").exists():
            return
        # Opened anew each time: there may be more groups than files may be open at once.
        with open(self.folder / "raw", "ab") as file:
            self._buffer.tofile(file)
        self._buffer = array("i")


def _write_frequent(
    folder: Path, raw: NDArray[Any], ends: Integers, new_ids: NDArray[np.int32]
) -> None:
    """Write the tokens with their new ids, without the rare words, which have the id -1."""
    new_ends = np.empty_like(ends)
    start, written = 0, 0
    with open(folder / "tokens", "wb") as file:
        for chunk in _chunks(raw):
            tokens = new_ids[chunk]
            is_frequent = tokens >= 0
            # A document that ends inside this chunk ends after so many of its frequent tokens.
            inside = slice(*np.searchsorted(ends, [start, start + len(chunk)], side="right"))
            frequent_before = np.concatenate([[0], np.cumsum(is_frequent)])
            new_ends[inside] = written + frequent_before[ends[inside] - start]
            ArrayFile(file).add(tokens[is_frequent])
            start, written = start + len(chunk), written + int(frequent_before[-1])
    new_ends[ends == 0] = 0  # empty documents at the beginning end before the first chunk
    write_array(folder / "ends", new_ends)


def _no_frequent_word(
    words: list[str], counts: Integers, min_count: int, label: str
) -> CannotMeasure:
    if not counts.any():
        return CannotMeasure(f"{label} has no words: its text has no run of letters.")
    top = int(counts.argmax())
    return CannotMeasure(
        f"{label} has {np.count_nonzero(counts):,} different words, none of which occurs "
        f"{min_count} times (the most frequent, {quote_safe(words[top])}, occurs "
        f"{'once' if counts[top] == 1 else f'{counts[top]} times'}). "
        "Choose a lower threshold (min-count) or add text."
    )


def _chunks(tokens: NDArray[Any]) -> Iterator[NDArray[Any]]:
    for start in range(0, len(tokens), _CHUNK_TOKENS):
        yield np.asarray(tokens[start : start + _CHUNK_TOKENS])


def open_array(path: Path, dtype: Any) -> NDArray[Any]:
    """Return the numbers in a file, memory-mapped."""
    if not path.stat().st_size:
        return np.empty(0, dtype=dtype)
    return np.asarray(np.memmap(path, dtype=dtype, mode="r"))
