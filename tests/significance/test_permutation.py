"""Every method compared with brute force, and the properties that all methods share."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.significance import PValue, permutation_p
from weatherglass.significance.exact import count_exact, count_grouped
from weatherglass.significance.tail import build_tail

METHODS = ["auto", "exact", "tilted", "bracket", "sample", "normal"]
SCALES = [1.0, 0.1, 1 / 7, math.pi * 1e-5, -1e30]


def count_by_brute_force(x: list[int], y: list[int]) -> tuple[int, int, int]:
    """Count the sets with at least, and at most, the observed sum, and all sets."""
    sums = [sum(chosen) for chosen in itertools.combinations(x + y, len(x))]
    return sum(s >= sum(x) for s in sums), sum(s <= sum(x) for s in sums), len(sums)


@st.composite
def two_sets(draw: st.DrawFn, spread: int = 4) -> tuple[list[int], list[int]]:
    """Up to 12 targets with small whole numbers, so that ties and duplicates are frequent."""
    numbers = st.integers(-spread, spread)
    values = draw(st.lists(numbers, min_size=2, max_size=12))
    size = draw(st.integers(1, len(values) - 1))
    return values[:size], values[size:]


@given(two_sets(), st.sampled_from(SCALES))
@settings(max_examples=300)
def test_exact_count_equals_brute_force(sets: tuple[list[int], list[int]], scale: float) -> None:
    x, y = sets
    at_least, at_most, partitions = count_by_brute_force(x, y)
    if scale < 0:
        at_least, at_most = at_most, at_least
    scaled = np.array(x) * scale, np.array(y) * scale
    for method in ("auto", "exact"):
        greater = permutation_p(*scaled, method=method)
        less = permutation_p(*scaled, method=method, alternative="less")
        both = permutation_p(*scaled, method=method, alternative="two-sided")
        assert (greater.method, greater.count, greater.partitions) == (
            "exact",
            at_least,
            partitions,
        )
        assert less.count == at_most
        assert both.count == min(partitions, 2 * min(at_least, at_most))
        assert greater.value == greater.low == greater.high == at_least / partitions


@pytest.mark.slow
@given(two_sets(), st.sampled_from(SCALES[:4]), st.sampled_from(["tilted", "bracket"]))
@settings(max_examples=300)
def test_tilted_and_bracket_p_are_correct_with_ties(
    sets: tuple[list[int], list[int]], scale: float, method: str
) -> None:
    x, y = sets
    at_least, at_most, partitions = count_by_brute_force(x, y)
    scaled = np.array(x) * scale, np.array(y) * scale
    for alternative, count in (("greater", at_least), ("less", at_most)):
        p = permutation_p(*scaled, method=method, alternative=alternative)
        truth = count / partitions
        assert p.value == pytest.approx(truth, rel=1e-9)
        assert p.low <= truth * (1 + 1e-14)
        assert p.high >= truth * (1 - 1e-14)


@given(two_sets(), st.sampled_from(["greater", "less", "two-sided"]))
@settings(max_examples=60)
def test_sampled_p_is_near_brute_force(sets: tuple[list[int], list[int]], alternative: str) -> None:
    x, y = sets
    at_least, at_most, partitions = count_by_brute_force(x, y)
    count = {"greater": at_least, "less": at_most, "two-sided": 2 * min(at_least, at_most)}
    truth = min(1.0, count[alternative] / partitions)
    drawn = 9_999
    p = permutation_p(x, y, method="sample", n_resamples=drawn, alternative=alternative)
    # Six standard deviations, and ten counts where the binomial is far from normal.
    assert abs(p.value - truth) <= 12 * math.sqrt(truth * (1 - truth / 2) / drawn) + 20 / drawn
    assert p.low <= p.value <= p.high


@given(two_sets(), st.sampled_from(METHODS), st.sampled_from(["greater", "less", "two-sided"]))
@settings(max_examples=200)
def test_p_is_above_zero_and_within_its_bounds(
    sets: tuple[list[int], list[int]], method: str, alternative: str
) -> None:
    p = permutation_p(*sets, method=method, alternative=alternative, n_resamples=99)
    assert 0 <= p.low <= p.value <= p.high <= 1
    assert p.value > 0
    assert p.alternative == alternative


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12), st.data())
@settings(max_examples=200)
def test_floats_are_counted_as_exact_fractions_would_be(
    values: list[float], data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, len(values) - 1))
    exact = [Fraction(v) for v in values]
    observed = sum(exact[:size])
    sums = [sum(chosen) for chosen in itertools.combinations(exact, size)]
    # Sums that differ by less than this may be ties on the grid, and count on either side.
    noise = Fraction(max(map(abs, values)) * size * 2e-12)
    certain = sum(s >= observed + noise for s in sums)
    possible = sum(s >= observed - noise for s in sums)
    count = permutation_p(values[:size], values[size:]).count
    assert count is not None
    assert certain <= count <= possible
    assert sum(s >= observed for s in sums) <= count


@pytest.mark.parametrize("method", METHODS)
def test_p_is_one_if_all_associations_are_equal(method: str) -> None:
    for value in (0.0, 0.1, -3e-20):
        p = permutation_p([value] * 40, [value] * 30, method=method)
        assert (p.value, p.low if method != "sample" else 1.0, p.high) == (1.0, 1.0, 1.0)


def test_rounding_noise_between_equal_words_breaks_no_tie() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=6) * 0.05
    doubled = np.concatenate([a, a])
    clean = permutation_p(doubled[:6], doubled[6:])
    assert clean.count is not None
    for _ in range(50):
        noisy = doubled + rng.uniform(-1e-16, 1e-16, 12)
        assert permutation_p(noisy[:6], noisy[6:]).count == clean.count


def test_differences_below_the_resolution_are_ties() -> None:
    x, y = [1e-17, -1e-17, 0.0], [2e-17, 0.0, 0.0]
    assert permutation_p(x, y, resolution=1e-15).fraction == "20/20"


@pytest.mark.parametrize("method", ["auto", "exact", "tilted", "bracket"])
@pytest.mark.parametrize("targets", [4, 16, 60, 700])
def test_complete_separation_is_counted_by_every_method(method: str, targets: int) -> None:
    half = targets // 2
    a = np.random.default_rng(targets).normal(size=targets)
    a.sort()
    p = permutation_p(a[half:], a[:half], method=method)
    assert (p.method, p.count, p.partitions) == ("exact", 1, math.comb(targets, half))
    # The last member of X ties with a member of Y.
    a[half - 1] = a[half]
    assert permutation_p(a[half:], a[:half], method=method).count == 2
    assert permutation_p(a[:half], a[half:], method=method).value == 1.0


def test_smallest_p_of_eight_against_eight_is_1_in_12870() -> None:
    """Completely separated sets give the smallest p-value of 8 words against 8."""
    p = permutation_p(np.arange(8) + 10.0, np.arange(8))
    assert (str(p), p.fraction) == ("7.8e-05", "1/12870")


@given(two_sets(), st.sampled_from(["exact", "tilted", "bracket"]))
@settings(max_examples=100)
def test_p_is_unchanged_by_swaps_sign_shift_scale_and_order(
    sets: tuple[list[int], list[int]], method: str
) -> None:
    x, y = (np.array(values, float) for values in sets)
    p = permutation_p(x, y, method=method).value
    equal = [
        permutation_p(y, x, method=method, alternative="less"),
        permutation_p(-x, -y, method=method, alternative="less"),
        permutation_p(-y, -x, method=method),
        permutation_p(3 * x + 5, 3 * y + 5, method=method),
        permutation_p(x[::-1], y[::-1], method=method),
    ]
    assert [p.value for p in equal] == pytest.approx([p] * 5, rel=1e-9)


def test_p_equals_that_of_the_difference_of_means_for_unequal_sizes() -> None:
    """The sum over X orders partitions as the difference of means does."""
    a = np.random.default_rng(3).normal(size=11)
    observed = a[:4].mean() - a[4:].mean()
    count = 0
    for chosen in itertools.combinations(range(11), 4):
        rest = [i for i in range(11) if i not in chosen]
        count += a[list(chosen)].mean() - a[rest].mean() >= observed - 1e-12
    assert permutation_p(a[:4], a[4:]).count == count


@pytest.mark.parametrize("method", METHODS)
def test_p_does_not_depend_on_the_number_of_threads(method: str) -> None:
    a = np.random.default_rng(1).normal(size=44)
    a[:22] += 0.4
    single_thread, two_threads, repeated = (
        permutation_p(a[:22], a[22:], method=method, rng=7, workers=w) for w in (1, 2, 2)
    )
    assert single_thread == two_threads == repeated


def test_default_seed_is_zero_and_a_generator_is_advanced() -> None:
    a = np.random.default_rng(1).normal(size=30)
    sets = a[:10], a[10:]
    default = permutation_p(*sets, method="sample")
    assert default == permutation_p(*sets, method="sample", rng=0)
    assert default != permutation_p(*sets, method="sample", rng=1)
    rng = np.random.default_rng(0)
    first, second = (permutation_p(*sets, method="sample", rng=rng) for _ in range(2))
    assert first == default
    assert second != first


def test_auto_counts_small_sets_and_small_tails_of_many_targets() -> None:
    rng = np.random.default_rng(2)
    a = rng.normal(size=400)
    assert permutation_p(a[:3], a[3:]).method == "exact"
    assert permutation_p(a[3:], a[:3]).method == "exact"
    ranked = np.sort(a[:100])[::-1].copy()
    ranked[[47, 53]] = ranked[[53, 47]]
    assert permutation_p(ranked[:50], ranked[50:]).method == "exact"
    apart = a[:100] + 2.5 * (np.arange(100) < 50)
    counted = permutation_p(apart[:50], apart[50:])
    assert counted.method == "exact"
    tilted = permutation_p(apart[:50], apart[50:], method="tilted")
    assert tilted.low <= counted.value <= tilted.high
    assert permutation_p(a[:200], a[200:]).method == "tilted"


def test_auto_counts_many_ties_among_many_targets() -> None:
    """With three distinct associations and no common step, no smooth formula holds."""
    rng = np.random.default_rng(4)
    a = rng.choice([0.0, 1.0, math.pi], size=80)
    p = permutation_p(a[:40], a[40:])
    assert p.method == "exact"
    assert p.count is not None
    tilted = permutation_p(a[:40], a[40:], method="tilted")
    assert tilted.low <= p.value <= tilted.high


def test_p_of_zeros_and_ones_equals_fisher_exact_test() -> None:
    """With associations of 0 and 1 the permutation test is Fisher's exact test."""
    from scipy.stats import fisher_exact

    x, y = [1.0] * 41 + [0.0] * 9, [1.0] * 20 + [0.0] * 40
    known = fisher_exact([[41, 9], [20, 40]], alternative="greater").pvalue
    for method in ("auto", "exact", "tilted", "bracket"):
        assert permutation_p(x, y, method=method).value == pytest.approx(known, rel=1e-9)


