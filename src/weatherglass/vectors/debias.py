"""Hard debiasing: neutralise and equalise (Bolukbasi et al., NIPS 2016, section 6)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from weatherglass.errors import CannotMeasure

from .blocks import NOTHING, STEP, Floats, slices, unit_rows
from .debiasing import Debiasing, prepare
from .fingerprints import processors
from .inputs import ordered
from .spelling import Case
from .subspace import Subspace
from .vectors import Vectors, unusable_rows

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
        rows[norms < NOTHING] = 0
        rows /= np.maximum(norms, NOTHING)[:, None]
        matrix[part] = rows

    for k, _ in enumerate(_each_block(write, count, workers)):
        if progress is not None:
            progress(min(count, (k + 1) * STEP), count)
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
        yield from ordered(function, slices(count), workers or processors())
