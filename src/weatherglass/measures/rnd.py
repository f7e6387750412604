"""RND: the relative norm distance (Garg et al., PNAS 2018)."""

from __future__ import annotations

import numpy as np

from .definition import Measure, Measured, Needed
from .word_sets import Given


def relative_norm_distance(given: Given, *, unit: bool = False) -> Measured:
    """How much nearer words are to the mean of one group than to that of another.

    Parameters
    ----------
    given
        The words: X, A and B.
    unit
        Bring every vector to unit length first. The authors do; R's sweater takes vectors as they
        are, and so does this where it is not asked.

    Notes
    -----
    With v₁ and v₂ the means of the vectors of A and B, the measure is
    Σ_{v_m in X} (‖v_m - v₁‖₂ - ‖v_m - v₂‖₂) (equation 3 of [1]_, in its methods). A negative sum
    says that X is nearer to A. The detail ``mean`` is the sum over the number of words, which
    compares across sets of different sizes.

    References
    ----------
    .. [1] N. Garg, L. Schiebinger, D. Jurafsky, J. Zou (2018). Word embeddings quantify 100 years
       of gender and ethnic stereotypes. PNAS 115(16), E3635-E3644. doi:10.1073/pnas.1720347115
    """
    near, far = (given.rows(name, unit).mean(axis=0) for name in "AB")
    rows = given.rows("X", unit)
    each = np.linalg.norm(rows - near, axis=1) - np.linalg.norm(rows - far, axis=1)
    return Measured(value=each.sum(), by_word={"X": each}, details={"mean": each.mean()})


RND = Measure(
    name="rnd",
    title="Relative norm distance",
    needs=(
        Needed("X", 1, "words that should be neutral"),
        Needed("A", 1, "words of one group"),
        Needed("B", 1, "words of the other group"),
    ),
    reading="Summed over X, the distance to the mean of A less that to the mean of B: below zero "
    "where X is nearer to A.",
    low=None,
    high=None,
    neutral=0,
    larger="either",
    citation="N. Garg, L. Schiebinger, D. Jurafsky, J. Zou (2018). Word embeddings quantify 100 "
    "years of gender and ethnic stereotypes. PNAS 115(16), E3635-E3644.",
    doi="10.1073/pnas.1720347115",
    compute=relative_norm_distance,
)
