"""What a measure of word sets gives: one number, what it is made of, and what it was made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure
from weatherglass.significance import Interval, PValue

from .record import Record

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
