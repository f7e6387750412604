"""Groups of documents whose labels are permuted: the models that test differences and trends.

A permutation pools the documents of two groups, for a difference, or of all groups, for a trend,
and divides them at random into parts of the same sizes as the groups. A model of a part is trained
exactly as the model of a group is, rare words included: words that are too rare in the part are
removed before contexts are formed. The division that reproduces the groups would therefore give the
models of the groups, and under the null hypothesis the difference of the groups is one more draw of
the permuted differences. (Counting the pool once and weighting its documents, as bootstrap samples
do, would save the counting, a third to a half of the time of a model, but would remove only words
that are rare in the pool.)
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure, UsageError, did_you_mean, join_first, quote_safe

from .token_ids import Integers, TokenIds, open_array

FOLDER = "permuted"
MIN_DIVISIONS = 100
"""With fewer ways to divide the documents, a p-value of 0.05 means little."""


class Permuted(NamedTuple):
    """A part of a permutation: of the groups `first` and `second`, the `number`-th division."""

    first: str
    second: str
    number: int
    side: int  # 0 is as large as the first group, 1 as the second


@dataclass(frozen=True, eq=False)
class Pool:
    """The documents of groups, one after another, with all their words.

    Attributes
    ----------
    words
        All words, in the order of their ids.
    tokens, ends
        For each group its token ids, and where each document ends.
    numbers
        For each group the numbers of its documents. A document with the same number in several
        groups is one whose parts are in these.
    """

    words: list[str]
    tokens: tuple[NDArray[np.int32], ...]
    ends: tuple[Integers, ...]
    numbers: tuple[Integers, ...] | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of documents of each group."""
        return tuple(map(len, self.ends))

    def part(self, documents: Integers, min_count: int) -> TokenIds:
        """Return some documents as token ids, without words that are too rare in them.

        Raises
        ------
        CannotMeasure
            All words are too rare.
        """
        texts = [self._document(d) for d in documents.tolist()]
        tokens = np.concatenate([np.empty(0, np.int32), *texts])
        ends = np.cumsum([len(text) for text in texts])
        counts = np.bincount(tokens, minlength=len(self.words))
        frequent = np.flatnonzero(counts >= min_count).tolist()
        if not frequent:
            raise CannotMeasure(
                f"After documents were exchanged, no word occurs {min_count} times. Choose a lower "
                "threshold (min-count), add text, or set permutations to 0."
            )
        frequent.sort(key=lambda i: (-counts[i], self.words[i]))
        new_ids = np.full(len(self.words), -1, dtype=np.int32)
        new_ids[frequent] = np.arange(len(frequent), dtype=np.int32)
        renumbered = new_ids[tokens]
        kept_before = np.concatenate([[0], np.cumsum(renumbered >= 0)])
        return TokenIds(
            words=[self.words[i] for i in frequent],
            counts=counts[frequent],
            tokens=renumbered[renumbered >= 0],
            ends=kept_before[ends],
        )

    def _document(self, position: int) -> NDArray[np.int32]:
        group = 0
        while position >= len(self.ends[group]):
            position -= len(self.ends[group])
            group += 1
        ends = self.ends[group]
        return self.tokens[group][int(ends[position - 1]) if position else 0 : int(ends[position])]


def open_pool(words: Path, *folders: Path) -> Pool:
    """Open the file of all words, and the folders of groups that kept their raw tokens."""
    tokens = tuple(open_array(folder / "raw", np.int32) for folder in folders)
    ends = tuple(open_array(folder / "raw-ends", np.int64) for folder in folders)
    numbers = tuple(open_array(folder / "raw-documents", np.int64) for folder in folders)
    return Pool(json.loads(words.read_text()), tokens, ends, numbers)


