"""Several corpora as one, in which a column names the corpus of each document."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .corpus import Corpus, Progress
from .formats import Document

COLUMN = "corpus"


@dataclass(frozen=True, eq=False, repr=False)
class NamedCorpora(Corpus):
    """Several corpora as one, so that they are trained in one run and their documents exchanged.

    The column ``corpus`` has the name of the corpus that a document is from. The order in which the
    corpora were given changes nothing.

    Examples
    --------
    >>> both = NamedCorpora.join({"b": Corpus.of(["one"]), "a": Corpus.of(["two", "three"])})
    >>> [(document.meta["corpus"], document.text) for document in both]
    [('a', 'two'), ('a', 'three'), ('b', 'one')]
    >>> both
    <Corpus a, b: 2 corpora>
    """

    parts: dict[str, Corpus] = field(default_factory=dict)

    @classmethod
    def join(cls, corpora: Mapping[str, Corpus]) -> NamedCorpora:
        """Return the corpora as one, by name."""
        parts = dict(sorted(corpora.items()))
        return cls(", ".join(parts), parts=parts)

    def __repr__(self) -> str:
        count = len(self.parts)
        return f"<Corpus {self.source}: {count:,} corp{'us' if count == 1 else 'ora'}>"

    def document_rows(self, progress: Progress | None = None) -> Iterator[list[Document]]:
        """Yield the rows of each document, of one corpus after another."""
        for name, corpus in self.parts.items():
            for rows in corpus.document_rows(progress):
                yield [Document(text, meta | {COLUMN: name}) for text, meta in rows]

    def notes(self) -> list[str]:
        """Return the notes of each corpus, with its name."""
        return [f"{name}: {note}" for name, corpus in self.parts.items() for note in corpus.notes()]

    def fingerprint(self) -> str:
        """Return a hash of the names, of the content, and of how it is read."""
        parts = [(name, corpus.fingerprint()) for name, corpus in self.parts.items()]
        return hashlib.blake2b(repr(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()
