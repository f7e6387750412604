"""K-means by Lloyd's iterations, with the same clusters on any number of cores.

scikit-learn adds up on several cores in an order that is left to chance, and with it the last digit
of a centre. Here threads find the nearest centres of blocks of rows, which are the same however
many threads there are, and one of them adds the rows up in their order. Most rows soon keep their
centre: a row is not looked at again before the centres have moved far enough that another one could
be nearer (the bound of Hamerly 2010, in products instead of distances).
"""

from __future__ import annotations

from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]
Labels = NDArray[np.intp]

BLOCK = 2048
ROUNDS = 300
_ROUNDING = 1e-5  # of a product in float32; a lead that is smaller is not relied on


def lloyd(rows: Rows, starts: Rows, pool: Executor) -> tuple[Labels, float]:
    """Cluster unit vectors around centres that begin at `starts`.

    Gives the number of each row's cluster, and how tight the clusters are: the sum over them of
    size × squared length of the mean, which is the number of rows less the squared distances.
    """
    from .kernels import move, nearest

    centres = starts.astype(np.float64)
    labels = np.full(len(rows), -1, np.intp)
    sums, sizes = np.zeros_like(centres), np.zeros(len(centres), np.int64)
    # By how much at least the product with the nearest centre, less half that centre's square,
    # exceeds that with any other.
    lead = np.zeros(len(rows), np.float32)
    for _ in range(ROUNDS):
        found = labels.copy()
        half = (centres * centres).sum(axis=1) / 2
        turned, halves = centres.T.astype(np.float32), half.astype(np.float32)

        def look(start: int) -> None:
            block = rows[start : start + BLOCK]
            open_ = np.flatnonzero(lead[start : start + BLOCK] <= _ROUNDING)  # noqa: B023
            if 2 * len(open_) < len(block):
                block = block[open_]
            else:  # gathering them would take longer than looking at all
                open_ = np.arange(len(block))
            nearest(block @ turned, halves, start + open_, found, lead)  # noqa: B023

        list(pool.map(look, range(0, len(rows), BLOCK)))
        moved = np.flatnonzero(found != labels)
        if not len(moved):
            break
        move(rows, moved, labels, found, sums, sizes)
        _refill(rows, centres, labels, sums, sizes, lead)
        means = sums / sizes[:, None]
        shift = np.sqrt(((means - centres) ** 2).sum(axis=1))
        longer = (means * means).sum(axis=1) / 2 - half
        lead -= (shift + longer + _most_of_others(shift - longer))[labels].astype(np.float32)
        centres = means
    return labels, float(((sums * sums).sum(axis=1) / sizes).sum())


def _most_of_others(gain: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each the largest gain of any other."""
    order = np.argsort(-gain, kind="stable")
    most = np.full(len(gain), gain[order[0]])
    most[order[0]] = gain[order[1]] if len(gain) > 1 else -np.inf
    return most


def _refill(
    rows: Rows,
    centres: NDArray[np.float64],
    labels: Labels,
    sums: NDArray[np.float64],
    sizes: NDArray[np.int64],
    lead: Rows,
) -> None:
    """Give a cluster that has lost all rows the one that is farthest from its own centre."""
    from .kernels import move

    empty = np.flatnonzero(sizes == 0)
    if not len(empty):
        return
    apart = rows - centres[labels]
    far = np.argsort(-(apart * apart).sum(axis=1), kind="stable")
    for k in empty:
        at = next(i for i in far if sizes[labels[i]] > 1)
        found = labels.copy()
        found[at] = k
        move(rows, np.array([at]), labels, found, sums, sizes)
        lead[at] = -np.inf
