"""Encoding on workers: each opens the encoder by its name, once, and is sent sentences."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from weatherglass.errors import EncoderError, shown
from weatherglass.tasks import Workers, finished

from .opening import open_encoder, schemes
from .protocol import Encoder, Encodings

BATCHES = 4
"""Batches in a task: enough to be worth the way, and few enough to be kept often."""


@dataclass(frozen=True)
class Part:
    """Sentences for a worker, and the encoder that is to be theirs."""

    encoder: str
    fingerprint: str
    texts: tuple[str, ...]
    size: int


def can_spread(encoder: Encoder) -> bool:
    """Whether a worker can open the same encoder; one whose rows lie on disk gains nothing."""
    scheme = encoder.name.partition(":")[0]
    return scheme in schemes() and not getattr(encoder, "stored", False)


def spread(
    encoder: Encoder, texts: Sequence[str], size: int, team: Workers
) -> Iterator[dict[str, Encodings]]:
    """The rows of sentences, some at a time, in batches of `size` as they would be here."""
    step = BATCHES * size
    parts = [
        Part(encoder.name, encoder.fingerprint, tuple(texts[at : at + step]), size)
        for at in range(0, len(texts), step)
    ]
    with contextlib.closing(finished(encode_part, parts, team)) as done:
        for number, table in done:
            yield dict(zip(parts[number].texts, table, strict=True))


def encode_part(part: Part) -> Encodings:
    """The task of a worker."""
    from .encoding import encode_batches

    encoder = _opened(part.encoder)
    if encoder.fingerprint != part.fingerprint:
        raise EncoderError(
            f"{shown(part.encoder)} is another encoder on a worker of the cluster than here: its "
            "fingerprint differs. Give all machines the same files."
        )
    if hasattr(encoder, "prepare"):
        encoder.prepare(part.texts)
    rows: dict[str, Encodings] = {}
    for some in encode_batches(encoder, part.texts, part.size):
        rows |= some
    return np.stack([rows[text] for text in part.texts])


@lru_cache(1)
def _opened(name: str) -> Encoder:
    return open_encoder(name)
