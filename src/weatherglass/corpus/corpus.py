"""`Corpus`: documents that you can iterate over any number of times."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from weatherglass._files import Input, cache, combine_fingerprints, cpu_count, file_fingerprint
from weatherglass.corpus.formats import text
from weatherglass.errors import BadContent, UsageError

from .formats import CorpusFormat, Document, Reading, join_documents

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class CorpusFile:
    """A file of a corpus: its path, its name inside the corpus, and its format."""

    path: Path
    name: str
    form: CorpusFormat


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Documents that you can iterate over any number of times; files are streamed, not kept.

    Attributes
    ----------
    source
        What was opened, as the user named it.
    left_out
        Files of a folder that are not read, because their suffix is unknown or because the table
        of metadata does not name them.

    Examples
    --------
    >>> corpus = Corpus.of(["The sea was calm.", "The sea was high."], source="weather")
    >>> [document.text for document in corpus]
    ['The sea was calm.', 'The sea was high.']
    >>> corpus
    <Corpus weather: 2 documents in memory>
    """

    source: str
    files: tuple[CorpusFile, ...] = ()
    reading: Reading = field(default_factory=Reading)
    options: dict[str, str] = field(default_factory=dict)
    in_memory: tuple[Document, ...] = ()
    left_out: tuple[str, ...] = ()
    file_metadata: dict[str, dict[str, str]] = field(default_factory=dict)
    joined_by: str | None = None  # files with the same value in this column are one document

    @classmethod
    def of(cls, documents: Iterable[str | Document], source: str = "memory") -> Corpus:
        """Return a corpus of texts or documents in memory."""
        if isinstance(documents, str):
            raise UsageError("The corpus is one text; give its documents as a list.")
        in_memory = tuple(
            document if isinstance(document, Document) else Document(str(document), {})
            for document in documents
        )
        return cls(source, in_memory=in_memory)

    def __repr__(self) -> str:
        count = len(self.files) or len(self.in_memory)
        unit = "file" if self.files else "document"
        where = "" if self.files else " in memory"
        return f"<Corpus {self.source}: {count:,} {unit}{'' if count == 1 else 's'}{where}>"

    def __iter__(self) -> Iterator[Document]:
        return self.documents()

    def documents(self, progress: Progress | None = None) -> Iterator[Document]:
        """Yield the documents in order, without those that have no text.

        Parameters
        ----------
        progress
            Called with the number of bytes read and the number of bytes in total.

        Raises
        ------
        BadContent
            A file is invalid for its format, or no document has text.
        """
        is_empty = True
        documents: Iterable[Document] = self.in_memory or self._read_files(progress)
        if self.joined_by is not None:
            documents = join_documents(documents, self.joined_by, self.source)
        for document in documents:
            if document.text and not document.text.isspace():
                is_empty = False
                yield document
        if is_empty:
            raise BadContent(f"{self.source} is an empty corpus: none of its documents has text.")

    def _read_files(self, progress: Progress | None) -> Iterator[Document]:
        total = sum(file.path.stat().st_size for file in self.files)
        bytes_before = 0
        for file in self.files:
            if not file.path.stat().st_size:
                continue
            source = Input(file.path, self.options)
            for document in file.form.read(source, self.reading):
                if progress is not None:
                    progress(bytes_before + min(source.bytes_read, source.size), total)
                yield self._add_metadata(document, file)
            bytes_before += source.size

    def _add_metadata(self, document: Document, file: CorpusFile) -> Document:
        """Add the file's row of the metadata table, which wins, and the file's place, which yields.

        A single table needs no ``file`` column: all its documents would have the same value.
        """
        known = self.file_metadata.get(file.name, {})
        if len(self.files) == 1 and file.form is not text.PLAIN_TEXT and not known:
            return document
        folder = file.name.rpartition("/")[0]
        place = {"file": file.name} | ({"folder": folder} if folder else {})
        return Document(document.text, place | document.meta | known)

    def fingerprint(self) -> str:
        """Return a hash of the content and of how it is read.

        Training folders record it, so the bytes that are hashed must not change between versions.
        """
        digest = hashlib.blake2b(repr(self.reading).encode("utf-8", "replace"), digest_size=16)
        digest.update(repr(sorted(self.options.items())).encode("utf-8", "replace"))
        if self.file_metadata:
            metadata = (self.joined_by, self.file_metadata)
            digest.update(repr(metadata).encode("utf-8", "replace"))
        for text_, meta in self.in_memory:
            digest.update(repr((text_, sorted(meta.items()))).encode("utf-8", "replace"))
        if self.files:
            names = [(file.name, file.form.name) for file in self.files]
            digest.update(repr(names).encode("utf-8", "replace"))
            digest.update(_hash_files([file.path for file in self.files]).encode())
        return digest.hexdigest()


def _hash_files(paths: list[Path]) -> str:
    """Return the fingerprint of the files' content, from the cache if they have not changed."""
    fingerprint = cache.find_fingerprint(paths)
    if fingerprint is None:
        state = cache.file_state(paths)
        fingerprint = combine_fingerprints([file_fingerprint(path, cpu_count()) for path in paths])
        cache.save_fingerprint(paths, fingerprint, state)
    return fingerprint
