import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weatherglass as wg
from weatherglass import Vectors, measure_pairs, seed_pair, weat
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.seedlab.bad_seeds.measure_pairs import MeasuredPairs
from weatherglass.seedlab.bad_seeds.subspaces import (
    coherences,
    set_similarity,
    weat_axis,
    weat_effect,
    weat_statistic,
)
from weatherglass.seedlab.models import Models, Spread
from weatherglass.seedlab.result import experiments_json, read_experiments

SMALL = Vectors.of(
    ["sun", "sea", "rain", "fog", "good", "bad", "other"],
    [[1, 0, 0], [0.8, 0.6, 0], [-1, 0, 0], [-0.6, 0.8, 0], [1, 0, 1], [-1, 0, 1], [0, 0, 1]],
)
WEATHER = seed_pair(["sun", "sea"], ["rain", "fog"])


def measure_pair(vectors, pair, **options):
    (measures,) = measure_pairs(vectors, pair, **options).pairs
    return measures


def test_all_measures_of_a_pair_are_those_worked_by_hand():
    measures = measure_pair(SMALL, WEATHER)
    # Means (0.9, 0.3) and (-0.8, 0.4); half-differences (1, 0) and (0.7, -0.1).
    assert measures.similarity.mean == pytest.approx(-0.6 / np.sqrt(0.9 * 0.8))
    values = np.linalg.eigvalsh([[1.49, -0.07], [-0.07, 0.01]])
    assert measures.explained[0].mean == pytest.approx(values[1] / 1.5)
    # s(w, A, B) is w · (√2, 0, 0).
    root = np.sqrt(2)
    assert measures.statistic.mean == pytest.approx(root * (1.8 + 1.6))
    s = root * np.array([1, 0.8, -1, -0.6])
    assert measures.effect.mean == pytest.approx(1.7 * root / s.std(ddof=1))
    # From one end of the axis to the other: rain, bad, fog, other, good, sea, sun.
    assert measures.coherence_weat.mean == pytest.approx((6.5 - 2) / (7 - 2))
    assert measures.coherence_pca.mean == pytest.approx((6.5 - 2) / (7 - 2))
    assert measures.pairs == 2
    assert measures.similarity.sd is None


def test_effect_and_p_of_equal_sized_sets_equal_those_of_weat():
    vectors = wg.open_vectors("default")
    x, y = (wg.seeds(f"{name}-Caliskan_et_al_2017") for name in ("career", "family"))
    measures = measure_pair(vectors, seed_pair(x, y), measures=("weat", "p"))
    known = weat(
        vectors,
        wg.Test(x=x, y=y, a=["good"], b=["bad"]),
        alternative="two-sided",
    )
    assert measures.effect.mean == pytest.approx(known.effect)
    assert measures.statistic.mean == pytest.approx(known.statistic)
    assert measures.p.value == known.p.value


def test_swapping_the_attributes_changes_the_sign_of_the_effect():
    turned = measure_pair(SMALL, WEATHER, a=["bad"], b=["good"])
    assert turned.effect.mean == pytest.approx(-measure_pair(SMALL, WEATHER).effect.mean)
    several = measure_pair(SMALL, WEATHER, a=["good", "other"], b=["bad", "other"])
    assert several.effect.mean == pytest.approx(measure_pair(SMALL, WEATHER).effect.mean)
    with pytest.raises(CannotMeasure, match="attribute set B"):
        measure_pairs(SMALL, WEATHER, b=["evil"])


def test_for_unequal_sizes_the_statistic_is_the_difference_of_sums():
    assert weat_statistic(np.array([0.5, 0.5]), np.array([0.25])) == 0.75
    pair = seed_pair(["sun", "sea", "other"], ["rain"])
    measures = measure_pair(SMALL, pair)
    assert measures.statistic.mean == pytest.approx(np.sqrt(2) * (1.8 + 1))
    assert measures.pairs == 1  # words beyond the end of the shorter list are in no pair
    assert measures.explained[0].mean == pytest.approx(1)


@given(st.integers(0, 2**32 - 1))
def test_swapping_the_sets_changes_only_signs_and_rotating_the_space_nothing(seed):
    rng = np.random.default_rng(seed)
    words = [f"w{i}" for i in range(60)]
    rows = rng.normal(size=(60, 4))
    rotation = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    plain, turned_vectors = Vectors.of(words, rows), Vectors.of(words, 3 * rows @ rotation)
    x, y, options = words[:5], words[5:12], {"a": words[20:22], "b": words[22:23]}
    original = measure_pair(plain, seed_pair(x, y), **options)
    swapped = measure_pair(plain, seed_pair(y, x), **options)
    rotated = measure_pair(turned_vectors, seed_pair(x, y), **options)
    for name in ("similarity", "coherence_weat", "coherence_pca"):
        assert getattr(swapped, name).mean == pytest.approx(getattr(original, name).mean, abs=1e-5)
        # Float32 may order two words that are as good as equal the other way.
        assert getattr(rotated, name).mean == pytest.approx(getattr(original, name).mean, abs=0.02)
    assert swapped.effect.mean == pytest.approx(-original.effect.mean)
    assert swapped.statistic.mean == pytest.approx(-original.statistic.mean)
    assert rotated.effect.mean == pytest.approx(original.effect.mean, abs=1e-4)
    shares = [
        [share.mean for share in measures.explained] for measures in (original, swapped, rotated)
    ]
    assert shares[1] == pytest.approx(shares[0])
    assert shares[2] == pytest.approx(shares[0], abs=1e-5)


