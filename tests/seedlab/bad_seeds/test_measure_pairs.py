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


def measured(vectors, pair, **options):
    (found,) = measure_pairs(vectors, pair, **options).pairs
    return found


def test_every_measure_worked_by_hand():
    found = measured(SMALL, WEATHER)
    # Means (0.9, 0.3) and (-0.8, 0.4); half-differences (1, 0) and (0.7, -0.1).
    assert found.similarity.mean == pytest.approx(-0.6 / np.sqrt(0.9 * 0.8))
    values = np.linalg.eigvalsh([[1.49, -0.07], [-0.07, 0.01]])
    assert found.explained[0].mean == pytest.approx(values[1] / 1.5)
    # s(w, A, B) is w · (√2, 0, 0).
    root = np.sqrt(2)
    assert found.statistic.mean == pytest.approx(root * (1.8 + 1.6))
    s = root * np.array([1, 0.8, -1, -0.6])
    assert found.effect.mean == pytest.approx(1.7 * root / s.std(ddof=1))
    # From one end of the axis to the other: rain, bad, fog, other, good, sea, sun.
    assert found.coherence_weat.mean == pytest.approx((6.5 - 2) / (7 - 2))
    assert found.coherence_pca.mean == pytest.approx((6.5 - 2) / (7 - 2))
    assert found.pairs == 2
    assert found.similarity.sd is None


def test_the_numbers_are_those_of_weat_where_the_sets_are_of_one_size():
    vectors = wg.open_vectors("default")
    x, y = (wg.seeds(f"{name}-Caliskan_et_al_2017") for name in ("career", "family"))
    found = measured(vectors, seed_pair(x, y), measures=("weat", "p"))
    known = weat(
        vectors,
        wg.Test(x=x, y=y, a=["good"], b=["bad"]),
        alternative="two-sided",
    )
    assert found.effect.mean == pytest.approx(known.effect)
    assert found.statistic.mean == pytest.approx(known.statistic)
    assert found.p.value == known.p.value


def test_attributes_can_be_any_words():
    turned = measured(SMALL, WEATHER, a=["bad"], b=["good"])
    assert turned.effect.mean == pytest.approx(-measured(SMALL, WEATHER).effect.mean)
    several = measured(SMALL, WEATHER, a=["good", "other"], b=["bad", "other"])
    assert several.effect.mean == pytest.approx(measured(SMALL, WEATHER).effect.mean)
    with pytest.raises(CannotMeasure, match="attribute set B"):
        measure_pairs(SMALL, WEATHER, b=["evil"])


def test_for_unequal_sizes_the_statistic_is_the_plain_sum_difference():
    assert weat_statistic(np.array([0.5, 0.5]), np.array([0.25])) == 0.75
    pair = seed_pair(["sun", "sea", "other"], ["rain"])
    found = measured(SMALL, pair)
    assert found.statistic.mean == pytest.approx(np.sqrt(2) * (1.8 + 1))
    assert found.pairs == 1  # words beyond the end of the shorter list are in no pair
    assert found.explained[0].mean == pytest.approx(1)


@given(st.integers(0, 2**32 - 1))
def test_swapping_turning_and_scaling(seed):
    rng = np.random.default_rng(seed)
    words = [f"w{i}" for i in range(60)]
    rows = rng.normal(size=(60, 4))
    turn = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    plain, turned = Vectors.of(words, rows), Vectors.of(words, 3 * rows @ turn)
    x, y, options = words[:5], words[5:12], {"a": words[20:22], "b": words[22:23]}
    one = measured(plain, seed_pair(x, y), **options)
    swapped = measured(plain, seed_pair(y, x), **options)
    other = measured(turned, seed_pair(x, y), **options)
    for name in ("similarity", "coherence_weat", "coherence_pca"):
        assert getattr(swapped, name).mean == pytest.approx(getattr(one, name).mean, abs=1e-5)
        # Float32 may order two words that are as good as equal the other way.
        assert getattr(other, name).mean == pytest.approx(getattr(one, name).mean, abs=0.02)
    assert swapped.effect.mean == pytest.approx(-one.effect.mean)
    assert swapped.statistic.mean == pytest.approx(-one.statistic.mean)
    assert other.effect.mean == pytest.approx(one.effect.mean, abs=1e-4)
    shares = [[each.mean for each in some.explained] for some in (one, swapped, other)]
    assert shares[1] == pytest.approx(shares[0])
    assert shares[2] == pytest.approx(shares[0], abs=1e-5)


