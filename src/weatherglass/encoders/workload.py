"""What tests will ask of an encoder, counted before anything is encoded or sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from weatherglass.catalog import Test

from .encode import call_size
from .encoder import Encoder
from .items import needed_texts


@dataclass(frozen=True)
class Workload:
    """What tests ask of an encoder if the cache has none of their sentences.

    Attributes
    ----------
    encoder
        The encoder's name.
    sentences
        The number of distinct words and sentences, with those that every run encodes: unrelated
        ones, and for an endpoint the canaries, twice.
    characters
        How long they are together.
    requests
        The number of requests to an endpoint; None for an encoder that runs here.
    """

    encoder: str
    sentences: int
    characters: int
    requests: int | None = None


def count_work(
    encoder: Encoder, steps: Iterable[Sequence[Test]], batch_size: int | None = None
) -> Workload:
    """Count what tests ask of an encoder, without asking it.

    Parameters
    ----------
    encoder
        The encoder.
    steps
        The tests that are run together, step by step; a later step finds sentences of an earlier
        one in the cache.
    batch_size
        As for `weatherglass.seat`.

    Examples
    --------
    >>> import weatherglass as wg
    >>> count_work(wg.open_encoder("cbow:default"), [[wg.test("weat6")]]).sentences
    72
    """
    known: set[str] = set()
    requests = 0
    endpoint: Any = encoder if hasattr(encoder, "count_requests") else None
    for tests in steps:
        texts = set(needed_texts(encoder, tests).all) - known
        known |= texts
        if endpoint is not None:
            requests += endpoint.count_requests(len(texts), call_size(encoder, batch_size))
    sentences, characters = len(known), sum(map(len, known))
    if endpoint is None:
        return Workload(encoder.name, sentences, characters)
    canaries: tuple[str, ...] = endpoint.canaries
    return Workload(
        encoder.name,
        sentences + len(canaries),
        characters + sum(map(len, canaries)),
        requests + endpoint.count_canary_requests(),
    )
