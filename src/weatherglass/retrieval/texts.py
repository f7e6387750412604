"""Documents and queries: the catalogue's résumés and job descriptions, or a user's texts."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from weatherglass.catalog import retrieval_texts
from weatherglass.corpus import Corpus, open_corpus
from weatherglass.errors import UsageError, quote_safe

MAX_TEXTS = 100_000
"""Each text is encoded once for every name, so that more would take days."""

TextSource = str | os.PathLike[str] | Iterable[str] | Corpus


@dataclass(frozen=True)
class Text:
    """A document or a query, and what results call it."""

    id: str
    text: str


def load_texts(source: TextSource, what: str) -> tuple[str, tuple[Text, ...]]:
    """Return what a collection of texts is called, and the texts.

    Parameters
    ----------
    source
        ``resumes`` or ``jobs`` of the catalogue; a file or folder as for `weatherglass.open_corpus`
        (CSV, JSON Lines, Parquet, plain text); a list of texts; or a corpus. A column ``id`` names
        the texts.
    what
        What a message calls the texts, such as ``documents``.

    Examples
    --------
    >>> name, texts = load_texts("jobs", "queries")
    >>> len(texts), texts[0].id
    (20, 'accountant')
    >>> load_texts(["Chef wanted."], "queries")
    ('memory', (Text(id='1', text='Chef wanted.'),))
    """
    if isinstance(source, str) and source in retrieval_texts():
        return source, tuple(Text(*entry) for entry in retrieval_texts()[source].items())
    corpus = open_corpus(source)
    texts: dict[str, str] = {}
    for number, document in enumerate(corpus, 1):
        id = document.meta.get("id") or document.meta.get("file") or str(number)
        if id in texts:
            raise UsageError(f"Two {what} of {corpus.source} have the id {quote_safe(id)}.")
        texts[id] = document.text.strip()
        if len(texts) > MAX_TEXTS:
            raise UsageError(f"{corpus.source} has more than {MAX_TEXTS:,} {what}.")
    return corpus.source, tuple(Text(id, text) for id, text in texts.items())
