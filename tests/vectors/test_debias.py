"""Hard debiasing does what the equations of Bolukbasi et al. (2016) say, on any vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group

import weatherglass as wg
from weatherglass.catalog import axis
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.vectors import Vectors
from weatherglass.vectors.debias import apply, debias, direct_bias, learn_specific, prepare
from weatherglass.vectors.subspace import bias_subspace

GENDER = [["she", "he"], ["woman", "man"]]
WORDS = ["she", "he", "woman", "man", "nurse", "smith", "beard", "gran", "grandad", "stone"]


def random_vectors(seed: int, dim: int = 6, words: list[str] = WORDS) -> Vectors:
    rows = np.random.default_rng(seed).standard_normal((len(words), dim))
    return Vectors.of(words, rows)


seeds = st.integers(0, 2**32 - 1)
few_examples = settings(max_examples=30)
OPTIONS = {"equal": [["gran", "grandad"]], "specific": ["beard"]}


# ---------------------------------------------------------------- worked by hand


def test_a_neutral_word_loses_its_part_along_the_pair():
    vectors = Vectors.of(["he", "she", "nurse", "smith"], [[-3, 4], [3, 4], [4, 3], [-1, 1]])
    debiased = debias(vectors, [["she", "he"]])
    np.testing.assert_allclose(
        debiased.matrix, [[-0.6, 0.8], [0.6, 0.8], [0, 1], [0, 1]], atol=1e-7
    )


def test_an_equality_set_differs_only_within_the_subspace():
    # μ = (.3, .7, .4), ν = (0, .7, .4), 1 - |ν|² = .35
    vectors = Vectors.of(
        ["she", "he", "gran", "grandad", "nurse"],
        [[3, 0, 4], [-3, 0, 4], [0.6, 0.8, 0], [0, 0.6, 0.8], [1, 1, 1]],
    )
    debiased = debias(vectors, [["she", "he"]], equal=[["gran", "grandad"]])
    np.testing.assert_allclose(
        debiased.take(["gran", "grandad", "nurse"]).rows,
        [[0.35**0.5, 0.7, 0.4], [-(0.35**0.5), 0.7, 0.4], [0, 0.5**0.5, 0.5**0.5]],
        atol=1e-7,
    )


def test_three_words_span_a_plane():
    third = np.array([[1, 0], [-0.5, 0.75**0.5], [-0.5, -(0.75**0.5)]]) * 0.6
    rows = np.vstack([np.column_stack([third, [0.8] * 3]), [[2, 1, 3], [1, 1, -1]]])
    vectors = Vectors.of(["church", "mosque", "temple", "book", "war"], rows)
    three = [["church", "mosque", "temple"]]
    result = bias_subspace(vectors, three, components=2)
    np.testing.assert_allclose(result.explained, [0.5, 0.5], atol=1e-7)
    debiased = debias(vectors, three, components=2, equal=three)
    np.testing.assert_allclose(debiased.matrix[3:], [[0, 0, 1], [0, 0, -1]], atol=1e-7)
    np.testing.assert_allclose(debiased.matrix[:3], rows[:3], atol=1e-6)
    with pytest.raises(CannotMeasure, match="differ as much in direction 2 as in direction 1"):
        bias_subspace(vectors, three)


def test_the_first_words_of_the_pairs_are_on_the_positive_side():
    result = bias_subspace(Vectors.of(["he", "she"], [[-1, 2], [3, 4]]), [["she", "he"]])
    assert result.axes[0, 0] > 0


# ---------------------------------------------------------------- against the paper's formula


@few_examples
@given(seeds, st.integers(1, 3))
def test_the_bias_subspace_is_spanned_by_the_eigenvectors_of_the_papers_matrix(seed, components):
    sets = [["she", "he"], ["woman", "man", "nurse"], ["gran", "grandad", "beard", "stone"]]
    vectors = random_vectors(seed)
    c = np.zeros((6, 6))
    for words in sets:
        rows = vectors.unit(words)
        mean = rows.mean(axis=0)
        for row in rows:
            c += np.outer(row - mean, row - mean) / len(words)
    values, axes = np.linalg.eigh(c)
    strongest = axes[:, ::-1][:, :components]
    result = bias_subspace(vectors, sets, components=components)
    np.testing.assert_allclose(result.axes.T @ result.axes, strongest @ strongest.T, atol=1e-6)
    np.testing.assert_allclose(
        result.explained, values[::-1][:components] / values.sum(), atol=1e-9
    )


# ---------------------------------------------------------------- properties


@few_examples
@given(seeds, st.integers(1, 2))
def test_neutral_words_are_orthogonal_to_the_subspace_and_all_are_unit_vectors(seed, components):
    vectors = random_vectors(seed)
    plan = prepare(vectors, GENDER, components=components, **OPTIONS)
    debiased = apply(plan)
    assert [vectors.words[i] for i in plan.neutral] == ["nurse", "smith", "stone"]
    assert np.abs(debiased.matrix[plan.neutral] @ plan.subspace.axes.T).max() < 1e-6
    np.testing.assert_allclose(np.linalg.norm(debiased.matrix, axis=1), 1, atol=1e-6)
    assert direct_bias(plan, vectors) > 1e-6 > direct_bias(plan, debiased)


@few_examples
@given(seeds, st.integers(1, 2))
def test_neutral_words_are_equally_near_to_all_words_of_an_equality_set(seed, components):
    debiased = debias(random_vectors(seed), GENDER, components=components, **OPTIONS)
    cosines = debiased.unit(["nurse", "smith", "stone"]) @ debiased.unit(["gran", "grandad"]).T
    np.testing.assert_allclose(cosines[:, 0], cosines[:, 1], atol=1e-6)


@few_examples
@given(seeds)
def test_specific_words_and_pairs_are_unchanged_by_debiasing(seed):
    vectors = random_vectors(seed)
    words = ["she", "he", "woman", "man", "beard"]
    debiased = debias(vectors, GENDER, **OPTIONS)
    np.testing.assert_allclose(
        debiased.matrix[vectors.words.find(words)], vectors.unit(words), atol=1e-6
    )


@few_examples
@given(seeds, st.booleans())
def test_debiasing_twice_equals_debiasing_once(seed, equalise):
    # What is equalised is moved; so for the subspace to stay, all pairs are, or none.
    equal = GENDER if equalise else []
    once = debias(random_vectors(seed), GENDER, equal=equal, specific=["beard"])
    twice = debias(once, GENDER, equal=equal, specific=["beard"])
    np.testing.assert_allclose(twice.matrix, once.matrix, atol=1e-5)


@few_examples
@given(seeds)
def test_debiasing_commutes_with_rotation(seed):
    vectors = random_vectors(seed)
    rotation = ortho_group.rvs(6, random_state=seed)
    rotated = Vectors.of(WORDS, vectors.matrix @ rotation)
    np.testing.assert_allclose(
        debias(rotated, GENDER, **OPTIONS).matrix,
        debias(vectors, GENDER, **OPTIONS).matrix @ rotation,
        atol=2e-5,
    )


@few_examples
@given(seeds)
def test_debiasing_ignores_the_length_of_vectors(seed):
    vectors = random_vectors(seed)
    lengths = 10.0 ** np.random.default_rng(seed).integers(-20, 20, (len(WORDS), 1))
    scaled = Vectors.of(WORDS, vectors.matrix * lengths)
    np.testing.assert_allclose(
        debias(scaled, GENDER, **OPTIONS).matrix,
        debias(vectors, GENDER, **OPTIONS).matrix,
        atol=2e-5,
    )


def test_debiasing_does_not_depend_on_blocks_and_threads(monkeypatch):
    words = [*WORDS, *(f"w{i}" for i in range(100))]
    vectors = random_vectors(0, words=words)
    whole = debias(vectors, GENDER, **OPTIONS)
    monkeypatch.setattr("weatherglass.vectors.vectors.BLOCK_ROWS", 7)
    reports = []
    parts = debias(vectors, GENDER, workers=3, progress=lambda *now: reports.append(now), **OPTIONS)
    np.testing.assert_allclose(parts.matrix, whole.matrix, atol=1e-7)
    assert reports == sorted(reports)
    assert reports[-1] == (110, 110)


# ---------------------------------------------------------------- what is missing or cannot be done


def test_missing_words_are_listed_and_the_other_pairs_are_used():
    vectors = random_vectors(1)
    pairs = [*GENDER, ["girl", "boy"], ["her", "his"]]
    plan = prepare(
        vectors, pairs, equal=[["gran", "grandad"], ["aunt", "uncle"]], specific=["beard", "hen"]
    )
    assert plan.missing == {
        "pairs": ("girl", "boy", "her", "his"),
        "equal": ("aunt", "uncle"),
        "specific": ("hen",),
    }
    assert (len(plan.subspace.sets), plan.subspace.requested) == (2, 4)
    assert apply(plan).matrix.tobytes() == debias(vectors, GENDER, **OPTIONS).matrix.tobytes()


def test_a_set_of_three_works_with_two_found_words():
    vectors = random_vectors(2)
    two = bias_subspace(vectors, [["she", "he"]])
    three = bias_subspace(vectors, [["she", "they", "he"]])
    np.testing.assert_allclose(two.axes, three.axes)
    assert three.missing == ("they",)


def test_debiasing_without_any_pair_in_the_vocabulary_is_an_error():
    with pytest.raises(
        CannotMeasure,
        match=r"None of the 2 pairs has two usable words in memory \(missing: 'her', 'his'",
    ):
        debias(random_vectors(0), [["her", "his"], ["she", "hers"]])


def test_pairs_that_do_not_differ_are_an_error():
    vectors = Vectors.of(["she", "he", "x"], [[1, 2], [2, 4], [1, 0]])
    with pytest.raises(CannotMeasure, match="have the same direction in memory"):
        debias(vectors, [["she", "he"]])


@pytest.mark.parametrize(
    ("components", "error", "message"),
    [
        (3, CannotMeasure, "span 2 directions in memory, but you asked for 3 components"),
        (0, UsageError, "components is 0"),
        (1.5, UsageError, "components is 1.5"),
        (True, UsageError, "components is True"),
    ],
)
def test_an_impossible_number_of_components_is_refused(components, error, message):
    with pytest.raises(error, match=message):
        debias(random_vectors(0), GENDER, components=components)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pairs": ["she", "he"]}, "pairs has 'she'; a list of two words or more"),
        ({"pairs": [["she"]]}, "pairs has a list of 1"),
        ({"pairs": GENDER, "equal": [["gran"]]}, "equal has a list of 1"),
        ({"pairs": GENDER, "specific": "beard"}, "specific is 'beard'; a list of words"),
        ({"pairs": GENDER, "case": "upper"}, "case is 'upper'; it must be one of"),
        (
            {"pairs": GENDER, "equal": [["gran", "he"], ["grandad", "he"]]},
            "The word 'he' is in two equality sets",
        ),
    ],
)
def test_invalid_arguments_of_debias_are_refused(arguments, message):
    with pytest.raises(UsageError, match=message):
        debias(random_vectors(0), **arguments)


def test_an_equality_set_that_does_not_differ_within_the_subspace_is_unchanged():
    rows = [[3, 0, 4], [-3, 0, 4], [0, 1, 1], [0, 1, -1], [1, 1, 0]]
    vectors = Vectors.of(["she", "he", "colt", "filly", "nurse"], rows)
    plan = prepare(vectors, [["she", "he"]], equal=[["colt", "filly"]])
    assert (plan.equal, plan.unequalised) == ((), ((2, 3),))
    np.testing.assert_allclose(apply(plan).matrix[2:4], vectors.unit(["colt", "filly"]), atol=1e-7)


def test_a_neutral_word_inside_the_subspace_has_no_direction_left():
    vectors = Vectors.of(["she", "he", "gender", "x"], [[3, 4], [-3, 4], [5, 1e-9], [1, 1]])
    debiased = debias(vectors, [["she", "he"]])
    assert debiased.unusable.tolist() == [2]
    assert debiased.matrix[2].tolist() == [0, 0]
    with pytest.raises(CannotMeasure, match="Nothing is left of the neutral words"):
        debias(vectors.subset(["she", "he", "gender"]), [["she", "he"]])


def test_rows_without_direction_stay_unusable_and_define_no_pair():
    rows = [[3, 4], [-3, 4], [np.nan, 1], [0, 0], [np.inf, 1], [1, 1]]
    vectors = Vectors.of(["she", "he", "nan", "zero", "inf", "nurse"], rows)
    plan = prepare(vectors, [["she", "he"], ["nan", "zero"]], specific=["inf"])
    assert plan.missing["pairs"] == ("nan", "zero")
    assert plan.missing["specific"] == ("inf",)
    debiased = apply(plan)
    assert debiased.unusable.tolist() == vectors.unusable.tolist() == [2, 3, 4]
    np.testing.assert_allclose(debiased.matrix[5], [0, 1], atol=1e-7)


# ---------------------------------------------------------------- capitals


def test_specific_words_and_equality_sets_include_capitalised_variants():
    words = [
        "she",
        "he",
        "She",
        "He",
        "SHE",
        "HE",
        "gran",
        "grandad",
        "Gran",
        "Grandad",
        "beard",
        "Beard",
        "nurse",
        "Nurse",
    ]
    vectors = random_vectors(3, words=words)
    plan = prepare(vectors, [["she", "he"]], equal=[["gran", "grandad"]], specific=["beard"])
    assert plan.equal == ((6, 7), (8, 9))
    named = [words[i] for i in plan.neutral]
    assert named == ["She", "He", "SHE", "HE", "nurse", "Nurse"]  # pairs are as they are written
    exact = prepare(
        vectors, [["she", "he"]], equal=[["gran", "grandad"]], specific=["beard"], case="keep"
    )
    assert exact.equal == ((6, 7),)
    assert {"Gran", "Grandad", "Beard"} <= {words[i] for i in exact.neutral}


def test_an_equality_set_listed_in_two_spellings_is_used_once():
    vectors = random_vectors(4)
    sets = [["gran", "grandad"], ["Gran", "Grandad"]]
    assert prepare(vectors, GENDER, equal=sets).equal == ((7, 8),)
    assert prepare(vectors, [["She", "He"]], case="lower").subspace.sets == ((0, 1),)
    with pytest.raises(CannotMeasure):
        prepare(vectors, [["She", "He"]], case="keep")


# ---------------------------------------------------------------- what comes back


def test_debiased_vectors_are_labelled_and_immutable():
    vectors = random_vectors(5)
    debiased = debias(vectors, GENDER, **OPTIONS)
    assert debiased.source == "memory (debiased)"
    assert debiased.words is vectors.words
    assert debiased.matrix.dtype == vectors.matrix.dtype
    with pytest.raises(ValueError, match="read-only"):
        debiased.matrix[0, 0] = 5


def test_the_fingerprint_of_debiased_vectors_depends_on_every_option():
    vectors = random_vectors(5)
    options = [
        {},
        {"components": 2},
        {"specific": ["beard"]},
        {"equal": [["gran", "grandad"]]},
        {"specific": ["gran", "grandad"]},
    ]
    fingerprints = [debias(vectors, GENDER, **option).fingerprint for option in options]
    assert (
        len({*fingerprints, vectors.fingerprint, debias(random_vectors(6), GENDER).fingerprint})
        == 7
    )
    assert fingerprints == [debias(vectors, GENDER, **option).fingerprint for option in options]


# ---------------------------------------------------------------- real vectors


@pytest.fixture(scope="module")
def gender():
    vectors = wg.open_vectors("default")
    lists = axis("gender")
    plan = prepare(vectors, lists.pairs, equal=lists.equal, specific=lists.specific)
    return vectors, plan, apply(plan)


@pytest.mark.slow
def test_debiasing_gender_shrinks_gender_tests_and_no_others(gender):
    before, _, after = gender
    effects = {
        name: (wg.weat(before, name).effect, wg.weat(after, name).effect)
        for name in ("weat1", "weat6", "weat7", "weat8")
    }
    assert effects["weat7"] == pytest.approx((1.50, -1.12), abs=0.01)
    assert effects["weat8"] == pytest.approx((1.48, -0.20), abs=0.01)
    assert effects["weat6"] == pytest.approx((1.71, 1.01), abs=0.01)
    assert effects["weat1"] == pytest.approx((1.08, 1.19), abs=0.01)
    # What weat7 and weat8 still find is of "him" and "hers", which are in no equality set.
    for name in ("weat7", "weat8"):
        test = wg.test(name)
        paired = [words.leave_out(["him", "hers"]).words for words in (test.a, test.b)]
        mine = wg.Test(x=test.x.words, y=test.y.words, a=paired[0], b=paired[1])
        assert wg.weat(before, mine).statistic > 0.3
        assert abs(wg.weat(after, mine).statistic) < 1e-6


def test_after_debiasing_only_gender_words_have_a_gender_direction(gender):
    before, plan, after = gender
    (direction,) = plan.subspace.axes
    assert plan.subspace.explained == pytest.approx((0.49,), abs=0.005)
    for female, male in [("she", "he"), ("queen", "king"), ("actress", "beard")]:
        assert after.unit([female])[0] @ direction > 0 > after.unit([male])[0] @ direction
    words = ["beard", "actress", "mary", "john", "him"]
    np.testing.assert_allclose(after.unit(words), before.unit(words), atol=1e-6)
    biased = ["nurse", "homemaker", "programmer", "engineer"]
    assert (np.abs(before.unit(biased) @ direction) > 0.1).all()
    assert (np.abs(after.unit(biased) @ direction) < 1e-6).all()


def test_words_of_similar_bias_are_still_neighbours_after_debiasing(gender):
    # Gonen and Goldberg (2019): of the words that leaned most to one side, the nearest ones do too.
    before, plan, after = gender
    common = plan.neutral[plan.neutral < 20_000]
    bias = before.unit_at(common) @ plan.subspace.axes[0]
    order = np.argsort(bias)
    ends = np.concatenate([order[:300], order[-300:]])
    side = np.repeat([-1, 1], 300)

    def same_side(vectors: Vectors) -> float:
        rows = vectors.unit_at(common[ends])
        cosines = rows @ rows.T
        np.fill_diagonal(cosines, -1)
        return float((side[np.argsort(-cosines, axis=1)[:, :10]] == side[:, None]).mean())

    assert same_side(before) == pytest.approx(0.999, abs=0.001)
    assert same_side(after) == pytest.approx(0.855, abs=0.005)


# ---------------------------------------------------------------- more specific words


def plant_specific_words(
    rng: np.random.Generator, specific: int = 60, others: int = 600, dim: int = 20
):
    """Specific words lie on one side of a plane, other words on the other."""
    rows = rng.standard_normal((specific + others, dim))
    rows[:, 0] = np.abs(rows[:, 0]) + 12
    rows[specific:, 0] *= -1
    letters = "abcdefghij"
    spelled = ["".join(letters[int(c)] for c in f"{i:04}") for i in range(specific + others)]
    return Vectors.of(spelled, rows), spelled[:specific]


def test_the_classifier_finds_specific_words_that_are_not_listed():
    vectors, specific = plant_specific_words(np.random.default_rng(0))
    hidden = specific[::10]
    listed = [word for word in specific if word not in hidden]
    result = learn_specific(vectors, listed)
    assert set(result.words) == set(hidden)
    assert (result.trained_on, result.listed) == (660, 54)
    assert result.f_score > 0.8
    assert result == learn_specific(vectors, listed)


def test_the_classifier_trains_on_plain_words_and_classifies_all():
    vectors, specific = plant_specific_words(np.random.default_rng(1))
    renamed = ["X1-" + word if i % 3 == 0 else word for i, word in enumerate(vectors.words)]
    hidden = {word for word in renamed[: len(specific)] if word.startswith("X1-")}
    result = learn_specific(Vectors.of(renamed, vectors.matrix), specific, case="keep")
    assert result.trained_on == 440
    assert set(result.words) == hidden


def test_the_classifier_needs_listed_words_and_a_complete_vocabulary():
    vectors, specific = plant_specific_words(np.random.default_rng(2))
    with pytest.raises(CannotMeasure, match="0 are on the list of specific words"):
        learn_specific(vectors, ["none"])
    with pytest.raises(CannotMeasure, match="Only some words of memory were opened"):
        learn_specific(vectors.subset(specific), specific)


@pytest.mark.slow
def test_fifty_dimensions_are_too_few_for_the_classifier():
    result = learn_specific(wg.open_vectors("default"), axis("gender").specific)
    assert (result.listed, result.trained_on) == (197, 45_772)
    assert result.words == ()
    assert result.f_score == 0
