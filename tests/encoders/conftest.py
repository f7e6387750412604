"""Shared by the tests of `weatherglass.encoders`: a cache of their own, an encoder that counts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(folder))
    return folder


class Counting:
    """An encoder that knows every sentence, and remembers what it was asked."""

    def __init__(self, dim: int = 4, fingerprint: str = "counting") -> None:
        self.name, self.fingerprint, self.dim = "counting", fingerprint, dim
        self.batches: list[list[str]] = []

    @property
    def asked(self) -> list[str]:
        return [sentence for batch in self.batches for sentence in batch]

    def row(self, sentence: str) -> np.ndarray:
        seed = hashlib.blake2b(sentence.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return np.random.default_rng(list(seed)).standard_normal(self.dim).astype(np.float32)

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        self.batches.append(list(sentences))
        return np.array([self.row(sentence) for sentence in sentences])


@pytest.fixture
def counting() -> Callable[..., Counting]:
    return Counting
