"""What the tests of discovery share."""

from __future__ import annotations

import pytest

from weatherglass import Vectors, open_vectors


@pytest.fixture(scope="session")
def default() -> Vectors:
    """The embedded vectors."""
    return open_vectors("default")


@pytest.fixture(scope="session")
def frequent(default: Vectors) -> Vectors:
    """The 20,000 most frequent words of the embedded vectors, which are searched quickly."""
    return default.subset(default.words[:20_000])
