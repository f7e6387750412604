"""The limit on memory: what it is, and that it is known before anything is read."""

from __future__ import annotations

import math
import os
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from weatherglass._cli.main import cli
from weatherglass._files import address_space_left, max_memory, memory, parse_size
from weatherglass.errors import TooLarge, UsageError
from weatherglass.vectors import open_vectors


@pytest.mark.parametrize(
    ("text", "size"),
    [("800", 800), ("1k", 1024), ("500M", 500 << 20), ("4G", 4 << 30), (" 1.5 GiB ", 3 << 29)],
)
def test_a_size_is_a_number_with_a_unit(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "0", "-1", "x", "4Q", "1e9", "9" * 30, "٤G", "nan"])
def test_anything_else_is_not_a_size(text):
    with pytest.raises(UsageError, match="such as 500M or 4G"):
        parse_size(text)


def test_half_of_the_available_memory_is_the_limit_unless_the_user_sets_one(monkeypatch):
    monkeypatch.delenv("WEATHERGLASS_MAX_MEMORY", raising=False)
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    assert max_memory() == 500
    monkeypatch.setenv("WEATHERGLASS_MAX_MEMORY", "2k")
    assert max_memory() == 2048


def test_the_limit_of_a_container_counts(monkeypatch, tmp_path):
    (tmp_path / "max").write_text("5000\n")
    (tmp_path / "current").write_text("2000\n")
    files = ((str(tmp_path / "max"), str(tmp_path / "current")), ("/no/such/file", "/no/such/file"))
    monkeypatch.setattr(memory, "_CGROUP_FILES", files)
    assert memory.available_memory() == 3000
    (tmp_path / "max").write_text("max\n")
    assert memory.available_memory() > 3000


@pytest.fixture
def archive(tmp_path):
    """An archive whose matrix takes 400 kB of memory, and the same as text."""
    rows = np.random.default_rng(1).standard_normal((1000, 100)).astype(np.float32)
    words = [f"w{i}" for i in range(1000)]
    np.savez(tmp_path / "v.npz", vectors=rows, words=np.array(words))
    with open(tmp_path / "v.txt", "w") as file:
        for word, row in zip(words, rows.tolist(), strict=True):
            file.write(f"{word} {' '.join(map(repr, row))}\n")
    return tmp_path / "v.npz"


def test_a_file_that_needs_more_than_the_limit_is_refused_with_both_numbers(archive, monkeypatch):
    monkeypatch.setenv("WEATHERGLASS_MAX_MEMORY", "100k")
    message = r"needs about .* KiB of memory, more than the 100\.0 KiB .*WEATHERGLASS_MAX_MEMORY="
    with pytest.raises(TooLarge, match=message):
        open_vectors(archive)
    # The numbers of a text file are never in memory as a whole, only its words.
    monkeypatch.setenv("WEATHERGLASS_MAX_MEMORY", "10k")
    with pytest.raises(TooLarge, match="more than the 10"):
        open_vectors(archive.with_suffix(".txt"))
    monkeypatch.setenv("WEATHERGLASS_MAX_MEMORY", "100k")
    assert len(open_vectors(archive.with_suffix(".txt"))) == 1000
    monkeypatch.setenv("WEATHERGLASS_MAX_MEMORY", "1M")
    assert len(open_vectors(archive)) == 1000


def test_the_command_line_sets_the_limit_for_one_command(archive, monkeypatch):
    monkeypatch.setenv("WEATHERGLASS_MAX_MEMORY", "1G")
    command = ["vectors", "info", str(archive)]
    refused = CliRunner().invoke(cli, ["--max-memory", "100k", *command])
    assert isinstance(refused.exception, TooLarge)
    assert os.environ["WEATHERGLASS_MAX_MEMORY"] == "1G"
    assert CliRunner().invoke(cli, ["--max-memory", "1M", *command]).exit_code == 0
    wrong = CliRunner().invoke(cli, ["--max-memory", "much", *command])
    assert isinstance(wrong.exception, UsageError)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "cache"))


@pytest.mark.skipif(sys.platform != "linux", reason="the use is read from /proc")
def test_the_limit_of_the_address_space_counts(monkeypatch):
    import resource

    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY, 0))
    assert address_space_left() == math.inf
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (1 << 50, 1 << 50))
    assert 0 < address_space_left() < 1 << 50
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (4096, 4096))
    assert address_space_left() == 0
