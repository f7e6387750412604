"""Checks that need only words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weatherglass.catalog import SeedSet, seed_sets, seeds
from weatherglass.seedlab.lint.lexicon import (
    find_concept_words,
    find_group_words,
    find_names,
    find_other_concepts,
)
from weatherglass.seedlab.lint.words import check_opposed, check_pair, check_words


def findings_of_set(words, **fields):
    """Return the findings on a set of these words, by check."""
    return {
        finding.check: finding for finding in check_words(SeedSet(id="mine", words=words, **fields))
    }


def findings_of_pair(words, others, **fields):
    first, second = SeedSet(id="one", words=words, **fields), SeedSet(id="other", words=others)
    return {
        finding.check: finding
        for finding in (*check_pair(first, second), *check_opposed(first, second))
    }


def test_an_ordinary_set_of_your_own_gets_notes_on_size_and_documentation():
    findings = findings_of_set(["sunny", "mild", "calm", "bright", "clear"])
    assert list(findings) == ["size", "documentation"]
    assert (findings["size"].value, findings["size"].severity) == (5, "note")
    assert findings["documentation"].value == 4


def test_a_documented_set_gets_no_finding_on_documentation():
    assert "documentation" not in {
        finding.check for finding in check_words(seeds("careers-Caliskan_et_al_2017"))
    }


@given(st.lists(st.sampled_from(["sun", "Sun", "rain", "wind"]), min_size=1))
def test_duplicates_are_counted(words):
    findings = findings_of_set(words)
    extra = len(words) - len(set(words))
    assert ("duplicates" in findings) == (extra > 0)
    if extra:
        assert findings["duplicates"].value == extra
    assert ("capitals" in findings) == ({"sun", "Sun"} <= set(words))
    assert findings["size"].value == len(set(words))


def test_words_that_were_split_or_misread_are_listed():
    assert findings_of_set(["corpo-", "ration", "mrs.", "don't", "short-term"])[
        "letters"
    ].words == ("corpo-",)
    assert findings_of_set(["3", "a3", "x\x1b"])["letters"].words == ("3", "x\x1b")
    assert "\x1b" not in findings_of_set(["x\x1b"])["letters"].sentence


def test_terms_of_several_words_are_listed():
    finding = findings_of_set(["short-term", "black_woman", "old man", "corpo-", "sun"])["phrases"]
    assert (finding.value, finding.severity) == (3, "note")
    assert finding.words == ("short-term", "black_woman", "old man")


def test_slurs_get_a_warning():
    finding = findings_of_set(["farmer", "redneck", "leader"])["slurs"]
    assert (finding.words, finding.severity) == (("redneck",), "warning")


def test_names_are_found_among_other_words():
    assert find_names(seeds("definitional_female-Bolukbasi_et_al_2016")) == ("Mary",)
    assert find_names(seeds("science_1-Caliskan_et_al_2017")) == ("Einstein",)
    assert find_names(SeedSet(id="mine", words=["emily", "she", "jamal", "rose"])) == (
        "emily",
        "jamal",
    )
    assert find_names(SeedSet(id="mine", words=["Rose", "Hope", "Grace", "Joy"])) != ()
    flowers = seeds("flowers-Caliskan_et_al_2017")  # eleven of which are first names
    assert find_names(flowers) == ()


def test_names_are_found_exactly_in_the_sets_that_the_catalogue_marks():
    for seed_set in seed_sets():
        finding = next((f for f in check_words(seed_set) if f.check == "names"), None)
        assert (finding is not None) == seed_set.contains_names, seed_set.id


def test_words_for_groups_of_people_are_found_except_in_sets_for_the_group():
    mine = SeedSet(id="mine", words=["boss", "Waitress", "clerk", "mosque", "pilot"])
    assert find_group_words(mine) == {"Waitress": "women", "mosque": "Muslims"}
    # A set that is of such words is a set of the group.
    assert find_group_words(SeedSet(id="x", words=["she", "her", "woman", "pilot"])) == {}
    assert find_group_words(seeds("female_1-Caliskan_et_al_2017")) == {}
    assert find_group_words(seeds("names_black-Garg_et_al_2018")) == {}


def test_words_for_a_group_contain_no_names():
    names = {w.lower() for seed_set in seed_sets(concept="female-names") for w in seed_set.words}
    assert not names & find_concept_words("female")


def test_other_concepts_leave_out_those_that_most_words_belong_to():
    math = find_other_concepts(seeds("math_1-Caliskan_et_al_2017"))
    assert math == {}  # all of its words are in a set for science as well: it is one of it
    assert "female" not in {
        concept
        for concepts in find_other_concepts(seeds("family-Caliskan_et_al_2017")).values()
        for concept in concepts
    }


def test_overlap_does_not_depend_on_capitals_or_order():
    findings = findings_of_pair(["Sun", "rain", "fog"], ["sun", "wind"])
    assert (findings["overlap"].words, findings["overlap"].value) == (("sun",), 0.5)
    assert findings_of_pair(["sun", "wind"], ["Sun", "rain", "fog"])["overlap"].value == 0.5
    assert "overlap" not in findings_of_pair(["sun"], ["rain"])


def test_an_overlap_of_two_sets_of_one_concept_is_a_note():
    first, second = seeds("female_1-Caliskan_et_al_2017"), seeds("female_2-Caliskan_et_al_2017")
    (finding,) = check_pair(first, second)
    assert (finding.check, finding.severity, finding.value) == ("alternatives", "note", 5 / 8)


def test_a_set_of_twice_the_size_gets_a_warning():
    findings = findings_of_pair(["sun", "mild"], ["rain", "fog", "wind"])
    assert (findings["size-gap"].value, findings["size-gap"].severity) == (1.5, "note")
    assert findings_of_pair(["sun"], ["rain", "fog"])["size-gap"].severity == "warning"
    assert "size-gap" not in findings_of_pair(["sun"], ["rain"])


def test_the_pairing_of_words_names_the_study_if_there_is_one():
    documented = check_opposed(
        seeds("upperclass-Kozlowski_et_al_2019"), seeds("lowerclass-Kozlowski_et_al_2019")
    )
    (pairing,) = [finding for finding in documented if finding.check == "pairing"]
    assert pairing.value == 8
    assert pairing.sentence == (
        "Kozlowski et al. 2019 pairs them word by word: 8 pairs. The first pair is 'rich', 'poor'."
    )
    assert (
        "No study pairs" in findings_of_pair(["sun", "mild"], ["rain", "cold"])["pairing"].sentence
    )
    assert "pairing" not in findings_of_pair(["sun", "mild"], ["rain"])


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("physically_ill", "unpleasant", {"cancer"}),
        ("domestic_work", "career", set()),
        ("family", "pleasant", {"family"}),
    ],
)
def test_a_word_is_shared_or_circular_never_both(first, second, words):
    sets = [next(s for s in seed_sets(f"{name}-*") if s.words) for name in (first, second)]
    findings = [
        finding for finding in check_pair(*sets) if finding.check in ("overlap", "circular")
    ]
    assert {word for finding in findings for word in finding.words} == words
    assert sum(len(finding.words) for finding in findings) == len(words)
