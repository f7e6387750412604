"""A flipped byte in a kept file is harmless or noticed: no number comes from damaged bytes."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.auditing.run_folder import load_step, save_step
from weatherglass.encoders import encode_all
from weatherglass.errors import WeatherglassError
from weatherglass.tasks import Checkpoint

FLIPS = 200
TEXTS = "the king ruled the land and the queen ruled the sea\nthe king and the queen sang\n" * 30


@dataclass
class Kept:
    """Files that a command keeps, and how their numbers are read.

    `read` returns the numbers, or raises `WeatherglassError`. `build` writes the files.
    """

    build: Callable[[], Any]
    read: Callable[[], Any]
    files: Callable[[], list[Path]]


def files_below(*folders: Path) -> list[Path]:
    """Return all files in some folders that are not locks."""
    paths = [path for folder in folders for path in sorted(folder.rglob("*"))]
    return [path for path in paths if path.is_file() and path.stat().st_size]


def parsed_copy(folder: Path) -> Kept:
    path = folder / "vectors.txt"
    rows = np.random.default_rng(0).normal(size=(300, 6)).round(3)
    path.write_text("".join(f"w{i} {' '.join(map(str, row))}\n" for i, row in enumerate(rows)))
    past = time.time_ns() - 10**10  # a file changed just now is not remembered
    os.utime(path, ns=(past, past))

    def read() -> Any:
        vectors = wg.open_vectors(path)
        found = vectors.take(["w7", "w299"]).rows.tolist()
        return list(vectors.words), vectors.matrix.tobytes(), vectors.fingerprint, found

    return Kept(read, read, lambda: files_below(folder / "cache"))


class Encoder:
    name = fingerprint = "an encoder"

    def encode(self, sentences: list[str]) -> Any:
        digests = [hashlib.blake2b(s.encode(), digest_size=16).digest() for s in sentences]
        return np.array([list(digest) for digest in digests], dtype=np.float32)


def encoded_sentences(folder: Path) -> Kept:
    sentences = [f"This is sentence {i}." for i in range(200)]

    def read() -> Any:
        rows = encode_all(Encoder(), sentences)
        return np.asarray(rows).tobytes()

    return Kept(read, read, lambda: files_below(folder / "cache" / "encodings"))


def step_of_an_audit(folder: Path) -> Kept:
    vectors = wg.open_vectors("default")
    results = wg.Results.of([wg.weat(vectors, "weat6"), wg.weat(vectors, "weat7")])
    path = folder / "000-weat.json"

    def read() -> Any:
        return (load_step(path, "key") or results).to_json()

    return Kept(lambda: save_step(path, results, "key"), read, lambda: [path])


def progress_of_a_search(folder: Path) -> Kept:
    counts = {task: [task * 7, task + 1.5] for task in range(40)}

    def open_checkpoint() -> Checkpoint[Any]:
        return Checkpoint("damage", ["key"], encode=list, decode=list, resume=True)

    def build() -> None:
        open_checkpoint().remove()
        checkpoint = open_checkpoint()
        for task, result in counts.items():
            checkpoint.save(task, result)

    def read() -> Any:
        checkpoint = open_checkpoint()
        return [
            checkpoint.load(task) if task in checkpoint.found else result
            for task, result in counts.items()
        ]

    return Kept(build, read, lambda: [open_checkpoint().path])


def training_folder(folder: Path) -> Kept:
    corpus, out = folder / "corpus.txt", folder / "models"
    corpus.write_text(TEXTS)
    options: Any = {"method": "ppmi-svd", "dim": 4, "min_count": 1, "bootstrap": 2, "workers": 1}

    def build() -> None:
        shutil.rmtree(out, ignore_errors=True)
        wg.train(f"{corpus}?documents=lines", out, **options)

    def read() -> Any:
        wg.train(f"{corpus}?documents=lines", out, **options)
        return [
            (label, list(vectors.words), vectors.matrix.tobytes())
            for label, vectors in wg.open_models(out)
        ]

    return Kept(build, read, lambda: files_below(out))


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [parsed_copy, encoded_sentences, step_of_an_audit, progress_of_a_search, training_folder],
)
def test_a_flipped_byte_in_a_kept_file_is_harmless_or_noticed(kind, tmp_path, monkeypatch):
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "cache"))
    kept = kind(tmp_path)
    kept.build()
    expected = kept.read()
    saved = {path: path.read_bytes() for path in kept.files()}
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(FLIPS):
        path = list(saved)[rng.integers(len(saved))]
        flip_a_byte(path, rng)
        try:
            assert kept.read() == expected, f"{path.name} gave other numbers"
        except WeatherglassError:
            refused += 1
        for path, content in saved.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    assert refused < FLIPS


def flip_a_byte(path: Path, rng: np.random.Generator) -> None:
    """Change one byte in place, and set the time of the last change back, as a backup would."""
    before = path.stat()
    with open(path, "r+b") as file:
        at = int(rng.integers(before.st_size))
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ (1 << int(rng.integers(8)))]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
