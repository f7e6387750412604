"""`Vectors`: words and their vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import BadContent, CannotMeasure, UnusableRow, join_first, quote_safe

from .formats import Rows, has_capitals
from .vocabulary import Vocabulary, to_bytes

_BLOCK = 256  # rows that stay in the processor's cache while they are made unit vectors


class Taken(NamedTuple):
    """Rows for the words that were found, and the words that were not."""

    words: list[str]
    rows: Rows
    missing: list[str]


@dataclass(frozen=True, eq=False)
class Vectors:
    """Words and their vectors. Immutable.

    Attributes
    ----------
    words
        The words in the order of the file; looking one up takes constant time.
    matrix
        One float32 row a word, memory-mapped where possible; read-only.
    source
        What was opened, as it was named.
    fingerprint
        A hash of the source's content.
    cased
        Whether the source's vocabulary has capital letters A to Z.
    duplicates
        How many rows were dropped because their word stood earlier in the file.
    unusable
        Positions of the rows that hold NaN or infinity, or only zeros.
    counts
        How often each word was seen in training, where the source says so.
    part
        Whether only some words of the source are here, so that their order says nothing of how
        frequent they are.

    Examples
    --------
    >>> vectors = Vectors.of(["north", "east"], [[0, 2], [3, 0]])
    >>> vectors.dim, len(vectors), "east" in vectors.words
    (2, 2, True)
    >>> vectors.take(["east", "west"])
    Taken(words=['east'], rows=array([[3., 0.]], dtype=float32), missing=['west'])
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

    @classmethod
    def of(
        cls,
        words: Sequence[str],
        matrix: ArrayLike,
        source: str = "memory",
        counts: ArrayLike | None = None,
    ) -> Vectors:
        """Vectors from a list of words and a table of numbers; with counts, one a word."""
        try:
            with np.errstate(all="ignore"):
                rows = np.array(matrix, dtype=np.float32, order="C")
        except (ValueError, TypeError) as error:
            raise BadContent(f"The vectors are no table of numbers ({error}).") from None
        if rows.ndim != 2 or len(rows) != len(words) or not rows.shape[1]:
            raise BadContent(
                f"{len(words)} words and an array of shape {rows.shape} do not fit: expected one "
                "row of numbers for each word."
            )
        seen = None if counts is None else _counts(counts, len(words))
        vocabulary, keep = Vocabulary.of(map(to_bytes, words))
        if keep is not None:
            rows = np.ascontiguousarray(rows[keep])
            seen = None if seen is None else seen[keep]
        digest = hashlib.blake2b(rows.tobytes(), digest_size=16)
        digest.update(vocabulary.ends.tobytes() + vocabulary.blob.tobytes())
        if seen is not None:
            digest.update(seen.tobytes())
        rows.flags.writeable = False
        return cls(
            words=vocabulary,
            matrix=rows,
            source=source,
            fingerprint=digest.hexdigest(),
            cased=has_capitals(vocabulary.blob),
            duplicates=len(words) - len(vocabulary),
            unusable=unusable_rows(rows),
            counts=seen,
        )

    @property
    def dim(self) -> int:
        """Numbers a row."""
        return int(self.matrix.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __repr__(self) -> str:
        return f"<Vectors {self.source}: {len(self):,} words × {self.dim}>"

    def take(self, words: Iterable[str]) -> Taken:
        """The rows of those words that are there, in the order asked for, and the missing words."""
        asked = list(words)
        positions = self.words.find(asked)
        found = [word for word, at in zip(asked, positions, strict=True) if at >= 0]
        missing = [word for word, at in zip(asked, positions, strict=True) if at < 0]
        return Taken(found, np.array(self.matrix[positions[positions >= 0]]), missing)

    def unit(self, words: Iterable[str]) -> NDArray[np.float64]:
        """Rows of unit length, float64, for measuring. All words must be there and usable.

        Raises
        ------
        CannotMeasure
            A word is not in the vocabulary.
        UnusableRow
            A row holds NaN or infinity, or only zeros, and so has no direction.
        """
        asked = list(words)
        positions = self.words.find(asked)
        missing = [word for word, at in zip(asked, positions.tolist(), strict=True) if at < 0]
        if missing:
            raise CannotMeasure(
                f"{len(missing)} words are not in {self.source}: {join_first(map(quote_safe, missing))}."
            )
        return self.unit_at(positions)

    def unit_at(self, positions: NDArray[np.intp]) -> NDArray[np.float64]:
        """As `unit`, for words whose positions are known."""
        made = np.empty((len(positions), self.dim))
        self._unit_into(made, positions)
        return made

    def single_unit_at(self, positions: NDArray[np.intp]) -> NDArray[np.float32]:
        """As `unit_at`, rounded to float32."""
        made = np.empty((len(positions), self.dim), np.float32)
        self._unit_into(made, positions)
        return made

    def _unit_into(
        self, made: NDArray[np.float32] | NDArray[np.float64], positions: NDArray[np.intp]
    ) -> None:
        bad: list[int] = []
        for start in range(0, len(made), _BLOCK):
            part = positions[start : start + _BLOCK]
            found = np.asarray(self.matrix[part])
            bad += part[unusable_rows(found)].tolist()
            rows = found.astype(np.float64)
            with np.errstate(all="ignore"):
                made[start : start + _BLOCK] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        if bad:
            names = join_first(map(quote_safe, self.words.at(np.array(bad))))
            raise UnusableRow(
                f"{self.source}: the rows of {names} have no direction (NaN, infinity or only "
                "zeros). Leave these words out of the test, or mend the file."
            )

    def subset(self, words: Iterable[str]) -> Vectors:
        """Only the rows of those words that are there, in the order of the file."""
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
        )

    def neighbours(self, word: str, count: int = 10) -> list[tuple[str, float]]:
        """The words nearest to `word` by cosine, nearest first, without the word itself.

        >>> Vectors.of(["a", "b", "c"], [[1, 0], [1, 1], [-1, 0]]).neighbours("a", 1)
        [('b', 0.7071067811865475)]
        """
        target = self.unit([word])[0]
        cosines = np.empty(len(self))
        for start in range(0, len(self), step := 1 << 15):
            with np.errstate(all="ignore"):
                rows = np.asarray(self.matrix[start : start + step], dtype=np.float64)
                near = np.clip(rows @ target / np.linalg.norm(rows, axis=1), -1, 1)
            cosines[start : start + step] = np.where(np.isfinite(near), near, -np.inf)
        cosines[self.words.index(word)] = -np.inf
        count = min(max(0, count), int(np.isfinite(cosines).sum()))
        best = np.argpartition(-cosines, count - 1)[:count].tolist() if count else []
        ranked = sorted(best, key=lambda i: (-cosines[i], i))
        return [(self.words[i], float(cosines[i])) for i in ranked]


