"""The Mann-Whitney test, exact by counting, and the area under the ROC curve."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from weatherglass.errors import CannotMeasure

from .permutation import permutation_p
from .pvalue import Alternative, PValue


@dataclass(frozen=True, slots=True)
class RankTest:
    """The area under the ROC curve of two groups, with its exact p-value.

    Attributes
    ----------
    auc
        The share of pairs of one number of each group in which that of the first is larger; equal
        ones count half.
    p
        The share of all ways to choose as many numbers as the first group has, whose ranks have a
        sum at least as extreme.
    """

    auc: float
    p: PValue

    @property
    def rank_biserial(self) -> float:
        """2 · AUC - 1: from -1 to 1, and 0 where neither group has larger numbers."""
        return 2 * self.auc - 1

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, ready for JSON."""
        return asdict(self)


def mann_whitney(x: ArrayLike, y: ArrayLike, *, alternative: Alternative = "two-sided") -> RankTest:
    """Test whether the numbers of one group are larger than those of another.

    The null hypothesis is that the numbers were assigned to the groups by chance. Equal numbers
    share their mean rank, and the p-value counts the permutations of exactly these ranks, so that
    it is exact with ties; `permutation_p` says for how many numbers it can count. A two-sided
    p-value is twice the smaller one-sided one, at most 1.

    Examples
    --------
    >>> test = mann_whitney([3, 4, 5], [1, 2, 2.5])
    >>> test.auc, test.p.fraction
    (1.0, '2/20')
    """
    from scipy.stats import rankdata

    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not len(first) or not len(second):
        raise CannotMeasure("Both groups need a number.")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise CannotMeasure("A number is not finite.")
    ranks = rankdata(np.concatenate([first, second]))
    n, m = len(first), len(second)
    auc = float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m))
    return RankTest(auc, permutation_p(ranks[:n], ranks[n:], alternative=alternative))
