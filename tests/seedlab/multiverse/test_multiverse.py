"""The multiverse: what is chosen, what is dropped, and that every specification is a WEAT."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weatherglass as wg
from weatherglass.catalog import SeedSet, pairings, pairs, seed_sets
from weatherglass.errors import BadContent, CannotMeasure, UnknownEntry, UsageError
from weatherglass.seedlab.multiverse.alternatives import alternatives
from weatherglass.seedlab.multiverse.candidates import draw_subsamples, group_into_units
from weatherglass.seedlab.multiverse.result import Part, set_names
from weatherglass.significance import benjamini_hochberg, holm

MALE, FEMALE = "male_1-Caliskan_et_al_2017", "female_1-Caliskan_et_al_2017"


@pytest.fixture(scope="module")
def default() -> wg.Vectors:
    return wg.open_vectors("default")


@pytest.fixture(scope="module")
def weat6(default) -> wg.Multiverse:
    return wg.multiverse(default, "weat6", samples=4)


def seed_set(id: str, *words: str) -> SeedSet:
    return SeedSet(id=id, words=words)


# A universe small enough to be worked by hand. With A = kind at (1, 0) and B = foul at (0, 1) the
# association of a target is its first coordinate less its second.
PLANE = {
    "rose": (1, 0),
    "lily": (0.8, 0.6),
    "wasp": (0, 1),
    "gnat": (0.6, 0.8),
    "kind": (1, 0),
    "foul": (0, 1),
    "nice": (0, 1),
    "vile": (1, 0),
    "so": (0.6, 0.8),
    "thus": (0.6, 0.8),
}


@pytest.fixture
def plane() -> wg.Vectors:
    return wg.Vectors.of(list(PLANE), list(PLANE.values()))


@pytest.fixture
def garden() -> wg.Test:
    return wg.Test(id="garden", x=["rose", "lily"], y=["wasp", "gnat"], a=["kind"], b=["foul"])


@pytest.fixture
def by_hand(plane, garden) -> wg.Multiverse:
    own = {
        "A": [seed_set("upside", "nice"), seed_set("neither", "so")],
        "B": [seed_set("downside", "vile"), seed_set("nor", "thus")],
    }
    return wg.multiverse(plane, garden, own=own, samples=0)


def test_the_hand_worked_universe_has_two_specifications(by_hand):
    # The sets with the same vector on both sides give every target the association 0.
    assert [one.sets["A"] for one in by_hand.specifications] == ["garden.A", "upside"]
    (flat,) = by_hand.dropped
    assert (flat.sets["A"], flat.sets["B"]) == ("neither", "nor")
    assert flat.reason.startswith("all targets have the same association")


def test_the_hand_worked_effects_and_p_values(by_hand):
    own, turned = by_hand.specifications
    # Associations 1, 0.2 and -1, -0.2: means 0.6 and -0.6, variance 2.08 / 3.
    effect = 1.2 / math.sqrt(2.08 / 3)
    assert own.effect == pytest.approx(effect)
    assert own.statistic == pytest.approx(2 * 1.2)
    assert own.p.fraction == "1/6"  # no other two targets sum to 1.2
    assert turned.effect == pytest.approx(-effect)
    assert turned.p.fraction == "6/6"
    assert (own.p_holm, turned.p_holm) == (pytest.approx(2 / 6), 1.0)
    assert (own.p_bh, turned.p_bh) == (pytest.approx(2 / 6), 1.0)
    assert own.n == {"X": 2, "Y": 2, "A": 1, "B": 1}


def test_the_hand_worked_summary(by_hand):
    told, effect = by_hand.summary, 1.2 / math.sqrt(2.08 / 3)
    assert by_hand.documented == 0
    assert told.same_sign == {"whole": Part(1, 2), "all": Part(1, 2)}
    assert told.significant["none"]["all"] == Part(0, 2)
    assert told.effects["median"] == pytest.approx(0)
    assert told.effects["largest"] == pytest.approx(effect)
    assert told.effects["25%"] == pytest.approx(-effect / 2)
    assert told.place == 0.5
    assert told.out_of_reach == Part(2, 2)  # 1/6 twice is over 0.05
    margins = {one.sets.get("A"): one for one in told.margins}
    assert margins["upside"].mean == pytest.approx(-effect)
    assert margins["upside"].difference == pytest.approx(-2 * effect)
    assert margins["garden.A"].difference == pytest.approx(2 * effect)
    assert margins[None].difference is None  # X and Y have no alternative
    (flip,) = told.flips
    assert (flip.change, flip.sets["A"], flip.samples) == ("other sign", "upside", Part(0, 0))


def same_as_weat(found: wg.Multiverse, vectors: wg.Vectors) -> None:
    for one in found.specifications:
        test = found.as_test(one)
        exact = "exact" if one.p.method == "exact" else "tilted"
        result = wg.weat(
            vectors, test, method=exact, alternative=found.options["alternative"], case="keep"
        )
        assert result.n == one.n
        assert one.effect == pytest.approx(result.effect, rel=1e-12)
        assert one.statistic == pytest.approx(result.statistic, rel=1e-12)
        if exact == "exact":
            assert one.p == result.p
        else:
            assert one.p.value == pytest.approx(result.p.value, rel=1e-3)
            assert one.p.low <= result.p.high
            assert result.p.low <= one.p.high


@pytest.mark.parametrize(
    "test", ["weat10", *(pytest.param(one, marks=pytest.mark.slow) for one in ("weat3", "weat7"))]
)
def test_every_specification_is_what_weat_says_of_the_same_words(default, test):
    same_as_weat(wg.multiverse(default, test, samples=2), default)


@pytest.mark.slow
def test_every_specification_is_what_weat_says_also_of_long_lists(default, weat6):
    same_as_weat(weat6, default)
    same_as_weat(wg.multiverse(default, "weat6", samples=1, alternative="two-sided"), default)


def test_the_documented_specification_is_the_test_itself(default, weat6):
    own = weat6.specifications[weat6.documented]
    result = wg.weat(default, "weat6")
    assert own.p == result.p
    assert own.effect == pytest.approx(result.effect, rel=1e-12)
    assert own.sets["X"] == "male_names_1-Caliskan_et_al_2017"
    assert own.sets["B"] == "family-Caliskan_et_al_2017"


def test_on_the_papers_vectors_only_the_names_are_significant(glove840b):
    found = wg.multiverse(wg.open_vectors(glove840b), "weat6", samples=0)
    own = found.specifications[found.documented]
    assert round(own.effect, 2) == 1.81  # as printed in the Science paper
    terms = [one for one in found.specifications if one is not own]
    assert [round(one.effect, 2) for one in terms] == [0.55, 0.70, 0.52, 0.54]
    assert all(one.p.value > 0.05 for one in terms)


def test_the_number_of_specifications(default, weat6):
    # Of the 18 male-female and 3 names pairings with words, three lists of names are the same
    # names, and the sets from WikiText share husband and wife: 18. Of three pairings of career and
    # family two are the same words: 2.
    assert [len(factor) for factor in weat6.factors] == [18, 2]
    assert len(weat6.whole) == 18 * 2
    assert len(weat6.specifications) == 18 * 2 * (1 + 4)
    assert len({(*one.sets.values(), one.sample) for one in weat6.specifications}) == 180
    assert [one.sample for one in weat6.specifications] == sorted(
        one.sample for one in weat6.specifications
    )
    only = wg.multiverse(
        default, "weat6", samples=3, concepts={"X": "male-names", "Y": "female-names"}
    )
    assert len(only.specifications) == 1 * 2 * (1 + 3)


def test_crossing_combines_every_set_with_every_other(plane, garden):
    own = {"A": [seed_set("one", "nice"), seed_set("two", "vile")], "B": [seed_set("three", "so")]}
    found = wg.multiverse(plane, garden, own=own, cross=True, samples=0)
    assert [len(factor) for factor in found.factors] == [1, 1, 3, 2]
    combined = [(one.sets["A"], one.sets["B"]) for one in found.specifications]
    # nice and foul have one vector, so that one of 3 × 2 combinations has no effect.
    assert sorted(combined) == [
        ("garden.A", "garden.B"),
        ("garden.A", "three"),
        ("one", "three"),
        ("two", "garden.B"),
        ("two", "three"),
    ]
    assert [(lost.sets["A"], lost.sets["B"]) for lost in found.dropped] == [("one", "garden.B")]


def test_without_crossing_only_documented_pairs_are_combined(weat6):
    known = {frozenset(one.sets) for one in pairings()}
    assert {frozenset((one.sets["X"], one.sets["Y"])) for one in weat6.specifications} <= known
    assert {frozenset((one.sets["A"], one.sets["B"])) for one in weat6.specifications} <= known


@pytest.mark.parametrize(
    ("test", "concepts"),
    [
        ("weat1", ["flowers", "insects", "pleasant", "unpleasant"]),
        ("weat2", ["instruments", "weapons", "pleasant", "unpleasant"]),
        ("weat3", ["white-names white", "black-names black", "pleasant", "unpleasant"]),
        ("weat4@full", ["white-names white", "black-names black", "pleasant", "unpleasant"]),
        ("weat5", ["white-names white", "black-names black", "pleasant", "unpleasant"]),
        ("weat6", ["male-names male", "female-names female", "career", "family"]),
        ("weat6b", ["male male-names", "female female-names", "career", "family"]),
        ("weat7", ["math", "arts", "male male-names", "female female-names"]),
        ("weat8", ["science", "arts", "male male-names", "female female-names"]),
        ("weat9", ["mental-illness", "physical-illness", "temporary", "permanent"]),
        ("weat10", ["young-names young", "old-names old", "pleasant", "unpleasant"]),
        ("weat3b", ["", "", "pleasant", "unpleasant"]),
    ],
)
def test_what_the_sides_of_a_test_stand_for(test, concepts):
    sides = alternatives(wg.test(test)).sides
    assert [" ".join(one.concepts) for one in sides.values()] == concepts


def test_most_words_of_a_set_are_enough_to_know_the_concept():
    sides = alternatives(wg.test("weat3")).sides
    assert sides["B"].set == "weat3.B"
    assert sides["B"].by == "23 of 25 words are in unpleasant-Caliskan_et_al_2017"


def test_a_side_of_no_concept_stays_as_it_is_and_it_is_said(default):
    test = "heilman_double_bind_likable_one_word"
    found = wg.multiverse(default, test, samples=0, max_missing=0.5)
    assert len(found.factors[0]) > 1
    assert [one.sets for one in found.factors[1]] == [{"A": f"{test}.A", "B": f"{test}.B"}]
    (note,) = found.notes
    assert note.startswith("A and B stay as they are, because no seed set has the words of A and B")
    assert "--concept A=NAME" in note


def reasons(found: wg.Multiverse) -> dict[str, str]:
    return {one.sets.get("X", one.sets.get("A", "")): one.reason for one in found.dropped}


def test_sets_are_dropped_with_the_reason(default, weat6):
    said = reasons(weat6)
    assert said["masculine-Kaneko_and_Bollegala_2019"] == "its words are unknown"
    assert said["career-Rudinger_et_al_2017"].startswith(
        "no study contrasts it with a set of family"
    )
    wiki = "male_words_WikiText_2-Bordia_and_Bowman_2019"
    assert said[wiki] == "X and Y both have 'husband', and share 2 words"
    said = reasons(wg.multiverse(default, "weat3", samples=0))
    assert said["names_white-Garg_et_al_2018"] == "X and Y both have 'harris', and share 19 words"
    assert said["white_names-Knoche_et_al_2019"].startswith("12 of the 59 words of Y are missing")


def test_a_target_among_the_attributes_is_dropped(plane, garden):
    own = {
        "A": [seed_set("thorny", "nice", "rose")],
        "B": [seed_set("plain", "vile")],
    }
    found = wg.multiverse(plane, garden, own=own, samples=0)
    assert len(found.specifications) == 1
    (lost,) = found.dropped
    assert lost.reason == "X and A both have the target 'rose'"
    assert lost.sets == {"X": "garden.X", "Y": "garden.Y", "A": "thorny", "B": "plain"}


def test_what_a_test_itself_does_is_kept(plane):
    test = wg.Test(
        id="mixed", x=["rose", "lily"], y=["wasp", "gnat"], a=["kind", "rose"], b=["foul"]
    )
    found = wg.multiverse(plane, test, own={"A": [seed_set("other", "vile")]}, samples=0)
    assert found.documented == 0
    same_as_weat(found, plane)


def test_the_same_words_are_one_choice(weat6):
    names = weat6.factors[0][0]
    assert [other["X"] for other in names.same] == [
        "male_names-Gonen_&_Goldberg_2019",
        "male_names-Knoche_et_al_2019",
    ]


def test_without_the_documented_sets_the_others_are_still_measured(plane, garden):
    lacking = garden.model_copy(update={"a": garden.a.model_copy(update={"words": ("kinder",)})})
    own = {"A": [seed_set("other", "nice")], "B": [seed_set("another", "vile")]}
    found = wg.multiverse(plane, lacking, own=own, samples=0)
    assert found.documented is None
    assert found.summary.place is None
    assert [one.effect < 0 for one in found.specifications] == [True]
    assert found.summary.same_sign["all"] == Part(0, 1)  # the sign that the test foretells
    assert [flip.change for flip in found.summary.flips] == ["other sign"]


def test_corrections_are_over_the_choices_of_one_sample(weat6):
    for sample in range(5):
        here = [one for one in weat6.specifications if one.sample == sample]
        p = [one.p.value for one in here]
        assert [one.p_holm for one in here] == holm(p).tolist()
        assert [one.p_bh for one in here] == benjamini_hochberg(p).tolist()


def test_more_specifications_than_memory_holds_are_refused(default):
    with pytest.raises(UsageError, match=r"36 choices with 100,000 sub-samples each are 3,600,036"):
        wg.multiverse(default, "weat6", samples=100_000)


def test_two_tails_put_twice_as_large_p_values_out_of_reach(plane, garden):
    # Two of four targets: 1/6 at best in one tail, 2/6 in two; of two choices.
    own = {"A": [seed_set("upside", "nice")], "B": [seed_set("downside", "vile")]}
    found = {
        tails: wg.multiverse(
            plane, garden, own=own, samples=0, alpha=0.5, alternative=tails
        ).summary
        for tails in ("greater", "two-sided")
    }
    assert found["greater"].out_of_reach == Part(0, 2)
    assert found["two-sided"].out_of_reach == Part(2, 2)


def test_the_summary_counts_what_it_says(weat6):
    told, every = weat6.summary, weat6.specifications
    own = every[weat6.documented]
    assert told.significant["holm"]["all"].count == sum(one.p_holm <= 0.05 for one in every)
    assert told.significant["bh"]["whole"].count == sum(one.p_bh <= 0.05 for one in weat6.whole)
    assert told.place == np.mean([one.effect < own.effect for one in every])
    assert told.out_of_reach.count == sum(
        36 / math.comb(one.n["X"] + one.n["Y"], one.n["X"]) > 0.05 for one in every
    )
    for margin in told.margins:
        wanted = margin.sets.items()
        having = [one.effect for one in every if wanted <= one.sets.items()]
        others = [one.effect for one in every if not wanted <= one.sets.items()]
        assert margin.mean == pytest.approx(np.mean(having))
        assert margin.difference == pytest.approx(np.mean(having) - np.mean(others))
    lost = {tuple(one.sets.values()) for one in weat6.whole if one.p_holm > 0.05}
    assert {tuple(flip.sets.values()) for flip in told.flips} == lost  # the own sets have it
    assert all(flip.change == "not significant" for flip in told.flips)


def test_sub_samples_have_the_share_and_keep_pairs_together(default):
    found = wg.multiverse(default, "weat7", samples=20, share=0.6)
    answers = dict(pairs(MALE, FEMALE))
    choice = next(one for one in found.factors[1] if one.sets["A"] == MALE)
    for sample in choice.samples:
        male = [choice.words["A"][i] for i in sample["A"]]
        female = [choice.words["B"][i] for i in sample["B"]]
        assert len(male) == len(female) == math.ceil(0.6 * 8)
        assert {answers[word] for word in male} == set(female)
    math_words = {sample["X"] for sample in found.factors[0][0].samples}
    arts_words = {sample["Y"] for sample in found.factors[0][0].samples}
    assert len(math_words) > 1  # words that answer no other are drawn on their own
    assert math_words != arts_words


def test_the_seed_decides_and_threads_do_not(default):
    first = wg.multiverse(default, "weat7", samples=3, rng=5, workers=1)
    assert wg.multiverse(default, "weat7", samples=3, rng=5, workers=3) == first
    other = wg.multiverse(default, "weat7", samples=3, rng=6)
    assert other.whole == first.whole
    assert other.specifications != first.specifications


def test_sub_samples_do_not_depend_on_the_other_choices(default):
    plain = wg.multiverse(default, "weat7", samples=3)
    own = {"A": [seed_set("kings", "king", "prince")], "B": [seed_set("queens", "queen", "lady")]}
    more = wg.multiverse(default, "weat7", samples=3, own=own)
    assert len(more.whole) == len(plain.whole) + 1
    for one, other in zip(plain.factors[1], more.factors[1], strict=False):
        assert one == other


@given(st.data())
@settings(max_examples=100)
def test_units_hold_every_word_once_and_answers_together(data):
    sizes = [data.draw(st.integers(1, 6)) for _ in range(2)]
    places = {
        side: {f"{side}{k}": k for k in range(n)} for side, n in zip("XY", sizes, strict=True)
    }
    word = [st.sampled_from([*places[side], "gone"]) for side in "XY"]
    answers = data.draw(st.lists(st.tuples(*word), max_size=8))
    units = group_into_units(answers, places)
    for side, size in zip("XY", sizes, strict=True):
        assert sorted(at for unit in units for at in unit.get(side, ())) == list(range(size))
    for x, y in answers:
        if "gone" not in (x, y):
            (unit,) = [one for one in units if places["X"][x] in one.get("X", ())]
            assert places["Y"][y] in unit["Y"]


@given(st.integers(2, 30), st.floats(0.05, 0.95), st.integers(0, 3))
def test_a_drawn_set_has_its_share_or_is_refused(size, share, rng):
    units = group_into_units([], {"X": {str(k): k for k in range(size)}})
    taken = math.ceil(round(share * size, 9))
    if taken < 2:
        with pytest.raises(UsageError, match="at least two are needed"):
            draw_subsamples(units, {"X": "mine"}, 4, share, rng)
        return
    for sample in draw_subsamples(units, {"X": "mine"}, 4, share, rng):
        assert len(sample["X"]) == len(set(sample["X"])) == taken


def test_a_multiverse_is_written_and_read_without_loss(weat6, tmp_path):
    assert wg.Multiverse.from_json(weat6.to_json()) == weat6
    weat6.to_parquet(tmp_path / "found.parquet")
    assert wg.Multiverse.from_parquet(tmp_path / "found.parquet") == weat6
    rows = weat6.to_rows()
    assert len(rows) == len(weat6.specifications)
    assert rows[0]["X"] == weat6.specifications[0].sets["X"]


def test_counts_larger_than_any_column_of_integers_are_kept(tmp_path):
    words = [f"{side}{k}" for side in "xy" for k in range(60)]
    angle = np.concatenate([np.linspace(0, 0.5, 60), np.linspace(1, 1.5, 60)])
    rows = np.stack([np.cos(angle), np.sin(angle)], axis=1).tolist()
    vectors = wg.Vectors.of([*words, "kind", "foul", "good"], [*rows, [1, 0], [0, 1], [1, 0.1]])
    test = wg.Test(x=words[:60], y=words[60:], a=["kind"], b=["foul"])
    found = wg.multiverse(vectors, test, own={"A": [seed_set("good", "good")]}, samples=0)
    assert found.specifications[0].p.partitions == math.comb(120, 60) > 2**63
    found.to_parquet(tmp_path / "found.parquet")
    assert wg.Multiverse.from_parquet(tmp_path / "found.parquet") == found
    assert wg.Multiverse.from_json(found.to_json()) == found


def test_what_is_not_a_multiverse_is_refused(tmp_path):
    with pytest.raises(BadContent, match="not a multiverse in JSON"):
        wg.Multiverse.from_json('{"test": 3}')
    (tmp_path / "no.parquet").write_text("PAR1")
    with pytest.raises(BadContent, match="not a multiverse in Parquet"):
        wg.Multiverse.from_parquet(tmp_path / "no.parquet")


def test_asking_for_a_concept_leaves_names_and_terms_apart(default):
    found = wg.multiverse(default, "weat7", concepts={"A": "male", "B": "female"}, samples=0)
    assert {one.concepts["A"] for one in found.factors[1]} == {"male"}
    none = wg.multiverse(default, "weat7", concepts={"A": []}, samples=0)
    assert [one.sets["A"] for one in none.factors[1]] == [MALE]


def test_own_sets_go_together_one_by_one(plane, garden):
    two = [seed_set("one", "nice"), seed_set("two", "so")]
    with pytest.raises(UsageError, match="A has 2 sets of yours and B has 1"):
        wg.multiverse(plane, garden, own={"A": two, "B": two[:1]})
    found = wg.multiverse(plane, garden, own={"A": two}, samples=0)
    assert {one.sets["B"] for one in found.specifications} == {"garden.B"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"samples": -1}, "samples is -1"),
        ({"share": 1.0}, "share is 1.0"),
        ({"share": float("nan")}, "share is nan"),
        ({"alpha": 0}, "alpha is 0"),
        ({"ddof": 2}, "ddof is 2"),
        ({"case": "upper"}, "case is 'upper'"),
        ({"alternative": "more"}, "alternative is 'more'"),
        ({"concepts": {"Z": "female"}}, "A side is 'Z'"),
        ({"own": {"x": [seed_set("mine", "a")]}}, "A side is 'x'"),
        ({"share": 0.1}, "leaves one of the 8 words of X"),
        ({"own": {"X": [seed_set(MALE, "king")]}}, "Two different sets are called"),
    ],
)
def test_a_wrong_call_is_told_so(default, change, message):
    with pytest.raises(UsageError, match=message):
        wg.multiverse(default, "weat6", **{"samples": 1, **change})


def test_tests_that_have_no_multiverse_are_told_so(default, plane, garden):
    with pytest.raises(UnknownEntry, match="Did you mean weat6"):
        wg.multiverse(default, "waet6")
    with pytest.raises(UnknownEntry, match="No seed set has the concept 'femal'"):
        wg.multiverse(default, "weat6", concepts={"X": "femal"})
    with pytest.raises(UsageError, match="wefat1 is a factual test"):
        wg.multiverse(default, "wefat1")
    with pytest.raises(UsageError, match="is a test of sentences"):
        wg.multiverse(default, "sent-weat6")
    with pytest.raises(UsageError, match="Name the concept of a side"):
        wg.multiverse(plane, garden)


def test_nothing_left_is_told_with_the_reason_for_the_own_sets(plane):
    with pytest.raises(CannotMeasure, match="8 of the 8 words of X are missing"):
        wg.multiverse(plane, "weat6")


def test_ids_are_short_where_the_study_is_the_same():
    sets = {"X": "male-Manzini_et_al_2019", "Y": "female-Kozlowski_et_al_2019"}
    assert set_names(sets) == "male, Manzini et al 2019 / female, Kozlowski et al 2019"
    ids = [one.id for one in seed_sets()]
    assert len({set_names({"X": id}) for id in ids}) == len(ids)


def test_the_record_is_frozen(weat6):
    with pytest.raises(dataclasses.FrozenInstanceError):
        weat6.test = "other"
