"""Baseline p-values compared with enumeration, rotation p-values and planted alignments."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from weatherglass.errors import CannotMeasure
from weatherglass.significance import (
    SetProfile,
    TopicMemory,
    coherence_baseline,
    frequency_baseline,
    rotation_p,
)
from weatherglass.significance.baseline import _disjoint_sets, _distinct_rows, _Topics, _windows

BASELINES = [frequency_baseline, coherence_baseline]


def unit(rows):
    rows = np.asarray(rows, dtype=np.float64)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def cosine(x, y, a, b):
    u, v = x.mean(axis=0) - y.mean(axis=0), a.mean(axis=0) - b.mean(axis=0)
    return float(u @ v / math.sqrt((u @ u) * (v @ v)))


def profiles(rows, *places):
    return [SetProfile.of(np.array(at), rows[list(at)]) for at in places]


def enumerate_share(rows, sizes, observed):
    """The share of all ways to choose four disjoint sets whose alignment is at least as large."""
    count = total = 0
    everything = set(range(len(rows)))
    for x in itertools.combinations(sorted(everything), sizes[0]):
        for y in itertools.combinations(sorted(everything - {*x}), sizes[1]):
            for a in itertools.combinations(sorted(everything - {*x, *y}), sizes[2]):
                for b in itertools.combinations(sorted(everything - {*x, *y, *a}), sizes[3]):
                    value = cosine(*(rows[list(at)] for at in (x, y, a, b)))
                    count += abs(value) >= abs(observed) - 1e-9
                    total += 1
    return count / total


def test_frequency_baseline_of_a_tiny_vocabulary_is_the_share_of_all_choices_of_sets():
    rows = unit(np.random.default_rng(3).normal(size=(8, 3)))
    sets = ([0, 1], [2, 3], [4], [5, 6])
    observed = cosine(*(rows[at] for at in sets))
    result = frequency_baseline(
        rows.astype(np.float32), profiles(rows, *sets), observed, is_ordered=False, n_draws=40_000
    )
    share = enumerate_share(rows, [len(at) for at in sets], observed)
    assert result.p.value == pytest.approx(share, abs=4 * 0.5 / math.sqrt(40_000))
    assert result.p.low <= share <= result.p.high


def test_draws_whose_alignment_equals_the_observed_one_count():
    rows = unit([[1, 0], [0, 1], [-1, 0], [0, -1]])
    sets = ([0], [1], [2], [3])  # every choice of four words has the alignment 0 or 1
    result = frequency_baseline(rows.astype(np.float32), profiles(rows, *sets), 1.0, n_draws=4000)
    assert result.p.value == pytest.approx(enumerate_share(rows, [1, 1, 1, 1], 1.0), abs=0.03)


@pytest.mark.parametrize("baseline", BASELINES)
def test_without_structure_the_baseline_is_the_two_sided_rotation_p(baseline):
    rng = np.random.default_rng(1)
    rows = unit(rng.normal(size=(3000, 40)))
    for seed in range(5):
        at = rng.choice(3000, (4, 6), replace=False)
        c = cosine(*(rows[places] for places in at))
        result = baseline(rows.astype(np.float32), profiles(rows, *at), c, n_draws=4999, rng=seed)
        direction = np.zeros(40)
        direction[:2] = c, math.sqrt(1 - c * c)
        expected = rotation_p(np.eye(40)[0], direction, alternative="two-sided").value
        assert result.p.value == pytest.approx(expected, abs=0.04)


@pytest.mark.slow
@pytest.mark.parametrize("baseline", BASELINES)
def test_baseline_p_of_random_sets_is_uniform_without_structure(baseline):
    rng = np.random.default_rng(2)
    rows = unit(rng.normal(size=(2000, 20)))
    values = []
    for seed in range(400):
        at = rng.choice(2000, (4, 5), replace=False)
        c = cosine(*(rows[places] for places in at))
        sets = profiles(rows, *at)
        values.append(baseline(rows.astype(np.float32), sets, c, n_draws=499, rng=seed).p.value)
    deviation = np.abs(np.sort(values) - np.arange(1, 401) / 401).max()
    assert deviation < 1.95 / math.sqrt(400)  # Kolmogorov-Smirnov at 0.1 %


@pytest.mark.parametrize("baseline", BASELINES)
def test_a_planted_alignment_has_a_small_baseline_p(baseline):
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(2000, 50))
    rows[100:116, 0] += 4
    rows[116:132, 0] -= 4
    rows = unit(rows)
    at = np.arange(100, 132).reshape(2, 2, 8).transpose(1, 0, 2).reshape(4, 8)  # X, Y; A, B
    observed = cosine(*(rows[places] for places in at))
    sets = profiles(rows, *at)
    reference = np.delete(rows, np.arange(100, 132), axis=0).astype(np.float32)
    assert baseline(reference, sets, observed, n_draws=1999).p.value < 0.005


@pytest.mark.parametrize("baseline", BASELINES)
def test_exchanging_sets_leaves_the_baseline_exactly_unchanged(baseline):
    rng = np.random.default_rng(5)
    rows = unit(rng.normal(size=(1500, 10)) + rng.normal(size=10))
    places = [np.sort(rng.choice(1500, size, replace=False)) for size in (5, 7, 6, 4)]
    x, y, a, b = profiles(rows, *places)
    orders = [(x, y, a, b), (y, x, a, b), (x, y, b, a), (a, b, x, y)]
    values = {baseline(rows.astype(np.float32), sets, 0.3, n_draws=999).p for sets in orders}
    backwards = profiles(rows, *(at[::-1] for at in places))
    values.add(baseline(rows.astype(np.float32), backwards, -0.3, n_draws=999).p)
    assert len(values) == 1


def test_the_words_of_a_draw_are_different_and_as_frequent_as_those_of_the_test():
    rng = np.random.default_rng(6)
    places = np.sort(rng.choice(900, 60))
    low, width = _windows(places, 100, 900)
    drawn = _distinct_rows(rng, low, width, 2000)
    assert all(len(set(draw)) == 60 for draw in drawn.tolist())
    assert ((low <= drawn) & (drawn < low + width)).all()
    assert width == 201
    assert low.min() >= 0
    assert (low + width).max() <= 900


def test_coherent_draws_have_different_words_in_all_sets_and_the_coherence_of_the_test():
    rng = np.random.default_rng(7)
    topics_of_words = rng.normal(size=(60, 30))
    rows = unit(np.repeat(topics_of_words, 30, axis=0) + rng.normal(size=(1800, 30)))
    rows = rows[rng.permutation(1800)].astype(np.float32)
    profile = SetProfile(np.arange(300, 308), 0.3)
    topics = [_Topics.around(rng, rows, profile, is_ordered=False) for _ in range(4)]
    drawn = _disjoint_sets(rng, topics, 800)
    assert len(drawn) > 400
    assert all(len(set(draw)) == 32 for draw in drawn.tolist())
    first = rows[drawn[:, :8]].astype(np.float64)
    total = first.sum(axis=1)
    coherence = ((total**2).sum(axis=1) - 8).mean() / (8 * 7)
    assert coherence == pytest.approx(0.3, abs=0.04)
    assert coherence == pytest.approx(topics[0].coherence, abs=0.04)


def test_the_same_seed_gives_the_same_baseline():
    rows = unit(np.random.default_rng(8).normal(size=(800, 5)))
    sets = profiles(rows, [1, 2], [3, 4], [5], [6])
    for baseline in BASELINES:
        first, again, other = (
            baseline(rows.astype(np.float32), sets, 0.4, n_draws=999, rng=seed).p
            for seed in (1, 1, 2)
        )
        assert first == again != other


def test_a_vocabulary_that_is_too_small_for_the_sets_is_refused():
    rows = unit(np.random.default_rng(9).normal(size=(20, 5)))
    sets = profiles(rows, range(6), range(6, 12), range(12, 18), [18, 19])
    with pytest.raises(CannotMeasure, match="do not overlap"):
        coherence_baseline(rows.astype(np.float32), sets, 0.4, n_draws=999)
    with pytest.raises(CannotMeasure, match="fewer than the test has words"):
        frequency_baseline(rows[:10].astype(np.float32), sets, 0.4)


def test_remembered_topics_give_the_same_numbers_whatever_was_asked_before():
    rng = np.random.default_rng(11)
    rows = rng.normal(size=(800, 12)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    sets = [
        SetProfile(np.sort(rng.choice(800, size)), float(coherence))
        for size, coherence in zip((3, 4, 5, 3, 4, 1), (0.2, 0.3, 0.1, 0.4, 0.2, 1.0), strict=True)
    ]
    tests = [[sets[(k + j) % 6] for j in range(4)] for k in range(6)]
    memory = TopicMemory()
    for test in tests + tests[::-1]:
        alone = coherence_baseline(rows, test, 0.3, n_draws=999, rng=5)
        assert coherence_baseline(rows, test, 0.3, n_draws=999, rng=5, memory=memory) == alone
