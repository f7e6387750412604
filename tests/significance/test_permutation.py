"""Every method against brute force, and what holds for all of them."""

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
from weatherglass.significance.tail import tail_of

METHODS = ["auto", "exact", "tilted", "bracket", "sample", "normal"]
SCALES = [1.0, 0.1, 1 / 7, math.pi * 1e-5, -1e30]


def brute(x: list[int], y: list[int]) -> tuple[int, int, int]:
    """How many sets sum to at least, and to at most, the observed sum, and how many there are."""
    sums = [sum(chosen) for chosen in itertools.combinations(x + y, len(x))]
    return sum(s >= sum(x) for s in sums), sum(s <= sum(x) for s in sums), len(sums)


@st.composite
def two_sets(draw: st.DrawFn, spread: int = 4) -> tuple[list[int], list[int]]:
    """Up to 12 targets with small whole numbers, so that ties and duplicates are everywhere."""
    numbers = st.integers(-spread, spread)
    values = draw(st.lists(numbers, min_size=2, max_size=12))
    size = draw(st.integers(1, len(values) - 1))
    return values[:size], values[size:]


@given(two_sets(), st.sampled_from(SCALES))
@settings(max_examples=300)
def test_the_count_is_that_of_brute_force(sets: tuple[list[int], list[int]], scale: float) -> None:
    x, y = sets
    at_least, at_most, partitions = brute(x, y)
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


@given(two_sets(), st.sampled_from(SCALES[:4]), st.sampled_from(["tilted", "bracket"]))
@settings(max_examples=300)
def test_tilted_and_bracket_are_right_on_ties(
    sets: tuple[list[int], list[int]], scale: float, method: str
) -> None:
    x, y = sets
    at_least, at_most, partitions = brute(x, y)
    scaled = np.array(x) * scale, np.array(y) * scale
    for alternative, count in (("greater", at_least), ("less", at_most)):
        p = permutation_p(*scaled, method=method, alternative=alternative)
        truth = count / partitions
        assert p.value == pytest.approx(truth, rel=1e-9)
        assert p.low <= truth * (1 + 1e-14)
        assert p.high >= truth * (1 - 1e-14)


@given(two_sets(), st.sampled_from(["greater", "less", "two-sided"]))
@settings(max_examples=60)
def test_sampling_is_near_brute_force(sets: tuple[list[int], list[int]], alternative: str) -> None:
    x, y = sets
    at_least, at_most, partitions = brute(x, y)
    count = {"greater": at_least, "less": at_most, "two-sided": 2 * min(at_least, at_most)}
    truth = min(1.0, count[alternative] / partitions)
    drawn = 9_999
    p = permutation_p(x, y, method="sample", n_resamples=drawn, alternative=alternative)
    # Six standard deviations, and ten counts where the binomial is far from normal.
    assert abs(p.value - truth) <= 12 * math.sqrt(truth * (1 - truth / 2) / drawn) + 20 / drawn
    assert p.low <= p.value <= p.high


@given(two_sets(), st.sampled_from(METHODS), st.sampled_from(["greater", "less", "two-sided"]))
@settings(max_examples=200)
def test_a_p_value_is_above_zero_and_between_its_ends(
    sets: tuple[list[int], list[int]], method: str, alternative: str
) -> None:
    p = permutation_p(*sets, method=method, alternative=alternative, n_resamples=99)
    assert 0 <= p.low <= p.value <= p.high <= 1
    assert p.value > 0
    assert p.alternative == alternative


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12), st.data())
@settings(max_examples=200)
def test_any_floats_are_counted_as_fractions_would_be(
    values: list[float], data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, len(values) - 1))
    exact = [Fraction(v) for v in values]
    observed = sum(exact[:size])
    sums = [sum(chosen) for chosen in itertools.combinations(exact, size)]
    # What the grid calls a tie: nothing nearer than this may be counted on either side.
    noise = Fraction(max(map(abs, values)) * size * 2e-12)
    certain = sum(s >= observed + noise for s in sums)
    possible = sum(s >= observed - noise for s in sums)
    count = permutation_p(values[:size], values[size:]).count
    assert count is not None
    assert certain <= count <= possible
    assert sum(s >= observed for s in sums) <= count


