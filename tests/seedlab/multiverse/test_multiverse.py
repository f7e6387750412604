"""The multiverse: choices, dropped sets, and that every specification equals `weat`."""

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
# association of a target is its first coordinate minus its second.
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


def test_a_combination_without_effect_is_dropped_with_the_reason(by_hand):
    # The sets with the same vector on both sides give every target the association 0.
    assert [spec.sets["A"] for spec in by_hand.specifications] == ["garden.A", "upside"]
    (dropped,) = by_hand.dropped
    assert (dropped.sets["A"], dropped.sets["B"]) == ("neither", "nor")
    assert dropped.reason.startswith("all targets have the same association")


def test_effects_and_p_values_of_specifications_are_those_worked_by_hand(by_hand):
    own, turned = by_hand.specifications
    # Associations 1, 0.2 and -1, -0.2: means 0.6 and -0.6, variance 2.08 / 3.
    effect = 1.2 / math.sqrt(2.08 / 3)
    assert own.effect == pytest.approx(effect)
    assert own.statistic == pytest.approx(2 * 1.2)
    assert own.p.fraction == "2/6"  # no other two targets sum to 1.2, and two to -1.2
    assert turned.effect == pytest.approx(-effect)
    assert turned.p == own.p
    assert own.p_holm == turned.p_holm == pytest.approx(4 / 6)
    assert own.p_bh == turned.p_bh == pytest.approx(2 / 6)
    assert own.n == {"X": 2, "Y": 2, "A": 1, "B": 1}


def test_the_summary_of_two_specifications_is_that_worked_by_hand(by_hand):
    summary, effect = by_hand.summary, 1.2 / math.sqrt(2.08 / 3)
    assert by_hand.documented == 0
    assert summary.same_sign == {"whole": Part(1, 2), "all": Part(1, 2)}
    assert summary.significant["none"]["all"] == Part(0, 2)
    assert summary.effects["median"] == pytest.approx(0)
    assert summary.effects["largest"] == pytest.approx(effect)
    assert summary.effects["25%"] == pytest.approx(-effect / 2)
    assert summary.place == 0.5
    assert summary.out_of_reach == Part(2, 2)  # 1/6 twice is over 0.05
    margins = {margin.sets.get("A"): margin for margin in summary.margins}
    assert margins["upside"].mean == pytest.approx(-effect)
    assert margins["upside"].difference == pytest.approx(-2 * effect)
    assert margins["garden.A"].difference == pytest.approx(2 * effect)
    assert margins[None].difference is None  # X and Y have no alternative
    (flip,) = summary.flips
    assert (flip.change, flip.sets["A"], flip.samples) == ("other sign", "upside", Part(0, 0))


def assert_same_as_weat(multiverse: wg.Multiverse, vectors: wg.Vectors) -> None:
    for spec in multiverse.specifications:
        result = wg.weat(
            vectors,
            multiverse.as_test(spec),
            method="exact" if spec.p.method == "exact" else "tilted",
            alternative=multiverse.options["alternative"],
            case="keep",
            allow_overlap=multiverse.options["allow_overlap"],
        )
        assert result.n == spec.n
        assert spec.effect == pytest.approx(result.effect, rel=1e-12)
        assert spec.statistic == pytest.approx(result.statistic, rel=1e-12)
        if spec.p.method == "exact":
            assert spec.p == result.p
        else:
            assert spec.p.value == pytest.approx(result.p.value, rel=1e-3)
            assert spec.p.low <= result.p.high
            assert result.p.low <= spec.p.high


@pytest.mark.parametrize(
    "test", ["weat10", *(pytest.param(id, marks=pytest.mark.slow) for id in ("weat3", "weat7"))]
)
def test_every_specification_equals_weat_on_the_same_words(default, test):
    assert_same_as_weat(wg.multiverse(default, test, samples=2), default)


@pytest.mark.slow
def test_every_specification_equals_weat_on_long_lists_too(default, weat6):
    assert_same_as_weat(weat6, default)
    assert_same_as_weat(
        wg.multiverse(default, "weat6", samples=1, alternative="two-sided"), default
    )


def test_the_documented_specification_equals_the_test_itself(default, weat6):
    own = weat6.specifications[weat6.documented]
    result = wg.weat(default, "weat6")
    assert own.p == result.p
    assert own.effect == pytest.approx(result.effect, rel=1e-12)
    assert own.sets["X"] == "male_names_1-Caliskan_et_al_2017"
    assert own.sets["B"] == "family-Caliskan_et_al_2017"


