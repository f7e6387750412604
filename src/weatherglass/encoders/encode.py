"""`encode_all`: encode each distinct sentence of a run once, here or on workers."""

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

from weatherglass._log import get_logger
from weatherglass.errors import EncoderError, UsageError, WeatherglassError, join_first, quote_safe
from weatherglass.tasks import Workers, as_completed, executor

from .encoder import Encoder, Encodings, open_encoder, schemes
from .sentence_cache import SentenceCache

_LOGGER = get_logger(__name__)

BATCH_SIZE = 64
BATCHES_PER_TASK = 4
"""Batches in a task: enough to justify the transfer, and few enough to be saved often."""


@dataclass(frozen=True)
class Part:
    """Sentences for a worker, and the encoder to use."""

    encoder: str
    fingerprint: str
    texts: tuple[str, ...]
    size: int


def can_encode_on_workers(encoder: Encoder) -> bool:
    """Return whether a worker can open the encoder by name, and would save time."""
    scheme = encoder.name.partition(":")[0]
    return scheme in schemes() and not getattr(encoder, "stored", False)


def encode_on_workers(
    encoder: Encoder, texts: Sequence[str], size: int, team: Workers
) -> Iterator[dict[str, Encodings]]:
    """Yield the rows of sentences as workers complete them, in batches of `size`."""
    step = BATCHES_PER_TASK * size
    parts = [
        Part(encoder.name, encoder.fingerprint, tuple(texts[at : at + step]), size)
        for at in range(0, len(texts), step)
    ]
    with contextlib.closing(as_completed(encode_part, parts, team)) as completed:
        for index, table in completed:
            yield dict(zip(parts[index].texts, table, strict=True))


def encode_part(part: Part) -> Encodings:
    """Encode a part: the task of a worker."""
    encoder = _open_once(part.encoder)
    if encoder.fingerprint != part.fingerprint:
        raise EncoderError(
            f"{quote_safe(part.encoder)} on a worker of the cluster has another fingerprint than "
            "here. Give all machines the same files."
        )
    if hasattr(encoder, "prepare"):
        encoder.prepare(part.texts)
    rows: dict[str, Encodings] = {}
    for batch in encode_batches(encoder, part.texts, part.size):
        rows |= batch
    return np.stack([rows[text] for text in part.texts])


@lru_cache(1)
def _open_once(name: str) -> Encoder:
    return open_encoder(name)


Progress = Callable[[int, int], None]
_OUT_OF_MEMORY = re.compile(r"out of memory|not enough memory|allocate.*memory|bad_?alloc", re.I)


def encode_all(
    encoder: Encoder,
    sentences: Iterable[str],
    *,
    batch_size: int | None = None,
    progress: Progress | None = None,
    missing: Literal["raise", "nan"] = "raise",
    cache: bool = True,
    team: Workers | None = None,
) -> Encodings:
    """Encode sentences, each distinct one once, with a cache on disk.

    A second call encodes nothing, and an interrupted call resumes where it stopped. Batches have
    sentences of similar length, the longest first; if memory runs out, they are halved.

    Parameters
    ----------
    encoder
        The encoder.
    sentences
        The sentences; they may repeat.
    batch_size
        Number of sentences per call of the encoder; by default the encoder's own, or 64. An
        encoder that sends several requests at the same time gets as many batches at once.
    progress
        Called with the number of distinct sentences done and the total.
    missing
        What to do with sentences of which the encoder knows no part (rows of zeros): ``raise`` an
        error that names them, or return rows of ``nan``.
    cache
        Whether to read encodings from disk and save them there.
    team
        Workers to encode on, if they can open the encoder by its name; otherwise it runs here.

    Returns
    -------
    array
        One row per sentence.

    Raises
    ------
    EncoderError
        The encoder failed, or returned something other than rows of numbers. Sentences encoded
        before that are saved.

    Examples
    --------
    >>> from weatherglass.encoders import open_encoder
    >>> encode_all(open_encoder("cbow:default"), ["This is Amy.", "Amy.", "This is Amy."]).shape
    (3, 50)
    """
    texts = _check_sentences(sentences, batch_size)
    size = call_size(encoder, batch_size)
    distinct = list(dict.fromkeys(texts))
    if hasattr(encoder, "prepare"):
        encoder.prepare(distinct)
    use_cache = cache and _may_cache(encoder)
    saved = SentenceCache(encoder.fingerprint, encoder.name) if use_cache else None
    rows = saved.load(distinct) if saved else {}
    left = sorted((text for text in distinct if text not in rows), key=len, reverse=True)
    reused = len(distinct) - len(left)
    _LOGGER.info("%s: %d sentences to encode, %d reused", encoder.name, len(left), reused)
    if progress is not None:
        progress(len(rows), len(distinct))
    if team is not None and can_encode_on_workers(encoder):
        batches = encode_on_workers(encoder, left, size, team)
    else:
        batches = encode_batches(encoder, left, size, rows)
    try:
        for batch in batches:
            rows.update(batch)
            if saved is not None:
                saved.add(batch)
            if progress is not None:
                progress(len(rows), len(distinct))
    finally:
        if saved:
            saved.flush()
    if saved:
        saved.merge()
    table = np.stack([rows[text] for text in distinct])
    is_blank: NDArray[np.bool_] = ~np.any(table, axis=1)
    if is_blank.any():
        if missing == "raise":
            unknown = [text for text, blank in zip(distinct, is_blank, strict=True) if blank]
            raise EncoderError(
                f"{encoder.name} knows no word of {len(unknown)} of {len(distinct)} sentences: "
                f"{join_first(map(quote_safe, unknown))}. Leave them out, or use another encoder."
            )
        table[is_blank] = np.nan
    row_of = {text: i for i, text in enumerate(distinct)}
    return table[[row_of[text] for text in texts]]


