"""`Corpus`: documents that you can iterate over any number of times."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from weatherglass._files import Input, cache, combine_fingerprints, cpu_count, file_fingerprint
from weatherglass.corpus.formats import text
from weatherglass.errors import BadContent, UsageError, join_first, quote_safe

from .formats import CorpusFormat, Document, Reading, group_rows, merge_rows

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
    _odd_bytes: dict[str, int] = field(default_factory=dict)  # by file, as it was last read
    _scattered: dict[str, int] = field(default_factory=dict)  # documents of a value, if several

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

    def _repr_html_(self) -> str:
        # Pages and charts are a layer above corpora, so the name is looked up when it is called.
        text: str = import_module("weatherglass.report").corpus_html(self.source, self.documents())
        return text

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
        for rows in self.document_rows(progress):
            document = merge_rows(rows)
            if has_text(document):
                yield document

    def document_rows(self, progress: Progress | None = None) -> Iterator[list[Document]]:
        """Yield for each document the rows or files that it consists of, each with its metadata.

        A document is a single row or file, unless ``documents=`` names a column.

        Raises
        ------
        BadContent
            As in `documents`.
        """
        is_empty = True
        documents: Iterable[list[Document]]
        if self.joined_by is not None:
            files = self._read_files(progress)
            rows = (row for _, read in files for row in read)
            documents = group_rows(rows, self.joined_by, self.source)
        elif self.in_memory:
            documents = ([document] for document in self.in_memory)
        else:
            documents = self._read_documents(progress)
        for document in documents:
            is_empty = is_empty and not any(map(has_text, document))
            yield document
        if is_empty:
            raise BadContent(f"{self.source} is an empty corpus: none of its documents has text.")

    def _read_documents(self, progress: Progress | None) -> Iterator[list[Document]]:
        """Yield the rows of each document; a document ends where its file ends."""
        self._scattered.clear()
        for file, rows in self._read_files(progress):
            column = self.reading.documents if "text" in file.form.options else None
            if column is None:
                yield from ([row] for row in rows)
            else:
                yield from self._note_scattered(group_rows(rows, column, str(file.path)), column)

    def _note_scattered(
        self, documents: Iterable[list[Document]], column: str
    ) -> Iterator[list[Document]]:
        """Yield the documents, and count those whose value an earlier document has.

        They would be resampled and permuted as if they were independent.
        """
        seen: set[str] = set()
        for document in documents:
            value = document[0].meta.get(column, "")
            if value in seen:
                self._scattered[value] = self._scattered.get(value, 1) + 1
            elif value:
                seen.add(value)
            yield document

    def header(self) -> list[str]:
        """Return the columns of the first file, if it is a table.

        >>> Corpus.of(["A warm day."]).header()
        []
        """
        for file in self.files[:1]:
            if file.form.header is not None:
                return list(file.form.header(Input(file.path, self.options), self.reading))
        return []

    def _read_files(
        self, progress: Progress | None
    ) -> Iterator[tuple[CorpusFile, Iterator[Document]]]:
        """Yield each file and its rows, which must be read before the next file."""
        total = sum(file.path.stat().st_size for file in self.files)
        bytes_before = 0

        def read(file: CorpusFile) -> Iterator[Document]:
            source = Input(file.path, self.options)
            for document in file.form.read(source, self.reading):
                if progress is not None:
                    progress(bytes_before + min(source.bytes_read, source.size), total)
                yield self._add_metadata(document, file)
            self._odd_bytes[file.name] = source.odd_bytes

        for file in self.files:
            size = file.path.stat().st_size
            if size:
                yield file, read(file)
            bytes_before += size

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

    def notes(self) -> list[str]:
        """Say what was odd when the corpus was last read.

        Files with bytes that are not UTF-8, and documents whose rows are not consecutive.
        """
        return [*self._note_odd_bytes(), *self._note_documents()]

    def _note_odd_bytes(self) -> list[str]:
        odd = {name: count for name, count in self._odd_bytes.items() if count}
        if not odd:
            return []
        files = "1 file is" if len(odd) == 1 else f"{len(odd):,} files are"
        bytes_ = "1 byte was" if sum(odd.values()) == 1 else f"{sum(odd.values()):,} bytes were"
        return [
            f"{files} not all UTF-8, and {bytes_} read as Windows-1252 "
            f"({join_first(map(quote_safe, odd), 3)}); ?encoding= names another encoding"
        ]

    def _note_documents(self) -> list[str]:
        if not self._scattered:
            return []
        values = join_first(
            (f"{quote_safe(value)} {count:,}" for value, count in self._scattered.items()), 3
        )
        return [
            f"rows of the same {quote_safe(self.reading.documents or '')} that are not consecutive "
            f"are several documents ({values}); sort the table by that column to join them"
        ]

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


def has_text(document: Document) -> bool:
    """Return whether a document has more than white space."""
    return bool(document.text) and not document.text.isspace()


def _hash_files(paths: list[Path]) -> str:
    """Return the fingerprint of the files' content, from the cache if they have not changed."""
    fingerprint = cache.find_fingerprint(paths)
    if fingerprint is None:
        state = cache.file_state(paths)
        fingerprint = combine_fingerprints([file_fingerprint(path, cpu_count()) for path in paths])
        cache.save_fingerprint(paths, fingerprint, state)
    return fingerprint