def test_on_the_vectors_of_the_paper_only_the_names_are_significant(glove840b):
    result = wg.multiverse(wg.open_vectors(glove840b), "weat6", samples=0)
    own = result.specifications[result.documented]
    assert round(own.effect, 2) == 1.81  # as printed in the Science paper
    terms = [spec for spec in result.specifications if spec is not own]
    assert [round(spec.effect, 2) for spec in terms] == [0.55, 0.70, 0.52, 0.54]
    assert all(spec.p.value > 0.05 for spec in terms)


def test_the_number_of_specifications_is_choices_times_subsamples(default, weat6):
    # Of the 18 male-female and 3 names pairings with words, three lists of names are the same
    # names, and the sets from WikiText share husband and wife: 18. Of three pairings of career and
    # family two are the same words: 2.
    assert [len(factor) for factor in weat6.factors] == [18, 2]
    assert len(weat6.whole) == 18 * 2
    assert len(weat6.specifications) == 18 * 2 * (1 + 4)
    assert len({(*spec.sets.values(), spec.sample) for spec in weat6.specifications}) == 180
    assert [spec.sample for spec in weat6.specifications] == sorted(
        spec.sample for spec in weat6.specifications
    )
    only = wg.multiverse(
        default, "weat6", samples=3, concepts={"X": "male-names", "Y": "female-names"}
    )
    assert len(only.specifications) == 1 * 2 * (1 + 3)


def test_crossing_combines_every_set_with_every_facing_set(plane, garden):
    own = {"A": [seed_set("one", "nice"), seed_set("two", "vile")], "B": [seed_set("three", "so")]}
    result = wg.multiverse(plane, garden, own=own, cross=True, samples=0)
    assert [len(factor) for factor in result.factors] == [1, 1, 3, 2]
    combined = [(spec.sets["A"], spec.sets["B"]) for spec in result.specifications]
    # nice and foul have one vector, so that one of 3 × 2 combinations has no effect.
    assert sorted(combined) == [
        ("garden.A", "garden.B"),
        ("garden.A", "three"),
        ("one", "three"),
        ("two", "garden.B"),
        ("two", "three"),
    ]
    assert [(drop.sets["A"], drop.sets["B"]) for drop in result.dropped] == [("one", "garden.B")]


def test_without_crossing_only_documented_pairs_are_combined(weat6):
    known = {frozenset(pairing.sets) for pairing in pairings()}
    assert {frozenset((spec.sets["X"], spec.sets["Y"])) for spec in weat6.specifications} <= known
    assert {frozenset((spec.sets["A"], spec.sets["B"])) for spec in weat6.specifications} <= known


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
def test_each_side_of_a_test_has_the_concepts_of_its_words(test, concepts):
    sides = alternatives(wg.test(test)).sides
    assert [" ".join(side.concepts) for side in sides.values()] == concepts


def test_most_words_of_a_set_identify_its_concept():
    sides = alternatives(wg.test("weat3")).sides
    assert sides["B"].set == "weat3.B"
    assert sides["B"].by == "23 of 25 words are in unpleasant-Caliskan_et_al_2017"


def test_a_side_without_a_concept_keeps_its_words_and_a_note_says_so(default):
    test = "heilman_double_bind_likable_one_word"
    result = wg.multiverse(default, test, samples=0, max_missing=0.5)
    assert len(result.factors[0]) > 1
    assert [choice.sets for choice in result.factors[1]] == [{"A": f"{test}.A", "B": f"{test}.B"}]
    (note,) = result.notes
    assert note.startswith("A and B stay as they are, because no seed set has the words of A and B")
    assert "--concept A=NAME" in note


def test_a_notebook_shows_the_summary_one_picture_and_at_most_twenty_rows(default, monkeypatch):
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    result = wg.multiverse(default, "weat6", samples=0)
    rows = result.html_rows()
    monkeypatch.setattr(wg.Multiverse, "html_rows", lambda _: rows + rows)
    page = result._repr_html_()
    assert page.startswith("<p>Multiverse of weat6 on default")
    assert page.count("<svg") == 1
    assert page.count("<tr>") == 21
    assert f"{2 * len(rows) - 20} more row" in page
    assert len(page) < 70_000


