"""FastText's format, checked against a plain Python version of its subwords."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from weatherglass.errors import BadContent, UsageError
from weatherglass.vectors import open_vectors

DIM, BUCKETS = 4, 37
WORDS = ["</s>", "the", "naïve", "日本語", "a", "", "caf\udce9", "x" * 40]
UNSEEN = ["unseen", "日本", "b", "naïveté", "\udcff\udcfe"]


def raw(word):
    return word.encode("utf-8", "surrogateescape")


def fasttext_hash(gram):
    """FNV-1a, 32 bits, on signed characters, as in fastText's dictionary.cc."""
    digest = 2166136261
    for byte in gram:
        signed = byte - 256 if byte > 127 else byte
        digest = (digest ^ (signed & 0xFFFFFFFF)) * 16777619 & 0xFFFFFFFF
    return digest


def characters(word):
    """The bytes of a word, grouped as UTF-8 does: bytes 10xxxxxx go with the one before."""
    groups = []
    for byte in b"<" + raw(word) + b">":
        if groups and byte & 0xC0 == 0x80:
            groups[-1] += bytes([byte])
        else:
            groups.append(bytes([byte]))
    return groups


def subword_rows(word, min_length, max_length, words=WORDS, buckets=BUCKETS):
    if word == "</s>" or max_length <= 0:
        return []
    chars = characters(word)
    rows = []
    for i in range(len(chars)):
        for n in range(max(1, min_length), max_length + 1):
            if i + n > len(chars) or (n == 1 and i in (0, len(chars) - 1)):
                continue
            rows.append(len(words) + fasttext_hash(b"".join(chars[i : i + n])) % buckets)
    return rows


def expected(word, table, min_length, max_length):
    ids = ([WORDS.index(word)] if word in WORDS else []) + subword_rows(
        word, min_length, max_length
    )
    total = np.zeros(DIM, dtype=np.float32)
    for i in ids:
        total += table[i]
    return total * np.float32(1 / len(ids)) if ids else total


def model(
    table,
    min_length,
    max_length,
    *,
    version=12,
    kind=2,
    quantised=False,
    pruned=-1,
    words=WORDS,
    counts=None,
):
    options = (DIM, 5, 5, 1, 5, 1, 1, kind, BUCKETS, min_length, max_length, 100)
    out = struct.pack("<2i12id", 793712314, version, *options, 1e-4)
    out += struct.pack("<3i2q", len(words), len(words), 0, 1000, pruned)
    for word, count in zip(words, counts or [7] * len(words), strict=True):
        out += raw(word) + b"\0" + struct.pack("<qb", count, 0)
    out += b"".join(struct.pack("<2i", i, i) for i in range(max(0, pruned)))
    out += struct.pack("<?2q", quantised, *table.shape) + table.astype("<f4").tobytes()
    return out + struct.pack("<?2q", False, 0, 0)


@pytest.fixture
def table():
    return np.random.default_rng(3).standard_normal((len(WORDS) + BUCKETS, DIM)).astype(np.float32)


@pytest.fixture
def put(tmp_path):
    def write(content, name="model.bin"):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


@pytest.mark.parametrize(
    ("min_length", "max_length"), [(3, 6), (1, 2), (2, 2), (5, 5), (0, 3), (0, 0)]
)
def test_fasttext_words_are_means_of_their_own_row_and_their_subwords(
    min_length, max_length, table, put
):
    path = put(model(table, min_length, max_length))
    vectors = open_vectors(path)
    assert list(vectors.words) == WORDS
    rows = np.array([expected(word, table, min_length, max_length) for word in WORDS])
    np.testing.assert_array_equal(vectors.matrix, rows)
    selected = open_vectors(path, words=["naïve", "</s>", "unseen"])
    assert list(selected.words) == ["</s>", "naïve"]
    np.testing.assert_array_equal(selected.matrix, rows[[0, 2]])


@pytest.mark.parametrize(("min_length", "max_length"), [(3, 6), (1, 2), (0, 0)])
def test_subwords_option_builds_vectors_of_unseen_words(min_length, max_length, table, put):
    path = put(model(table, min_length, max_length))
    vectors = open_vectors(f"{path}?subwords=1", words=[*UNSEEN, "the"])
    assert vectors.words[0] == "the"
    for word in UNSEEN:
        row = expected(word, table, min_length, max_length)
        found = vectors.take([word])
        if subword_rows(word, min_length, max_length):
            np.testing.assert_array_equal(found.rows[0], row)
        else:
            assert found.missing == [word]


