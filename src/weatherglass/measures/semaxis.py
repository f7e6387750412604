"""SemAxis: words on the axis between two poles (An et al., ACL 2018)."""

from __future__ import annotations

import numpy as np

from weatherglass.errors import UsageError

from .definition import Measure, MeasureNumbers, RequiredSet
from .word_sets import Floats, MeasureInput, unit_direction


def semantic_axis(
    given: MeasureInput, *, neighbours: int = 0, unit: bool = False
) -> MeasureNumbers:
    """Place words on the axis between two poles.

    Parameters
    ----------
    given
        The words: X, A and B.
    neighbours
        How many nearest neighbours to average with each word of the poles (k in the paper), from
        the whole vocabulary.
    unit
        Scale the vectors of the poles to unit length before averaging.

    Notes
    -----
    With v⁺ and v⁻ the means of the vectors of A and B, the axis is v⁺ - v⁻ and the score of a word
    is cos(v_w, v⁺ - v⁻) [1]_. The value is the mean score of X.

    References
    ----------
    .. [1] J. An, H. Kwak, Y.-Y. Ahn (2018). SemAxis: a lightweight framework to characterize
       domain-specific word semantics beyond sentiment. ACL, 2450-2461. doi:10.18653/v1/P18-1228
    """
    if neighbours < 0:
        raise UsageError(f"neighbours is {neighbours}; it must be a whole number from 0.")
    if neighbours and given.vectors.part:
        raise UsageError(
            "The search for neighbours needs the whole vocabulary, but only some words of "
            f"{given.vectors.source} are open. Open it without a list of words."
        )
    plus, minus = (_pole(given, name, neighbours, unit) for name in "AB")
    scale = float(np.linalg.norm(given.rows("A", unit)))
    axis = unit_direction(plus - minus, "A and B have the same mean", scale)
    by_word = given.rows("X") @ axis
    return MeasureNumbers(value=by_word.mean(), by_word={"X": by_word})


def _pole(given: MeasureInput, name: str, neighbours: int, unit: bool) -> Floats:
    """Return the mean vector of a pole, after averaging its words with their neighbours."""
    if not neighbours:
        return np.asarray(given.rows(name, unit).mean(axis=0))
    means = []
    for word in given.found[name].words:
        words = [word, *(other for other, _ in given.vectors.neighbours(word, neighbours))]
        rows = given.vectors.unit(words) if unit else given.raw_rows(words)
        means.append(rows.mean(axis=0))
    return np.asarray(np.mean(means, axis=0))


SEMAXIS = Measure(
    name="semaxis",
    title="SemAxis",
    needs=(
        RequiredSet("X", 1, "words to place on the axis"),
        RequiredSet("A", 1, "words of the positive pole"),
        RequiredSet("B", 1, "words of the negative pole"),
    ),
    reading="The mean cosine of X with the axis from B to A: above zero on the side of A.",
    low=-1,
    high=1,
    neutral=0,
    larger="either",
    citation="J. An, H. Kwak, Y.-Y. Ahn (2018). SemAxis: a lightweight framework to characterize "
    "domain-specific word semantics beyond sentiment. ACL, 2450-2461.",
    doi="10.18653/v1/P18-1228",
    compute=semantic_axis,
)