def reasons(result: wg.Multiverse) -> dict[str, str]:
    return {drop.sets.get("X", drop.sets.get("A", "")): drop.reason for drop in result.dropped}


def test_unusable_sets_are_dropped_with_the_reason(default, weat6):
    dropped = reasons(weat6)
    assert dropped["masculine-Kaneko_and_Bollegala_2019"] == "its words are unknown"
    assert dropped["career-Rudinger_et_al_2017"].startswith(
        "no study contrasts it with a set of family"
    )
    wiki = "male_words_WikiText_2-Bordia_and_Bowman_2019"
    assert dropped[wiki] == "X and Y both have 'husband', and share 2 words"
    dropped = reasons(wg.multiverse(default, "weat3", samples=0))
    assert (
        dropped["names_white-Garg_et_al_2018"] == "X and Y both have 'harris', and share 19 words"
    )
    assert dropped["white_names-Knoche_et_al_2019"].startswith(
        "12 of the 59 words of Y are missing"
    )


def test_a_set_with_a_target_among_its_attributes_is_dropped(plane, garden):
    own = {
        "A": [seed_set("thorny", "nice", "rose")],
        "B": [seed_set("plain", "vile")],
    }
    result = wg.multiverse(plane, garden, own=own, samples=0)
    assert len(result.specifications) == 1
    (drop,) = result.dropped
    assert drop.reason == "X and A both have the target 'rose'"
    assert drop.sets == {"X": "garden.X", "Y": "garden.Y", "A": "thorny", "B": "plain"}


def test_a_target_among_the_tests_own_attributes_is_measured_only_where_allowed(plane):
    test = wg.Test(
        id="mixed", x=["rose", "lily"], y=["wasp", "gnat"], a=["kind", "rose"], b=["foul"]
    )
    own = {"A": [seed_set("other", "vile")]}
    allowed = wg.multiverse(plane, test, own=own, samples=0, allow_overlap=True)
    assert allowed.documented == 0
    assert allowed.options["allow_overlap"] is True
    assert_same_as_weat(allowed, plane)
    refused = wg.multiverse(plane, test, own=own, samples=0)
    assert refused.documented is None
    assert any("'rose'" in drop.reason for drop in refused.dropped)
    assert len(refused.whole) == len(allowed.whole) - 1


def test_sets_with_the_same_words_are_one_choice(weat6):
    names = weat6.factors[0][0]
    assert [other["X"] for other in names.same] == [
        "male_names-Gonen_&_Goldberg_2019",
        "male_names-Knoche_et_al_2019",
    ]


def test_alternatives_are_measured_even_if_the_documented_sets_are_missing(plane, garden):
    lacking = garden.model_copy(update={"a": garden.a.model_copy(update={"words": ("kinder",)})})
    own = {"A": [seed_set("other", "nice")], "B": [seed_set("another", "vile")]}
    result = wg.multiverse(plane, lacking, own=own, samples=0)
    assert result.documented is None
    assert result.summary.place is None
    assert [spec.effect < 0 for spec in result.specifications] == [True]
    assert result.summary.same_sign["all"] == Part(0, 1)  # the sign that the test predicts
    assert [flip.change for flip in result.summary.flips] == ["other sign"]


def test_p_values_are_corrected_over_the_choices_of_one_subsample(weat6):
    for sample in range(5):
        here = [spec for spec in weat6.specifications if spec.sample == sample]
        p = [spec.p.value for spec in here]
        assert [spec.p_holm for spec in here] == holm(p).tolist()
        assert [spec.p_bh for spec in here] == benjamini_hochberg(p).tolist()


def test_over_a_million_specifications_are_refused(default):
    with pytest.raises(UsageError, match=r"36 choices with 100,000 sub-samples each are 3,600,036"):
        wg.multiverse(default, "weat6", samples=100_000)


def test_two_sided_tests_double_the_smallest_possible_p_value(plane, garden):
    # Two of four targets: 1/6 at best in one tail, 2/6 in two; of two choices.
    own = {"A": [seed_set("upside", "nice")], "B": [seed_set("downside", "vile")]}
    summaries = {
        tails: wg.multiverse(
            plane, garden, own=own, samples=0, alpha=0.5, alternative=tails
        ).summary
        for tails in ("greater", "two-sided")
    }
    assert summaries["greater"].out_of_reach == Part(0, 2)
    assert summaries["two-sided"].out_of_reach == Part(2, 2)


