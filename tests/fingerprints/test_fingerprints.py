"""The fingerprint of a source covers every byte that can change a number.

Each file of each kind of source is changed in place; its size and the time of its last change stay
the same. A kind that is registered without a row in the tables fails here.
"""

from __future__ import annotations

from typing import Any

import pytest

from weatherglass.corpus import open_corpus
from weatherglass.corpus.open import FORMATS as CORPUS_FORMATS
from weatherglass.encoders import encode_all, open_encoder
from weatherglass.encoders.encoder import schemes
from weatherglass.vectors import open_vectors
from weatherglass.vectors.formats.detect import FORMATS, PICKLE
from weatherglass.vectors.source import registered_sources

from .changing import check_every_file, parameters
from .files import CORPORA, VECTORS, WORDS
from .models import ENCODERS, SENTENCES

# Kinds without a row in the tables, and why.
EXCUSED = {
    PICKLE.name: "is refused, whatever it contains",
    "http": "has no files: the answers of an endpoint are kept by its address and model",
    "https": "has no files",
}


def read_vectors(name: str, numbers: bool) -> tuple[str, Any]:
    """Read a source whole, and only some of its words, which are two ways through the code."""
    part = open_vectors(name, words=WORDS, sample=True)
    found = {word: part.take([word]).rows.tolist() for word in WORDS}
    vectors = open_vectors(name)
    assert vectors.fingerprint == part.fingerprint
    counts = None if vectors.counts is None else vectors.counts.tolist()
    return vectors.fingerprint, (vectors.words[:], vectors.matrix.tolist(), counts, found)


def read_corpus(name: str, numbers: bool) -> tuple[str, Any]:
    corpus = open_corpus(name)
    return corpus.fingerprint(), [(document.text, document.meta) for document in corpus]


def read_encoder(name: str, numbers: bool) -> tuple[str, Any]:
    encoder = open_encoder(name)
    fingerprint = encoder.fingerprint
    if not numbers:
        return fingerprint, None
    rows = encode_all(encoder, SENTENCES)
    assert encoder.fingerprint == fingerprint
    return fingerprint, rows.tolist()


@pytest.mark.parametrize("source", parameters(VECTORS))
def test_a_changed_file_of_vectors_gives_a_new_fingerprint_and_new_numbers(
    source, tmp_path, monkeypatch
):
    check_every_file(source, read_vectors, tmp_path, monkeypatch)


@pytest.mark.parametrize("source", parameters(CORPORA))
def test_a_changed_file_of_a_corpus_gives_a_new_fingerprint_and_new_texts(
    source, tmp_path, monkeypatch
):
    check_every_file(source, read_corpus, tmp_path, monkeypatch)


@pytest.mark.filterwarnings("ignore:::torch", "ignore:::transformers", "ignore:::tokenizers")
@pytest.mark.filterwarnings("ignore:::sentence_transformers")
@pytest.mark.parametrize("source", parameters(ENCODERS))
def test_a_changed_file_of_a_model_gives_a_new_fingerprint_and_new_encodings(
    source, tmp_path, monkeypatch
):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    check_every_file(source, read_encoder, tmp_path, monkeypatch)


def test_every_kind_of_source_is_in_the_tables():
    known = {source.kind for source in (*VECTORS, *CORPORA, *ENCODERS)} | EXCUSED.keys()
    assert {form.name for form in FORMATS} <= known
    assert {form.name for form in CORPUS_FORMATS} <= known
    assert set(schemes()) <= known
    # Registered names lead to files: `default` to a folder with a NumPy table.
    assert set(registered_sources()) == {"default"}


def test_every_row_of_the_tables_is_of_a_kind_that_exists():
    kinds = {form.name for form in (*FORMATS, *CORPUS_FORMATS)} | set(schemes())
    assert {source.kind for source in (*VECTORS, *CORPORA, *ENCODERS)} <= kinds
    assert EXCUSED.keys() <= kinds
