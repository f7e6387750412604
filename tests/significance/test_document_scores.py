"""The effect of documents' labels on scores: estimate, permutation p-value and interval."""

from itertools import combinations

import numpy as np
import pytest

from weatherglass.errors import CannotMeasure
from weatherglass.significance import Cells, detectable_difference, label_effect


def cells(documents, words, weights, scores):
    return Cells(
        np.array(documents), np.array(words), np.array(weights, float), np.array(scores, float)
    )


def one_word(scores, weights=None):
    """Cells of one word that occurs in every document."""
    count = len(scores)
    return cells(range(count), [0] * count, np.ones(count) if weights is None else weights, scores)


def effect(x, y, labels, covariates=None, *, permutations=199, seed=0, parts_of=None):
    labels = np.array(labels, float)
    z = np.empty((len(labels), 0)) if covariates is None else np.array(covariates, float)
    rng = np.random.default_rng(seed)
    return label_effect((x, y), labels, z, permutations=permutations, rng=rng, parts_of=parts_of)


def test_difference_is_that_of_weighted_group_means_in_x_minus_that_in_y():
    labels = [1, 1, 0, 0]
    x = one_word([1.0, 4.0, 2.0, 2.0], [1, 2, 1, 1])  # means 3 and 2
    y = one_word([0.0, 1.0, 3.0, 1.0], [1, 1, 3, 1])  # means 0.5 and 2.5
    result = effect(x, y, labels)
    assert result.parts == pytest.approx((1.0, -2.0))
    assert result.difference == pytest.approx(3.0)


def test_which_words_a_group_uses_makes_no_difference():
    # The first word has the score 5 wherever it occurs, the second 1; groups mix them differently.
    x = cells([0, 0, 1, 2, 3, 3], [0, 1, 0, 1, 0, 1], [9, 1, 9, 9, 1, 9], [5, 1, 5, 1, 5, 1])
    y = one_word([0.3, 0.1, 0.2, 0.4])
    result = effect(x, y, [1, 1, 0, 0])
    assert result.parts[0] == pytest.approx(0.0, abs=1e-12)


def test_p_value_is_the_share_of_all_divisions_of_documents():
    rng = np.random.default_rng(5)
    scores = rng.normal(size=10)
    scores[:5] += 1.0
    labels = np.repeat([1.0, 0.0], 5)
    result = effect(one_word(scores), one_word(np.arange(10.0)), labels, permutations=20_000)
    centred = scores - np.arange(10.0)
    centred -= centred.mean()
    sums = np.abs([centred[list(group)].sum() for group in combinations(range(10), 5)])
    exact = np.mean(sums >= abs(centred[:5].sum()) - 1e-12)
    assert result.p.value == pytest.approx(exact, abs=0.01)
    assert result.p.low <= exact <= result.p.high


def test_zero_is_in_the_interval_exactly_if_p_is_above_five_per_cent():
    for seed in range(25):
        rng = np.random.default_rng(seed)
        labels = rng.permutation(np.repeat([1.0, 0.0], 12))
        result = effect(
            one_word(rng.normal(size=24) + 0.8 * labels), one_word(rng.normal(size=24)), labels
        )
        low, high = result.interval
        assert low < result.difference < high
        assert (low <= 0 <= high) == (result.p.value > 0.05)


def test_swapping_groups_or_sets_changes_only_the_sign():
    rng = np.random.default_rng(3)
    x, y = (one_word(rng.normal(size=20), rng.integers(1, 9, 20)) for _ in range(2))
    labels = np.repeat([1.0, 0.0], 10)
    result, groups, sets = effect(x, y, labels), effect(x, y, 1 - labels), effect(y, x, labels)
    for swapped in (groups, sets):
        assert swapped.difference == pytest.approx(-result.difference)
        assert swapped.p == result.p
        assert swapped.interval == pytest.approx((-result.interval[1], -result.interval[0]))


def test_a_covariate_that_explains_everything_leaves_no_difference():
    rng = np.random.default_rng(4)
    z = rng.normal(size=60)
    labels = (z + rng.normal(size=60) > 0).astype(float)
    x, y = one_word(2 * z + 0.1 * rng.normal(size=60)), one_word(0.1 * rng.normal(size=60))
    assert effect(x, y, labels).p.value <= 0.01
    adjusted = effect(x, y, labels, z[:, np.newaxis])
    assert abs(adjusted.difference) < 0.1
    assert adjusted.p.value > 0.05


def test_the_adjusted_difference_is_the_coefficient_of_least_squares():
    rng = np.random.default_rng(6)
    z, noise = rng.normal(size=(30, 2)), rng.normal(size=30)
    labels = rng.normal(size=30) + z[:, 0]
    weights = rng.integers(1, 9, 30)
    scores = 0.7 * labels + z @ [1.0, -2.0] + noise
    result = effect(one_word(scores, weights), one_word(noise), labels, z)
    design = np.column_stack([np.ones(30), labels, z]) * np.sqrt(weights)[:, np.newaxis]
    expected = np.linalg.lstsq(design, scores * np.sqrt(weights), rcond=None)[0][1]
    assert result.parts[0] == pytest.approx(expected)


def test_labels_that_follow_from_covariates_cannot_be_tested():
    labels = np.repeat([1.0, 0.0], 5)
    words = one_word(np.arange(10.0))
    with pytest.raises(CannotMeasure, match="follow from the other terms"):
        effect(words, words, labels, (3 * labels - 1)[:, np.newaxis])
    with pytest.raises(CannotMeasure, match="same value"):
        effect(words, words, np.ones(10))