def _counts(given: ArrayLike, words: int) -> NDArray[np.int64]:
    counts = np.asarray(given)
    if counts.shape != (words,) or counts.dtype.kind not in "iu" or (counts < 0).any():
        raise BadContent(f"The counts must be {words} whole numbers of 0 or more, one a word.")
    return counts.astype(np.int64)


def unusable_rows(rows: Rows) -> NDArray[np.int64]:
    """Positions of the rows that have no direction: NaN, infinity, or only zeros."""
    with np.errstate(all="ignore"):
        # Quick and never blind; a large sum may overflow, so that what it finds is looked at again.
        suspect = np.flatnonzero(~np.isfinite(rows.sum(axis=1)) | ~rows.any(axis=1))
        again = rows[suspect]
        return suspect[~np.isfinite(again).all(axis=1) | ~again.any(axis=1)].astype(np.int64)


Floats = NDArray[np.float64]
Positions = NDArray[np.intp]

EPSILON = 1e-6  # of a unit vector; what float32 cannot tell from zero
BLOCK_ROWS = 1 << 13


def row_blocks(count: int) -> Iterator[slice]:
    """The blocks that `count` rows are cut into.

    >>> list(row_blocks(10_000))
    [slice(0, 8192, None), slice(8192, 10000, None)]
    """
    return (slice(start, min(start + BLOCK_ROWS, count)) for start in range(0, count, BLOCK_ROWS))


def unit_rows(vectors: Vectors, rows: slice | Positions) -> Floats:
    """Some rows at unit length; zeros for those without direction.

    >>> unit_rows(Vectors.of(["far", "zero"], [[3, 4], [0, 0]]), slice(0, 2))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    made = np.array(vectors.matrix[rows], dtype=np.float64)
    with np.errstate(all="ignore"):
        norms = np.sqrt(np.einsum("ij,ij->i", made, made))
        made /= norms[:, None]
    made[~((norms > 0) & (norms < np.inf))] = 0
    return made
