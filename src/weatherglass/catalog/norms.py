"""Norms: one rating by people per word, from the catalogue or from a user's table."""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from weatherglass._files import read_text
from weatherglass.errors import (
    CatalogError,
    UnknownEntry,
    UsageError,
    did_you_mean,
    join_first,
    quote_safe,
)

from .facts import parse_number
from .provenance import DATA, Record, Study, Words, resolve_studies
from .record_files import Table, read_header, read_mapping, read_table
from .validation import validate

_FOLDER = DATA / "norms"
_SENSE = re.compile(r"\s*\([^()]*\)\s*$")  # "arm (limb)" is a sense of "arm"
_MISSING = {"", "na", "n/a", "nan", "none", "null", "."}
_MAX_LISTED_COLUMNS = 20
_WORD_COLUMNS = ("word", "words", "item", "term", "lemma")


class NormSource(Record):
    """A list of norms in the catalogue: where it comes from, and how associations are scored."""

    title: str
    study: Study
    file: str
    value: str
    name: str
    unit: str
    licence: str
    word: str = "word"
    test: str = ""
    axis: Words = ()
    labels: Words = ()


@dataclass(frozen=True)
class Norms:
    """Ratings of words by people.

    Attributes
    ----------
    id, title
        What results call the ratings.
    words, ratings
        Each word once, and the mean of its ratings; the senses of a word are averaged.
    name, unit
        What was rated, and the scale.
    errors
        The squared standard error of each rating; empty where it is not known.
    test, axis, labels
        How associations are scored by default: the attribute sets of a test, or two seed sets with
        what to call them.
    merged
        How many rows were averaged into another row of the same word.
    left_out
        How many rows have no rating.
    study
        Who published the ratings.
    digest
        A fingerprint of the words and ratings.
    """

    id: str
    title: str
    words: tuple[str, ...]
    ratings: tuple[float, ...]
    name: str = "Rating"
    unit: str = ""
    errors: tuple[float, ...] = ()
    test: str = ""
    axis: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    merged: int = 0
    left_out: int = 0
    study: Study | None = None

    def __len__(self) -> int:
        return len(self.words)

    @property
    def digest(self) -> str:
        text = "\n".join(f"{w}\t{r!r}" for w, r in zip(self.words, self.ratings, strict=True))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@functools.cache
def norm_sources() -> Mapping[str, NormSource]:
    """Return the catalogue's lists of norms, by id.

    >>> list(norm_sources())
    ['glasgow-valence', 'glasgow-gender']
    """
    return {
        id: validate(NormSource, resolve_studies(record), f"norms {id}")
        for id, record in read_mapping(_FOLDER / "norms.yaml").items()
    }


def load_norms(
    which: str | PathLike[str],
    *,
    word: str | None = None,
    value: str | None = None,
    sd: str | None = None,
    raters: str | int | None = None,
) -> Norms:
    """Load ratings of words from the catalogue or from a table.

    Parameters
    ----------
    which
        ``"glasgow-valence"``, ``"glasgow-gender"``, or a file with a header line: CSV, or TSV if
        its name ends in ``.tsv``. Senses such as ``arm (limb)``, and rows that repeat a word, are
        averaged; a row without a rating is left out.
    word, value
        The columns of the words and of the ratings. By default the column ``word``, and the other
        column of a file that has two.
    sd, raters
        The column of the standard deviation over raters, and the column of the number of raters,
        or the number itself. With both, the reliability of the ratings is known.

    Raises
    ------
    UnknownEntry
        There is no such list and no such file.
    CatalogError
        With the line, if a column is missing or a rating is not a number.

    Examples
    --------
    >>> valence = load_norms("glasgow-valence")
    >>> len(valence), valence.merged
    (4683, 870)
    >>> valence.words[0], valence.ratings[0]
    ('abattoir', 2.7619)
    """
    columns = {"word": word, "value": value, "sd": sd, "raters": raters}
    if isinstance(which, str) and which in norm_sources():
        given = next((name for name, column in columns.items() if column is not None), None)
        if given is not None:
            raise UsageError(f"{which} is a list of the catalogue; {given} is for files.")
        return _load_catalogue_list(which)
    path = Path(which)
    looks_like_id = isinstance(which, str) and not path.suffix and path.name == which
    if looks_like_id and not os.path.exists(path):
        raise UnknownEntry(
            f"There are no norms {quote_safe(str(which))}, and no such file."
            f"{did_you_mean(str(which), norm_sources())} The catalogue has "
            f"{' and '.join(norm_sources())}."
        )
    if (sd is None) != (raters is None):
        raise UsageError("Give both sd and raters: a standard error needs the number of raters.")
    word, value = _choose_columns(path, word, value)
    return _read_norms(path, word, value, sd, raters)


