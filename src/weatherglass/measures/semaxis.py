"""SemAxis: words on the axis between two poles (An et al., ACL 2018)."""

from __future__ import annotations

import numpy as np

from weatherglass.errors import UsageError

from .definition import Measure, Measured, Needed
from .word_sets import Floats, Given, direction


def semantic_axis(given: Given, *, neighbours: int = 0, unit: bool = False) -> Measured:
    """Where words lie between two poles.

    Parameters
    ----------
    given
        The words: X, A and B.
    neighbours
        How many of its nearest words are averaged with each word of the poles (k in the paper).
        They are looked for in the whole vocabulary.
    unit
        Bring the vectors of the poles to unit length before they are averaged.

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
        raise UsageError(f"neighbours is {neighbours}; a whole number from 0 was expected.")
    if neighbours and given.vectors.part:
        raise UsageError(
            "Neighbours are looked for in the whole vocabulary, and only some words of "
            f"{given.vectors.source} are open. Open it without a list of words."
        )
    plus, minus = (_pole(given, name, neighbours, unit) for name in "AB")
    scale = float(np.linalg.norm(given.rows("A", unit)))
    axis = direction(plus - minus, "A and B have the same mean", scale)
    each = given.rows("X") @ axis
    return Measured(value=each.mean(), by_word={"X": each})


def _pole(given: Given, name: str, neighbours: int, unit: bool) -> Floats:
    """The mean vector of a pole; its words are first averaged with their neighbours."""
    if not neighbours:
        return np.asarray(given.rows(name, unit).mean(axis=0))
    means = []
    for word in given.found[name].words:
        near = [word, *(other for other, _ in given.vectors.neighbours(word, neighbours))]
        rows = given.vectors.unit(near) if unit else given.as_they_are(near)
        means.append(rows.mean(axis=0))
    return np.asarray(np.mean(means, axis=0))


SEMAXIS = Measure(
    name="semaxis",
    title="SemAxis",
    needs=(
        Needed("X", 1, "words to place on the axis"),
        Needed("A", 1, "words of the positive pole"),
        Needed("B", 1, "words of the negative pole"),
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
