"""A formula of metadata columns, such as ``party + year``, and what it compares.

The grammar is small: names of columns joined by ``+``; ``C(year)`` takes a column of numbers as
categories, as in R and patsy; a name with other signs is put in backquotes. Libraries such as
formulaic parse much more (interactions, functions, Python code), which a test that permutes the
documents' values of one term could not use, and need pandas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from weatherglass.corpus import parse_number
from weatherglass.errors import UsageError, did_you_mean, join_first, quote_safe

Floats = NDArray[np.float64]

MAX_GROUPS = 12
"""Values of a tested column of categories; every two of them are compared."""
_MIN_NUMBERS = 3  # different numbers from which a column is a number, not two categories
_TERM = re.compile(r"\s*(C\(\s*)?(?:`([^`]+)`|([^`()+~*:^|]+?))\s*(\))?\s*")


@dataclass(frozen=True)
class Term:
    """A column of a formula, and whether its values are categories even if they are numbers."""

    column: str
    is_category: bool = False

    def __str__(self) -> str:
        name = self.column if re.fullmatch(r"[^`()+~*:^|]+", self.column) else f"`{self.column}`"
        return f"C({name})" if self.is_category else name


def parse_formula(formula: str) -> tuple[Term, ...]:
    """Parse a formula.

    Raises
    ------
    UsageError
        It is not a sum of columns.

    >>> [str(term) for term in parse_formula("party + C(year) + `born in`")]
    ['party', 'C(year)', 'born in']
    """
    terms: list[Term] = []
    for part in _split(formula):
        match = _TERM.fullmatch(part)
        if match is None or bool(match[1]) != bool(match[4]):
            raise UsageError(
                f"The formula {quote_safe(formula)} is not a sum of columns, such as "
                "party + year or party + C(decade); put other names in backquotes."
            )
        term = Term(match[2] or match[3], bool(match[1]))
        if term.column in (known.column for known in terms):
            raise UsageError(f"The formula has {quote_safe(term.column)} twice.")
        terms.append(term)
    return tuple(terms)


def _split(formula: str) -> list[str]:
    """Split at plus signs that are not in backquotes."""
    parts, is_quoted = [""], False
    for sign in formula:
        is_quoted ^= sign == "`"
        if sign == "+" and not is_quoted:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


@dataclass(frozen=True, eq=False)
class Column:
    """The values of a term in all documents, as numbers or as categories.

    Attributes
    ----------
    name
        The name of the column.
    values
        The numbers; of categories, the position in `levels`.
    levels
        The categories, in their order; empty for numbers.
    """

    name: str
    values: Floats
    levels: tuple[str, ...] = ()

    @classmethod
    def of(cls, term: Term, values: Sequence[str]) -> Column:
        """Return a column: of numbers, if all its values are numbers or dates, three at least."""
        numbers = [] if term.is_category else [parse_number(value) for value in values]
        if numbers and None not in numbers and len(set(numbers)) >= _MIN_NUMBERS:
            return cls(term.column, np.array(numbers, dtype=np.float64))
        levels = tuple(sorted(set(values)))
        at = {level: position for position, level in enumerate(levels)}
        return cls(term.column, np.array([at[value] for value in values], np.float64), levels)

    def dummies(self, chosen: NDArray[np.intp]) -> Floats:
        """Return the column of some documents as covariates, scaled to a standard deviation of 1.

        Categories are a column each, but for the most frequent one.
        """
        values = self.values[chosen]
        if not self.levels:
            centred = values - values.mean()
            return np.reshape(centred / (float(centred.std()) or 1.0), (-1, 1))
        levels, counts = np.unique(values, return_counts=True)
        others = np.delete(levels, counts.argmax())
        dummies: Floats = (values[:, np.newaxis] == others).astype(np.float64)
        return dummies


@dataclass(frozen=True)
class Contrast:
    """What is compared: two values of a column, or documents by a number.

    Attributes
    ----------
    column
        The name of the column.
    groups
        The two values, of which the first minus the second is taken; empty for numbers.
    step
        For numbers, their standard deviation: the difference is for documents that far apart.
    """

    column: str
    groups: tuple[str, ...] = ()
    step: float = 1.0


def list_contrasts(
    columns: Iterable[Column], against: str | None = None, only: Sequence[str] = ()
) -> list[tuple[Contrast, NDArray[np.intp], Floats]]:
    """Return what is compared, with the documents that take part and their labels.

    Every two values of a column of categories are compared, or each with `against`; if `only` is
    not empty, only these values.

    Raises
    ------
    UsageError
        A column has one value, or too many, or `against` is none of them.
    """
    contrasts: list[tuple[Contrast, NDArray[np.intp], Floats]] = []
    is_known = against is None
    levels: list[str] = []
    for column in columns:
        if not column.levels:
            step = float(column.values.std())
            contrast = Contrast(column.name, step=step)
            contrasts.append((contrast, np.arange(len(column.values)), column.values / step))
            continue
        levels += column.levels
        for first, second in _pairs(column.name, _choose(column.levels, only), against):
            numbers = [float(column.levels.index(level)) for level in (first, second)]
            chosen = np.flatnonzero(np.isin(column.values, numbers))
            labels = (column.values[chosen] == numbers[0]).astype(np.float64)
            contrasts.append((Contrast(column.name, (first, second)), chosen, labels))
        is_known = is_known or against in column.levels
    if not is_known:
        assert against is not None
        listed = join_first(map(quote_safe, levels), 20) or "none"
        raise UsageError(
            f"There is no group {quote_safe(against)} to compare with; the groups are {listed}."
            + did_you_mean(against, levels)
        )
    return contrasts


def _choose(levels: tuple[str, ...], only: Sequence[str]) -> tuple[str, ...]:
    """Return the chosen values of a column; all of them if none was chosen."""
    for name in only:
        if name not in levels:
            listed = join_first(map(quote_safe, levels), 20)
            raise UsageError(
                f"There is no group {quote_safe(name)}; the groups are {listed}."
                + did_you_mean(name, levels)
            )
    return tuple(level for level in levels if not only or level in only)


def _pairs(name: str, levels: tuple[str, ...], against: str | None) -> list[tuple[str, str]]:
    if len(levels) < 2:
        raise UsageError(
            f"There is one group, {quote_safe(name)} {quote_safe(levels[0])}; two are needed to "
            "compare."
        )
    if against in levels:
        assert against is not None
        return [(level, against) for level in levels if level != against]
    if len(levels) > MAX_GROUPS:
        raise UsageError(
            f"{quote_safe(name)} has {len(levels)} values "
            f"({join_first(map(quote_safe, levels), 5)}), and every two would be compared. Choose "
            "one to compare the others with (against), or fewer groups (only)."
        )
    return list(combinations(levels, 2))


def covariates(columns: Iterable[Column], tested: str, chosen: NDArray[np.intp]) -> Floats:
    """Return all columns but the tested one, for some documents, as columns of numbers."""
    others = [column.dummies(chosen) for column in columns if column.name != tested]
    return np.concatenate([np.empty((len(chosen), 0)), *others], axis=1)


def values_of(
    terms: Sequence[Term], documents: Iterable[Mapping[str, str]]
) -> tuple[list[Column], NDArray[np.bool_]]:
    """Return the columns of documents that have a value for each term, and which these are."""
    rows = [[meta.get(term.column) for term in terms] for meta in documents]
    is_complete = np.array([None not in row for row in rows], dtype=np.bool_)
    complete = [row for row in rows if None not in row]
    columns = [Column.of(term, [str(row[k]) for row in complete]) for k, term in enumerate(terms)]
    return columns, is_complete