@pytest.mark.parametrize("method", METHODS)
def test_all_associations_equal_gives_one(method: str) -> None:
    for value in (0.0, 0.1, -3e-20):
        p = permutation_p([value] * 40, [value] * 30, method=method)
        assert (p.value, p.low if method != "sample" else 1.0, p.high) == (1.0, 1.0, 1.0)


def test_noise_between_equal_words_breaks_no_tie() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=6) * 0.05
    twice = np.concatenate([a, a])
    clean = permutation_p(twice[:6], twice[6:])
    assert clean.count is not None
    for _ in range(50):
        noisy = twice + rng.uniform(-1e-16, 1e-16, 12)
        assert permutation_p(noisy[:6], noisy[6:]).count == clean.count


def test_resolution_says_what_is_noise_where_everything_is_small() -> None:
    x, y = [1e-17, -1e-17, 0.0], [2e-17, 0.0, 0.0]
    assert permutation_p(x, y, resolution=1e-15).fraction == "20/20"


@pytest.mark.parametrize("method", ["auto", "exact", "tilted", "bracket"])
@pytest.mark.parametrize("targets", [4, 16, 60, 700])
def test_complete_separation_is_the_share_of_ties(method: str, targets: int) -> None:
    half = targets // 2
    a = np.random.default_rng(targets).normal(size=targets)
    a.sort()
    p = permutation_p(a[half:], a[:half], method=method)
    assert (p.method, p.count, p.partitions) == ("exact", 1, math.comb(targets, half))
    # The last one in ties with one that is out.
    a[half - 1] = a[half]
    assert permutation_p(a[half:], a[:half], method=method).count == 2
    assert permutation_p(a[:half], a[half:], method=method).value == 1.0


def test_the_smallest_p_value_of_eight_against_eight() -> None:
    """Two sets of 8, wholly apart: the least that 8 words against 8 can give."""
    p = permutation_p(np.arange(8) + 10.0, np.arange(8))
    assert (str(p), p.fraction) == ("7.8e-05", "1/12870")


@given(two_sets(), st.sampled_from(["exact", "tilted", "bracket"]))
@settings(max_examples=100)
def test_symmetries(sets: tuple[list[int], list[int]], method: str) -> None:
    x, y = (np.array(one, float) for one in sets)
    p = permutation_p(x, y, method=method).value
    same = [
        permutation_p(y, x, method=method, alternative="less"),
        permutation_p(-x, -y, method=method, alternative="less"),
        permutation_p(-y, -x, method=method),
        permutation_p(3 * x + 5, 3 * y + 5, method=method),
        permutation_p(x[::-1], y[::-1], method=method),
    ]
    assert [one.value for one in same] == pytest.approx([p] * 5, rel=1e-9)


def test_the_statistic_may_be_the_difference_of_means() -> None:
    """With unequal sizes too, the sum over X orders partitions as the difference of means does."""
    a = np.random.default_rng(3).normal(size=11)
    observed = a[:4].mean() - a[4:].mean()
    count = 0
    for chosen in itertools.combinations(range(11), 4):
        rest = [i for i in range(11) if i not in chosen]
        count += a[list(chosen)].mean() - a[rest].mean() >= observed - 1e-12
    assert permutation_p(a[:4], a[4:]).count == count


@pytest.mark.parametrize("method", METHODS)
def test_the_answer_is_the_same_on_any_number_of_threads(method: str) -> None:
    a = np.random.default_rng(1).normal(size=44)
    a[:22] += 0.4
    one, two, again = (
        permutation_p(a[:22], a[22:], method=method, rng=7, workers=w) for w in (1, 2, 2)
    )
    assert one == two == again


