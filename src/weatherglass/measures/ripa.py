"""RIPA: the relational inner product association (Ethayarajh et al., ACL 2019)."""

from __future__ import annotations

import numpy as np

from weatherglass.errors import CannotMeasure

from .definition import Measure, MeasureNumbers, RequiredSet
from .word_sets import Floats, MeasureInput

_EPSILON = 1e-6  # relative to the vectors; float32 does not distinguish it from zero


def relational_inner_product(given: MeasureInput, *, unit: bool = False) -> MeasureNumbers:
    """Project words on the relation between the words of pairs.

    Parameters
    ----------
    given
        The words X, and the pairs of A and B.
    unit
        Scale every vector to unit length first. The paper does not: a word's length is part of
        its association. With unit vectors, the relation vector is the first axis of
        `bias_subspace`.

    Notes
    -----
    β(w, b) = ⟨w, b⟩, where b is the relation vector: for one pair (x, y) it is
    (x - y) / ‖x - y‖, for several the first principal component of {x - y}, of unit length [1]_.
    It points from B to A. The value is the mean over X. The detail ``explained`` is the share of
    the squared differences that lies along b.

    References
    ----------
    .. [1] K. Ethayarajh, D. Duvenaud, G. Hirst (2019). Understanding undesirable word embedding
       associations. ACL, 1696-1705. doi:10.18653/v1/P19-1166
    """
    first, second = (
        given.vectors.unit(words) if unit else given.raw_rows(words)
        for words in given.paired_words.values()
    )
    b, explained = _relation(first - second, float(np.linalg.norm(first)))
    by_word = given.rows("X", unit) @ b
    details = {"explained": explained, "pairs": len(given.pairs)}
    return MeasureNumbers(value=by_word.mean(), by_word={"X": by_word}, details=details)


def _relation(differences: Floats, scale: float) -> tuple[Floats, float]:
    """Return the relation vector of x - y over pairs, and its share of the squared differences.

    Unlike `bias_subspace`, it does not scale words to unit length. As there, the differences are
    not centred: their common part is the relation.
    """
    _, strengths, axes = np.linalg.svd(differences, full_matrices=False)
    if strengths[0] <= _EPSILON * scale:
        raise CannotMeasure("the words of each pair have the same vector, so nothing relates them.")
    if len(strengths) > 1 and strengths[0] - strengths[1] <= _EPSILON * strengths[0]:
        raise CannotMeasure("the pairs differ as much in a second direction as in the first.")
    b = axes[0] if axes[0] @ differences.sum(axis=0) >= 0 else -axes[0]
    return b, float(strengths[0] ** 2 / np.sum(strengths**2))


RIPA = Measure(
    name="ripa",
    title="Relational inner product association",
    needs=(
        RequiredSet("X", 1, "words that should be neutral"),
        RequiredSet("A", 1, "first words of the pairs"),
        RequiredSet("B", 1, "second words of the pairs, in the same order"),
    ),
    paired=True,
    reading="The mean inner product of X with the relation vector of the pairs: above zero towards "
    "A.",
    low=None,
    high=None,
    neutral=0,
    larger="either",
    citation="K. Ethayarajh, D. Duvenaud, G. Hirst (2019). Understanding undesirable word "
    "embedding associations. ACL, 1696-1705.",
    doi="10.18653/v1/P19-1166",
    compute=relational_inner_product,
)