def test_the_summary_agrees_with_the_specifications(weat6):
    summary, specifications = weat6.summary, weat6.specifications
    own = specifications[weat6.documented]
    assert summary.significant["holm"]["all"].count == sum(
        spec.p_holm <= 0.05 for spec in specifications
    )
    assert summary.significant["bh"]["whole"].count == sum(
        spec.p_bh <= 0.05 for spec in weat6.whole
    )
    assert summary.place == np.mean([spec.effect < own.effect for spec in specifications])
    assert summary.out_of_reach.count == sum(
        36 / math.comb(spec.n["X"] + spec.n["Y"], spec.n["X"]) > 0.05 for spec in specifications
    )
    for margin in summary.margins:
        wanted = margin.sets.items()
        with_it = [spec.effect for spec in specifications if wanted <= spec.sets.items()]
        without_it = [spec.effect for spec in specifications if not wanted <= spec.sets.items()]
        assert margin.mean == pytest.approx(np.mean(with_it))
        assert margin.difference == pytest.approx(np.mean(with_it) - np.mean(without_it))
    not_significant = {tuple(spec.sets.values()) for spec in weat6.whole if spec.p_holm > 0.05}
    assert {
        tuple(flip.sets.values()) for flip in summary.flips
    } == not_significant  # the test's own sets are significant
    assert all(flip.change == "not significant" for flip in summary.flips)


def test_subsamples_have_the_share_and_keep_pairs_together(default):
    result = wg.multiverse(default, "weat7", samples=20, share=0.6)
    partner = dict(pairs(MALE, FEMALE))
    choice = next(choice for choice in result.factors[1] if choice.sets["A"] == MALE)
    for sample in choice.samples:
        male = [choice.words["A"][i] for i in sample["A"]]
        female = [choice.words["B"][i] for i in sample["B"]]
        assert len(male) == len(female) == math.ceil(0.6 * 8)
        assert {partner[word] for word in male} == set(female)
    math_words = {sample["X"] for sample in result.factors[0][0].samples}
    arts_words = {sample["Y"] for sample in result.factors[0][0].samples}
    assert len(math_words) > 1  # words without a partner are drawn on their own
    assert math_words != arts_words


def test_the_random_seed_determines_a_multiverse_and_threads_do_not(default):
    first = wg.multiverse(default, "weat7", samples=3, rng=5, workers=1)
    assert wg.multiverse(default, "weat7", samples=3, rng=5, workers=3) == first
    other = wg.multiverse(default, "weat7", samples=3, rng=6)
    assert other.whole == first.whole
    assert other.specifications != first.specifications


def test_subsamples_do_not_depend_on_the_other_choices(default):
    plain = wg.multiverse(default, "weat7", samples=3)
    own = {"A": [seed_set("kings", "king", "prince")], "B": [seed_set("queens", "queen", "lady")]}
    more = wg.multiverse(default, "weat7", samples=3, own=own)
    assert len(more.whole) == len(plain.whole) + 1
    for choice, same_choice in zip(plain.factors[1], more.factors[1], strict=False):
        assert choice == same_choice


@given(st.data())
@settings(max_examples=100)
def test_units_have_every_word_once_and_keep_pairs_together(data):
    sizes = [data.draw(st.integers(1, 6)) for _ in range(2)]
    positions = {
        side: {f"{side}{k}": k for k in range(n)} for side, n in zip("XY", sizes, strict=True)
    }
    word = [st.sampled_from([*positions[side], "gone"]) for side in "XY"]
    word_pairs = data.draw(st.lists(st.tuples(*word), max_size=8))
    units = group_into_units(word_pairs, positions)
    for side, size in zip("XY", sizes, strict=True):
        assert sorted(at for unit in units for at in unit.get(side, ())) == list(range(size))
    for x, y in word_pairs:
        if "gone" not in (x, y):
            (unit,) = [
                candidate for candidate in units if positions["X"][x] in candidate.get("X", ())
            ]
            assert positions["Y"][y] in unit["Y"]


