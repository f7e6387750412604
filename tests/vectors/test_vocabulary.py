"""Words are found in constant time, in file order, each once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weatherglass.vectors import vocabulary
from weatherglass.vectors.formats.kernels import hash_words
from weatherglass.vectors.vocabulary import Vocabulary, pack_words, to_bytes, to_text, word_hash

_words = st.lists(st.text(max_size=5) | st.sampled_from(["a", "b", "", "é"]), max_size=30)


@given(_words)
def test_a_vocabulary_drops_duplicates_and_keeps_the_order(words):
    distinct = list(dict.fromkeys(words))
    built, positions = Vocabulary.of(map(to_bytes, words))
    assert list(built) == built[:] == distinct
    assert len(built) == len(distinct)
    assert built.find(distinct).tolist() == list(range(len(distinct)))
    if positions is None:
        assert distinct == words
    else:
        assert positions.tolist() == [i for i, word in enumerate(words) if word not in words[:i]]


@given(_words)
def test_words_with_the_same_hash_are_found_correctly(words):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vocabulary, "word_hash", lambda word: len(word) % 2)
        built, positions = Vocabulary.of(map(to_bytes, words))
        distinct = list(dict.fromkeys(words))
        assert list(built) == distinct
        assert (positions is None) == (distinct == words)
        assert built.find([*distinct, "absent!"]).tolist() == [*range(len(distinct)), -1]


def test_the_compiled_word_hash_equals_the_python_one():
    words = [bytes((i * 7 + n) % 256 for i in range(n)) for n in range(50)]
    out = np.empty(50, dtype=np.uint64)
    hash_words(*pack_words(words), out)
    assert out.tolist() == [word_hash(word) for word in words]
    assert word_hash(b"foobar") == 0x85944171F73967E8  # from the authors' test vectors


def test_large_vocabularies_are_hashed_by_the_compiled_code():
    words = [f"word{i % 9000}" for i in range(10_000)]
    built, positions = Vocabulary.of(word.encode() for word in words)
    assert len(built) == 9000
    assert positions.tolist() == list(range(9000))
    assert built.find(["word0", "word8999", "word9000"]).tolist() == [0, 8999, -1]


def test_a_vocabulary_is_indexed_like_a_list():
    words = list("abcdef")
    built, _ = Vocabulary.of(word.encode() for word in words)
    assert [built[i] for i in range(-6, 6)] == [words[i] for i in range(-6, 6)]
    for part in (slice(2), slice(1, -1), slice(None, None, -1), slice(10, 20), slice(-2, None)):
        assert built[part] == words[part]
    for wrong in (6, -7):
        with pytest.raises(IndexError):
            built[wrong]
    assert built[np.int64(2)] == "c"
    assert list(reversed(built)) == words[::-1]
    assert built.count("a") == 1


def test_vocabulary_index_behaves_like_list_index():
    built, _ = Vocabulary.of([b"a", b"b", b"c"])
    assert built.index("b") == 1
    assert built.index("c", -1) == 2
    for wrong in [("x",), ("a", 1), ("c", 0, 2), ("x", -5), (3,), ("a", -2)]:
        with pytest.raises(ValueError, match="not in the vocabulary"):
            built.index(*wrong)


def test_a_vocabulary_contains_only_text():
    built, _ = Vocabulary.of([b"a", b"\xff"])
    assert "a" in built
    assert "\udcff" in built
    assert b"a" not in built
    assert None not in built
    assert "\ud800" not in built
    assert repr(built) == "<2 words>"


@given(st.binary())
def test_arbitrary_bytes_survive_conversion_to_text_and_back(raw):
    assert to_bytes(to_text(raw)) == raw


def test_an_empty_vocabulary_contains_no_word():
    built, positions = Vocabulary.of([])
    assert (list(built), len(built), positions) == ([], 0, None)
    assert built.find(["a"]).tolist() == [-1]
    assert "a" not in built
