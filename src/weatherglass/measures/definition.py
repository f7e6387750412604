"""A measure: what computes it, declared with the word sets that it needs and what it means."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure, UsageError, did_you_mean, quote_safe
from weatherglass.significance import Interval, PValue
from weatherglass.vectors import Case, Vectors

from .result import Record, described, named
from .word_sets import (
    Given,
    NamedWords,
    Sets,
    asked_pairs,
    find_sets,
    kept_pairs,
    named_sets,
    too_few,
    words_of,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Measured:
    """The numbers of a measurement as they are computed; `MeasureResult` says what each is."""

    value: float
    by_word: Mapping[str, Floats] = field(default_factory=dict)
    columns: Mapping[str, Mapping[str, Floats]] = field(default_factory=dict)
    details: Mapping[str, float] = field(default_factory=dict)
    p: PValue | None = None
    intervals: tuple[Interval, ...] = ()

    def fields(self) -> dict[str, Any]:
        """The numbers as a `MeasureResult` holds them.

        Raises
        ------
        CannotMeasure
            A number is too large to compute with.
        """
        every: list[Any] = [self.value, *self.details.values()]
        every += [some for one in (self.by_word, *self.columns.values()) for some in one.values()]
        if not all(np.isfinite(some).all() for some in every):
            raise CannotMeasure("the vectors are too large to compute with.")
        return {
            "value": float(self.value),
            "by_word": _plain(self.by_word),
            "columns": {name: _plain(one) for name, one in self.columns.items()},
            "details": {name: float(number) for name, number in self.details.items()},
            "p": self.p,
            "intervals": self.intervals,
        }


@dataclass(frozen=True, kw_only=True)
class MeasureResult(Record):
    """The result of one measure on one source; beside what every `Record` has:

    Attributes
    ----------
    measure
        The measure's name, such as ``"rnd"``.
    value
        Its number; `weatherglass.measures.MEASURES` says what each measure's number means.
    by_word
        What each word adds to it, in the order of ``words``, by the name of the set.
    columns
        What else is known of each word: name of the number, name of the set, numbers.
    details
        Other numbers of the whole, by name.
    p
        The permutation p-value, for a measure that has one.
    p_holm, p_bh
        The same corrected over the tests of a result set; see `Results.correct`.
    intervals
        How far the value moves, for a measure in which chance plays a part.
    """

    # One class for all measures of word sets, so that the name belongs to the result.
    measure: str  # type: ignore[misc]

    value: float | None = None
    by_word: dict[str, tuple[float, ...]] = field(default_factory=dict)
    columns: dict[str, dict[str, tuple[float, ...]]] = field(default_factory=dict)
    details: dict[str, float] = field(default_factory=dict)
    p: PValue | None = None
    p_holm: float | None = None
    p_bh: float | None = None
    intervals: tuple[Interval, ...] = ()

    def ranked(self, name: str = "X") -> tuple[tuple[str, float], ...]:
        """The words of a set with what each adds, the largest first."""
        pairs = zip(self.words.get(name, ()), self.by_word.get(name, ()), strict=False)
        return tuple(sorted(pairs, key=lambda pair: -pair[1]))


def _plain(arrays: Mapping[str, Floats]) -> dict[str, tuple[float, ...]]:
    return {
        name: tuple(np.asarray(some, dtype=np.float64).tolist()) for name, some in arrays.items()
    }


@dataclass(frozen=True)
class Needed:
    """A word set that a measure needs: its name, how many words at least, what it stands for."""

    name: str
    least: int
    meaning: str


@dataclass(frozen=True)
class _Asked:
    """What `described` wants to know of a test."""

    id: str
    title: str
    sets: Mapping[str, NamedWords]
    printed: None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Measure:
    """A measure of bias: a function of vectors and word sets, and what is to be known of it.

    Attributes
    ----------
    name, title
        What it is called, in short and in full.
    needs
        The word sets that it takes.
    reading
        What its number says, in a sentence.
    low, high
        The ends of its range; None where there is no end.
    neutral
        The number of an embedding without bias.
    larger
        Whether a larger number is ``"more"`` bias or ``"less"``; ``"either"`` where the sign is
        the direction and the distance from `neutral` the strength.
    citation, doi
        The work that it is from.
    compute
        The function that computes it; its keyword arguments are the options.
    paired
        Whether the words of A and B answer each other one by one.
    further
        What other sets stand for, if there may be any number of them.

    Examples
    --------
    >>> from weatherglass import Vectors
    >>> from weatherglass.measures import MEASURES
    >>> mac = MEASURES["mac"]
    >>> [(one.name, one.least) for one in mac.needs], mac.larger
    ([('X', 1), ('A', 1)], 'more')
    >>> vectors = Vectors.of(["nurse", "she", "he"], [[3, 4], [1, 0], [0, 1]])
    >>> round(mac(vectors, {"X": ["nurse"], "A": ["she"]}).value, 6)
    0.6
    """

    name: str
    title: str
    needs: tuple[Needed, ...]
    reading: str
    low: float | None
    high: float | None
    neutral: float
    larger: Literal["more", "less", "either"]
    citation: str
    doi: str
    compute: Callable[..., Measured] = field(repr=False)
    paired: bool = False
    further: str = ""

    @property
    def options(self) -> dict[str, Any]:
        """The options of this measure and what they are where they are not given."""
        given = inspect.signature(self.compute).parameters.values()
        return {one.name: one.default for one in given if one.kind is one.KEYWORD_ONLY}

    def __call__(
        self,
        vectors: Vectors,
        sets: Sets,
        *,
        test: str = "",
        title: str = "",
        case: Case = "auto",
        max_missing: float = 0.2,
        **options: Any,
    ) -> MeasureResult:
        """Measure; the arguments are those of `weatherglass.measure`."""
        asked = self.checked_sets(sets)
        used = self.checked_options(options)
        found, reason = find_sets(vectors, asked, case)
        told = {"case": case, "max_missing": max_missing, **used}
        entry = _Asked(test or self.name, title or self.title, asked)
        about = described(entry, *words_of(found), named(vectors), told)
        about["measure"] = self.name
        about["merged"] = {name: one.merged for name, one in found.items() if one.merged}
        least = dict.fromkeys(asked, 1) | {one.name: one.least for one in self.needs}
        reason = reason or too_few(about["words"], about["missing"], least, max_missing)
        if reason:
            return MeasureResult(status="not run", reason=reason, **about)
        given = Given(vectors, found)
        try:
            if self.paired:
                given = Given(vectors, found, kept_pairs(vectors, asked_pairs(sets), case))
                about["words"] |= given.paired_words
                about["n"] |= {name: len(some) for name, some in given.paired_words.items()}
            numbers = self.compute(given, **used).fields()
        except CannotMeasure as error:
            return MeasureResult(status="not run", reason=str(error).rstrip("."), **about)
        return MeasureResult(status="done", **numbers, **about)

    def checked_sets(self, given: Sets) -> dict[str, NamedWords]:
        """The sets in the order in which they are declared; raises `UsageError` on a wrong one."""
        sets = named_sets(given)
        names = [one.name for one in self.needs]
        missing = [one for one in self.needs if one.name not in sets]
        if missing:
            first = missing[0]
            raise UsageError(
                f"{self.name} needs the set {first.name}: {first.meaning}. It takes "
                f"{_listed(names)}."
            )
        others = [name for name in sets if name not in names]
        if others and not self.further:
            raise UsageError(
                f"{self.name} has no set {quote_safe(others[0])}; it takes {_listed(names)}."
            )
        if self.paired:
            asked_pairs(given)  # before a large source is read: can they be paired at all?
        return {name: sets[name] for name in (*names, *others)}

    def checked_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All options, the usual ones where none is given; raises `UsageError` on a wrong one."""
        usual = self.options
        for name, value in given.items():
            if name not in usual:
                known = f" It takes {_listed(usual)}." if usual else " It takes none."
                raise UsageError(
                    f"{self.name} has no option {quote_safe(name)}."
                    + (did_you_mean(name, usual) or known)
                )
            wanted = type(usual[name])
            kind, words = _KINDS[wanted]
            if not isinstance(value, kind) or (wanted is not bool and isinstance(value, bool)):
                raise UsageError(
                    f"{name} is {value!r}; {words} was expected, such as {usual[name]!r}."
                )
            if name == "rng" and int(value) < 0:
                raise UsageError(f"rng is {value}; a whole number from 0 was expected.")
        return {name: type(one)(given.get(name, one)) for name, one in usual.items()}


_KINDS: dict[type, tuple[Any, str]] = {
    bool: (bool, "True or False"),
    int: (numbers.Integral, "a whole number"),
    float: (numbers.Real, "a number"),
    str: (str, "text"),
}


def _listed(names: Iterable[str]) -> str:
    """Names in a sentence.

    >>> _listed(["X", "A", "B"])
    'X, A and B'
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
