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
from .history import new_entry
from .lookup import (
    Case,
    SetPositions,
    capitalise,
    check_sets,
    find_set_positions,
    find_usable_positions,
)
from .open import VectorsSource, open_vectors
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
    """A plan of hard debiasing: what to do to which words.

    Attributes
    ----------
    vectors
        The embedding.
    subspace
        The bias subspace B.
    equal
        The sets to equalise, as positions.
    unequalised
        Equality sets that stay unchanged, because one of their words does not differ from the
        set's mean within B, so that its side is undefined.
    exempt
        The positions of the words that are not neutralised, including those of equality sets.
    missing
        The words of ``"pairs"``, ``"equal"`` and ``"specific"`` that are not in the vocabulary, or
        have no direction.
    """

    vectors: Vectors
    subspace: Subspace
    equal: tuple[tuple[int, ...], ...]
    unequalised: tuple[tuple[int, ...], ...]
    exempt: Positions
    missing: dict[str, tuple[str, ...]]

    @property
    def neutral(self) -> Positions:
        """The positions of the words to neutralise."""
        is_neutral = np.ones(len(self.vectors), dtype=bool)
        is_neutral[self.exempt] = False
        is_neutral[self.vectors.unusable] = False
        return np.flatnonzero(is_neutral)

    @property
    def fingerprint(self) -> str:
        """A hash of the inputs, which does not depend on how a machine rounds."""
        words = self.vectors.words
        recipe = {
            "debias": self.vectors.fingerprint,
            "components": len(self.subspace.axes),
            "pairs": [[words[i] for i in positions] for positions in self.subspace.sets],
            "equal": [[words[i] for i in positions] for positions in self.equal],
            "kept": [words[i] for i in self.exempt.tolist()],
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
    """Return the plan that `debias` carries out, with the missing words, for the same arguments.

    >>> vectors = Vectors.of(["he", "she", "nurse"], [[-3, 4], [3, 4], [4, 3]])
    >>> plan = prepare(vectors, [["she", "he"], ["woman", "man"]])
    >>> plan.missing["pairs"], plan.neutral
    (('woman', 'man'), array([2]))
    """
    if isinstance(specific, str | bytes):
        raise UsageError(f"specific is {quote_safe(specific)}; a list of words was expected.")
    specific = tuple(specific)
    subspace = bias_subspace(vectors, pairs, components=components, case=case)
    sets = check_sets(equal, "equal")
    found = find_set_positions(vectors, sets, case)
    _check_disjoint(vectors, found)
    equality_sets = [*found.sets, *_capitalised_sets(vectors, sets, found, case)]
    differ = [_differs(vectors.unit_at(np.array(rows)), subspace) for rows in equality_sets]
    positions = find_usable_positions(vectors, specific, case)
    missing = [word for word, row in zip(specific, positions.tolist(), strict=True) if row < 0]
    if case == "auto" and vectors.cased:
        variants = [word for words in capitalise(specific) for word in words]
        positions = np.concatenate([positions, find_usable_positions(vectors, variants, "keep")])
    exempt = {*positions.tolist()}.union(*subspace.sets, *equality_sets) - {-1}
    return Debiasing(
        vectors=vectors,
        subspace=subspace,
        equal=tuple(rows for rows, differs in zip(equality_sets, differ, strict=True) if differs),
        unequalised=tuple(
            rows for rows, differs in zip(equality_sets, differ, strict=True) if not differs
        ),
        exempt=np.array(sorted(exempt), dtype=np.intp),
        missing={
            "pairs": subspace.missing,
            "equal": found.missing,
            "specific": tuple(dict.fromkeys(missing)),
        },
    )


def _check_disjoint(vectors: Vectors, found: SetPositions) -> None:
    """Raise `UsageError` if a word is in two sets: the second would undo the first."""
    seen: set[int] = set()
    for positions in found.sets:
        duplicates = seen.intersection(positions)
        if duplicates:
            word = quote_safe(vectors.words[min(duplicates)])
            raise UsageError(f"The word {word} is in two equality sets. Join them, or drop one.")
        seen.update(positions)


def _capitalised_sets(
    vectors: Vectors, sets: Sequence[Sequence[str]], found: SetPositions, case: Case
) -> Iterator[tuple[int, ...]]:
    """Yield the sets in title case and upper case, if they are other words of the vocabulary."""
    if case != "auto" or not vectors.cased:
        return
    used = set(found.positions.tolist())
    variants = [variant for words in sets for variant in capitalise(words)]
    for positions in find_set_positions(vectors, variants, "keep").sets:
        if not used.intersection(positions):
            used.update(positions)
            yield positions


def _differs(rows: Floats, subspace: Subspace) -> bool:
    """Return whether each word of a set differs from the set's mean within B."""
    within = rows @ subspace.axes.T
    return bool((np.linalg.norm(within - within.mean(axis=0), axis=1) > EPSILON).all())


_R = TypeVar("_R")


def debias(
    vectors: VectorsSource,
    pairs: Iterable[Sequence[str]],
    *,
    equal: Iterable[Sequence[str]] = (),
    specific: Iterable[str] = (),
    components: int = 1,
    case: Case = "auto",
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Vectors:
    """Remove a bias subspace from all words except those that are meant to have a part in it.

    Parameters
    ----------
    vectors
        The embedding, complete or some of its words: whatever `open_vectors` accepts.
    pairs
        Pairs of words (or sets of more than two) whose differences define the bias subspace.
    equal
        Sets of words that shall differ only within the subspace, such as grandmother and
        grandfather. A word may be in one set only.
    specific
        Words that keep their part within the subspace, such as beard. The words of `pairs` and of
        `equal` always do.
    components
        The number of dimensions of the subspace.
    case
        ``auto`` falls back to lower case if the vocabulary has no capitals; if it has, the words of
        `specific` and `equal` also stand for their variants in title case and upper case. ``keep``
        looks words up as they are written, ``lower`` in lower case.
    workers
        Threads; all processors by default. The result does not depend on their number.
    progress
        Called with the number of rows done and the total number.

    Returns
    -------
    Vectors
        Unit vectors of the whole vocabulary. A neutral word that lies within the subspace has no
        direction left: its row becomes zeros and is listed in `unusable`.

    Raises
    ------
    CannotMeasure
        No pair is in the vocabulary, or the pairs do not span so many components.

    Notes
    -----
    All vectors have unit length. With w_B the projection of w onto the subspace B, a neutral word
    becomes (w - w_B) / \\|\\|w - w_B\\|\\|. A word of an equality set with the mean μ, and
    ν = μ - μ_B, becomes ν + sqrt(1 - \\|\\|ν\\|\\|²) (w_B - μ_B) / \\|\\|w_B - μ_B\\|\\|, so that
    every neutral word has the same cosine similarity to all words of the set.

    Other traces of the bias remain: words of similar bias are still neighbours [2]_.

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
    opened = open_vectors(vectors)
    plan = prepare(opened, pairs, equal=equal, specific=specific, components=components, case=case)
    return apply(plan, workers=workers, progress=progress)


def apply(
    plan: Debiasing,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Vectors:
    """Carry out a plan that `prepare` made, and return the debiased vectors."""
    vectors, count = plan.vectors, len(plan.vectors)
    matrix = np.empty_like(vectors.matrix, subok=False)
    is_exempt = np.zeros(count, dtype=bool)
    is_exempt[plan.exempt] = True

    def write(block: slice) -> None:
        rows = unit_rows(vectors, block)
        within = rows @ plan.subspace.axes.T
        within[is_exempt[block]] = 0
        rows -= within @ plan.subspace.axes
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        rows[norms < EPSILON] = 0
        rows /= np.maximum(norms, EPSILON)[:, None]
        matrix[block] = rows

    for k, _ in enumerate(_map_blocks(write, count, workers)):
        if progress is not None:
            progress(min(count, (k + 1) * BLOCK_ROWS), count)
    for positions in plan.equal:
        matrix[list(positions)] = _equalise(vectors.unit_at(np.array(positions)), plan.subspace)
    unusable = unusable_rows(matrix)
    if plan.neutral.size and np.isin(plan.neutral, unusable).all():
        raise CannotMeasure(
            f"Nothing is left of the neutral words of {vectors.source}: all lie within the bias "
            "subspace. Ask for fewer components."
        )
    matrix.flags.writeable = False
    return dataclasses.replace(
        vectors,
        matrix=matrix,
        source=f"{vectors.source} (debiased)",
        fingerprint=plan.fingerprint,
        unusable=unusable,
        history=(*vectors.history, _entry(plan)),
        bootstraps=(),  # they are not debiased
    )


def _entry(plan: Debiasing) -> dict[str, Any]:
    """Return what the history of the debiased vectors says about the plan."""
    words = plan.vectors.words
    return new_entry(
        "debias",
        plan.vectors,
        method="hard debiasing, Bolukbasi et al. 2016",
        pairs=[[words[i] for i in positions] for positions in plan.subspace.sets],
        components=len(plan.subspace.axes),
        neutralised=len(plan.neutral),
        equalised=len(plan.equal),
    )


def _equalise(rows: Floats, subspace: Subspace) -> Floats:
    """Return the unit rows of an equality set, changed so that they differ only within B."""
    within = subspace.within(rows)
    mean = rows.mean(axis=0)
    nu = mean - subspace.within(mean[None])[0]
    deviations = within - within.mean(axis=0)
    deviations /= np.linalg.norm(deviations, axis=1, keepdims=True)
    # ν is not longer than the mean of unit vectors, so only rounding could make it longer than 1.
    equalised: Floats = nu + np.sqrt(max(0.0, 1 - nu @ nu)) * deviations
    return equalised


def direct_bias(plan: Debiasing, vectors: Vectors, workers: int | None = None) -> float:
    """Return the mean length of w_B over the neutral words (section 5.2, with c = 1).

    `vectors` is the embedding before or after debiasing. With one component it is the mean of
    \\|cos(w, g)\\|. Words without direction count as 0.

    >>> vectors = Vectors.of(["he", "she", "nurse"], [[-3, 4], [3, 4], [4, 3]])
    >>> plan = prepare(vectors, [["she", "he"]])
    >>> round(direct_bias(plan, vectors), 6), direct_bias(plan, apply(plan))
    (0.8, 0.0)
    """
    is_neutral = np.zeros(len(vectors), dtype=bool)
    is_neutral[plan.neutral] = True

    def total(block: slice) -> float:
        within = unit_rows(vectors, block)[is_neutral[block]] @ plan.subspace.axes.T
        return float(np.sqrt(np.einsum("ij,ij->i", within, within)).sum())

    return sum(_map_blocks(total, len(vectors), workers)) / max(1, int(is_neutral.sum()))


def _map_blocks(function: Callable[[slice], _R], count: int, workers: int | None) -> Iterator[_R]:
    """Yield the results of a function on blocks of rows, in order."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):  # we start the threads ourselves
        yield from map_in_order(function, row_blocks(count), workers or cpu_count())


MAX_TRAINING_WORDS, MAX_LETTERS = 50_000, 19
_FOLDS = 10


@dataclass(frozen=True)
class LearnedWords:
    """The words that a classifier of specific words found.

    Attributes
    ----------
    words
        The words that it adds to the list, in the order of the vocabulary.
    precision, recall, f_score
        How well it finds held-out words of the list (ten-fold cross-validation).
    trained_on, listed
        The number of words it was trained on, and how many of them were on the list.
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
    """Find words of a vocabulary that resemble those of a list.

    Parameters
    ----------
    vectors
        A complete embedding, whose words are sorted by frequency or have counts.
    specific
        The known specific words, such as beard and mother.
    case
        ``auto`` falls back to lower case if the vocabulary has no capitals; ``keep``; ``lower``.
    progress
        Called with the number of rows done and the total number.

    Raises
    ------
    CannotMeasure
        Only some words were opened, or too few are on the list to learn from.

    Notes
    -----
    A linear support vector machine (C = 1) learns to separate the list from other frequent words by
    their unit vectors, and then classifies the whole vocabulary. It is trained, as in the paper, on
    those of the 50,000 most frequent words that have fewer than 20 characters, all of them
    lower-case letters, or underscores in phrases. The paper started from 218 words in 300
    dimensions, reached an F-score of 0.63 and continued with 6,449 words. In 50 or 100 dimensions
    hardly any word is found: check `f_score`.

    References
    ----------
    .. [1] T. Bolukbasi, K.-W. Chang, J. Zou, V. Saligrama, A. Kalai (2016). Man is to computer
       programmer as woman is to homemaker? Debiasing word embeddings. NIPS.

    Examples
    --------
    >>> words = "aunt uncle niece nephew stone river road hill lake wood".split()
    >>> vectors = Vectors.of(words, [[1, 0], [2, 1], [2, -1], [9, 1]] + [[-1, k] for k in range(6)])
    >>> learned = learn_specific(vectors, ["aunt", "uncle", "niece"])
    >>> learned.words, learned.trained_on, learned.listed
    (('nephew',), 10, 3)
    """
    if vectors.part:
        raise CannotMeasure(
            f"Only some words of {vectors.source} were opened, but specific words are learned from "
            "the most frequent ones. Open all words."
        )
    known = find_usable_positions(vectors, list(dict.fromkeys(specific)), case)
    training = _training_words(vectors)
    y = np.isin(training, known)
    listed = int(y.sum())
    if listed < 2 or listed > len(training) - 2:
        raise CannotMeasure(
            f"Of the {len(training):,} frequent lower-case words of {vectors.source}, {listed:,} "
            "are on the list of specific words: training needs at least 2 on it and 2 off it."
        )
    x = unit_rows(vectors, training)
    predicted = _cross_validate(x, y)
    hits = int((predicted & y).sum())
    model = _make_classifier().fit(x, y)
    positives: list[NDArray[np.intp]] = []
    for block in row_blocks(len(vectors)):
        scores = model.decision_function(unit_rows(vectors, block))
        positives.append(np.flatnonzero(scores > 0) + block.start)
        if progress is not None:
            progress(min(len(vectors), block.start + BLOCK_ROWS), len(vectors))
    new = np.setdiff1d(np.concatenate(positives), [*known, *vectors.unusable])
    return LearnedWords(
        words=tuple(vectors.words.at(new)),
        precision=hits / max(1, int(predicted.sum())),
        recall=hits / listed,
        f_score=2 * hits / (int(predicted.sum()) + listed),
        trained_on=len(training),
        listed=listed,
    )


def _training_words(vectors: Vectors) -> Positions:
    """Return the positions of the words to train on, most frequent first."""
    order = order_by_frequency(vectors)[:MAX_TRAINING_WORDS]
    is_plain = np.array([_is_plain(word) for word in vectors.words.at(order)], dtype=bool)
    return order[is_plain & ~np.isin(order, vectors.unusable)]


def _is_plain(word: str) -> bool:
    return len(word) <= MAX_LETTERS and word == word.lower() and word.replace("_", "").isalpha()


def _make_classifier() -> Any:
    from sklearn.svm import LinearSVC

    # The primal problem is solved without random numbers, so the result is reproducible.
    return LinearSVC(C=1.0, dual=False, max_iter=10_000)


def _cross_validate(x: NDArray[np.float64], y: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the prediction for each word of a classifier that was not trained on it."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    folds = StratifiedKFold(
        min(_FOLDS, int(y.sum()), int((~y).sum())), shuffle=True, random_state=0
    )
    predicted: NDArray[np.bool_] = cross_val_predict(_make_classifier(), x, y, cv=folds)
    return predicted
