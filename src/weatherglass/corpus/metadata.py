"""A table of what is known of each file of a corpus: ``letters?about=letters.csv``."""

from __future__ import annotations

from collections.abc import Iterable
from os.path import isfile
from pathlib import Path

from weatherglass._files import Input
from weatherglass.corpus.formats import text
from weatherglass.errors import (
    BadContent,
    SourceNotFound,
    UsageError,
    did_you_mean,
    join_first,
    quote_safe,
)

from .corpus import Corpus, CorpusFile
from .formats import CorpusFormat, Reading

_FILE = "file"
_UNITS = ("file", "lines", "paragraphs")

About = dict[str, dict[str, str]]


def read_about(path: Path, form: CorpusFormat | None) -> About:
    """What a table says of each file, in its order; the column ``file`` has their names."""
    if not isfile(path):
        raise SourceNotFound(f"There is no file {quote_safe(str(path), 1000)} for about=.")
    if form is None or "text" not in form.options:
        raise UsageError(f"{path} is no table; about= takes CSV, TSV, JSON Lines or Parquet.")
    known: About = {}
    for name, columns in form.read(Input(path), Reading(text=_FILE)):
        if name in known:
            raise BadContent(f"{path} has two rows for the file {quote_safe(name)}.")
        known[name] = columns
    return known


def columns_of(about: About) -> list[str]:
    """The columns that have a value, in the order in which they are met.

    >>> columns_of({"1.txt": {"writer": "Ann"}, "2.txt": {"writer": "Bea", "year": "1841"}})
    ['writer', 'year']
    """
    return list(dict.fromkeys(name for known in about.values() for name in known))


def shared_by(documents: str | None, about: About, table: Path) -> str | None:
    """What the files of one document share, if ``documents=`` names a column of the table.

    Otherwise it says what one document is inside a file.
    """
    known = columns_of(about)
    if documents is None or documents in known:
        return documents
    near = did_you_mean(documents, known)
    if near and documents not in _UNITS:
        raise UsageError(f"{table} has no column {quote_safe(documents)}." + near)
    return None


def in_its_order(
    files: tuple[CorpusFile, ...], about: About, table: Path, column: str | None
) -> tuple[tuple[CorpusFile, ...], tuple[str, ...]]:
    """The files that the table names, and the names of the others.

    Files with the same value in `column` follow the first of them.
    """
    there = {one.name: one for one in files}
    missing = [name for name in about if name not in there]
    if missing:
        raise BadContent(
            f"{table} names files that are not there: {join_first(map(quote_safe, missing))}."
            + did_you_mean(missing[0], there)
        )
    others = (one for one in files if one.name not in about and one.path != table)
    names = about if column is None else _gathered(about, column)
    return tuple(there[name] for name in names), tuple(one.name for one in others)


def _gathered(about: About, column: str) -> list[str]:
    first: dict[str, int] = {}
    places = {
        name: first.setdefault(known[column], at) if column in known else at
        for at, (name, known) in enumerate(about.items())
    }
    return sorted(places, key=places.__getitem__)


_DOCUMENTS = 1000  # that are looked at, where there is no header
_CHARACTERS = 1 << 20
_FILES = 100
_SHOWN = 20


def check_column(corpus: Corpus, column: str) -> None:
    """Refuse a column that a corpus does not have.

    Tables say in their header which columns they have. Where there is none, the first documents
    are looked at; others may know more, so only what looks like a slip of the pen is refused.

    Raises
    ------
    UsageError
        There is no such column.
    """
    known, sure = _columns(corpus)
    if column not in known and (sure or did_you_mean(column, known)):
        raise no_column(corpus.source, column, known)


def no_column(source: str, column: str, known: Iterable[str]) -> UsageError:
    """What to say of a column that no document has."""
    names = list(dict.fromkeys(known))
    listed = join_first(map(quote_safe, names), _SHOWN) or "nothing"
    return UsageError(
        f"No document of {source} has a value for {quote_safe(column)}; what is known of them is "
        f"{listed}." + did_you_mean(column, names)
    )


def _columns(corpus: Corpus) -> tuple[list[str], bool]:
    """The columns that are known of, and whether there can be no others."""
    if not corpus.files:
        return list(dict.fromkeys(name for one in corpus.held for name in one.meta)), True
    found: dict[str, None] = {}
    sure = len(corpus.files) <= _FILES
    for one in corpus.files[:_FILES]:
        if not one.path.stat().st_size:
            continue
        if one.form.columns is None:
            sure = False
            continue
        found |= dict.fromkeys(one.form.columns(Input(one.path, corpus.options), corpus.reading))
    if len(corpus.files) > 1 or any(one.form is text.PLAIN_TEXT for one in corpus.files):
        found |= dict.fromkeys(("file", "folder"))
    found |= dict.fromkeys(columns_of(corpus.about))
    if not sure:
        found |= dict.fromkeys(_of_documents(corpus))
    return list(found), sure


def _of_documents(corpus: Corpus) -> dict[str, None]:
    """What is known of the first documents."""
    found: dict[str, None] = {}
    seen = 0
    for count, one in enumerate(corpus.documents(), 1):
        found |= dict.fromkeys(one.meta)
        seen += len(one.text)
        if count == _DOCUMENTS or seen > _CHARACTERS:
            break
    return found
