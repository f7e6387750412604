"""Direct bias: how far neutral words lie along a bias direction (Bolukbasi et al., NIPS 2016)."""

from __future__ import annotations

import math

import numpy as np

from weatherglass.errors import UsageError

from .definition import Measure, MeasureNumbers, RequiredSet
from .subspace import BOLUKBASI, BOLUKBASI_DOI, FIRST_OF_PAIRS, SECOND_OF_PAIRS, pair_subspace
from .word_sets import MeasureInput


def direct_bias(given: MeasureInput, *, c: float = 1.0, components: int = 1) -> MeasureNumbers:
    """Project words on the direction in which pairs differ.

    Parameters
    ----------
    given
        The words X, and the pairs of A and B.
    c
        Strictness: 1 weighs a word by its bias, 0 counts every word with any bias.
    components
        Dimensions of the bias subspace; 1 is the paper's direction g.

    Notes
    -----
    DirectBias_c = mean_{w in X} |cos(w, g)|ᶜ (section 5.2 of [1]_), with g the first principal
    component of the pairs. With more components \\|cos\\| becomes the length of the part of w
    within the subspace. The number of a word is cos(w, g), above zero towards A, or that length.
    ``explained`` is the share of the differences within the pairs that the subspace explains.

    References
    ----------
    .. [1] T. Bolukbasi, K.-W. Chang, J. Zou, V. Saligrama, A. Kalai (2016). Man is to computer
       programmer as woman is to homemaker? Debiasing word embeddings. NIPS 29, 4349-4357.
       doi:10.48550/arXiv.1607.06520
    """
    if not 0 <= c < math.inf:
        raise UsageError(f"c is {c}; it must be a number from 0.")
    subspace = pair_subspace(given, components)
    within = given.rows("X") @ subspace.axes.T
    by_word = within[:, 0] if components == 1 else np.linalg.norm(within, axis=1)
    details = {"explained": float(np.sum(subspace.explained)), "pairs": len(given.pairs)}
    value = float(np.mean(np.abs(by_word) ** c))
    return MeasureNumbers(value=value, by_word={"X": by_word}, details=details)


DIRECT_BIAS = Measure(
    name="direct-bias",
    title="Direct bias",
    needs=(
        RequiredSet("X", 1, "words that should be neutral"),
        FIRST_OF_PAIRS,
        SECOND_OF_PAIRS,
    ),
    paired=True,
    reading="The mean of |cos| between X and the direction in which the pairs differ; the number "
    "of a word is above zero towards A.",
    low=0,
    high=1,
    neutral=0,
    larger="more",
    citation=BOLUKBASI,
    doi=BOLUKBASI_DOI,
    compute=direct_bias,
)
