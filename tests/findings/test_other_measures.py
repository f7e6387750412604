"""Findings of other measures than WEAT, of older records, and of two-sided p-values."""

import dataclasses

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.encoders.ceat import ceat_test
from weatherglass.measures import Measurement
from weatherglass.significance import permutation_p


@pytest.fixture(scope="module")
def default():
    return wg.open_vectors("default")


def test_swapping_attributes_swaps_the_sentence_of_a_correlation(default):
    test = wg.test("wefat1")
    swapped = test.model_copy(update={"a": test.b, "b": test.a, "published": ()})
    found, other = wg.wefat(default, test).finding, wg.wefat(default, swapped).finding
    assert (found.grade, other.grade) == ("clear", "clear")
    assert found.sentence == (
        "The more strongly occupations are associated with female terms rather than male terms, "
        "the higher their share of women."
    )
    assert other.sentence == (
        "The more strongly occupations are associated with male terms rather than female terms, "
        "the lower their share of women."
    )


def test_correlation_that_is_not_clear_names_no_direction(default):
    facts = {"nurse": 3.0, "pilot": 1.0, "clerk": 2.0, "baker": 5.0, "judge": 4.0, "miner": 2.5}
    test = wg.FactualTest(a=["she", "her"], b=["he", "him"], facts=facts)
    found = wg.wefat(default, test).finding
    assert found.grade == "none"
    assert found.sentence.startswith("No clear difference in fact between ")
    assert "the higher" not in found.sentence
    assert "could have detected" in found.sentence


def test_single_category_has_a_direction_that_follows_its_attributes(default):
    women, men = wg.seeds("female_1-Caliskan_et_al_2017"), wg.seeds("male_1-Caliskan_et_al_2017")
    words = ["pregnant", "actress", "bride"]
    found = wg.measure(default, "sc-weat", {"X": words, "A": women, "B": men}).finding
    other = wg.measure(default, "sc-weat", {"X": words, "A": men, "B": women}).finding
    assert found.grade == other.grade == "clear"
    assert found.sentence == other.sentence
    assert found.sentence.startswith("Pregnant, actress… are more strongly associated with")
    assert found.direction == -other.direction == 1


def test_measure_without_a_p_value_is_not_called_significant(default):
    sets = {"X": ["nurse", "pilot"], "A": ["she", "her"], "B": ["he", "him"]}
    found = wg.measure(default, "semaxis", sets).finding
    assert (found.grade, found.direction) == ("not run", 0)
    assert found.sentence.startswith("Significance was not tested, because this measure has no p")


@pytest.mark.slow
def test_reversed_sentence_test_is_a_clear_finding_by_word():
    encoder = wg.open_encoder("cbow:default")
    test = wg.test("sent-weat6")
    swapped = test.model_copy(update={"x": test.y, "y": test.x})
    (result,) = wg.seat(encoder, [swapped])
    assert result.effect_by_word < -1.5
    assert result.p_by_word.value == 1  # one-sided, as published
    assert result.p_two_sided_by_word.fraction == "2/12870"
    assert result.finding.grade == "clear"
    assert "each word counted once" in result.finding.evidence[0].text
    old = dataclasses.replace(result, p_two_sided_by_word=None)  # as older versions stored it
    assert old.finding.evidence == result.finding.evidence


def test_contextual_test_is_graded_by_its_contexts_and_not_by_its_p():
    test = wg.Test(x=["rose", "lily"], y=["wasp", "gnat"], a=["kind"], b=["foul"])
    rows = {"rose": [1, 0.1], "lily": [1, 0.2], "wasp": [0.1, 1], "gnat": [0.2, 1]}
    rows |= {"kind": [1, 0], "foul": [0, 1]}
    rng = np.random.default_rng(0)
    sure = {word: np.array([row]) for word, row in rows.items()}
    assert ceat_test(sure, test, samples=20).finding.grade == "clear"
    noisy = {word: rng.normal(size=(50, 2)) for word in rows}
    found = ceat_test(noisy, test, samples=200).finding
    assert found.grade == "none"
    assert [item.kind for item in found.evidence] == ["interval"]


def test_record_of_an_older_version_gives_the_same_finding(default):
    result = wg.weat(default, wg.test("weat6").model_copy(update={"published": ()}))
    record = result.to_dict()
    for name in ("p_two_sided", "anisotropy", "p_finding", "family"):
        record.pop(name)
    old = Measurement.from_dict(record)
    assert old.p_two_sided is None
    assert old.finding.sentence == result.finding.sentence
    assert old.finding.evidence[0] == result.finding.evidence[0]


@pytest.mark.parametrize("seed", range(8))
def test_two_sided_p_of_a_known_tail_is_that_of_the_two_sided_test(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(-3, 4, size=6) / 4 + 0.2, rng.integers(-3, 4, size=5) / 4
    expected = permutation_p(x, y, alternative="two-sided")
    tails = [permutation_p(x, y, alternative=side) for side in ("greater", "less")]
    known = [p for p in (tail.as_two_sided() for tail in tails) if p is not None]
    assert known == [expected] or (not known and expected.value == 1)


def test_agreement_of_sources_is_no_finding(default):
    words = [word.lower() for part in wg.test("weat6").sets.values() for word in part.words]
    rows = default.subset(words).matrix
    noise = np.random.default_rng(0).normal(size=rows.shape)
    other = wg.Vectors.of(list(default.subset(words).words), rows + 0.1 * noise, source="noisy")
    agreement = wg.agree([default, other], "weat6")
    assert not agreement.is_graded
    assert "grade" not in agreement.row()
    assert agreement.sentence().startswith("default and noisy agree")
