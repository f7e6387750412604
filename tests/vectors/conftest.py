"""Shared by the tests of `weatherglass.vectors`: a cache of their own, and small vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from weatherglass.vectors import Vectors

Save = Callable[[Vectors, Path], Path]


@pytest.fixture(autouse=True, scope="module")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests never touch the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that lasts for a test file, as hypothesis needs it."""
    return tmp_path_factory.mktemp("files")


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