def call_size(encoder: Encoder, batch_size: int | None) -> int:
    """Return the number of sentences per call of an encoder: a batch, or several at once."""
    size: int = batch_size or getattr(encoder, "batch_size", None) or BATCH_SIZE
    return size * int(getattr(encoder, "concurrency", 1))


def _may_cache(encoder: Encoder) -> bool:
    """Return whether encodings are kept; ask about repeatability last, it may need a request."""
    return (
        not getattr(encoder, "stored", False)
        and getattr(encoder, "uses_cache", True)
        and getattr(encoder, "repeatable", True)
    )


def _check_sentences(sentences: Iterable[str], batch_size: int | None) -> list[str]:
    texts = [sentences] if isinstance(sentences, str) else list(sentences)
    if isinstance(sentences, str) or not all(isinstance(text, str) for text in texts):
        raise UsageError("The sentences to encode must be a list of str.")
    if not texts:
        raise UsageError("There are no sentences to encode: the list is empty.")
    if batch_size is not None and batch_size < 1:
        raise UsageError(f"batch_size is {batch_size}; it must be at least 1.")
    return texts


def encode_batches(
    encoder: Encoder, left: Sequence[str], size: int, known: Mapping[str, Encodings] | None = None
) -> Iterator[dict[str, Encodings]]:
    """Yield the rows of sentences, batch by batch; all must be as wide as the known rows."""
    at = 0
    width = len(next(iter(known.values()))) if known else None
    while at < len(left):
        batch = left[at : at + size]
        is_done, answer = _attempt(encoder, batch)
        if not is_done:  # out of memory
            size = max(1, len(batch) // 2)
            continue
        table = _check_rows(encoder, batch, answer, width)
        width = table.shape[1]
        is_valid: NDArray[np.bool_] = np.all(np.isfinite(table), axis=1)
        yield {text: row for text, row, valid in zip(batch, table, is_valid, strict=True) if valid}
        if not is_valid.all():
            first = batch[int(is_valid.argmin())]
            others = int((~is_valid).sum()) - 1
            raise EncoderError(
                f"{encoder.name} returned NaN or infinity for {quote_safe(first)}"
                + (f" and {others} more sentences." if others else ".")
            )
        at += len(batch)


def _attempt(encoder: Encoder, batch: Sequence[str]) -> tuple[bool, object]:
    """Encode a batch. Returns (True, rows), or (False, None) if memory ran out."""
    try:
        return True, encoder.encode(list(batch))
    except WeatherglassError:
        raise
    except Exception as error:  # third-party encoders may raise anything
        if not isinstance(error, MemoryError) and not _OUT_OF_MEMORY.search(str(error)):
            reason = " ".join(str(error).split())[:300]
            raise EncoderError(
                f"{encoder.name} failed on {quote_safe(batch[0])} and {len(batch) - 1} more "
                f"sentences: {type(error).__name__}: {reason}"
            ) from error
    if len(batch) == 1:
        raise EncoderError(
            f"{encoder.name}: not enough memory to encode even a single sentence, "
            f"{quote_safe(batch[0])}."
        )
    gc.collect()
    if "torch" in sys.modules:
        sys.modules["torch"].cuda.empty_cache()  # does nothing without a GPU
    return False, None


def _check_rows(
    encoder: Encoder, batch: Sequence[str], answer: object, width: int | None
) -> Encodings:
    """Convert what an encoder returned to a table of floats, one row per sentence."""
    try:
        table = np.asarray(answer)
        table = table.astype(np.float64 if table.dtype.kind in "iu" else table.dtype, copy=False)
    except (ValueError, TypeError):
        table = np.empty(0, dtype=object)
    if table.dtype.kind != "f" or table.ndim != 2:
        raise EncoderError(
            f"{encoder.name} returned {type(answer).__name__} of shape {np.shape(table)} and type "
            f"{table.dtype} for {len(batch)} sentences; expected one row of numbers for each."
        )
    if len(table) != len(batch):
        raise EncoderError(
            f"{encoder.name} returned {len(table)} rows for {len(batch)} sentences, the first of "
            f"which is {quote_safe(batch[0])}; expected one row for each."
        )
    if not table.shape[1] or width not in (None, table.shape[1]):
        raise EncoderError(
            f"{encoder.name} returned rows of {table.shape[1]} numbers for {quote_safe(batch[0])}; "
            f"expected {width or 'at least one'}."
        )
    return table.astype(np.float32) if table.dtype == np.float16 else table


@contextlib.contextmanager
def open_team(cluster: str | Workers | None) -> Iterator[Workers | None]:
    """Open the workers of a cluster by its address; workers, or none, are passed through."""
    if isinstance(cluster, str):
        with executor(cluster=cluster) as team:
            yield team
    else:
        yield cluster
