"""The `repr` of a corpus, its parts and its models is a single short line."""

from pathlib import Path

import pytest

import weatherglass as wg
from weatherglass.corpus import Corpus, Document, open_corpus, summarise
from weatherglass.corpus.formats import text
from weatherglass.corpus.lanczos import SparseRows
from weatherglass.corpus.ppmi import count_pairs, open_pairs, ppmi_matrix
from weatherglass.corpus.run_folder import Run, Settings
from weatherglass.corpus.train import Trained


def test_the_repr_of_a_document_shows_its_start_its_length_and_its_columns():
    document = Document("The sea was calm, and\nthe sky was clear. " * 1000, {"year": "1840"})
    assert repr(document) == (
        "<Document 'The sea was calm, and\\nthe sky was clear.…': 41,000 characters; 'year'>"
    )
    assert repr(Document("The sea.", {})) == "<Document 'The sea.': 8 characters>"


def test_the_repr_of_a_document_stays_short_with_long_and_many_columns():
    document = Document("\n" * 5000, {f"{k}" + "\n" * 5000: "value" * 1000 for k in range(1000)})
    assert len(repr(document)) < 500
    assert "\n" not in repr(document)


def test_the_repr_of_a_corpus_shows_its_source_and_its_size(tmp_path):
    assert repr(Corpus.of(["one text"] * 3000)) == "<Corpus memory: 3,000 documents in memory>"
    assert repr(Corpus.of(["one text"], source="notes")) == "<Corpus notes: 1 document in memory>"
    for k in range(200):
        (tmp_path / f"{k}.txt").write_text("one text")
    assert repr(open_corpus(tmp_path)) == f"<Corpus {tmp_path}: 200 files>"
    assert repr(open_corpus(tmp_path / "0.txt")) == f"<Corpus {tmp_path / '0.txt'}: 1 file>"
    assert repr(text.PLAIN_TEXT) == "<CorpusFormat text>"


def test_the_repr_of_a_summary_shows_its_counts():
    documents = [Document("the sea the sky", {"id": str(k)}) for k in range(3000)]
    summary = summarise(Corpus.of(documents), top=1000)
    assert repr(summary) == "<Summary memory: 3,000 documents, 12,000 tokens, 3 types>"
    assert repr(summary.columns["id"]) == "<Column: 3,000 documents, 3,000 distinct values>"


def test_the_repr_of_a_training_run_and_its_models_shows_their_number_and_size(tmp_path, weather):
    folder = tmp_path / "models"
    trained = wg.train(weather, folder, method="ppmi-svd", dim=6, bootstrap=2, workers=1)
    assert repr(trained) == f"<Trained {folder}: 3 models of 1 group>"
    assert [repr(model) for model in trained.open()] == [
        "<Model full: 19 words × 6>",
        "<Model boot-000: 19 words × 6>",
        "<Model boot-001: 19 words × 6>",
    ]


def test_the_repr_of_a_training_run_stays_short_with_many_groups():
    groups = {f"group {k}": {"documents": 1, "tokens": 10, "words": 3} for k in range(5000)}
    labels = tuple(f"group_{k}/full" for k in range(5000))
    trained = Trained(Path("models"), labels, groups, ("a note",) * 5000)
    assert repr(trained) == "<Trained models: 5,000 models of 5,000 groups>"


def test_the_repr_of_a_run_folder_shows_how_many_models_are_done(tmp_path):
    run = Run(tmp_path / "models", Settings(method="ppmi-svd"), 2, "corpus", "fingerprint")
    run.record["models"] = {"full": "done", "boot-000": "waiting", "boot-001": "waiting"}
    assert repr(run) == f"<Run {tmp_path / 'models'}: 1 of 3 models done>"


@pytest.fixture
def pairs(token_ids, tmp_path):
    corpus = token_ids(["a b c a"] * 500)
    assert repr(corpus) == "<TokenIds: 500 documents, 2,000 tokens, 3 words>"
    count_pairs(corpus, 1, tmp_path)
    return open_pairs(tmp_path)


def test_the_repr_of_co_occurrences_and_of_their_matrix_shows_their_sizes(pairs):
    import numpy as np

    assert repr(pairs) == "<Pairs: 3 pairs, 1,500 co-occurrences>"
    matrix, _ = ppmi_matrix(pairs, pairs.counts(), np.ones(3, dtype=bool), 1.0, 1.0)
    assert isinstance(matrix, SparseRows)
    assert repr(matrix) == "<SparseRows: 3 × 3, 6 cells>"