def test_pairs_measured_together_equal_those_measured_alone():
    vectors = wg.open_vectors("default")
    pairs = [pair for pair in wg.gathered_pairs() if "Caliskan" in pair.x][:5]
    together = measure_pairs(vectors, pairs).pairs
    for measures, pair in zip(together, pairs, strict=True):
        assert measures == measure_pair(vectors, pair)


def test_the_papers_least_coherent_pair_of_table_4_is_the_least_coherent_here():
    vectors = wg.open_vectors("default")
    ranked = measure_pairs(vectors, wg.gathered_pairs(), measures=("coherence-weat",)).ranked()
    done = [pair for pair in ranked.pairs if pair.coherence_weat]
    assert done[-1].name == "names_black-Garg_et_al_2018 / names_white-Garg_et_al_2018"
    # Table 4 has 0.050, on WikiText: the sets have 19 of their 20 names in common.
    assert done[-1].coherence_weat.mean == pytest.approx(0.05, abs=0.005)
    assert done[-2].name == "names_asian-Garg_et_al_2018 / names_chinese-Garg_et_al_2018"


def test_samples_give_a_mean_a_standard_deviation_and_an_interval(samples):
    pair = seed_pair([f"x{i}" for i in range(12)], [f"y{i}" for i in range(12)])
    options = {"a": ["like_x0"], "b": ["like_y0"]}
    measures = measure_pair(samples, pair, **options)
    each = [measure_pair(sample, pair, **options) for sample in samples.samples]
    for name in ("similarity", "coherence_pca", "coherence_weat", "statistic", "effect"):
        values = [getattr(sample, name).mean for sample in each]
        assert getattr(measures, name) == Spread.of(values)
        assert getattr(measures, name).low <= np.mean(values) <= getattr(measures, name).high
    assert measures.explained[0] == Spread.of(sample.explained[0].mean for sample in each)
    assert measures.explained[0].n == 6


def test_a_word_that_one_sample_lacks_is_missing_in_all(samples):
    gone = Vectors.of(
        list(samples.whole.words)[1:], samples.whole.matrix[1:]
    )  # x0 is the first word
    matrix = np.array(samples.whole.matrix)
    matrix[2] = 0  # the row of x1 has no direction
    models = Models("models", samples.whole, (*samples.samples, gone))
    pair = seed_pair(["x0", "x1", "x2"], ["y0", "y1", "y2"])
    measures = measure_pair(models, pair, measures=("similarity", "explained"))
    assert (measures.x_words, measures.x_missing, measures.pairs) == (("x1", "x2"), ("x0",), 2)
    null_model = Models("models", samples.whole, (Vectors.of(list(samples.whole.words), matrix),))
    assert measure_pair(null_model, pair, measures=("similarity",)).x_missing == ("x1",)


def test_models_come_from_vectors_or_from_trained_models_of_one_group(samples, planted):
    class TrainedModel:
        def __init__(self, label, vectors):
            self.group, _, name = label.rpartition("/")
            self.is_full, self.vectors = name == "full", vectors

    full, boot = TrainedModel("full", samples.whole), TrainedModel("boot-000", planted)
    models = Models.of([full, boot])
    assert models.whole is samples.whole
    assert models.each == (planted,)
    assert Models.of([full]).each == (samples.whole,)
    with pytest.raises(UsageError, match="2 groups"):
        Models.of([TrainedModel("F/full", planted), TrainedModel("M/full", planted)])
    with pytest.raises(UsageError, match="no vectors"):
        Models.of([])


def test_a_pair_with_too_many_missing_words_is_not_measured():
    measures = measure_pair(SMALL, seed_pair(["sun", "moon", "star"], ["rain", "fog"]))
    assert measures.status == "not run"
    assert "2 of the 3 words of X are missing" in measures.reason
    assert measures.similarity is None
    assert measures.explained == ()
    allowed = measure_pair(SMALL, seed_pair(["sun", "moon", "star"], ["rain"]), max_missing=0.7)
    assert allowed.status == "done"
    nothing = measure_pair(SMALL, seed_pair(["moon"], ["rain"]), max_missing=1)
    assert "X has 0 words" in nothing.reason


