"""Every distinct sentence is encoded once, and what an encoder gives is looked at."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weatherglass.encoders import encode_all
from weatherglass.errors import EncoderError, UsageError

pytestmark = pytest.mark.usefixtures("cache")
SENTENCES = ["This is Amy.", "Amy.", "The person's name is Amy.", "Amy.", "Here is Amy."]


def test_each_distinct_sentence_is_encoded_once_and_rows_keep_their_order(counting):
    encoder = counting()
    rows = encode_all(encoder, SENTENCES)
    assert sorted(encoder.asked) == sorted(set(SENTENCES))
    np.testing.assert_array_equal(rows, [encoder.row(text) for text in SENTENCES])
    assert rows.dtype == np.float32


def test_batches_have_sentences_of_similar_length(counting):
    encoder = counting()
    texts = ["a" * n for n in (3, 9, 1, 7, 5, 2, 8)]
    encode_all(encoder, texts, batch_size=3)
    assert [[len(text) for text in batch] for batch in encoder.batches] == [
        [9, 8, 7],
        [5, 3, 2],
        [1],
    ]


@given(texts=st.lists(st.text(max_size=5), min_size=1), batch_size=st.integers(1, 7))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_in_any_batches(counting, texts, batch_size):
    encoder = counting()
    rows = encode_all(encoder, texts, batch_size=batch_size, cache=False)
    np.testing.assert_array_equal(rows, [encoder.row(text) for text in texts])


def test_a_second_run_encodes_nothing(counting):
    first = encode_all(counting(), SENTENCES)
    again = counting()
    np.testing.assert_array_equal(encode_all(again, SENTENCES), first)
    assert again.asked == []
    encode_all(again, [*SENTENCES, "New."])
    assert again.asked == ["New."]


def test_encoders_with_different_fingerprints_do_not_share_a_cache(counting):
    encode_all(counting(), SENTENCES)
    other = counting(fingerprint="other")
    encode_all(other, SENTENCES)
    assert len(other.asked) == 4


def test_no_file_is_written_without_the_cache(counting, cache):
    encode_all(counting(), SENTENCES, cache=False)
    assert not (cache / "encodings").exists()


def test_encodings_read_from_disk_are_not_cached_again(counting, cache):
    encoder = counting()
    encoder.stored = True
    encode_all(encoder, SENTENCES)
    assert not (cache / "encodings").exists()


def test_progress_counts_distinct_sentences(counting):
    seen = []
    encode_all(counting(), SENTENCES, batch_size=2, progress=lambda *at: seen.append(at))
    assert seen == [(0, 4), (2, 4), (4, 4)]
    seen.clear()
    encode_all(counting(), SENTENCES, progress=lambda *at: seen.append(at))
    assert seen == [(4, 4)]


def test_all_sentences_are_announced_before_the_first_batch(counting):
    encoder, announced = counting(), []
    encoder.prepare = announced.append
    encode_all(encoder, SENTENCES, batch_size=1)
    assert announced == [list(dict.fromkeys(SENTENCES))]


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError(
            "[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried 9 bytes"
        ),
        pytest.param(
            RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"), marks=pytest.mark.slow
        ),
    ],
)
def test_running_out_of_memory_halves_the_batch(counting, error):
    class Small(counting):
        def encode(self, sentences):
            if len(sentences) > 3:
                self.batches.append([])
                raise error
            return super().encode(sentences)

    encoder, texts = Small(), [f"sentence {i}" for i in range(20)]
    rows = encode_all(encoder, texts, batch_size=16)
    np.testing.assert_array_equal(rows, [encoder.row(text) for text in texts])
    assert [len(batch) for batch in encoder.batches] == [0, 0, 0] + [2] * 10  # 16, 8, 4


def test_running_out_of_memory_on_a_single_sentence_is_an_error(counting):
    class Tiny(counting):
        def encode(self, sentences):
            raise MemoryError

    with pytest.raises(EncoderError, match=r"not enough memory .* 'Amy.'"):
        encode_all(Tiny(), ["Amy."])


class Bad:
    """Gives what a function makes of good rows."""

    name, fingerprint = "bad", "bad"

    def __init__(self, good, spoil):
        self._good, self._spoil = good, spoil

    def encode(self, sentences):
        return self._spoil(self._good.encode(sentences), sentences)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda rows, _: rows[:-1], r"bad returned 3 rows for 4 sentences"),
        (lambda rows, _: rows[0], r"shape \(4,\) .* expected one row"),
        (lambda rows, _: rows[:, :0], r"rows of 0 numbers"),
        (lambda rows, _: rows.astype(str), r"expected one row of numbers"),
        (lambda rows, _: [[1.0], [1.0, 2.0], [], []], r"expected one row of numbers"),
        (lambda rows, _: None, r"bad returned NoneType"),
    ],
)
def test_an_encoder_that_returns_no_rows_of_numbers_is_an_error(counting, spoil, message):
    with pytest.raises(EncoderError, match=message):
        encode_all(Bad(counting(), spoil), SENTENCES)


def test_a_nan_row_is_named_and_valid_rows_are_saved(counting, cache):
    def spoil(rows, sentences):
        rows[[s == "Amy." for s in sentences]] = np.inf
        return rows

    with pytest.raises(EncoderError, match=r"NaN or infinity for 'Amy.'"):
        encode_all(Bad(counting(), spoil), SENTENCES)
    good = counting(fingerprint="bad")
    encode_all(good, SENTENCES)
    assert good.asked == ["Amy."]


def test_rows_of_different_width_are_an_error(counting):
    def spoil(rows, sentences):
        return rows[:, :2] if "Amy." in sentences else rows

    with pytest.raises(EncoderError, match=r"rows of 2 numbers for 'Amy.'; expected 4"):
        encode_all(Bad(counting(), spoil), SENTENCES, batch_size=1)
    with pytest.raises(EncoderError, match="rows of 2 numbers"):  # and from one run to the next
        encode_all(Bad(counting(), spoil), ["Amy.", *SENTENCES])


def test_sentences_without_a_known_word_are_named(counting):
    def spoil(rows, sentences):
        rows[[s == "Amy." for s in sentences]] = 0
        return rows

    with pytest.raises(EncoderError, match=r"knows no word of 1 of 4 sentences: 'Amy.'"):
        encode_all(Bad(counting(), spoil), SENTENCES)
    rows = encode_all(Bad(counting(), spoil), SENTENCES, missing="nan")
    assert np.isnan(rows).all(axis=1).tolist() == [False, True, False, True, False]


def test_a_failing_encoder_names_the_sentence_and_saves_earlier_ones(counting):
    class Failing(counting):
        def encode(self, sentences):
            if "Amy." in sentences:
                raise ValueError("no\nway")
            return super().encode(sentences)

    with pytest.raises(EncoderError, match=r"failed on 'Amy.' and 0 more.*ValueError: no way"):
        encode_all(Failing(), SENTENCES, batch_size=1)
    again = counting()
    encode_all(again, SENTENCES)
    assert again.asked == ["Amy."]


@pytest.mark.parametrize(
    ("sentences", "message"),
    [([], "the list is empty"), ("Amy.", "a list of str"), (["Amy.", 3], "a list of str")],
)
def test_sentences_must_be_a_list_of_strings(counting, sentences, message):
    with pytest.raises(UsageError, match=message):
        encode_all(counting(), sentences)


def test_batch_size_must_be_positive(counting):
    with pytest.raises(UsageError, match="at least 1"):
        encode_all(counting(), ["Amy."], batch_size=0)


def test_half_precision_and_integer_rows_become_floats(counting):
    half = encode_all(Bad(counting(), lambda rows, _: rows.astype(np.float16)), ["a"], cache=False)
    whole = encode_all(Bad(counting(), lambda rows, _: np.ones((1, 3), int)), ["a"], cache=False)
    assert (half.dtype, whole.dtype) == (np.float32, np.float64)