@functools.cache
def _load_catalogue_list(id: str) -> Norms:
    source = norm_sources()[id]
    norms = _read_norms(_FOLDER / source.file, source.word, source.value)
    return Norms(
        id=id,
        title=source.title,
        words=norms.words,
        ratings=norms.ratings,
        name=source.name,
        unit=source.unit,
        test=source.test,
        axis=source.axis,
        labels=source.labels,
        merged=norms.merged,
        left_out=norms.left_out,
        study=source.study,
    )


def _choose_columns(path: Path, word: str | None, value: str | None) -> tuple[str, str]:
    header = read_header(path)
    if word is None:
        known = [column for column in header if column.lower() in _WORD_COLUMNS]
        if not known:
            raise UsageError(f"Name the column of the words; {_list(path, header)}.")
        word = known[0]
    if value is None:
        others = [column for column in header if column != word]
        if len(others) != 1:
            raise UsageError(f"Name the column of the ratings; {_list(path, header)}.")
        value = others[0]
    return word, value


def _list(path: Path, header: Sequence[str]) -> str:
    columns = join_first(map(quote_safe, header), _MAX_LISTED_COLUMNS)
    return f"{quote_safe(path.name)} has the columns {columns}"


@dataclass
class _Sums:
    """The sums of the rows of a word."""

    rating: float = 0.0
    error: float = 0.0
    rows: int = 0


def _read_norms(
    path: Path,
    word: str,
    value: str,
    sd: str | None = None,
    raters: str | int | None = None,
) -> Norms:
    names = [word, value, *([sd] if sd else []), *([raters] if isinstance(raters, str) else [])]
    table = read_table(path, names)
    sums: dict[str, _Sums] = {}
    left_out = 0
    for row, cells in enumerate(table.rows):
        spelled = _SENSE.sub("", cells[0].strip())
        if not spelled:
            raise table.error(row, f"{word} is empty; a word was expected.")
        numbers = [_read_cell(table, row, column) for column in range(1, len(names))]
        if any(number is None for number in numbers):
            left_out += 1
            continue
        rating, *rest = (number for number in numbers if number is not None)
        total = sums.setdefault(spelled, _Sums())
        total.rating += rating
        total.error += _squared_error(table, row, rest, raters) if sd else 0.0
        total.rows += 1
    if not sums:
        raise CatalogError(f"{table.name}: no row has a rating.")
    return Norms(
        id=path.stem,
        title=f"{value} in {path.name}",
        words=tuple(sums),
        ratings=tuple(total.rating / total.rows for total in sums.values()),
        name=value,
        # The mean of k senses has the mean of their variances over k as its variance.
        errors=tuple(total.error / total.rows**2 for total in sums.values()) if sd else (),
        merged=sum(total.rows - 1 for total in sums.values()),
        left_out=left_out,
    )


def _squared_error(
    table: Table, row: int, rest: Sequence[float], raters: str | int | None
) -> float:
    sd, *counted = rest
    count = counted[0] if counted else float(raters or 0)
    if sd < 0 or count < 1:
        raise table.error(row, "a standard deviation or a number of raters is too small.")
    return sd * sd / count


def _read_cell(table: Table, row: int, column: int) -> float | None:
    cell = table.rows[row][column].strip()
    if cell.lower() in _MISSING:
        return None
    number = parse_number(cell)
    if number is None:
        name = table.header[column]
        raise table.error(row, f"{name} is {quote_safe(cell)}; a number such as 4.5 was expected.")
    return number


def load_pairs(path: str | PathLike[str]) -> tuple[tuple[str, str], ...]:
    """Read pairs of antonyms: two words on each line, separated by a comma or a tab.

    The first word of each pair belongs to A, the side that high ratings stand for. Lines that are
    blank or start with ``#`` are skipped.
    """
    pairs: list[tuple[str, str]] = []
    for number, line in enumerate(read_text(Path(path)).splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        words = [word.strip() for word in re.split(r"[,\t]", line)]
        if len(words) != 2 or not all(words) or words[0] == words[1]:
            raise CatalogError(
                f"{Path(path).name}, line {number}: two different words, separated by a comma, "
                "were expected."
            )
        pairs.append((words[0], words[1]))
    if not pairs:
        raise CatalogError(f"{Path(path).name}: no pair of words was found.")
    return tuple(pairs)
