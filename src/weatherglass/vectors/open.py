"""`open_vectors`: from a source's name to `Vectors`."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np

from weatherglass._files import (
    Input,
    atomic_folder,
    cache,
    combine_digests,
    combine_fingerprints,
    cpu_count,
    file_fingerprint,
    fingerprint,
    temporary_folder,
)
from weatherglass.errors import BadContent, SourceError

from . import store
from .formats import Chunk, WantedWords, concatenate_counts, find_format, has_capitals
from .source import Spec, check_options, find_path, parse_spec
from .vectors import Vectors, unusable_rows
from .vocabulary import Vocabulary, pack_words

Progress = Callable[[int, int], None]


def open_vectors(
    source: str | os.PathLike[str] | Vectors,
    *,
    words: Iterable[str] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Vectors:
    """Open words and their vectors.

    Parameters
    ----------
    source
        A path, or a name such as ``"default"``; see `sources` for the grammar.
    words
        Only these words. Their rows are found at the speed of reading the file, and nothing else
        is parsed. Without it the whole file is parsed, once: a copy that opens by memory-mapping
        is kept in the cache.
    workers
        Threads; by default as many as there are processors to use.
    progress
        Called with the bytes done and the bytes in all.

    Returns
    -------
    Vectors

    Examples
    --------
    >>> vectors = open_vectors("default", words=["glass", "weather"])
    >>> vectors.words[:], vectors.dim
    (['weather', 'glass'], 50)
    """
    if isinstance(source, Vectors):
        return source if words is None else source.subset(words)
    spec = parse_spec(os.fsdecode(source))
    try:
        return _open(spec, words, workers or cpu_count(), progress)
    except OSError as error:
        raise SourceError(f"{spec.text} cannot be read: {error}.") from error


def _open(
    spec: Spec, words: Iterable[str] | None, workers: int, progress: Progress | None
) -> Vectors:
    opened = Input(find_path(spec), spec.options)
    form = find_format(opened)
    check_options(spec, (*form.options, *(("member",) if opened.compression == "zip" else ())))
    files = list(form.files(opened))
    state = cache.file_state(files)
    fingerprint = cache.find_fingerprint(files)
    if fingerprint is None and words is None:
        fingerprint = combine_fingerprints([file_fingerprint(path, workers) for path in files])
        cache.save_fingerprint(files, fingerprint, state)
    if fingerprint is not None:
        kept = _from_cache(_entry(fingerprint, spec), spec.text)
        if kept is not None:
            return kept if words is None else kept.subset(words)
    wanted = None if words is None else WantedWords.of(words)

    def chunks() -> Iterator[Chunk]:
        return _reported(opened, form.read(opened, wanted, workers), progress)

    if wanted is not None:
        parts = list(chunks())
        if fingerprint is None:
            fingerprint = _fingerprint(opened, files, workers)
            cache.save_fingerprint(files, fingerprint, state)
        return _in_memory(spec, opened, parts, fingerprint)
    assert fingerprint is not None
    made = _build(
        _entry(fingerprint, spec), spec, fingerprint, lambda: _watched(chunks(), files, state)
    )
    if made is None:  # no disk has room
        parts = list(_watched(chunks(), files, state))
        made = _in_memory(spec, opened, parts, fingerprint, part=False)
    return made


def _entry(fingerprint: str, spec: Spec) -> Path:
    """The cache folder of a source: its content, the parser's version, and the options."""
    name = f"{fingerprint}-{store.VERSION}"
    if spec.options:
        options = repr(sorted(spec.options.items())).encode("utf-8", "backslashreplace")
        name += "-" + hashlib.blake2b(options, digest_size=8).hexdigest()
    return cache.vectors_dir() / name


def _reported(source: Input, chunks: Iterator[Chunk], progress: Progress | None) -> Iterator[Chunk]:
    for chunk in chunks:
        if progress is not None:
            progress(min(source.bytes_read, source.size), source.size)
        yield chunk


def _watched(
    chunks: Iterator[Chunk], files: list[Path], state: list[cache.State]
) -> Iterator[Chunk]:
    """The chunks, and an error after the last if a file has changed since `state`.

    Its fingerprint would not be that of what was read.
    """
    try:
        yield from chunks
    except OSError as error:  # so that it is not taken for one of writing
        raise SourceError(f"{files[0]} cannot be read: {error}.") from error
    if cache.file_state(files) != state:
        raise BadContent(f"{files[0]} changed while it was being read.")


def _from_cache(entry: Path, source: str) -> Vectors | None:
    if not entry.is_dir():
        return None
    try:
        return store.open_store(entry, source)
    except store.Damaged:
        shutil.rmtree(entry, ignore_errors=True)
        return None


def _build(
    entry: Path, spec: Spec, fingerprint: str, chunks: Callable[[], Iterator[Chunk]]
) -> Vectors | None:
    """Parse a source into the cache, or if that cannot be written into a folder that passes."""
    described = {"source": spec.text, "fingerprint": fingerprint}
    for place in (_kept, _passing):
        try:
            # Opened before the folder gets its name, or goes: mapped files stay readable, and
            # nobody else can have spoilt them.
            with place(entry) as folder:
                store.build(folder, chunks(), described)
                return store.open_store(folder, spec.text)
        except (OSError, store.Damaged):  # there is no room, or nothing may be written
            continue
    return None


def _kept(entry: Path) -> AbstractContextManager[Path]:
    entry.parent.mkdir(parents=True, exist_ok=True)
    if not os.access(entry.parent, os.W_OK):
        raise PermissionError(entry.parent)
    return atomic_folder(entry)


def _passing(entry: Path) -> AbstractContextManager[Path]:
    return temporary_folder(Path(tempfile.gettempdir()), entry.name)


def _in_memory(
    spec: Spec, source: Input, parts: list[Chunk], fingerprint: str, part: bool = True
) -> Vectors:
    if not parts:
        raise BadContent(f"{spec.text} has no rows.")
    words = [word for part in parts for word in part.words()]
    rows = np.concatenate([part.rows for part in parts])
    counts = concatenate_counts([part.counts for part in parts])
    vocabulary, keep = Vocabulary.build(*pack_words(words))
    if keep is not None:
        rows = np.ascontiguousarray(rows[keep])
        counts = None if counts is None else counts[keep]
    rows.flags.writeable = False
    return Vectors(
        words=vocabulary,
        matrix=rows,
        source=spec.text,
        fingerprint=fingerprint,
        cased=source.cased or has_capitals(vocabulary.blob),
        duplicates=len(words) - len(vocabulary),
        unusable=unusable_rows(rows),
        counts=counts,
        part=part,
    )


def _fingerprint(source: Input, files: list[Path], workers: int) -> str:
    blocks = range(0, source.size, fingerprint.BLOCK_SIZE)
    if len(files) == 1 and len(source.digests) == len(blocks):
        return combine_digests((source.digests[start] for start in blocks), source.size)
    return combine_fingerprints([file_fingerprint(path, workers) for path in files])
