"""SAME: scoring association means of word embeddings (Schröder et al. 2021)."""

from __future__ import annotations

import numpy as np

from .definition import Measure, MeasureNumbers, RequiredSet
from .word_sets import MeasureInput, unit_direction


def association_means(given: MeasureInput) -> MeasureNumbers:
    """Project words on the direction between two groups, on either side.

    Parameters
    ----------
    given
        The words: X, A and B.

    Notes
    -----
    With â and b̂ the means of the unit vectors of A and B, the bias of a word is
    b(w, A, B) = cos(w, â - b̂): the association of WEAT over the largest that any word could have.
    The value is mean_{w in X} |b(w, A, B)|; the details are ``skew``, the mean of b, and
    ``stereotype``, its standard deviation over X ([1]_, for two groups).

    References
    ----------
    .. [1] S. Schröder, A. Schulz, P. Kenneweg, R. Feldhans, F. Hinder, B. Hammer (2021). Evaluating
       metrics for bias in word embeddings. arXiv:2111.07864. doi:10.48550/arXiv.2111.07864
    """
    between = given.rows("A").mean(axis=0) - given.rows("B").mean(axis=0)
    by_word = given.rows("X") @ unit_direction(between, "A and B have the same mean")
    return MeasureNumbers(
        value=np.abs(by_word).mean(),
        by_word={"X": by_word},
        details={"skew": by_word.mean(), "stereotype": by_word.std()},
    )


SAME = Measure(
    name="same",
    title="Scoring association means of embeddings",
    needs=(
        RequiredSet("X", 1, "words that should be neutral"),
        RequiredSet("A", 1, "words of one group"),
        RequiredSet("B", 1, "words of the other group"),
    ),
    reading="The mean of |cos| between X and the direction from B to A; the number of a word is "
    "above zero towards A.",
    low=0,
    high=1,
    neutral=0,
    larger="more",
    citation="S. Schröder, A. Schulz, P. Kenneweg, R. Feldhans, F. Hinder, B. Hammer (2021). "
    "Evaluating metrics for bias in word embeddings. arXiv:2111.07864.",
    doi="10.48550/arXiv.2111.07864",
    compute=association_means,
)
