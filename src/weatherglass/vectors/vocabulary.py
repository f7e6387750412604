"""`Vocabulary`: words in file order with a hash index, memory-mapped instead of loaded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

_FNV_OFFSET, _FNV_PRIME, _MASK64 = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1


def to_bytes(word: str) -> bytes:
    """Encode a word as it is in a file; invalid UTF-8 is restored from lone surrogates."""
    try:
        return word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a surrogate pair, which JSON and Python strings can contain
        return word.encode("utf-8", "surrogatepass")


def to_text(word: bytes) -> str:
    """Decode a word; invalid UTF-8 becomes lone surrogates, which `to_bytes` encodes again."""
    return word.decode("utf-8", "surrogateescape")


def word_hash(word: bytes) -> int:
    """Return the 64-bit FNV-1a hash, as the compiled `kernels.hash_words` does."""
    digest = _FNV_OFFSET
    for byte in word:
        digest = (digest ^ byte) * _FNV_PRIME & _MASK64
    return digest


@dataclass(frozen=True, eq=False, repr=False)
class Vocabulary(Sequence[str]):
    """Words as concatenated bytes, with an index sorted by hash.

    All four arrays may be memory-mapped, so that two million words open at once.

    Attributes
    ----------
    blob
        The concatenated bytes of the words.
    ends
        Where each word ends in `blob`.
    hashes
        The hashes of the words, sorted.
    order
        The position of the word that each hash belongs to.
    """

    blob: NDArray[np.uint8]
    ends: NDArray[np.uint64]
    hashes: NDArray[np.uint64]
    order: NDArray[np.uint32]

    @classmethod
    def build(
        cls, blob: NDArray[np.uint8], ends: NDArray[np.uint64]
    ) -> tuple[Vocabulary, NDArray[np.intp] | None]:
        """Build a vocabulary without duplicates; also return the positions kept (None for all)."""
        hashes = _hash_all(blob, ends)
        order = np.argsort(hashes, kind="stable").astype(np.uint32)
        vocabulary = cls(blob, ends, hashes[order], order)
        duplicates = vocabulary._find_duplicates()
        if not duplicates.size:
            return vocabulary, None
        is_kept = np.ones(len(ends), dtype=bool)
        is_kept[duplicates] = False
        return vocabulary._select(is_kept), np.flatnonzero(is_kept)

    @classmethod
    def of(cls, words: Iterable[bytes]) -> tuple[Vocabulary, NDArray[np.intp] | None]:
        """Build from a list of words."""
        return cls.build(*pack_words(list(words)))

    def _find_duplicates(self) -> NDArray[np.intp]:
        """Return the positions of words that already occurred earlier in the file."""
        collisions = np.flatnonzero(self.hashes[1:] == self.hashes[:-1])
        duplicates: list[int] = []
        run: dict[bytes, int] = {}  # the first position of each word with the same hash
        last = -2
        for i in collisions.tolist():
            if i != last + 1:
                run = {self.raw(int(self.order[i])): int(self.order[i])}
            position = int(self.order[i + 1])  # the stable sort keeps file order inside a run
            word = self.raw(position)
            if run.setdefault(word, position) != position:
                duplicates.append(position)
            last = i
        return np.array(duplicates, dtype=np.intp)

    def _select(self, is_kept: NDArray[np.bool_]) -> Vocabulary:
        """Return the words that a mask keeps, without hashing or sorting again."""
        lengths = np.diff(self.ends, prepend=np.uint64(0)).astype(np.intp)
        ends = np.cumsum(lengths[is_kept], dtype=np.uint64)
        new_positions = np.cumsum(is_kept) - 1
        in_index = is_kept[self.order]
        order = new_positions[self.order[in_index]].astype(np.uint32)
        blob = self.blob[np.repeat(is_kept, lengths)]
        return Vocabulary(blob, ends, self.hashes[in_index], order)

    def raw(self, position: int) -> bytes:
        """Return the bytes of the word at `position`."""
        start = int(self.ends[position - 1]) if position else 0
        return self.blob[start : int(self.ends[position])].tobytes()

    def at(self, positions: NDArray[np.intp]) -> list[str]:
        """Return the words at several positions, faster than one by one."""
        ends = self.ends[positions].tolist()
        starts = np.where(positions > 0, self.ends[positions - 1], 0).tolist()
        blob = self.blob.data
        return [to_text(bytes(blob[a:b])) for a, b in zip(starts, ends, strict=True)]

    def find(self, words: Iterable[str]) -> NDArray[np.intp]:
        """Return the position of each word, -1 for words that are missing."""
        requested = [to_bytes(word) for word in words]
        digests = np.array([word_hash(word) for word in requested], dtype=np.uint64)
        slots = np.searchsorted(self.hashes, digests)
        positions = np.full(len(requested), -1, dtype=np.intp)
        for k, (word, digest, slot) in enumerate(zip(requested, digests, slots, strict=True)):
            while slot < len(self.hashes) and self.hashes[slot] == digest:
                position = int(self.order[slot])
                if self.raw(position) == word:
                    positions[k] = position
                    break
                slot += 1
        return positions

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return to_text(self.raw(index % len(self)))

    def __iter__(self) -> Iterator[str]:
        return map(to_text, self.iter_raw())

    def iter_raw(self) -> Iterator[bytes]:
        """Yield the words as bytes, in file order."""
        blob, start = self.blob.tobytes(), 0
        for end in self.ends.tolist():
            yield blob[start:end]
            start = end

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and bool(self.find([word])[0] >= 0)

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        position = int(self.find([value])[0]) if isinstance(value, str) else -1
        if position < 0 or position not in range(len(self))[start:stop]:
            raise ValueError(f"{value!r} is not in the vocabulary")
        return position

    def __repr__(self) -> str:
        return f"<{len(self):,} words>"


def pack_words(words: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    """Concatenate words; return the bytes and where each word ends."""
    blob = np.frombuffer(b"".join(words), dtype=np.uint8)
    ends = np.cumsum(np.fromiter(map(len, words), dtype=np.uint64, count=len(words)))
    return blob, ends.astype(np.uint64)


def _hash_all(blob: NDArray[np.uint8], ends: NDArray[np.uint64]) -> NDArray[np.uint64]:
    if blob.size < 20_000:  # importing numba would take longer
        raw, bounds = blob.tobytes(), [0, *ends.tolist()]
        words = (raw[start:end] for start, end in pairwise(bounds))
        return np.array([word_hash(word) for word in words], dtype=np.uint64)
    from weatherglass.vectors.formats.kernels import hash_words

    out = np.empty(len(ends), dtype=np.uint64)
    hash_words(blob, ends, out)
    return out
