"""SC-WEAT: the single-category WEAT (Caliskan et al., AIES 2022)."""

from __future__ import annotations

from typing import Any

import numpy as np

from weatherglass.errors import CannotMeasure
from weatherglass.significance import holm, batch_permutation_p, permutation_p

from .definition import Measure, Measured, Needed
from .weat import NO_SPREAD, NOISE
from .word_sets import Floats, Given


def single_category(
    given: Given, *, alternative: str = "greater", method: str = "auto", rng: int = 0
) -> Measured:
    """Whether a word, or a category of words, is nearer to one attribute set than to another.

    Parameters
    ----------
    given
        The words: X, A and B.
    alternative
        ``greater`` (X with A, as the paper tests), ``less`` or ``two-sided``.
    method
        How the p-value is found; see `weatherglass.permutation_p`. The authors fit a normal
        distribution to random permutations (``normal``); ``auto`` counts them where it can.
    rng
        Seed for ``sample`` and ``normal``.

    Notes
    -----
    ES(w, A, B) = (mean_{a in A} cos(w, a) - mean_{b in B} cos(w, b)) / std_{x in A and B} cos(w, x)
    with the unbiased standard deviation [1]_. The null hypothesis is that the
    attributes were sorted into A and B by chance, with the word as it is: the p-value is the share
    of the ways to choose so many attributes that have at least the observed sum of cosines.

    The paper has one word at a time, and so have the numbers by word. For the value, the mean
    of the unit vectors of X stands for the category; with one word they are the same. ``p_holm``
    is the p-value of a word corrected over the words of X.

    References
    ----------
    .. [1] A. Caliskan, P. P. Ajay, T. Charlesworth, R. Wolfe, M. R. Banaji (2022). Gender bias in
       word embeddings: a comprehensive analysis of frequency, syntax, and semantics. AIES, 156-170.
       doi:10.1145/3514094.3534162
    """
    near, far = (given.rows("X") @ given.rows(name).T for name in "AB")
    whole = near.mean(axis=0), far.mean(axis=0)
    value = _effects(*(row[None] for row in whole))[0]
    each = _effects(near, far)
    settings: dict[str, Any] = {"alternative": alternative, "resolution": NOISE}
    drawn: dict[str, Any] = settings | {"method": method, "rng": rng}
    p = permutation_p(*whole, **drawn)
    rows = list(zip(near, far, strict=True))
    if method == "auto":
        p_each = batch_permutation_p(rows, **settings)
    else:
        p_each = [permutation_p(*pair, **drawn) for pair in rows]
    each_p = np.array([one.value for one in p_each])
    return Measured(
        value=value,
        by_word={"X": each},
        columns={"p": {"X": each_p}, "p_holm": {"X": holm(each_p)}},
        details={"statistic": float(whole[0].mean() - whole[1].mean())},
        p=p,
    )


def _effects(near: Floats, far: Floats) -> Floats:
    """ES(w, A, B) of each row of cosines."""
    spread = np.concatenate([near, far], axis=1).std(axis=1, ddof=1)
    if (spread <= NO_SPREAD).any():
        raise CannotMeasure(
            "a word of X has the same cosine with every attribute, so the effect has no scale."
        )
    made: Floats = (near.mean(axis=1) - far.mean(axis=1)) / spread
    return made


SC_WEAT = Measure(
    name="sc-weat",
    title="Single-category WEAT",
    needs=(
        Needed("X", 1, "the word, or the words of the category"),
        Needed("A", 2, "words of one group"),
        Needed("B", 2, "words of the other group"),
    ),
    reading="The association of the category with A rather than B, in standard deviations of its "
    "cosines: above zero towards A, and within 2 of it for sets of one size.",
    low=None,
    high=None,
    neutral=0,
    larger="either",
    citation="A. Caliskan, P. P. Ajay, T. Charlesworth, R. Wolfe, M. R. Banaji (2022). Gender bias "
    "in word embeddings: a comprehensive analysis of frequency, syntax, and semantics. AIES, "
    "156-170.",
    doi="10.1145/3514094.3534162",
    compute=single_category,
)
