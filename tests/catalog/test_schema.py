"""Tests built in Python: what is accepted, and the messages for mistakes."""

from __future__ import annotations

from types import SimpleNamespace

import pydantic
import pytest

from weatherglass import catalog
from weatherglass.catalog import FactualTest, Study, Test, WordSet
from weatherglass.errors import CatalogError

SETS = {"x": ["doctor"], "y": ["nurse"], "a": ["he"], "b": ["she"]}


def test_lists_of_words_get_labels_and_a_title() -> None:
    test = Test(**SETS)
    assert [words.label for words in test.sets.values()] == ["X", "Y", "A", "B"]
    assert (test.id, test.title, test.kind) == (
        "custom",
        "doctor vs nurse; he vs she",
        "association",
    )
    assert test.printed is None


def test_title_is_made_of_the_labels() -> None:
    test = Test(**SETS | {"x": WordSet(label="Medicine", words=["doctor"])})
    assert test.title == "Medicine vs nurse; he vs she"


def test_any_object_with_words_is_a_word_set() -> None:
    seeds = SimpleNamespace(label="Male", words=["he", "him"])
    assert Test(**SETS | {"a": seeds}).a == WordSet(label="Male", words=("he", "him"))


def test_tests_are_immutable() -> None:
    with pytest.raises(pydantic.ValidationError):
        Test(**SETS).id = "other"  # type: ignore[misc]


@pytest.mark.parametrize("test", catalog.tests("*"), ids=lambda test: test.id)
def test_catalogue_tests_round_trip_through_json(test: Test | FactualTest) -> None:
    assert type(test).model_validate_json(test.model_dump_json()) == test


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": "doctor"}, "x.words is the text 'doctor'; a list of words was expected"),
        ({"x": []}, "x.words is a list of 0; at least one word was expected"),
        ({"x": ["a", 3]}, "x.words item 2 is 3; text was expected"),
        ({"x": ["a", "b", "a"]}, "x has the duplicate 'a'"),
        ({"x": ["a", " "]}, "x has an empty word"),
        ({"x": ["nurse"]}, "x and y both have 'nurse'"),
        ({"x": None}, "x.words is empty; a list was expected"),
        ({"x": {"label": "L"}}, "x.words is missing"),
        ({"x": {"wrods": ["a"]}}, "x.words is missing"),
        ({"z": ["a"]}, "z is not a known field"),
        ({"tilte": "T"}, "tilte is not a known field. Did you mean title?"),
        ({"id": ""}, "id is empty; visible characters"),
        ({"id": "a\x1b[31m"}, r"id is 'a\x1b[31m'; visible characters"),
        ({"published": [{}]}, "published item 1.source is missing"),
    ],
)
def test_mistakes_in_a_test_are_plain_sentences(change: dict[str, object], message: str) -> None:
    with pytest.raises(CatalogError) as caught:
        Test(**SETS | change)
    assert message in str(caught.value)
    assert "pydantic" not in str(caught.value)


def test_target_word_may_also_be_an_attribute() -> None:
    assert Test(**SETS | {"a": ["doctor"]}).a.words == ("doctor",)


def test_error_keeps_all_problems_as_notes() -> None:
    with pytest.raises(CatalogError) as caught:
        Test(x=["a"], b="b")
    assert str(caught.value) == "test 'custom': y is missing."
    assert len(caught.value.__notes__) == 2


def test_facts_are_aligned_with_targets() -> None:
    sets = {"a": ["she"], "b": ["he"]}
    by_word = {"plumber": 0.7, "nurse": 90.1, "baker": 60.8}
    test = FactualTest(targets=["nurse", "plumber"], facts=by_word, **sets)
    assert test.facts.values == (90.1, 0.7)
    assert FactualTest(facts=by_word, **sets).targets.words == ("plumber", "nurse", "baker")
    assert FactualTest(targets=["nurse"], facts=[90.1], **sets).facts.values == (90.1,)
    named = {"name": "Women", "unit": "percent", "values": {"nurse": 90.1}}
    assert FactualTest(facts=named, **sets).facts.unit == "percent"
    # "values" and "name" are words too.
    words = {"values": 1, "nurse": 2}
    assert FactualTest(facts=words, **sets).targets.words == ("values", "nurse")


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ([1.0], "facts has 1 numbers for 2 targets"),
        ({"nurse": 1.0}, "facts has no number for 'plumber'"),
        ([1.0, float("nan")], "facts.values item 2 is nan; a finite number was expected"),
        ([1.0, "much"], "facts.values item 2 is 'much'; a number was expected"),
        (None, "facts is empty; a mapping of fields was expected"),
        ({"name": "Women"}, "facts.values is missing"),
    ],
)
def test_facts_that_do_not_match_the_targets_are_refused(facts: object, message: str) -> None:
    with pytest.raises(CatalogError) as caught:
        FactualTest(targets=["nurse", "plumber"], a=["she"], b=["he"], facts=facts)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "bound"),
    [("1e-7", 1e-7), ("< 1e-2", 1e-2), (".018", 0.018), ("0.57", 0.57), ("", None)],
)
def test_printed_p_gives_an_upper_bound(text: str, bound: float | None) -> None:
    figure = {"source": "s", "effect": 1, "n_targets": 2, "n_attributes": 2, "p": text}
    assert catalog.Published(**figure).p_bound == bound


def test_study_has_a_short_and_a_full_citation() -> None:
    whole = catalog.test("weat1").study
    assert whole is not None
    assert whole.short == "Caliskan et al. 2017"
    assert whole.citation.endswith("Science 356(6334), 183–186. doi:10.1126/science.aal4230")
    assert Study(title="Why?").citation == "Why?"