def test_many_pairs_at_once_are_each_as_alone():
    vectors = wg.open_vectors("default")
    pairs = [one for one in wg.gathered_pairs() if "Caliskan" in one.x][:5]
    together = measure_pairs(vectors, pairs).pairs
    for one, pair in zip(together, pairs, strict=True):
        assert one == measured(vectors, pair)


def test_the_papers_least_coherent_pair_of_table_4_is_the_least_coherent_here():
    vectors = wg.open_vectors("default")
    ranked = measure_pairs(vectors, wg.gathered_pairs(), measures=("coherence-weat",)).ranked()
    done = [one for one in ranked.pairs if one.coherence_weat]
    assert done[-1].name == "names_black-Garg_et_al_2018 / names_white-Garg_et_al_2018"
    # Table 4 has 0.050, on WikiText: the sets have 19 of their 20 names in common.
    assert done[-1].coherence_weat.mean == pytest.approx(0.05, abs=0.005)
    assert done[-2].name == "names_asian-Garg_et_al_2018 / names_chinese-Garg_et_al_2018"


def test_samples_give_a_mean_a_spread_and_an_interval(samples):
    pair = seed_pair([f"x{i}" for i in range(12)], [f"y{i}" for i in range(12)])
    options = {"a": ["like_x0"], "b": ["like_y0"]}
    found = measured(samples, pair, **options)
    each = [measured(one, pair, **options) for one in samples.samples]
    for name in ("similarity", "coherence_pca", "coherence_weat", "statistic", "effect"):
        values = [getattr(one, name).mean for one in each]
        assert getattr(found, name) == Spread.of(values)
        assert getattr(found, name).low <= np.mean(values) <= getattr(found, name).high
    assert found.explained[0] == Spread.of(one.explained[0].mean for one in each)
    assert found.explained[0].n == 6


def test_a_word_that_one_sample_lacks_is_missing_in_all(samples):
    gone = Vectors.of(
        list(samples.whole.words)[1:], samples.whole.matrix[1:]
    )  # x0 is the first word
    zero = np.array(samples.whole.matrix)
    zero[2] = 0  # the row of x1 has no direction
    models = Models("models", samples.whole, (*samples.samples, gone))
    pair = seed_pair(["x0", "x1", "x2"], ["y0", "y1", "y2"])
    found = measured(models, pair, measures=("similarity", "explained"))
    assert (found.x_words, found.x_missing, found.pairs) == (("x1", "x2"), ("x0",), 2)
    without = Models("models", samples.whole, (Vectors.of(list(samples.whole.words), zero),))
    assert measured(without, pair, measures=("similarity",)).x_missing == ("x1",)


def test_what_models_can_be_made_from(samples, planted):
    class Trained:
        def __init__(self, label, vectors):
            self.group, _, name = label.rpartition("/")
            self.is_full, self.vectors = name == "full", vectors

    full, boot = Trained("full", samples.whole), Trained("boot-000", planted)
    made = Models.of([full, boot])
    assert made.whole is samples.whole
    assert made.each == (planted,)
    assert Models.of([full]).each == (samples.whole,)
    with pytest.raises(UsageError, match="2 groups"):
        Models.of([Trained("F/full", planted), Trained("M/full", planted)])
    with pytest.raises(UsageError, match="no vectors"):
        Models.of([])


def test_too_many_missing_words_are_a_reason_not_to_measure():
    found = measured(SMALL, seed_pair(["sun", "moon", "star"], ["rain", "fog"]))
    assert found.status == "not run"
    assert "2 of the 3 words of X are missing" in found.reason
    assert found.similarity is None
    assert found.explained == ()
    allowed = measured(SMALL, seed_pair(["sun", "moon", "star"], ["rain"]), max_missing=0.7)
    assert allowed.status == "done"
    nothing = measured(SMALL, seed_pair(["moon"], ["rain"]), max_missing=1)
    assert "X has 0 words" in nothing.reason


