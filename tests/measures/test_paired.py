import numpy as np
import pytest

import weatherglass as wg
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.measures import (
    fact_contrast,
    paired_difference,
    paired_results,
    set_contrast,
)
from weatherglass.significance import sign_flip_p


def noisy_pair(rng, n, effect, noise=0.5, planted=0.0):
    """Associations of one population of words on two sources, each with noise of its own."""
    gap = effect / 2 / np.sqrt(1 - (effect / 2) ** 2)
    side = np.r_[np.ones(n), -np.ones(n)]
    s = rng.normal(size=2 * n) + gap * side
    first = s + planted / 2 * side + noise * rng.normal(size=2 * n)
    return first, s + noise * rng.normal(size=2 * n)


def test_effects_are_those_of_weat_and_their_difference_is_the_difference():
    rng = np.random.default_rng(0)
    first, second = noisy_pair(rng, 8, 1.0)
    result = paired_difference(first, second, set_contrast(8, 8))
    effects = [(s[:8].mean() - s[8:].mean()) / s.std(ddof=1) for s in (first, second)]
    assert (result.first, result.second) == pytest.approx(effects)
    assert result.difference == pytest.approx(effects[0] - effects[1])
    assert result.low < result.difference < result.high
    biased = paired_difference(first, second, set_contrast(8, 8), ddof=0)
    assert biased.first == pytest.approx((first[:8].mean() - first[8:].mean()) / first.std())
    assert biased.p == result.p


def test_effects_of_a_factual_test_are_correlations_with_its_facts():
    rng = np.random.default_rng(1)
    facts = rng.uniform(size=20)
    first, second = facts + rng.normal(size=(2, 20))
    result = paired_difference(first, second, fact_contrast(facts))
    assert result.first == pytest.approx(np.corrcoef(first, facts)[0, 1])
    assert result.second == pytest.approx(np.corrcoef(second, facts)[0, 1])


def test_the_order_of_sources_changes_only_the_sign():
    first, second = noisy_pair(np.random.default_rng(2), 9, 1.2)
    forward = paired_difference(first, second, set_contrast(9, 9))
    backward = paired_difference(second, first, set_contrast(9, 9))
    assert backward.difference == -forward.difference
    assert (backward.low, backward.high) == pytest.approx((-forward.high, -forward.low))
    assert backward.p == forward.p


def test_shift_and_scale_of_a_source_change_nothing():
    first, second = noisy_pair(np.random.default_rng(3), 8, 1.2)
    plain = paired_difference(first, second, set_contrast(8, 8))
    moved = paired_difference(first, 0.01 * second - 5, set_contrast(8, 8))
    assert moved.difference == pytest.approx(plain.difference)
    assert moved.p.fraction == plain.p.fraction


def test_a_source_does_not_differ_from_itself_or_from_its_rounded_copy():
    first, _ = noisy_pair(np.random.default_rng(4), 30, 1.0)
    for second in (first, first.astype(np.float32)):
        result = paired_difference(first, second, set_contrast(30, 30))
        assert result.difference == pytest.approx(0, abs=1e-6)
        assert result.p.value == 1.0


def test_a_mirrored_source_has_the_opposite_effect():
    first, _ = noisy_pair(np.random.default_rng(5), 8, 1.7)
    result = paired_difference(first, -first, set_contrast(8, 8))
    assert result.second == pytest.approx(-result.first)
    assert result.p.value < 0.01


@pytest.mark.parametrize("effect", [0.0, 1.0, 1.7])
def test_the_level_is_five_per_cent_whatever_the_size_of_the_effect(effect):
    rng = np.random.default_rng(6)
    contrast = set_contrast(8, 8)
    p = [paired_difference(*noisy_pair(rng, 8, effect), contrast).p.value for _ in range(600)]
    assert 0.02 <= np.mean(np.array(p) <= 0.05) <= 0.08


def test_flipping_unadjusted_differences_would_hardly_ever_reject_at_a_large_effect():
    rng = np.random.default_rng(8)
    contrast = set_contrast(8, 8)
    rejected = 0
    for _ in range(600):
        z1, z2 = ((s - s.mean()) / s.std(ddof=1) for s in noisy_pair(rng, 8, 1.7))
        rejected += sign_flip_p(contrast * (z1 - z2)).value <= 0.05
    assert rejected <= 3


def test_a_planted_difference_is_found_although_the_effect_is_large():
    rng = np.random.default_rng(7)
    contrast = set_contrast(25, 25)
    p = [
        paired_difference(
            *noisy_pair(rng, 25, 1.7, planted=1.5), contrast, method="sample", n_resamples=999
        ).p.value
        for _ in range(100)
    ]
    assert np.mean(np.array(p) <= 0.05) > 0.8


def test_records_of_two_results_give_the_test_of_their_sources(glove840b):
    vectors = wg.open_vectors("default"), wg.open_vectors(glove840b)
    agreement = wg.agree(vectors, "weat6")
    from_records = paired_results(*(wg.weat(source, "weat6") for source in vectors))
    direct = agreement.pairs[0].difference
    assert from_records.p == direct.p
    assert from_records.difference == pytest.approx(direct.difference)
    facts = paired_results(*(wg.wefat(source, "wefat1") for source in vectors))
    assert facts.first == pytest.approx(0.66, abs=0.005)
    assert facts.second == pytest.approx(0.90, abs=0.005)


def test_records_of_different_tests_or_without_words_in_common_are_not_compared():
    vectors = wg.open_vectors("default")
    weat, wefat = wg.weat(vectors, "weat6"), wg.wefat(vectors, "wefat1")
    assert paired_results(weat, wefat) is None
    assert paired_results(weat, wg.weat(vectors, "weat9")) is None
    mac = wg.measure(vectors, "mac", {"X": ["doctor"], "A": ["she"]})
    assert paired_results(mac, mac) is None


def test_a_difference_that_cannot_be_tested_has_a_reason():
    with pytest.raises(CannotMeasure, match="3 words"):
        paired_difference([1, 2, 3], [3, 1, 2], [0.5, 0.5, -1])
    with pytest.raises(CannotMeasure, match="same number in second"):
        paired_difference([1, 2, 3, 4], [1, 1, 1, 1], set_contrast(2, 2))
    with pytest.raises(UsageError, match="one number for each word"):
        paired_difference([1, 2, 3, 4], [1, 2, 4, 3], set_contrast(2, 3))