def test_documents_with_the_same_contexts_are_not_a_significant_difference():
    words = one_word(np.full(20, 0.1) + 1e-17 * np.arange(20))
    with pytest.raises(CannotMeasure, match="same contexts"):
        effect(words, words, np.repeat([1.0, 0.0], 10))


def test_a_word_of_one_group_alone_cannot_be_compared():
    x = cells([0, 1], [0, 0], [1, 1], [0.2, 0.4])
    with pytest.raises(CannotMeasure, match="different values"):
        effect(x, one_word(np.arange(6.0)), [1, 1, 1, 0, 0, 0])


def test_parts_of_a_document_are_exchanged_within_it():
    # Documents differ a lot, but within each the second part is higher by one.
    rng = np.random.default_rng(8)
    level = np.repeat(100 * rng.normal(size=12), 2)
    labels = np.tile([0.0, 1.0], 12)
    x, y = one_word(level + labels + 0.1 * rng.normal(size=24)), one_word(0.1 * rng.normal(size=24))
    documents = np.repeat(np.arange(12), 2)
    within = effect(x, y, labels, parts_of=documents)
    assert within.p.value <= 0.01
    assert within.interval[0] < 1 < within.interval[1]
    assert effect(x, y, labels).p.value > 0.5


def test_a_label_of_documents_is_permuted_as_a_whole():
    # Two documents of each label, in many parts: there are few ways to divide four documents.
    documents = np.repeat(np.arange(4), 20)
    labels = np.repeat([1.0, 1.0, 0.0, 0.0], 20)
    rng = np.random.default_rng(9)
    x, y = one_word(3 * labels + rng.normal(size=80)), one_word(rng.normal(size=80))
    assert effect(x, y, labels).p.value <= 0.01
    assert effect(x, y, labels, parts_of=documents).p.value >= 0.2


def test_the_test_keeps_its_level_also_if_groups_use_words_in_different_amounts():
    rejected = np.zeros(2, dtype=int)
    rng = np.random.default_rng(10)
    labels = np.repeat([1.0, 0.0], 15)
    for _ in range(150):
        for k, share in enumerate((1.0, 0.1)):
            parts = []
            for rate in (share, 1.0):
                counts = rng.poisson(np.where(labels[:, np.newaxis] == 1, rate, 1.0) * 5, (30, 6))
                at, words = np.nonzero(counts)
                weights = counts[at, words]
                noise = 0.3 * rng.normal(size=30)[at] + rng.normal(size=len(at)) / np.sqrt(weights)
                parts.append(cells(at, words, weights, rng.normal(size=6)[words] + noise))
            test = label_effect(
                (parts[0], parts[1]), labels, np.empty((30, 0)), permutations=99, rng=rng
            )
            rejected[k] += test.p.value <= 0.05
    assert 1 <= rejected[0] <= 17  # 0.05 · 150 = 7.5, within three standard deviations and more
    assert rejected[1] <= 17


def test_detectable_difference_grows_with_the_standard_error_and_the_power():
    assert detectable_difference(2.0, 0.05, 0.8) == pytest.approx(2 * 2.8016, abs=1e-3)
    assert detectable_difference(1.0, 0.01, 0.8) > detectable_difference(1.0, 0.05, 0.8)


def test_weights_by_the_total_count_would_reject_too_often_where_groups_use_other_words():
    """Each group prefers other words, and uses them in the same way."""
    rng = np.random.default_rng(11)
    labels = np.repeat([1.0, 0.0], 20)
    prefers = (np.arange(8) % 2 == 0) == (labels[:, np.newaxis] == 1)
    divisions = np.stack([labels, *(rng.permutation(labels) for _ in range(99))])
    rejected = np.zeros(2, dtype=int)
    for _ in range(100):
        rates = np.where(labels == 1, 6.0, 0.5)[:, np.newaxis] * np.where(prefers, 1.0, 0.1)
        rates = rates * rng.gamma(0.5, 2, 8) * rng.gamma(2, 0.5, (40, 1))
        parts, by_total = [], np.zeros(100)
        for counts, sign in ((rng.poisson(rates), 1), (rng.poisson(5, (40, 8)), -1)):
            noise = 0.3 * (rng.normal(size=(40, 1)) + rng.normal(size=(40, 8)))
            noise += rng.normal(size=(40, 8)) / np.sqrt(np.maximum(counts, 1))
            scores = rng.normal(size=8) + noise
            at, words = np.nonzero(counts)
            parts.append(cells(at, words, counts[at, words], scores[at, words]))
            # A word that a group lacks has the mean of all documents there.
            overall = (counts * scores).sum(axis=0) / np.maximum(counts.sum(axis=0), 1)
            for group, side in ((divisions, 1), (1 - divisions, -1)):
                total = group @ counts
                means = group @ (counts * scores) / np.maximum(total, 1)
                means = np.where(total > 0, means, overall)
                by_total += sign * side * (means @ (counts.sum(axis=0) / counts.sum()))
        test = label_effect(
            (parts[0], parts[1]), labels, np.empty((40, 0)), permutations=99, rng=rng
        )
        share = np.mean(np.abs(by_total) >= abs(by_total[0]) - 1e-12)
        rejected += [test.p.value <= 0.05, share <= 0.05]
    assert rejected[0] <= 5
    assert rejected[1] >= 15