def test_no_complete_pair_leaves_the_other_measures():
    found = measured(SMALL, seed_pair(["sun", "moon"], ["storm", "rain"]))
    assert (found.pairs, found.explained, found.coherence_pca) == (0, (), None)
    assert found.similarity.mean == pytest.approx(-1)
    assert found.coherence_weat.mean > 0.5


def test_sets_of_one_word_have_no_effect_but_an_axis():
    found = measured(SMALL, seed_pair(["sun"], ["rain"]))
    assert found.effect is None
    assert found.coherence_weat.mean == found.coherence_pca.mean
    assert found.explained[0].mean == 1


def test_equal_vectors_and_equal_sets_have_no_axis():
    same = Vectors.of(["a", "b", "c", "d", "good", "bad"], [[1, 1]] * 6)
    found = measured(same, seed_pair(["a", "b"], ["c", "d"]))
    assert found.status == "done"
    assert (found.explained, found.coherence_pca, found.coherence_weat) == ((), None, None)
    assert found.effect is None
    assert found.similarity.mean == pytest.approx(1)
    itself = measured(SMALL, seed_pair(["sun", "sea"], ["sun", "sea"]), measures=wg_measures())
    assert (itself.coherence_weat, itself.p) == (None, None)


def wg_measures():
    return ("similarity", "explained", "coherence-pca", "coherence-weat", "weat", "p")


def test_opposite_vectors_have_no_mean():
    assert set_similarity(np.array([[1.0, 0], [-1, 0]]), np.array([[0.0, 1]])) is None
    assert weat_axis(np.array([[1.0, 0], [-1, 0]]), np.array([[0.0, 1], [0, -1]])) is None
    assert weat_effect(np.array([1.0, 1.0]), np.array([1.0, 1.0])) is None


def test_a_word_in_two_spellings_is_used_once():
    vectors = Vectors.of(["mary", "john", "jane", "good", "bad"], np.eye(5))
    found = measured(vectors, seed_pair(["Mary", "mary", "Jane"], ["John"]))
    assert found.x_words == ("mary", "jane")
    kept = measured(vectors, seed_pair(["Mary", "mary"], ["john"]), case="keep")
    assert (kept.x_words, kept.x_missing) == (("mary",), ("Mary",))


def test_pairs_come_from_the_catalogue_or_go_by_position():
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


def test_the_ranking_is_over_the_words_asked_for(planted):
    pair = seed_pair(["x0", "x1"], ["y0", "y1"])
    options = {"measures": ("coherence-weat",)}
    few = measured(planted, pair, words=30, **options).coherence_weat.mean
    rows = planted.unit(["x0", "x1", "y0", "y1"])
    at = np.array([planted.words.index(word) for word in ("x0", "x1", "y0", "y1")])
    axis = weat_axis(rows[:2], rows[2:])
    brute = coherences(planted, axis[None], [(at[:2], at[2:])], np.arange(30))
    assert few == brute[0]


def test_json_and_rows_hold_everything(samples):
    pairs = [seed_pair(["x0", "x1"], ["y0", "y1"]), seed_pair(["x0"], ["nowhere"])]
    found = measure_pairs(samples, pairs, a=["x5"], b=["y5"], measures=wg_measures())
    assert MeasuredPairs.from_json(found.to_json()) == found
    assert read_experiments(experiments_json([found.ranked("pca")])) == [found.ranked("pca")]
    row, gone = found.to_rows()
    assert row["explained"] == found.pairs[0].explained[0].mean
    assert row["coherence_weat_sd"] == found.pairs[0].coherence_weat.sd
    assert gone["status"] == "not run"
    assert found.source["samples"] == 6
    with pytest.raises(UsageError, match="weat or pca"):
        found.ranked("both")
    with pytest.raises(UsageError, match="must be one of"):
        measure_pairs(samples, pairs, measures=["cosine"])
