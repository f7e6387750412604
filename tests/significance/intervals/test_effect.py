"""Intervals of the effect size compared with scipy and brute force, and their coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.significance import (
    Interval,
    crossed_interval,
    effect_interval,
    template_variance,
)
from weatherglass.significance.intervals.interval import noncentral_t_cdf


def effect(x: np.ndarray, y: np.ndarray, ddof: int = 1) -> float:
    return float((x.mean() - y.mean()) / np.concatenate([x, y]).std(ddof=ddof))


def population_difference(effect: float, n: int, m: int, sd: float = 1.0) -> float:
    share = n / (n + m)
    within = share + (1 - share) * sd**2
    return effect * math.sqrt(within / (1 - share * (1 - share) * effect**2))


@pytest.mark.parametrize(("t", "df", "noncentrality"), [(0.5, 3, 0), (2, 14, 2), (-3, 48, -1)])
def test_quadrature_of_the_noncentral_t_agrees_with_scipy(
    t: float, df: float, noncentrality: float
) -> None:
    from scipy.stats import nct
    from scipy.stats import t as student

    expected = nct.cdf(t, df, noncentrality) if noncentrality else student.cdf(t, df)
    assert noncentral_t_cdf(t, df, noncentrality) == pytest.approx(expected, abs=5e-6)


def test_ends_solve_the_equations_of_the_noncentral_t() -> None:
    x, y = np.array([0.1, 0.5, 0.9, 1.2, 1.3]), np.array([-0.6, -0.2, 0.0, 0.1, 0.7])
    interval = effect_interval(x, y, confidence=0.9)
    n, m = len(x), len(y)
    residuals = np.concatenate([x - x.mean(), y - y.mean()])
    assert (residuals**4).mean() / (residuals**2).mean() ** 2 * 10 / 8 < 3  # ν' is ν
    pooled = math.sqrt((residuals**2).sum() / (n + m - 2))
    t = (x.mean() - y.mean()) / pooled / math.sqrt(1 / n + 1 / m)
    share = n * m / (n + m) ** 2
    for end, probability in ((interval.low, 0.95), (interval.high, 0.05)):
        delta = end / math.sqrt(1 - share * end**2)
        noncentrality = delta / math.sqrt(1 / n + 1 / m)
        assert noncentral_t_cdf(t, n + m - 2, noncentrality) == pytest.approx(probability, abs=1e-8)


@pytest.mark.parametrize(("n", "m"), [(2, 2), (5, 20), (8, 25), (3, 30)])
def test_effect_is_the_stated_function_of_student_t_for_any_sizes(n: int, m: int) -> None:
    from scipy.stats import ttest_ind

    rng = np.random.default_rng(n)
    x, y = rng.normal(1, 1, n), rng.normal(size=m)
    t, total = float(ttest_ind(x, y).statistic), n + m
    ratio = total * (total - 1) / (n * m)
    assert effect(x, y) == pytest.approx(t * math.sqrt(ratio / (t**2 + total - 2)))


def test_heavy_tails_widen_the_interval_and_are_noted() -> None:
    x = np.array([-1.0, -0.5, 0.0, 0.5, 1.0] * 4)
    tails = x.copy()
    tails[0], tails[4] = -9.0, 9.0
    plain, heavy = effect_interval(x + 1, x), effect_interval(tails + tails.std() / x.std(), tails)
    assert effect(x + 1, x) == pytest.approx(effect(tails + tails.std() / x.std(), tails))
    assert heavy.low < plain.low < plain.high < heavy.high
    assert plain.note == ""
    assert "heavy tails" in heavy.note


def test_swapped_sets_have_the_mirrored_interval() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(0.8, 1, 9), rng.normal(size=14)
    there, back = effect_interval(x, y), effect_interval(y, x)
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low), abs=1e-8)
    tables = rng.normal(size=(4, 6, 5))
    there = crossed_interval(*tables)
    back = crossed_interval(tables[2], tables[3], tables[0], tables[1])
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low), abs=1e-8)


def test_interval_is_unchanged_by_shift_and_scale() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(0.8, 1, 9), rng.normal(size=14)
    ends = effect_interval(x, y)
    for scale in (1e-120, 1e-9, 1e120):
        other = effect_interval(scale * (x + 3), scale * (y + 3))
        assert (other.low, other.high) == pytest.approx((ends.low, ends.high))


numbers = st.floats(-1e6, 1e6, allow_nan=False)


@given(
    st.lists(numbers | st.sampled_from([0.0, 1.0]), min_size=2, max_size=12),
    st.lists(numbers | st.sampled_from([0.0, 1.0]), min_size=2, max_size=12),
    st.sampled_from([0, 1]),
)
def test_interval_of_any_numbers_is_finite_and_contains_the_effect(
    x: list[float], y: list[float], ddof: int
) -> None:
    try:
        interval = effect_interval(x, y, ddof=ddof)
    except CannotMeasure:
        spread = max(np.ptp(x), np.ptp(y))
        assert spread <= 1e-8 * max(1e-300, abs(np.mean(x) - np.mean(y)))
        return
    bound = (len(x) + len(y)) / math.sqrt(len(x) * len(y))
    assert -bound <= interval.low <= interval.high <= bound * (1 + 1e-12)
    scale = max(map(abs, [*x, *y]))  # the squares of tiny numbers are zero
    here = effect(np.array(x) / scale, np.array(y) / scale, ddof)
    assert interval.low - 1e-9 <= here <= interval.high + 1e-9


@pytest.mark.slow
@given(st.integers(0, 2**32), st.integers(2, 5), st.integers(2, 5), st.booleans())
def test_crossed_interval_of_any_tables_is_finite_and_contains_the_effect(
    seed: int, n: int, k: int, is_tied: bool
) -> None:
    rng = np.random.default_rng(seed)
    tables = [
        np.round(rng.normal(size=(rows, columns)), 0 if is_tied else 9)
        for rows in (n, 3)
        for columns in (k, 4)
    ]
    try:
        interval = crossed_interval(*tables)
    except CannotMeasure:
        assert is_tied
        return
    x, y = (tables[i].mean(1) - tables[i + 1].mean(1) for i in (0, 2))
    assert interval.low - 1e-9 <= effect(x, y) <= interval.high + 1e-9


def test_crossed_interval_without_variance_between_attributes_is_that_of_the_targets() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(1, 1, 8), rng.normal(size=9)
    tables = [
        np.repeat(sign * values[:, None] / 2, 5, axis=1) for values in (x, y) for sign in (1, -1)
    ]
    crossed, targets = crossed_interval(*tables), effect_interval(x, y)
    assert (crossed.low, crossed.high) == pytest.approx((targets.low, targets.high), abs=1e-4)


def test_attributes_that_disagree_widen_the_crossed_interval() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(1, 1, (8, 1)), rng.normal(size=(8, 1))
    a = np.array([-3.0, 3.0, -3.0, 3.0, 0.0])  # on average they say nothing
    tables = (x / 2 + a, -x / 2 + 0 * a, y / 2 - a, -y / 2 + 0 * a)
    crossed = crossed_interval(*tables)
    targets = effect_interval(x[:, 0], y[:, 0])
    assert crossed.high - crossed.low > 1.5 * (targets.high - targets.low)


def test_an_attribute_word_with_two_sentences_counts_twice() -> None:
    rng = np.random.default_rng(5)
    tables = [rng.normal(size=(6, 4)) for _ in range(4)]
    weights = np.array([2.0, 1.0, 1.0, 1.0])
    interval = crossed_interval(*tables, weights=(weights, None), confidence=1e-6)
    x, y = (tables[i] @ weights / 5 - tables[i + 1].mean(1) for i in (0, 2))
    middle = (interval.low + interval.high) / 2
    assert middle == pytest.approx(effect(x, y), abs=0.05)


@pytest.mark.parametrize(("n", "m", "truth"), [(8, 8, 1.66), (5, 20, 0.9), (8, 25, 1.66)])
def test_interval_covers_the_truth_where_the_bootstrap_does_not(
    n: int, m: int, truth: float
) -> None:
    rng = np.random.default_rng(6)
    difference = population_difference(truth, n, m)
    trials = 300
    covered = 0
    for _ in range(trials):
        interval = effect_interval(rng.normal(difference, 1, n), rng.normal(size=m))
        covered += interval.low <= truth <= interval.high
    assert 0.91 * trials <= covered <= 0.99 * trials


def test_interval_covers_the_truth_if_the_smaller_set_varies_more() -> None:
    rng = np.random.default_rng(8)
    n, m, truth, trials = 5, 20, 0.9, 400
    difference = 2 * population_difference(truth, n, m, sd=0.5)
    covered = 0
    for _ in range(trials):
        interval = effect_interval(rng.normal(difference, 2, n), rng.normal(size=m))
        covered += interval.low <= truth <= interval.high
    assert covered >= 0.905 * trials  # 83 % with one pooled variance


def test_crossed_interval_covers_the_truth_where_that_of_the_targets_does_not() -> None:
    rng = np.random.default_rng(7)
    n = k = 8
    difference, between = 1.0, 1.5
    variance = 1 + 2 / k + (difference**2 + between**2 * 2 / k) / 4
    truth = difference / math.sqrt(variance)
    trials, crossed, targets = 100, 0, 0
    for _ in range(trials):
        a, b = rng.normal(0, between, (2, k))
        x, y = difference + rng.normal(size=(n, 1)), rng.normal(size=(n, 1))
        noise = rng.normal(size=(4, n, k))
        x_a, x_b = x / 2 + a / 2 + noise[0], -x / 2 + b / 2 + noise[1]
        y_a, y_b = y / 2 - a / 2 + noise[2], -y / 2 - b / 2 + noise[3]
        interval = crossed_interval(x_a, x_b, y_a, y_b)
        crossed += interval.low <= truth <= interval.high
        interval = effect_interval(x_a.mean(1) - x_b.mean(1), y_a.mean(1) - y_b.mean(1))
        targets += interval.low <= truth <= interval.high
    assert crossed >= 0.91 * trials
    assert targets <= 0.88 * trials


def test_sets_without_variance_have_no_interval() -> None:
    with pytest.raises(CannotMeasure, match="same association"):
        effect_interval([1.0, 1.0], [0.0, 0.0])
    with pytest.raises(CannotMeasure, match="same association"):
        effect_interval([1.0, 1.0], [1.0, 1.0])


def test_intervals_refuse_invalid_arguments() -> None:
    with pytest.raises(CannotMeasure, match="at least 2"):
        effect_interval([1.0], [1.0, 2.0])
    with pytest.raises(CannotMeasure, match="not finite"):
        effect_interval([1.0, math.nan], [1.0, 2.0])
    with pytest.raises(CannotMeasure, match="attribute set has 1 words"):
        crossed_interval(np.ones((3, 1)), np.ones((3, 2)), np.ones((3, 1)), np.ones((3, 2)))
    with pytest.raises(UsageError, match="confidence"):
        effect_interval([1.0, 2.0], [1.0, 3.0], confidence=95)
    with pytest.raises(UsageError, match="ddof"):
        effect_interval([1.0, 2.0], [1.0, 3.0], ddof=2)


def test_interval_says_what_it_is_about() -> None:
    interval = effect_interval([1.0, 2.0, 4.0], [0.0, 1.0, 1.5])
    assert interval.title == "95 % confidence interval over other target words"
    assert interval.n_resamples == 0
    assert Interval(**interval.to_dict()) == interval  # type: ignore[arg-type]


def sentence_labels(words: int, templates: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return weights, words and templates of two sets with the same templates, word by word."""
    weights = np.repeat([1, -1], words * templates) / (words * templates)
    return (
        weights,
        np.repeat(np.arange(2 * words), templates),
        np.tile(np.arange(templates), 2 * words),
    )


