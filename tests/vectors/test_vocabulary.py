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
def test_a_vocabulary_is_a_list_without_repetitions(words):
    distinct = list(dict.fromkeys(words))
    made, kept = Vocabulary.of(map(to_bytes, words))
    assert list(made) == made[:] == distinct
    assert len(made) == len(distinct)
    assert made.find(distinct).tolist() == list(range(len(distinct)))
    if kept is None:
        assert distinct == words
    else:
        assert kept.tolist() == [i for i, word in enumerate(words) if word not in words[:i]]


@given(_words)
def test_words_whose_hashes_collide_are_still_told_apart(words):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vocabulary, "word_hash", lambda word: len(word) % 2)
        made, kept = Vocabulary.of(map(to_bytes, words))
        distinct = list(dict.fromkeys(words))
        assert list(made) == distinct
        assert (kept is None) == (distinct == words)
        assert made.find([*distinct, "absent!"]).tolist() == [*range(len(distinct)), -1]


def test_the_compiled_hash_is_the_plain_one():
    words = [bytes((i * 7 + n) % 256 for i in range(n)) for n in range(50)]
    out = np.empty(50, dtype=np.uint64)
    hash_words(*pack_words(words), out)
    assert out.tolist() == [word_hash(word) for word in words]
    assert word_hash(b"foobar") == 0x85944171F73967E8  # from the authors' test vectors


def test_large_vocabularies_are_hashed_by_the_compiled_code():
    words = [f"word{i % 9000}" for i in range(10_000)]
    made, kept = Vocabulary.of(word.encode() for word in words)
    assert len(made) == 9000
    assert kept.tolist() == list(range(9000))
    assert made.find(["word0", "word8999", "word9000"]).tolist() == [0, 8999, -1]


def test_it_is_indexed_as_a_list_is():
    words = list("abcdef")
    made, _ = Vocabulary.of(word.encode() for word in words)
    assert [made[i] for i in range(-6, 6)] == [words[i] for i in range(-6, 6)]
    for part in (slice(2), slice(1, -1), slice(None, None, -1), slice(10, 20), slice(-2, None)):
        assert made[part] == words[part]
    for wrong in (6, -7):
        with pytest.raises(IndexError):
            made[wrong]
    assert made[np.int64(2)] == "c"
    assert list(reversed(made)) == words[::-1]
    assert made.count("a") == 1


def test_index_is_that_of_a_list():
    made, _ = Vocabulary.of([b"a", b"b", b"c"])
    assert made.index("b") == 1
    assert made.index("c", -1) == 2
    for wrong in [("x",), ("a", 1), ("c", 0, 2), ("x", -5), (3,), ("a", -2)]:
        with pytest.raises(ValueError, match="not in the vocabulary"):
            made.index(*wrong)


def test_only_text_is_in_a_vocabulary():
    made, _ = Vocabulary.of([b"a", b"\xff"])
    assert "a" in made
    assert "\udcff" in made
    assert b"a" not in made
    assert None not in made
    assert "\ud800" not in made
    assert repr(made) == "<2 words>"


@given(st.binary())
def test_any_bytes_survive_being_text(raw):
    assert to_bytes(to_text(raw)) == raw


def test_an_empty_vocabulary_is_one():
    made, kept = Vocabulary.of([])
    assert (list(made), len(made), kept) == ([], 0, None)
    assert made.find(["a"]).tolist() == [-1]
    assert "a" not in made
