"""What is right by the definition, and which convention explains what a peer gives instead.

The effect is defined with the standard deviation that gives the figures as Caliskan et al. (2017)
printed them, which is the one with ddof 1. The p-value is the share of all partitions that are at
least as extreme, as the supplement of May et al. (2019) has it; with the strict sign of the Science
paper's formula the most extreme partition gets 0, which is told as what it is, a convention.

Everything here is calculated plainly from the vectors, without Weatherglass: associations in double
precision, every partition one by one where there are few. Where there are too many, the count of
Weatherglass stands in, and the sampled p-value of scipy in the same table agrees with it or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb, isclose, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

Floats = NDArray[np.float64]
Sets = dict[str, list[str]]

MOST = 20_000  # partitions that are counted one by one
DRAWS = 200_000
UNLIKELY = 1e-3  # the share of honest samples that would be called wrong
NOISE = 1e-12


@dataclass(frozen=True)
class Truth:
    """What the definition gives for one test, and what the other conventions would give."""

    effect: float
    effect_0: float
    p: float
    p_strict: float | None
    p_replaced: float
    counted: str


def read_rows(path: Path) -> dict[str, Floats]:
    """The unit vectors of a word2vec text file."""
    rows = {}
    with open(path, encoding="utf-8") as file:
        next(file)
        for line in file:
            word, *numbers = line.rstrip("\n").split(" ")
            row = np.array(numbers, dtype=np.float64)
            rows[word] = row / np.linalg.norm(row)
    return rows


def associations(rows: dict[str, Floats], sets: Sets) -> tuple[Floats, Floats]:
    """s(w, A, B) of the targets X and Y."""

    def of(word: str) -> float:
        a, b = ([float(rows[word] @ rows[other]) for other in sets[side]] for side in "AB")
        return sum(a) / len(a) - sum(b) / len(b)

    return np.array([of(word) for word in sets["X"]]), np.array([of(word) for word in sets["Y"]])


def truth(x: Floats, y: Floats, ours: float) -> Truth:
    """The definition and the other conventions, for the associations of X and Y."""
    both = np.concatenate([x, y])
    apart = x.mean() - y.mean()
    p, strict, counted = ours, None, "counted by Weatherglass"
    if comb(len(both), len(x)) <= MOST:
        least = x.sum()
        sums = np.array([both[list(some)].sum() for some in combinations(range(len(both)), len(x))])
        p, strict = float(np.mean(sums >= least - NOISE)), float(np.mean(sums > least + NOISE))
        counted = f"all {len(sums)} partitions, one by one"
    return Truth(
        effect=float(apart / both.std(ddof=1)),
        effect_0=float(apart / both.std(ddof=0)),
        p=p,
        p_strict=strict,
        p_replaced=replaced(x, y),
        counted=counted,
    )


def replaced(x: Floats, y: Floats) -> float:
    """The share of draws with replacement whose difference of sums is greater.

    Sums of few words are all written down; for more, draws are enough.
    """
    both, apart = np.concatenate([x, y]), x.sum() - y.sum()
    if len(x) == len(y) <= 4:
        sums = np.zeros(1)
        for _ in x:
            sums = (sums[:, None] + both).ravel()
        sums.sort()
        return float(1 - np.mean(np.searchsorted(sums, sums + apart + NOISE)) / len(sums))
    rng, above = np.random.default_rng(0), 0
    for _ in range(DRAWS // 10_000):
        drawn = both[rng.integers(0, len(both), (10_000, len(both)))]
        above += int(np.sum(drawn[:, : len(x)].sum(1) - drawn[:, len(x) :].sum(1) > apart + NOISE))
    return above / DRAWS


def fits(p: float, draws: int, expected: float, added: int = 1) -> bool:
    """Whether a sampled p-value is one that draws with this probability would give."""
    count = round(p * (draws + added) - added)
    return float(binomtest(max(0, count), draws, min(1.0, expected)).pvalue) >= UNLIKELY


def judge(row: dict[str, Any], right: Truth, published: float | None) -> list[str]:
    """Where a row differs from the definition, and what explains it; nothing where it does not."""
    return [*_of_the_effect(row, right, published), *_of_the_p_value(row, right)]


def _of_the_effect(row: dict[str, Any], right: Truth, published: float | None) -> list[str]:
    effect = row.get("effect")
    if effect is None or isclose(effect, right.effect, rel_tol=1e-5):
        return []
    off = f"effect {100 * (effect / right.effect - 1):+.1f} %"
    if not isclose(effect, right.effect_0, rel_tol=1e-5):
        return [f"{off}, unexplained"]
    printed = f"; printed: {published:.2f}" if published is not None else ""
    return [f"{off}: standard deviation with ddof 0{printed}"]


def _of_the_p_value(row: dict[str, Any], right: Truth) -> list[str]:
    p, draws = row["p"], row["n"]
    if row["how"] != "sampled":
        if isclose(p, right.p, rel_tol=1e-6):
            return []
        if not isclose(row.get("doubled", p), p, rel_tol=1e-6):
            doubled = f"with every association doubled {row['doubled'] / right.p:.4f} times"
            return [f"p is {p / right.p:.4f} times the counted one; {doubled}"]
        if right.p_strict is not None and isclose(p, right.p_strict, rel_tol=1e-6, abs_tol=1e-12):
            zero = ", so that it can be 0" if p == 0 else ""
            said = "p counts only greater sums, as the Science paper writes, not its own"
            return [f"{said}{zero}; with it {right.p:.2g}"]
        return [f"p is {p / right.p:.2g} times the counted one, unexplained"]
    added = row.get("added", 1)
    if p == 0 and "below" not in row:
        return [f"p is 0: no 1 added to {draws} draws; counted {right.p:.2g}"]
    if not fits(p, draws, right.p, added):
        if fits(p, draws, right.p_replaced, added):
            return [f"p as of draws with replacement ({right.p_replaced:.2g}), not partitions"]
        return [f"p is {(p - right.p) / sqrt(right.p / draws):+.0f} standard errors off"]
    if draws < row.get("usual", 0):
        # Our doing, for want of time: nothing that could be held against it.
        return [f"p not judged: {draws:,} of its usual {row['usual']:,} draws, for want of time"]
    if right.p < 1 / (draws + 1):
        return [f"{draws:,} draws see nothing below {1 / (draws + 1):.1g}; counted {right.p:.2g}"]
    return []
