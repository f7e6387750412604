"""The word that a sentence is about, found by the templates."""

import pytest

from weatherglass.catalog import Test, own_words, test, tests, with_tested_words

SENTENCE_TESTS = [entry.id for entry in tests() if entry.level == "sentence"]


def without_origins(entry: Test) -> Test:
    """Return a test as a file has it: sentences alone."""
    sets = {name: {"words": items.words} for name, items in entry.sets.items()}
    return Test(id=entry.id, **{name.lower(): items for name, items in sets.items()})


@pytest.mark.parametrize("id", SENTENCE_TESTS)
def test_the_words_of_all_published_sentences_are_found_by_the_templates(id):
    entry = test(id)
    found = with_tested_words(without_origins(entry))
    for name, items in entry.sets.items():
        assert found.sets[name].origins == items.origins


def test_words_that_the_catalogue_does_not_know_are_found_too():
    sentences = ["This is a wug.", "The wug is here.", "Wugs are things.", "They are wugs."]
    names = ["James is here.", "This is James.", "Jame is a person.", "This is Jame."]
    mine = Test(x=sentences, y=names, a=["This is nice."], b=["This is vile."])
    found = with_tested_words(mine)
    assert set(found.x.origins) == {"wug"}
    assert found.y.origins == ("James", "James", "Jame", "Jame")
    assert found.a.origins == ("nice",)


def test_origins_that_a_test_gives_are_kept():
    given = {"words": ["This is Amy."], "origins": ["Amelia"]}
    mine = Test(x=given, y=["This is Bob."], a=["This is nice."], b=["This is vile."])
    assert with_tested_words(mine).x.origins == ("Amelia",)


def test_a_set_with_a_sentence_that_fits_no_template_is_unchanged():
    x = ["This is Amy.", "My pal is Amy."]
    mine = Test(x=x, y=["My pal is Bob."], a=["This is nice."], b=["This is vile."])
    found = with_tested_words(mine)
    assert found.x.origins == ()
    assert found.a.origins == ("nice",)
    assert own_words(mine)["My pal is Amy."] == "amy"


def test_tests_of_words_are_unchanged():
    assert with_tested_words(test("weat6")) == test("weat6")
