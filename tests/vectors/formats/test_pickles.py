"""Pickles are never opened."""

from __future__ import annotations

import gzip
import pickle
import zipfile

import pytest

from weatherglass.errors import PickleRefused
from weatherglass.vectors import open_vectors


class Trap:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_is_refused_and_its_code_does_not_run(protocol, tmp_path):
    (tmp_path / "v.kv").write_bytes(pickle.dumps({"a": Trap(tmp_path / "ran")}, protocol))
    for words in (None, ["a"]):
        with pytest.raises(PickleRefused, match="can run any code"):
            open_vectors(tmp_path / "v.kv", words=words)
    assert not (tmp_path / "ran").exists()


def test_a_compressed_pickle_is_refused(tmp_path):
    (tmp_path / "v.pkl.gz").write_bytes(gzip.compress(pickle.dumps([1])))
    with pytest.raises(PickleRefused):
        open_vectors(tmp_path / "v.pkl.gz")


def test_a_pytorch_file_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "v.pt", "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({}))
        archive.writestr("archive/data/0", b"\0" * 16)
    with pytest.raises(PickleRefused, match=r"PyTorch file.*safetensors"):
        open_vectors(tmp_path / "v.pt")


@pytest.mark.parametrize(
    ("name", "content", "lines"),
    [
        (
            "v.kv",
            b"\x80\x04\x95\x8c\x1agensim.models.keyedvectors\x94\x8c\x0cKeyedVectors\x94",
            [
                "from gensim.models import KeyedVectors",
                "KeyedVectors.load('v.kv').save_word2vec_format",
            ],
        ),
        (
            "v.kv",
            b"\x80\x04\x95\x8c\x16gensim.models.fasttext\x94\x8c\x14FastTextKeyedVectors\x94",
            [
                "from gensim.models import KeyedVectors",
                "KeyedVectors.load('v.kv').save_word2vec_format",
            ],
        ),
        (
            "w.model",
            b"\x80\x04\x95\x8c\x16gensim.models.word2vec\x94\x8c\x08Word2Vec\x94 KeyedVectors",
            [
                "from gensim.models import Word2Vec",
                "Word2Vec.load('w.model').wv.save_word2vec_format",
            ],
        ),
        (
            "f.model",
            b"\x80\x04\x95\x8cgensim.models.fasttext\x94\x8c\x08FastText\x94 FastTextKeyedVectors",
            [
                "from gensim.models import FastText",
                "FastText.load('f.model').wv.save_word2vec_format",
            ],
        ),
    ],
)
def test_the_error_shows_the_gensim_lines_that_convert_a_pickle(name, content, lines, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PickleRefused) as raised:
        open_vectors(tmp_path / name)
    for line in lines:
        assert line in str(raised.value)
    assert "'" + name.split(".")[0] + ".bin', binary=True)" in str(raised.value)


@pytest.mark.slow
def test_the_gensim_lines_that_the_error_shows_convert_the_pickle(tmp_path, monkeypatch):
    pytest.importorskip("gensim", reason="runs the lines that are shown to users of gensim")
    from gensim.models import FastText, KeyedVectors, Word2Vec

    text = [["the", "weather", "glass"], ["the", "glass", "falls"]] * 5
    model = Word2Vec(text, vector_size=4, min_count=1, workers=1)
    model.save(str(tmp_path / "word.model"))
    model.wv.save(str(tmp_path / "word.kv"))
    FastText(text, vector_size=4, min_count=1, workers=1, bucket=10).save(
        str(tmp_path / "fast.model")
    )
    monkeypatch.chdir(tmp_path)
    assert KeyedVectors
    for name in ("word.model", "word.kv", "fast.model"):
        with pytest.raises(PickleRefused) as raised:
            open_vectors(tmp_path / name)
        exec("\n".join(line.strip() for line in str(raised.value).splitlines()[-2:]))
        converted = open_vectors((tmp_path / name).with_suffix(".bin"))
        assert sorted(converted.words) == ["falls", "glass", "the", "weather"]
