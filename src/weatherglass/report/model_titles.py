"""The names by which people know embeddings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MODEL_TITLES = {"default": "GloVe 6B"}
"""What people call the sources that have a name of their own here."""


def model_title(source: Mapping[str, Any]) -> str:
    """Return what people call a source, with its size as far as it is known; else empty.

    >>> model_title({"name": "default", "dim": 50, "words": 400_000})
    'GloVe 6B · 50d · 400,000 words'
    >>> model_title({"name": "vectors.txt", "dim": 50})
    ''
    """
    title = MODEL_TITLES.get(str(source.get("name", "")))
    if title is None:
        return ""
    dim, words = source.get("dim"), source.get("words")
    sizes = [f"{dim}d"] if isinstance(dim, int) else []
    sizes += [f"{words:,} words"] if isinstance(words, int) else []
    return " · ".join([title, *sizes])
