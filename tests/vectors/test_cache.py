"""Parsed files are cached, and damaged cache entries are never used."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from weatherglass._files import cache, fingerprint
from weatherglass.errors import BadContent
from weatherglass.vectors import Vectors, open_vectors, store
from weatherglass.vectors.formats import detect, text, word2vec


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("".join(f"w{i} {i} {i + 1}\n" for i in range(1, 500)))
    return path


@pytest.fixture
def parsed(monkeypatch):
    """Return a list that grows whenever a text file is parsed."""
    calls = []

    def read(*arguments):
        calls.append(1)
        return text.read(*arguments)

    from dataclasses import replace

    forms = tuple(replace(f, read=read) if f is text.GLOVE else f for f in detect.FORMATS)
    monkeypatch.setattr(detect, "FORMATS", forms)
    return calls


def check(vectors):
    assert list(vectors.words) == [f"w{i}" for i in range(1, 500)]
    assert vectors.matrix.tolist() == [[i, i + 1] for i in range(1, 500)]


def entry():
    (folder,) = cache.vectors_dir().iterdir()
    return folder


def test_the_second_opening_comes_from_the_cache(path, cache_folder, parsed):
    check(open_vectors(path))
    again = open_vectors(path)
    check(again)
    assert len(parsed) == 1
    assert list(open_vectors(path, words=["w7"]).words) == ["w7"]
    assert len(parsed) == 1


def test_a_copy_of_a_parsed_file_is_opened_from_the_cache(path, cache_folder, parsed, tmp_path):
    first = open_vectors(path)
    (tmp_path / "copy.txt").write_bytes(path.read_bytes())
    copy = open_vectors(tmp_path / "copy.txt")
    assert copy.fingerprint == first.fingerprint
    assert copy.source == str(tmp_path / "copy.txt")
    assert len(parsed) == 1


def test_a_recently_written_file_is_hashed_again_but_not_parsed(
    path, cache_folder, parsed, monkeypatch
):
    monkeypatch.setattr(cache, "_RACY_NS", 10**12)
    check(open_vectors(path))
    check(open_vectors(path))
    assert len(parsed) == 1
    assert not (cache_folder / "seen").exists()


def test_opening_selected_words_does_not_fill_the_cache(path, cache_folder, parsed):
    open_vectors(path, words=["w7"])
    open_vectors(path, words=["w8"])
    assert len(parsed) == 2
    assert not cache.vectors_dir().exists()


def test_a_changed_file_of_the_same_size_is_parsed_again(path, cache_folder, parsed):
    check(open_vectors(path))
    before = path.stat()
    content = path.read_text()
    path.write_text(content.replace("w7 7 8", "w7 7 9"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 10**6))
    assert path.stat().st_size == before.st_size
    assert open_vectors(path).take(["w7"]).rows.tolist() == [[7, 9]]
    assert open_vectors(path, words=["w7"]).matrix.tolist() == [[7, 9]]


def test_a_file_that_changes_while_it_is_read_is_not_cached(path, cache_folder):
    def change(done, size):
        if not done:
            return
        with path.open("a") as file:
            file.write("more 1 2\n")

    with pytest.raises(BadContent, match="changed while it was being read"):
        open_vectors(path, progress=change)
    assert not list(cache.vectors_dir().iterdir())


@pytest.mark.parametrize(
    "damage",
    [
        lambda e: (e / "matrix").write_bytes((e / "matrix").read_bytes()[:-4]),
        lambda e: (e / "matrix").write_bytes((e / "matrix").read_bytes() + bytes(8)),
        lambda e: (e / "matrix").write_bytes(bytes((e / "matrix").stat().st_size)),
        lambda e: (e / "matrix").unlink(),
        lambda e: (e / "words").write_bytes((e / "words").read_bytes()[::-1]),
        lambda e: (e / "ends").write_bytes((e / "ends").read_bytes()[:-3]),
        lambda e: (e / "ends").write_bytes(b""),
        lambda e: (e / "hashes").unlink(),
        lambda e: (e / "order").write_bytes((e / "order").read_bytes()[4:]),
        lambda e: (e / "meta.json").unlink(),
        lambda e: (e / "meta.json").write_text("garbage"),
        lambda e: (e / "meta.json").write_text("[]"),
        lambda e: (e / "meta.json").write_text("{}"),
        lambda e: (e / "meta.json").write_bytes(b"\xff\xfe"),
        lambda e: (e / "meta.json").write_text("[" * 100_000),
        lambda e: (e / "meta.json").write_text(
            (e / "meta.json").read_text().replace('"version": ', '"version": 9')
        ),
        lambda e: (e / "meta.json").write_text(
            (e / "meta.json").read_text().replace('"dim": 2', '"dim": 1').replace("499", "998")
        ),
    ],
)
def test_a_damaged_cache_entry_is_rebuilt(damage, path, cache_folder, parsed):
    check(open_vectors(path))
    damage(entry())
    check(open_vectors(path))
    assert len(parsed) == 2
    check(open_vectors(path))
    assert len(parsed) == 2


def test_a_changed_byte_in_a_large_cached_matrix_is_detected(tmp_path, cache_folder):
    path = tmp_path / "large.npz"
    ones = np.ones((20_000, 50), dtype=np.float32)
    np.savez(path, vectors=ones, words=[f"w{i}" for i in range(len(ones))])
    open_vectors(path)
    with open(entry() / "matrix", "r+b") as file:
        file.seek(6_000)
        file.write(b"x" * 40)
    assert np.array_equal(open_vectors(path).matrix, ones)


def test_a_copied_cache_entry_is_used(path, cache_folder, parsed):
    check(open_vectors(path))
    folder = entry()
    shutil.copytree(folder, cache_folder / "copy")
    shutil.rmtree(folder)
    (cache_folder / "copy").rename(folder)
    check(open_vectors(path))
    assert len(parsed) == 1


def test_a_damaged_cache_entry_that_cannot_be_removed_is_ignored(path, cache_folder, monkeypatch):
    check(open_vectors(path))
    (entry() / "matrix").write_bytes(b"")
    monkeypatch.setattr("weatherglass.vectors.open.shutil.rmtree", lambda *a, **k: None)
    check(open_vectors(path))
    check(open_vectors(path, words=[f"w{i}" for i in range(1, 500)]))


@pytest.mark.parametrize(
    "content", ["garbage", "[]", "{}", '{"files": 3, "fingerprint": ""}', "null"]
)
def test_a_damaged_fingerprint_record_is_rewritten(content, path, cache_folder):
    check(open_vectors(path))
    (record,) = (cache_folder / "seen").iterdir()
    record.write_text(content)
    check(open_vectors(path))
    assert json.loads(record.read_text())["fingerprint"] == open_vectors(path).fingerprint


def test_incomplete_cache_folders_are_ignored(path, cache_folder):
    check(open_vectors(path))
    leftover = cache.vectors_dir() / f".{entry().name}.killed"
    leftover.mkdir()
    (leftover / "matrix").write_bytes(b"half")
    (leftover / "meta.json").write_text((entry_of(path) / "meta.json").read_text())
    check(open_vectors(path))
    assert len(list(cache.list_entries())) == 1


def entry_of(path):
    return next(e.folder for e in cache.list_entries() if e.source == str(path))


@pytest.mark.parametrize("obstacle", ["file", "file inside"])
def test_vectors_open_without_a_writable_cache(obstacle, path, tmp_path, monkeypatch):
    blocked = tmp_path / "blocked"
    blocked.write_text("not a folder")
    monkeypatch.setenv(
        "WEATHERGLASS_CACHE_DIR", str(blocked if obstacle == "file" else blocked / "x")
    )
    monkeypatch.setattr(cache, "_RACY_NS", 0)
    check(open_vectors(path))
    check(open_vectors(path))
    assert list(open_vectors(path, words=["w7"]).words) == ["w7"]
    assert cache.clear() == 0
    assert list(cache.list_entries()) == []


def test_a_read_only_cache_folder_is_not_used(path, cache_folder, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *a, **k: False)
    check(open_vectors(path))
    assert not list(cache.vectors_dir().iterdir())


def test_cache_entries_are_listed_and_cleared(path, cache_folder):
    assert list(cache.list_entries()) == []
    assert cache.clear() == 0
    vectors = open_vectors(path)
    (cached,) = cache.list_entries()
    assert (cached.source, cached.rows, cached.dim) == (str(path), 499, 2)
    assert cached.size > 499 * 2 * 4
    assert cache.clear() >= cached.size
    assert list(cache.list_entries()) == []
    check(vectors)  # open vectors stay readable
    check(open_vectors(path))


def test_the_environment_variable_chooses_the_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path))
    assert cache.cache_dir() == tmp_path
    monkeypatch.delenv("WEATHERGLASS_CACHE_DIR")
    assert cache.cache_dir().name == "weatherglass"


def test_the_cache_folder_is_created_with_its_parents(path, tmp_path, monkeypatch):
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "deep" / "er"))
    check(open_vectors(path))
    assert len(list(cache.list_entries())) == 1


FILL = """
import sys
from weatherglass.vectors import open_vectors
vectors = open_vectors(sys.argv[1])
print(len(vectors), float(vectors.matrix.sum()), vectors.words[-1])
"""


def test_three_processes_may_fill_the_cache_at_the_same_time(path, cache_folder):
    command = [sys.executable, "-W", "error", "-c", FILL, str(path)]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)
    ]
    for process in running:
        out, stderr = process.communicate(timeout=120)
        assert stderr == b""
        assert out.split() == [
            b"499",
            str(float(sum(2 * i + 1 for i in range(1, 500)))).encode(),
            b"w499",
        ]
    assert len(list(cache.list_entries())) == 1
    assert not list(cache.vectors_dir().glob(".*"))


def test_duplicate_words_are_dropped_from_a_large_matrix(tmp_path, cache_folder, save, monkeypatch):
    rng = np.random.default_rng(0)
    names = rng.integers(0, 30_000, 40_000)
    rows = rng.standard_normal((40_000, 3)).astype(np.float32)
    with open(tmp_path / "v.npy", "wb") as file:
        np.save(file, rows)
    (tmp_path / "v.vocab").write_text("".join(f"w{n}\n" for n in names))
    vectors = open_vectors(tmp_path / "v.npy")
    expected = Vectors.of([f"w{n}" for n in names], rows)
    assert list(vectors.words) == list(expected.words)
    np.testing.assert_array_equal(vectors.matrix, expected.matrix)
    assert vectors.duplicates == expected.duplicates > 0


@pytest.mark.parametrize("ending", [".txt", ".bin", ".txt.gz", ".bin.gz", ".npy"])
def test_parsing_needs_less_memory_than_the_matrix(
    ending, tmp_path, cache_folder, save, monkeypatch
):
    monkeypatch.setattr(fingerprint, "BLOCK_SIZE", 1 << 18)
    monkeypatch.setattr(word2vec, "_READ_BYTES", 1 << 18)
    vectors = Vectors.of([f"w{i}" for i in range(2000)], np.full((2000, 1000), 0.375))
    path = save(vectors, tmp_path / f"vectors{ending}")
    open_vectors(path)  # loads the compiled code, which takes memory as well
    cache.clear()
    tracemalloc.start()
    try:
        assert len(open_vectors(path, workers=2)) == 2000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < vectors.matrix.nbytes


def test_an_empty_folder_is_a_damaged_store(tmp_path):
    with pytest.raises(store.Damaged):
        store.open_store(tmp_path, "x")


def test_a_word_list_under_another_suffix_is_read_anew(tmp_path):
    np.save(tmp_path / "v.npy", np.eye(2, dtype=np.float32))
    (tmp_path / "v.txt").write_text('["a",\n"b"]')
    assert list(open_vectors(tmp_path / "v.npy").words) == ['["a",', '"b"]']
    (tmp_path / "v.txt").rename(tmp_path / "v.json")
    assert list(open_vectors(tmp_path / "v.npy").words) == ["a", "b"]


def test_the_same_bytes_as_another_kind_of_word_list_are_another_source(tmp_path):
    np.save(tmp_path / "a.npy", np.eye(2, dtype=np.float32))
    for name in ("w.txt", "w.json", "w.words"):
        (tmp_path / name).write_text('["a",\n"b"]')
    text, listed, lines = (
        open_vectors(f"{tmp_path / 'a.npy'}?vocab={name}")
        for name in ("w.txt", "w.json", "w.words")
    )
    assert (list(listed.words), list(text.words)) == (["a", "b"], ['["a",', '"b"]'])
    assert text.fingerprint == lines.fingerprint != listed.fingerprint
