"""Axes for debiasing vectors: the words that define an axis, and those that belong to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from weatherglass._files import printable_path
from weatherglass.errors import CatalogError, UnknownEntry, did_you_mean, quote_safe

from .provenance import DATA, Record, Study, Words, resolve_studies
from .record_files import read_mapping
from .validation import check_words, validate

_FOLDER = DATA / "axes"


def _check_list(words: Sequence[str]) -> Sequence[str]:
    check_words(words)
    return words


def _check_set(words: Sequence[str]) -> Sequence[str]:
    if len(words) < 2:
        raise ValueError(f"is a list of {len(words)}; at least two words were expected")
    return words


_WordList = Annotated[Words, AfterValidator(_check_list)]
_WordSet = Annotated[_WordList, AfterValidator(_check_set)]


class Axis(Record):
    """An axis of bias, as hard debiasing needs it.

    Parameters
    ----------
    title
        Name of the axis.
    pairs
        Pairs of words, or larger sets, whose differences define the axis.
    equal
        Sets of words that should differ only along the axis.
    specific
        Words that legitimately vary along the axis, besides those of `pairs` and `equal`.
    study
        The work that published the lists.
    provenance
        How the lists were compiled.

    Examples
    --------
    >>> Axis(pairs=[["she", "he"]], specific=["beard"]).pairs
    (('she', 'he'),)
    """

    title: str = ""
    pairs: Annotated[tuple[_WordSet, ...], Field(min_length=1)]
    equal: tuple[_WordSet, ...] = ()
    specific: _WordList = ()
    study: Study | None = None
    provenance: str = ""

    @model_validator(mode="after")
    def _check_equal_sets(self) -> Self:
        counts = Counter(word for words in self.equal for word in words)
        shared = [word for word, count in counts.items() if count > 1]
        if shared:
            raise ValueError(
                f"has {quote_safe(shared[0])} in two sets of equal; merge them, or drop one"
            )
        return self


def axis(name: str) -> Axis:
    """Return an axis of the catalogue.

    Raises
    ------
    UnknownEntry
        If there is no such axis.

    Examples
    --------
    >>> gender = axis("gender")
    >>> len(gender.pairs), len(gender.equal), len(gender.specific), gender.study.short
    (10, 52, 218, 'Bolukbasi et al. 2016')
    """
    known = sorted(path.stem for path in _FOLDER.glob("*.yaml"))
    if name not in known:
        raise UnknownEntry(
            f"There is no axis {quote_safe(name)} in the catalogue, which has "
            f"{' and '.join(known)}.{did_you_mean(name.lower(), known)} "
            "To use your own axis, give a YAML file."
        )
    return load_axis(_FOLDER / f"{name}.yaml")


def load_axis(path: str | PathLike[str]) -> Axis:
    """Read an axis from a file.

    Parameters
    ----------
    path
        A YAML file with ``pairs``, a list of lists of words, and optionally ``equal``,
        ``specific``, ``title``, ``study`` and ``provenance``.

    Raises
    ------
    CatalogError
        With the file and the field of the first problem.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "age.yaml")
    ...     _ = file.write_text("pairs: [[old, young], [elderly, youthful]]")
    ...     load_axis(file).pairs
    (('old', 'young'), ('elderly', 'youthful'))
    """
    path = Path(path)
    record = read_mapping(path, "a mapping with pairs, equal and specific")
    try:
        record = resolve_studies(record)
    except CatalogError as error:
        raise CatalogError(f"{printable_path(path)}: {error}") from None
    return validate(Axis, record, printable_path(path), nested=[Study])
