import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weatherglass as wg
from weatherglass.errors import UsageError
from weatherglass.significance import effect_interval

PRINTED = [1.50, 1.53, 1.41, 1.50, 1.28, 1.81, 1.06, 1.24, 1.38, 1.21]
ROTATION = [1.9e-06, 8.3e-05, 2.1e-03, 1.3e-02, 2.1e-02, 1.3e-07, 0.155, 0.030, 3.1e-04, 0.066]
IDS = [f"weat{i}" for i in range(1, 11)]


@pytest.fixture(scope="module")
def science(glove840b):
    return wg.open_vectors(glove840b)


@pytest.mark.parametrize(("id", "effect"), list(zip(IDS, PRINTED, strict=True)))
def test_effects_of_the_science_paper_are_reproduced_to_the_last_digit(science, id, effect):
    result = wg.weat(science, id)
    assert f"{result.effect:.2f}" == f"{effect:.2f}"
    assert result.published["effect"] == effect
    assert not any(result.missing.values())


@pytest.mark.parametrize("id", IDS)
def test_p_values_of_the_science_paper_are_at_most_those_printed(science, id):
    result = wg.weat(science, id)
    assert result.p.high <= result.published["p_bound"]


@pytest.mark.parametrize(("id", "expected"), list(zip(IDS, ROTATION, strict=True)))
def test_rotation_p_values_on_the_vectors_of_the_science_paper(science, id, expected):
    assert wg.weat(science, id).p_rotation.value == pytest.approx(expected, rel=0.05)


def test_weat7_and_weat10_are_significant_by_permutation_but_not_by_rotation(science):
    for id in ("weat7", "weat10"):
        result = wg.weat(science, id)
        assert result.p.value < 0.05 < result.p_rotation.value


def test_every_p_value_of_the_science_paper_is_exact(science):
    assert {wg.weat(science, id).p.method for id in IDS} == {"exact"}
    assert wg.weat(science, "weat3").p.partitions == math.comb(64, 32)


def test_complete_separation_has_the_smallest_possible_p(science):
    assert wg.weat(science, "weat6").p.fraction == f"1/{math.comb(16, 8)}"


def test_weat_with_the_same_seed_gives_the_same_result(science):
    for method in ("exact", "tilted", "sample", "normal"):
        first, second = (wg.weat(science, "weat4", method=method, rng=3) for _ in range(2))
        assert first == second


def test_ddof_0_increases_the_effect_by_the_known_factor(science):
    unbiased, biased = wg.weat(science, "weat6"), wg.weat(science, "weat6", ddof=0)
    assert biased.effect == pytest.approx(unbiased.effect * math.sqrt(16 / 15))
    with pytest.raises(UsageError, match="0 or 1"):
        wg.weat(science, "weat6", ddof=2)


# A hand-worked case in the plane. The associations with A = e1, B = e2 are cos - sin of the angle.
HAND = wg.Vectors.of(
    ["x1", "x2", "y1", "y2", "a", "b"],
    [[3, 4], [5, 0], [4, 3], [0, 2], [1, 0], [0, 1]],
)
HAND_TEST = wg.Test(x=["x1", "x2"], y=["y1", "y2"], a=["a"], b=["b"])


def test_weat_is_that_worked_by_hand():
    result = wg.weat(HAND, HAND_TEST, alternative="greater")
    assert result.associations["X"] == pytest.approx((-0.2, 1.0))
    assert result.associations["Y"] == pytest.approx((0.2, -1.0))
    assert result.statistic == pytest.approx(1.6)
    deviation = math.sqrt((0.04 + 1 + 0.04 + 1) / 3)
    assert result.effect == pytest.approx((0.4 + 0.4) / deviation)
    # Of the six pairs of targets, {1.0, -0.2} and {1.0, 0.2} sum to at least 0.8.
    assert result.p.fraction == "2/6"
    assert wg.weat(HAND, HAND_TEST, alternative="less").p.fraction == "5/6"
    both = wg.weat(HAND, HAND_TEST)
    assert (both.p.alternative, both.p.fraction) == ("two-sided", "4/6")
    assert both.p_two_sided == result.p_two_sided == both.p


def test_the_statistic_of_unequal_sets_uses_the_difference_of_means():
    test = wg.Test(x=["x1", "x2", "y1"], y=["y2", "b"], a=["a"], b=["b"])
    result = wg.weat(HAND, test, allow_overlap=True)
    means = (-0.2 + 1.0 + 0.2) / 3 - (-1.0 - 1.0) / 2
    assert result.statistic == pytest.approx(5 / 2 * means)
    assert result.p.partitions == math.comb(5, 3)


