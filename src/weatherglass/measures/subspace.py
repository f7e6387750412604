"""The bias subspace of pairs: is their difference one direction (Bolukbasi et al., NIPS 2016)."""

from __future__ import annotations

import numpy as np

from weatherglass.vectors import Subspace, bias_subspace

from .definition import Measure, MeasureNumbers, RequiredSet
from .word_sets import MeasureInput

BOLUKBASI = (
    "T. Bolukbasi, K.-W. Chang, J. Zou, V. Saligrama, A. Kalai (2016). Man is to computer "
    "programmer as woman is to homemaker? Debiasing word embeddings. NIPS 29, 4349-4357."
)
BOLUKBASI_DOI = "10.48550/arXiv.1607.06520"
FIRST_OF_PAIRS = RequiredSet("A", 1, "first words of the pairs that define the bias")
SECOND_OF_PAIRS = RequiredSet("B", 1, "second words of the pairs, in the same order")


def pair_subspace(given: MeasureInput, components: int) -> Subspace:
    """Return the bias subspace of the pairs of A and B; A lies on its positive side."""
    # The pairs are already in the spelling of the source.
    return bias_subspace(given.vectors, given.pairs, components=components, case="keep")


def explained_variance(given: MeasureInput, *, components: int = 1) -> MeasureNumbers:
    """Return the share of the differences within pairs that their main directions explain.

    Parameters
    ----------
    given
        The pairs of A and B.
    components
        How many directions.

    Notes
    -----
    The directions are the first principal components of the words of the pairs, each minus the
    mean of its pair, at unit length (section 5.1 and step 1 of section 6 of [1]_); see
    `weatherglass.vectors.subspace.bias_subspace`. The value is the share of the variance along
    all of them, the details are the individual shares. The paper uses the first as the gender
    direction because it explains far more than the others. The number of a word is its cosine with
    the first direction.

    References
    ----------
    .. [1] T. Bolukbasi, K.-W. Chang, J. Zou, V. Saligrama, A. Kalai (2016). Man is to computer
       programmer as woman is to homemaker? Debiasing word embeddings. NIPS 29, 4349-4357.
       doi:10.48550/arXiv.1607.06520
    """
    subspace = pair_subspace(given, components)
    words = given.paired_words
    shares = {f"component {k}": share for k, share in enumerate(subspace.explained, 1)}
    return MeasureNumbers(
        value=float(np.sum(subspace.explained)),
        by_word={name: given.vectors.unit(side) @ subspace.axes[0] for name, side in words.items()},
        details={**shares, "pairs": len(given.pairs)},
    )


SUBSPACE = Measure(
    name="subspace",
    title="Bias subspace by principal components",
    needs=(FIRST_OF_PAIRS, SECOND_OF_PAIRS),
    paired=True,
    reading="The share of the differences within the pairs that lies along the first direction: "
    "near 1 where they differ in one direction only.",
    low=0,
    high=1,
    neutral=0,
    larger="more",
    citation=BOLUKBASI,
    doi=BOLUKBASI_DOI,
    compute=explained_variance,
)
