"""Training: the files of a run, that they are reproducible, and that runs resume."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pyarrow.parquet as pq
import pytest

import weatherglass as wg
from weatherglass._files import seal
from weatherglass.corpus import Document, Tokenizer
from weatherglass.corpus.worker import draw_documents, model_rng
from weatherglass.errors import (
    BadContent,
    CannotMeasure,
    CannotWrite,
    MissingExtra,
    SourceNotFound,
    UsageError,
    install_command,
)

OPTIONS = {"method": "ppmi-svd", "dim": 6, "min_count": 3, "bootstrap": 3, "workers": 1}


def read_files(folder):
    """Return the content of every file below a folder, except the lock."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def cosine(vectors, first, second):
    """Return the cosine similarity of two words."""
    a, b = vectors.unit([first, second])
    return float(a @ b)


def test_training_writes_the_full_model_and_the_bootstraps_to_the_folder(tmp_path, weather):
    trained = wg.train(weather, tmp_path / "m", **OPTIONS)
    assert trained.models == ("full", "boot-000", "boot-001", "boot-002")
    assert set(read_files(tmp_path / "m")) == {
        "train.json",
        *(f"{label}.parquet" for label in trained.models),
    }
    for label, vectors in wg.open_models(tmp_path / "m"):
        assert vectors.dim == 6
        assert cosine(vectors, "sun", "warm") > cosine(vectors, "sun", "rain") + 0.3, label


def test_a_model_file_holds_the_word_counts_with_the_most_frequent_word_first(tmp_path, weather):
    wg.train(weather, tmp_path / "m", **OPTIONS)
    words = " ".join(weather).split()
    table = pq.read_table(tmp_path / "m" / "full.parquet")
    counts = dict(zip(table["word"].to_pylist(), table["count"].to_pylist(), strict=True))
    assert counts == {word: words.count(word) for word in set(words)}
    assert list(counts.values()) == sorted(counts.values(), reverse=True)
    full = wg.open_models(tmp_path / "m")[0].vectors
    assert dict(zip(full.words[:], full.counts.tolist(), strict=True)) == counts
    drawn = draw_documents(len(weather), model_rng(0, "", 1))
    sample = " ".join(weather[d] for d in drawn).split()
    table = pq.read_table(tmp_path / "m" / "boot-001.parquet")
    counts = dict(zip(table["word"].to_pylist(), table["count"].to_pylist(), strict=True))
    assert counts == {word: sample.count(word) for word in set(sample)}


def test_a_bootstrap_model_equals_training_on_the_repeated_documents(tmp_path, weather):
    wg.train(weather, tmp_path / "m", **OPTIONS)
    boot = wg.open_models(tmp_path / "m")[2].vectors
    repeated = [weather[d] for d in draw_documents(len(weather), model_rng(0, "", 1))]
    wg.train(repeated, tmp_path / "r", **OPTIONS | {"bootstrap": 0})
    ((label, again),) = wg.open_models(tmp_path / "r")
    assert label == "full"
    words = boot.words[:]
    assert sorted(again.words[:]) == sorted(words)
    first, second = boot.take(words).rows, again.take(words).rows
    assert first @ first.T == pytest.approx(second @ second.T, abs=1e-3)


def test_a_bootstrap_model_has_only_words_that_are_frequent_enough_in_its_sample(tmp_path):
    texts = ["common words here"] * 30 + ["rare rare rare common"]
    wg.train(texts, tmp_path / "m", **OPTIONS | {"bootstrap": 6})
    full, *boots = wg.open_models(tmp_path / "m")
    assert "rare" in full.vectors
    drawn = [30 in draw_documents(31, model_rng(0, "", b)) for b in range(6)]
    assert ["rare" in boot.vectors for boot in boots] == drawn
    assert 0 < sum(drawn) < 6


def test_words_too_rare_in_a_sample_are_absent_also_from_large_vocabularies(tmp_path):
    """Above 1,000 words, components are found by iteration, which leaves rounding errors."""
    rng = np.random.default_rng(0)
    words = [f"{a}{b}" for a in ("ba", "be", "bi", "bo", "bu", "by") for b in _syllables()]
    texts = [" ".join(rng.choice(words[:1100], 150)) + f" {words[-1 - k]}" * 5 for k in range(60)]
    wg.train(texts, tmp_path / "m", **OPTIONS | {"min_count": 5, "bootstrap": 3, "dim": 20})
    full, *boots = wg.open_models(tmp_path / "m")
    assert len(full.vectors) > 1000
    for b, boot in enumerate(boots):
        counts = Counter(
            " ".join(texts[d] for d in draw_documents(60, model_rng(0, "", b))).split()
        )
        expected = {word for word in full.vectors.words[:] if counts[word] >= 5}
        assert set(boot.vectors.words[:]) == expected
        assert len(boot.vectors) < len(full.vectors)


