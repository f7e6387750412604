"""What hard debiasing is to do to an embedding: found before a row is changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from weatherglass.errors import UsageError, shown

from .blocks import NOTHING, Floats, Positions
from .spelling import Case, FoundSets, capitalised, checked_sets, find_sets, find_words
from .subspace import Subspace, bias_subspace
from .vectors import Vectors


@dataclass(frozen=True, eq=False)
class Debiasing:
    """What is to be done to which words.

    Attributes
    ----------
    vectors
        The embedding.
    subspace
        The bias subspace B.
    equal
        The sets to equalise, as positions.
    alike
        Equality sets that stay as they are, because a word of theirs does not differ from the
        set's mean within B, so that it is open to which side it belongs.
    kept
        The positions of the words that are not neutralised, the equality sets' among them.
    missing
        The words of ``"pairs"``, ``"equal"`` and ``"specific"`` that are not in the vocabulary, or
        have no direction.
    """

    vectors: Vectors
    subspace: Subspace
    equal: tuple[tuple[int, ...], ...]
    alike: tuple[tuple[int, ...], ...]
    kept: Positions
    missing: dict[str, tuple[str, ...]]

    @property
    def neutral(self) -> Positions:
        """The positions of the words to neutralise."""
        every = np.ones(len(self.vectors), dtype=bool)
        every[self.kept] = False
        every[self.vectors.unusable] = False
        return np.flatnonzero(every)

    @property
    def fingerprint(self) -> str:
        """A hash of what goes in, which does not depend on how a machine rounds."""
        words = self.vectors.words
        recipe = {
            "debias": self.vectors.fingerprint,
            "components": len(self.subspace.axes),
            "pairs": [[words[at] for at in one] for one in self.subspace.sets],
            "equal": [[words[at] for at in one] for one in self.equal],
            "kept": [words[at] for at in self.kept.tolist()],
        }
        return hashlib.blake2b(json.dumps(recipe).encode(), digest_size=16).hexdigest()


def prepare(
    vectors: Vectors,
    pairs: Iterable[Sequence[str]],
    *,
    equal: Iterable[Sequence[str]] = (),
    specific: Iterable[str] = (),
    components: int = 1,
    case: Case = "auto",
) -> Debiasing:
    """What `debias` is to do, with the words that are missing; its arguments are the same.

    >>> vectors = Vectors.of(["he", "she", "nurse"], [[-3, 4], [3, 4], [4, 3]])
    >>> todo = prepare(vectors, [["she", "he"], ["woman", "man"]])
    >>> todo.missing["pairs"], todo.neutral
    (('woman', 'man'), array([2]))
    """
    if isinstance(specific, str | bytes):
        raise UsageError(f"specific is {shown(specific)}; a list of words was expected.")
    listed = tuple(specific)
    subspace = bias_subspace(vectors, pairs, components=components, case=case)
    sets = checked_sets(equal, "equal")
    found = find_sets(vectors, sets, case)
    _check_disjoint(vectors, found)
    chosen = [*found.at, *_in_capitals(vectors, sets, found, case)]
    differ = [_differs(vectors.unit_at(np.array(one)), subspace) for one in chosen]
    positions = find_words(vectors, listed, case)
    missing = [word for word, at in zip(listed, positions.tolist(), strict=True) if at < 0]
    if case == "auto" and vectors.cased:
        others = [word for words in capitalised(listed) for word in words]
        positions = np.concatenate([positions, find_words(vectors, others, "keep")])
    kept = {*positions.tolist(), *(at for one in (*subspace.sets, *chosen) for at in one)} - {-1}
    return Debiasing(
        vectors=vectors,
        subspace=subspace,
        equal=tuple(one for one, apart in zip(chosen, differ, strict=True) if apart),
        alike=tuple(one for one, apart in zip(chosen, differ, strict=True) if not apart),
        kept=np.array(sorted(kept), dtype=np.intp),
        missing={
            "pairs": subspace.missing,
            "equal": found.missing,
            "specific": tuple(dict.fromkeys(missing)),
        },
    )


def _check_disjoint(vectors: Vectors, found: FoundSets) -> None:
    """A word in two sets would lose what the first gave it."""
    seen: set[int] = set()
    for one in found.at:
        twice = seen.intersection(one)
        if twice:
            word = shown(vectors.words[min(twice)])
            raise UsageError(f"The word {word} is in two equality sets. Join them, or drop one.")
        seen.update(one)


def _in_capitals(
    vectors: Vectors, sets: Sequence[Sequence[str]], found: FoundSets, case: Case
) -> Iterator[tuple[int, ...]]:
    """The sets with a capital and in capitals, where a cased vocabulary has them and no other."""
    if case != "auto" or not vectors.cased:
        return
    taken = set(found.positions.tolist())
    others = [form for one in sets for form in capitalised(one)]
    for one in find_sets(vectors, others, "keep").at:
        if not taken.intersection(one):
            taken.update(one)
            yield one


def _differs(rows: Floats, subspace: Subspace) -> bool:
    """Whether each word of a set lies off the set's mean within B."""
    within = rows @ subspace.axes.T
    return bool((np.linalg.norm(within - within.mean(axis=0), axis=1) > NOTHING).all())
