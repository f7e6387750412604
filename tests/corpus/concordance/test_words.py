"""Counts of words by group, and the check of tests before training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.corpus import Document, Tokenizer
from weatherglass.corpus.concordance import WordCounter
from weatherglass.errors import CannotMeasure, UsageError

TEST = wg.Test(
    id="sea",
    x={"label": "Sea", "words": ["sea", "wave"]},
    y={"label": "Land", "words": ["hill", "field"]},
    a={"label": "Calm", "words": ["calm"]},
    b={"label": "High", "words": ["high"]},
)
OPTIONS: dict[str, Any] = {
    "method": "ppmi-svd", "dim": 3, "min_count": 5, "bootstrap": 0, "min_size": 0, "workers": 1,
}  # fmt: skip


@pytest.fixture
def documents() -> list[Document]:
    """In `early` all words are frequent; in `late` there is no wave."""
    early = "the sea and the wave are calm but the hill and the field are high"
    late = "the sea is calm and the hill and the field are high"
    return [Document(early, {"era": "early"})] * 8 + [Document(late, {"era": "late"})] * 8


def test_words_are_counted_by_group_as_the_texts_have_them(documents: list[Document]) -> None:
    table = wg.corpus_words(documents, ["wave", "The", "tree"], by="era", min_count=5)
    assert table.groups == ("early", "late")
    assert table.counts == {"wave": (8, 0), "The": (32, 24), "tree": (0, 0)}
    assert table.documents == (8, 8)
    assert [table.mark("wave", group) for group in table.groups] == ["", "*"]
    rows = {(row["word"], row["group"]): row["count"] for row in table.to_rows()}
    assert rows["The", "late"] == 24


def test_tests_are_checked_in_each_group(documents: list[Document]) -> None:
    table = wg.corpus_words(documents, tests=[TEST], by="era", min_count=5)
    early, late = table.tests
    assert (early.group, early.reason) == ("early", "")
    assert late.rare["X"] == ("wave",)
    assert late.reason.startswith("1 of the 2 words of X occur fewer than 5 times ('wave' 0)")
    assert json.loads(json.dumps(table.to_dict()))["tests"][1]["group"] == "late"


def test_the_spread_is_that_of_counts_over_bootstrap_samples() -> None:
    counts = [3, 0, 7, 1, 0, 2]
    counter = WordCounter(["w"], Tokenizer())
    for count in counts:
        counter.add("", ["w"] * count + ["x"])
    rng = np.random.default_rng(0)
    drawn = rng.choice(counts, (40_000, len(counts))).sum(axis=1)
    assert counter.spread("w", "") == pytest.approx(drawn.std(), rel=0.02)


def test_a_word_that_may_be_too_rare_in_a_sample_is_marked() -> None:
    documents = ["word " * 12] + ["other"] * 20
    assert wg.corpus_words(documents, ["word"]).mark("word", "") == "~"
    spread_out = ["word"] * 200
    assert wg.corpus_words(spread_out, ["word"]).mark("word", "") == ""


def test_nothing_to_count_is_refused(documents: list[Document]) -> None:
    with pytest.raises(UsageError, match="name words or tests"):
        wg.corpus_words(documents)


def test_compare_stops_before_training_and_names_word_and_group(
    tmp_path: Path, documents: list[Document]
) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text("\n".join(json.dumps({"text": text} | meta) for text, meta in documents))
    stages = set()
    with pytest.raises(CannotMeasure, match=r"'wave' 0 in 'late'"):
        wg.compare(
            str(path), [TEST], out=tmp_path / "m", by="era",
            progress=lambda stage, done, total: stages.add(stage), **OPTIONS,
        )  # fmt: skip
    assert stages == {"reading"}
    assert not list((tmp_path / "m").rglob("*.parquet"))


def test_a_test_that_cannot_be_compared_names_the_corpus_of_each_rare_word(
    tmp_path: Path, documents: list[Document]
) -> None:
    fine = wg.Test(id="fine", x=["sea", "the"], y=["hill", "field"], a=["calm"], b=["high"])
    named = {
        era: [document.text for document in documents if document.meta["era"] == era]
        for era in ("early", "late")
    }
    comparison = wg.compare(named, [TEST, fine], out=tmp_path / "m", permutations=0, **OPTIONS)
    reasons = {effect.test: effect.reason for effect in comparison.effects}
    assert reasons["fine"] == ""
    assert "too rare are in 'late' 'wave'" in reasons["sea"]


def test_training_stops_if_no_test_could_be_run(tmp_path: Path, documents: list[Document]) -> None:
    late = [document for document in documents if document.meta["era"] == "late"]
    with pytest.raises(CannotMeasure, match=r"Nothing was trained\. sea cannot be run: 1 of the 2"):
        wg.train(late, tmp_path / "m", tests=[TEST], **OPTIONS)
    trained = wg.train(documents, tmp_path / "m", tests=[TEST], by="era", **OPTIONS)
    assert trained.models == ("early/full", "late/full")
    assert any(note.startswith("sea cannot be run in 'late'") for note in trained.notes)


def test_the_command_prints_counts_and_which_tests_can_be_run(
    run: Any, tmp_path: Path, documents: list[Document]
) -> None:
    texts, tests = tmp_path / "texts.jsonl", tmp_path / "mine.yaml"
    texts.write_text("\n".join(json.dumps({"text": text} | meta) for text, meta in documents))
    tests.write_text(
        "tests:\n  - {id: sea, x: [sea, wave], y: [hill, field], a: [calm], b: [high]}\n"
    )
    ran = run("corpus", "words", texts, "--tests", tests, "--by", "era", "--min-count", "5")
    lines = [line.split() for line in ran.out.splitlines()]
    assert ["sea", "X", "wave", "8", "0*"] in lines
    assert ["sea", "yes", "no"] in lines
    assert "sea cannot be run in 'late': 1 of the 2 words of X" in ran.out
    rows = run("corpus", "words", texts, "sea", "--format", "csv").out.splitlines()
    assert rows[0] == "test,set,word,group,count,is_rare,spread,per_million"
    stopped = run(
        *("compare", texts, "--tests", tests, "--by", "era", "--min-size", "0"),
        *("--models", tmp_path / "m", "--min-count", "5"),
    )
    assert stopped.code == 3
    assert "Nothing was trained." in stopped.err