def test_p_of_ranks_equals_mann_whitney_test() -> None:
    """With ranks for associations it is Wilcoxon's test, whose exact tail scipy has."""
    from scipy.stats import mannwhitneyu

    rng = np.random.default_rng(8)
    for targets, size, shift in ((70, 30, 0.0), (200, 100, 0.5), (400, 150, 0.6)):
        scores = rng.normal(size=targets) + shift * (np.arange(targets) < size)
        ranks = scores.argsort().argsort() / 10
        x, y = ranks[:size], ranks[size:]
        known = mannwhitneyu(x, y, alternative="greater", method="exact").pvalue
        for method in ("auto", "tilted"):
            assert permutation_p(x, y, method=method).value == pytest.approx(known, rel=1e-9)


def test_small_tail_of_ranks_counts_integer_partitions() -> None:
    """Sets of ranks that sum to d below the largest sum are the integer partitions of d."""
    ranks = np.arange(200.0, 0.0, -1.0)
    ranks[[99, 109]] = ranks[[109, 99]]
    p = permutation_p(ranks[:100], ranks[100:])
    assert p.count == sum([1, 1, 2, 3, 5, 7, 11, 15, 22, 30, 42])


def test_counting_by_groups_equals_exact_counting() -> None:
    rng = np.random.default_rng(10)
    for _ in range(30):
        targets = int(rng.integers(3, 42))
        size = int(rng.integers(1, targets))
        a = rng.choice(rng.normal(size=int(rng.integers(1, 9))), size=targets)
        tail = build_tail(a[:size], a[size:])
        assert count_grouped(tail) == count_exact(tail)


