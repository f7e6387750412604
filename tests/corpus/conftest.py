"""Fixtures of the tests of `weatherglass.corpus`: small corpora as token ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from weatherglass.corpus import Document, Tokenizer
from weatherglass.corpus.token_ids import TokenIds, TokenIdWriter, open_token_ids

MakeTokenIds = Callable[..., TokenIds]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Use one thread, as training does: with busy cores, threads slow down small products."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield


@pytest.fixture
def token_ids(tmp_path_factory: pytest.TempPathFactory) -> MakeTokenIds:
    """Return a function that writes texts to disk as token ids."""

    def make(texts: Iterable[str], min_count: int = 1) -> TokenIds:
        folder: Path = tmp_path_factory.mktemp("token-ids")
        writer = TokenIdWriter(folder, Tokenizer(words="spaces"))
        for text in texts:
            writer.add(Document(text, {}))
        writer.finish("", min_count, "the corpus")
        return open_token_ids(writer.folder(""))

    return make


@pytest.fixture(scope="session")
def weather() -> list[str]:
    """Return texts about two kinds of weather, which share only function words."""
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
