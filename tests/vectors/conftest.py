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

    def check(first: Vectors, second: Vectors) -> None:
        assert list(first.words.iter_raw()) == list(second.words.iter_raw())
        assert first.matrix.dtype == second.matrix.dtype == np.float32
        assert first.matrix.shape == second.matrix.shape
        assert first.matrix.tobytes() == second.matrix.tobytes()
        assert first.cased == second.cased
        assert first.unusable.tolist() == second.unusable.tolist()

    return check
