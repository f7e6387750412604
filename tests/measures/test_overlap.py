"""Words that are both target and attribute."""

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.catalog import test, tests
from weatherglass.errors import CannotMeasure
from weatherglass.measures import MEASURES, overlap_reason

WORDS = [f"w{i}" for i in range(32)]


def shared_test(n_shared: int) -> wg.Test:
    """Return a test of 8 words a set; A has `n_shared` words of X."""
    a = [*WORDS[:n_shared], *WORDS[16 : 24 - n_shared]]
    return wg.Test(x=WORDS[:8], y=WORDS[8:16], a=a, b=WORDS[24:])


def noise(seed: int = 0) -> wg.Vectors:
    return wg.Vectors.of(WORDS, np.random.default_rng(seed).normal(size=(32, 50)))


def test_a_test_with_a_word_that_is_target_and_attribute_is_not_run():
    result = wg.weat(noise(), shared_test(2))
    assert result.status == "not run"
    assert "'w0'" in result.reason
    assert "'w1'" in result.reason
    assert "targets (X) and attributes (A)" in result.reason
    assert result.effect is None
    assert result.p is None
    assert result.options["allow_overlap"] is False


def test_an_overlap_that_is_allowed_is_measured_and_recorded():
    result = wg.weat(noise(), shared_test(2), allow_overlap=True)
    assert result.status == "done"
    assert result.options["allow_overlap"] is True
    assert wg.WeatResult.from_json(result.to_json()) == result
    assert "allow_overlap=True" in result.row()["options"]


def test_tests_without_shared_words_do_not_change():
    vectors = noise()
    allowed = wg.weat(vectors, shared_test(0), allow_overlap=True)
    assert wg.weat(vectors, shared_test(0)).effect == allowed.effect


def test_shared_words_make_unrelated_sets_look_aligned():
    """The reason for the rule: noise is aligned with itself."""
    results = [wg.weat(noise(k), shared_test(4), allow_overlap=True) for k in range(60)]
    small = sum(result.p_rotation.value < 0.05 for result in results)
    assert small > 15  # about 30 of 60, where 3 are expected


def test_the_overlap_is_judged_by_the_spelling_of_the_source():
    rows = np.random.default_rng(1).normal(size=(6, 4))
    uncased = wg.Vectors.of(["he", "man", "she", "woman", "work", "home"], rows)
    mixed = wg.Test(x=["He", "man"], y=["she", "woman"], a=["he", "work"], b=["home"])
    assert "'he'" in wg.weat(uncased, mixed).reason
    assert wg.weat(uncased, mixed, case="keep", max_missing=0.5).status == "not run"
    cased = wg.Vectors.of(
        ["he", "man", "she", "woman", "work", "home", "He"],
        np.random.default_rng(1).normal(size=(7, 4)),
    )
    assert wg.weat(cased, mixed).status == "done"


def test_a_factual_test_with_an_attribute_among_its_targets_is_not_run():
    facts = {"w0": 1.0, "w1": 2.0, "w2": 4.0, "w3": 3.0}
    mixed = wg.FactualTest(a=["w0", "w9"], b=["w10"], facts=facts)
    result = wg.wefat(noise(), mixed)
    assert result.status == "not run"
    assert "'w0' is both a target (W) and an attribute (A)" in result.reason
    allowed = wg.wefat(noise(), mixed, allow_overlap=True)
    assert allowed.status == "done"
    assert allowed.options["allow_overlap"] is True


@pytest.mark.parametrize("name", sorted(MEASURES.keys() - {"generalised-weat"}))
def test_only_measures_that_project_on_pairs_accept_a_word_of_x_among_the_attributes(name):
    sets = {"X": WORDS[:8], "Y": WORDS[8:16], "A": [WORDS[0], *WORDS[17:24]], "B": WORDS[24:]}
    needed = {need.name for need in MEASURES[name].needs}
    given = {side: words for side, words in sets.items() if side in needed}
    result = wg.measure(noise(), name, given)
    if not {"X", "A"} <= needed or MEASURES[name].paired:
        assert result.status == "done", result.reason
        return
    assert result.status == "not run"
    assert "'w0'" in result.reason
    assert wg.measure(noise(), name, given, allow_overlap=True).status == "done"


def test_any_further_attribute_set_counts_as_attributes():
    result = wg.measure(noise(), "mac", {"X": ["w0", "w1"], "A": ["w2"], "other": ["w1"]})
    assert "'w1' is both a target (X) and an attribute (other)" in result.reason


def test_the_generalised_weat_refuses_a_name_that_is_also_a_word():
    groups = [(["w0", "w1"], ["w2", "w3"]), (["w4", "w5"], ["w6", "w0"])]
    with pytest.raises(CannotMeasure, match="'w0' is both a name and a word"):
        wg.generalised_weat(noise(), groups)
    allowed = wg.generalised_weat(noise(), groups, allow_overlap=True)
    assert allowed.options["allow_overlap"] is True


def published_tests():
    for entry in tests():
        yield entry
        yield from (test(entry.id, variant) for variant in entry.variants)


def test_no_published_test_has_a_word_that_is_target_and_attribute():
    for entry in published_tests():
        words = {name: [word.lower() for word in s.words] for name, s in entry.sets.items()}
        assert overlap_reason(words) == "", entry.id