def _syllables() -> list[str]:
    return [f"{c}{v}{d}" for c in "dfgklmnprst" for v in "aeiou" for d in "lmnr"]


def test_every_entry_to_training_has_the_same_default_method(tmp_path, weather):
    import inspect

    from weatherglass._cli.compare import compare as compare_command
    from weatherglass._cli.train import train as train_command

    defaults = {
        option.default
        for command in (compare_command, train_command)
        for option in command.params
        if option.name == "method"
    }
    assert defaults == {"ppmi-svd"} == {inspect.signature(wg.train).parameters["method"].default}
    assert wg.train(weather, tmp_path / "m", dim=3, bootstrap=0, min_count=1).models == ("full",)
    record = json.loads((tmp_path / "m/train.json").read_text())
    assert record["options"]["method"] == "ppmi-svd"


def test_another_method_than_that_of_the_folder_is_refused_in_one_sentence(tmp_path, weather):
    pytest.importorskip("gensim", reason="needs the extra 'train'")
    options = {"dim": 3, "bootstrap": 0, "min_count": 1}
    wg.train(weather, tmp_path / "m", **options)
    with pytest.raises(UsageError) as error:
        wg.train(weather, tmp_path / "m", method="sgns", **options)
    assert str(error.value) == (
        f"{tmp_path / 'm'} holds models that were trained with method 'ppmi-svd', not 'sgns': give "
        "the same method to use them, or another folder to train others."
    )


@pytest.mark.slow
def test_the_same_seed_gives_the_same_files_with_any_number_of_workers(tmp_path, weather):
    wg.train(weather, tmp_path / "one", **OPTIONS)
    wg.train(weather, tmp_path / "two", **OPTIONS | {"workers": 2})
    assert read_files(tmp_path / "one") == read_files(tmp_path / "two")
    wg.train(weather, tmp_path / "other", **OPTIONS | {"seed": 1})
    first, other = read_files(tmp_path / "one"), read_files(tmp_path / "other")
    assert first["boot-000.parquet"] != other["boot-000.parquet"]


@pytest.mark.slow
def test_training_on_a_cluster_gives_the_same_files(tmp_path, weather):
    pytest.importorskip("distributed", reason="needs Dask: weatherglass[cluster]")
    wg.train(weather, tmp_path / "one", **OPTIONS)
    wg.train(weather, tmp_path / "two", cluster="local", **OPTIONS | {"workers": 2})
    assert read_files(tmp_path / "one") == read_files(tmp_path / "two")


def test_a_cluster_worker_without_access_to_the_folder_is_reported(tmp_path):
    from weatherglass.corpus.worker import count_group_pairs

    with pytest.raises(SourceNotFound, match="a folder that all its machines share"):
        count_group_pairs((tmp_path / "elsewhere", 5))


def test_training_again_changes_nothing_and_bootstraps_can_be_added(tmp_path, weather):
    folder = tmp_path / "m"
    wg.train(weather, folder, **OPTIONS)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    wg.train(weather, folder, **OPTIONS)
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    stages = set()
    trained = wg.train(
        weather, folder, progress=lambda stage, *_: stages.add(stage), **OPTIONS | {"bootstrap": 5}
    )
    assert stages == {"training"}  # texts in memory are not read from a file
    assert trained.models[-1] == "boot-004"
    unchanged = {path for path, time_ns in before.items() if path.stat().st_mtime_ns == time_ns}
    assert {path.name for path in unchanged} >= {"full.parquet", "boot-002.parquet"}
    with pytest.raises(UsageError, match="you can add bootstraps, not remove them"):
        wg.train(weather, folder, **OPTIONS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dim": 7}, "trained with dim 6, not 7"),
        ({"seed": 1}, "trained with seed 0, not 1"),
        ({"by": "year"}, "trained with by none, not 'year'"),
        ({"method": "sgns"}, "trained with method 'ppmi-svd', not 'sgns'"),
        ({"tokenizer": Tokenizer(lower=False)}, "trained with tokenizer"),
    ],
)
def test_training_with_other_options_in_the_same_folder_is_refused(
    tmp_path, weather, change, message
):
    pytest.importorskip("gensim", reason="needs the extra 'train'")
    wg.train(weather, tmp_path / "m", **OPTIONS)
    before = read_files(tmp_path / "m")
    with pytest.raises(UsageError, match=message):
        wg.train(weather, tmp_path / "m", **OPTIONS | change)
    with pytest.raises(UsageError, match="another corpus"):
        wg.train(weather[1:], tmp_path / "m", **OPTIONS)
    assert read_files(tmp_path / "m") == before