def test_the_statistic_of_equal_sets_is_the_difference_of_sums_as_in_the_paper(science):
    result = wg.weat(science, "weat8")
    difference = sum(result.associations["X"]) - sum(result.associations["Y"])
    assert result.statistic == pytest.approx(difference)


def random_test(seed: int, sizes: tuple[int, int, int, int], dim: int):
    names = [f"w{i}" for i in range(sum(sizes))]
    cuts = np.cumsum(sizes)[:-1]
    x, y, a, b = (list(part) for part in np.split(np.array(names), cuts))
    rows = np.random.default_rng(seed).normal(size=(len(names), dim))
    return names, rows, wg.Test(x=x, y=y, a=a, b=b)


SIZES = st.tuples(st.integers(2, 6), st.integers(2, 6), st.integers(1, 4), st.integers(1, 4))


@given(seed=st.integers(0, 2**32), sizes=SIZES, dim=st.integers(2, 20))
@settings(max_examples=40)
def test_effect_changes_sign_when_targets_are_swapped(seed, sizes, dim):
    names, rows, test = random_test(seed, sizes, dim)
    swapped = wg.Test(x=test.y, y=test.x, a=test.a, b=test.b)
    vectors = wg.Vectors.of(names, rows)
    result = wg.weat(vectors, test, alternative="greater")
    reverse = wg.weat(vectors, swapped, alternative="less")
    assert reverse.effect == pytest.approx(-result.effect)
    assert reverse.statistic == pytest.approx(-result.statistic)
    assert reverse.p.count == result.p.count
    assert reverse.p_two_sided == result.p_two_sided
    assert wg.weat(vectors, test).p == wg.weat(vectors, swapped).p == result.p_two_sided
    assert reverse.p_rotation.value == pytest.approx(result.p_rotation.value)


@given(seed=st.integers(0, 2**32), sizes=SIZES, dim=st.integers(2, 20))
@settings(max_examples=40)
def test_scaling_and_rotating_the_space_change_neither_effect_nor_rotation_p(seed, sizes, dim):
    names, rows, test = random_test(seed, sizes, dim)
    rng = np.random.default_rng(seed)
    rotation, _ = np.linalg.qr(rng.normal(size=(dim, dim)))
    scaled = rows * rng.uniform(0.5, 2.0, size=(len(rows), 1))
    before = wg.weat(wg.Vectors.of(names, rows), test)
    for changed in (scaled, rows @ rotation):
        after = wg.weat(wg.Vectors.of(names, changed), test)
        assert after.effect == pytest.approx(before.effect, rel=1e-4, abs=1e-5)
        assert after.p_rotation.value == pytest.approx(before.p_rotation.value, rel=1e-3, abs=1e-5)


@given(seed=st.integers(0, 2**32), sizes=SIZES, dim=st.integers(2, 20))
@settings(max_examples=40)
def test_the_effect_of_equal_sets_is_between_minus_two_and_two(seed, sizes, dim):
    names, rows, test = random_test(seed, sizes, dim)
    if len(test.x) == len(test.y):
        assert -2 <= wg.weat(wg.Vectors.of(names, rows), test).effect <= 2


def test_the_rotation_p_value_is_the_share_of_random_rotations():
    names, rows, test = random_test(5, (4, 4, 3, 3), 6)
    rows[:4, 0] += 1.0
    rows[8:11, 0] += 1.0
    vectors = wg.Vectors.of(names, rows)
    result = wg.weat(vectors, test, alternative="greater")
    u = vectors.unit(test.x.words).mean(0) - vectors.unit(test.y.words).mean(0)
    v = vectors.unit(test.a.words).mean(0) - vectors.unit(test.b.words).mean(0)
    rng = np.random.default_rng(0)
    factors = np.linalg.qr(rng.normal(size=(20_000, 6, 6)))
    rotations = factors.Q * np.sign(np.einsum("kii->ki", factors.R))[:, None, :]  # Haar measure
    share = np.mean(rotations @ v @ u >= u @ v)
    assert 0.01 < share < 0.5
    assert result.p_rotation.value == pytest.approx(share, abs=4 * math.sqrt(share / 20_000))


NOT_RUN = {
    "X has 1 word, at least 2": wg.Test(x=["x1"], y=["y1", "y2"], a=["a"], b=["b"]),
    "1 of the 2 words of A is missing": wg.Test(
        x=["x1", "x2"], y=["y1", "y2"], a=["a", "?"], b=["b"]
    ),
    "2 of the 3 words of A are missing": wg.Test(
        x=["x1", "x2"], y=["y1", "y2"], a=["a", "?", "!"], b=["b"]
    ),
    "same association": wg.Test(x=["x1", "x2"], y=["y1", "y2"], a=["a"], b=["a"]),
}


