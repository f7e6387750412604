"""The generalised WEAT: any number of groups, of any sizes (Swinger et al. 2019, section 2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass._version import __version__
from weatherglass.errors import CannotMeasure, UsageError, quote_safe
from weatherglass.vectors import Case, Vectors

from .measurement import describe_source
from .result import Result
from .word_sets import FoundSet, find_words

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class GeneralisedResult(Result):
    """The result of a generalised WEAT.

    Attributes
    ----------
    value, parts
        The statistic g, and the part of it that each group adds.
    n
        The numbers of names and words that were used, group by group.
    missing
        The names and words that the source does not have.
    source, options, version
        What is needed to repeat it.
    """

    measure: ClassVar[str] = "generalised-weat"
    noun: ClassVar[str] = "generalised WEAT"
    chart: ClassVar[str] = "groups"

    value: float
    parts: tuple[float, ...]
    n: tuple[tuple[int, int], ...]
    missing: tuple[str, ...]
    source: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    def key_facts(self) -> dict[str, Any]:
        return {"source": self.source_name, "value": self.value, "groups": len(self.parts)}

    def sentence(self) -> str:
        groups = "1 group" if len(self.parts) == 1 else f"{len(self.parts)} groups"
        return f"The generalised WEAT statistic of {groups} is {self.value:.3f}."

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat row for each group."""
        return [
            {"group": k, "part": part, "names": names, "words": words, "value": self.value}
            for k, (part, (names, words)) in enumerate(zip(self.parts, self.n, strict=True), 1)
        ]


def generalised_weat(
    vectors: Vectors,
    groups: Sequence[tuple[Iterable[str], Iterable[str]]],
    *,
    all_names: Iterable[str] = (),
    all_words: Iterable[str] = (),
    case: Case = "auto",
    allow_overlap: bool = False,
) -> GeneralisedResult:
    """Measure how strongly groups of names are associated with the words that go with each.

    Parameters
    ----------
    vectors
        The embedding.
    groups
        Pairs (Xᵢ, Aᵢ): the names of a group, and the words that go with it.
    all_names, all_words
        𝒳 and 𝒜, which contain the groups and words; needed for a single group only.
    case
        As for `weat`.
    allow_overlap
        Accept a word that is both a name and a word of the groups; its product with itself is then
        part of the statistic.

    Raises
    ------
    CannotMeasure
        A group has no names or no words in the source, or a name is also a word.

    Notes
    -----
    g = Σᵢ (X̄ᵢ − μ)·(Āᵢ − 𝒜̄), with means of unit vectors, and μ the mean of the X̄ᵢ, or 𝒳̄ for a
    single group. All groups weigh the same, whatever their size. For two groups of one size it is
    the WEAT statistic divided by twice that size.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.open_vectors("default")
    >>> pairs = [(["john", "paul"], ["career", "office"]), (["amy", "lisa"], ["home", "family"])]
    >>> wg.generalised_weat(vectors, pairs).value > 0
    True
    """
    if not groups:
        raise UsageError("There is no group: give at least one pair of names and words.")
    found = [tuple(_find(vectors, words, case) for words in pair) for pair in groups]
    universe = [_find(vectors, words, case).rows for words in (all_names, all_words)]
    if len(groups) == 1 and not all(map(len, universe)):
        raise UsageError("A single group is compared with all names and words: give both.")
    for k, pair in enumerate(found):
        if not all(word_set.words for word_set in pair):
            raise CannotMeasure(f"Group {k + 1} has no names or no words in {vectors.source}.")
    if not allow_overlap and (reason := _overlap_reason(found)):
        raise CannotMeasure(f"{reason}.")
    means = [(names.rows.mean(axis=0), words.rows.mean(axis=0)) for names, words in found]
    parts = g_parts(
        [x for x, _ in means],
        [a for _, a in means],
        *(rows.mean(axis=0) if len(rows) else None for rows in universe),
    )
    return GeneralisedResult(
        value=float(parts.sum()),
        parts=tuple(parts.tolist()),
        n=tuple((len(names.words), len(words.words)) for names, words in found),
        missing=tuple(
            dict.fromkeys(word for pair in found for word_set in pair for word in word_set.missing)
        ),
        source=describe_source(vectors),
        options={"case": case, "allow_overlap": allow_overlap},
    )


def g_parts(
    x: ArrayLike, a: ArrayLike, all_x: Floats | None = None, all_a: Floats | None = None
) -> Floats:
    """Return (X̄ᵢ − μ)·(Āᵢ − 𝒜̄) of each group, from the means X̄ᵢ and Āᵢ; g is their sum.

    For two groups and more 𝒜̄ does not change the sum; without it the mean of the Āᵢ is used.
    """
    x, a = np.asarray(x, dtype=np.float64), np.asarray(a, dtype=np.float64)
    mu = all_x if len(x) == 1 else x.mean(axis=0)
    origin = a.mean(axis=0) if all_a is None else all_a
    return np.asarray(((x - mu) * (a - origin)).sum(axis=1))


def _find(vectors: Vectors, words: Iterable[str], case: Case) -> FoundSet:
    listed = list(words)
    if not all(isinstance(word, str) for word in listed):
        raise UsageError(f"{quote_safe(str(listed[:3]))} are no words.")
    return find_words(vectors, listed, case)


def _overlap_reason(found: Sequence[tuple[FoundSet, ...]]) -> str:
    """Return which word is a name in one group and a word in any; empty if none is."""
    names, words = ([word for pair in found for word in pair[side].words] for side in range(2))
    shared = [name for name in dict.fromkeys(names) if name in set(words)]
    if not shared:
        return ""
    return (
        f"{quote_safe(shared[0])} is both a name and a word of the groups, so that its product "
        "with itself would be part of the statistic (allow_overlap=True accepts it)"
    )
