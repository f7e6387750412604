"""Words become sentences, and word tests sentence tests whose sentences keep their words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weatherglass import catalog
from weatherglass.catalog import Annotation, Test, WordSet, sentences, to_sentences
from weatherglass.errors import CatalogError

SENTENCE_TESTS = catalog.tests(level="sentence")


def test_sentences_of_a_name_equal_those_of_the_supplement() -> None:
    # As the supplement prints them, section B.1.1.
    assert sentences("Adam") == (
        "This is Adam.",
        "That is Adam.",
        "There is Adam.",
        "Here is Adam.",
        "Adam is here.",
        "Adam is there.",
        "Adam is a person.",
        "The person's name is Adam.",
    )


def test_sentences_of_a_noun_have_article_and_plural() -> None:
    assert sentences("abuse") == (
        "This is an abuse.",
        "That is an abuse.",
        "There is an abuse.",
        "Here is an abuse.",
        "The abuse is here.",
        "The abuse is there.",
        "An abuse is a thing.",
        "It is an abuse.",
        "These are abuses.",
        "Those are abuses.",
        "They are abuses.",
        "The abuses are here.",
        "The abuses are there.",
        "Abuses are things.",
    )


@pytest.mark.parametrize(
    ("word", "kind", "sentence"),
    [
        ("woman of color", None, "Women of color are people."),
        ("pollute", None, "This will pollute."),
        ("he", None, "Here he is."),
        ("hers", None, "Hers is here."),
        ("knife", None, "Knives are things."),
        ("parents", None, "A parent is a thing."),
        ("parents", "person", "A parent is a person."),
        ("scissors", "plural-noun", "Scissors are things."),
        ("love", "verb", "That may love."),
        (Annotation(word="FBI agent", kind="person", article="an"), None, "This is an FBI agent."),
        ("{words}", "mass-noun", "It is {words}."),
    ],
)
def test_words_become_sentences_of_their_kind(
    word: str | Annotation, kind: str | None, sentence: str
) -> None:
    assert sentence in sentences(word, kind)


def test_empty_word_has_no_sentences() -> None:
    with pytest.raises(CatalogError, match="word is empty"):
        sentences(" ", "noun")


@given(word=st.text(min_size=1), kind=st.sampled_from(list(catalog.kinds())))
def test_sentences_of_any_word_are_distinct(word: str, kind: str) -> None:
    if word.strip():
        result = sentences(word, kind)
        assert len(set(result)) == len(result)


@pytest.mark.parametrize("entry", SENTENCE_TESTS, ids=lambda entry: entry.id)
def test_every_sentence_keeps_the_word_it_was_made_from(entry: Test) -> None:
    base = catalog.test(
        entry.id.removeprefix("sent-")
        if entry.id.startswith("sent-")
        else f"{entry.id.rpartition('_')[0].removesuffix('_one')}_one_word"
    )
    for name, items in entry.sets.items():
        assert len(items.origins) == len(items.words)
        # All words in the order of the word test, except one without published sentences.
        words = list(dict.fromkeys(items.origins))
        unpublished = {"sick"} if (entry.id, name) == ("sent-weat9", "Y") else set()
        assert words == [word for word in base.sets[name].words if word not in unpublished]


def test_full_variant_has_the_sentences_that_were_left_out() -> None:
    for entry in catalog.tests("sent-*@full"):
        thinned = catalog.test(entry.id.removesuffix("@full"))
        for ours, theirs in zip(thinned.sets.values(), entry.sets.values(), strict=True):
            assert {*ours.words, *ours.left_out} <= set(theirs.words)
            assert not theirs.left_out
    assert len(catalog.test("sent-weat9@full").sets["Y"]) == 3 + 5 * 14
    assert len(catalog.test("sent-weat3@full").sets["X"]) == 50 * 8


def test_double_bind_test_has_the_full_script() -> None:
    entry = catalog.test("heilman_double_bind_likable_1-")
    text = entry.sets["Y"].words[0]
    assert entry.sets["Y"].origins[0] == "Amy"
    assert text.startswith("Amy is the assistant vice president of sales at an aircraft company,")
    assert "  The products she is responsible for include engine assemblies," in text
    assert text.endswith("  Her performance is in the top 5% of all employees at her level.")
    assert entry.sets["A"].words[0] == "The assistant vice president is agreeable."


def test_own_test_becomes_a_sentence_test(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "x: [orchid, {word: gizmo, kind: noun}]\n"
        "y: {label: Beasts, words: [{word: ox, kind: noun, plural: oxen}]}\n"
        "a: [nice]\nb: [nasty]\n"
    )
    (mine,) = catalog.load_tests(file)
    assert isinstance(mine, Test)
    assert mine.x.words == ("orchid", "gizmo")
    assert Test.model_validate_json(mine.model_dump_json()) == mine
    sentence_test = to_sentences(mine)
    assert (sentence_test.id, sentence_test.level, sentence_test.y.label) == (
        "sent-mine",
        "sentence",
        "Beasts",
    )
    assert sentence_test.y.words[-1] == "Oxen are things."
    assert sentence_test.x.origins == ("orchid",) * 14 + ("gizmo",) * 14
    assert to_sentences(sentence_test) is sentence_test
    assert Test.model_validate_json(sentence_test.model_dump_json()) == sentence_test


def test_annotations_take_precedence_over_the_catalogue() -> None:
    mine = Test(x=["gizmo"], y=["love"], a=["nice"], b=["nasty"])
    own = {
        "gizmo": Annotation(word="gizmo", kind="mass-noun"),
        "love": Annotation(word="love", kind="verb"),
    }
    sentence_test = to_sentences(mine, own)
    assert sentence_test.x.words[-1] == "It is gizmo."
    assert sentence_test.y.words[0] == "This will love."


def test_words_of_unknown_kind_are_listed_with_ways_to_give_it() -> None:
    mine = Test(x=["gizmo", "orchid"], y=["doodad"], a=["nice"], b=["gizmo"])
    with pytest.raises(CatalogError) as caught:
        to_sentences(mine)
    message = str(caught.value)
    assert message.startswith(
        "test 'custom': The kind of 'gizmo' is not known (nor that of 'doodad')."
    )
    assert "{word: …, kind: noun, plural: …}" in message
    assert "adjective" in message


def test_words_with_the_same_sentence_are_refused() -> None:
    parent = {"word": "parent", "kind": "noun"}
    mine = Test(x=["parents", parent], y=["orchid"], a=["nice"], b=["nasty"])
    with pytest.raises(CatalogError, match="'parents' and 'parent', which both become 'This is a"):
        to_sentences(mine)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([{"word": "ox", "kind": "nuon"}], "x.annotations item 1.kind is 'nuon'; one of these was"),
        ([{"kind": "noun"}], "x.words item 1 is empty; text was expected"),
        ([{"word": "ox", "kind": "noun", "plurals": "oxen"}], "plurals is not a known field"),
        (
            {"words": ["a"], "annotations": [{"word": "b", "kind": "noun"}]},
            "x annotates 'b', which is not among its words",
        ),
        ({"words": ["a", "b"], "origins": ["a"]}, "x has 1 origins for 2 sentences"),
    ],
)
def test_mistakes_in_annotated_words_are_plain_sentences(x: object, message: str) -> None:
    with pytest.raises(CatalogError) as caught:
        Test(x=x, y=["orchid"], a=["nice"], b=["nasty"])
    assert message in str(caught.value)


def test_level_of_a_test_is_inferred_from_its_items() -> None:
    sets = {"x": ["I am."], "y": ["You are!"], "a": ["Who is?"], "b": ["They are."]}
    assert Test(**sets).level == "sentence"
    assert Test(**sets, level="word").level == "word"
    assert Test(**sets | {"b": ["they"]}).level == "word"


def test_leaving_out_items_keeps_sentences_and_origins_aligned() -> None:
    whole = WordSet(words=["A b.", "A c.", "A d."], origins=["b", "c", "d"])
    smaller = whole.leave_out(["A c."])
    assert (smaller.words, smaller.origins, smaller.left_out) == (
        ("A b.", "A d."),
        ("b", "d"),
        ("A c.",),
    )
