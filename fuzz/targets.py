"""Fuzz targets: every reader, as a function of the name of a seed and arbitrary bytes.

A target reads the bytes in place of the seed file. It passes if that works or raises one of the
project's own errors with a proper message; any other exception is a failure. The seeds in
``seeds/TARGET/`` are the inventory of all input.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from weatherglass.errors import WeatherglassError

from .containers import read_container

Read = Callable[[str, bytes, Path], None]

HERE = Path(__file__).parent
SEEDS, REGRESSIONS = HERE / "seeds", HERE / "regressions"
MAX_MESSAGE = 4000  # characters
# Control characters, and marks that change the direction of text on a screen.
# A line break is allowed only before an indented line: a command to copy.
_CONTROL = re.compile(r"(?!\n    \S)[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@functools.cache
def seeds(target: str) -> dict[str, bytes]:
    """Seeds of a target by name."""
    return {file.name: file.read_bytes() for file in sorted((SEEDS / target).iterdir())}


def warm_up(target: str) -> None:
    """Import the readers of a target and read each seed once."""
    with tempfile.TemporaryDirectory() as folder:
        for kind, content in seeds(target).items():
            check(target, kind, content, Path(folder))


def check(target: str, kind: str, content: bytes, folder: Path) -> None:
    """Read bytes in place of the seed `kind`; `folder` is emptied and used for temporary files."""
    _empty(folder)
    try:
        TARGETS[target](kind, content, folder)
    except WeatherglassError as error:
        check_message(str(error))


def check_message(message: str) -> None:
    """Check that a message is a sentence of limited length that is safe to print."""
    assert len(message.split()) > 2, f"not a sentence: {message!r}"
    assert not _CONTROL.search(message), f"control characters: {message!r}"
    assert len(message) <= MAX_MESSAGE, f"{len(message)} characters: {message[:200]!r}"
    message.encode("utf-8", "surrogatepass")


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextlib.contextmanager
def _internal(*kinds: type[Exception]) -> Iterator[None]:
    """Suppress exceptions that callers inside the package handle, so that users never see them."""
    with contextlib.suppress(*kinds):
        yield


def read_vectors(kind: str, content: bytes, folder: Path) -> None:
    """Read a file of vectors, whole and for a few words, or a file that belongs to it."""
    from weatherglass.vectors import open_vectors

    name, ending = kind.split(".", 1)
    source = folder / kind
    if name == "spacy":
        source = folder / "spacy"
        source.mkdir()
        parts = {"vectors": "vectors", "key2row": "key2row", "strings.json": "strings"}
        for file, part in parts.items():
            (source / file).write_bytes(seeds("vectors")[f"spacy.{part}"])
        file = "strings.json" if ending == "strings" else ending
        (source / file).write_bytes(content)
    elif name in ("vocabulary", "tokenizer"):
        source = folder / "v.npy"
        source.write_bytes(seeds("vectors")["vectors.npy"])
        (folder / (kind if name == "tokenizer" else f"v.{ending}")).write_bytes(content)
    else:
        source.write_bytes(content)
        if ending in ("npy", "safetensors"):
            (folder / f"{name}.words").write_bytes(seeds("vectors")["vocabulary.words"])
    for words in (None, ["rose", "", "a b", "apple"]):
        with contextlib.suppress(WeatherglassError):
            vectors = open_vectors(source, words=words, sample=words is not None)
            assert vectors.matrix.shape == (len(vectors.words[:]), vectors.dim)
            assert vectors.matrix.dtype.name in ("float32", "float64")
    open_vectors(source, words=["rose"])  # once more, so that `check` sees the message


def read_corpus(kind: str, content: bytes, folder: Path) -> None:
    """Read a corpus and tokenize it."""
    from weatherglass._files.inputs import Input
    from weatherglass.corpus import Tokenizer, open_corpus

    path = folder / kind
    path.write_bytes(content)
    for unit in (None, "paragraphs", "year"):
        with contextlib.suppress(WeatherglassError):
            corpus = open_corpus(path, documents=unit)
            for document in corpus:
                document.text.encode()
                assert all(type(value) is str for value in document.meta.values())
            for file in corpus.files:
                if file.form.header is not None:
                    file.form.header(Input(file.path), corpus.reading)
    for document in open_corpus(path):
        Tokenizer()(document.text)


def read_catalogue(kind: str, content: bytes, folder: Path) -> None:
    """Read a file that a user wrote: tests, seed sets, names, facts, policies, norms, tables."""
    from weatherglass import AssociationTable, catalog
    from weatherglass.auditing import load_policy
    from weatherglass.auditing.sources import parse_sources
    from weatherglass.catalog import load_names
    from weatherglass.catalog.debias_axes import load_axis
    from weatherglass.catalog.suites import load_suite
    from weatherglass.catalog.templates import load_templates
    from weatherglass.translation import read_translations
    from weatherglass.translation.translators import _parse_answer
    from weatherglass.vectors.formats.wordlist import read_words

    readers: dict[str, Callable[[Path], object]] = {
        "tests": catalog.load_tests,
        "factual": catalog.load_tests,
        "seeds": catalog.load_seeds,
        "suite": load_suite,
        "policy": load_policy,
        "sources": parse_sources,
        "axis": load_axis,
        "templates": load_templates,
        "names": load_names,
        "facts": catalog.load_facts,
        "words": catalog.load_annotations,
        "wordlist": read_words,
        "norms": catalog.load_norms,
        "pairs": catalog.load_pairs,
        "table": AssociationTable.read,
        "translations": read_translations,
        "answer": lambda path: _parse_answer(path.read_bytes()),
    }
    if kind == "factual.yaml":
        (folder / "facts.csv").write_bytes(seeds("catalogue")["facts.csv"])
    path = folder / kind
    path.write_bytes(content)
    readers[kind.split(".")[0]](path)


def read_results(kind: str, content: bytes, folder: Path) -> None:
    """Read a file of results, or a file of a run folder."""
    from weatherglass.corpus.model_files import is_model, open_models
    from weatherglass.discovery import Discovery
    from weatherglass.discovery.result import Comparison
    from weatherglass.measures import Results, SeatTable
    from weatherglass.seedlab.multiverse.result import Multiverse
    from weatherglass.seedlab.result import read_experiments

    path = folder / kind
    path.write_bytes(content)
    text = content.decode("utf-8", "replace")
    records = {
        "discovery": Discovery,
        "multiverse": Multiverse,
        "comparison": Comparison,
        "results": Results,
    }
    name, ending = kind.split(".")
    if kind in ("run.json", "step.json", "audit.parquet"):
        _read_audit(kind, content, folder)
    elif kind in ("train.json", "model.parquet"):
        for seed, file in (("train.json", "train.json"), ("model.parquet", "full.parquet")):
            (folder / file).write_bytes(content if seed == kind else seeds("results")[seed])
        is_model(folder / "full.parquet", "k")
        open_models(folder)
    elif name == "experiments":
        for experiment in read_experiments(text):
            assert type(experiment).from_json(experiment.to_json()) == experiment
            experiment.to_rows()
    elif kind == "seat.tsv":
        table = SeatTable.read(path)
        table.rejected()
        assert SeatTable.from_tsv(table.to_tsv()).rows == table.rows
    elif ending in ("tsv", "csv"):
        results = Results.from_delimited(text, "\t" if ending == "tsv" else ",")
        assert Results.from_json(results.to_json()) == results
    else:
        kind_of_result = records[name]
        if ending == "parquet":
            result = kind_of_result.from_parquet(path)
        else:
            result = kind_of_result.from_json(text)
        result.to_rows()
        assert kind_of_result.from_json(result.to_json()) == result


def _read_audit(kind: str, content: bytes, folder: Path) -> None:
    """Read the folder of an audit in which one file is replaced."""
    from weatherglass._web.audits.runs import find_runs
    from weatherglass.auditing.changes import find_changes
    from weatherglass.auditing.query import collect_results, rank
    from weatherglass.auditing.run_folder import open_audit
    from weatherglass.report import audit_page

    run = folder / "run"
    (run / "steps").mkdir(parents=True)
    files = {"run.json": "run.json", "step.json": "steps/000-weat.json"}
    files["audit.parquet"] = "results.parquet"
    for seed, file in files.items():
        (run / file).write_bytes(content if seed == kind else seeds("results")[seed])
    with contextlib.suppress(WeatherglassError):
        audit = open_audit(run)
        assert find_changes(audit, audit) == ()
    with contextlib.suppress(WeatherglassError):
        assert len(collect_results([run])) >= 0
    with contextlib.suppress(WeatherglassError):
        rank("weat6", run)
    with contextlib.suppress(WeatherglassError):
        for found_run in find_runs([folder]):
            assert [found_run.read(file) for file in found_run.files()]
            found_run.open()
    assert audit_page(open_audit(run)).startswith("<!doctype html>")


def read_cache(kind: str, content: bytes, folder: Path) -> None:
    """Read a file of a cache: a damaged one counts as missing."""
    import numpy as np

    from weatherglass._files import cache
    from weatherglass._web.map import neighbourhoods
    from weatherglass.encoders import sentence_cache
    from weatherglass.tasks.state import Checkpoint
    from weatherglass.vectors import store
    from weatherglass.vectors.open import _open_cached

    from .make_seeds import vectors

    name = kind.split(".")[0]
    if name.startswith("store"):
        entry = cache.vectors_dir() / "fuzz"
        shutil.rmtree(entry, ignore_errors=True)
        entry.mkdir(parents=True)
        for seed, valid in seeds("cache").items():
            if seed.startswith("store-"):
                file = entry / seed.removeprefix("store-")
                file.write_bytes(content if seed == kind else valid)
        list(cache.list_entries())
        with _internal(store.Damaged):
            store.open_store(entry, "v.txt")
        vectors = _open_cached(entry, "v.txt")
        assert vectors is None or vectors.matrix.shape == (len(vectors.words[:]), vectors.dim)
        shutil.rmtree(entry, ignore_errors=True)
    elif name == "seen":
        note = cache._index_file([folder / "v.txt"])
        (folder / "v.txt").write_text("rose 1 2\n")
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_bytes(content)
        assert isinstance(cache.find_fingerprint([folder / "v.txt"]), str | None)
        note.unlink()
    elif name == "encodings":
        kept = sentence_cache.SentenceCache("f", "e")
        shutil.rmtree(kept.folder, ignore_errors=True)
        kept.folder.mkdir(parents=True)
        (kept.folder / ("about.json" if kind.endswith("json") else "1.npz")).write_bytes(content)
        list(sentence_cache.entries())
        assert all(row.ndim == 1 for row in kept.load(["This is Amy."]).values())
        shutil.rmtree(kept.folder, ignore_errors=True)
    elif name == "layout":
        source = vectors()
        path = neighbourhoods.saved_path(source, folder)
        path.parent.mkdir()
        path.write_bytes(content)
        layout = neighbourhoods.read_saved(source, np.arange(len(source.words)), folder)
        assert layout is None or layout.coordinates.shape == (len(source.words), 2)
    else:
        tasks = Checkpoint("fuzz", "q", encode=float, decode=float)
        tasks.path.parent.mkdir(parents=True, exist_ok=True)
        tasks.path.write_bytes(content)
        again = Checkpoint("fuzz", "q", encode=float, decode=float, resume=True)
        assert all(type(again.load(task)) is float for task in again.found)
        tasks.remove()


def read_encoders(kind: str, content: bytes, folder: Path) -> None:
    """Read a file of a model other than its network."""
    from weatherglass.encoders import elmo, gensen, open_encoder
    from weatherglass.encoders.encode import encode_all
    from weatherglass.encoders.model_files import model_fingerprint
    from weatherglass.encoders.onnx_graph import graph_files

    path = folder / kind
    if kind == "modules.json":
        path.write_bytes(content)
        assert model_fingerprint(folder)
    elif kind == "model.onnx":
        path.write_bytes(content)
        assert all(file.is_relative_to(folder.resolve()) for file in graph_files(path)[1:])
    elif kind == "elmo.json":
        path.write_bytes(content)
        elmo.Settings.read(path)
    elif kind.endswith(".hdf5"):
        path.write_bytes(content)
        assert all(array.dtype.name == "float32" for array in elmo._read_weights(path).values())
    elif kind.startswith("gensen"):
        path.write_bytes(content)
        assert all(row >= 0 for row in gensen._read_vocabulary(path).values())
    else:
        for file in ("config.json", "tokenizer.json", "model.safetensors"):
            (folder / file).write_bytes(content if file == kind else seeds("encoders")[file])
        rows = encode_all(open_encoder(f"static:{folder}"), ["rose", "wasp."], cache=False)
        assert rows.shape[0] == 2


def read_input(kind: str, content: bytes, folder: Path) -> None:
    """Read text that a user types, or the answer of an embedding endpoint."""
    from weatherglass._web.settings import Settings
    from weatherglass._web.upload.store import safe_name
    from weatherglass._web.word_sets import format_words, read_set
    from weatherglass.auditing.query import query
    from weatherglass.corpus import Tokenizer
    from weatherglass.encoders import open_encoder
    from weatherglass.vectors import open_vectors, parse_spec

    text = content.decode("utf-8", "surrogateescape")
    if kind == "endpoint.json":
        _read_answer(content)
    elif kind == "query.sql":
        (folder / "results.parquet").write_bytes(seeds("results")["audit.parquet"])
        json.dumps(query(text, folder), default=str)
    elif kind == "source.spec":
        with contextlib.suppress(WeatherglassError):
            assert parse_spec(text).text == text
        (folder / "v.txt").write_bytes(seeds("vectors")["vectors.txt"])
        with contextlib.chdir(folder):
            open_vectors(text, words=["rose"])
    elif kind == "encoder.spec":
        assert open_encoder(text).name
    elif kind == "set.typed":
        typed = read_set(text, Settings())
        if not any('"' in word for word in typed.words):  # quotation marks cannot be quoted
            assert read_set(format_words(typed.words), Settings()).words == typed.words
    elif kind == "name.upload":
        name = safe_name(text)
        assert name
        assert Path(name).name == name
        assert not name.startswith(".")
        assert len(name.encode("utf-8", "surrogatepass")) < 250
    else:
        for words in ("letters", "spaces"):
            for apostrophes in ("possessive", "keep", "split"):
                tokenizer = Tokenizer(words=words, apostrophes=apostrophes, hyphens=True)
                assert all(word and not word.isspace() for word in tokenizer(text))


def _read_answer(content: bytes) -> None:
    """Read the answer of an embedding endpoint."""
    from weatherglass.encoders.encode import encode_all
    from weatherglass.encoders.http import EndpointEncoder

    encoder = EndpointEncoder("http://127.0.0.1:1", wait=lambda seconds: None)
    encoder._fetch = lambda request, seconds: content  # type: ignore[method-assign]
    rows = encode_all(encoder, ["This is Amy.", "This is Joan."], cache=False)
    assert rows.shape[0] == 2


def read_crowd(kind: str, content: bytes, folder: Path) -> None:
    """Read a crowd study with its texts, or answers to it."""
    from weatherglass.crowd import CrowdStudy, import_crowd_answers, study_texts

    (folder / "study.json").write_bytes(seeds("crowd")["study.json"])
    (folder / kind).write_bytes(content)
    study = CrowdStudy.load(folder)
    assert CrowdStudy.from_json(study.to_json()) == study
    if kind.endswith(".txt"):
        assert set(study_texts(folder)) == {"consent.txt", "content-warning.txt"}
        return
    answers = folder / kind
    if kind == "study.json":
        answers = folder / "answers.jsonl"
        answers.write_bytes(seeds("crowd")["answers.jsonl"])
    result = import_crowd_answers(answers, study, bootstraps=5)
    assert type(result).from_json(result.to_json()) == result


TARGETS: dict[str, Read] = {
    "vectors": read_vectors,
    "corpus": read_corpus,
    "catalogue": read_catalogue,
    "results": read_results,
    "cache": read_cache,
    "encoders": read_encoders,
    "input": read_input,
    "containers": read_container,
    "crowd": read_crowd,
}
