"""Checks that need nothing but words."""

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


def found(words, **fields):
    """The findings on a set of some words, by check."""
    return {one.check: one for one in check_words(SeedSet(id="mine", words=words, **fields))}


def both(words, others, **fields):
    one, other = SeedSet(id="one", words=words, **fields), SeedSet(id="other", words=others)
    return {f.check: f for f in (*check_pair(one, other), *check_opposed(one, other))}


def test_an_ordinary_set_of_your_own():
    some = found(["sunny", "mild", "calm", "bright", "clear"])
    assert list(some) == ["size", "documentation"]
    assert (some["size"].value, some["size"].severity) == (5, "note")
    assert some["documentation"].value == 4


def test_documentation_is_complete():
    assert "documentation" not in {
        one.check for one in check_words(seeds("careers-Caliskan_et_al_2017"))
    }


@given(st.lists(st.sampled_from(["sun", "Sun", "rain", "wind"]), min_size=1))
def test_repeats_are_counted(words):
    some = found(words)
    extra = len(words) - len(set(words))
    assert ("duplicates" in some) == (extra > 0)
    if extra:
        assert some["duplicates"].value == extra
    assert ("capitals" in some) == ({"sun", "Sun"} <= set(words))
    assert some["size"].value == len(set(words))


def test_words_that_were_cut_or_misread():
    assert found(["corpo-", "ration", "mrs.", "don't", "short-term"])["letters"].words == (
        "corpo-",
    )
    assert found(["3", "a3", "x\x1b"])["letters"].words == ("3", "x\x1b")
    assert "\x1b" not in found(["x\x1b"])["letters"].sentence


def test_phrases():
    some = found(["short-term", "black_woman", "old man", "corpo-", "sun"])["phrases"]
    assert (some.value, some.severity) == (3, "note")
    assert some.words == ("short-term", "black_woman", "old man")


def test_slurs_are_found_wherever_they_come_from():
    some = found(["farmer", "redneck", "leader"])["slurs"]
    assert (some.words, some.severity) == (("redneck",), "warning")


def test_names_among_other_words():
    assert find_names(seeds("definitional_female-Bolukbasi_et_al_2016")) == ("Mary",)
    assert find_names(seeds("science_1-Caliskan_et_al_2017")) == ("Einstein",)
    assert find_names(SeedSet(id="mine", words=["emily", "she", "jamal", "rose"])) == (
        "emily",
        "jamal",
    )
    assert find_names(SeedSet(id="mine", words=["Rose", "Hope", "Grace", "Joy"])) != ()
    flowers = seeds("flowers-Caliskan_et_al_2017")  # eleven of which are first names
    assert find_names(flowers) == ()


def test_names_are_found_where_the_catalogue_says_there_are_some():
    for one in seed_sets():
        told = next((f for f in check_words(one) if f.check == "names"), None)
        assert (told is not None) == one.contains_names, one.id


def test_words_for_groups_of_people():
    mine = SeedSet(id="mine", words=["boss", "Waitress", "clerk", "mosque", "pilot"])
    assert find_group_words(mine) == {"Waitress": "women", "mosque": "Muslims"}
    # A set that is of such words is a set of the group.
    assert find_group_words(SeedSet(id="x", words=["she", "her", "woman", "pilot"])) == {}
    assert find_group_words(seeds("female_1-Caliskan_et_al_2017")) == {}
    assert find_group_words(seeds("names_black-Garg_et_al_2018")) == {}


def test_group_words_have_no_names():
    names = {w.lower() for one in seed_sets(concept="female-names") for w in one.words}
    assert not names & find_concept_words("female")


def test_other_concepts_leave_out_the_own():
    math = find_other_concepts(seeds("math_1-Caliskan_et_al_2017"))
    assert math == {}  # all of its words are in a set for science as well: it is one of it
    assert "female" not in {
        c
        for some in find_other_concepts(seeds("family-Caliskan_et_al_2017")).values()
        for c in some
    }


def test_overlap_does_not_depend_on_capitals_or_order():
    some = both(["Sun", "rain", "fog"], ["sun", "wind"])
    assert (some["overlap"].words, some["overlap"].value) == (("sun",), 0.5)
    assert both(["sun", "wind"], ["Sun", "rain", "fog"])["overlap"].value == 0.5
    assert "overlap" not in both(["sun"], ["rain"])


def test_sets_of_one_concept_may_overlap():
    one, other = seeds("female_1-Caliskan_et_al_2017"), seeds("female_2-Caliskan_et_al_2017")
    (only,) = check_pair(one, other)
    assert (only.check, only.severity, only.value) == ("alternatives", "note", 5 / 8)


def test_gaps_in_size():
    some = both(["sun", "mild"], ["rain", "fog", "wind"])
    assert (some["size-gap"].value, some["size-gap"].severity) == (1.5, "note")
    assert both(["sun"], ["rain", "fog"])["size-gap"].severity == "warning"
    assert "size-gap" not in both(["sun"], ["rain"])


def test_pairs_of_words():
    documented = check_opposed(
        seeds("upperclass-Kozlowski_et_al_2019"), seeds("lowerclass-Kozlowski_et_al_2019")
    )
    (pairing,) = [one for one in documented if one.check == "pairing"]
    assert pairing.value == 8
    assert pairing.sentence == (
        "Kozlowski et al. 2019 pairs them word by word: 8 pairs. The first pair is 'rich', 'poor'."
    )
    assert "No study pairs" in both(["sun", "mild"], ["rain", "cold"])["pairing"].sentence
    assert "pairing" not in both(["sun", "mild"], ["rain"])


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("physically_ill", "unpleasant", {"cancer"}),
        ("domestic_work", "career", set()),
        ("family", "pleasant", {"family"}),
    ],
)
def test_a_word_is_shared_or_circular_never_both(one, other, words):
    sets = [next(s for s in seed_sets(f"{name}-*") if s.words) for name in (one, other)]
    told = [f for f in check_pair(*sets) if f.check in ("overlap", "circular")]
    assert {word for f in told for word in f.words} == words
    assert sum(len(f.words) for f in told) == len(words)
