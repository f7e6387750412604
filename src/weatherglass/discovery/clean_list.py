"""Clean a list of words: drop those that an embedding uses least like the others.

Caliskan et al. (2017, supplement) drop the fifth of the names that are farthest from the centroid
of all names; Swinger et al. (2019, appendix C.3) train a linear classifier of names instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from weatherglass._version import __version__
from weatherglass.catalog import NameList
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.measures import NO_CHART, Result, Source, describe_source, need_whole

from . import names as naming

Method = Literal["centroid", "classifier"]


@dataclass(frozen=True, kw_only=True, repr=False)
class CleanedList(Result):
    """A list of words, and which of them cleaning kept.

    Attributes
    ----------
    words
        The words of the list that the vocabulary has, in the order of the list.
    likeness
        How much each is like the others: the cosine with the centroid of all, or the margin in the
        classifier.
    is_kept
        Whether each was kept.
    missing
        The words that the vocabulary lacks.
    source, options, version
        What is needed to repeat it.
    """

    measure: ClassVar[str] = "cleaned-list"
    noun: ClassVar[str] = "cleaned list"
    chart: ClassVar[str] = NO_CHART

    words: tuple[str, ...]
    likeness: tuple[float, ...]
    is_kept: tuple[bool, ...]
    missing: tuple[str, ...] = ()
    source: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    @property
    def kept(self) -> tuple[str, ...]:
        """The words kept, in the order of the list."""
        return tuple(word for word, kept in zip(self.words, self.is_kept, strict=True) if kept)

    @property
    def dropped(self) -> tuple[str, ...]:
        """The words dropped, the least like the others first."""
        rows = zip(self.likeness, self.words, self.is_kept, strict=True)
        return tuple(word for _, word, kept in sorted(rows) if not kept)

    def key_facts(self) -> dict[str, Any]:
        return {
            "source": self.source_name,
            "words": len(self.words),
            "kept": len(self.kept),
            "missing": len(self.missing),
        }

    def sentence(self) -> str:
        return (
            f"Of {len(self.words):,} words {len(self.kept):,} were kept; {len(self.dropped):,} are "
            "least like the others."
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat row for each word."""
        return [
            {"word": word, "likeness": likeness, "kept": kept}
            for word, likeness, kept in zip(self.words, self.likeness, self.is_kept, strict=True)
        ]


def clean_list(
    source: Source,
    words: Iterable[str] | NameList,
    *,
    keep: float = 0.8,
    method: Method = "centroid",
    rng: int = 0,
) -> CleanedList:
    """Drop the words of a list that an embedding uses least like the others.

    Parameters
    ----------
    source
        A whole embedding: any source of word vectors (see `as_source`).
    words
        A list of names or other words.
    keep
        The share of the words to keep.
    method
        ``centroid`` keeps the words nearest to the centroid of all, as in Caliskan et al. (2017);
        ``classifier`` those with the largest margin in a linear classifier that separates the list
        from other frequent words, as in Swinger et al. (2019).
    rng
        The random seed of the words that the classifier learns from.

    Returns
    -------
    CleanedList

    Raises
    ------
    CannotMeasure
        Fewer than three words of the list are in the vocabulary.

    Notes
    -----
    Vectors are normalised. For unit vectors the distance from the centroid, the cosine with it and
    the mean cosine with all words order the words in the same way, so that the wording of both
    papers is the same rule.

    Examples
    --------
    >>> import weatherglass as wg
    >>> names = ["Mary", "Anna", "Emma", "Alice", "Clara", "Ruth", "Edith", "Helen", "May", "Will"]
    >>> wg.clean_list(wg.open_vectors("default"), names).dropped
    ('will', 'may')
    """
    if not isinstance(keep, int | float) or not 0 < keep <= 1:
        raise UsageError(f"keep is {keep!r}; it must be greater than 0 and at most 1.")
    if method not in get_args(Method):
        raise UsageError(f"method is {method!r}; it must be one of {', '.join(get_args(Method))}.")
    listed = words if isinstance(words, NameList) else NameList("list", "The list", _unique(words))
    vectors = need_whole(source, "Cleaning a list")
    names = naming.find(vectors, listed)
    if len(names.positions) < 3:
        raise CannotMeasure(
            f"Only {len(names.positions)} words of the list are in {vectors.source}; it takes 3."
        )
    if method == "centroid":
        rows = vectors.unit_at(names.positions)
        centroid = rows.mean(axis=0)
        length = float(np.linalg.norm(centroid))
        likeness = rows @ centroid / (length or 1.0)
    else:
        likeness = naming.train_margin(vectors, names.positions, names.positions, rng)(
            names.positions
        )
    drop = len(likeness) - max(1, round(keep * len(likeness)))
    is_kept = np.ones(len(likeness), bool)
    is_kept[np.argsort(likeness, kind="stable")[:drop]] = False
    return CleanedList(
        words=tuple(vectors.words.at(names.positions)),
        likeness=tuple(map(float, likeness)),
        is_kept=tuple(is_kept.tolist()),
        missing=names.missing,
        source=describe_source(vectors),
        options={"keep": float(keep), "method": method, "rng": rng},
    )


def _unique(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words without repeats; raise `UsageError` on anything but words."""
    listed = [words] if isinstance(words, str) else list(words)
    if not all(isinstance(word, str) and word.strip() for word in listed):
        raise UsageError("The list must have words only.")
    return tuple(dict.fromkeys(word.strip() for word in listed))
