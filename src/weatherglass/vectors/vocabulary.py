"""The words of a source: in file order, found in constant time, opened without being read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

_FNV_OFFSET, _FNV_PRIME, _MASK64 = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1


def to_bytes(word: str) -> bytes:
    """A word as it stands in a file; bytes that are not UTF-8 come back as they were."""
    try:
        return word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a surrogate pair, which JSON and Python can hold
        return word.encode("utf-8", "surrogatepass")


def to_text(word: bytes) -> str:
    """A word as text; bytes that are not UTF-8 become lone surrogates, which `to_bytes` undoes."""
    return word.decode("utf-8", "surrogateescape")


def word_hash(word: bytes) -> int:
    """FNV-1a, 64 bits: the same function as the compiled `kernels.hash_words`."""
    digest = _FNV_OFFSET
    for byte in word:
        digest = (digest ^ byte) * _FNV_PRIME & _MASK64
    return digest


@dataclass(frozen=True, eq=False, repr=False)
class Vocabulary(Sequence[str]):
    """Words as one run of bytes, with an index sorted by hash.

    All four arrays may be memory-mapped, so that two million words open in no time.

    Attributes
    ----------
    blob
        The words, one after the other, as bytes.
    ends
        Where each word ends in `blob`.
    hashes
        The words' hashes, sorted.
    order
        The position of the word that each entry of `hashes` belongs to.
    """

    blob: NDArray[np.uint8]
    ends: NDArray[np.uint64]
    hashes: NDArray[np.uint64]
    order: NDArray[np.uint32]

    @classmethod
    def build(
        cls, blob: NDArray[np.uint8], ends: NDArray[np.uint64]
    ) -> tuple[Vocabulary, NDArray[np.intp] | None]:
        """A vocabulary without repetitions, and the positions kept (None when all were)."""
        hashes = _hash_all(blob, ends)
        order = np.argsort(hashes, kind="stable").astype(np.uint32)
        made = cls(blob, ends, hashes[order], order)
        repeated = made._repeated()
        if not repeated.size:
            return made, None
        kept = np.ones(len(ends), dtype=bool)
        kept[repeated] = False
        return made._only(kept), np.flatnonzero(kept)

    @classmethod
    def of(cls, words: Iterable[bytes]) -> tuple[Vocabulary, NDArray[np.intp] | None]:
        """Build from a list of words."""
        return cls.build(*pack_words(list(words)))

    def _repeated(self) -> NDArray[np.intp]:
        """Positions of words that stood earlier in the file: the first one wins."""
        same = np.flatnonzero(self.hashes[1:] == self.hashes[:-1])
        later: list[int] = []
        run: dict[bytes, int] = {}
        last = -2
        for i in same.tolist():
            if i != last + 1:
                run = {self.raw(int(self.order[i])): int(self.order[i])}
            position = int(self.order[i + 1])  # the stable sort keeps file order inside a run
            word = self.raw(position)
            if run.setdefault(word, position) != position:
                later.append(position)
            last = i
        return np.array(later, dtype=np.intp)

    def _only(self, kept: NDArray[np.bool_]) -> Vocabulary:
        """The words that a mask keeps, without hashing or sorting again."""
        lengths = np.diff(self.ends, prepend=np.uint64(0)).astype(np.intp)
        ends = np.cumsum(lengths[kept], dtype=np.uint64)
        position = np.cumsum(kept) - 1
        still = kept[self.order]
        order = position[self.order[still]].astype(np.uint32)
        return Vocabulary(self.blob[np.repeat(kept, lengths)], ends, self.hashes[still], order)

    def raw(self, position: int) -> bytes:
        """The bytes of the word at `position`."""
        start = int(self.ends[position - 1]) if position else 0
        return self.blob[start : int(self.ends[position])].tobytes()

    def at(self, positions: NDArray[np.intp]) -> list[str]:
        """The words at some positions; quicker than one by one."""
        ends = self.ends[positions].tolist()
        starts = np.where(positions > 0, self.ends[positions - 1], 0).tolist()
        blob = self.blob.data
        return [to_text(bytes(blob[a:b])) for a, b in zip(starts, ends, strict=True)]

    def find(self, words: Iterable[str]) -> NDArray[np.intp]:
        """The position of each word, -1 where there is none."""
        asked = [to_bytes(word) for word in words]
        digests = np.array([word_hash(word) for word in asked], dtype=np.uint64)
        places = np.searchsorted(self.hashes, digests)
        found = np.full(len(asked), -1, dtype=np.intp)
        for k, (word, digest, place) in enumerate(zip(asked, digests, places, strict=True)):
            while place < len(self.hashes) and self.hashes[place] == digest:
                position = int(self.order[place])
                if self.raw(position) == word:
                    found[k] = position
                    break
                place += 1
        return found

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
        """The words as bytes, in file order."""
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
    """Words as one run of bytes, and where each ends."""
    blob = np.frombuffer(b"".join(words), dtype=np.uint8)
    ends = np.cumsum(np.fromiter(map(len, words), dtype=np.uint64, count=len(words)))
    return blob, ends.astype(np.uint64)


def _hash_all(blob: NDArray[np.uint8], ends: NDArray[np.uint64]) -> NDArray[np.uint64]:
    if blob.size < 20_000:  # not worth importing the compiler for
        raw, starts = blob.tobytes(), [0, *ends.tolist()]
        words = (raw[a:b] for a, b in pairwise(starts))
        return np.array([word_hash(word) for word in words], dtype=np.uint64)
    from weatherglass.vectors.formats.kernels import hash_words

    out = np.empty(len(ends), dtype=np.uint64)
    hash_words(blob, ends, out)
    return out