def divide(
    sizes: tuple[int, ...], rng: Generator, numbers: tuple[Integers, ...] | None = None
) -> tuple[Integers, ...]:
    """Divide pooled documents at random into parts of the given sizes, each in random order.

    The order matters for skip-gram, which learns less from later documents. A document with parts
    in several groups, by its number in `numbers`, stays in these: its parts are exchanged with each
    other. Under the null hypothesis they are exchangeable with each other, but not with documents
    by others, as they share their writer.

    >>> first, second = divide((2, 3), np.random.default_rng(0))
    >>> len(first), len(second), sorted([*first.tolist(), *second.tolist()])
    (2, 3, [0, 1, 2, 3, 4])
    >>> numbers = np.array([7, 8]), np.array([5, 6, 7])  # 7 is in both: positions 0 and 4
    >>> parts = [divide((2, 3), np.random.default_rng(k), numbers) for k in range(50)]
    >>> any({0, 4} <= set(part.tolist()) for pair in parts for part in pair)
    False
    """
    order = rng.permutation(sum(sizes))
    if numbers is not None:
        _, document, parts = np.unique(
            np.concatenate(numbers), return_inverse=True, return_counts=True
        )
        if (parts > 1).any():
            return _divide_shared(sizes, order, document, parts, rng)
    return tuple(np.split(order, np.cumsum(sizes)[:-1]))


def _divide_shared(
    sizes: tuple[int, ...], order: Integers, document: Integers, parts: Integers, rng: Generator
) -> tuple[Integers, ...]:
    """Divide documents of which some have parts in several groups.

    `document` is the document of each position, and `parts` the number of its parts.
    """
    group = np.repeat(np.arange(len(sizes)), sizes)
    is_free = parts[document] == 1
    divided = np.empty_like(group)
    divided[order[is_free[order]]] = group[is_free]
    for number in np.flatnonzero(parts > 1).tolist():
        positions = np.flatnonzero(document == number)
        divided[positions] = rng.permutation(group[positions])
    return tuple(rng.permutation(np.flatnonzero(divided == k)) for k in range(len(sizes)))


def list_permuted(
    groups: Mapping[str, Mapping[str, Any]], permutations: int, against: str | None
) -> dict[str, Permuted]:
    """Return the label of each permuted model of a run, and what it is.

    Every two groups are compared, or, with `against`, each group with that one.

    >>> groups = {name: {"documents": 30, "folder": name} for name in ("a", "b", "c")}
    >>> list(list_permuted(groups, 1, "b"))
    ['permuted/a+b/000-1', 'permuted/a+b/000-2', 'permuted/b+c/000-1', 'permuted/b+c/000-2']
    """
    labels: dict[str, Permuted] = {}
    if not permutations:
        return labels
    for first, second in list_pairs(groups, against):
        if why_not_permuted(
            groups[first]["documents"],
            groups[second]["documents"],
            count_shared(groups, first, second),
        ):
            continue
        # A plus sign cannot be in the name of a group's folder.
        folder = f"{FOLDER}/{groups[first]['folder']}+{groups[second]['folder']}"
        for number in range(permutations):
            for side in (0, 1):
                permuted = Permuted(first, second, number, side)
                labels[f"{folder}/{number:03}-{side + 1}"] = permuted
    return labels


def list_pairs(
    groups: Mapping[str, Mapping[str, Any]], against: str | None
) -> list[tuple[str, str]]:
    """Return the pairs of groups to compare, each in the order of their names."""
    names = sorted(name for name, about in groups.items() if "reason" not in about)
    if against is not None and against not in names:
        listed = join_first(map(quote_safe, names), 20)
        raise UsageError(
            f"There is no group {quote_safe(against)} to compare with; the groups are {listed}."
            + did_you_mean(against, names)
        )
    return [pair for pair in combinations(names, 2) if against is None or against in pair]


def count_shared(groups: Mapping[str, Mapping[str, Any]], first: str, second: str) -> int:
    """Return how many documents have a part in both groups, by the record of a training run."""
    return int(groups[first].get("shared", {}).get(second, 0))


def why_not_permuted(first: int, second: int, shared: int = 0) -> str:
    """Return why two groups of so many documents cannot be permuted; empty if they can.

    The parts of `shared` documents that are in both groups can only be exchanged with each other.

    >>> why_not_permuted(1, 500)
    'one of them is a single document'
    >>> why_not_permuted(4, 4)
    '8 documents can be divided in only 70 ways'
    >>> why_not_permuted(5, 5)
    ''
    >>> why_not_permuted(5, 5, 5)
    '5 documents can be divided in only 32 ways'
    """
    if min(first, second) < 2:
        return "one of them is a single document"
    free = first + second - 2 * shared
    if free >= MIN_DIVISIONS and first > shared < second:
        return ""  # there are at least as many ways; their number may be too large to compute
    ways = math.comb(free, first - shared) << min(shared, 64)
    if ways < MIN_DIVISIONS:
        return f"{free + shared} documents can be divided in only {ways} ways"
    return ""
