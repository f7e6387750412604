"""A corpus as numbers on disk: read once, gone through many times.

Words become numbers by falling count. Of the text nothing else is kept: a file of numbers, and
where each document ends in it. Both are memory-mapped, so that the corpus may be larger than the
memory; what must fit is the list of different words.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import ArrayFile, write_array
from weatherglass.errors import CannotMeasure, quote_safe

from .document import Document
from .tokenizer import Tokenizer

_FLUSH = 1 << 22
_STEP = 1 << 24

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Numbered:
    """The documents of a corpus, or of one group in it, as numbers.

    Attributes
    ----------
    words, counts
        The words that occur often enough, and how often, the most frequent first.
    tokens
        The documents one after another, as positions in `words`. Words that are too rare are
        left out, so that their neighbours become neighbours.
    ends
        Where each document ends in `tokens`.
    """

    words: list[str]
    counts: Integers
    tokens: NDArray[np.int32]
    ends: Integers

    def sample_counts(self, weights: Integers) -> Integers:
        """How often each word occurs when each document is taken so many times."""
        from .kernels import count_words

        found: Integers = count_words(self.tokens, self.ends, weights, len(self.words))
        return found


class Gathering:
    """Documents that come one by one, in groups, each group in a folder of its own.

    Parameters
    ----------
    folder
        Where to keep them; one folder for each group is made in it.
    tokenizer
        Cuts texts into words.
    """

    def __init__(self, folder: Path, tokenizer: Tokenizer) -> None:
        self._folder, self._tokenizer = folder, tokenizer
        self._numbers = _Numbers()
        self._groups: dict[str, _Group] = {}
        self._waiting = 0

    def add(self, document: Document, group: str = "") -> None:
        """Take in a document."""
        numbers = self._numbers
        found = [numbers[word] for word in self._tokenizer(document.text)]
        if group not in self._groups:
            folder = self._folder / str(len(self._groups))
            folder.mkdir()
            self._groups[group] = _Group(folder)
        self._groups[group].add(found)
        self._waiting += len(found)
        if self._waiting > _FLUSH:
            for one in self._groups.values():
                one.flush()
            self._waiting = 0

    @property
    def sizes(self) -> dict[str, tuple[int, int]]:
        """For each group its documents and its tokens, rare words included."""
        return {name: (len(one.ends), one.size) for name, one in self._groups.items()}

    def folder(self, group: str) -> Path:
        """Where a group is kept."""
        return self._groups[group].folder

    def finish(self, group: str, min_count: int, called: str) -> int:
        """Keep the words of a group that occur `min_count` times; returns how many there are.

        Raises
        ------
        CannotMeasure
            There are none. `called` is what the message calls the group.
        """
        one = self._groups[group]
        one.flush()
        raw = mapped(one.folder / "raw", np.int32)
        counts = np.zeros(len(self._numbers), dtype=np.int64)
        for part in _parts(raw):
            counts += np.bincount(part, minlength=len(counts))
        words = list(self._numbers)
        kept = np.flatnonzero(counts >= min_count).tolist()
        if not kept:
            raise _too_rare(words, counts, min_count, called)
        kept.sort(key=lambda i: (-counts[i], words[i]))
        place = np.full(len(words), -1, dtype=np.int32)
        place[kept] = np.arange(len(kept), dtype=np.int32)
        _renumber(one.folder, raw, np.array(one.ends, dtype=np.int64), place)
        write_array(one.folder / "counts", counts[kept])
        (one.folder / "words.json").write_text(json.dumps([words[i] for i in kept]))
        del raw
        (one.folder / "raw").unlink()
        return len(kept)


def open_numbered(folder: Path) -> Numbered:
    """What `Gathering` has written to a folder."""
    return Numbered(
        words=json.loads((folder / "words.json").read_text()),
        counts=mapped(folder / "counts", np.int64),
        tokens=mapped(folder / "tokens", np.int32),
        ends=mapped(folder / "ends", np.int64),
    )


class _Numbers(dict[str, int]):
    """A word not seen before gets the next number."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class _Group:
    def __init__(self, folder: Path) -> None:
        self.folder, self.size = folder, 0
        self.ends = array("q")
        self._waiting = array("i")

    def add(self, numbers: list[int]) -> None:
        self._waiting.extend(numbers)
        self.size += len(numbers)
        self.ends.append(self.size)

    def flush(self) -> None:
        if not self._waiting and (self.folder / "raw").exists():
            return
        # Opened anew each time: there may be more groups than files may be open.
        with open(self.folder / "raw", "ab") as file:
            self._waiting.tofile(file)
        self._waiting = array("i")


def _renumber(folder: Path, raw: NDArray[Any], ends: Integers, place: NDArray[np.int32]) -> None:
    """Write the tokens with their new numbers, without the rare words."""
    moved = np.empty_like(ends)
    start, done = 0, 0
    with open(folder / "tokens", "wb") as file:
        for part in _parts(raw):
            numbers = place[part]
            kept = numbers >= 0
            # A document that ends inside this part ends after so many kept tokens of it.
            here = slice(*np.searchsorted(ends, [start, start + len(part)], side="right"))
            before = np.concatenate([[0], np.cumsum(kept)])
            moved[here] = done + before[ends[here] - start]
            ArrayFile(file).add(numbers[kept])
            start, done = start + len(part), done + int(before[-1])
    moved[ends == 0] = 0  # documents without tokens before the first one with any
    write_array(folder / "ends", moved)


def _too_rare(words: list[str], counts: Integers, min_count: int, called: str) -> CannotMeasure:
    if not counts.any():
        return CannotMeasure(f"{called} has no words: no run of letters was found in its text.")
    top = int(counts.argmax())
    return CannotMeasure(
        f"{called} has {np.count_nonzero(counts):,} different words, none of which occurs "
        f"{min_count} times (the most frequent, {quote_safe(words[top])}, occurs "
        f"{'once' if counts[top] == 1 else f'{counts[top]} times'}). "
        "Take a lower threshold (min-count) or more text."
    )


def _parts(numbers: NDArray[Any]) -> Iterator[NDArray[Any]]:
    for start in range(0, len(numbers), _STEP):
        yield np.asarray(numbers[start : start + _STEP])


def mapped(path: Path, dtype: Any) -> NDArray[Any]:
    """The numbers in a file, memory-mapped."""
    if not path.stat().st_size:
        return np.empty(0, dtype=dtype)
    return np.asarray(np.memmap(path, dtype=dtype, mode="r"))