def test_without_a_complete_pair_only_pca_is_not_measured():
    measures = measure_pair(SMALL, seed_pair(["sun", "moon"], ["storm", "rain"]))
    assert (measures.pairs, measures.explained, measures.coherence_pca) == (0, (), None)
    assert measures.similarity.mean == pytest.approx(-1)
    assert measures.coherence_weat.mean > 0.5


def test_sets_of_one_word_have_a_coherence_but_no_effect():
    measures = measure_pair(SMALL, seed_pair(["sun"], ["rain"]))
    assert measures.effect is None
    assert measures.coherence_weat.mean == measures.coherence_pca.mean
    assert measures.explained[0].mean == 1


def test_equal_vectors_and_equal_sets_have_no_coherence():
    same = Vectors.of(["a", "b", "c", "d", "good", "bad"], [[1, 1]] * 6)
    measures = measure_pair(same, seed_pair(["a", "b"], ["c", "d"]))
    assert measures.status == "done"
    assert (measures.explained, measures.coherence_pca, measures.coherence_weat) == ((), None, None)
    assert measures.effect is None
    assert measures.similarity.mean == pytest.approx(1)
    itself = measure_pair(SMALL, seed_pair(["sun", "sea"], ["sun", "sea"]), measures=all_measures())
    assert (itself.coherence_weat, itself.p) == (None, None)


def all_measures():
    return ("similarity", "explained", "coherence-pca", "coherence-weat", "weat", "p")


def test_sets_whose_mean_is_zero_have_no_similarity_axis_or_effect():
    assert set_similarity(np.array([[1.0, 0], [-1, 0]]), np.array([[0.0, 1]])) is None
    assert weat_axis(np.array([[1.0, 0], [-1, 0]]), np.array([[0.0, 1], [0, -1]])) is None
    assert weat_effect(np.array([1.0, 1.0]), np.array([1.0, 1.0])) is None


def test_a_word_in_two_spellings_is_measured_once():
    vectors = Vectors.of(["mary", "john", "jane", "good", "bad"], np.eye(5))
    measures = measure_pair(vectors, seed_pair(["Mary", "mary", "Jane"], ["John"]))
    assert measures.x_words == ("mary", "jane")
    kept = measure_pair(vectors, seed_pair(["Mary", "mary"], ["john"]), case="keep")
    assert (kept.x_words, kept.x_missing) == (("mary",), ("Mary",))


def test_word_pairs_come_from_the_catalogue_or_from_positions():
    listed = seed_pair(
        "female_stereotype_words-Zhao_et_al_2018", "male_stereotype_words-Zhao_et_al_2018"
    )
    assert ("nurse", "doctor") in listed.pairs
    assert (listed.match, listed.kind) == ("documented", "gathered")
    names = seed_pair("names_chinese-Garg_et_al_2018", "names_hispanic-Garg_et_al_2018")
    assert (len(names.pairs), names.match) == (17, "position")  # 17 names against 20
    repeated = seed_pair("asian-Manzini_et_al_2019", "caucasian-Manzini_et_al_2019")
    assert repeated.x_words == ("asian", "asia", "china")
    assert len(repeated.pairs) == len(set(repeated.pairs)) < 6
    assert seed_pair(["a"], ["b"]).kind == "own"
    with pytest.raises(UsageError, match="X has no words"):
        seed_pair([], ["b"])


def test_coherence_ranks_only_the_requested_number_of_words(planted):
    pair = seed_pair(["x0", "x1"], ["y0", "y1"])
    options = {"measures": ("coherence-weat",)}
    coherence = measure_pair(planted, pair, words=30, **options).coherence_weat.mean
    rows = planted.unit(["x0", "x1", "y0", "y1"])
    at = np.array([planted.words.index(word) for word in ("x0", "x1", "y0", "y1")])
    axis = weat_axis(rows[:2], rows[2:])
    expected = coherences(planted, axis[None], [(at[:2], at[2:])], np.arange(30))
    assert coherence == expected[0]


def test_measured_pairs_survive_json_and_have_flat_rows(samples):
    pairs = [seed_pair(["x0", "x1"], ["y0", "y1"]), seed_pair(["x0"], ["nowhere"])]
    result = measure_pairs(samples, pairs, a=["x5"], b=["y5"], measures=all_measures())
    assert MeasuredPairs.from_json(result.to_json()) == result
    assert read_experiments(experiments_json([result.ranked("pca")])) == [result.ranked("pca")]
    row, gone = result.to_rows()
    assert row["explained"] == result.pairs[0].explained[0].mean
    assert row["coherence_weat_sd"] == result.pairs[0].coherence_weat.sd
    assert gone["status"] == "not run"
    assert result.source["samples"] == 6
    with pytest.raises(UsageError, match="weat or pca"):
        result.ranked("both")
    with pytest.raises(UsageError, match="must be one of"):
        measure_pairs(samples, pairs, measures=["cosine"])
