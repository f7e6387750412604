import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weatherglass as wg
from weatherglass.errors import UsageError

PRINTED = [1.50, 1.53, 1.41, 1.50, 1.28, 1.81, 1.06, 1.24, 1.38, 1.21]
ROTATION = [1.9e-06, 8.3e-05, 2.1e-03, 1.3e-02, 2.1e-02, 1.3e-07, 0.155, 0.030, 3.1e-04, 0.066]
IDS = [f"weat{i}" for i in range(1, 11)]


@pytest.fixture(scope="module")
def science(glove840b):
    return wg.open_vectors(glove840b)


@pytest.mark.parametrize(("id", "effect"), list(zip(IDS, PRINTED, strict=True)))
def test_the_science_papers_effects_to_the_last_printed_digit(science, id, effect):
    result = wg.weat(science, id)
    assert f"{result.effect:.2f}" == f"{effect:.2f}"
    assert result.published["effect"] == effect
    assert not any(result.missing.values())


@pytest.mark.parametrize("id", IDS)
def test_the_science_papers_p_values_are_not_above_what_it_prints(science, id):
    result = wg.weat(science, id)
    assert result.p.high <= result.published["p_bound"]


@pytest.mark.parametrize(("id", "expected"), list(zip(IDS, ROTATION, strict=True)))
def test_rotation_p_values_on_the_papers_vectors(science, id, expected):
    assert wg.weat(science, id).p_rotation.value == pytest.approx(expected, rel=0.05)


def test_weat7_and_weat10_are_significant_under_one_null_and_not_under_the_other(science):
    for id in ("weat7", "weat10"):
        result = wg.weat(science, id)
        assert result.p.value < 0.05 < result.p_rotation.value


def test_every_p_value_of_the_science_paper_is_counted(science):
    assert {wg.weat(science, id).p.method for id in IDS} == {"exact"}
    assert wg.weat(science, "weat3").p.partitions == math.comb(64, 32)


def test_complete_separation_is_one_partition_of_all(science):
    assert wg.weat(science, "weat6").p.fraction == f"1/{math.comb(16, 8)}"


def test_results_do_not_change_from_run_to_run(science):
    for method in ("exact", "tilted", "sample", "normal"):
        first, second = (wg.weat(science, "weat4", method=method, rng=3) for _ in range(2))
        assert first == second


def test_ddof_0_makes_the_effect_larger_by_a_known_factor(science):
    one, zero = wg.weat(science, "weat6"), wg.weat(science, "weat6", ddof=0)
    assert zero.effect == pytest.approx(one.effect * math.sqrt(16 / 15))
    with pytest.raises(UsageError, match="0 or 1"):
        wg.weat(science, "weat6", ddof=2)


# A hand-worked case in the plane. The associations with A = e1, B = e2 are cos - sin of the angle.
HAND = wg.Vectors.of(
    ["x1", "x2", "y1", "y2", "a", "b"],
    [[3, 4], [5, 0], [4, 3], [0, 2], [1, 0], [0, 1]],
)
HAND_TEST = wg.Test(x=["x1", "x2"], y=["y1", "y2"], a=["a"], b=["b"])


def test_a_case_worked_by_hand():
    result = wg.weat(HAND, HAND_TEST)
    assert result.associations["X"] == pytest.approx((-0.2, 1.0))
    assert result.associations["Y"] == pytest.approx((0.2, -1.0))
    assert result.statistic == pytest.approx(1.6)
    deviation = math.sqrt((0.04 + 1 + 0.04 + 1) / 3)
    assert result.effect == pytest.approx((0.4 + 0.4) / deviation)
    # Of the six pairs of targets, {1.0, -0.2} and {1.0, 0.2} sum to at least 0.8.
    assert result.p.fraction == "2/6"
    assert wg.weat(HAND, HAND_TEST, alternative="less").p.fraction == "5/6"
    assert wg.weat(HAND, HAND_TEST, alternative="two-sided").p.value == pytest.approx(4 / 6)


def test_unequal_sets_use_the_difference_of_means():
    test = wg.Test(x=["x1", "x2", "y1"], y=["y2", "b"], a=["a"], b=["b"])
    result = wg.weat(HAND, test)
    means = (-0.2 + 1.0 + 0.2) / 3 - (-1.0 - 1.0) / 2
    assert result.statistic == pytest.approx(5 / 2 * means)
    assert result.p.partitions == math.comb(5, 3)


def test_for_equal_sets_the_statistic_is_the_papers_sum_difference(science):
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
def test_swapping_x_and_y_flips_the_sign_and_swaps_the_tails(seed, sizes, dim):
    names, rows, test = random_test(seed, sizes, dim)
    swapped = wg.Test(x=test.y, y=test.x, a=test.a, b=test.b)
    vectors = wg.Vectors.of(names, rows)
    one = wg.weat(vectors, test)
    other = wg.weat(vectors, swapped, alternative="less")
    assert other.effect == pytest.approx(-one.effect)
    assert other.statistic == pytest.approx(-one.statistic)
    assert other.p.count == one.p.count
    assert other.p_rotation.value == pytest.approx(one.p_rotation.value)


