"""A corpus as token ids: only rare words are lost."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weatherglass.corpus import Document, Tokenizer
from weatherglass.corpus import token_ids as module
from weatherglass.corpus.token_ids import TokenIdWriter, open_token_ids
from weatherglass.errors import CannotMeasure

TEXTS = st.lists(st.lists(st.sampled_from("abcdé"), max_size=8).map(" ".join), min_size=1)
_quick = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def documents(corpus):
    """Return the words of each document."""
    starts = [0, *corpus.ends[:-1].tolist()]
    spans = zip(starts, corpus.ends.tolist(), strict=True)
    return [[corpus.words[i] for i in corpus.tokens[a:b].tolist()] for a, b in spans]


def test_words_are_numbered_by_falling_count_and_rare_words_are_removed(token_ids):
    corpus = token_ids(["b a rare b", "", "a b c c"], min_count=2)
    assert corpus.words == ["b", "a", "c"]
    assert corpus.counts.tolist() == [3, 2, 2]
    assert documents(corpus) == [["b", "a", "b"], [], ["a", "b", "c", "c"]]


@pytest.mark.parametrize("step", [1, 3, 1 << 24])
@_quick
@given(texts=TEXTS, min_count=st.integers(1, 3))
def test_documents_are_read_back_without_their_rare_words(token_ids, step, texts, min_count):
    words = " ".join(texts).split()
    frequent = {word for word in words if words.count(word) >= min_count}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK_TOKENS", step)
        patch.setattr(module, "_MAX_BUFFERED_TOKENS", step)
        if not frequent:
            with pytest.raises(CannotMeasure):
                token_ids(texts, min_count)
            return
        corpus = token_ids(texts, min_count)
    assert documents(corpus) == [[w for w in text.split() if w in frequent] for text in texts]
    assert dict(zip(corpus.words, corpus.counts.tolist(), strict=True)) == {
        word: words.count(word) for word in frequent
    }


@_quick
@given(texts=TEXTS.filter(any), data=st.data())
def test_word_counts_of_a_sample_equal_those_of_the_repeated_documents(token_ids, texts, data):
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts)))
    corpus = token_ids(texts)
    repeated = " ".join(t for t, k in zip(texts, times, strict=True) for _ in range(k)).split()
    counts = corpus.sample_counts(np.array(times))
    assert counts.tolist() == [repeated.count(word) for word in corpus.words]


def test_each_group_of_a_corpus_has_its_own_token_ids(tmp_path):
    writer = TokenIdWriter(tmp_path, Tokenizer())
    for text, group in [("a a b", "x"), ("b b", "y"), ("a", "x")]:
        writer.add(Document(text, {}), group)
    assert writer.sizes == {"x": (2, 4), "y": (1, 2)}
    assert writer.finish("x", 1, "x") == 2
    assert writer.finish("y", 2, "y") == 1
    assert open_token_ids(writer.folder("x")).words == ["a", "b"]
    assert documents(open_token_ids(writer.folder("y"))) == [["b", "b"]]


def test_a_corpus_of_only_rare_words_is_refused_with_its_most_frequent_word(token_ids):
    with pytest.raises(CannotMeasure, match=r"3 different words.*10 times.*'b', occurs 2 times"):
        token_ids(["a b c b"], min_count=10)
    with pytest.raises(CannotMeasure, match="no words"):
        token_ids([""])