@pytest.mark.parametrize("x", [[], [float("nan"), 1.0], [float("inf")]])
def test_empty_sets_and_non_finite_associations_are_refused(x: list[float]) -> None:
    with pytest.raises(CannotMeasure):
        permutation_p(x, [1.0, 2.0])
    with pytest.raises(CannotMeasure):
        permutation_p([1.0, 2.0], x)


def test_permutation_p_refuses_invalid_arguments() -> None:
    with pytest.raises(UsageError, match="alternative"):
        permutation_p([1.0], [2.0], alternative="more")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="method"):
        permutation_p([1.0], [2.0], method="guess")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="n_resamples"):
        permutation_p([1.0], [2.0], method="sample", n_resamples=0)
    with pytest.raises(UsageError, match="dimensions"):
        permutation_p([[1.0]], [2.0])


def test_exact_names_alternatives_if_it_needs_too_much_memory() -> None:
    a = np.random.default_rng(0).normal(size=90)
    with pytest.raises(CannotMeasure, match=r"45 of 90.*tilted"):
        permutation_p(a[:45], a[45:], method="exact")


def test_extreme_scales_do_not_overflow() -> None:
    assert permutation_p([1e308, 1e308], [-1e308, 3.0]).fraction == "1/6"
    assert permutation_p([5e-324, 0.0], [0.0, 0.0]).fraction == "3/6"
    a = np.random.default_rng(0).normal(size=3000)
    a[:1500] += 3
    p = permutation_p(a[:1500], a[1500:])
    assert isinstance(p, PValue)
    assert p.value > 0
    assert str(p) == "<2.2e-308"
