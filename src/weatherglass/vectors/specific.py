"""More words that are specific to an axis, learned from a list (Bolukbasi 2016, section 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure

from .blocks import STEP, Positions, slices, unit_rows
from .frequency import by_frequency
from .spelling import Case, find_words
from .vectors import Vectors

FREQUENT, LONGEST = 50_000, 19
_FOLDS = 10


@dataclass(frozen=True)
class Learned:
    """What a classifier of specific words found.

    Attributes
    ----------
    words
        The words that it adds to the list, in the order of the vocabulary.
    precision, recall, f_score
        How well it finds words of the list that it was not shown (cross-validation in ten parts).
    trained_on, listed
        How many words it learned from, and how many of them were on the list.
    """

    words: tuple[str, ...]
    precision: float
    recall: float
    f_score: float
    trained_on: int
    listed: int


def learn_specific(
    vectors: Vectors,
    specific: Iterable[str],
    *,
    case: Case = "auto",
    progress: Callable[[int, int], None] | None = None,
) -> Learned:
    """Find words of a vocabulary that are like those of a list.

    Parameters
    ----------
    vectors
        A whole embedding, whose words are in the order of their frequency or have counts.
    specific
        The words that are known, such as beard and mother.
    case
        ``auto`` falls back to lower case where the vocabulary has no capitals; ``keep``; ``lower``.
    progress
        Called with the rows done and the rows in all.

    Raises
    ------
    CannotMeasure
        Only some words were opened, or too few are on the list to learn from.

    Notes
    -----
    A linear support vector machine (C = 1) learns to tell the list from the other frequent words on
    unit vectors, and then judges the whole vocabulary. It learns, as in the paper, from those of
    the 50,000 most frequent words that have fewer than 20 characters, all of them lower-case
    letters, or underscores in phrases. The paper started from 218 words in 300 dimensions, had an
    F-score of 0.63 and went on with 6,449. In 50 or 100 dimensions hardly a word is found: look at
    `f_score`.

    References
    ----------
    .. [1] T. Bolukbasi, K.-W. Chang, J. Zou, V. Saligrama, A. Kalai (2016). Man is to computer
       programmer as woman is to homemaker? Debiasing word embeddings. NIPS.

    Examples
    --------
    >>> words = "aunt uncle niece nephew stone river road hill lake wood".split()
    >>> vectors = Vectors.of(words, [[1, 0], [2, 1], [2, -1], [9, 1]] + [[-1, k] for k in range(6)])
    >>> found = learn_specific(vectors, ["aunt", "uncle", "niece"])
    >>> found.words, found.trained_on, found.listed
    (('nephew',), 10, 3)
    """
    if vectors.part:
        raise CannotMeasure(
            f"Only some words of {vectors.source} were opened, and specific words are learned from "
            "the most frequent ones. Open all of it."
        )
    known = find_words(vectors, list(dict.fromkeys(specific)), case)
    at = _frequent(vectors)
    y = np.isin(at, known)
    listed = int(y.sum())
    if listed < 2 or listed > len(at) - 2:
        raise CannotMeasure(
            f"Of the {len(at):,} frequent lower-case words of {vectors.source}, {listed:,} are on "
            "the list of specific words: at least 2 on it and 2 off it are needed to learn from."
        )
    x = unit_rows(vectors, at)
    held_out = _held_out(x, y)
    hits = int((held_out & y).sum())
    model = _classifier().fit(x, y)
    found: list[NDArray[np.intp]] = []
    for part in slices(len(vectors)):
        found.append(np.flatnonzero(model.decision_function(unit_rows(vectors, part)) > 0))
        found[-1] += part.start
        if progress is not None:
            progress(min(len(vectors), part.start + STEP), len(vectors))
    fresh = np.setdiff1d(np.concatenate(found), [*known, *vectors.unusable])
    return Learned(
        words=tuple(vectors.words.at(fresh)),
        precision=hits / max(1, int(held_out.sum())),
        recall=hits / listed,
        f_score=2 * hits / (int(held_out.sum()) + listed),
        trained_on=len(at),
        listed=listed,
    )


def _frequent(vectors: Vectors) -> Positions:
    """The words to learn from, the most frequent first."""
    order = by_frequency(vectors)[:FREQUENT]
    plain = [_plain(word) for word in vectors.words.at(order)]
    return order[np.array(plain, dtype=bool) & ~np.isin(order, vectors.unusable)]


def _plain(word: str) -> bool:
    return len(word) <= LONGEST and word == word.lower() and word.replace("_", "").isalpha()


def _classifier() -> Any:
    from sklearn.svm import LinearSVC

    # The primal problem, which is solved without drawing anything at random.
    return LinearSVC(C=1.0, dual=False, max_iter=10_000)


def _held_out(x: NDArray[np.float64], y: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What a classifier that has not seen a word says of it."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    folds = StratifiedKFold(
        min(_FOLDS, int(y.sum()), int((~y).sum())), shuffle=True, random_state=0
    )
    made: NDArray[np.bool_] = cross_val_predict(_classifier(), x, y, cv=folds)
    return made
