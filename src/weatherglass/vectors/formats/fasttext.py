"""FastText's own ``.bin``: word vectors made of character n-grams, also for unseen words.

The layout, all little-endian: magic and version; 12 integers and a double of training options; the
dictionary; a flag for compressed matrices; the input matrix, first the words' rows, then the
n-grams'. What follows is not read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import Input, map_in_order
from weatherglass.errors import BadContent, UsageError

from .format import Chunk, Counts, Format, Rows, WantedWords

_MAGIC = struct.pack("<i", 793712314)
_OPTIONS = struct.Struct("<12id")
_DICTIONARY = struct.Struct("<3i2q")
_MATRIX = struct.Struct("<?2q")
_END = b"</s>"
_STEP = 4096


@dataclass(frozen=True, eq=False)
class _Model:
    words: list[bytes]
    counts: Counts | None
    table: Rows
    buckets: int
    least: int
    most: int

    def rows(self, words: list[bytes], ids: list[int]) -> Rows:
        """The mean of a word's own row (id -1: it has none) and of its n-grams' rows."""
        from .kernels import sum_subwords

        out = np.zeros((len(words), self.table.shape[1]), dtype=np.float32)
        counts = np.zeros((len(words), 1), dtype=np.float32)
        for k, (word, own) in enumerate(zip(words, ids, strict=True)):
            if own >= 0:
                out[k] = self.table[own]
                counts[k] = 1
            if self.most > 0 and word != _END:
                framed = np.frombuffer(b"<" + word + b">", dtype=np.uint8)
                counts[k] += sum_subwords(
                    framed, self.least, self.most, len(self.words), self.buckets, self.table, out[k]
                )
        with np.errstate(all="ignore"):  # the table may hold anything
            out *= 1 / np.maximum(counts, 1)
        return out


def matches(source: Input) -> bool:
    """FastText's magic number."""
    return source.head.startswith(_MAGIC)


def read(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Yield the rows; with ``?subwords=1`` also for wanted words that were not in training."""
    unseen = source.options.get("subwords", "0") not in ("0", "no", "false")
    if unseen and wanted is None:
        raise UsageError("?subwords=1 makes vectors for words that are asked for: give the words.")
    model = _load(source)

    def chunk(start: int) -> Chunk:
        words = model.words[start : start + _STEP]
        ids = list(range(start, start + len(words)))
        if wanted is not None:
            ids = [i for i in ids if model.words[i] in wanted.words]
            words = [model.words[i] for i in ids]
        counts = None if model.counts is None else model.counts[ids]
        return Chunk.of(words, model.rows(words, ids), counts)

    if wanted is not None:
        source.cased = any(word != word.lower() for word in model.words)
    yield from map_in_order(chunk, range(0, len(model.words), _STEP), workers)
    if unseen and wanted is not None:
        new = sorted(wanted.words.difference(model.words))
        rows = model.rows(new, [-1] * len(new))
        made = np.flatnonzero(rows.any(axis=1))  # too short a word has no n-grams
        never = None if model.counts is None else np.zeros(len(made), dtype=np.int64)
        yield Chunk.of([new[i] for i in made.tolist()], rows[made], never)


def _load(source: Input) -> _Model:
    data = _content(source)
    try:
        return _parse(source, data)
    except (struct.error, ValueError, OverflowError, MemoryError):
        raise BadContent(f"{source.path} is a damaged or cut-off fastText model.") from None


def _content(source: Input) -> NDArray[np.uint8]:
    if source.compression is None:
        return np.memmap(source.path, dtype=np.uint8, mode="r")
    parts = []
    with source.stream() as stream:
        while part := stream.read(64 << 20):
            parts.append(part)
    return np.frombuffer(b"".join(parts), dtype=np.uint8)


def _parse(source: Input, data: NDArray[np.uint8]) -> _Model:
    from .kernels import walk_records

    version = struct.unpack_from("<i", data.data, 4)[0]
    if version not in (11, 12):
        raise BadContent(f"{source.path}: fastText format {version}, expected 11 or 12.")
    options = _OPTIONS.unpack_from(data.data, 8)
    dim, model, buckets, least, most = (options[i] for i in (0, 7, 8, 9, 10))
    if version == 11 and model == 3:
        most = 0  # classifiers of that version have no character n-grams
    at = 8 + _OPTIONS.size
    entries, words, _, _, pruned = _DICTIONARY.unpack_from(data.data, at)
    at += _DICTIONARY.size
    if not (0 <= words <= entries <= data.size and dim > 0):
        raise ValueError("dictionary")
    start, end = np.empty((2, entries), dtype=np.int64)
    found, at = walk_records(data, at, 0, 9, start, end)  # a count and a kind follow each word
    if found < entries:
        raise ValueError("dictionary")
    at += 8 * max(0, pruned)
    compressed, rows, width = _MATRIX.unpack_from(data.data, at)
    at += _MATRIX.size
    if compressed:
        raise BadContent(
            f"{source.path} is a compressed fastText model (.ftz): its vectors are only "
            "approximate. Open the .bin that it was made from."
        )
    if width != dim or rows < words + (buckets if most > 0 else 0) or (most > 0 and buckets < 1):
        raise ValueError("matrix")
    if rows < 0 or at + 4 * rows * width > data.size:
        raise ValueError("matrix")
    table = np.frombuffer(data[at : at + 4 * rows * width].data, dtype="<f4").reshape(rows, width)
    spans = zip(start[:words].tolist(), end[:words].tolist(), strict=True)
    names = [data[a:b].tobytes() for a, b in spans]
    return _Model(names, _counts(data, end[:words]), table, buckets, least, most)


def _counts(data: NDArray[np.uint8], ends: NDArray[np.int64]) -> Counts | None:
    """The count, 64 bits, that follows the zero byte after each word."""
    counts = np.zeros(len(ends), dtype=np.int64)
    for k in range(8):
        counts |= data[ends + 1 + k].astype(np.int64) << (8 * k)
    return counts if counts.min(initial=0) >= 0 else None


FORMAT = Format(name="fastText binary", options=("subwords",), matches=matches, read=read)
