"""`Corpus`: documents that can be gone through again and again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from weatherglass._files import Input, cache, combine_fingerprints, cpu_count, file_fingerprint
from weatherglass.corpus.formats import text
from weatherglass.errors import BadContent, UsageError

from .document import Document
from .document import join_documents as joined_documents
from .formats import CorpusFormat, Reading

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class CorpusFile:
    """A file of a corpus: where it is, what to call it, and its format."""

    path: Path
    name: str
    form: CorpusFormat


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents that can be gone through again and again; none of them is kept in memory.

    Attributes
    ----------
    source
        What was opened, as it was named.
    left_out
        Files of a folder that are not read: their names end in none of the known ways, or are not
        in the table about the files.

    Examples
    --------
    >>> corpus = Corpus.of(["The sea was calm.", "The sea was high."], source="weather")
    >>> [document.text for document in corpus]
    ['The sea was calm.', 'The sea was high.']
    """

    source: str
    files: tuple[CorpusFile, ...] = ()
    reading: Reading = field(default_factory=Reading)
    options: dict[str, str] = field(default_factory=dict)
    held: tuple[Document, ...] = ()
    left_out: tuple[str, ...] = ()
    about: dict[str, dict[str, str]] = field(default_factory=dict)
    together: str | None = None  # files with the same value in this column are one document

    @classmethod
    def of(cls, documents: Iterable[str | Document], source: str = "memory") -> Corpus:
        """A corpus of texts, or of documents, that are there already."""
        if isinstance(documents, str):
            raise UsageError("The corpus is one text; give its documents as a list.")
        held = tuple(
            one if isinstance(one, Document) else Document(str(one), {}) for one in documents
        )
        return cls(source, held=held)

    def __iter__(self) -> Iterator[Document]:
        return self.documents()

    def documents(self, progress: Progress | None = None) -> Iterator[Document]:
        """The documents in order, without those that have no text.

        Parameters
        ----------
        progress
            Called with the bytes done and the bytes in all.

        Raises
        ------
        BadContent
            A file breaks the rules of its format, or there is no text in any.
        """
        found = False
        documents: Iterable[Document] = self.held or self._from_files(progress)
        if self.together is not None:
            documents = joined_documents(documents, self.together, self.source)
        for document in documents:
            if document.text and not document.text.isspace():
                found = True
                yield document
        if not found:
            raise BadContent(f"{self.source} is an empty corpus: none of its documents has text.")

    def _from_files(self, progress: Progress | None) -> Iterator[Document]:
        total = sum(one.path.stat().st_size for one in self.files)
        before = 0
        for one in self.files:
            if not one.path.stat().st_size:
                continue
            source = Input(one.path, self.options)
            for document in one.form.read(source, self.reading):
                if progress is not None:
                    progress(before + min(source.bytes_read, source.size), total)
                yield self._placed(document, one)
            before += source.size

    def _placed(self, document: Document, file: CorpusFile) -> Document:
        """What is known of the file, before what the document says, before the file's place."""
        known = self.about.get(file.name, {})
        if len(self.files) == 1 and file.form is not text.PLAIN_TEXT and not known:
            return document
        folder = file.name.rpartition("/")[0]
        place = {"file": file.name} | ({"folder": folder} if folder else {})
        return Document(document.text, place | document.meta | known)

    def fingerprint(self) -> str:
        """A hash of the content and of how it is read."""
        whole = hashlib.blake2b(repr(self.reading).encode("utf-8", "replace"), digest_size=16)
        whole.update(repr(sorted(self.options.items())).encode("utf-8", "replace"))
        if self.about:
            whole.update(repr((self.together, self.about)).encode("utf-8", "replace"))
        for one in self.held:
            whole.update(repr((one.text, sorted(one.meta.items()))).encode("utf-8", "replace"))
        if self.files:
            names = [(one.name, one.form.name) for one in self.files]
            whole.update(repr(names).encode("utf-8", "replace"))
            whole.update(_content([one.path for one in self.files]).encode())
        return whole.hexdigest()


def _content(paths: list[Path]) -> str:
    found = cache.find_fingerprint(paths)
    if found is None:
        state = cache.file_state(paths)
        found = combine_fingerprints([file_fingerprint(path, cpu_count()) for path in paths])
        cache.save_fingerprint(paths, found, state)
    return found