def test_fasttext_counts_come_from_the_dictionary(table, put):
    counts = [2**40 + 3, 900, 255, 256, 1, 0, 2**62, 5]
    path = put(model(table, 3, 6, counts=counts))
    selected = open_vectors(f"{path}?subwords=1", words=["the", "日本語", "unseen"])
    assert dict(zip(selected.words, selected.counts.tolist(), strict=True)) == {
        "the": 900,
        "日本語": 256,
        "unseen": 0,
    }
    for vectors in (open_vectors(path), open_vectors(path)):  # read, and from the cache
        assert vectors.counts.tolist() == counts


def test_negative_fasttext_counts_are_ignored(table, put):
    path = put(model(table, 3, 6, counts=[5, -1, 3, 2, 1, 1, 1, 1]))
    assert open_vectors(path).counts is None
    assert open_vectors(f"{path}?subwords=1", words=["unseen", "the"]).counts is None


def test_the_subwords_option_needs_a_list_of_words(table, put):
    with pytest.raises(UsageError, match="give the words"):
        open_vectors(f"{put(model(table, 3, 6))}?subwords=1")


@pytest.mark.parametrize("padding", range(4))
def test_the_fasttext_matrix_may_begin_at_any_byte(padding, table, put):
    words = [*WORDS[:-1], "x" * (40 + padding)]
    vectors = open_vectors(put(model(table, 0, 0, words=words)))
    np.testing.assert_array_equal(vectors.matrix, table[: len(WORDS)])


def test_fasttext_classifiers_of_version_11_have_no_subwords(table, put):
    vectors = open_vectors(put(model(table, 3, 6, version=11, kind=3)))
    np.testing.assert_array_equal(vectors.matrix, table[: len(WORDS)])


@pytest.mark.parametrize("ending", [".gz", ".xz"])
def test_a_compressed_fasttext_file_is_read(ending, table, put):
    import gzip
    import lzma

    content = {".gz": gzip.compress, ".xz": lzma.compress}[ending](model(table, 3, 6))
    vectors = open_vectors(put(content, f"model.bin{ending}"))
    np.testing.assert_array_equal(vectors.matrix[1], expected("the", table, 3, 6))


def test_a_quantised_fasttext_model_is_refused(table, put):
    with pytest.raises(BadContent, match=r"\.ftz.*only approximate"):
        open_vectors(put(model(table, 3, 6, quantised=True, pruned=3)))


def test_an_unknown_fasttext_version_is_refused(table, put):
    with pytest.raises(BadContent, match="fastText format 13, expected 11 or 12"):
        open_vectors(put(model(table, 3, 6, version=13)))


@pytest.mark.parametrize("words", [None, ["the"]])
def test_a_fasttext_model_truncated_anywhere_is_refused(words, table, put):
    content = model(table, 3, 6)
    for size in [4, 7, 50, 64, 92, 100, 200, len(content) // 2, len(content) - 18]:
        with pytest.raises(BadContent, match="damaged or cut-off fastText model"):
            open_vectors(put(content[:size]), words=words)


@pytest.mark.slow
@pytest.mark.parametrize(("min_length", "max_length"), [(3, 6), (2, 4)])
def test_gensim_gives_the_same_fasttext_vectors(min_length, max_length, tmp_path):
    pytest.importorskip("gensim", reason="gensim is the second opinion on fastText's format")
    from gensim.models import FastText
    from gensim.models.fasttext import save_facebook_model

    text = [["the", "weather", "glass", "naïve", "日本語"], ["the", "glass", "falls", "storm"]] * 20
    trained = FastText(
        text,
        vector_size=8,
        min_n=min_length,
        max_n=max_length,
        bucket=500,
        min_count=1,
        epochs=2,
        workers=1,
        seed=1,
    )
    save_facebook_model(trained, str(tmp_path / "model.bin"))
    vectors = open_vectors(tmp_path / "model.bin")
    assert sorted(vectors.words) == sorted(trained.wv.index_to_key)
    assert vectors.counts.tolist() == [trained.wv.get_vecattr(w, "count") for w in vectors.words]
    for word in vectors.words:
        np.testing.assert_allclose(
            vectors.take([word]).rows[0], trained.wv[word], rtol=1e-5, atol=1e-7
        )
    unseen = ["weatherglass", "日本", "naïveté"]
    built = open_vectors(f"{tmp_path}/model.bin?subwords=1", words=unseen)
    for word in unseen:
        np.testing.assert_allclose(
            built.take([word]).rows[0], trained.wv[word], rtol=1e-5, atol=1e-7
        )
