"""A corpus as numbers: nothing but rare words is lost."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weatherglass.corpus import Document, Tokenizer, token_ids
from weatherglass.corpus.token_ids import Gathering, open_numbered
from weatherglass.errors import CannotMeasure

TEXTS = st.lists(st.lists(st.sampled_from("abcdé"), max_size=8).map(" ".join), min_size=1)
_quick = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def documents(corpus):
    starts = [0, *corpus.ends[:-1].tolist()]
    spans = zip(starts, corpus.ends.tolist(), strict=True)
    return [[corpus.words[i] for i in corpus.tokens[a:b].tolist()] for a, b in spans]


def test_words_are_numbered_by_falling_count_and_rare_ones_are_taken_out(number):
    corpus = number(["b a rare b", "", "a b c c"], min_count=2)
    assert corpus.words == ["b", "a", "c"]
    assert corpus.counts.tolist() == [3, 2, 2]
    assert documents(corpus) == [["b", "a", "b"], [], ["a", "b", "c", "c"]]


@pytest.mark.parametrize("step", [1, 3, 1 << 24])
@_quick
@given(texts=TEXTS, min_count=st.integers(1, 3))
def test_documents_come_back_without_their_rare_words(number, step, texts, min_count):
    words = " ".join(texts).split()
    kept = {word for word in words if words.count(word) >= min_count}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_ids, "_STEP", step)
        patch.setattr(token_ids, "_FLUSH", step)
        if not kept:
            with pytest.raises(CannotMeasure):
                number(texts, min_count)
            return
        corpus = number(texts, min_count)
    assert documents(corpus) == [[w for w in text.split() if w in kept] for text in texts]
    assert dict(zip(corpus.words, corpus.counts.tolist(), strict=True)) == {
        word: words.count(word) for word in kept
    }


@_quick
@given(texts=TEXTS.filter(any), data=st.data())
def test_counts_of_a_sample_are_those_of_the_repeated_documents(number, texts, data):
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts)))
    corpus = number(texts)
    repeated = " ".join(t for t, k in zip(texts, times, strict=True) for _ in range(k)).split()
    counts = corpus.sample_counts(np.array(times))
    assert counts.tolist() == [repeated.count(word) for word in corpus.words]


def test_groups_are_kept_apart(tmp_path):
    gathering = Gathering(tmp_path, Tokenizer())
    for text, group in [("a a b", "x"), ("b b", "y"), ("a", "x")]:
        gathering.add(Document(text, {}), group)
    assert gathering.sizes == {"x": (2, 4), "y": (1, 2)}
    assert gathering.finish("x", 1, "x") == 2
    assert gathering.finish("y", 2, "y") == 1
    assert open_numbered(gathering.folder("x")).words == ["a", "b"]
    assert documents(open_numbered(gathering.folder("y"))) == [["b", "b"]]


def test_a_corpus_of_rare_words_says_so(number):
    with pytest.raises(CannotMeasure, match=r"3 different words.*10 times.*'b', occurs 2 times"):
        number(["a b c b"], min_count=10)
    with pytest.raises(CannotMeasure, match="no words"):
        number([""])
