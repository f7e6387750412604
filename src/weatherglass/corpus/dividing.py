"""Whether a corpus has the column that is to divide it, found before the corpus is read."""

from __future__ import annotations

from collections.abc import Iterable

from weatherglass.errors import UsageError, did_you_mean, few, shown
from weatherglass.vectors.inputs import Input

from . import plain
from .about import columns_of
from .corpus import Corpus

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
    listed = few(map(shown, names), _SHOWN) or "nothing"
    return UsageError(
        f"No document of {source} has a value for {shown(column)}; what is known of them is "
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
    if len(corpus.files) > 1 or any(one.form is plain.FORMAT for one in corpus.files):
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
