"""Clustered, nearly tied associations: bounds contain the truth, and values are accurate."""

from __future__ import annotations

import importlib
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

from weatherglass.significance import PValue, batch_permutation_p, permutation_p
from weatherglass.significance.bracket import bracket_shares
from weatherglass.significance.clusters import cluster_shares, find_clusters, is_narrow
from weatherglass.significance.exact import count_exact
from weatherglass.significance.permutation import two_sided_p
from weatherglass.significance.tail import build_tail
from weatherglass.significance.tilted import _find_peaks

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
PATHS = ["auto", "tilted", "batch"]


@pytest.fixture
def near_ties(monkeypatch):
    """The study of near-tied associations, which draws cases and knows their truth."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module("studies.near_ties")
    for name in [name for name in sys.modules if name.partition(".")[0] == "studies"]:
        del sys.modules[name]


def compute(x, y, path: str, alternative: str = "greater") -> PValue:
    if path == "batch":
        return batch_permutation_p([(x, y)], alternative=alternative)[0]
    return permutation_p(x, y, method=path, alternative=alternative)


def check_tallies(tallies) -> None:
    for row, counts in tallies.items():
        assert counts.contained == counts.cases, row
        assert counts.accurate == counts.answered, row
        # Whole numbers near equally spaced levels are left to the bracket more often than not.
        assert counts.answered >= counts.cases / 2 or "spaced" in row, row


@pytest.mark.slow
def test_bounds_contain_the_truth_and_values_are_accurate_for_near_ties(near_ties):
    check_tallies(near_ties.tally(40, seed=5))


@pytest.mark.slow
def test_bounds_contain_the_truth_for_two_thousand_near_tied_inputs(near_ties):
    tallies = near_ties.tally(2_000, seed=6)
    check_tallies(tallies)
    assert sum(counts.cases for row, counts in tallies.items() if "batch" in row) >= 2_000


@pytest.mark.parametrize(("levels", "noise", "targets"), [(2, 1e-6, 100), (3, 1e-4, 80)])
@pytest.mark.parametrize("path", PATHS)
def test_p_of_clustered_targets_lies_within_the_bracket(levels, noise, targets, path):
    rng = np.random.default_rng(levels)
    a = rng.choice(np.array([0.0, 0.13, -0.21])[:levels], targets) + noise * rng.normal(
        size=targets
    )
    x, y = a[: targets // 2], a[targets // 2 :]
    p, bracket = compute(x, y, path), permutation_p(x, y, method="bracket")
    assert p.method == "clusters"
    assert bracket.low <= p.value <= bracket.high
    assert max(p.value - p.low, p.high - p.value) <= 1e-3 * p.value


def test_counts_by_cluster_bound_the_exact_count():
    rng = np.random.default_rng(3)
    narrow = 0
    for _ in range(60):
        targets = int(rng.integers(8, 27))
        size = int(rng.integers(2, targets - 1))
        a = rng.choice(rng.normal(size=3), targets) + 10 ** rng.uniform(-9, -2) * rng.normal(
            size=targets
        )
        tail = build_tail(a[:size], a[size:])
        ratio, clusters = find_clusters(tail.values)
        value, low, high = cluster_shares(tail, clusters)
        truth = count_exact(tail) / tail.partitions
        assert low <= truth * (1 + 1e-14), ratio
        assert truth * (1 - 1e-14) <= high, ratio
        if is_narrow(value, low, high):
            narrow += 1
            assert value == pytest.approx(truth, rel=1e-3)
    assert narrow > 30


def test_clusters_are_split_where_gaps_shrink_most():
    values = np.array([905, 903, 900, 502, 501, 500, 104, 102])
    ratio, clusters = find_clusters(values)
    assert (clusters, ratio) == (3, (500 - 104) / 3)
    # Multiples of one step are not clusters: the integral counts them exactly.
    assert find_clusters(np.array([5, 5, 4, 4, 3, 2, 2, 1]))[0] < 2
    assert find_clusters(np.array([7, 7]))[0] == 0


def test_smooth_associations_are_still_integrated():
    a = np.random.default_rng(0).normal(size=90)
    for path in PATHS:
        assert compute(a[:45], a[45:], path).method == "tilted"


def test_tilted_answers_by_another_method_where_it_estimates_a_large_error():
    a = np.random.default_rng(7).normal(size=24)
    p = permutation_p(a[:12], a[12:], method="tilted")
    assert p == permutation_p(a[:12], a[12:], method="exact")
    rng = np.random.default_rng(1)
    a = rng.choice([0.0, 1.0], 1200) + 1e-6 * rng.normal(size=1200)
    assert permutation_p(a[:600], a[600:]).method == "sample"  # too many targets to be certain


def test_two_sided_bracket_contains_the_exact_p():
    """The bounds of the tail with the smaller value alone do not."""
    rng = np.random.default_rng(5)
    missed_by_one_tail = 0
    for _ in range(200):
        targets = int(rng.integers(5, 13))
        size = int(rng.integers(1, targets))
        a = rng.choice([0.1, 0.2, -0.1], targets) + rng.integers(-2, 3, targets) * 1e-9
        tails = {
            greater: build_tail(a[:size], a[size:], greater=greater) for greater in (True, False)
        }
        exact = min(1.0, *(2 * count_exact(tail) / tail.partitions for tail in tails.values()))
        brackets = {
            greater: PValue(*bracket_shares(tail, budget=100_000, workers=1), "bracket")
            for greater, tail in tails.items()
        }
        p = two_sided_p(brackets.__getitem__, tails[True])
        assert p.low - 1e-12 <= exact <= p.high + 1e-12
        assert p.low <= p.value <= p.high
        smaller = min(brackets.values(), key=lambda p: p.value)
        missed_by_one_tail += not 2 * smaller.low - 1e-12 <= exact <= 2 * smaller.high + 1e-12
    assert missed_by_one_tail


@pytest.mark.parametrize("methods", list(itertools.product(["exact", "bracket"], repeat=2)))
def test_two_sided_bounds_are_the_smaller_bounds_of_both_tails(methods):
    tail = build_tail([1.0, 0.0], [0.5, 0.0])
    counted, wide = PValue.from_count(6, 10), PValue(0.7, 0.55, 0.8, "bracket")
    tails = {True: counted if methods[0] == "exact" else wide, False: wide}
    if methods[1] == "exact":
        tails[False] = PValue.from_count(7, 10)
    p = two_sided_p(lambda greater: tails[greater], tail)
    ends = [
        min(1.0, 2 * min(end))
        for end in zip(*((t.low, t.high) for t in tails.values()), strict=True)
    ]
    assert [p.low, p.high] == ends
    assert p.low <= p.value <= p.high
    # A count that another tail may undercut is not the p-value.
    assert (p.method == "exact") == (methods == ("exact", "exact"))


@pytest.mark.parametrize(
    "levels", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in (4, 5, 8, 20))]
)
def test_batch_bounds_of_equally_spaced_levels_with_noise_agree_with_certified_ones(
    levels: int,
) -> None:
    """The characteristic function of such sums rises again where a short integral has stopped."""
    for seed in range(6):
        rng = np.random.default_rng([levels, seed])
        targets = int(rng.integers(60, 121))
        noise = 10.0 ** rng.uniform(-2, -1)
        a = rng.integers(0, levels, targets) + noise * rng.normal(size=targets)
        x, y = a[: targets // 2], a[targets // 2 :]
        (batch,) = batch_permutation_p([(x, y)])
        certain = permutation_p(x, y, method="bracket")
        assert batch.low <= certain.high
        assert batch.high >= certain.low


@pytest.mark.parametrize("seed", [31, 40, 166, 461, 1065, 1419])
@pytest.mark.parametrize("path", ["tilted", "batch"])
def test_bounds_contain_the_exact_p_near_many_equally_spaced_levels(seed: int, path: str) -> None:
    """Their characteristic function has narrow peaks far from the origin, where few points are."""
    rng = np.random.default_rng(seed)
    targets, levels = int(rng.integers(36, 45)), int(rng.integers(20, 81))
    noise = rng.uniform(0.05, 0.15)
    a = rng.integers(levels, size=targets) + noise * rng.normal(size=targets)
    x, y = a[: targets // 2], a[targets // 2 :]
    exact = permutation_p(x, y, method="exact").value
    p = compute(x, y, path)
    assert p.low <= exact <= p.high
    assert p.value == pytest.approx(exact, rel=1e-3)


def test_the_integral_finds_the_frequencies_of_equally_spaced_levels() -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(12, size=80) + 0.03 * rng.normal(size=80)
    scale = a.std()
    peaks = _find_peaks((a - a.mean()) / scale, np.full(80, 0.25))
    multiples = peaks / (2 * np.pi * scale)
    assert multiples[:3] == pytest.approx([1, 2, 3], rel=1e-2)
    assert len(_find_peaks(rng.normal(size=80), np.full(80, 0.25))) == 0