def test_template_variance_is_that_of_the_mean_of_template_differences() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(2, 6, 4))  # set, word, template
    values += np.array([1, -1])[:, None, None] * rng.normal(0, 2, 4)
    part = template_variance(values.ravel(), *sentence_labels(6, 4))
    assert part is not None
    by_template = values[0].mean(axis=0) - values[1].mean(axis=0)
    assert part.variance == pytest.approx(by_template.var(ddof=1) / 4)
    assert part.df == 3
    assert 0 < part.common < part.variance


def test_template_variance_ignores_words_and_templates_that_both_sets_share() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(2, 5, 1)) + rng.normal(0, 3, 3)
    part = template_variance(values.ravel(), *sentence_labels(5, 3))
    assert part is not None
    assert part.variance == pytest.approx(0, abs=1e-20)
    assert part.common == pytest.approx(0, abs=1e-20)


def test_template_variance_does_not_change_when_sets_are_swapped_or_sentences_reordered() -> None:
    rng = np.random.default_rng(2)
    values, labels = rng.normal(size=24), sentence_labels(4, 3)
    expected = template_variance(values, *labels)
    order = rng.permutation(24)
    assert expected is not None
    for other in (
        template_variance(values, -labels[0], *labels[1:]),
        template_variance(values[order], *(label[order] for label in labels)),
    ):
        assert other is not None
        assert other.variance == pytest.approx(expected.variance)
        assert other.common == pytest.approx(expected.common)


def test_a_single_template_has_no_variance() -> None:
    assert template_variance(np.arange(8.0), *sentence_labels(4, 1)) is None


def test_templates_widen_the_interval_only_where_they_differ() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(2, 8, 1)) + np.array([1.5, 0])[:, None, None]
    x, y = values[0, :, 0], values[1, :, 0]
    tables = [np.repeat(side * w[:, None] / 2, 4, axis=1) for w in (x, y) for side in (1, -1)]
    widths = []
    for spread in (0, 1):
        moved = values + np.array([1, -1])[:, None, None] * spread * rng.normal(size=5)
        part = template_variance(moved.ravel(), *sentence_labels(8, 5))
        assert part is not None
        interval = crossed_interval(*tables, extra=[part])
        widths.append(interval.high - interval.low)
    plain = crossed_interval(*tables)
    assert widths[0] == pytest.approx(plain.high - plain.low)
    assert widths[1] > widths[0]
