"""What the tests of discovery share."""

from __future__ import annotations

import pytest

from weatherglass import Vectors, open_vectors


@pytest.fixture(scope="session")
def default() -> Vectors:
    """The embedded vectors."""
    return open_vectors("default")
