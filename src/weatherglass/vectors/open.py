"""`open_vectors`: turn the name of a source into `Vectors`."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from weatherglass._files import (
    ROW_BYTES,
    Input,
    atomic_folder,
    cache,
    check_memory,
    combine_digests,
    combine_fingerprints,
    cpu_count,
    file_fingerprint,
    fingerprint,
    max_parsed_size,
    temporary_folder,
    too_large_error,
)
from weatherglass._log import get_logger
from weatherglass.errors import BadContent, SourceError, UsageError

from . import store
from .formats import (
    Chunk,
    WantedWords,
    concatenate_counts,
    find_format,
    has_capitals,
)
from .history import decode_history, read_beside
from .objects import VectorsObject, vectors_of
from .source import Spec, check_options, find_path, parse_spec
from .trained import OPTION as GROUP_OPTION
from .trained import find_trained
from .vectors import Vectors, unusable_rows
from .vocabulary import Vocabulary, pack_words, to_text
from .vocabulary_sample import VocabularySample, sample_vocabulary

_LOGGER = get_logger(__name__)

Progress = Callable[[int, int], None]

_KINDS = (
    "a name or path, Vectors, a dict from words to rows, (words, matrix), KeyedVectors of gensim, "
    "a table of pandas, polars or Arrow, a tensor or nn.Embedding with its vocabulary as "
    "(words, tensor), or (model, tokenizer) of Hugging Face"
)


VectorsSource = str | os.PathLike[str] | Vectors | VectorsObject
"""What `open_vectors` accepts."""


def open_vectors(
    source: VectorsSource,
    *,
    words: Iterable[str] | None = None,
    sample: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Vectors:
    """Open words and their vectors.

    Parameters
    ----------
    source
        A path, or a name such as ``"default"``; see `vectors.source` for the grammar. Or an object
        in memory that has words and rows, such as a mapping or a pair; see `vectors_of`.
    words
        Read only these words. Their rows are found at the speed of reading the file, and nothing
        else is parsed. By default the whole file is parsed, once: a copy that opens by
        memory-mapping is kept in the cache.
    sample
        With `words`: also read a sample of about 4,000 rows, from which `weatherglass.weat`
        computes its baseline.
    workers
        Threads; all processors by default.
    progress
        Called with the number of bytes read and the total number.

    Returns
    -------
    Vectors

    Examples
    --------
    >>> vectors = open_vectors("default", words=["glass", "weather"])
    >>> vectors.words[:], vectors.dim
    (['weather', 'glass'], 50)
    """
    if not isinstance(source, str | bytes | os.PathLike):
        vectors = None if isinstance(source, type) else vectors_of(source)
        if vectors is None:
            raise UsageError(f"{type(source).__name__} is not a source of vectors: give {_KINDS}.")
        return vectors if words is None else _select(vectors, words, sample)
    spec = parse_spec(os.fsdecode(source))
    wanted = None if words is None else list(words)
    try:
        opened = _open(spec, wanted, sample, workers or cpu_count(), progress)
        if not opened.history:
            beside = read_beside(find_path(spec), opened.fingerprint)
            opened = replace(opened, history=beside)
    except OSError as error:
        raise SourceError(f"{spec.text} cannot be read: {error}.") from error
    _LOGGER.info("opened %s: %d words, %d dimensions", spec.text, len(opened), opened.dim)
    return opened


def _select(vectors: Vectors, words: Iterable[str], sample: bool) -> Vectors:
    return vectors.subset(words, sample_vocabulary(vectors) if sample else None)


def _open(
    spec: Spec, words: list[str] | None, sample: bool, workers: int, progress: Progress | None
) -> Vectors:
    path = find_path(spec)
    if path.is_dir() and (trained := find_trained(path, spec.options)) is not None:
        check_options(spec, [GROUP_OPTION])
        full = _open(Spec(spec.text, None, str(trained.full)), words, sample, workers, progress)
        return trained.attach(full, spec.text)
    source = Input(path, spec.options)
    form = find_format(source)
    check_options(spec, (*form.options, *(("member",) if source.compression == "zip" else ())))
    files = list(form.files(source))
    _LOGGER.debug("%s is in the format %s", spec.text, form.name)
    source.total_size = sum(path.stat().st_size for path in files)
    state = cache.file_state(files)
    fingerprint = cache.find_fingerprint(files)
    if fingerprint is None and words is None:
        fingerprint = _fingerprint_of(files, workers)
        cache.save_fingerprint(files, fingerprint, state)
    if fingerprint is not None:
        cached = _open_cached(_cache_folder(fingerprint, spec, files), spec.text)
        if cached is not None:
            _LOGGER.debug("%s was parsed before: its copy in the cache is used", spec.text)
            return cached if words is None else _select(cached, words, sample)
    wanted = None if words is None else WantedWords.of(words, sample)
    history = decode_history(form.history(source)) if form.history else ()

    def chunks() -> Iterator[Chunk]:
        limited = _limit_size(source, form.read(source, wanted, workers))
        return _report_progress(source, limited, progress)

    if wanted is not None:
        parts = list(chunks())
        if fingerprint is None:
            fingerprint = _fingerprint_after_reading(source, files, workers)
            cache.save_fingerprint(files, fingerprint, state)
        if wanted.sampler is not None:
            vectors = _build_with_sample(spec, source, parts, fingerprint, wanted)
        else:
            vectors = _build_in_memory(spec, source, parts, fingerprint)
        return replace(vectors, history=history)
    assert fingerprint is not None
    folder = _cache_folder(fingerprint, spec, files)
    meta = {"source": spec.text, "fingerprint": fingerprint, "history": list(history)}
    stored = _build_on_disk(folder, meta, lambda: _check_unchanged(chunks(), files, state))
    if stored is not None:
        return stored
    parts = list(_check_unchanged(chunks(), files, state))  # all disks are full
    vectors = _build_in_memory(spec, source, parts, fingerprint, part=False)
    return replace(vectors, history=history)


def open_parsed(
    source: str | os.PathLike[str], fingerprint: str | None = None, folder: Path | None = None
) -> Vectors | None:
    """Open the parsed copy of a source without parsing anything; None if there is none.

    Parameters
    ----------
    source
        The source, as for `open_vectors`.
    fingerprint
        The fingerprint of the content. By default that of the file as it is now, if it is known.
    folder
        The cache folder; by default the user's.

    Examples
    --------
    >>> vectors = open_vectors("default")
    >>> len(open_parsed("default", vectors.fingerprint)) == len(vectors)
    True
    >>> open_parsed("default", "0" * 32)
    """
    spec = parse_spec(os.fsdecode(source))
    path = find_path(spec)
    if path.is_dir() and (trained := find_trained(path, spec.options)) is not None:
        full = open_parsed(trained.full, folder=folder)
        attached = None if full is None else trained.attach(full, spec.text)
        is_same = attached is not None and fingerprint in (None, attached.fingerprint)
        return attached if is_same else None
    try:
        opened = Input(path, spec.options)
        files = list(find_format(opened).files(opened))
        fingerprint = fingerprint or cache.find_fingerprint(files)
    except OSError as error:
        raise SourceError(f"{spec.text} cannot be read: {error}.") from error
    if fingerprint is None:
        return None
    return _open_cached(_cache_folder(fingerprint, spec, files, folder), spec.text)


def describe_source(source: str | os.PathLike[str]) -> dict[str, str]:
    """Return the format of a source, and what in it is read as words and as vectors.

    >>> describe_source("default")["format"]
    'NumPy .npy'
    """
    spec = parse_spec(os.fsdecode(source))
    path = find_path(spec)
    if path.is_dir() and (trained := find_trained(path, spec.options)) is not None:
        samples = f"{len(trained.bootstraps):,} models of bootstrap samples"
        return describe_source(trained.full) | {"documents": samples}
    opened = Input(path, spec.options)
    form = find_format(opened)
    return {"format": form.name} | (form.describe(opened) if form.describe else {})


def _cache_folder(
    fingerprint: str, spec: Spec, files: Sequence[Path], root: Path | None = None
) -> Path:
    """Return the cache folder for a source's content, the parser's version, and the options.

    How a word list is read depends on the suffix of its file, too.
    """
    name = f"{fingerprint}-{store.VERSION}"
    settings = [*sorted(spec.options.items()), *(path.suffix for path in files[1:])]
    if settings:
        text = repr(settings).encode("utf-8", "backslashreplace")
        name += "-" + hashlib.blake2b(text, digest_size=8).hexdigest()
    return cache.vectors_dir(root) / name


def _report_progress(
    source: Input, chunks: Iterator[Chunk], progress: Progress | None
) -> Iterator[Chunk]:
    for chunk in chunks:
        if progress is not None:
            progress(min(source.bytes_read, source.size), source.size)
        yield chunk


def _limit_size(source: Input, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """Yield the chunks until they are far larger than the files, or the words fill the memory.

    Readers know the size of most files before they read; this holds for every file.
    """
    total, in_memory, limit = 0, 0, max_parsed_size(source.total_size)
    for chunk in chunks:
        words = chunk.blob.size + ROW_BYTES * len(chunk.ends)
        total += chunk.rows.nbytes + words
        in_memory += words
        if total > limit:
            raise too_large_error(source.path, limit)
        check_memory(source.path, in_memory)
        yield chunk


def _check_unchanged(
    chunks: Iterator[Chunk], files: list[Path], state: list[cache.State]
) -> Iterator[Chunk]:
    """Yield the chunks, and raise an error after the last if a file has changed since `state`.

    The fingerprint would not match the content that was read.
    """
    try:
        yield from chunks
    except OSError as error:  # so that `_build_on_disk` does not take it for an error of writing
        raise SourceError(f"{files[0]} cannot be read: {error}.") from error
    if cache.file_state(files) != state:
        raise BadContent(f"{files[0]} changed while it was being read.")


def _open_cached(folder: Path, source: str) -> Vectors | None:
    """Open a parsed copy; None if there is none, or it is damaged."""
    if not folder.is_dir():
        return None
    try:
        return store.open_store(folder, source)
    except store.Damaged:
        shutil.rmtree(folder, ignore_errors=True)
        return None


def _build_on_disk(
    cache_folder: Path, meta: dict[str, Any], chunks: Callable[[], Iterator[Chunk]]
) -> Vectors | None:
    """Parse a source into the cache, or into a temporary folder; None if neither is writable."""
    for open_folder in (_open_in_cache, _open_temporary):
        try:
            # Open it before the folder is renamed or deleted: mapped files stay readable, and no
            # other process can have changed them yet.
            with open_folder(cache_folder) as folder:
                store.build(folder, chunks(), meta)
                return store.open_store(folder, meta["source"])
        except (OSError, store.Damaged):  # the disk is full, or the folder is read-only
            continue
    return None


def _open_in_cache(cache_folder: Path) -> AbstractContextManager[Path]:
    cache_folder.parent.mkdir(parents=True, exist_ok=True)
    if not os.access(cache_folder.parent, os.W_OK):
        raise PermissionError(cache_folder.parent)
    return atomic_folder(cache_folder)


def _open_temporary(cache_folder: Path) -> AbstractContextManager[Path]:
    return temporary_folder(Path(tempfile.gettempdir()), cache_folder.name)


def _build_in_memory(
    spec: Spec, source: Input, parts: list[Chunk], fingerprint: str, part: bool = True
) -> Vectors:
    if not parts:
        raise BadContent(f"{spec.text} has no rows.")
    words = [word for chunk in parts for word in chunk.words()]
    rows = np.concatenate([chunk.rows for chunk in parts])
    counts = concatenate_counts([chunk.counts for chunk in parts])
    vocabulary, keep = Vocabulary.build(*pack_words(words))
    ranks = parts[0].ranks if len(parts) == 1 else None
    if keep is not None:
        rows = np.ascontiguousarray(rows[keep])
        counts = None if counts is None else counts[keep]
        ranks = ranks[keep] if ranks is not None else None if part else keep.astype(np.int64)
    rows.flags.writeable = False
    return Vectors(
        words=vocabulary,
        matrix=rows,
        source=spec.text,
        fingerprint=fingerprint,
        cased=source.cased or has_capitals(vocabulary.blob, vocabulary.ends),
        duplicates=len(words) - len(vocabulary),
        unusable=unusable_rows(rows),
        counts=counts,
        part=part,
        ranks=ranks,
    )


def _build_with_sample(
    spec: Spec, source: Input, parts: list[Chunk], fingerprint: str, wanted: WantedWords
) -> Vectors:
    """Separate the wanted words from the sampled ones; a row may be both."""
    merged = _merge_by_rank(parts)
    assert wanted.sampler is not None
    assert merged.ranks is not None
    words = merged.words()
    first = dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))
    is_sampled = wanted.sampler.are_sampled(merged.ranks).tolist()
    sampled = [k for k, word in enumerate(words) if is_sampled[k] and first[word] == k]
    sample = VocabularySample.of(
        [to_text(words[k]) for k in sampled],
        merged.rows[sampled],
        merged.ranks[sampled],
        None if merged.counts is None else merged.counts[sampled],
        total=wanted.sampler.total,
        fingerprint=fingerprint,
    )
    # Only the wanted words get an index: building a larger one would take longer than reading.
    vectors = _build_in_memory(spec, source, [merged.only(wanted)], fingerprint)
    return replace(vectors, sample=sample)


def _merge_by_rank(parts: list[Chunk]) -> Chunk:
    """Return the rows of all chunks in file order, each once."""
    ranks = [chunk.ranks for chunk in parts if chunk.ranks is not None]
    unique, first = np.unique(np.concatenate(ranks), return_index=True)
    words = [word for chunk in parts for word in chunk.words()]
    counts = concatenate_counts([chunk.counts for chunk in parts])
    return Chunk.of(
        [words[i] for i in first.tolist()],
        np.concatenate([chunk.rows for chunk in parts])[first],
        None if counts is None else counts[first],
        unique,
    )


def _fingerprint_after_reading(source: Input, files: list[Path], workers: int) -> str:
    """Return the fingerprint, from the digests collected while reading if they are complete."""
    blocks = range(0, source.size, fingerprint.BLOCK_SIZE)
    if len(files) == 1 and len(source.digests) == len(blocks):
        return combine_digests((source.digests[start] for start in blocks), source.size)
    return _fingerprint_of(files, workers)


def _fingerprint_of(files: Sequence[Path], workers: int) -> str:
    """Return the fingerprint of the content of files.

    A word list in JSON is read otherwise than the same bytes as lines of text; the bytes of
    Parquet and Arrow are no lines of text.
    """
    parts = [file_fingerprint(path, workers) for path in files]
    if len(files) == 2 and files[1].suffix == ".json":
        parts.append("json")
    return combine_fingerprints(parts)
