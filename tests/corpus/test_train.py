"""Training: what lands in the folder, that it is the same again, and that nothing is lost."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow.parquet as pq
import pytest

import weatherglass as wg
from weatherglass.corpus import Document, Tokenizer
from weatherglass.corpus.worker import draw, stream
from weatherglass.errors import (
    BadContent,
    CannotMeasure,
    CannotWrite,
    MissingExtra,
    SourceNotFound,
    UsageError,
    install_command,
)

FAST = {"method": "ppmi-svd", "dim": 6, "min_count": 3, "bootstrap": 3, "workers": 1}


def contents(folder):
    """Every file below a folder but the lock, by name."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def cosine(vectors, first, second):
    a, b = vectors.unit([first, second])
    return float(a @ b)


def test_the_full_model_and_the_bootstraps_land_in_the_folder(tmp_path, weather):
    trained = wg.train(weather, tmp_path / "m", **FAST)
    assert trained.models == ("full", "boot-000", "boot-001", "boot-002")
    assert set(contents(tmp_path / "m")) == {
        "train.json",
        *(f"{label}.parquet" for label in trained.models),
    }
    for label, vectors in wg.open_models(tmp_path / "m"):
        assert vectors.dim == 6
        assert cosine(vectors, "sun", "warm") > cosine(vectors, "sun", "rain") + 0.3, label


def test_a_model_holds_counts_the_most_frequent_first(tmp_path, weather):
    wg.train(weather, tmp_path / "m", **FAST)
    words = " ".join(weather).split()
    table = pq.read_table(tmp_path / "m" / "full.parquet")
    counts = dict(zip(table["word"].to_pylist(), table["count"].to_pylist(), strict=True))
    assert counts == {word: words.count(word) for word in set(words)}
    assert list(counts.values()) == sorted(counts.values(), reverse=True)
    full = wg.open_models(tmp_path / "m")[0].vectors
    assert dict(zip(full.words[:], full.counts.tolist(), strict=True)) == counts
    drawn = draw(len(weather), stream(0, "", 1))
    sample = " ".join(weather[d] for d in drawn).split()
    table = pq.read_table(tmp_path / "m" / "boot-001.parquet")
    counts = dict(zip(table["word"].to_pylist(), table["count"].to_pylist(), strict=True))
    assert counts == {word: sample.count(word) for word in set(sample)}


def test_a_bootstrap_is_what_training_on_the_repeated_documents_gives(tmp_path, weather):
    wg.train(weather, tmp_path / "m", **FAST)
    boot = wg.open_models(tmp_path / "m")[2].vectors
    repeated = [weather[d] for d in draw(len(weather), stream(0, "", 1))]
    wg.train(repeated, tmp_path / "r", **FAST | {"bootstrap": 0})
    ((label, again),) = wg.open_models(tmp_path / "r")
    assert label == "full"
    words = boot.words[:]
    assert sorted(again.words[:]) == sorted(words)
    first, second = boot.take(words).rows, again.take(words).rows
    assert first @ first.T == pytest.approx(second @ second.T, abs=1e-3)


def test_a_word_must_be_frequent_enough_in_each_sample(tmp_path):
    texts = ["common words here"] * 30 + ["rare rare rare common"]
    wg.train(texts, tmp_path / "m", **FAST | {"bootstrap": 6})
    full, *boots = wg.open_models(tmp_path / "m")
    assert "rare" in full.vectors
    drawn = [30 in draw(31, stream(0, "", b)) for b in range(6)]
    assert ["rare" in boot.vectors for boot in boots] == drawn
    assert 0 < sum(drawn) < 6


@pytest.mark.slow
def test_the_same_seed_gives_the_same_files_whatever_the_number_of_workers(tmp_path, weather):
    wg.train(weather, tmp_path / "one", **FAST)
    wg.train(weather, tmp_path / "two", **FAST | {"workers": 2})
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    wg.train(weather, tmp_path / "other", **FAST | {"seed": 1})
    one, other = contents(tmp_path / "one"), contents(tmp_path / "other")
    assert one["boot-000.parquet"] != other["boot-000.parquet"]


@pytest.mark.slow
def test_a_cluster_gives_the_same_files(tmp_path, weather):
    pytest.importorskip("distributed", reason="needs Dask: weatherglass[cluster]")
    wg.train(weather, tmp_path / "one", **FAST)
    wg.train(weather, tmp_path / "two", cluster="local", **FAST | {"workers": 2})
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_worker_that_does_not_see_the_folder_says_so(tmp_path):
    from weatherglass.corpus.worker import count

    with pytest.raises(SourceNotFound, match="a folder that all its machines share"):
        count((tmp_path / "elsewhere", 5))


