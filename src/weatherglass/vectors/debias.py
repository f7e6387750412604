"""Hard debiasing: neutralise and equalise (Bolukbasi et al., NIPS 2016, section 6)."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import cpu_count, map_in_order
from weatherglass.errors import CannotMeasure, UsageError, quote_safe

from .frequency import order_by_frequency
from .lookup import (
    Case,
    SetPositions,
    capitalise,
    check_sets,
    find_set_positions,
    find_usable_positions,
)
from .subspace import Subspace, bias_subspace
from .vectors import (
    BLOCK_ROWS,
    EPSILON,
    Floats,
    Positions,
    Vectors,
    row_blocks,
    unit_rows,
    unusable_rows,
)


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
        raise UsageError(f"specific is {quote_safe(specific)}; a list of words was expected.")
    listed = tuple(specific)
    subspace = bias_subspace(vectors, pairs, components=components, case=case)
    sets = check_sets(equal, "equal")
    found = find_set_positions(vectors, sets, case)
    _check_disjoint(vectors, found)
    chosen = [*found.at, *_in_capitals(vectors, sets, found, case)]
    differ = [_differs(vectors.unit_at(np.array(one)), subspace) for one in chosen]
    positions = find_usable_positions(vectors, listed, case)
    missing = [word for word, at in zip(listed, positions.tolist(), strict=True) if at < 0]
    if case == "auto" and vectors.cased:
        others = [word for words in capitalise(listed) for word in words]
        positions = np.concatenate([positions, find_usable_positions(vectors, others, "keep")])
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


def _check_disjoint(vectors: Vectors, found: SetPositions) -> None:
    """A word in two sets would lose what the first gave it."""
    seen: set[int] = set()
    for one in found.at:
        twice = seen.intersection(one)
        if twice:
            word = quote_safe(vectors.words[min(twice)])
            raise UsageError(f"The word {word} is in two equality sets. Join them, or drop one.")
        seen.update(one)


def _in_capitals(
    vectors: Vectors, sets: Sequence[Sequence[str]], found: SetPositions, case: Case
) -> Iterator[tuple[int, ...]]:
    """The sets with a capital and in capitals, where a cased vocabulary has them and no other."""
    if case != "auto" or not vectors.cased:
        return
    taken = set(found.positions.tolist())
    others = [form for one in sets for form in capitalise(one)]
    for one in find_set_positions(vectors, others, "keep").at:
        if not taken.intersection(one):
            taken.update(one)
            yield one


def _differs(rows: Floats, subspace: Subspace) -> bool:
    """Whether each word of a set lies off the set's mean within B."""
    within = rows @ subspace.axes.T
    return bool((np.linalg.norm(within - within.mean(axis=0), axis=1) > EPSILON).all())


_R = TypeVar("_R")


