"""Clusters of words of similar bias, which debiasing leaves (Gonen and Goldberg, NAACL 2019)."""

from __future__ import annotations

from typing import Any

import numpy as np

from weatherglass.errors import CannotMeasure
from weatherglass.significance import PValue, clamp_p

from .definition import Measure, MeasureNumbers, RequiredSet
from .word_sets import Floats, MeasureInput

_STARTS = 20  # of k-means; the best is used


def bias_clusters(given: MeasureInput, *, nearest: int = 10, rng: int = 0) -> MeasureNumbers:
    """Measure whether words of similar bias are still together, without using the bias direction.

    Parameters
    ----------
    given
        The words: X that lean, or are stereotyped, to one side, and Y to the other.
    nearest
        The number of nearest neighbours of each word, among the other words of X and Y.
    rng
        Random seed of the clustering.

    Notes
    -----
    k-means divides the unit vectors of X and Y into two clusters. The value is the share of words
    in the cluster of their own side, in the better of the two ways to match clusters and sides
    (section 4 of [1]_, "Male- and female-biased words cluster together"). The detail ``neighbours``
    is the mean share of a word's nearest neighbours that are of its own side ("Bias-by-neighbours"
    is this number, for one side); the numbers of the words are their shares. Without bias both are
    near 0.5: the better of two matches is a little above it.

    The p-value is the share of all divisions of the words into two sets of these sizes with at
    least that value. The clusters do not depend on which word is of which side, so it is exact,
    by the hypergeometric distribution.

    References
    ----------
    .. [1] H. Gonen, Y. Goldberg (2019). Lipstick on a pig: debiasing methods cover up systematic
       gender biases in word embeddings but do not remove them. NAACL, 609-614.
       doi:10.18653/v1/N19-1061
    """
    if nearest < 1:
        raise CannotMeasure(f"nearest is {nearest}; at least one neighbour is needed.")
    x, y = given.rows("X"), given.rows("Y")
    is_x = np.arange(len(x) + len(y)) < len(x)
    rows = np.vstack([x, y])
    in_first = _divide(rows, rng)
    agree = int((in_first == is_x).sum())
    correct = max(agree, len(rows) - agree)
    shares = _own_side_shares(rows, is_x, min(nearest, len(rows) - 1))
    return MeasureNumbers(
        value=correct / len(rows),
        by_word={"X": shares[is_x], "Y": shares[~is_x]},
        details={"neighbours": float(shares.mean())},
        p=_exact_p(len(x), len(y), int(in_first.sum()), correct),
    )


def _divide(rows: Floats, rng: int) -> Any:
    """Return which rows are in the first of two clusters."""
    from sklearn.cluster import KMeans

    if len(np.unique(rows, axis=0)) < 2:
        raise CannotMeasure("all words have the same vector.")
    labels = KMeans(2, n_init=_STARTS, random_state=rng).fit_predict(rows)
    return np.asarray(labels) == 0


def _own_side_shares(rows: Floats, is_x: Any, nearest: int) -> Floats:
    """Return the share of each row's nearest neighbours that are of its own side."""
    cosines = rows @ rows.T
    np.fill_diagonal(cosines, -np.inf)
    order = np.argsort(-cosines, axis=1, kind="stable")[:, :nearest]
    shares: Floats = (is_x[order] == is_x[:, None]).mean(axis=1)
    return shares


def _exact_p(n_x: int, n_y: int, first: int, correct: int) -> PValue:
    """Return the share of divisions for which two clusters match the sides as well.

    >>> print(_exact_p(4, 4, 4, 8).fraction)
    2/70
    """
    from math import comb

    total = n_x + n_y
    count = 0
    for k in range(max(0, first - n_y), min(n_x, first) + 1):  # words of X in the first cluster
        agree = 2 * k + n_y - first
        if max(agree, total - agree) >= correct:
            count += comb(first, k) * comb(total - first, n_x - k)
    partitions = comb(total, n_x)
    if partitions >= 1 << 53:  # too many for a float: no fraction
        value = clamp_p(count / partitions)
        return PValue(value, value, value, "exact", "two-sided")
    # Either cluster may be that of X, so both directions are counted.
    return PValue.from_count(count, partitions, "two-sided")


BIAS_CLUSTERS = Measure(
    name="bias-clusters",
    title="Clustering of words of similar bias",
    needs=(
        RequiredSet("X", 2, "words that are stereotyped to one side"),
        RequiredSet("Y", 2, "words that are stereotyped to the other side"),
    ),
    reading="The share of words that two clusters put on their own side: 1 where the vectors tell "
    "the sides apart, near 0.5 where they do not. Debiasing along a direction hardly changes it.",
    low=0.5,
    high=1,
    neutral=0.5,
    larger="more",
    citation="H. Gonen, Y. Goldberg (2019). Lipstick on a pig: debiasing methods cover up "
    "systematic gender biases in word embeddings but do not remove them. NAACL, 609-614.",
    doi="10.18653/v1/N19-1061",
    compute=bias_clusters,
)
