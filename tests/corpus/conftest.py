"""Shared by the tests of `weatherglass.corpus`: small corpora as numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from weatherglass.corpus import Document, Tokenizer
from weatherglass.corpus.token_ids import Gathering, Numbered, open_numbered

Number = Callable[..., Numbered]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """As in training: threads that share cores with others make small products slow."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield


@pytest.fixture
def number(tmp_path_factory: pytest.TempPathFactory) -> Number:
    """Texts as numbers on disk."""

    def make(texts: Iterable[str], min_count: int = 1) -> Numbered:
        folder: Path = tmp_path_factory.mktemp("numbers")
        gathering = Gathering(folder, Tokenizer(words="spaces"))
        for text in texts:
            gathering.add(Document(text, {}))
        gathering.finish("", min_count, "the corpus")
        return open_numbered(gathering.folder(""))

    return make


@pytest.fixture(scope="session")
def weather() -> list[str]:
    """Texts about two kinds of weather, which share no word but little ones."""
    rng = np.random.default_rng(5)
    kinds = (
        ["sun", "warm", "bright", "dry", "summer", "heat", "light", "clear"],
        ["rain", "cold", "dark", "wet", "winter", "frost", "shadow", "grey"],
    )
    texts = []
    for _ in range(400):
        kind = kinds[int(rng.integers(2))]
        words = rng.choice([*kind, "the", "a", "and"], size=int(rng.integers(4, 20)))
        texts.append(" ".join(words.tolist()))
    return texts
