"""The tokenizer: what counts as a word under each option."""

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
def test_each_option_of_the_tokenizer_changes_the_words_as_documented(options, expected):
    assert Tokenizer(**options)(SENTENCE) == expected.split()


@pytest.mark.parametrize(
    "word", ["naïve", "हिन्दी", "עִבְרִית", "ελληνικά", "straße", "日本", "x\u0304y"]
)
def test_words_of_any_script_keep_their_combining_marks(word):
    composed = unicodedata.normalize("NFC", word)
    decomposed = unicodedata.normalize("NFD", word)
    assert Tokenizer()(f"“{word}”, {decomposed}.") == [composed, composed]


@given(st.text())
def test_default_words_have_no_space_digit_or_capital(text):
    for word in Tokenizer()(text):
        assert word
        assert not any(c.isspace() or c.isdecimal() or c == "_" for c in word)
        assert word == unicodedata.normalize("NFC", word.lower())


@given(st.lists(st.text("abé", min_size=1)))
def test_words_joined_by_spaces_are_split_into_the_same_words(words):
    assert Tokenizer()(" ".join(words)) == words == Tokenizer(words="spaces")(" ".join(words))


def test_an_unknown_tokenizer_option_is_refused_with_the_allowed_ones():
    with pytest.raises(UsageError, match="apostrophes is 'drop'; it must be one of possessive"):
        Tokenizer(apostrophes="drop")
