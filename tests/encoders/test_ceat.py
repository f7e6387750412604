import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weatherglass as wg
from weatherglass.encoders.ceat import ceat_test, random_effects
from weatherglass.errors import EncoderError, UnusableRow, UsageError

TEST = wg.Test(x=["x1", "x2"], y=["y1", "y2"], a=["a"], b=["b"])
ROWS = {"x1": [3, 4], "x2": [5, 0], "y1": [4, 3], "y2": [0, 2], "a": [1, 0], "b": [0, 1]}


def test_ceat_with_one_context_for_each_word_is_weat():
    result = ceat_test({word: np.array([row]) for word, row in ROWS.items()}, TEST, samples=50)
    by_word = wg.weat(wg.Vectors.of(list(ROWS), list(ROWS.values())), TEST)
    assert result.effect == pytest.approx(by_word.effect)
    assert result.between == 0
    assert list(result.quantiles.values()) == pytest.approx([by_word.effect] * 5)


def test_the_random_effects_model_is_that_worked_by_hand():
    # Two samples: effects 0 and 2, variances 1 and 1. W = 1, 1; the mean is 1, Q = 2, c = 2 - 1,
    # between = (2 - 1) / 1 = 1; both weights are 1/2, the effect is 1, the error 1.
    effect, error, between = random_effects(np.array([0.0, 2.0]), np.array([1.0, 1.0]))
    assert (effect, error, between) == pytest.approx((1.0, 1.0, 1.0))


@given(st.lists(st.tuples(st.floats(-2, 2), st.floats(0.01, 2)), min_size=2, max_size=30))
def test_the_combined_effect_is_between_the_smallest_and_the_largest_effect(pairs):
    effects, variances = map(np.array, zip(*pairs, strict=True))
    effect, error, between = random_effects(effects, variances)
    assert min(effects) - 1e-12 <= effect <= max(effects) + 1e-12
    assert error > 0
    assert between >= 0


def test_p_of_ceat_is_the_two_sided_normal_tail_and_repeats_with_the_seed():
    rng = np.random.default_rng(1)
    contexts = {word: np.array(row) + rng.normal(0, 0.5, (9, 2)) for word, row in ROWS.items()}
    result = ceat_test(contexts, TEST, samples=500)
    assert result.p == pytest.approx(math.erfc(abs(result.effect / result.error) / math.sqrt(2)))
    assert result == ceat_test(contexts, TEST, samples=500)
    assert result != ceat_test(contexts, TEST, samples=500, rng=1)
    assert result.quantiles["2.5%"] < result.quantiles["50%"] < result.quantiles["97.5%"]
    results = wg.Results.of([result])
    assert wg.Results.from_json(results.to_json()) == results
    assert wg.Results.from_delimited(results.to_delimited(record=True)) == results


def test_a_word_without_contexts_is_missing_and_a_row_of_zeros_is_refused():
    contexts = {word: np.array([row]) for word, row in ROWS.items() if word != "x1"}
    result = ceat_test(contexts, TEST)
    assert result.status == "not run"
    assert result.missing["X"] == ("x1",)
    with pytest.raises(UnusableRow, match="'x1'"):
        ceat_test(contexts | {"x1": np.zeros((1, 2))}, TEST)


CORPUS = """The rose is in bloom and sweet.
A lily grows by the river.
I saw a rose and a lily together.
A wasp gave me pain.
The gnat is a pest.
What a sweet smell!
The pain went away.
"""


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text(CORPUS)
    return path


def test_the_ceat_command_counts_the_contexts_of_words_in_a_corpus(run, corpus, tmp_path):
    own = tmp_path / "own.yaml"
    own.write_text("- {id: mine, x: [rose, lily], y: [wasp, gnat], a: [sweet], b: [pain]}\n")
    line = ["ceat", "cbow:default", "--corpus", corpus, "--tests", own, "--samples", "200"]
    assert "mine" in run(*line).out
    import json

    (result,) = json.loads(run(*line, "--format", "json").out)["results"]
    assert result["contexts"] == {"rose": 2, "lily": 2, "wasp": 1, "gnat": 1, "sweet": 2, "pain": 2}
    assert run("ceat", "cbow:default", "--corpus", tmp_path / "none.txt").code == 3


def test_ceat_uses_the_vectors_of_words_where_an_encoder_has_them(corpus):
    class Words:
        name, fingerprint = "words", "words-1"

        def encode(self, sentences):
            raise AssertionError("a whole sentence was encoded")

        def encode_words(self, sentences, words):
            assert all(word in sentence for sentence, word in zip(sentences, words, strict=True))
            rows = {"rose": [1, 0.2], "lily": [1, 0.1], "wasp": [0.3, 1], "gnat": [0.1, 1]}
            return np.array([rows.get(w, [1, 0] if w == "sweet" else [0, 1]) for w in words])

    test = wg.Test(x=["rose", "lily"], y=["wasp", "gnat"], a=["sweet"], b=["pain"])
    (result,) = wg.ceat(Words(), test, CORPUS.splitlines(), samples=20)
    assert result.effect > 1.5
    with pytest.raises(UsageError, match="of words"):
        wg.ceat(Words(), "sent-weat6", [])


def test_contexts_of_terms_of_two_words_and_in_long_sentences_are_found():
    from weatherglass.encoders.ceat import find_contexts

    corpus = [
        "Irish American people.",
        "The rose-bush and the rose.",
        "x " * 900 + "a rose " + "y " * 900,
    ]
    contexts = find_contexts(corpus, {"Irish American", "rose"}, 5)
    assert contexts["Irish American"] == ["Irish American people."]
    first, second = contexts["rose"]
    assert first == "The rose-bush and the rose."
    assert len(second) < 900
    assert " rose " in second


def test_vectors_of_words_in_contexts_are_cached_and_wrong_rows_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path))

    class Words:
        name, fingerprint, n_encoded, n_rows = "words", "words-2", 0, 2

        def encode(self, sentences):
            raise AssertionError("a whole sentence was encoded")

        def encode_words(self, sentences, words):
            self.n_encoded += len(words)
            rows = np.array(
                [[len(w), 1 + len(s) % 7] for s, w in zip(sentences, words, strict=True)]
            )
            return rows[: len(words) if self.n_rows == 2 else 0]

    test = wg.Test(x=["rose", "lily"], y=["wasp", "gnat"], a=["sweet"], b=["pain"])
    encoder = Words()
    first = wg.ceat(encoder, test, CORPUS.splitlines(), samples=20)
    n_encoded = encoder.n_encoded
    assert wg.ceat(encoder, test, CORPUS.splitlines(), samples=20) == first
    assert encoder.n_encoded == n_encoded
    encoder.n_rows, encoder.fingerprint = 1, "words-3"
    with pytest.raises(EncoderError):
        wg.ceat(encoder, test, CORPUS.splitlines(), samples=20)
    with pytest.raises(UsageError, match="one text"):
        wg.ceat(encoder, test, CORPUS)
    with pytest.raises(UsageError, match="at least 2"):
        ceat_test({}, TEST, samples=1)


def test_ceat_is_not_run_if_a_word_is_target_and_attribute():
    contexts = {word: np.array([row]) for word, row in ROWS.items()}
    mixed = wg.Test(x=["x1", "x2"], y=["y1", "y2"], a=["a", "x1"], b=["b"])
    result = ceat_test(contexts, mixed, samples=10)
    assert result.status == "not run"
    assert "'x1' is both a target (X) and an attribute (A)" in result.reason
    assert ceat_test(contexts, mixed, samples=10, allow_overlap=True).status == "done"
