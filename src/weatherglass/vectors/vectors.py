"""`Vectors`: words and their vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import BadContent, CannotMeasure, UnusableRow, join_first, quote_safe

from .formats import Rows, has_capitals, to_rows
from .vocabulary import Vocabulary, to_bytes

if TYPE_CHECKING:
    from .vocabulary_sample import VocabularySample

_CACHED_ROWS = 256  # rows that stay in the processor's cache while they are normalised


class FoundRows(NamedTuple):
    """The rows of the words that were found, and the words that were not."""

    words: list[str]
    rows: Rows
    missing: list[str]


@dataclass(frozen=True, eq=False)
class Vectors:
    """Words and their vectors. Immutable.

    Attributes
    ----------
    words
        The words in file order; looking a word up takes constant time.
    matrix
        A row for each word, memory-mapped if possible; read-only. float32, or float64 for a file of
        float64 numbers and for an array that float32 would change. Numbers in text are rounded to
        float32, as the common tools do. All measures compute in float64.
    source
        The name of the source that was opened.
    fingerprint
        A hash of the source's content.
    cased
        Whether the source's vocabulary has capital letters A to Z, other than in special tokens
        such as ``[PAD]``.
    duplicates
        The number of rows dropped because their word occurred earlier in the file.
    unusable
        Positions of the rows that contain NaN or infinity, or only zeros.
    counts
        How often each word occurs in the training text, if the source has counts.
    part
        Whether these are only some words of the source, so that their order does not show how
        frequent they are.
    ranks
        The row numbers in the source, counted from 0 and ascending, where they are known and are
        not the positions: of some words that were opened with a sample, or where duplicates were
        dropped.
    sample
        A sample of the source's rows, if only some words were opened and the sample was asked for;
        `weatherglass.vectors.sample_vocabulary` draws it from a whole embedding.
    history
        How the vectors were made: an entry for each time that they were debiased, converted or
        reduced to some words, the first one first.
    bootstraps
        The files of models that were trained on bootstrap samples of the same documents, if the
        source is a folder of `weatherglass.train`. Measures then give an interval over documents.

    Examples
    --------
    >>> vectors = Vectors.of(["north", "east"], [[0, 2], [3, 0]])
    >>> vectors.dim, len(vectors), "east" in vectors.words
    (2, 2, True)
    >>> vectors.take(["east", "west"])
    FoundRows(words=['east'], rows=array([[3., 0.]], dtype=float32), missing=['west'])
    >>> vectors.unit(["north"])
    array([[0., 1.]])
    """

    words: Vocabulary
    matrix: Rows
    source: str
    fingerprint: str
    cased: bool
    duplicates: int = 0
    unusable: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    counts: NDArray[np.int64] | None = None
    part: bool = False
    ranks: NDArray[np.int64] | None = None
    sample: VocabularySample | None = field(default=None, repr=False)
    history: tuple[dict[str, Any], ...] = field(default=(), repr=False)
    bootstraps: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(
        cls,
        words: Sequence[str],
        matrix: ArrayLike,
        source: str = "memory",
        counts: ArrayLike | None = None,
    ) -> Vectors:
        """Make vectors from a list of words, a table of numbers and perhaps counts of words."""
        try:
            rows = _to_shortest(np.asarray(matrix))
        except (ValueError, TypeError) as error:
            raise BadContent(f"The vectors are not a table of numbers ({error}).") from None
        if rows.ndim != 2 or len(rows) != len(words) or not rows.shape[1]:
            raise BadContent(
                f"{len(words)} words and an array of shape {rows.shape} do not match: expected one "
                "row of numbers for each word."
            )
        checked_counts = None if counts is None else _check_counts(counts, len(words))
        vocabulary, keep = Vocabulary.of(map(to_bytes, words))
        if keep is not None:
            rows = np.ascontiguousarray(rows[keep])
            checked_counts = None if checked_counts is None else checked_counts[keep]
        digest = hashlib.blake2b(rows.tobytes(), digest_size=16)
        digest.update(vocabulary.ends.tobytes() + vocabulary.blob.tobytes())
        if checked_counts is not None:
            digest.update(checked_counts.tobytes())
        rows.flags.writeable = False
        return cls(
            words=vocabulary,
            matrix=rows,
            source=source,
            fingerprint=digest.hexdigest(),
            cased=has_capitals(vocabulary.blob, vocabulary.ends),
            duplicates=len(words) - len(vocabulary),
            unusable=unusable_rows(rows),
            counts=checked_counts,
            ranks=None if keep is None else keep.astype(np.int64),
        )

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return int(self.matrix.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __repr__(self) -> str:
        return f"<Vectors {self.source}: {len(self):,} words × {self.dim}>"

    def take(self, words: Iterable[str]) -> FoundRows:
        """Return the rows of the words that are in the vocabulary, in that order, and the rest."""
        requested = list(words)
        positions = self.words.find(requested)
        found = [word for word, row in zip(requested, positions, strict=True) if row >= 0]
        missing = [word for word, row in zip(requested, positions, strict=True) if row < 0]
        return FoundRows(found, np.array(self.matrix[positions[positions >= 0]]), missing)

    def unit(self, words: Iterable[str]) -> NDArray[np.float64]:
        """Return rows of unit length in float64. All words must be found and usable.

        Raises
        ------
        CannotMeasure
            A word is not in the vocabulary.
        UnusableRow
            A row contains NaN or infinity, or only zeros, and so has no direction.
        """
        requested = list(words)
        positions = self.words.find(requested)
        missing = [word for word, row in zip(requested, positions.tolist(), strict=True) if row < 0]
        if missing:
            names = join_first(map(quote_safe, missing))
            raise CannotMeasure(f"{len(missing)} words are not in {self.source}: {names}.")
        return self.unit_at(positions)

    def unit_at(self, positions: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return rows as `unit` does, for positions instead of words."""
        out = np.empty((len(positions), self.dim))
        self._unit_into(out, positions)
        return out

    def single_unit_at(self, positions: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return rows as `unit_at` does, rounded to float32."""
        out = np.empty((len(positions), self.dim), np.float32)
        self._unit_into(out, positions)
        return out

    def _unit_into(
        self, out: NDArray[np.float32] | NDArray[np.float64], positions: NDArray[np.intp]
    ) -> None:
        unusable: list[int] = []
        for start in range(0, len(out), _CACHED_ROWS):
            part = positions[start : start + _CACHED_ROWS]
            stored = np.asarray(self.matrix[part])
            unusable += part[unusable_rows(stored)].tolist()
            with np.errstate(all="ignore"):
                rows = to_doubles(stored)
                norms = np.linalg.norm(rows, axis=1, keepdims=True)
                out[start : start + _CACHED_ROWS] = rows / norms
        if unusable:
            names = join_first(map(quote_safe, self.words.at(np.array(unusable))))
            raise UnusableRow(
                f"{self.source}: the rows of {names} have no direction (NaN, infinity or only "
                "zeros). Leave these words out of the test, or repair the file."
            )

    def subset(self, words: Iterable[str], sample: VocabularySample | None = None) -> Vectors:
        """Return only the rows of these words, in file order; missing words are ignored.

        With a `sample`, which `weatherglass.vectors.sample_vocabulary` draws, the subset keeps it.
        """
        positions = np.unique(self.words.find(words))
        positions = positions[positions >= 0]
        vocabulary, _ = Vocabulary.of(self.words.raw(int(i)) for i in positions)
        rows = np.array(self.matrix[positions])
        rows.flags.writeable = False
        return Vectors(
            words=vocabulary,
            matrix=rows,
            source=self.source,
            fingerprint=self.fingerprint,
            cased=self.cased,
            duplicates=self.duplicates,
            unusable=unusable_rows(rows),
            counts=None if self.counts is None else self.counts[positions],
            part=True,
            ranks=self.ranks_at(positions),
            sample=self.sample if sample is None else sample,
            history=self.history,
            bootstraps=self.bootstraps,
        )

    def ranks_at(self, positions: NDArray[np.intp]) -> NDArray[np.int64] | None:
        """Return the row numbers in the source of words; None if they are not known."""
        if self.ranks is not None:
            return self.ranks[positions]
        return None if self.part else positions.astype(np.int64)

    def neighbours(self, word: str, count: int = 10) -> list[tuple[str, float]]:
        """Return the nearest neighbours of `word` by cosine similarity, nearest first.

        >>> Vectors.of(["a", "b", "c"], [[1, 0], [1, 1], [-1, 0]]).neighbours("a", 1)
        [('b', 0.7071067811865475)]
        """
        target = self.unit([word])[0]
        cosines = np.empty(len(self))
        for start in range(0, len(self), step := 1 << 15):
            with np.errstate(all="ignore"):
                rows = to_doubles(self.matrix[start : start + step])
                block = np.clip(rows @ target / np.linalg.norm(rows, axis=1), -1, 1)
            cosines[start : start + step] = np.where(np.isfinite(block), block, -np.inf)
        cosines[self.words.index(word)] = -np.inf
        count = min(max(0, count), int(np.isfinite(cosines).sum()))
        best = np.argpartition(-cosines, count - 1)[:count].tolist() if count else []
        ranked = sorted(best, key=lambda i: (-cosines[i], i))
        return [(self.words[i], float(cosines[i])) for i in ranked]


def _check_counts(counts: ArrayLike, words: int) -> NDArray[np.int64]:
    array = np.asarray(counts)
    if array.shape != (words,) or array.dtype.kind not in "iu" or (array < 0).any():
        raise BadContent(f"The counts must be {words} integers of 0 or more, one for each word.")
    return array.astype(np.int64)


def unusable_rows(rows: Rows) -> NDArray[np.int64]:
    """Return the positions of rows that have no direction: NaN, infinity, or only zeros."""
    with np.errstate(all="ignore"):
        # The sum of a row is a quick test that misses nothing, but it may overflow for usable rows:
        # check the rows that it finds.
        suspects = np.flatnonzero(~np.isfinite(rows.sum(axis=1)) | ~rows.any(axis=1))
        checked = rows[suspects]
        return suspects[~np.isfinite(checked).all(axis=1) | ~checked.any(axis=1)].astype(np.int64)


def _to_shortest(matrix: NDArray[Any]) -> Rows:
    """Return a copy of a table in float32 if that changes no number, otherwise in float64."""
    rows = np.array(to_rows(matrix), order="C")
    with np.errstate(all="ignore"):
        single = rows.astype(np.float32, copy=False)
    return single if np.array_equal(single, rows, equal_nan=True) else rows


def to_doubles(rows: Rows) -> NDArray[np.float64]:
    """Return a copy of rows in float64, from which lengths can be computed.

    The squares of float32 numbers are in the range of float64. Rows of float64 are multiplied by a
    power of two, which is exact and changes no direction, so that their largest number is about 1.
    """
    doubles = np.array(rows, dtype=np.float64)
    if rows.dtype == np.float64:
        _, exponents = np.frexp(np.abs(doubles).max(axis=1, initial=0.0))
        doubles = np.ldexp(doubles, -exponents[:, None])
    return doubles


Floats = NDArray[np.float64]
Positions = NDArray[np.intp]

EPSILON = 1e-6  # lengths below this cannot be told from zero in float32 unit vectors
BLOCK_ROWS = 1 << 13


def row_blocks(count: int) -> Iterator[slice]:
    """Yield the slices of blocks that `count` rows are processed in.

    >>> list(row_blocks(10_000))
    [slice(0, 8192, None), slice(8192, 10000, None)]
    """
    return (slice(start, min(start + BLOCK_ROWS, count)) for start in range(0, count, BLOCK_ROWS))


def unit_rows(vectors: Vectors, rows: slice | Positions) -> Floats:
    """Return rows at unit length; zeros for rows without direction.

    >>> unit_rows(Vectors.of(["far", "zero"], [[3, 4], [0, 0]]), slice(0, 2))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    with np.errstate(all="ignore"):
        units = to_doubles(vectors.matrix[rows])
        norms = np.sqrt(np.einsum("ij,ij->i", units, units))
        units /= norms[:, None]
    units[~((norms > 0) & (norms < np.inf))] = 0
    return units