def test_seed_zero_is_the_default_and_a_generator_moves_on() -> None:
    a = np.random.default_rng(1).normal(size=30)
    sets = a[:10], a[10:]
    default = permutation_p(*sets, method="sample")
    assert default == permutation_p(*sets, method="sample", rng=0)
    assert default != permutation_p(*sets, method="sample", rng=1)
    rng = np.random.default_rng(0)
    first, second = (permutation_p(*sets, method="sample", rng=rng) for _ in range(2))
    assert first == default
    assert second != first


def test_auto_counts_small_samples_and_small_tails_of_many_targets() -> None:
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


def test_many_ties_among_many_targets_are_counted() -> None:
    """Three associations and no common step: no smooth formula holds, and none is used."""
    rng = np.random.default_rng(4)
    a = rng.choice([0.0, 1.0, math.pi], size=80)
    p = permutation_p(a[:40], a[40:])
    assert p.method == "exact"
    assert p.count is not None
    tilted = permutation_p(a[:40], a[40:], method="tilted")
    assert tilted.low <= p.value <= tilted.high


def test_a_hypergeometric_tail_is_known() -> None:
    """With associations of 0 and 1 the permutation test is Fisher's exact test."""
    from scipy.stats import fisher_exact

    x, y = [1.0] * 41 + [0.0] * 9, [1.0] * 20 + [0.0] * 40
    known = fisher_exact([[41, 9], [20, 40]], alternative="greater").pvalue
    for method in ("auto", "exact", "tilted", "bracket"):
        assert permutation_p(x, y, method=method).value == pytest.approx(known, rel=1e-9)


def test_a_rank_sum_is_known() -> None:
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


def test_a_small_tail_of_many_targets_is_known() -> None:
    """Sets of ranks that sum to d below the largest sum are the integer partitions of d."""
    ranks = np.arange(200.0, 0.0, -1.0)
    ranks[[99, 109]] = ranks[[109, 99]]
    p = permutation_p(ranks[:100], ranks[100:])
    assert p.count == sum([1, 1, 2, 3, 5, 7, 11, 15, 22, 30, 42])


def test_counting_by_groups_is_counting() -> None:
    rng = np.random.default_rng(10)
    for _ in range(30):
        targets = int(rng.integers(3, 42))
        size = int(rng.integers(1, targets))
        a = rng.choice(rng.normal(size=int(rng.integers(1, 9))), size=targets)
        tail = tail_of(a[:size], a[size:])
        assert count_grouped(tail) == count_exact(tail)


@pytest.mark.parametrize("x", [[], [float("nan"), 1.0], [float("inf")]])
def test_what_cannot_be_measured_is_refused(x: list[float]) -> None:
    with pytest.raises(CannotMeasure):
        permutation_p(x, [1.0, 2.0])
    with pytest.raises(CannotMeasure):
        permutation_p([1.0, 2.0], x)


def test_wrong_calls_are_refused() -> None:
    with pytest.raises(UsageError, match="alternative"):
        permutation_p([1.0], [2.0], alternative="more")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="method"):
        permutation_p([1.0], [2.0], method="guess")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="n_resamples"):
        permutation_p([1.0], [2.0], method="sample", n_resamples=0)
    with pytest.raises(UsageError, match="dimensions"):
        permutation_p([[1.0]], [2.0])


def test_exact_says_when_it_is_too_much() -> None:
    a = np.random.default_rng(0).normal(size=90)
    with pytest.raises(CannotMeasure, match=r"45 of 90.*tilted"):
        permutation_p(a[:45], a[45:], method="exact")


def test_extreme_scales_do_no_harm() -> None:
    assert permutation_p([1e308, 1e308], [-1e308, 3.0]).fraction == "1/6"
    assert permutation_p([5e-324, 0.0], [0.0, 0.0]).fraction == "3/6"
    a = np.random.default_rng(0).normal(size=3000)
    a[:1500] += 3
    p = permutation_p(a[:1500], a[1500:])
    assert isinstance(p, PValue)
    assert p.value > 0
    assert str(p) == "<2.2e-308"
