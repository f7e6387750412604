"""FastText's ``.bin``: word vectors made of character n-grams, also for out-of-vocabulary words.

The layout, all little-endian: magic number and version; 12 integers and a double of training
options; the dictionary; a flag for quantised matrices; the input matrix, first the rows of words,
then those of n-grams. The rest of the file is not read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import ROW_BYTES, Input, check_memory, map_in_order, max_memory
from weatherglass.errors import BadContent, TooLarge, UsageError

from .format import Chunk, Counts, Format, Rows, WantedWords, is_capitalised

_MAGIC = struct.pack("<i", 793712314)
_OPTIONS = struct.Struct("<12id")
_DICTIONARY = struct.Struct("<3i2q")
_MATRIX = struct.Struct("<?2q")
_END_OF_SENTENCE = b"</s>"
_CHUNK_ROWS = 4096
_MAX_NGRAM = 64  # characters; fastText's default is 6
# Numbers added up for n-grams, relative to the size of the file: a trained model needs about 10.
_MAX_SUMS_PER_BYTE = 1000
_MIN_SUMS_LIMIT = 1 << 31


@dataclass(frozen=True, eq=False)
class _Model:
    """A fastText model; n-grams have `min_length` to `max_length` characters."""

    words: list[bytes]
    counts: Counts | None
    table: Rows
    buckets: int
    min_length: int
    max_length: int

    def rows(self, words: list[bytes], ids: list[int]) -> Rows:
        """Return the mean of each word's own row (none if its id is -1) and its n-grams' rows."""
        from .kernels import sum_subwords

        out = np.zeros((len(words), self.table.shape[1]), dtype=np.float32)
        counts = np.zeros((len(words), 1), dtype=np.float32)
        for k, (word, id) in enumerate(zip(words, ids, strict=True)):
            if id >= 0:
                out[k] = self.table[id]
                counts[k] = 1
            if self.max_length > 0 and word != _END_OF_SENTENCE:
                counts[k] += sum_subwords(
                    np.frombuffer(b"<" + word + b">", dtype=np.uint8),
                    self.min_length,
                    self.max_length,
                    len(self.words),
                    self.buckets,
                    self.table,
                    out[k],
                )
        with np.errstate(all="ignore"):  # the table may contain NaN and infinity
            out *= 1 / np.maximum(counts, 1)
        return out


def matches(source: Input) -> bool:
    """Recognise fastText's magic number."""
    return source.head.startswith(_MAGIC)


