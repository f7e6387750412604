"""ECT: the embedding coherence test (Dev and Phillips, AISTATS 2019)."""

from __future__ import annotations

import numpy as np

from weatherglass.errors import CannotMeasure

from .definition import Measure, MeasureNumbers, RequiredSet
from .word_sets import Floats, MeasureInput, unit_direction

_DIGITS = 12  # of cosines before they are ranked, so that rounding noise breaks no tie


def embedding_coherence(given: MeasureInput, *, unit: bool = False) -> MeasureNumbers:
    """Correlate the similarity of words to one group with that to another.

    Parameters
    ----------
    given
        The words: X, A and B.
    unit
        Scale every vector of A and B to unit length before averaging. By default, as in R's sweater
        and in the authors' code, long vectors count for more.

    Notes
    -----
    With m and s the means of the vectors of A and B, u_m = (cos(m, x))_{x in X} and u_s likewise,
    the measure is Spearman's rank correlation of u_m and u_s [1]_. 1 says that
    both groups rank X in the same order. The number of a word is cos(m, x) - cos(s, x).

    References
    ----------
    .. [1] S. Dev, J. M. Phillips (2019). Attenuating bias in word vectors. AISTATS, PMLR 89,
       879-887. doi:10.48550/arXiv.1901.07656
    """
    from scipy import stats

    with_a, with_b = (_cosines(given, given.rows(name, unit), name) for name in "AB")
    u_m, u_s = np.round(with_a, _DIGITS), np.round(with_b, _DIGITS)
    for name, cosines in (("A", u_m), ("B", u_s)):
        if (cosines == cosines[0]).all():
            raise CannotMeasure(
                f"all words of X have the same cosine with {name}, so they have no order."
            )
    return MeasureNumbers(
        value=stats.spearmanr(u_m, u_s).statistic,
        by_word={"X": with_a - with_b},
        columns={"with A": {"X": with_a}, "with B": {"X": with_b}},
    )


def _cosines(given: MeasureInput, group: Floats, name: str) -> Floats:
    """Return the cosine of each word of X with the mean of a group."""
    scale = float(np.linalg.norm(group))
    return given.rows("X") @ unit_direction(
        group.mean(axis=0), f"the words of {name} cancel out", scale
    )


ECT = Measure(
    name="ect",
    title="Embedding coherence test",
    needs=(
        RequiredSet("X", 3, "words that should be neutral"),
        RequiredSet("A", 1, "words of one group"),
        RequiredSet("B", 1, "words of the other group"),
    ),
    reading="The rank correlation of similarity to A and similarity to B over X: 1 where both "
    "groups rank X in the same order.",
    low=-1,
    high=1,
    neutral=1,
    larger="less",
    citation="S. Dev, J. M. Phillips (2019). Attenuating bias in word vectors. AISTATS, PMLR 89, "
    "879-887.",
    doi="10.48550/arXiv.1901.07656",
    compute=embedding_coherence,
)
