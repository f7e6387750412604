"""`vectors:`, sentences that were encoded elsewhere."""

import numpy as np
import pytest

from weatherglass.encoders import encode_all, open_encoder
from weatherglass.errors import EncoderError, SourceNotFound
from weatherglass.vectors import Vectors
from weatherglass.vectors.formats.detect import format_for_writing

SENTENCES = ["This is Amy.", "The person's name is John.", "naïve, isn't it?", "a\tb\u2028c"]


@pytest.fixture
def vectors():
    return Vectors.of(SENTENCES, np.arange(1, 13).reshape(4, 3))


@pytest.mark.parametrize("suffix", ["parquet", "h5", "npz"])
def test_precomputed_sentences_are_read_from_every_format_that_can_hold_them(
    tmp_path, vectors, suffix, cache
):
    path = tmp_path / f"encoded.{suffix}"
    format_for_writing(path).write(vectors, path)
    encoder = open_encoder(f"vectors:{path}")
    np.testing.assert_array_equal(encode_all(encoder, SENTENCES[::-1]), vectors.matrix[::-1])
    assert encoder.missing == ()
    assert not (cache / "encodings").exists()


def test_a_sentence_missing_from_a_precomputed_file_is_refused_and_listed(tmp_path, vectors):
    path = tmp_path / "encoded.parquet"
    format_for_writing(path).write(vectors, path)
    encoder = open_encoder(f"vectors:{path}")
    with pytest.raises(EncoderError, match=r"knows no word of 1 of 2 sentences: 'This is Paul.'"):
        encode_all(encoder, ["This is Paul.", SENTENCES[0]])
    assert encoder.missing == ("This is Paul.",)


def test_a_missing_file_of_precomputed_sentences_is_refused(tmp_path):
    with pytest.raises(SourceNotFound):
        open_encoder(f"vectors:{tmp_path / 'none.parquet'}")
