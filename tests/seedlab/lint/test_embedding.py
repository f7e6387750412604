"""Checks of seed sets in an embedding: by hand, by brute force, and as properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weatherglass as wg
from weatherglass.catalog import SeedSet, seeds
from weatherglass.seedlab.bad_seeds.subspaces import explained_variance, set_similarity
from weatherglass.seedlab.lint.embedding import (
    Neighbourhood,
    Space,
    check_fit,
    check_missing,
    check_order,
    count_related_neighbours,
    find_nearest,
    first_component_share,
    measure_fit,
    random_similarities,
    shuffled_shares,
)
from weatherglass.vectors import Vectors


@pytest.fixture(scope="module")
def clustered():
    """2,000 random words, of which 36 are close to one direction."""
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(2000, 20))
    rows[100:136] = rng.normal(size=20) * 3 + rng.normal(size=(36, 20)) * 0.7
    return Vectors.of([f"w{k}" for k in range(2000)], rows)


def space_of(vectors, words):
    return Space.of(vectors, words)


def test_missing_words_are_counted_once(clustered):
    seed_set = SeedSet(id="mine", words=["w1", "no", "no", "never"])
    (only,) = check_missing(seed_set, space_of(clustered, seed_set.words))
    assert (only.words, only.value, only.severity) == (("no", "never"), 2 / 3, "warning")
    gone = SeedSet(id="mine", words=["no", "never"])
    (only,) = check_missing(gone, space_of(clustered, gone.words))
    assert (only.value, only.severity) == (1, "error")
    assert not list(check_missing(seeds_of(1, 2), space_of(clustered, ["w1", "w2"])))


def seeds_of(*numbers):
    return SeedSet(id="mine", words=[f"w{k}" for k in numbers])


def test_a_word_with_an_unusable_row_is_missing():
    vectors = Vectors.of(["a", "b", "c"], [[1, 0], [0, 0], [float("nan"), 1]])
    seed_set = SeedSet(id="mine", words=["a", "b", "c"])
    (only,) = check_missing(seed_set, space_of(vectors, seed_set.words))
    assert only.words == ("b", "c")


def test_a_random_word_in_a_cluster_is_the_outlier_a_stranger_and_of_another_sense(clustered):
    seed_set = seeds_of(100, 105, 110, 115, 120, 1500)
    space = space_of(clustered, seed_set.words)
    fit = measure_fit(space, space.positions(seed_set.words))
    rows = clustered.unit(seed_set.words)
    for k in range(6):
        rest = np.delete(rows, k, axis=0).mean(axis=0)
        assert fit.cosine[k] == pytest.approx(rows[k] @ rest / np.linalg.norm(rest))
    findings = {f.check: f for f in check_fit(seed_set, space, Neighbourhood.of(space))}
    assert findings["outlier"].words == ("w1500",)
    assert findings["strangers"].words == ("w1500",)
    assert findings["strangers"].value == 1 / 6
    assert findings["senses"].words == ("w1500",)
    assert fit.z[5] == fit.z.min() < -2


def test_fit_is_compared_with_equally_frequent_words(clustered):
    seed_set = seeds_of(100, 105, 110, 900)
    space = space_of(clustered, seed_set.words)
    at = space.positions(seed_set.words)
    fit = measure_fit(space, at)
    others = [k for k in range(800, 1000) if k not in at]
    nearer = [clustered.unit([f"w{k}"])[0] @ fit.rest[3] > fit.cosine[3] for k in others]
    assert fit.better[3] == pytest.approx(np.mean(nearer))
    # At an end of the vocabulary, only words on one side of the word are used.
    assert space.equally_frequent(1999, 200).tolist() == list(range(1800, 2000))
    assert space.equally_frequent(0, 200).tolist() == list(range(200))


def test_frequency_is_by_counts_if_the_source_has_them():
    counts = np.arange(2000)
    vectors = Vectors.of([f"w{k}" for k in range(2000)], np.eye(2000, 8) + 1, counts=counts)
    space = space_of(vectors, ["w1"])
    assert space.by_frequency[:3].tolist() == [1999, 1998, 1997]
    assert space.equally_frequent(1000, 4).tolist() == [1002, 1001, 1000, 999]


@pytest.mark.parametrize("among", [11, 500, 2000])
def test_nearest_neighbours_equal_those_of_brute_force(clustered, among):
    words = [f"w{k}" for k in (0, 100, 101, 1999)]
    space = space_of(clustered, words)
    at = space.positions(words)
    nearest, cosines = find_nearest(space, at, 10, among)
    units = clustered.unit(clustered.words)
    for k, position in enumerate(at.tolist()):
        scores = units[:among] @ units[position]
        if position < among:
            scores[position] = -2
        best = np.argsort(-scores, kind="stable")[:10]
        assert set(nearest[k]) == set(best)
        assert cosines[k] == pytest.approx(scores[best], abs=1e-5)


def test_related_neighbours_are_counted_for_words_that_fit_and_none_for_a_random_word(clustered):
    seed_set = seeds_of(100, 105, 110, 115, 1500)
    space = space_of(clustered, seed_set.words)
    near = Neighbourhood.of(space)
    count = count_related_neighbours(
        space, near, measure_fit(space, space.positions(seed_set.words))
    )
    assert count[:4].min() >= 9
    assert count[4] == 0


def test_random_sets_have_half_to_twice_the_frequency_rank(clustered):
    space = space_of(clustered, ["w9", "w99"])
    drawn = space.draw_sets(space.positions(["w9", "w99"]), 500, np.random.default_rng(0))
    assert drawn.shape == (500, 2)
    assert 5 <= drawn[:, 0].min() + 1 <= 6
    assert 19 <= drawn[:, 0].max() + 1 <= 20
    assert 49 <= drawn[:, 1].min() <= 60


def test_random_similarities_are_cosines_of_set_means(clustered):
    """From a vocabulary of one word, only one set can be drawn."""
    vectors = Vectors.of(["a", "b", "c"], [[1, 0], [0.6, 0.8], [0, 1]])
    space = space_of(vectors, ["a"])
    object.__setattr__(space, "by_frequency", np.array([2]))
    x = y = np.array([0])
    assert random_similarities(space, x, y, 7, np.random.default_rng(0)) == pytest.approx(1)
    full_space = space_of(clustered, ["w100", "w101"])
    at = full_space.positions(["w100", "w101"])
    similarities = random_similarities(full_space, at, at, 300, np.random.default_rng(1))
    assert np.all(np.abs(similarities) <= 1 + 1e-9)
    assert set_similarity(full_space.rows(at), full_space.rows(at)) > similarities.mean()


@settings(max_examples=30)
@given(st.integers(2, 9), st.integers(2, 9), st.integers(0, 100))
def test_the_fast_first_share_equals_the_explained_variance(pairs, dim, seed):
    x, y = np.random.default_rng(seed).normal(size=(2, 3, pairs, dim))
    assert first_component_share(x, y) == pytest.approx(explained_variance(x, y)[..., 0])


def test_pairs_of_equal_vectors_have_a_first_share_of_zero():
    x = np.ones((3, 4))
    assert first_component_share(x, x) == 0


def test_shuffling_changes_nothing_if_all_second_words_are_equal():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(5, 6)), np.ones((5, 6))
    assert shuffled_shares(x, y, 9, rng) == pytest.approx(float(first_component_share(x, y)))


def test_the_order_of_sets_that_no_study_pairs_is_not_checked(clustered):
    sets = seeds_of(1, 2, 3, 4), SeedSet(id="other", words=["w5", "w6", "w7", "w8"])
    words = [word for seed_set in sets for word in seed_set.words]
    assert not list(check_order(*sets, space_of(clustered, words), 0))


def test_scaling_vectors_changes_no_finding_of_lint():
    vectors = wg.open_vectors("default")
    plain_vectors = Vectors.of(vectors.words[:3000], vectors.matrix[:3000])
    scale = np.random.default_rng(0).uniform(0.5, 2, (3000, 1)).astype(np.float32)
    scaled_vectors = Vectors.of(vectors.words[:3000], vectors.matrix[:3000] * scale)
    sets = ["male_1-Caliskan_et_al_2017", "female_1-Caliskan_et_al_2017"]
    plain, rescaled = wg.lint(sets, source=plain_vectors), wg.lint(sets, source=scaled_vectors)
    assert [f.check for f in plain.findings] == [f.check for f in rescaled.findings]
    for a, b in zip(plain.findings, rescaled.findings, strict=True):
        assert a.value == pytest.approx(b.value, abs=1e-5)


def test_capitalised_words_are_found_in_a_cased_source(glove840b):
    report = wg.lint("female_names_1-Caliskan_et_al_2017", source=glove840b)
    assert "missing" not in {f.check for f in report.findings}
    report = wg.lint("female_names_1-Caliskan_et_al_2017", source=glove840b, case="lower")
    (missing,) = [f for f in report.findings if f.check == "missing"]
    assert missing.words == seeds("female_names_1-Caliskan_et_al_2017").words
