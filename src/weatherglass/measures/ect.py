"""ECT: the embedding coherence test (Dev and Phillips, AISTATS 2019)."""

from __future__ import annotations

import numpy as np

from weatherglass.errors import CannotMeasure

from .definition import Measure, Measured, Needed
from .word_sets import Floats, Given, direction

_DIGITS = 12  # Ranks must not be decided by rounding noise: cosines equal on paper tie.


def embedding_coherence(given: Given, *, unit: bool = False) -> Measured:
    """Whether words stand in the same order beside two groups.

    Parameters
    ----------
    given
        The words: X, A and B.
    unit
        Bring every vector of A and B to unit length before they are averaged. Without it, as in
        R's sweater and in the authors' code, long vectors count for more.

    Notes
    -----
    With m and s the means of the vectors of A and B, u_m = (cos(m, x))_{x in X} and u_s likewise,
    the measure is Spearman's rank correlation of u_m and u_s [1]_. 1 says that X
    is ordered alike beside both groups. A word's own number is cos(m, x) - cos(s, x).

    References
    ----------
    .. [1] S. Dev, J. M. Phillips (2019). Attenuating bias in word vectors. AISTATS, PMLR 89,
       879-887. doi:10.48550/arXiv.1901.07656
    """
    from scipy import stats

    near, far = (_cosines(given, given.rows(name, unit), name) for name in "AB")
    u_m, u_s = np.round(near, _DIGITS), np.round(far, _DIGITS)
    for name, cosines in (("A", u_m), ("B", u_s)):
        if (cosines == cosines[0]).all():
            raise CannotMeasure(
                f"all words of X are equally near to {name}, so they have no order."
            )
    return Measured(
        value=stats.spearmanr(u_m, u_s).statistic,
        by_word={"X": near - far},
        columns={"with A": {"X": near}, "with B": {"X": far}},
    )


def _cosines(given: Given, group: Floats, name: str) -> Floats:
    """The cosine of each word of X with the mean of a group."""
    scale = float(np.linalg.norm(group))
    return given.rows("X") @ direction(group.mean(axis=0), f"the words of {name} cancel out", scale)


ECT = Measure(
    name="ect",
    title="Embedding coherence test",
    needs=(
        Needed("X", 3, "words that should be neutral"),
        Needed("A", 1, "words of one group"),
        Needed("B", 1, "words of the other group"),
    ),
    reading="The rank correlation of nearness to A and nearness to B over X: 1 where both groups "
    "see X in the same order.",
    low=-1,
    high=1,
    neutral=1,
    larger="less",
    citation="S. Dev, J. M. Phillips (2019). Attenuating bias in word vectors. AISTATS, PMLR 89, "
    "879-887.",
    doi="10.48550/arXiv.1901.07656",
    compute=embedding_coherence,
)
