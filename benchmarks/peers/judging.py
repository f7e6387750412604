"""The right result by definition, and the convention that explains a different one.

The effect size uses the standard deviation with ddof 1, which reproduces the figures that Caliskan
et al. (2017) printed. The p-value is the share of partitions with a statistic at least as large, as
in the supplement of May et al. (2019). With the strict inequality in the formula of the Science
paper, the most extreme partition gets p = 0; that is reported as a convention.

Everything is computed directly from the vectors, without Weatherglass: associations in double
precision, and all partitions one by one if there are few. If there are too many, the exact count of
Weatherglass is used; the sampled p-value of scipy in the same table shows whether it is plausible.
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

MAX_PARTITIONS = 20_000  # to count one by one
DRAWS = 200_000
SIGNIFICANCE = 1e-3  # share of correct sampled p-values that would be called wrong
EPSILON = 1e-12


@dataclass(frozen=True)
class Truth:
    """Result of one test by definition, and by other conventions.

    `effect_0` has ddof 0, `p_strict` counts only larger statistics, and `p_replaced` draws with
    replacement.
    """

    effect: float
    effect_0: float
    p: float
    p_strict: float | None
    p_replaced: float
    counted: str


def read_rows(path: Path) -> dict[str, Floats]:
    """Read a word2vec text file as unit vectors."""
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

    def association(word: str) -> float:
        a, b = ([float(rows[word] @ rows[other]) for other in sets[side]] for side in "AB")
        return sum(a) / len(a) - sum(b) / len(b)

    return (
        np.array([association(word) for word in sets["X"]]),
        np.array([association(word) for word in sets["Y"]]),
    )


def truth(x: Floats, y: Floats, our_p: float) -> Truth:
    """Results for the associations of X and Y; `our_p` is used if partitions are too many."""
    both = np.concatenate([x, y])
    difference = x.mean() - y.mean()
    p, strict, counted = our_p, None, "counted by Weatherglass"
    if comb(len(both), len(x)) <= MAX_PARTITIONS:
        observed = x.sum()
        partitions = combinations(range(len(both)), len(x))
        sums = np.array([both[list(part)].sum() for part in partitions])
        p = float(np.mean(sums >= observed - EPSILON))
        strict = float(np.mean(sums > observed + EPSILON))
        counted = f"all {len(sums)} partitions, one by one"
    return Truth(
        effect=float(difference / both.std(ddof=1)),
        effect_0=float(difference / both.std(ddof=0)),
        p=p,
        p_strict=strict,
        p_replaced=p_with_replacement(x, y),
        counted=counted,
    )


def p_with_replacement(x: Floats, y: Floats) -> float:
    """Share of draws with replacement whose difference of sums is larger.

    Exact for sets of up to four words, estimated by sampling for larger ones.
    """
    both, observed = np.concatenate([x, y]), x.sum() - y.sum()
    if len(x) == len(y) <= 4:
        sums = np.zeros(1)
        for _ in x:
            sums = (sums[:, None] + both).ravel()
        sums.sort()
        return float(1 - np.mean(np.searchsorted(sums, sums + observed + EPSILON)) / len(sums))
    rng, count = np.random.default_rng(0), 0
    for _ in range(DRAWS // 10_000):
        drawn = both[rng.integers(0, len(both), (10_000, len(both)))]
        differences = drawn[:, : len(x)].sum(1) - drawn[:, len(x) :].sum(1)
        count += int(np.sum(differences > observed + EPSILON))
    return count / DRAWS


def fits(p: float, draws: int, expected: float, added: int = 1) -> bool:
    """Whether a sampled p-value is compatible with draws of the expected probability."""
    count = round(p * (draws + added) - added)
    return float(binomtest(max(0, count), draws, min(1.0, expected)).pvalue) >= SIGNIFICANCE


def judge(row: dict[str, Any], right: Truth, published: float | None) -> list[str]:
    """Notes on how a row differs from the definition and why; empty if it does not differ."""
    return [*_judge_effect(row, right, published), *_judge_p_value(row, right)]


def _judge_effect(row: dict[str, Any], right: Truth, published: float | None) -> list[str]:
    effect = row.get("effect")
    if effect is None or isclose(effect, right.effect, rel_tol=1e-5):
        return []
    difference = f"effect {100 * (effect / right.effect - 1):+.1f} %"
    if not isclose(effect, right.effect_0, rel_tol=1e-5):
        return [f"{difference}, unexplained"]
    printed = f"; published: {published:.2f}" if published is not None else ""
    return [f"{difference}: standard deviation with ddof 0{printed}"]


def _judge_p_value(row: dict[str, Any], right: Truth) -> list[str]:
    p, draws = row["p"], row["n"]
    if row["how"] != "sampled":
        if isclose(p, right.p, rel_tol=1e-6):
            return []
        if not isclose(row.get("doubled", p), p, rel_tol=1e-6):
            doubled = f"with every association doubled {row['doubled'] / right.p:.4f} times"
            return [f"p is {p / right.p:.4f} times the exact one; {doubled}"]
        if right.p_strict is not None and isclose(p, right.p_strict, rel_tol=1e-6, abs_tol=1e-12):
            zero = " and can be 0" if p == 0 else ""
            note = "p counts only larger sums (> in the formula of the Science paper)"
            return [f"{note}{zero}; with ≥ it is {right.p:.2g}"]
        return [f"p is {p / right.p:.2g} times the exact one, unexplained"]
    added = row.get("added", 1)
    if p == 0 and "below" not in row:
        return [f"p is 0: {draws} draws without the observed partition; exact {right.p:.2g}"]
    if not fits(p, draws, right.p, added):
        if fits(p, draws, right.p_replaced, added):
            return [f"p fits draws with replacement ({right.p_replaced:.2g}), not partitions"]
        return [f"p is {(p - right.p) / sqrt(right.p / draws):+.0f} standard errors off"]
    if draws < row.get("usual", 0):
        # We limited the draws, so that a deviation would not be the fault of the tool.
        return [f"p not judged: {draws:,} of its usual {row['usual']:,} draws, to save time"]
    if right.p < 1 / (draws + 1):
        return [f"{draws:,} draws cannot give p below {1 / (draws + 1):.1g}; exact {right.p:.2g}"]
    return []
