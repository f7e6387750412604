"""RND: the relative norm distance (Garg et al., PNAS 2018)."""

from __future__ import annotations

import numpy as np

from .definition import Measure, MeasureNumbers, RequiredSet
from .word_sets import MeasureInput


def relative_norm_distance(given: MeasureInput, *, unit: bool = False) -> MeasureNumbers:
    """Compare the distances of words to the means of two groups.

    Parameters
    ----------
    given
        The words: X, A and B.
    unit
        Scale every vector to unit length first, as the authors do. By default vectors keep their
        length, as in R's sweater.

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
    v_1, v_2 = (given.rows(name, unit).mean(axis=0) for name in "AB")
    rows = given.rows("X", unit)
    by_word = np.linalg.norm(rows - v_1, axis=1) - np.linalg.norm(rows - v_2, axis=1)
    return MeasureNumbers(
        value=by_word.sum(), by_word={"X": by_word}, details={"mean": by_word.mean()}
    )


RND = Measure(
    name="rnd",
    title="Relative norm distance",
    needs=(
        RequiredSet("X", 1, "words that should be neutral"),
        RequiredSet("A", 1, "words of one group"),
        RequiredSet("B", 1, "words of the other group"),
    ),
    reading="Summed over X, the distance to the mean of A minus that to the mean of B: below zero "
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
