"""Words become sentences, word tests become sentence tests, and every sentence keeps its word."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weatherglass import catalog
from weatherglass.catalog import Annotation, Test, WordSet, sentences, to_sentences
from weatherglass.errors import CatalogError

SENTENCE_TESTS = catalog.tests(level="sentence")


def test_a_name() -> None:
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


def test_a_noun() -> None:
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
def test_what_words_become(word: str | Annotation, kind: str | None, sentence: str) -> None:
    assert sentence in sentences(word, kind)


def test_an_empty_word() -> None:
    with pytest.raises(CatalogError, match="word is empty"):
        sentences(" ", "noun")


@given(word=st.text(min_size=1), kind=st.sampled_from(list(catalog.kinds())))
def test_any_word_becomes_distinct_sentences(word: str, kind: str) -> None:
    if word.strip():
        made = sentences(word, kind)
        assert len(set(made)) == len(made)


@pytest.mark.parametrize("one", SENTENCE_TESTS, ids=lambda one: one.id)
def test_every_sentence_keeps_its_word(one: Test) -> None:
    base = catalog.test(
        one.id.removeprefix("sent-")
        if one.id.startswith("sent-")
        else f"{one.id.rpartition('_')[0].removesuffix('_one')}_one_word"
    )
    for name, items in one.sets.items():
        assert len(items.origins) == len(items.words)
        # Words come in the order of the word test; all of them, save where none was published.
        words = list(dict.fromkeys(items.origins))
        lost = {"sick"} if (one.id, name) == ("sent-weat9", "Y") else set()
        assert words == [word for word in base.sets[name].words if word not in lost]


def test_sentences_that_were_left_out_come_back_with_full() -> None:
    for one in catalog.tests("sent-*@full"):
        thinned = catalog.test(one.id.removesuffix("@full"))
        for ours, theirs in zip(thinned.sets.values(), one.sets.values(), strict=True):
            assert {*ours.words, *ours.left_out} <= set(theirs.words)
            assert not theirs.left_out
    assert len(catalog.test("sent-weat9@full").sets["Y"]) == 3 + 5 * 14
    assert len(catalog.test("sent-weat3@full").sets["X"]) == 50 * 8


def test_the_whole_script_of_the_double_bind() -> None:
    one = catalog.test("heilman_double_bind_likable_1-")
    text = one.sets["Y"].words[0]
    assert one.sets["Y"].origins[0] == "Amy"
    assert text.startswith("Amy is the assistant vice president of sales at an aircraft company,")
    assert "  The products she is responsible for include engine assemblies," in text
    assert text.endswith("  Her performance is in the top 5% of all employees at her level.")
    assert one.sets["A"].words[0] == "The assistant vice president is agreeable."


def test_a_test_of_ones_own(tmp_path: Path) -> None:
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
    made = to_sentences(mine)
    assert (made.id, made.level, made.y.label) == ("sent-mine", "sentence", "Beasts")
    assert made.y.words[-1] == "Oxen are things."
    assert made.x.origins == ("orchid",) * 14 + ("gizmo",) * 14
    assert to_sentences(made) is made
    assert Test.model_validate_json(made.model_dump_json()) == made


def test_annotations_given_beside_the_test() -> None:
    mine = Test(x=["gizmo"], y=["love"], a=["nice"], b=["nasty"])
    own = {
        "gizmo": Annotation(word="gizmo", kind="mass-noun"),
        "love": Annotation(word="love", kind="verb"),
    }
    made = to_sentences(mine, own)
    assert made.x.words[-1] == "It is gizmo."
    assert made.y.words[0] == "This will love."


def test_words_of_unknown_kind_are_asked_for() -> None:
    mine = Test(x=["gizmo", "orchid"], y=["doodad"], a=["nice"], b=["gizmo"])
    with pytest.raises(CatalogError) as caught:
        to_sentences(mine)
    said = str(caught.value)
    assert said.startswith(
        "test 'custom': The kind of 'gizmo' is not known (nor that of 'doodad')."
    )
    assert "{word: …, kind: noun, plural: …}" in said
    assert "adjective" in said


def test_words_that_become_the_same_sentence() -> None:
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
def test_mistakes_are_plain_sentences(x: object, message: str) -> None:
    with pytest.raises(CatalogError) as caught:
        Test(x=x, y=["orchid"], a=["nice"], b=["nasty"])
    assert message in str(caught.value)


def test_level_is_seen_from_the_items() -> None:
    sets = {"x": ["I am."], "y": ["You are!"], "a": ["Who is?"], "b": ["They are."]}
    assert Test(**sets).level == "sentence"
    assert Test(**sets, level="word").level == "word"
    assert Test(**sets | {"b": ["they"]}).level == "word"


def test_a_set_without_some_items_keeps_words_and_origins_together() -> None:
    whole = WordSet(words=["A b.", "A c.", "A d."], origins=["b", "c", "d"])
    less = whole.leave_out(["A c."])
    assert (less.words, less.origins, less.left_out) == (("A b.", "A d."), ("b", "d"), ("A c.",))