def test_training_again_does_nothing_and_more_bootstraps_can_be_added(tmp_path, weather):
    folder = tmp_path / "m"
    wg.train(weather, folder, **FAST)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    wg.train(weather, folder, **FAST)
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    stages = set()
    trained = wg.train(
        weather, folder, progress=lambda stage, *_: stages.add(stage), **FAST | {"bootstrap": 5}
    )
    assert stages == {"training"}  # texts that are there already are not read from a file
    assert trained.models[-1] == "boot-004"
    kept = {path for path, at in before.items() if path.stat().st_mtime_ns == at}
    assert {path.name for path in kept} >= {"full.parquet", "boot-002.parquet"}
    with pytest.raises(UsageError, match="there can be more later, not fewer"):
        wg.train(weather, folder, **FAST)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"dim": 7}, "trained with dim 6, not 7"),
        ({"seed": 1}, "trained with seed 0, not 1"),
        ({"by": "year"}, "trained with by none, not 'year'"),
        ({"method": "sgns"}, "trained with method 'ppmi-svd', not 'sgns'"),
        ({"tokenizer": Tokenizer(lower=False)}, "trained with tokenizer"),
    ],
)
def test_other_options_are_refused_and_nothing_is_lost(tmp_path, weather, change, says):
    pytest.importorskip("gensim", reason="needs the extra 'train'")
    wg.train(weather, tmp_path / "m", **FAST)
    before = contents(tmp_path / "m")
    with pytest.raises(UsageError, match=says):
        wg.train(weather, tmp_path / "m", **FAST | change)
    with pytest.raises(UsageError, match="another corpus"):
        wg.train(weather[1:], tmp_path / "m", **FAST)
    assert contents(tmp_path / "m") == before


def test_a_folder_with_other_things_in_it_is_refused(tmp_path, weather):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="not empty"):
        wg.train(weather, tmp_path, **FAST)
    with pytest.raises(UsageError, match="is a file"):
        wg.train(weather, tmp_path / "thesis.txt", **FAST)


def test_each_value_of_a_column_gets_models_of_its_own(tmp_path, weather):
    texts = [
        Document(text, {"kind": ("../a b", "b")[k % 2]} if k % 10 else {})
        for k, text in enumerate(weather)
    ]
    texts.append(Document("too little text", {"kind": "c"}))
    texts.append(Document("un common words only " * 30, {"kind": "d"}))
    trained = wg.train(texts, tmp_path / "m", by="kind", min_size=100, **FAST | {"bootstrap": 1})
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
    alone = wg.train([t for t in texts if t.meta.get("kind") == "b"], tmp_path / "b", **FAST)
    full = alone.open()[0].vectors
    assert np.array_equal(trained.open(group="b")[0].vectors.take(full.words[:]).rows, full.matrix)
    with pytest.raises(UsageError, match="no group 'z'"):
        wg.open_models(tmp_path / "m", group="z")


def test_a_column_that_no_document_has_is_a_mistake(tmp_path, weather):
    texts = [Document(text, {"year": "1840"}) for text in weather]
    with pytest.raises(UsageError, match=r"no value for|has a value for 'yaer'.*'year'"):
        wg.train(texts, tmp_path / "m", by="yaer", **FAST)


def test_one_document_gives_a_model_and_says_why_there_are_no_bootstraps(tmp_path, weather):
    trained = wg.train([" ".join(weather)], tmp_path / "m", **FAST)
    assert trained.models == ("full",)
    assert "one document" in trained.notes[0]
    wg.train([" ".join(weather)], tmp_path / "m", **FAST)


def test_a_corpus_that_cannot_be_trained_on_says_so(tmp_path, weather):
    with pytest.raises(CannotMeasure, match="none of which occurs 1000 times"):
        wg.train(weather[:10], tmp_path / "m", **FAST | {"min_count": 1000})
    with pytest.raises(BadContent, match="empty corpus"):
        wg.train([], tmp_path / "n", **FAST)
    texts = [Document("a b", {"k": "1"}), Document("c d", {"k": "2"})]
    with pytest.raises(CannotMeasure, match="No value of k has enough text"):
        wg.train(texts, tmp_path / "o", by="k", **FAST)
    assert not list(tmp_path.rglob("*.parquet"))
    assert not list(tmp_path.rglob(".work"))
    wg.train(weather[:10], tmp_path / "m", **FAST)  # with a better threshold, in the same folder


@pytest.mark.parametrize(
    "options",
    [
        *({"dim": 0}, {"window": 0}, {"min_count": 0}, {"method": "glove"}, {"bootstrap": -1}),
        *({"shift": 0.5}, {"power": -1}, {"smoothing": float("nan")}, {"workers": 0}),
    ],
)
def test_options_out_of_range_are_refused(tmp_path, weather, options):
    with pytest.raises(UsageError, match=next(iter(options))):
        wg.train(weather, tmp_path / "m", **FAST | options)


def test_without_gensim_sgns_names_the_package_to_install(tmp_path, weather, monkeypatch):
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=re.escape(install_command("train"))):
        wg.train(weather, tmp_path / "m", method="sgns")


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(SourceNotFound, match=r"no train\.json"):
        wg.open_models(tmp_path)
    (tmp_path / "train.json").write_text('{"models": {}, "groups": {}}')
    with pytest.raises(BadContent, match="no finished model"):
        wg.open_models(tmp_path)
    for content in ("{", "[]", '{"models": 1, "groups": {}}'):
        (tmp_path / "train.json").write_text(content)
        with pytest.raises(BadContent):
            wg.open_models(tmp_path)