def read(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Yield the rows; with ``?subwords=1`` also those of wanted words outside the vocabulary."""
    use_subwords = source.options.get("subwords", "0") not in ("0", "no", "false")
    if use_subwords and wanted is None:
        raise UsageError("?subwords=1 makes vectors for words that you ask for: give the words.")
    model = _load(source, is_whole=wanted is None)
    keep, ranks = list(range(len(model.words))), None
    if wanted is not None:
        source.cased = any(map(is_capitalised, model.words))
        keep, ranks = wanted.choose(model.words)

    def chunk(start: int) -> Chunk:
        _check_size(source)
        ids = keep[start : start + _CHUNK_ROWS]
        words = [model.words[i] for i in ids]
        counts = None if model.counts is None else model.counts[ids]
        part = None if ranks is None else ranks[start : start + _CHUNK_ROWS]
        return Chunk.of(words, model.rows(words, ids), counts, part)

    # At least one chunk if there are rows, so that the number of dimensions is known.
    stop = max(len(keep), min(1, len(model.words)))
    yield from map_in_order(chunk, range(0, stop, _CHUNK_ROWS), workers)
    if use_subwords and wanted is not None:
        unseen = sorted(wanted.words.difference(model.words))
        rows = model.rows(unseen, [-1] * len(unseen))
        usable = np.flatnonzero(rows.any(axis=1))  # a very short word has no n-grams
        zeros = None if model.counts is None else np.zeros(len(usable), dtype=np.int64)
        last = None if ranks is None else len(model.words) + np.arange(len(usable))
        yield Chunk.of([unseen[i] for i in usable.tolist()], rows[usable], zeros, last)


def _load(source: Input, is_whole: bool) -> _Model:
    data = _read_bytes(source, is_whole)
    try:
        return _parse(source, data)
    except (struct.error, ValueError, OverflowError, MemoryError):
        raise BadContent(f"{source.path} is a damaged or cut-off fastText model.") from None


def _read_bytes(source: Input, is_whole: bool) -> NDArray[np.uint8]:
    """Return the content, in memory if all of it is needed and it fits; otherwise mapped."""
    if source.compression is None:
        if is_whole and 2 * source.size <= max_memory():
            return np.fromfile(source.path, dtype=np.uint8)
        return np.memmap(source.path, dtype=np.uint8, mode="r")
    data = bytearray()
    with source.stream() as stream:
        while part := stream.read(64 << 20):
            check_memory(source.path, 2 * (len(data) + len(part)))  # growing copies it
            data += part
    return np.frombuffer(data, dtype=np.uint8)


def _check_size(source: Input) -> None:
    """Raise an error if the file has become shorter since it was mapped.

    Touching a page after its end would kill the process. The compiled loops that sum n-grams need
    the table as memory; where it is mapped, the size is checked before each chunk.
    """
    if source.compression is None and source.path.stat().st_size < source.size:
        raise BadContent(f"{source.path} became shorter while it was being read.")


def _parse(source: Input, data: NDArray[np.uint8]) -> _Model:
    from .kernels import walk_records

    version = struct.unpack_from("<i", data.data, 4)[0]
    if version not in (11, 12):
        raise BadContent(f"{source.path}: fastText format {version}, expected 11 or 12.")
    options = _OPTIONS.unpack_from(data.data, 8)
    dim, model, buckets, min_length, max_length = (options[i] for i in (0, 7, 8, 9, 10))
    if version == 11 and model == 3:
        max_length = 0  # classifiers of that version have no character n-grams
    offset = 8 + _OPTIONS.size
    entries, words, _, _, pruned = _DICTIONARY.unpack_from(data.data, offset)
    offset += _DICTIONARY.size
    if not (0 <= words <= entries <= data.size and dim > 0):
        raise ValueError("dictionary")
    start, end = np.empty((2, entries), dtype=np.int64)
    # A count (8 bytes) and a type (1 byte) follow each word.
    complete, offset = walk_records(data, offset, 0, 9, start, end)
    if complete < entries:
        raise ValueError("dictionary")
    offset += 8 * max(0, pruned)
    is_quantised, rows, width = _MATRIX.unpack_from(data.data, offset)
    offset += _MATRIX.size
    if is_quantised:
        raise BadContent(
            f"{source.path} is a compressed fastText model (.ftz): its vectors are only "
            "approximate. Open the .bin that it was made from."
        )
    if width != dim or rows < words + (buckets if max_length > 0 else 0):
        raise ValueError("matrix")
    stop = offset + 4 * rows * width
    if rows < 0 or stop > data.size or (max_length > 0 and buckets < 1):
        raise ValueError("matrix")
    table = np.frombuffer(data[offset:stop].data, dtype="<f4").reshape(rows, width)
    _check_ngrams(source, end[:words] - start[:words], dim, max_length)
    check_memory(source.path, words * ROW_BYTES)
    spans = zip(start[:words].tolist(), end[:words].tolist(), strict=True)
    names = [data[a:b].tobytes() for a, b in spans]
    counts = _read_counts(data, end[:words])
    return _Model(names, counts, table, buckets, min_length, max_length)


def _check_ngrams(source: Input, lengths: NDArray[np.int64], dim: int, max_length: int) -> None:
    """Refuse a model whose n-grams would take far longer to sum than the file takes to read."""
    if max_length > _MAX_NGRAM:
        raise BadContent(
            f"{source.path}: a fastText model with n-grams of up to {max_length:,} characters; "
            f"expected at most {_MAX_NGRAM}."
        )
    sums = int(lengths.sum()) * dim * max(0, max_length)
    if sums > max(_MIN_SUMS_LIMIT, _MAX_SUMS_PER_BYTE * source.size):
        raise TooLarge(
            f"{source.path}: a fastText model with words of up to {int(lengths.max()):,} bytes, "
            "whose n-grams would take hours to add up."
        )


def _read_counts(data: NDArray[np.uint8], ends: NDArray[np.int64]) -> Counts | None:
    """Return the 64-bit counts after the zero byte of each word; None if one is negative."""
    counts = np.zeros(len(ends), dtype=np.int64)
    for k in range(8):
        counts |= data[ends + 1 + k].astype(np.int64) << (8 * k)
    return counts if counts.min(initial=0) >= 0 else None


FORMAT = Format(name="fastText binary", options=("subwords",), matches=matches, read=read)
