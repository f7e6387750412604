"""Indirect bias: how much of a similarity is shared bias (Bolukbasi et al., NIPS 2016)."""

from __future__ import annotations

import numpy as np

from weatherglass.errors import CannotMeasure, quote_safe

from .definition import Measure, Measured, Needed
from .subspace import BOLUKBASI, BOLUKBASI_DOI, FIRST_OF_PAIRS, SECOND_OF_PAIRS, pair_subspace
from .word_sets import Floats, Given

_NOTHING = 1e-6  # of a unit vector; what float32 cannot tell from zero


def indirect_bias(given: Given, *, components: int = 1) -> Measured:
    """How much of the similarity of two sets of words comes from a shared bias.

    Parameters
    ----------
    given
        The words X and Y, and the pairs of A and B.
    components
        Dimensions of the bias subspace; 1 is the paper's direction g.

    Notes
    -----
    β(w, v) = (w·v - (w⊥·v⊥) / (‖w⊥‖ ‖v⊥‖)) / w·v, where w⊥ is what is left of the unit vector w
    without its part along g (section 5.3 of [1]_). 0: the bias has no part in the similarity; 1:
    the words would have nothing in common without it. It is below 0 where the bias keeps the words
    apart, and has no end where words are hardly similar. The number of a word of X is its mean
    over Y, and the value is the mean over X; the paper has one word of each.

    References
    ----------
    .. [1] T. Bolukbasi, K.-W. Chang, J. Zou, V. Saligrama, A. Kalai (2016). Man is to computer
       programmer as woman is to homemaker? Debiasing word embeddings. NIPS 29, 4349-4357.
       doi:10.48550/arXiv.1607.06520
    """
    found = pair_subspace(given, components)
    w, v = given.rows("X"), given.rows("Y")
    left = [_without(given, name, rows - found.within(rows)) for name, rows in (("X", w), ("Y", v))]
    similar = w @ v.T
    if (alone := np.argwhere(np.abs(similar) <= _NOTHING)).size:
        first, second = (
            given.found[name].words[at] for name, at in zip("XY", alone[0], strict=True)
        )
        raise CannotMeasure(
            f"{quote_safe(first)} and {quote_safe(second)} have no similarity that a bias could be a part of."
        )
    each = np.mean((similar - left[0] @ left[1].T) / similar, axis=1)
    details = {"explained": float(np.sum(found.explained)), "pairs": len(given.pairs)}
    return Measured(value=each.mean(), by_word={"X": each}, details=details)


def _without(given: Given, name: str, rows: Floats) -> Floats:
    """What is left of the words of a set without the bias, at unit length."""
    lengths = np.linalg.norm(rows, axis=1)
    if (gone := np.flatnonzero(lengths <= _NOTHING)).size:
        word = quote_safe(given.found[name].words[gone[0]])
        raise CannotMeasure(f"nothing is left of {word} without the bias direction.")
    made: Floats = rows / lengths[:, None]
    return made


INDIRECT_BIAS = Measure(
    name="indirect-bias",
    title="Indirect bias",
    needs=(
        Needed("X", 1, "words that should be neutral"),
        Needed("Y", 1, "neutral words that they are compared with"),
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
