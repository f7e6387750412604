"""Axes to debias vectors along: the words that define one, and those that belong to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, Field, ValidationError, model_validator

from weatherglass._files import printable_path, read_text, read_yaml
from weatherglass.errors import CatalogError, UnknownEntry, did_you_mean, quote_safe

from .provenance import DATA, Record, Study, Words, cited
from .validation import complaint

_FOLDER = DATA / "axes"


def _each_once(words: Sequence[str]) -> Sequence[str]:
    if not all(word.strip() for word in words):
        raise ValueError("has an empty word; every word needs at least one visible character")
    repeated = [word for word, times in Counter(words).items() if times > 1]
    if repeated:
        raise ValueError(f"has {quote_safe(repeated[0])} more than once; name a word once")
    return words


def _two_or_more(words: Sequence[str]) -> Sequence[str]:
    if len(words) < 2:
        raise ValueError(f"is a list of {len(words)}; two words or more were expected")
    return words


_Listed = Annotated[Words, AfterValidator(_each_once)]
_Set = Annotated[_Listed, AfterValidator(_two_or_more)]


class Axis(Record):
    """An axis of bias, as hard debiasing needs it.

    Parameters
    ----------
    title
        What the axis is.
    pairs
        Pairs of words, or larger sets, whose differences define the axis.
    equal
        Sets of words that are to differ along the axis only.
    specific
        Words that rightly lie along the axis, beside those of `pairs` and `equal`.
    study
        The work the lists are from.
    provenance
        How the lists came about.

    Examples
    --------
    >>> Axis(pairs=[["she", "he"]], specific=["beard"]).pairs
    (('she', 'he'),)
    """

    title: str = ""
    pairs: Annotated[tuple[_Set, ...], Field(min_length=1)]
    equal: tuple[_Set, ...] = ()
    specific: _Listed = ()
    study: Study | None = None
    provenance: str = ""

    @model_validator(mode="after")
    def _one_equality_set_a_word(self) -> Self:
        words = Counter(word for one in self.equal for word in one)
        twice = [word for word, times in words.items() if times > 1]
        if twice:
            raise ValueError(
                f"has {quote_safe(twice[0])} in two sets of equal; join them, or drop one"
            )
        return self


def axis(name: str) -> Axis:
    """An axis of the catalogue.

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
            f"There is no axis {quote_safe(name)} in the catalogue, which has {' and '.join(known)}."
            f"{did_you_mean(name.lower(), known)} An axis of your own is a YAML file."
        )
    return load_axis(_FOLDER / f"{name}.yaml")


def load_axis(path: str | PathLike[str]) -> Axis:
    """Read an axis of your own.

    Parameters
    ----------
    path
        A YAML file with ``pairs``, a list of lists of words, and where wanted ``equal``,
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
    where = printable_path(path)
    documents = read_yaml(read_text(path), where)
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise CatalogError(f"{where}: a mapping with pairs, equal and specific was expected.")
    try:
        return Axis.model_validate(cited(documents[0]))
    except ValidationError as error:
        raise complaint(error, where, {*Axis.model_fields, *Study.model_fields}) from None
    except CatalogError as error:  # a study that the catalogue does not have
        raise CatalogError(f"{where}: {error}") from None
