"""SpaCy's folder, checked against a plain Python version of its hash."""

from __future__ import annotations

import json

import numpy as np
import pytest

from weatherglass.errors import BadContent
from weatherglass.vectors import open_vectors
from weatherglass.vectors.formats.kernels import murmur64
from weatherglass.vectors.vocabulary import pack_words

msgpack = pytest.importorskip("msgpack", reason="spaCy's rows are stored as msgpack")

MASK = (1 << 64) - 1
ROWS = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.float32)


def murmurhash64a(data, seed=1):
    """Austin Appleby's MurmurHash64A."""
    m, r = 0xC6A4A7935BD1E995, 47
    h = seed ^ (len(data) * m & MASK)
    tail = len(data) // 8 * 8
    for at in range(0, tail, 8):
        k = int.from_bytes(data[at : at + 8], "little") * m & MASK
        k = (k ^ (k >> r)) * m & MASK
        h = (h ^ k) * m & MASK
    if rest := data[tail:]:
        h = (h ^ int.from_bytes(rest, "little")) * m & MASK
    h = (h ^ (h >> r)) * m & MASK
    return h ^ (h >> r)


def compiled(words):
    out = np.empty(len(words), dtype=np.uint64)
    murmur64(*pack_words(words), np.uint64(1), out)
    return out.tolist()


def test_the_string_hash_gives_the_values_that_spacy_documents():
    assert compiled([b"apple", b"coffee"]) == [8566208034543834098, 3197928453018144401]
    assert murmurhash64a(b"apple") == 8566208034543834098


def test_the_compiled_string_hash_equals_the_python_one_at_every_length():
    words = [bytes((7 * i + n) % 256 for i in range(n)) for n in range(40)]
    assert compiled(words) == [murmurhash64a(word) for word in words]


@pytest.fixture
def pipeline(tmp_path):
    """Return a function that writes the ``vocab`` folder of a pipeline."""

    def write(words=("a", "É", "c"), rows=None, strings=None, matrix=ROWS, place="vocab"):
        folder = tmp_path / "pipeline" / place
        folder.mkdir(parents=True)
        with open(folder / "vectors", "wb") as file:
            np.save(file, matrix)
        keys = {murmurhash64a(w.encode()): i for i, w in enumerate(words)} if rows is None else rows
        (folder / "key2row").write_bytes(keys if isinstance(keys, bytes) else msgpack.packb(keys))
        text = json.dumps(["", *words, "unrelated"]) if strings is None else strings
        (folder / "strings.json").write_text(text)
        return tmp_path / "pipeline"

    return write


@pytest.mark.parametrize("place", ["vocab", ".", "en_core-3.0/vocab"])
def test_a_spacy_folder_is_read_without_spacy(place, pipeline):
    folder = pipeline(place=place)
    vectors = open_vectors(folder)
    assert list(vectors.words) == ["a", "É", "c"]
    np.testing.assert_array_equal(vectors.matrix, ROWS)
    assert open_vectors(folder, words=["c", "unrelated"]).matrix.tolist() == [[5, 6]]


def test_spacy_words_may_share_a_row_or_have_none(pipeline):
    keys = {
        murmurhash64a(w): row for w, row in [(b"a", 2), (b"c", 2), (b"\xc3\x89", -1), (b"gone", 0)]
    }
    vectors = open_vectors(pipeline(rows=keys))
    assert list(vectors.words) == ["a", "c"]
    assert vectors.matrix.tolist() == [[5, 6], [5, 6]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rows": {1: 3}}, "names rows that the matrix of 3 rows does not have"),
        ({"rows": {1: -2}}, "names rows that the matrix"),
        ({"rows": {1: 0}}, "none of its vectors has a string"),
        ({"rows": {}}, "none of its vectors has a string"),
        ({"rows": b"\x81\x01"}, "key2row is a damaged or cut-off map"),
        ({"rows": b"\xdf\xff\xff\xff\xff"}, "key2row is a damaged or cut-off map"),
        ({"rows": b"\x93\x01\x02\x03"}, "key2row is a damaged or cut-off map"),
        ({"strings": "{"}, "not a list of strings"),
        ({"strings": '"abc"'}, "not a list of strings"),
        ({"strings": "[1]"}, "not a list of strings"),
        ({"matrix": np.zeros(3)}, "expected a table"),
        ({"matrix": np.zeros((2, 2, 2))}, "expected a table"),
    ],
)
def test_the_error_says_what_is_wrong_with_a_damaged_spacy_folder(changes, message, pipeline):
    with pytest.raises(BadContent, match=message):
        open_vectors(pipeline(**changes))