def test_training_into_a_folder_with_other_files_is_refused(tmp_path, weather):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="not empty"):
        wg.train(weather, tmp_path, **OPTIONS)
    with pytest.raises(UsageError, match="is a file"):
        wg.train(weather, tmp_path / "thesis.txt", **OPTIONS)


def test_each_value_of_a_column_gets_its_own_models(tmp_path, weather):
    texts = [
        Document(text, {"kind": ("../a b", "b")[k % 2]} if k % 10 else {})
        for k, text in enumerate(weather)
    ]
    texts.append(Document("too little text", {"kind": "c"}))
    texts.append(Document("un common words only " * 30, {"kind": "d"}))
    trained = wg.train(texts, tmp_path / "m", by="kind", min_size=100, **OPTIONS | {"bootstrap": 1})
    assert trained.models == ("a_b/full", "a_b/boot-000", "b/full", "b/boot-000", "d/full")
    assert trained.groups["c"]["reason"] == "3 tokens, fewer than 100"
    assert trained.groups["d"]["documents"] == 1
    assert any("40 documents have no value for kind" in note for note in trained.notes)
    assert any("kind 'c' was left out" in note for note in trained.notes)
    assert any("kind 'd' has one document" in note for note in trained.notes)
    models = wg.open_models(tmp_path / "m", group="../a b", words=["sun", "warm"])
    assert [(model.label, model.group, model.is_full) for model in models] == [
        ("a_b/full", "a_b", True),
        ("a_b/boot-000", "a_b", False),
    ]
    assert sorted(models[0].vectors.words[:]) == ["sun", "warm"]
    alone = wg.train([t for t in texts if t.meta.get("kind") == "b"], tmp_path / "b", **OPTIONS)
    full = alone.open()[0].vectors
    assert np.array_equal(trained.open(group="b")[0].vectors.take(full.words[:]).rows, full.matrix)
    with pytest.raises(UsageError, match="no group 'z'"):
        wg.open_models(tmp_path / "m", group="z")


def test_training_by_a_column_that_no_document_has_is_refused(tmp_path, weather):
    texts = [Document(text, {"year": "1840"}) for text in weather]
    with pytest.raises(UsageError, match=r"no value for|has a value for 'yaer'.*'year'"):
        wg.train(texts, tmp_path / "m", by="yaer", **OPTIONS)


def test_a_single_document_gives_a_model_and_a_note_why_there_are_no_bootstraps(tmp_path, weather):
    trained = wg.train([" ".join(weather)], tmp_path / "m", **OPTIONS)
    assert trained.models == ("full",)
    assert "one document" in trained.notes[0]
    wg.train([" ".join(weather)], tmp_path / "m", **OPTIONS)


def test_a_corpus_without_frequent_words_is_refused_and_leaves_no_files(tmp_path, weather):
    with pytest.raises(CannotMeasure, match="none of which occurs 1000 times"):
        wg.train(weather[:10], tmp_path / "m", **OPTIONS | {"min_count": 1000})
    with pytest.raises(BadContent, match="empty corpus"):
        wg.train([], tmp_path / "n", **OPTIONS)
    texts = [Document("a b", {"k": "1"}), Document("c d", {"k": "2"})]
    with pytest.raises(CannotMeasure, match="No value of k has enough text"):
        wg.train(texts, tmp_path / "o", by="k", **OPTIONS)
    assert not list(tmp_path.rglob("*.parquet"))
    assert not list(tmp_path.rglob(".work"))
    wg.train(weather[:10], tmp_path / "m", **OPTIONS)  # a lower threshold works in the same folder


@pytest.mark.parametrize(
    "options",
    [
        *({"dim": 0}, {"window": 0}, {"min_count": 0}, {"method": "glove"}, {"bootstrap": -1}),
        *({"shift": 0.5}, {"power": -1}, {"smoothing": float("nan")}, {"workers": 0}),
    ],
)
def test_training_options_out_of_range_are_refused_by_name(tmp_path, weather, options):
    with pytest.raises(UsageError, match=next(iter(options))):
        wg.train(weather, tmp_path / "m", **OPTIONS | options)


def test_skip_gram_without_gensim_is_refused_with_the_install_command(
    tmp_path, weather, monkeypatch
):
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=re.escape(install_command("train"))):
        wg.train(weather, tmp_path / "m", method="sgns")


def test_opening_the_models_of_a_folder_without_any_is_refused(tmp_path):
    with pytest.raises(SourceNotFound, match=r"no train\.json"):
        wg.open_models(tmp_path)
    (tmp_path / "train.json").write_text(seal({"models": {}, "groups": {}}))
    with pytest.raises(BadContent, match="no finished model"):
        wg.open_models(tmp_path)
    for content in ("{", "[]", '{"models": 1, "groups": {}}'):
        (tmp_path / "train.json").write_text(content)
        with pytest.raises(BadContent):
            wg.open_models(tmp_path)