def test_a_damaged_model_is_trained_again(tmp_path, weather):
    folder = tmp_path / "m"
    wg.train(weather, folder, **FAST)
    before = contents(folder)
    model = folder / "boot-001.parquet"
    model.write_bytes(before[model.name][:-20])
    other = (folder / "boot-000.parquet").read_bytes()
    (folder / "boot-002.parquet").write_bytes(other)  # a model, but not this one
    wg.train(weather, folder, **FAST)
    assert contents(folder) == before


def test_two_runs_cannot_work_in_one_folder(tmp_path, weather):
    fcntl = pytest.importorskip("fcntl", reason="needs locks")
    (tmp_path / "m").mkdir()
    with open(tmp_path / "m" / ".lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(CannotWrite, match="at work"):
            wg.train(weather, tmp_path / "m", **FAST)


def test_a_run_that_fails_in_the_middle_keeps_what_is_done_and_goes_on(tmp_path, weather):
    wg.train(weather, tmp_path / "whole", **FAST)

    def stop(stage, done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wg.train(weather, tmp_path / "m", progress=stop, **FAST)
    done = contents(tmp_path / "m")
    assert set(done) == {"train.json", "full.parquet", "boot-000.parquet"}
    assert [label for label, _ in wg.open_models(tmp_path / "m")] == ["full", "boot-000"]
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "m").glob("*.parquet")}
    wg.train(weather, tmp_path / "m", **FAST)
    assert contents(tmp_path / "m") == contents(tmp_path / "whole")
    assert {path: path.stat().st_mtime_ns for path in times} == times


def start(corpus, folder, workers):
    """Train in a process of its own, as a user would, until it is stopped."""
    line = [sys.executable, "-m", "weatherglass", "train", corpus, "-o", folder]
    line += ["--method", "ppmi-svd", "--dim", "30", "--min-count", "3", "--bootstrap", "60"]
    line += ["--workers", workers]
    return subprocess.Popen(
        list(map(str, line)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


@pytest.fixture(scope="module")
def corpus_file(tmp_path_factory):
    """Some thousand texts, so that there is time to stop in the middle."""
    rng = np.random.default_rng(1)
    words = [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(400)]
    texts = [" ".join(rng.choice(words[: 50 + k // 6], size=40)) for k in range(2000)]
    path = tmp_path_factory.mktemp("corpus") / "texts.jsonl"
    path.write_text("\n".join(json.dumps({"text": text}) for text in texts))
    return path


@pytest.fixture(scope="module")
def undisturbed(corpus_file, tmp_path_factory):
    """What a run that nobody stops leaves behind."""
    folder = tmp_path_factory.mktemp("undisturbed") / "m"
    options = {"method": "ppmi-svd", "dim": 30, "min_count": 3, "bootstrap": 60}
    wg.train(corpus_file, folder, workers=1, **options)
    return contents(folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workers", "stop"),
    [
        (1, signal.SIGKILL),
        (2, signal.SIGKILL),
        (2, signal.SIGINT),
    ],
)
def test_a_run_that_was_stopped_goes_on_to_the_same_files(
    tmp_path, corpus_file, undisturbed, workers, stop
):
    folder = tmp_path / "m"
    for _ in range(5):  # on a busy machine a run may end before it is stopped
        process = start(corpus_file, folder, workers)
        while process.poll() is None and len(list(folder.glob("boot-*.parquet"))) < 3:
            time.sleep(0.01)
        process.send_signal(stop)
        _, said = process.communicate(timeout=60)
        done = list(folder.glob("*.parquet"))
        if len(done) < 61:
            break
        shutil.rmtree(folder)
    assert 3 <= len(done) < 61, "it was to be stopped in the middle"
    if stop == signal.SIGINT:
        assert process.returncode == 130
        assert "Traceback" not in said
        assert not (folder / ".work").exists()
    for model in wg.open_models(folder):
        assert model.vectors.dim == 30
    while _others(folder):  # workers that lost their master end, too
        time.sleep(0.1)
    before = {path: path.stat().st_mtime_ns for path in done}
    options = {"method": "ppmi-svd", "dim": 30, "min_count": 3, "bootstrap": 60}
    wg.train(corpus_file, folder, workers=1, **options)
    assert contents(folder) == undisturbed
    assert {path: path.stat().st_mtime_ns for path in done} == before


def _others(folder):
    """Processes that have files in a folder open or mapped, where the system tells."""
    found = []
    for maps in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if maps.isdigit() and int(maps) != os.getpid():
            try:
                with open(f"/proc/{maps}/maps") as file:
                    if str(folder) in file.read():
                        found.append(maps)
            except OSError:
                continue
    return found