@pytest.mark.parametrize("reason", NOT_RUN)
def test_a_test_that_cannot_be_run_gives_the_reason_and_no_number(reason):
    result = wg.weat(HAND, NOT_RUN[reason])
    assert result.status == "not run"
    assert reason in result.reason
    assert result.effect is result.p is result.p_rotation is result.statistic is None


def test_a_word_with_a_row_of_zeros_is_named_in_the_reason():
    vectors = wg.Vectors.of(["p", "q", "r", "s", "t"], [[1, 0], [0, 0], [1, 1], [0, 1], [1, 2]])
    result = wg.weat(vectors, wg.Test(x=["p", "q"], y=["r", "s"], a=["t"], b=["p"]))
    assert result.status == "not run"
    assert "'q'" in result.reason


def test_missing_words_are_listed_and_left_out():
    test = wg.Test(x=["x1", "x2", "zz"], y=["y1", "y2"], a=["a"], b=["b"])
    result = wg.weat(HAND, test, max_missing=0.5)
    assert result.missing == {"X": ("zz",), "Y": (), "A": (), "B": ()}
    assert result.n == {"X": 2, "Y": 2, "A": 1, "B": 1}
    assert result.effect == wg.weat(HAND, HAND_TEST).effect


def test_case_auto_lowers_words_only_where_the_vocabulary_has_no_capitals():
    test = wg.Test(x=["X1", "X2"], y=["y1", "y2"], a=["A"], b=["b"])
    assert wg.weat(HAND, test).effect == wg.weat(HAND, HAND_TEST).effect
    assert wg.weat(HAND, test, case="keep").status == "not run"
    cased = wg.Vectors.of(["Z", *HAND.words], np.vstack([[1, 1], HAND.matrix]))
    assert wg.weat(cased, test).status == "not run"
    assert wg.weat(cased, test, case="lower").status == "done"


def test_influence_is_the_result_of_the_test_without_the_word(science):
    result = wg.weat(science, "weat8", influence=True)
    assert len(result.influence) == 32
    moves = [abs(influence.moved) for influence in result.influence]
    assert moves == sorted(moves, reverse=True)
    for influence in result.influence[::7]:
        word = influence.word
        sets = {name: [w for w in words if w != word] for name, words in result.words.items()}
        test = wg.Test(x=sets["X"], y=sets["Y"], a=sets["A"], b=sets["B"])
        again = wg.weat(science, test)
        assert influence.effect == pytest.approx(again.effect)
        assert influence.p_two_sided == pytest.approx(again.p.value)
        assert influence.p == pytest.approx(wg.weat(science, test, alternative="greater").p.value)
        assert influence.moved == pytest.approx(again.effect - result.effect)


def test_intervals_contain_the_effect_and_repeat(science):
    result = wg.weat(science, "weat8", intervals=True)
    methods = [interval.method for interval in result.intervals]
    assert methods == ["noncentral t", "crossed", "bca"]
    assert [interval.about for interval in result.intervals] == [
        "other target words",
        "other words in all four sets",
        "other target words",
    ]
    for interval in result.intervals:
        assert interval.low < result.effect < interval.high
        assert interval.confidence == 0.95
    assert wg.weat(science, "weat8", intervals=True).intervals == result.intervals


def test_every_result_has_the_interval_over_other_targets(science):
    result = wg.weat(science, "weat8")
    assert result.intervals == (effect_interval(*result.associations.values()),)
    assert result.main_interval == result.intervals[0]
    row = result.row()
    assert (row["low"], row["high"]) == (result.intervals[0].low, result.intervals[0].high)
    # The effect in the population does not depend on the degrees of freedom of the sample's.
    assert wg.weat(science, "weat8", ddof=0).intervals == result.intervals


def test_words_that_do_not_differ_within_their_set_have_an_effect_and_no_interval():
    rows = [[1, 0.1], [2, 0.2], [0.1, 1], [0.2, 2], [1, 0], [0, 1]]
    vectors = wg.Vectors.of(["p", "q", "r", "s", "a", "b"], rows)
    result = wg.weat(vectors, wg.Test(x=["p", "q"], y=["r", "s"], a=["a"], b=["b"]), intervals=True)
    assert result.effect == pytest.approx(np.sqrt(3))
    assert result.intervals == ()
    assert result.main_interval is None


def test_a_single_attribute_word_has_no_crossed_interval(science):
    words = wg.weat(science, "weat8").words
    test = wg.Test(x=words["X"], y=words["Y"], a=words["A"][:1], b=words["B"])
    result = wg.weat(science, test, intervals=True)
    assert [interval.method for interval in result.intervals] == ["noncentral t", "bca"]


