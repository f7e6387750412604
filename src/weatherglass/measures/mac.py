"""MAC: the mean average cosine similarity (Manzini et al., NAACL 2019)."""

from __future__ import annotations

import numpy as np

from .definition import Measure, MeasureNumbers, RequiredSet
from .word_sets import MeasureInput


def mean_average_cosine(given: MeasureInput) -> MeasureNumbers:
    """Average the cosines of words with one or more attribute sets.

    Parameters
    ----------
    given
        The words: X, A, and any number of additional attribute sets.

    Notes
    -----
    S(t, A_j) = mean_{a in A_j} cos(t, a) and MAC = mean_{t in X} mean_j S(t, A_j), so that every
    attribute set counts once, whatever its size [1]_. The value is a mean of cosine
    similarities, as its name says and as R's sweater prints it. The authors write cos for the
    cosine distance, so that their number is 1 - MAC: it is the detail ``distance``.

    References
    ----------
    .. [1] T. Manzini, L. Yao Chong, A. W. Black, Y. Tsvetkov (2019). Black is to criminal as
       Caucasian is to police: detecting and removing multiclass bias in word embeddings. NAACL,
       615-621. doi:10.18653/v1/N19-1062
    """
    rows = given.rows("X")
    # The mean of cosines with a set is the product with the mean of its unit vectors.
    cosines = {name: rows @ given.rows(name).mean(axis=0) for name in given.found if name != "X"}
    by_word = np.mean(list(cosines.values()), axis=0)
    columns = {f"with {name}": {"X": values} for name, values in cosines.items()}
    value = float(by_word.mean())
    return MeasureNumbers(
        value=value,
        by_word={"X": by_word},
        columns=columns if len(cosines) > 1 else {},
        details={"distance": 1 - value},
    )


MAC = Measure(
    name="mac",
    title="Mean average cosine similarity",
    needs=(
        RequiredSet("X", 1, "words that should be neutral"),
        RequiredSet("A", 1, "words of a group, or of its stereotypes"),
    ),
    further="words of other groups; each set counts once",
    reading="The mean cosine of X with the attribute sets: zero where they are unrelated.",
    low=-1,
    high=1,
    neutral=0,
    larger="more",
    citation="T. Manzini, L. Yao Chong, A. W. Black, Y. Tsvetkov (2019). Black is to criminal as "
    "Caucasian is to police: detecting and removing multiclass bias in word embeddings. NAACL, "
    "615-621.",
    doi="10.18653/v1/N19-1062",
    compute=mean_average_cosine,
)