def debias(
    vectors: Vectors,
    pairs: Iterable[Sequence[str]],
    *,
    equal: Iterable[Sequence[str]] = (),
    specific: Iterable[str] = (),
    components: int = 1,
    case: Case = "auto",
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Vectors:
    """Take a bias subspace out of all words but those that are meant to lie in it.

    Parameters
    ----------
    vectors
        The embedding; all of it, or some words.
    pairs
        Pairs of words (or sets of more than two) whose differences define the bias subspace.
    equal
        Sets of words that are made to differ within the subspace only, such as grandmother and
        grandfather. A word may be in one set.
    specific
        Words that keep their part within the subspace, such as beard. The words of `pairs` and of
        `equal` always do.
    components
        Dimensions of the subspace.
    case
        ``auto`` falls back to lower case where the vocabulary has no capitals; where it has some,
        the words of `specific` and `equal` are also meant with a capital and in capitals. ``keep``
        takes words just as they are written, ``lower`` in lower case.
    workers
        Threads; all processors by default. The result does not depend on their number.
    progress
        Called with the rows done and the rows in all.

    Returns
    -------
    Vectors
        Unit vectors for the whole vocabulary. A neutral word that lies in the subspace has no
        direction left: its row becomes zeros and is listed in `unusable`.

    Raises
    ------
    CannotMeasure
        No pair is in the vocabulary, or the pairs do not span so many components.

    Notes
    -----
    All words are taken at unit length. With w_B the part of w within the subspace B, a neutral word
    becomes (w - w_B) / \\|\\|w - w_B\\|\\|. A word of an equality set with the mean μ, and
    ν = μ - μ_B, becomes ν + sqrt(1 - \\|\\|ν\\|\\|²) (w_B - μ_B) / \\|\\|w_B - μ_B\\|\\|, so that
    every neutral word is equally near to all words of the set.

    What else goes with the bias stays: words that were biased alike are still neighbours [2]_.

    References
    ----------
    .. [1] T. Bolukbasi, K.-W. Chang, J. Zou, V. Saligrama, A. Kalai (2016). Man is to computer
       programmer as woman is to homemaker? Debiasing word embeddings. NIPS.
    .. [2] H. Gonen, Y. Goldberg (2019). Lipstick on a pig: debiasing methods cover up systematic
       gender biases in word embeddings but do not remove them. NAACL.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.Vectors.of(["he", "she", "nurse"], [[-3, 4], [3, 4], [4, 3]])
    >>> wg.debias(vectors, [["she", "he"]]).take(["nurse", "she"]).rows
    array([[0. , 1. ],
           [0.6, 0.8]], dtype=float32)
    """
    found = prepare(
        vectors, pairs, equal=equal, specific=specific, components=components, case=case
    )
    return apply(found, workers=workers, progress=progress)


def apply(
    todo: Debiasing,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Vectors:
    """The vectors with what `prepare` found done to them."""
    vectors, count = todo.vectors, len(todo.vectors)
    matrix = np.empty(vectors.matrix.shape, dtype=np.float32)
    kept = np.zeros(count, dtype=bool)
    kept[todo.kept] = True

    def write(part: slice) -> None:
        rows = unit_rows(vectors, part)
        within = rows @ todo.subspace.axes.T
        within[kept[part]] = 0
        rows -= within @ todo.subspace.axes
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        rows[norms < EPSILON] = 0
        rows /= np.maximum(norms, EPSILON)[:, None]
        matrix[part] = rows

    for k, _ in enumerate(_each_block(write, count, workers)):
        if progress is not None:
            progress(min(count, (k + 1) * BLOCK_ROWS), count)
    for one in todo.equal:
        matrix[list(one)] = _equalised(vectors.unit_at(np.array(one)), todo.subspace)
    unusable = unusable_rows(matrix)
    if todo.neutral.size and np.isin(todo.neutral, unusable).all():
        raise CannotMeasure(
            f"Nothing is left of the neutral words of {vectors.source}: all lie in the bias "
            "subspace. Ask for fewer components."
        )
    matrix.flags.writeable = False
    return dataclasses.replace(
        vectors,
        matrix=matrix,
        source=f"{vectors.source} (debiased)",
        fingerprint=todo.fingerprint,
        unusable=unusable,
    )


def _equalised(rows: Floats, subspace: Subspace) -> Floats:
    """The unit rows of an equality set, made to differ within B only."""
    within = subspace.within(rows)
    mean = rows.mean(axis=0)
    nu = mean - subspace.within(mean[None])[0]
    apart = within - within.mean(axis=0)
    apart /= np.linalg.norm(apart, axis=1, keepdims=True)
    # ν is no longer than the mean of unit vectors; only rounding could make it longer than 1.
    made: Floats = nu + np.sqrt(max(0.0, 1 - nu @ nu)) * apart
    return made


def direct_bias(todo: Debiasing, vectors: Vectors, workers: int | None = None) -> float:
    """The mean length of the part within B, over the neutral words (section 5.2, with c = 1).

    `vectors` is the embedding before or after. With one component it is the mean of
    \\|cos(w, g)\\|. Words without direction count as nothing.

    >>> vectors = Vectors.of(["he", "she", "nurse"], [[-3, 4], [3, 4], [4, 3]])
    >>> todo = prepare(vectors, [["she", "he"]])
    >>> round(direct_bias(todo, vectors), 6), direct_bias(todo, apply(todo))
    (0.8, 0.0)
    """
    neutral = np.zeros(len(vectors), dtype=bool)
    neutral[todo.neutral] = True

    def total(part: slice) -> float:
        within = unit_rows(vectors, part)[neutral[part]] @ todo.subspace.axes.T
        return float(np.sqrt(np.einsum("ij,ij->i", within, within)).sum())

    return sum(_each_block(total, len(vectors), workers)) / max(1, int(neutral.sum()))


def _each_block(function: Callable[[slice], _R], count: int, workers: int | None) -> Iterator[_R]:
    """The results of a function on blocks of rows, in order."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):  # the threads are ours
        yield from map_in_order(function, row_blocks(count), workers or cpu_count())


MAX_TRAINING_WORDS, MAX_LETTERS = 50_000, 19
_FOLDS = 10


@dataclass(frozen=True)
class LearnedWords:
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
) -> LearnedWords:
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
    known = find_usable_positions(vectors, list(dict.fromkeys(specific)), case)
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
    for part in row_blocks(len(vectors)):
        found.append(np.flatnonzero(model.decision_function(unit_rows(vectors, part)) > 0))
        found[-1] += part.start
        if progress is not None:
            progress(min(len(vectors), part.start + BLOCK_ROWS), len(vectors))
    fresh = np.setdiff1d(np.concatenate(found), [*known, *vectors.unusable])
    return LearnedWords(
        words=tuple(vectors.words.at(fresh)),
        precision=hits / max(1, int(held_out.sum())),
        recall=hits / listed,
        f_score=2 * hits / (int(held_out.sum()) + listed),
        trained_on=len(at),
        listed=listed,
    )


def _frequent(vectors: Vectors) -> Positions:
    """The words to learn from, the most frequent first."""
    order = order_by_frequency(vectors)[:MAX_TRAINING_WORDS]
    plain = [_plain(word) for word in vectors.words.at(order)]
    return order[np.array(plain, dtype=bool) & ~np.isin(order, vectors.unusable)]


def _plain(word: str) -> bool:
    return len(word) <= MAX_LETTERS and word == word.lower() and word.replace("_", "").isalpha()


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
