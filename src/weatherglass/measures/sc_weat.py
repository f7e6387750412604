"""SC-WEAT: the single-category WEAT (Caliskan et al., AIES 2022)."""

from __future__ import annotations

from typing import Any

import numpy as np

from weatherglass.errors import CannotMeasure
from weatherglass.significance import (
    Interval,
    batch_permutation_p,
    effect_interval,
    holm,
    permutation_p,
)

from .alternatives import two_sided
from .definition import Measure, MeasureNumbers, RequiredSet
from .effect_size import MIN_SPREAD, NOISE, cosines, value_scale
from .word_sets import Floats, MeasureInput


def single_category(
    given: MeasureInput, *, alternative: str = "two-sided", method: str = "auto", rng: int = 0
) -> MeasureNumbers:
    """Compare the cosines of a word, or a category of words, with two attribute sets.

    Parameters
    ----------
    given
        The words: X, A and B.
    alternative
        ``two-sided``, ``greater`` (X with A, as the paper tests) or ``less``; a one-sided
        alternative is a direction that you declare.
    method
        How the p-value is computed; see `weatherglass.permutation_p`. The authors fit a normal
        distribution to random permutations (``normal``); ``auto`` counts them where it can.
    rng
        Random seed for ``sample`` and ``normal``.

    Notes
    -----
    ES(w, A, B) = (mean_{a in A} cos(w, a) - mean_{b in B} cos(w, b)) / std_{x in A and B} cos(w, x)
    with the unbiased standard deviation [1]_. The null hypothesis is that the
    attributes were assigned to A and B by chance: the p-value is the share of equal-size partitions
    of the attributes with at least the observed sum of cosines.

    The paper tests one word at a time, as do the numbers by word. For the value, the mean of the
    unit vectors of X represents the category; with one word they are the same. ``p_holm``
    is the p-value of a word corrected over the words of X. The confidence interval of the value is
    over other attribute words; see `weatherglass.significance.effect_interval`.

    References
    ----------
    .. [1] A. Caliskan, P. P. Ajay, T. Charlesworth, R. Wolfe, M. R. Banaji (2022). Gender bias in
       word embeddings: a comprehensive analysis of frequency, syntax, and semantics. AIES, 156-170.
       doi:10.1145/3514094.3534162
    """
    with_a, with_b = (cosines(given.rows("X"), given.rows(name)) for name in "AB")
    scale = value_scale([with_a, with_b]) if given.found["X"].is_of_table else 1.0
    category = with_a.mean(axis=0), with_b.mean(axis=0)
    value = _effects(category[0][None], category[1][None], scale)[0]
    batch_settings: dict[str, Any] = {"alternative": alternative, "resolution": scale * NOISE}
    settings: dict[str, Any] = batch_settings | {"method": method, "rng": rng}
    words = list(zip(with_a, with_b, strict=True))
    if method == "auto":
        p_by_word = batch_permutation_p(words, **batch_settings)
    else:
        p_by_word = [permutation_p(*values, **settings) for values in words]
    p_values = np.array([p.value for p in p_by_word])
    p = permutation_p(*category, **settings)
    return MeasureNumbers(
        value=value,
        by_word={"X": _effects(with_a, with_b, scale)},
        columns={"p": {"X": p_values}, "p_holm": {"X": holm(p_values)}},
        details={"statistic": float(category[0].mean() - category[1].mean())},
        p=p,
        p_two_sided=two_sided(
            p, lambda: permutation_p(*category, **(settings | {"alternative": "two-sided"}))
        ),
        intervals=_intervals(*category),
    )


def _intervals(with_a: Floats, with_b: Floats) -> tuple[Interval, ...]:
    try:
        return (effect_interval(with_a, with_b, about="other attribute words"),)
    except CannotMeasure:  # the words of each attribute set do not differ
        return ()


def _effects(with_a: Floats, with_b: Floats, scale: float) -> Floats:
    """Return ES(w, A, B) of each row of cosines with A and with B."""
    spread = np.concatenate([with_a, with_b], axis=1).std(axis=1, ddof=1)
    if (spread <= scale * MIN_SPREAD).any():
        raise CannotMeasure(
            "a word of X has the same cosine with every attribute, so the effect has no scale."
        )
    effects: Floats = (with_a.mean(axis=1) - with_b.mean(axis=1)) / spread
    return effects


SC_WEAT = Measure(
    name="sc-weat",
    title="Single-category WEAT",
    needs=(
        RequiredSet("X", 1, "the word, or the words of the category"),
        RequiredSet("A", 2, "words of one group"),
        RequiredSet("B", 2, "words of the other group"),
    ),
    reading="The association of the category with A rather than B, in standard deviations of its "
    "cosines: above zero towards A, and within 2 of it for sets of equal size.",
    low=None,
    high=None,
    neutral=0,
    larger="either",
    citation="A. Caliskan, P. P. Ajay, T. Charlesworth, R. Wolfe, M. R. Banaji (2022). Gender bias "
    "in word embeddings: a comprehensive analysis of frequency, syntax, and semantics. AIES, "
    "156-170.",
    doi="10.1145/3514094.3534162",
    compute=single_category,
    for_tables=True,
)