def test_a_damaged_model_file_is_trained_again(tmp_path, weather):
    folder = tmp_path / "m"
    wg.train(weather, folder, **OPTIONS)
    before = read_files(folder)
    model = folder / "boot-001.parquet"
    model.write_bytes(before[model.name][:-20])
    other = (folder / "boot-000.parquet").read_bytes()
    (folder / "boot-002.parquet").write_bytes(other)  # a valid model, but of another sample
    wg.train(weather, folder, **OPTIONS)
    assert read_files(folder) == before


def test_two_training_runs_in_one_folder_are_refused(tmp_path, weather):
    fcntl = pytest.importorskip("fcntl", reason="needs locks")
    (tmp_path / "m").mkdir()
    with open(tmp_path / "m" / ".lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(CannotWrite, match="Another `weatherglass train` is running in"):
            wg.train(weather, tmp_path / "m", **OPTIONS)


def test_an_interrupted_training_run_keeps_finished_models_and_resumes(tmp_path, weather):
    wg.train(weather, tmp_path / "whole", **OPTIONS)

    def stop(stage, done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wg.train(weather, tmp_path / "m", progress=stop, **OPTIONS)
    files = read_files(tmp_path / "m")
    assert set(files) == {"train.json", "full.parquet", "boot-000.parquet"}
    assert [label for label, _ in wg.open_models(tmp_path / "m")] == ["full", "boot-000"]
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "m").glob("*.parquet")}
    wg.train(weather, tmp_path / "m", **OPTIONS)
    assert read_files(tmp_path / "m") == read_files(tmp_path / "whole")
    assert {path: path.stat().st_mtime_ns for path in times} == times


def start(corpus, folder, workers):
    """Start training in a separate process, as a user would."""
    command = [sys.executable, "-m", "weatherglass", "train", corpus, "-o", folder]
    command += ["--method", "ppmi-svd", "--dim", "30", "--min-count", "3", "--bootstrap", "60"]
    command += ["--workers", workers]
    return subprocess.Popen(
        list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


@pytest.fixture(scope="module")
def corpus_file(tmp_path_factory):
    """Write two thousand texts, so that there is time to stop the training."""
    rng = np.random.default_rng(1)
    words = [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(400)]
    texts = [" ".join(rng.choice(words[: 50 + k // 6], size=40)) for k in range(2000)]
    path = tmp_path_factory.mktemp("corpus") / "texts.jsonl"
    path.write_text("\n".join(json.dumps({"text": text}) for text in texts))
    return path


@pytest.fixture(scope="module")
def uninterrupted(corpus_file, tmp_path_factory):
    """Return the files of a run that is not interrupted."""
    folder = tmp_path_factory.mktemp("uninterrupted") / "m"
    options = {"method": "ppmi-svd", "dim": 30, "min_count": 3, "bootstrap": 60}
    wg.train(corpus_file, folder, workers=1, **options)
    return read_files(folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workers", "stop"),
    [
        (1, signal.SIGKILL),
        (2, signal.SIGKILL),
        (2, signal.SIGINT),
    ],
)
def test_a_killed_training_run_resumes_to_the_same_files(
    tmp_path, corpus_file, uninterrupted, workers, stop
):
    folder = tmp_path / "m"
    for _ in range(5):  # on a busy machine a run may end before the signal
        process = start(corpus_file, folder, workers)
        while process.poll() is None and len(list(folder.glob("boot-*.parquet"))) < 3:
            time.sleep(0.01)
        process.send_signal(stop)
        _, stderr = process.communicate(timeout=60)
        finished = list(folder.glob("*.parquet"))
        if len(finished) < 61:
            break
        shutil.rmtree(folder)
    assert 3 <= len(finished) < 61, "the run was not interrupted in the middle"
    if stop == signal.SIGINT:
        assert process.returncode == 130
        assert "Traceback" not in stderr
        assert not (folder / ".work").exists()
    for model in wg.open_models(folder):
        assert model.vectors.dim == 30
    while processes_using(folder):  # workers end when their parent is gone
        time.sleep(0.1)
    before = {path: path.stat().st_mtime_ns for path in finished}
    options = {"method": "ppmi-svd", "dim": 30, "min_count": 3, "bootstrap": 60}
    wg.train(corpus_file, folder, workers=1, **options)
    assert read_files(folder) == uninterrupted
    assert {path: path.stat().st_mtime_ns for path in finished} == before


def processes_using(folder):
    """Return the other processes that have mapped files of a folder, on systems with ``/proc``."""
    processes = []
    for process in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if process.isdigit() and int(process) != os.getpid():
            try:
                with open(f"/proc/{process}/maps") as file:
                    if str(folder) in file.read():
                        processes.append(process)
            except OSError:
                continue
    return processes
