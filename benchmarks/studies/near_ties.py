"""Near-ties: do the bounds of a computed p-value contain the true one, and is it accurate?

Adversarial associations: two to five levels, plus noise from a tenth to 1e-10 of their scale; or
three to twenty equally spaced levels, plus noise of a tenth to a hundredth of their distance. The
truth is counted in a way that shares no code with the methods under test where that is possible.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weatherglass.significance import PValue, batch_permutation_p, permutation_p
from weatherglass.significance.bracket import bracket_shares
from weatherglass.significance.tail import build_tail

from .study import Cell, Study

Floats = NDArray[np.float64]

MAX_ERROR = 1e-3
ALTERNATIVES = ("greater", "less", "two-sided")
PATHS = ("auto", "tilted", "batch")
ACCURATE = ("exact", "clusters", "tilted")
"""Methods whose value is promised to be within `MAX_ERROR`."""

TRUTH_ERROR = 1e-9
"""Relative rounding error that the truth may have."""


@dataclass(frozen=True)
class Case:
    """Associations of X and Y, with bounds of the true share of both tails, upper and lower."""

    kind: str
    x: Floats
    y: Floats
    upper: tuple[float, float]
    lower: tuple[float, float]

    def truth(self, alternative: str) -> tuple[float, float]:
        """Return bounds of the true p-value; they are equal if it was counted."""
        if alternative != "two-sided":
            return self.upper if alternative == "greater" else self.lower
        both = [min(1.0, 2 * min(ends)) for ends in zip(self.upper, self.lower, strict=True)]
        return both[0], both[1]


def draw_levels(rng: np.random.Generator) -> Floats:
    """Draw two to five distinct levels: normal, equally spaced, or rounded to decimals."""
    count = int(rng.integers(2, 6))
    kind = rng.integers(3)
    if kind == 0:
        return rng.normal(size=count)
    if kind == 1:
        return np.arange(count) - 1.0
    return np.asarray(rng.choice(np.arange(-6, 7), count, replace=False) / 10)


def draw_noise(rng: np.random.Generator, targets: int) -> Floats:
    """Draw normal, uniform or heavy-tailed noise of unit scale."""
    kind = rng.integers(3)
    if kind == 0:
        return rng.normal(size=targets)
    return rng.uniform(-1, 1, targets) if kind == 1 else rng.standard_t(2, targets)


def arrange(rng: np.random.Generator, a: Floats, size: int) -> NDArray[np.int64]:
    """Return an order of the targets; the first `size` of them are X, sometimes in the far tail."""
    order = rng.permutation(len(a))
    if rng.random() < 0.5:
        swaps = int(rng.integers(1, max(2, min(size, len(a) - size) // 2)))
        x, y = order[:size], order[size:]
        low, high = np.argsort(a[x])[:swaps], np.argsort(-a[y])[:swaps]
        x[low], y[high] = y[high].copy(), x[low].copy()
    return order


def draw_case(rng: np.random.Generator, kind: str) -> Case:
    """Draw a case of a kind, with a number of targets within the kind's range; find its truth."""
    smallest, largest = KINDS[kind].targets
    targets = int(rng.integers(smallest, largest + 1))
    size = int(rng.integers(targets // 5, targets - targets // 5 + 1))
    if kind == "by levels":
        return _case_by_levels(rng, targets, size, 10 ** rng.uniform(-9, -1))
    if kind == "spaced, whole numbers":
        return _case_on_grid(rng, targets, size)
    if kind.startswith("spaced"):
        scale, levels = 10 ** rng.uniform(-2, -1), np.arange(int(rng.integers(3, 21))) * 1.0
        levels -= rng.uniform(0, len(levels))
    else:
        scale, levels = 10 ** rng.uniform(-10, -1), draw_levels(rng)
    a = rng.choice(levels, targets) + scale * draw_noise(rng, targets)
    a = a[arrange(rng, a, size)]
    x, y = a[:size], a[size:]
    if KINDS[kind].is_counted:
        counts = [
            permutation_p(x, y, method="exact", alternative=tail).value
            for tail in ("greater", "less")
        ]
        return Case(kind, x, y, (counts[0], counts[0]), (counts[1], counts[1]))
    tails = [build_tail(x, y, greater=greater) for greater in (True, False)]
    ends = [bracket_shares(tail, budget=600_000_000)[1:] for tail in tails]
    return Case(kind, x, y, ends[0], ends[1])


def _case_on_grid(rng: np.random.Generator, targets: int, size: int) -> Case:
    """Return equally spaced levels with noise, all multiples of one step, and count sets by sum."""
    distance = int(rng.integers(20, 101))
    noise = max(1, round(distance * 10 ** rng.uniform(-2, -1)))
    steps = distance * rng.integers(int(rng.integers(3, 11)), size=targets)
    steps = steps + rng.integers(-noise, noise + 1, size=targets)
    steps = steps[arrange(rng, steps.astype(np.float64), size)]
    cells = steps - steps.min()
    total = int(cells[:size].sum())
    sums = _subset_sums(cells, size)[size]
    partitions = math.comb(targets, size)
    upper, lower = (
        float(sums[total:].sum()) / partitions,
        float(sums[: total + 1].sum()) / partitions,
    )
    a = steps * rng.uniform(0.1, 1)
    return Case("spaced, whole numbers", a[:size], a[size:], (upper, upper), (lower, lower))


def _case_by_levels(rng: np.random.Generator, targets: int, size: int, scale: float) -> Case:
    """Return two or three levels with noise that is a whole number of steps.

    The levels have no common measure. Sets are counted by how many targets they hold of each level
    and by their summed noise in whole numbers, one convolution for each count vector.
    """
    levels = rng.normal(size=int(rng.integers(2, 4)))
    steps = int(rng.integers(3, 60))
    level, noise = rng.integers(len(levels), size=targets), rng.integers(steps, size=targets)
    unit = scale / steps
    order = arrange(rng, levels[level] + unit * noise, size)
    level, noise = level[order], noise[order]
    observed = [int((level[:size] == g).sum()) for g in range(len(levels))]
    total = int(noise[:size].sum())
    tables = [_subset_sums(noise[level == g], size) for g in range(len(levels))]
    at_least = at_most = 0.0
    for counts in _vectors([table.shape[0] - 1 for table in tables], size):
        sums = tables[0][counts[0]]
        for table, k in zip(tables[1:], counts[1:], strict=True):
            sums = np.convolve(sums, table[k])
        between = sum(levels[g] * (counts[g] - observed[g]) for g in range(len(levels)))
        # What the summed noise must reach; whole numbers of the same count vector compare exactly.
        needed = total - (between / unit if counts != tuple(observed) else 0.0)
        first = min(max(math.ceil(needed), 0), len(sums))
        last = min(max(math.floor(needed) + 1, 0), len(sums))
        at_least += sums[first:].sum()
        at_most += sums[:last].sum()
    partitions = math.comb(targets, size)
    a = levels[level] + unit * noise
    upper, lower = float(at_least) / partitions, float(at_most) / partitions
    return Case("by levels", a[:size], a[size:], (upper, upper), (lower, lower))


def _subset_sums(noise: NDArray[np.int64], size: int) -> Floats:
    """Count subsets by size and summed noise."""
    rows = min(size, len(noise)) + 1
    table = np.zeros((rows, int(np.sort(noise)[::-1][: rows - 1].sum()) + 1))
    table[0, 0] = 1.0
    for z in noise.tolist():
        table[1:, z:] += table[:-1, : table.shape[1] - z].copy()
    return table


def _vectors(most: list[int], size: int) -> Iterator[tuple[int, ...]]:
    for counts in itertools.product(*(range(limit + 1) for limit in most[:-1])):
        if 0 <= size - sum(counts) <= most[-1]:
            yield (*counts, size - sum(counts))


def compute(case: Case, path: str, alternative: str) -> PValue:
    """Compute the p-value of a case as `permutation_p` does, or as a batch does."""
    if path == "batch":
        return batch_permutation_p([(case.x, case.y)], alternative=alternative)[0]  # type: ignore[arg-type]
    return permutation_p(case.x, case.y, method=path, alternative=alternative)  # type: ignore[arg-type]


def contains(p: PValue, truth: tuple[float, float]) -> bool:
    """Whether the bounds of `p` contain the truth, or reach the bounds of it."""
    return bool(p.low * (1 - TRUTH_ERROR) <= truth[1] and truth[0] <= p.high * (1 + TRUTH_ERROR))


def is_accurate(p: PValue, truth: tuple[float, float]) -> bool:
    """Whether the value is within `MAX_ERROR` of the truth, or of the bounds of it."""
    return bool(truth[0] * (1 - MAX_ERROR) <= p.value <= truth[1] * (1 + MAX_ERROR))


@dataclass(frozen=True)
class Kind:
    """Cases of one kind: their share of the trials, and how they are called in the table.

    `paths` does not have `auto` where it counts, as the truth does; `targets` has the smallest and
    the largest number of targets. `is_counted` says whether the package counts the truth.
    """

    share: float
    targets: tuple[int, int]
    name: str
    paths: tuple[str, ...] = PATHS
    is_counted: bool = False


KINDS = {
    "counted": Kind(0.93, (20, 40), "counted", PATHS[1:], is_counted=True),
    "by levels": Kind(0.05, (53, 200), "counted by levels"),
    "bracket": Kind(0.02, (53, 200), "certified bounds"),
    "spaced, counted": Kind(
        0.1, (33, 46), "equally spaced levels, counted", PATHS[1:], is_counted=True
    ),
    "spaced, whole numbers": Kind(0.015, (53, 120), "equally spaced levels, counted by sum"),
    "spaced, bracket": Kind(0.0025, (53, 200), "equally spaced levels, certified bounds"),
}


@dataclass
class Tally:
    """Number of cases, of those whose bounds contain the truth, and of accurate values."""

    cases: int = 0
    contained: int = 0
    answered: int = 0
    accurate: int = 0

    def add(self, p: PValue, truth: tuple[float, float]) -> None:
        self.cases += 1
        self.contained += contains(p, truth)
        if p.method in ACCURATE:
            self.answered += 1
            self.accurate += is_accurate(p, truth)


def tally(trials: int, seed: int) -> dict[str, Tally]:
    """Compute the p-values of `trials` cases of all kinds, and compare them with the truth."""
    tallies: dict[str, Tally] = {}
    for number, (name, kind) in enumerate(KINDS.items()):
        rng = np.random.default_rng([seed, number])
        for k in range(math.ceil(kind.share * trials)):
            case = draw_case(rng, name)
            alternative = ALTERNATIVES[k % len(ALTERNATIVES)]
            for path in kind.paths:
                p = compute(case, path, alternative)
                shown = path if path == "batch" else f"`{path}`"
                row = "{}, {} to {} targets, {}".format(shown, *kind.targets, kind.name)
                tallies.setdefault(row, Tally()).add(p, case.truth(alternative))
    return tallies


def run(trials: int, seed: int) -> list[Cell]:
    """Measure how often the bounds contain the truth, and how often the value is accurate."""
    cells = []
    for row, counts in tally(trials, seed).items():
        cells += [
            Cell(row, "bounds contain the truth", counts.contained, counts.cases, 1, 1),
            Cell(row, "value within 1e-3", counts.accurate, counts.answered, 1, 1),
            Cell(row, "not `bracket`", counts.answered, counts.cases, 0.6, 1),
        ]
    return cells


ABOUT = """
Adversarial targets: two to five levels plus noise from 0.1 down to 1e-10, normal, uniform or
heavy-tailed, with X drawn at random or moved towards the far tail; alternatives in turn. Then three
to twenty equally spaced levels plus noise of a hundredth to a tenth of their distance; or three to
ten of them with noise that is a whole number of steps. The truth is an exact count (up to 46
targets), a count by levels and whole-number noise, or by whole-number sums, that shares no code
with the package (from 53 targets on), or the certified bracket with a larger budget. All bounds
must contain the truth, and every value by `exact`, `clusters` or `tilted` must be within 1e-3 of
it. Where only `bracket` answers, its bounds say how wide it is; with whole-number noise, which puts
many sets exactly at the threshold, that is one case in five to ten.
"""

STUDIES = [
    Study(
        name="near_ties",
        title="Near-tied associations",
        about=ABOUT,
        run=run,
        trials=2000,
        quick_trials=60,
    )
]