@given(seed=st.integers(0, 2**32), sizes=SIZES, dim=st.integers(2, 20))
@settings(max_examples=40)
def test_scaling_and_rotating_the_space_change_nothing(seed, sizes, dim):
    names, rows, test = random_test(seed, sizes, dim)
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(dim, dim)))
    scaled = rows * rng.uniform(0.5, 2.0, size=(len(rows), 1))
    plain = wg.weat(wg.Vectors.of(names, rows), test)
    for changed in (scaled, rows @ turn):
        other = wg.weat(wg.Vectors.of(names, changed), test)
        assert other.effect == pytest.approx(plain.effect, rel=1e-4, abs=1e-5)
        assert other.p_rotation.value == pytest.approx(plain.p_rotation.value, rel=1e-3, abs=1e-5)


@given(seed=st.integers(0, 2**32), sizes=SIZES, dim=st.integers(2, 20))
@settings(max_examples=40)
def test_the_effect_lies_between_minus_two_and_two(seed, sizes, dim):
    names, rows, test = random_test(seed, sizes, dim)
    if len(test.x) == len(test.y):
        assert -2 <= wg.weat(wg.Vectors.of(names, rows), test).effect <= 2


def test_the_rotation_p_value_is_the_share_of_random_rotations():
    names, rows, test = random_test(5, (4, 4, 3, 3), 6)
    rows[:4, 0] += 1.0
    rows[8:11, 0] += 1.0
    vectors = wg.Vectors.of(names, rows)
    result = wg.weat(vectors, test)
    u = vectors.unit(test.x.words).mean(0) - vectors.unit(test.y.words).mean(0)
    v = vectors.unit(test.a.words).mean(0) - vectors.unit(test.b.words).mean(0)
    rng = np.random.default_rng(0)
    turns = np.linalg.qr(rng.normal(size=(20_000, 6, 6)))
    frames = turns.Q * np.sign(np.einsum("kii->ki", turns.R))[:, None, :]  # Haar measure
    share = np.mean(frames @ v @ u >= u @ v)
    assert 0.01 < share < 0.5
    assert result.p_rotation.value == pytest.approx(share, abs=4 * math.sqrt(share / 20_000))


NOT_RUN = {
    "X has 1 word, at least 2": wg.Test(x=["x1"], y=["y1", "y2"], a=["a"], b=["b"]),
    "1 of the 2 words of A are missing": wg.Test(
        x=["x1", "x2"], y=["y1", "y2"], a=["a", "?"], b=["b"]
    ),
    "same association": wg.Test(x=["x1", "x2"], y=["y1", "y2"], a=["a"], b=["a"]),
}


@pytest.mark.parametrize("reason", NOT_RUN)
def test_what_cannot_be_measured_says_why_and_gives_no_number(reason):
    result = wg.weat(HAND, NOT_RUN[reason])
    assert result.status == "not run"
    assert reason in result.reason
    assert result.effect is result.p is result.p_rotation is result.statistic is None


def test_a_word_with_a_nan_row_is_named():
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


def test_influence_is_what_the_test_gives_without_the_word(science):
    result = wg.weat(science, "weat8", influence=True)
    assert len(result.influence) == 32
    moves = [abs(one.moved) for one in result.influence]
    assert moves == sorted(moves, reverse=True)
    for one in result.influence[::7]:
        sets = {name: [w for w in words if w != one.word] for name, words in result.words.items()}
        test = wg.Test(x=sets["X"], y=sets["Y"], a=sets["A"], b=sets["B"])
        again = wg.weat(science, test)
        assert one.effect == pytest.approx(again.effect)
        assert one.p == pytest.approx(again.p.value)
        assert one.moved == pytest.approx(again.effect - result.effect)


def test_intervals_hold_the_effect_and_repeat(science):
    result = wg.weat(science, "weat8", intervals=True)
    assert [one.method for one in result.intervals] == ["bca", "percentile"]
    for one in result.intervals:
        assert one.low < result.effect < one.high
        assert one.confidence == 0.95
    assert wg.weat(science, "weat8", intervals=True).intervals == result.intervals


def test_a_factual_test_is_refused_with_the_way_out():
    with pytest.raises(UsageError, match="wefat"):
        wg.weat(HAND, "wefat1")


def test_results_are_the_same_from_any_format(science, tmp_path):
    from weatherglass.vectors.formats.detect import format_for_writing

    expected = wg.weat(science, "weat5")
    for suffix in (".txt", ".bin", ".npz", ".parquet", ".safetensors"):
        path = tmp_path / f"rows{suffix}"
        format_for_writing(path).write(science, path)
        found = wg.weat(wg.open_vectors(path), "weat5")
        assert (found.effect, found.p, found.p_rotation) == (
            expected.effect,
            expected.p,
            expected.p_rotation,
        )


def test_words_that_are_one_in_lower_case_count_once():
    test = wg.Test(x=["X1", "x1", "X2"], y=["y1", "y2"], a=["a"], b=["b"])
    result = wg.weat(HAND, test)
    assert result.merged == {"X": ("x1",)}
    assert result.effect == wg.weat(HAND, HAND_TEST).effect
    both = wg.weat(HAND, wg.Test(x=["X1", "x2"], y=["x1", "y2"], a=["a"], b=["b"]))
    assert "X and Y both have 'x1'" in both.reason


def test_a_method_that_cannot_do_so_many_targets_is_a_reason_not_to_run():
    names = [f"w{i}" for i in range(402)]
    rows = np.random.default_rng(0).normal(size=(402, 8))
    test = wg.Test(x=names[:200], y=names[200:400], a=names[400:401], b=names[401:])
    result = wg.weat(wg.Vectors.of(names, rows), test, method="exact")
    assert result.status == "not run"
    assert result.reason
