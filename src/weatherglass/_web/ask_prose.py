"""An answer in plain words: what it says, how large it is, and how sure."""

from __future__ import annotations

from weatherglass.measures import WeatResult
from weatherglass.report import rounding
from weatherglass.report.strongest import LEVEL, claim

_TAILS = {
    "greater": "an effect at least as large",
    "less": "an effect at least as low",
    "two-sided": "an effect at least as far from 0",
}


def says(one: WeatResult) -> str:
    """What a result says, as far as it is sure.

    >>> import weatherglass as wg
    >>> says(wg.weat(wg.open_vectors("default"), "weat6"))
    'Male names are nearer to career words, and female names to family words.'
    """
    assert one.p is not None
    told = claim(one)
    if one.p.value <= LEVEL:
        return told
    return f"{told.rstrip('.')}; but this may well be chance."


def how_sure(one: WeatResult) -> str:
    """The p-value as a share of the ways in which the targets can be sorted.

    >>> import weatherglass as wg
    >>> how_sure(wg.weat(wg.open_vectors("default"), "weat9"))[:59]
    'Of all 924 ways to sort the 12 targets into two sets, only '
    """
    p = one.p
    assert p is not None
    tail, targets = _TAILS[p.alternative], one.n["X"] + one.n["Y"]
    if p.count is not None and p.partitions is not None and p.alternative != "two-sided":
        only = "only " if p.value <= LEVEL else ""
        gives = "gives" if p.count == 1 else "give"
        return (
            f"Of all {p.partitions:,} ways to sort the {targets} targets into two sets, "
            f"{only}{p.count:,} {gives} {tail}."
        )
    found = {"tilted": "computed, not drawn", "bracket": "certain to lie between two ends"}
    how = f", {found[p.method]}" if p.method in found else ""
    share = rounding.said_p(p.value)
    return (
        f"Among all ways to sort the {targets} targets into two sets, {tail} has the share "
        f"{share}{how}."
    )


METHODS = {
    "exact": "exact: every way to sort the targets was counted",
    "tilted": "tilted inversion: the tail was integrated, and its error is known",
    "bracket": "certified bracket: the true value lies between two ends",
    "sample": "sampled",
    "normal": "normal fit to a sample",
}
