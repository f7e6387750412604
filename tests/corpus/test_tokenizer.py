"""What a word is."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weatherglass.corpus import Tokenizer
from weatherglass.errors import UsageError

SENTENCE = "Mother's drawing-room in 1848: “don’t”, said the boys' aunt O'Brien."


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "mother drawing room in don't said the boys aunt o'brien"),
        ({"lower": False}, "Mother drawing room in don't said the boys aunt O'Brien"),
        ({"apostrophes": "keep"}, "mother's drawing room in don't said the boys aunt o'brien"),
        ({"apostrophes": "split"}, "mother s drawing room in don t said the boys aunt o brien"),
        ({"hyphens": True}, "mother drawing-room in don't said the boys aunt o'brien"),
        ({"numbers": True}, "mother drawing room in 1848 don't said the boys aunt o'brien"),
        ({"words": "spaces", "lower": False}, SENTENCE),
    ],
)
def test_each_option_does_what_it_says(options, expected):
    assert Tokenizer(**options)(SENTENCE) == expected.split()


@pytest.mark.parametrize(
    "word", ["naïve", "हिन्दी", "עִבְרִית", "ελληνικά", "straße", "日本", "x\u0304y"]
)
def test_words_of_any_script_stay_whole_with_their_marks(word):
    composed = unicodedata.normalize("NFC", word)
    decomposed = unicodedata.normalize("NFD", word)
    assert Tokenizer()(f"“{word}”, {decomposed}.") == [composed, composed]


@given(st.text())
def test_words_hold_no_space_digit_or_capital(text):
    for word in Tokenizer()(text):
        assert word
        assert not any(c.isspace() or c.isdecimal() or c == "_" for c in word)
        assert word == unicodedata.normalize("NFC", word.lower())


@given(st.lists(st.text("abé", min_size=1)))
def test_words_with_spaces_between_them_are_those_words(words):
    assert Tokenizer()(" ".join(words)) == words == Tokenizer(words="spaces")(" ".join(words))


def test_an_unknown_choice_is_refused():
    with pytest.raises(UsageError, match="apostrophes is 'drop'; it must be one of possessive"):
        Tokenizer(apostrophes="drop")
