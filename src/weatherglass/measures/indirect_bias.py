"""Indirect bias: how much of a similarity is shared bias (Bolukbasi et al., NIPS 2016)."""

from __future__ import annotations

import numpy as np

from weatherglass.errors import CannotMeasure, quote_safe

from .definition import Measure, MeasureNumbers, RequiredSet
from .subspace import BOLUKBASI, BOLUKBASI_DOI, FIRST_OF_PAIRS, SECOND_OF_PAIRS, pair_subspace
from .word_sets import Floats, MeasureInput

_EPSILON = 1e-6  # relative to a unit vector; float32 does not distinguish it from zero


def indirect_bias(given: MeasureInput, *, components: int = 1) -> MeasureNumbers:
    """Measure how much of the similarity of two sets of words comes from a shared bias.

    Parameters
    ----------
    given
        The words X and Y, and the pairs of A and B.
    components
        Dimensions of the bias subspace; 1 is the paper's direction g.

    Notes
    -----
    β(w, v) = (w·v - (w⊥·v⊥) / (‖w⊥‖ ‖v⊥‖)) / w·v, where w⊥ is the unit vector w minus its part
    along g (section 5.3 of [1]_). 0: the bias contributes nothing to the similarity; 1: without it
    the words would have no similarity. It is below 0 where the bias reduces the similarity, and
    unbounded where words are hardly similar. The number of a word of X is its mean over Y, and the
    value is the mean over X; the paper has one word of each.

    References
    ----------
    .. [1] T. Bolukbasi, K.-W. Chang, J. Zou, V. Saligrama, A. Kalai (2016). Man is to computer
       programmer as woman is to homemaker? Debiasing word embeddings. NIPS 29, 4349-4357.
       doi:10.48550/arXiv.1607.06520
    """
    subspace = pair_subspace(given, components)
    w, v = given.rows("X"), given.rows("Y")
    w_rest, v_rest = (
        _unit_rest(given, name, rows - subspace.within(rows)) for name, rows in (("X", w), ("Y", v))
    )
    cosines = w @ v.T
    if (unrelated := np.argwhere(np.abs(cosines) <= _EPSILON)).size:
        first, second = (
            given.found[name].words[at] for name, at in zip("XY", unrelated[0], strict=True)
        )
        raise CannotMeasure(
            f"{quote_safe(first)} and {quote_safe(second)} have no similarity that a bias could be "
            "a part of."
        )
    by_word = np.mean((cosines - w_rest @ v_rest.T) / cosines, axis=1)
    details = {"explained": float(np.sum(subspace.explained)), "pairs": len(given.pairs)}
    return MeasureNumbers(value=by_word.mean(), by_word={"X": by_word}, details=details)


def _unit_rest(given: MeasureInput, name: str, rows: Floats) -> Floats:
    """Scale the rows of a set without their bias to unit length."""
    lengths = np.linalg.norm(rows, axis=1)
    if (empty := np.flatnonzero(lengths <= _EPSILON)).size:
        word = quote_safe(given.found[name].words[empty[0]])
        raise CannotMeasure(f"nothing is left of {word} without the bias direction.")
    unit: Floats = rows / lengths[:, None]
    return unit


INDIRECT_BIAS = Measure(
    name="indirect-bias",
    title="Indirect bias",
    needs=(
        RequiredSet("X", 1, "words that should be neutral"),
        RequiredSet("Y", 1, "neutral words that they are compared with"),
        FIRST_OF_PAIRS,
        SECOND_OF_PAIRS,
    ),
    paired=True,
    reading="The share of the similarity of X and Y that is due to the direction in which the "
    "pairs differ.",
    low=None,
    high=None,
    neutral=0,
    larger="more",
    citation=BOLUKBASI,
    doi=BOLUKBASI_DOI,
    compute=indirect_bias,
)