def test_percentile_intervals_of_older_results_are_still_read(science):
    record = wg.weat(science, "weat8").to_dict()
    ends = {"low": 0.5, "high": 1.5, "confidence": 0.95, "n_resamples": 9999}
    record["intervals"] = [ends | {"method": "bca"}, ends | {"method": "percentile"}]
    result = wg.WeatResult.from_dict(record)
    assert [interval.method for interval in result.intervals] == ["bca", "percentile"]
    assert result.intervals[1].about == ""
    assert wg.WeatResult.from_json(result.to_json()) == result


def test_power_is_that_of_the_sizes_and_spreads_of_the_targets(science):
    result = wg.weat(science, "weat10", alternative="two-sided")
    power = result.power
    assert (power.sizes, power.alternative, power.smallest_p) == ((8, 8), "two-sided", 2 / 12870)
    assert power.detectable == pytest.approx(1.2, abs=0.02)
    spread = np.sqrt(np.mean([np.var(values, ddof=1) for values in result.associations.values()]))
    delta = power.detectable / np.sqrt(1 - power.detectable**2 / 4)
    assert power.difference == pytest.approx(delta * spread)
    assert result.power_at(0.005).detectable > power.detectable


def test_weat_refuses_a_factual_test_and_points_to_wefat():
    with pytest.raises(UsageError, match="wefat"):
        wg.weat(HAND, "wefat1")


def test_weat_gives_the_same_result_from_any_file_format(science, tmp_path):
    from weatherglass.vectors.formats.detect import format_for_writing

    expected = wg.weat(science, "weat5")
    for suffix in (".txt", ".bin", ".npz", ".parquet", ".safetensors"):
        path = tmp_path / f"rows{suffix}"
        format_for_writing(path).write(science, path)
        result = wg.weat(wg.open_vectors(path), "weat5")
        assert (result.effect, result.p, result.p_rotation) == (
            expected.effect,
            expected.p,
            expected.p_rotation,
        )


def test_words_that_are_the_same_in_lower_case_count_once():
    test = wg.Test(x=["X1", "x1", "X2"], y=["y1", "y2"], a=["a"], b=["b"])
    result = wg.weat(HAND, test)
    assert result.merged == {"X": ("x1",)}
    assert result.effect == wg.weat(HAND, HAND_TEST).effect
    both = wg.weat(HAND, wg.Test(x=["X1", "x2"], y=["x1", "y2"], a=["a"], b=["b"]))
    assert "X and Y both have 'x1'" in both.reason


def test_too_many_targets_for_the_chosen_method_are_a_reason_not_to_run():
    names = [f"w{i}" for i in range(402)]
    rows = np.random.default_rng(0).normal(size=(402, 8))
    test = wg.Test(x=names[:200], y=names[200:400], a=names[400:401], b=names[401:])
    result = wg.weat(wg.Vectors.of(names, rows), test, method="exact")
    assert result.status == "not run"
    assert result.reason


@pytest.mark.parametrize(("n", "m"), [(2, 20), (8, 8), (3, 5)])
def test_an_effect_reaches_its_largest_value_where_each_set_has_one_association(n, m):
    """Two words against twenty have effects up to 3.4; only sets of equal size stay below 2."""
    words = [f"w{i}" for i in range(n + m)]
    rows = [[1, 0.5]] * n + [[1, -0.5]] * m
    vectors = wg.Vectors.of([*words, "a", "b"], [*rows, [0, 1], [0, -1]])
    test = wg.Test(x=words[:n], y=words[n:], a=["a"], b=["b"])
    result = wg.weat(vectors, test, method="sample")
    total = n + m
    assert result.effect == pytest.approx(math.sqrt(total * (total - 1) / (n * m)))
    assert result.max_value == pytest.approx(result.effect)
    biased = wg.weat(vectors, test, method="sample", ddof=0)
    assert biased.max_value == pytest.approx(biased.effect) == pytest.approx(total / (n * m) ** 0.5)


def test_sets_with_the_same_mean_have_an_effect_and_no_rotation_p():
    words = ["a", "b", "c", "d", "e", "f"]
    rows = [[1, 0.5, 0], [0.5, 1, 0], [1, 0.5, 0], [0.5, 1, 0], [1, 0, 0.2], [0, 1, 0.3]]
    test = wg.Test(x=["a", "b"], y=["c", "d"], a=["e"], b=["f"])
    result = wg.weat(wg.Vectors.of(words, rows), test)
    assert result.effect == 0
    assert result.p.fraction == "6/6"
    assert result.p_rotation is None
    assert result.cosine is None
    assert wg.WeatResult.from_json(result.to_json()) == result
