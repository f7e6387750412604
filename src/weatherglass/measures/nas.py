"""NAS: the normalised association score (Caliskan et al., Science 2017; the name is sweater's)."""

from __future__ import annotations

import numpy as np

from weatherglass.errors import CannotMeasure

from .definition import Measure, MeasureNumbers, RequiredSet
from .wefat import normalised_associations
from .word_sets import MeasureInput


def normalised_association(given: MeasureInput) -> MeasureNumbers:
    """Compare the cosines of words with two sets, in standard deviations.

    Parameters
    ----------
    given
        The words: X, A and B.

    Notes
    -----
    s(w, A, B) = (mean_{a in A} cos(w, a) - mean_{b in B} cos(w, b)) / std_{x in A and B} cos(w, x)
    with the unbiased standard deviation: the association of the factual test WEFAT [1]_, which R's
    sweater [2]_ calls the normalized association score. The value is its mean over X, and the
    detail ``std`` its standard deviation; neither is in the paper, which correlates the scores
    with facts. `sc-weat` has the same scores with a p-value each.

    References
    ----------
    .. [1] A. Caliskan, J. J. Bryson, A. Narayanan (2017). Semantics derived automatically from
       language corpora contain human-like biases. Science 356, 183-186.
       doi:10.1126/science.aal4230
    .. [2] C. Chan (2022). sweater: speedy word embedding association test and extras using R.
       Journal of Open Source Software 7(72), 4036. doi:10.21105/joss.04036
    """
    by_word = normalised_associations({"W": given.found["X"], **given.found})
    if not np.isfinite(by_word).all():
        raise CannotMeasure(
            "a word of X has the same cosine with every attribute, so its score has no scale."
        )
    details = {"std": by_word.std()}
    return MeasureNumbers(value=by_word.mean(), by_word={"X": by_word}, details=details)


NAS = Measure(
    name="nas",
    title="Normalised association score",
    needs=(
        RequiredSet("X", 1, "words that should be neutral"),
        RequiredSet("A", 1, "words of one group"),
        RequiredSet("B", 1, "words of the other group"),
    ),
    reading="The mean over X of the association with A rather than B, in standard deviations of a "
    "word's cosines: above zero towards A, and within 2 of it for sets of equal size.",
    low=None,
    high=None,
    neutral=0,
    larger="either",
    citation="A. Caliskan, J. J. Bryson, A. Narayanan (2017). Semantics derived automatically from "
    "language corpora contain human-like biases. Science 356, 183-186.",
    doi="10.1126/science.aal4230",
    compute=normalised_association,
)
