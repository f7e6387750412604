"""Shared by the tests of `weatherglass.vectors`: a cache of their own, and small vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from weatherglass.vectors import Vectors, cache, fingerprints
from weatherglass.vectors.detect import format_for_writing

Save = Callable[[Vectors, Path], Path]

# Words that stand in every format, and among them what a vocabulary ought not to hold.
PLAIN = [
    "the",
    "The",
    "naïve",
    "nai\u0308ve",
    "日本語",
    "🙂",
    "\u00a0nbsp",
    "line\u2028separator",
    "\ufeffmark",
    "<script>alert('x')</script>",
    "&amp;",
    "\x1b[31mred\x1b[0m",
    "bell\x07",
    "\udcff\udcfe\udc80",  # bytes that are not UTF-8
    "caf\udce9",
    "",
    "0.5",
    "-1",
    "nan",
    "1e5",
    "a" * 5000,
]


@pytest.fixture(autouse=True, scope="module")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests never touch the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, in which files are remembered although they were written just now."""
    folder = tmp_path / "own-cache"
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(folder))
    monkeypatch.setattr(cache, "_RACY_NS", 0)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that lasts for a test file, as hypothesis needs it."""
    return tmp_path_factory.mktemp("files")


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in blocks so small that every line meets a border."""
    monkeypatch.setattr(fingerprints, "BLOCK", 64)


@pytest.fixture(scope="session")
def save() -> Save:
    """Write vectors in the format that the name of the file asks for."""

    def write(vectors: Vectors, path: Path) -> Path:
        form = format_for_writing(path)
        assert form.write is not None
        form.write(vectors, path)
        return path

    return write


@pytest.fixture(scope="session")
def plain() -> Vectors:
    """Vectors with hostile words and with every kind of float32."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((len(PLAIN), 3)).astype(np.float32)
    rows *= 10.0 ** rng.integers(-30, 30, rows.shape)
    rows[0] = [1e-45, -1e-45, 1.1754942e-38]  # denormals
    rows[1] = [3.4028235e38, -3.4028235e38, -0.0]
    rows[2] = [16777216, 0.1, 1 / 3]
    return Vectors.of(PLAIN, rows)


@pytest.fixture(scope="session")
def assert_same() -> Callable[[Vectors, Vectors], None]:
    """Words and numbers are the same, to the last bit."""

    def check(one: Vectors, other: Vectors) -> None:
        assert list(one.words.iter_raw()) == list(other.words.iter_raw())
        assert one.matrix.dtype == other.matrix.dtype == np.float32
        assert one.matrix.shape == other.matrix.shape
        assert one.matrix.tobytes() == other.matrix.tobytes()
        assert one.cased == other.cased
        assert one.unusable.tolist() == other.unusable.tolist()

    return check
