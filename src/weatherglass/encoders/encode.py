"""`encode_all`: every distinct sentence of a run, once."""

from __future__ import annotations

import contextlib
import gc
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import EncoderError, UsageError, WeatherglassError, join_first, quote_safe
from weatherglass.tasks import Workers, as_completed

from .encoder import Encoder, Encodings, open_encoder, schemes
from .sentence_cache import Memory

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
    with contextlib.closing(as_completed(encode_part, parts, team)) as done:
        for number, table in done:
            yield dict(zip(parts[number].texts, table, strict=True))


def encode_part(part: Part) -> Encodings:
    """The task of a worker."""
    pass

    encoder = _opened(part.encoder)
    if encoder.fingerprint != part.fingerprint:
        raise EncoderError(
            f"{quote_safe(part.encoder)} is another encoder on a worker of the cluster than here: its "
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


Progress = Callable[[int, int], None]
_NO_MEMORY = re.compile(r"out of memory|not enough memory|allocate.*memory|bad_?alloc", re.I)


def encode_all(
    encoder: Encoder,
    sentences: Iterable[str],
    *,
    batch_size: int = 64,
    progress: Progress | None = None,
    missing: Literal["raise", "nan"] = "raise",
    cache: bool = True,
    team: Workers | None = None,
) -> Encodings:
    """The encodings of sentences, each distinct one encoded once and kept on disk.

    A second call encodes nothing, and one that was interrupted goes on where it stopped. Batches
    have sentences of like length, the longest first; where the memory does not suffice, they are
    halved.

    Parameters
    ----------
    encoder
        The encoder.
    sentences
        The sentences; they may repeat.
    batch_size
        How many sentences the encoder is given at a time.
    progress
        Called with the distinct sentences done and those in all.
    missing
        What to do with sentences of which the encoder knows nothing (rows of zeros): ``raise`` an
        error that names them, or give rows of ``nan``.
    cache
        Whether to look for encodings on disk and keep them there.
    team
        Workers that encode, if the encoder is one that they can open by its name; otherwise it
        encodes here.

    Returns
    -------
    array
        One row a sentence, in their order.

    Raises
    ------
    EncoderError
        The encoder failed, or gave rows that are no encodings. What was encoded before is kept.

    Examples
    --------
    >>> from weatherglass.encoders import open_encoder
    >>> encode_all(open_encoder("cbow:default"), ["This is Amy.", "Amy.", "This is Amy."]).shape
    (3, 50)
    """
    texts = _checked(sentences, batch_size)
    distinct = list(dict.fromkeys(texts))
    if hasattr(encoder, "prepare"):
        encoder.prepare(distinct)
    keep = cache and not getattr(encoder, "stored", False)
    memory = Memory(encoder.fingerprint, encoder.name) if keep else None
    rows = memory.load(distinct) if memory else {}
    left = sorted((text for text in distinct if text not in rows), key=len, reverse=True)
    if progress is not None:
        progress(len(rows), len(distinct))
    if team is not None and can_spread(encoder):
        made = spread(encoder, left, batch_size, team)
    else:
        made = encode_batches(encoder, left, batch_size, rows)
    try:
        for fresh in made:
            rows.update(fresh)
            if memory is not None:
                memory.add(fresh)
            if progress is not None:
                progress(len(rows), len(distinct))
    finally:
        if memory:
            memory.flush()
    if memory:
        memory.merge()
    table = np.stack([rows[text] for text in distinct])
    blank: NDArray[np.bool_] = ~np.any(table, axis=1)
    if blank.any():
        if missing == "raise":
            unknown = [text for text, no in zip(distinct, blank, strict=True) if no]
            raise EncoderError(
                f"{encoder.name} knows nothing of {len(unknown)} of {len(distinct)} sentences: "
                f"{join_first(map(quote_safe, unknown))}. Leave them out, or take another encoder."
            )
        table[blank] = np.nan
    place = {text: i for i, text in enumerate(distinct)}
    return table[[place[text] for text in texts]]


def _checked(sentences: Iterable[str], batch_size: int) -> list[str]:
    texts = [sentences] if isinstance(sentences, str) else list(sentences)
    if isinstance(sentences, str) or not all(isinstance(text, str) for text in texts):
        raise UsageError("The sentences to encode must be a list of str.")
    if not texts:
        raise UsageError("There are no sentences to encode: the list is empty.")
    if batch_size < 1:
        raise UsageError(f"batch_size is {batch_size}; it must be at least 1.")
    return texts


def encode_batches(
    encoder: Encoder, left: Sequence[str], size: int, before: Mapping[str, Encodings] | None = None
) -> Iterator[dict[str, Encodings]]:
    """The rows of what is left, batch by batch, as wide as those that were there before."""
    at, good_ones = 0, len(before or {})
    width = len(next(iter(before.values()))) if before else None
    while at < len(left):
        batch = left[at : at + size]
        enough, made = _attempt(encoder, batch)
        if not enough:
            size = max(1, len(batch) // 2)
            continue
        table = _table(encoder, batch, made, width)
        width = table.shape[1]
        good: NDArray[np.bool_] = np.all(np.isfinite(table), axis=1)
        good_ones += int(good.sum())
        yield {text: row for text, row, ok in zip(batch, table, good, strict=True) if ok}
        if not good.all():
            bad = batch[int(good.argmin())]
            raise EncoderError(
                f"{encoder.name} gave NaN or infinity for {quote_safe(bad)}"
                + (f" and {(~good).sum() - 1} more sentences" if (~good).sum() > 1 else "")
                + f". The {good_ones} good encodings are kept."
            )
        at += len(batch)


def _attempt(encoder: Encoder, batch: Sequence[str]) -> tuple[bool, object]:
    """Whether the memory sufficed for a batch, and what the encoder gave for it."""
    try:
        return True, encoder.encode(list(batch))
    except WeatherglassError:
        raise
    except Exception as error:  # encoders are other people's code and raise what they like
        if not isinstance(error, MemoryError) and not _NO_MEMORY.search(str(error)):
            reason = " ".join(str(error).split())[:300]
            raise EncoderError(
                f"{encoder.name} failed on {quote_safe(batch[0])} and {len(batch) - 1} more sentences: "
                f"{type(error).__name__}: {reason}"
            ) from error
    if len(batch) == 1:
        raise EncoderError(
            f"{encoder.name}: there is not enough memory to encode even one sentence, "
            f"{quote_safe(batch[0])}."
        )
    gc.collect()
    if "torch" in sys.modules:
        sys.modules["torch"].cuda.empty_cache()  # does nothing where there is no graphics card
    return False, None


def _table(encoder: Encoder, batch: Sequence[str], made: object, width: int | None) -> Encodings:
    try:
        table = np.asarray(made)
        table = table.astype(np.float64 if table.dtype.kind in "iu" else table.dtype, copy=False)
    except (ValueError, TypeError):
        table = np.empty(0, dtype=object)
    if table.dtype.kind != "f" or table.ndim != 2:
        raise EncoderError(
            f"{encoder.name} gave {type(made).__name__} of shape {np.shape(table)} and type "
            f"{table.dtype} for {len(batch)} sentences: expected one row of numbers for each."
        )
    if len(table) != len(batch):
        raise EncoderError(
            f"{encoder.name} gave {len(table)} rows for {len(batch)} sentences, of which the first "
            f"is {quote_safe(batch[0])}: expected one for each."
        )
    if not table.shape[1] or width not in (None, table.shape[1]):
        raise EncoderError(
            f"{encoder.name} gave rows of {table.shape[1]} numbers for {quote_safe(batch[0])}: expected "
            f"{width or 'at least one'}, as before."
        )
    return table.astype(np.float32) if table.dtype == np.float16 else table
