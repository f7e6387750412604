"""Tests of several groups: effect size, p-value, follow-ups, and what they say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weatherglass as wg
from weatherglass.errors import CatalogError, UsageError
from weatherglass.measures import GroupScores, Result, Results

RNG = np.random.default_rng(7)
DIM = 8
LETTERS = "abc"
GROUPS = {f"Group {k}": [f"{k}{i}" for i in range(5)] for k in LETTERS}
ATTRIBUTES = {f"Topic {k}": [f"t{k}{i}" for i in range(3)] for k in LETTERS}


def planted(size=1.0, seed=0):
    """Vectors in which group a goes with topic a, and so on, by `size`."""
    rng = np.random.default_rng(seed)
    topics = np.linalg.qr(rng.standard_normal((DIM, DIM)))[0][:3]
    words, rows = [], []
    for k, letter in enumerate(LETTERS):
        for word in GROUPS[f"Group {letter}"]:
            words.append(word)
            rows.append(rng.standard_normal(DIM) / DIM**0.5 + size * topics[k])
        for word in ATTRIBUTES[f"Topic {letter}"]:
            words.append(word)
            rows.append(topics[k] + 0.1 * rng.standard_normal(DIM))
    return wg.Vectors.of(words, np.array(rows))


def groups_test(count, **more):
    attributes = dict(list(ATTRIBUTES.items())[:count])
    return wg.GroupsTest(id="topics", groups=GROUPS, attributes=attributes, **more)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_planted_difference_of_groups_is_found(count):
    result = wg.generalised_weat(planted(1.5), groups_test(count), influence=True)
    assert result.p.value < 0.01
    assert result.finding.grade == "clear"
    assert result.effect <= result.max_value
    assert result.effect > 0


@pytest.mark.parametrize("count", [1, 2, 3])
def test_noise_has_no_finding(count):
    result = wg.generalised_weat(planted(0.0, seed=3), groups_test(count))
    assert result.finding.grade == "none"
    assert result.sentence().startswith("No clear difference in how group a words, group b words")


def test_the_sentence_names_the_pairs_that_differ():
    vectors = planted(1.5)
    two = wg.generalised_weat(vectors, groups_test(2)).finding.sentence
    assert two.startswith(
        "Group a words, group b words and group c words are not equally associated with topic a "
        "words rather than topic b words: group a words more strongly than group"
    )
    each = wg.generalised_weat(vectors, groups_test(3)).finding.sentence
    assert "are on average each more strongly associated with their own words" in each
    assert "the pairs that differ are Group a and Group b" in each


def test_own_attributes_that_are_exchanged_reverse_the_sentence_and_the_sign():
    vectors = planted(1.5)
    turned = {
        f"Topic {k}": ATTRIBUTES[f"Topic {other}"] for k, other in zip("abc", "bca", strict=True)
    }
    right = wg.generalised_weat(vectors, groups_test(3))
    wrong = wg.generalised_weat(vectors, wg.GroupsTest(groups=GROUPS, attributes=turned))
    assert right.effect > 0 > wrong.effect
    assert "less strongly associated with their own words" in wrong.claim()


@settings(max_examples=10, deadline=None)
@given(st.permutations(range(3)), st.sampled_from([1, 2, 3]), st.integers(0, 9))
def test_relabelling_groups_keeps_effect_and_p(order, count, seed):
    vectors = planted(0.3, seed)
    names = list(GROUPS)
    moved = {f"Other {k}": GROUPS[names[k]] for k in order}
    attributes = dict(list(ATTRIBUTES.items())[:count])
    if count == 3:
        attributes = {f"Words {k}": ATTRIBUTES[f"Topic {LETTERS[k]}"] for k in order}
    first = wg.generalised_weat(vectors, groups_test(count))
    second = wg.generalised_weat(vectors, wg.GroupsTest(groups=moved, attributes=attributes))
    assert first.effect == pytest.approx(second.effect)
    assert first.p.value == second.p.value
    assert sorted(p.p.value for p in first.pairs) == sorted(p.p.value for p in second.pairs)


@pytest.mark.parametrize("count", [2, 3])
def test_a_pair_of_groups_is_the_weat_of_both(count):
    vectors = planted(0.5)
    result = wg.generalised_weat(vectors, groups_test(count))
    pair = result.pairs[1]
    a, b = ("A", "B") if count == 2 else ("A1", "A3")
    weat = wg.weat(
        vectors,
        wg.Test(x=result.words["X1"], y=result.words["X3"], a=result.words[a], b=result.words[b]),
        baseline=False,
    )
    assert (pair.first, pair.second) == ("X1", "X3")
    assert pair.effect == pytest.approx(weat.effect)
    assert pair.p.value == pytest.approx(weat.p.value)
    assert pair.interval.low == pytest.approx(weat.intervals[0].low)
    assert pair.p_holm >= pair.p.value


def test_the_effect_of_two_groups_is_that_of_weat():
    vectors = planted(0.5)
    x, y = list(GROUPS.values())[:2]
    a, b = list(ATTRIBUTES.values())[:2]
    weat = wg.weat(vectors, wg.Test(x=x, y=y, a=a, b=b), baseline=False)
    paired = wg.generalised_weat(vectors, [(x, a), (y, b)])
    assert paired.effect == pytest.approx(weat.effect)
    shared = GroupScores.of([vectors.unit(x), vectors.unit(y)], [vectors.unit(a) - vectors.unit(b)])
    assert shared.numbers().effect == pytest.approx(abs(weat.effect))
    assert (weat.max_value) == pytest.approx(
        1.8973666
    )  # five words against five, which both formulas of several groups give, too


def test_the_effect_is_the_mean_over_pairs_of_groups():
    vectors = planted(0.4)
    result = wg.generalised_weat(vectors, groups_test(3))
    words, rows = result.words, {k: vectors.unit(w) for k, w in result.words.items()}
    targets = np.concatenate([rows[f"X{k}"] for k in (1, 2, 3)])
    numerators, variances = [], []
    for i, j in ((1, 2), (1, 3), (2, 3)):
        difference = rows[f"A{i}"].mean(axis=0) - rows[f"A{j}"].mean(axis=0)
        numerators.append((rows[f"X{i}"].mean(axis=0) - rows[f"X{j}"].mean(axis=0)) @ difference)
        variances.append((targets @ difference).var(ddof=1))
    assert result.effect == pytest.approx(np.mean(numerators) / np.sqrt(np.mean(variances)))
    assert result.g == pytest.approx(np.mean(numerators))  # 2g / (n - 1), with n = 3
    assert sum(result.parts.values()) == pytest.approx(result.g)
    assert len(words["X1"]) == 5


def test_a_control_that_reverses_the_order_of_groups_is_said_to_reverse_the_finding():
    before, after = planted(1.5), planted(1.5)
    names = [word for words in GROUPS.values() for word in words]
    rows = after.unit(list(after.words[:]))
    turned = [
        -row if word in names else row for word, row in zip(after.words[:], rows, strict=True)
    ]
    after = wg.Vectors.of(list(after.words[:]), np.array(turned))
    from weatherglass.measures.generalised_weat import _oriented

    first, second = (wg.generalised_weat(v, groups_test(2)) for v in (before, after))
    assert second.effect == pytest.approx(first.effect)  # no sign of its own
    assert _oriented(second, first).effect == -second.effect
    assert _oriented(first, first).effect == first.effect


def test_results_round_trip_and_are_corrected_with_other_tests():
    vectors = planted(1.0)
    results = Results.of(
        [wg.generalised_weat(vectors, groups_test(k), influence=True) for k in (1, 2, 3)]
    ).correct()
    assert Results.from_json(results.to_json()) == results
    assert Results.from_delimited(results.to_delimited(record=True)) == results
    assert Result.from_json(results[0].to_json()) == results[0]
    assert results[0].family == 3
    assert results[0].p_holm >= results[0].p.value
    row = results[2].row()
    assert row["groups"] == "Group a 5; Group b 5; Group c 5"
    assert row["g"] == results[2].g


def test_missing_words_and_words_of_two_groups_are_reasons():
    vectors = planted()
    few = wg.GroupsTest(groups=GROUPS | {"None": ["q", "r"]}, attributes={"A": ["ta0"]})
    result = wg.generalised_weat(vectors, few)
    assert (result.status, "2 of the 2 words of X4" in result.reason) == ("not run", True)
    overlap = wg.GroupsTest(groups=GROUPS, attributes={"A": ["a0", "ta0"]})
    assert "both a target (X1) and an attribute (A)" in wg.generalised_weat(vectors, overlap).reason
    cased = wg.GroupsTest(groups=GROUPS | {"D": ["A0", "d"]}, attributes={"A": ["ta0"]})
    assert "X1 and X4 both have 'a0'" in wg.generalised_weat(vectors, cased, max_missing=0.5).reason


def test_a_direction_can_be_declared_for_own_attributes_only():
    vectors = planted(1.0)
    declared = wg.generalised_weat(vectors, groups_test(3, alternative="greater"))
    assert declared.is_declared
    assert declared.p.value <= declared.p_two_sided.value
    with pytest.raises(CatalogError, match="no direction"):
        groups_test(2, alternative="greater")
    with pytest.raises(UsageError, match="no direction"):
        wg.generalised_weat(vectors, groups_test(2), alternative="less")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"groups": {"a": ["x"], "b": ["y"]}, "attributes": {"c": ["z"]}}, "with x and y"),
        (
            {"groups": {"a": ["x"], "b": ["y"], "c": ["x"]}, "attributes": {"c": ["z"]}},
            "both have 'x'",
        ),
        (
            {
                "groups": {"a": ["x"], "b": ["y"], "c": ["v"], "d": ["w"]},
                "attributes": {"c": ["z"], "d": ["u"], "e": ["t"]},
            },
            "1, 2 or 4",
        ),
        ({"groups": [["x"], ["y"], ["v"]]}, "attributes"),
        ({"groups": "x", "attributes": [["z"]]}, "groups"),
    ],
)
def test_a_wrong_test_of_groups_is_refused_with_the_reason(fields, message):
    with pytest.raises(CatalogError, match=message):
        wg.GroupsTest(**fields)


def test_attributes_with_the_names_of_groups_go_with_them():
    test = wg.GroupsTest(
        groups={"a": ["x"], "b": ["y"], "c": ["v"]},
        attributes={"c": ["3"], "a": ["1"], "b": ["2"]},
    )
    assert [test.sets[name].words for name in ("A1", "A2", "A3")] == [("1",), ("2",), ("3",)]


def test_the_measure_of_word_sets_is_the_same_test():
    vectors = planted(0.5)
    test = groups_test(2)
    sets = {name: words.words for name, words in test.sets.items()}
    measured = wg.measure(vectors, "generalised_weat", sets)
    assert measured.effect == wg.generalised_weat(vectors, test).effect
    assert measured.p == wg.generalised_weat(vectors, test).p
    with pytest.raises(UsageError, match="needs the set X3"):
        wg.measure(vectors, "generalised-weat", {k: sets[k] for k in ("X1", "X2", "A")})
    with pytest.raises(UsageError, match="has no set 'A'"):
        wg.measure(vectors, "generalised-weat", sets | {f"A{k}": ["ta0"] for k in (1, 2, 3)})
