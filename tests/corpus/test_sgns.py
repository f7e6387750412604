"""Skip-gram by gensim: reproducible, and plausible on real novels."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import weatherglass as wg

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def gensim():
    return pytest.importorskip("gensim", reason="needs the extra 'train'")


def files(folder):
    """Return the content of each model file."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.parquet"))}


OPTIONS = {"method": "sgns", "dim": 20, "min_count": 3, "bootstrap": 2, "epochs": 3}


def test_the_same_seed_gives_the_same_skip_gram_vectors_in_any_process(gensim, tmp_path, weather):
    wg.train(weather, tmp_path / "one", workers=1, **OPTIONS)
    wg.train(weather, tmp_path / "two", workers=2, **OPTIONS)
    assert files(tmp_path / "one") == files(tmp_path / "two")
    (tmp_path / "texts.json").write_text(json.dumps(weather))
    code = (
        "import json, sys, weatherglass as wg\n"
        "texts = json.load(open(sys.argv[1]))\n"
        f"wg.train(texts, sys.argv[2], workers=1, **{OPTIONS})"
    )
    for seed in ("1", "2"):  # Python hashes strings differently in each process
        command = [sys.executable, "-W", "ignore", "-c", code]
        command += [str(tmp_path / "texts.json"), str(tmp_path / seed)]
        env = os.environ | {"PYTHONHASHSEED": seed, "HOME": str(tmp_path)}
        subprocess.run(command, check=True, env=env)
        assert files(tmp_path / seed) == files(tmp_path / "one")
    wg.train(weather, tmp_path / "other", workers=1, seed=1, **OPTIONS)
    assert files(tmp_path / "other")["full.parquet"] != files(tmp_path / "one")["full.parquet"]


def test_skip_gram_vectors_of_words_that_share_contexts_are_similar(gensim, tmp_path, weather):
    trained = wg.train(weather, tmp_path / "m", workers=1, **OPTIONS | {"epochs": 30})
    for label, vectors in trained.open():
        sun, warm, rain = vectors.unit(["sun", "warm", "rain"])
        assert sun @ warm > sun @ rain + 0.2, label


def test_skip_gram_vectors_correlate_with_those_of_gensim_alone(gensim, tmp_path, weather):
    """Gensim given the texts themselves, with the same settings, gives similar cosines."""
    from gensim.models import Word2Vec

    trained = wg.train(weather, tmp_path / "m", workers=1, **OPTIONS | {"epochs": 30})
    ours = trained.open()[0].vectors
    theirs = Word2Vec(
        [text.split() for text in weather],
        vector_size=20,
        window=5,
        min_count=3,
        sg=1,
        epochs=30,
        seed=1,
        workers=1,
    ).wv
    assert set(ours.words[:]) == set(theirs.index_to_key)
    words = ours.words[:]
    our_units = ours.unit(words)
    their_units = np.array([theirs.get_vector(word, norm=True) for word in words])
    upper = np.triu_indices(len(words), 1)
    correlation = np.corrcoef(
        (our_units @ our_units.T)[upper], (their_units @ their_units.T)[upper]
    )[0, 1]
    assert correlation > 0.95


def test_skip_gram_trains_on_all_words_of_long_documents(gensim, tmp_path):
    texts = ["word other " * 8000 + "end " * 50, "end word " * 10]
    trained = wg.train(texts, tmp_path / "m", workers=1, **OPTIONS | {"bootstrap": 0})
    full = trained.open()[0].vectors
    near = dict(full.neighbours("end", 2))
    assert np.isfinite(list(near.values())).all()
    assert full.counts.tolist() == [8010, 8000, 60]


@pytest.fixture(scope="module")
def novels(tmp_path_factory):
    """Return every fifth paragraph of 99 English novels."""
    path = SHARED / "corpora" / "eltec-eng.jsonl.gz"
    if not path.exists():
        pytest.skip("needs ../shared/data/corpora/eltec-eng.jsonl.gz, 99 English novels")
    documents = itertools.islice(wg.open_corpus(path), 0, None, 5)
    return wg.open_corpus(list(documents))


@pytest.mark.parametrize("method", ["sgns", "ppmi-svd"])
def test_father_is_a_neighbour_of_mother_in_vectors_of_novels(gensim, tmp_path, novels, method):
    trained = wg.train(
        novels, tmp_path / "m", method=method, bootstrap=1, epochs=2, by="author_gender"
    )
    assert trained.models == ("F/full", "F/boot-000", "M/full", "M/boot-000")
    for label, vectors in trained.open():
        near = [word for word, _ in vectors.neighbours("mother", 10)]
        assert "father" in near, (label, near)
        assert {"sister", "husband", "daughter", "brother", "child"} & set(near), (label, near)
