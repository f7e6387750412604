"""The words of all models of a comparison are counted before a model is trained."""

from importlib import import_module

import numpy as np
import pyarrow.parquet as pq
import pytest

import weatherglass as wg
from weatherglass.corpus.concordance import lowest_counts
from weatherglass.errors import CannotMeasure

SETS = {"x": ["sea", "wave"], "y": ["hill", "field"], "a": ["calm", "rare"], "b": ["high"]}
OPTIONS = {"dim": 3, "bootstrap": 4, "permutations": 6, "min_count": 3, "workers": 1}


def texts(rng):
    """24 documents of eight words; a few have the word "rare", which is often too rare."""
    common = ["sea", "wave", "hill", "field", "calm", "high", "the", "of"]
    return [
        " ".join([*rng.choice(common, 8), *(["rare"] if k % 6 == 0 else [])]) for k in range(24)
    ]


@pytest.fixture
def corpora():
    rng = np.random.default_rng(0)
    return {"one": texts(rng), "two": texts(rng)}


def test_counts_before_training_are_those_of_the_trained_models(corpora, tmp_path, monkeypatch):
    planned = {}

    def spy(*arguments):
        planned.update(lowest_counts(*arguments))
        return planned

    # By its full name, as the folder's attribute `train` is the function.
    monkeypatch.setattr(import_module("weatherglass.corpus.train"), "lowest_counts", spy)
    mine = wg.Test(**SETS)
    wg.compare(corpora, [mine], out=tmp_path / "m", max_missing=0.5, **OPTIONS)
    tables = [pq.read_table(path) for path in sorted((tmp_path / "m").rglob("*.parquet"))]
    assert len(tables) == 2 * 5 + 2 * 6
    counts = [
        dict(zip(table["word"].to_pylist(), table["count"].to_pylist(), strict=True))
        for table in tables
    ]
    for word, lowest in planned.items():
        assert all(word in model for model in counts) == (lowest.times >= 3), word
        if lowest.times >= 3:
            assert min(model[word] for model in counts) == lowest.times
    assert planned["rare"].times < 3
    assert planned["rare"].place.startswith(("in a sample of", "after documents of"))


def test_nothing_is_trained_if_a_word_is_too_rare_in_a_single_permuted_part(corpora, tmp_path):
    mine = wg.Test(**SETS)
    message = r"'rare' \d (in a sample of|after documents of) '.*in one space"
    with pytest.raises(CannotMeasure, match=message):
        wg.compare(corpora, [mine], out=tmp_path / "m", **OPTIONS)
    assert not list((tmp_path / "m").rglob("*.parquet"))
