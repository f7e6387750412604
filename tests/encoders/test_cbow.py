"""`cbow`: the mean of word vectors, with only the rows that the sentences need."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from weatherglass.encoders import encode_all, open_encoder
from weatherglass.encoders.cbow import Cbow, tokenize
from weatherglass.errors import EncoderError, SourceNotFound, UnusableRow, UsageError
from weatherglass.vectors import Vectors, open_vectors

LOWER = Vectors.of(["this", "is", "amy", "."], [[1, 0, 0], [0, 1, 0], [0, 0, 3], [0, 0, 0]])
CASED = Vectors.of(["This", "is", "Amy", "amy"], [[1, 0], [0, 1], [4, 4], [-4, -4]])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text(
        "".join(f"{w} {i} {i * i} 1\n" for i, w in enumerate(["this", "is", "amy", ".", "john"]))
    )
    return path


def test_cbow_averages_the_known_words():
    rows = Cbow(LOWER).encode(["This is Amy.", "Amy!"])
    np.testing.assert_allclose(rows, [[0.25, 0.25, 0.75], [0, 0, 3]])


@pytest.mark.parametrize(
    ("vectors", "case", "expected", "missing"),
    [
        (CASED, "auto", [4, 4], ()),
        (CASED, "keep", [4, 4], ()),
        (CASED, "lower", [-4, -4], ()),
        (LOWER, "auto", [0, 0, 3], ()),
        (LOWER, "keep", [0, 0, 0], ("Amy",)),
    ],
)
def test_case(vectors, case, expected, missing):
    encoder = Cbow(vectors, case=case)
    np.testing.assert_allclose(encoder.encode(["Amy"]), [expected])
    assert encoder.missing == missing


def test_out_of_vocabulary_words_are_listed_even_when_all_encodings_are_cached(cache, file):
    first, second = open_encoder(f"cbow:{file}"), open_encoder(f"cbow:{file}")
    encode_all(first, ["This is Paul.", "Amy"])
    encode_all(second, ["This is Paul.", "Amy"])
    assert first.missing == second.missing == ("Paul",)


def test_a_sentence_without_known_words_is_an_error(cache, file):
    encoder = open_encoder(f"cbow:{file}")
    with pytest.raises(EncoderError, match="knows no word of 1 of 2 sentences: 'Paul Mike'"):
        encode_all(encoder, ["Paul Mike", "Amy"])
    assert np.isnan(encode_all(encoder, ["Paul Mike", "Amy"], missing="nan")[0]).all()


def test_a_vector_file_is_read_once_per_run_and_not_at_all_when_cached(cache, file, monkeypatch):
    opened = []

    def spy(source, **options):
        opened.append(options["words"])
        return open_vectors(source, **options)

    monkeypatch.setattr("weatherglass.encoders.cbow.open_vectors", spy)
    monkeypatch.setattr("weatherglass._files.cache._RACY_NS", 0)
    texts = ["This is Amy.", "This is John.", "Amy"]
    encode_all(open_encoder(f"cbow:{file}"), texts, batch_size=1)
    assert len(opened) == 1
    assert opened[0] == {"This", "this", "is", "Amy", "amy", ".", "John", "john"}
    encode_all(open_encoder(f"cbow:{file}"), texts, batch_size=1)
    assert len(opened) == 1


def test_the_cbow_fingerprint_covers_content_and_options(cache, file):
    plain = open_encoder(f"cbow:{file}").fingerprint
    copy = file.with_name("copy.txt")
    copy.write_bytes(file.read_bytes())
    assert open_encoder(f"cbow:{copy}").fingerprint == plain
    assert open_encoder(f"cbow:{file}?case=lower").fingerprint != plain
    copy.write_text("this 1 2 3\n")
    assert open_encoder(f"cbow:{copy}").fingerprint != plain


def test_a_word_with_a_nan_row_is_named():
    vectors = Vectors.of(["a", "b"], [[1, 1], [np.nan, 0]])
    with pytest.raises(UnusableRow, match="the row of 'b'"):
        Cbow(vectors).encode(["a b"])


def test_wrong_sources(tmp_path):
    with pytest.raises(SourceNotFound):
        open_encoder(f"cbow:{tmp_path / 'none.txt'}").encode(["a"])
    with pytest.raises(UsageError, match=r"case='upper' .* not one of auto, keep, lower"):
        open_encoder("cbow:default?case=upper")


def test_the_default_vectors():
    encoder = open_encoder("cbow:default")
    rows = encoder.encode(["This is Amy.", "this is amy ."])
    np.testing.assert_array_equal(rows[0], rows[1])
    direct = open_vectors("default", words=["this", "is", "amy", "."])
    np.testing.assert_allclose(rows[0], np.asarray(direct.matrix, np.float64).mean(axis=0))


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("The person's name is Amy.", "The person 's name is Amy ."),
        ("I can't, won't; cannot!", "I ca n't , wo n't ; can not !"),
        ("It’s “quoted” text", "It 's “ quoted ” text"),
        (
            "Mr. Gray of the U.S. paid $5,000.50 at 10:30.",
            "Mr. Gray of the U.S. paid $ 5,000.50 at 10:30 .",
        ),
        ("well-known a/b -- (c) [d]...", "well-known a/b -- ( c ) [ d ] ..."),
        ('"Hi," she said.', "`` Hi , '' she said ."),
        ("the dogs' bones", "the dogs ' bones"),
        ("'tis gonna be 'em", "'t is gon na be 'em"),
        ("It ends. Prof. Gray begins. So.", "It ends . Prof. Gray begins . So ."),
        ("", ""),
        (" \n\t ", ""),
        (".", "."),
    ],
)
def test_sentences_are_tokenized_like_the_penn_treebank(sentence, words):
    assert tokenize(sentence) == words.split()


def test_tokenizing_published_sentences_loses_no_character():
    folder = Path(__file__).parents[3] / "shared" / "data" / "sent-tests"
    if not folder.is_dir():
        pytest.skip("needs ../shared/data/sent-tests, the published sentences")
    seen = 0
    for path in folder.glob("*.jsonl"):
        for part in json.loads(path.read_text()).values():
            for sentence in part["examples"]:
                joined = re.sub("``|''", '"', "".join(tokenize(sentence)))
                assert joined == sentence.replace(" ", "")
                seen += 1
    assert seen == 9951