@given(st.integers(2, 30), st.floats(0.05, 0.95), st.integers(0, 3))
def test_a_subsample_has_its_share_of_words_or_is_refused(size, share, rng):
    units = group_into_units([], {"X": {str(k): k for k in range(size)}})
    sample_size = math.ceil(round(share * size, 9))
    if sample_size < 2:
        with pytest.raises(UsageError, match="at least two are needed"):
            draw_subsamples(units, {"X": "mine"}, 4, share, rng)
        return
    for sample in draw_subsamples(units, {"X": "mine"}, 4, share, rng):
        assert len(sample["X"]) == len(set(sample["X"])) == sample_size


def test_a_multiverse_survives_json_and_parquet(weat6, tmp_path):
    assert wg.Multiverse.from_json(weat6.to_json()) == weat6
    weat6.to_parquet(tmp_path / "found.parquet")
    assert wg.Multiverse.from_parquet(tmp_path / "found.parquet") == weat6
    rows = weat6.to_rows()
    assert len(rows) == len(weat6.specifications)
    assert rows[0]["X"] == weat6.specifications[0].sets["X"]


def test_partition_counts_above_64_bits_survive_parquet(tmp_path):
    words = [f"{side}{k}" for side in "xy" for k in range(60)]
    angle = np.concatenate([np.linspace(0, 0.5, 60), np.linspace(1, 1.5, 60)])
    rows = np.stack([np.cos(angle), np.sin(angle)], axis=1).tolist()
    vectors = wg.Vectors.of([*words, "kind", "foul", "good"], [*rows, [1, 0], [0, 1], [1, 0.1]])
    test = wg.Test(x=words[:60], y=words[60:], a=["kind"], b=["foul"])
    result = wg.multiverse(vectors, test, own={"A": [seed_set("good", "good")]}, samples=0)
    assert result.specifications[0].p.partitions == math.comb(120, 60) > 2**63
    result.to_parquet(tmp_path / "found.parquet")
    assert wg.Multiverse.from_parquet(tmp_path / "found.parquet") == result
    assert wg.Multiverse.from_json(result.to_json()) == result


def test_a_file_that_is_not_a_multiverse_is_refused(tmp_path):
    with pytest.raises(BadContent, match="not a multiverse in JSON"):
        wg.Multiverse.from_json('{"test": 3}')
    (tmp_path / "no.parquet").write_text("PAR1")
    with pytest.raises(BadContent, match="not a multiverse in Parquet"):
        wg.Multiverse.from_parquet(tmp_path / "no.parquet")


def test_requesting_a_concept_keeps_names_and_terms_apart(default):
    result = wg.multiverse(default, "weat7", concepts={"A": "male", "B": "female"}, samples=0)
    assert {choice.concepts["A"] for choice in result.factors[1]} == {"male"}
    none = wg.multiverse(default, "weat7", concepts={"A": []}, samples=0)
    assert [choice.sets["A"] for choice in none.factors[1]] == [MALE]


def test_your_own_sets_of_two_sides_are_paired_in_order(plane, garden):
    two = [seed_set("one", "nice"), seed_set("two", "so")]
    with pytest.raises(UsageError, match="A has 2 sets of yours and B has 1"):
        wg.multiverse(plane, garden, own={"A": two, "B": two[:1]})
    result = wg.multiverse(plane, garden, own={"A": two}, samples=0)
    assert {spec.sets["B"] for spec in result.specifications} == {"garden.B"}


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
def test_wrong_options_of_a_multiverse_are_refused(default, change, message):
    with pytest.raises(UsageError, match=message):
        wg.multiverse(default, "weat6", **{"samples": 1, **change})


def test_tests_without_alternatives_are_refused_with_advice(default, plane, garden):
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


def test_if_no_choice_is_left_the_error_says_why_the_tests_own_sets_were_dropped(plane):
    with pytest.raises(CannotMeasure, match="8 of the 8 words of X are missing"):
        wg.multiverse(plane, "weat6")


def test_ids_name_a_common_study_once():
    sets = {"X": "male-Manzini_et_al_2019", "Y": "female-Kozlowski_et_al_2019"}
    assert set_names(sets) == "male, Manzini et al 2019 / female, Kozlowski et al 2019"
    ids = [seeds.id for seeds in seed_sets()]
    assert len({set_names({"X": id}) for id in ids}) == len(ids)


def test_a_multiverse_is_immutable(weat6):
    with pytest.raises(dataclasses.FrozenInstanceError):
        weat6.test = "other"
