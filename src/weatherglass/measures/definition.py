"""The definition of a measure: the word sets it needs, what its number means, how to compute it."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure, UsageError, did_you_mean, quote_safe
from weatherglass.significance import Alternative, Interval, Power, PValue, effect_power
from weatherglass.vectors import Case

from .alternatives import choose_alternative
from .association_table import NOT_FOR_TABLES, AssociationTable, Embedding, side_of
from .measurement import Measurement, describe_source, describe_test
from .word_sets import (
    MeasureInput,
    NamedWords,
    Sets,
    case_hint,
    find_sets,
    find_word_pairs,
    parse_sets,
    rank_words,
    split_found,
    too_few_reason,
    word_pairs,
)

if TYPE_CHECKING:
    from .generalised_result import GeneralisedResult
    from .weat import WeatResult

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasureNumbers:
    """The numbers of a measurement as they are computed; `MeasureResult` describes each."""

    value: float
    by_word: Mapping[str, Floats] = field(default_factory=dict)
    columns: Mapping[str, Mapping[str, Floats]] = field(default_factory=dict)
    details: Mapping[str, float] = field(default_factory=dict)
    p: PValue | None = None
    p_two_sided: PValue | None = None
    intervals: tuple[Interval, ...] = ()

    def fields(self) -> dict[str, Any]:
        """Return the numbers as the fields of a `MeasureResult`.

        Raises
        ------
        CannotMeasure
            A number is too large to compute with.
        """
        arrays = [
            values for sets in (self.by_word, *self.columns.values()) for values in sets.values()
        ]
        numbers: list[Any] = [self.value, *self.details.values(), *arrays]
        if not all(np.isfinite(number).all() for number in numbers):
            raise CannotMeasure("the vectors are too large to compute with.")
        return {
            "value": float(self.value),
            "by_word": _to_tuples(self.by_word),
            "columns": {name: _to_tuples(column) for name, column in self.columns.items()},
            "details": {name: float(number) for name, number in self.details.items()},
            "p": self.p,
            "p_two_sided": self.p_two_sided,
            "intervals": self.intervals,
        }


def _to_tuples(arrays: Mapping[str, Floats]) -> dict[str, tuple[float, ...]]:
    return {
        name: tuple(np.asarray(values, dtype=np.float64).tolist())
        for name, values in arrays.items()
    }


@dataclass(frozen=True, kw_only=True, repr=False)
class MeasureResult(Measurement):
    """The result of one measure on one source.

    Attributes
    ----------
    measure
        The measure's name, such as ``"rnd"``.
    value
        Its number; `weatherglass.measures.MEASURES` says what each measure's number means.
    by_word
        What each word adds to it, in the order of ``words``, by the name of the set.
    columns
        Other numbers of each word: name of the number, name of the set, numbers.
    details
        Other numbers of the whole, by name.
    p
        The permutation p-value, for a measure that has one.
    p_two_sided
        The two-sided one.
    p_holm, p_bh
        The same corrected over the tests of a result set; see `Results.correct`.
    intervals
        Confidence intervals of the value, for a measure that has them.

    The other attributes are those of every `Measurement`.
    """

    chart: ClassVar[str] = "measures"
    possible_evidence: ClassVar[tuple[str, ...]] = (
        "p",
        "interval",
        "frequency control",
        "anisotropy control",
    )

    # One class for all measures of word sets, so that the name belongs to the result.
    measure: str  # type: ignore[misc]

    value: float | None = None
    by_word: dict[str, tuple[float, ...]] = field(default_factory=dict)
    columns: dict[str, dict[str, tuple[float, ...]]] = field(default_factory=dict)
    details: dict[str, float] = field(default_factory=dict)
    p: PValue | None = None
    p_two_sided: PValue | None = None
    p_holm: float | None = None
    p_bh: float | None = None
    intervals: tuple[Interval, ...] = ()

    @property
    def p_value(self) -> float | None:
        return self.p.value if self.p else None

    @property
    def p_two_sided_value(self) -> float | None:
        p = self.p_two_sided or (self.p.as_two_sided() if self.p else None)
        return p.value if p else None

    def power_at(
        self, alpha: float, power: float = 0.8, alternative: Alternative | None = None
    ) -> Power | None:
        """Return what the test of the attributes can find; None for a measure without p-value."""
        sizes = self.n.get("A", 0), self.n.get("B", 0)
        if self.p is None or min(sizes) < 2:
            return None
        chosen = alternative or self.finding_alternative
        return effect_power(*sizes, alpha=alpha, power=power, alternative=chosen)

    def ranked(self, name: str = "X") -> tuple[tuple[str, float], ...]:
        """Return the words of a set with what each adds, the largest first."""
        return rank_words(self.words, self.by_word, name)

    def key_facts(self) -> dict[str, Any]:
        return {"measure": self.measure} | super().key_facts()

    def claim(self) -> str:
        from .registry import MEASURES

        known = MEASURES.get(self.measure)
        if known is not None and known.is_signed and self.p is not None:
            x, near, far = (self.set_phrase(name) for name in ("X", "A", "B"))
            if (self.value or 0.0) < 0:
                near, far = far, near
            return f"{x} {self._verb} more strongly associated with {near} than with {far}."
        name = known.title if known else self.measure
        return f"{name} is {self.value:.3f}." + (f" {known.reading}" if known else "")

    def subject(self) -> str:
        if "A" not in self.labels:  # a measure of two sets of targets
            x, y = (self.set_phrase(name) for name in ("X", "Y"))
            return f"in where {x} and {y} lie"
        x, a, b = (self.set_phrase(name) for name in ("X", "A", "B"))
        return f"in how {x} {self._verb} associated with {a} and with {b}"

    @property
    def _verb(self) -> str:
        """The verb for the words of X: a set without a label may be a single word."""
        words = self.words.get("X", ())
        return "is" if self.label("X") == "X" and len(words) == 1 else "are"

    def measure_columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "details": "&".join(f"{name}={number:.6g}" for name, number in self.details.items())
        }
        if self.p is not None:
            columns |= {
                "p_low": self.p.low,
                "p_high": self.p.high,
                "p_method": self.p.method,
                "p_two_sided": self.p_two_sided_value,
                "p_holm": self.p_holm,
                "p_bh": self.p_bh,
            }
        if self.intervals:
            columns |= {"low": self.intervals[0].low, "high": self.intervals[0].high}
        return columns


@dataclass(frozen=True)
class RequiredSet:
    """A word set that a measure needs: its name, how many words at least, what it stands for."""

    name: str
    min_words: int
    meaning: str


@dataclass(frozen=True)
class MeasuredTest:
    """The word sets of a measurement as a test, which a result describes."""

    id: str
    title: str
    sets: Mapping[str, NamedWords]
    printed: None = None
    dimension: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Measure:
    """A measure of bias: how to compute it from vectors and word sets, and what its number means.

    Attributes
    ----------
    name, title
        Its short name and its full name.
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
        Whether A and B consist of pairs: the first word of A with the first of B, and so on. The
        pairs give a direction, on which words are projected; no word is compared with itself, so
        that a word of X may also be in a pair.
    further
        What additional sets stand for, if there may be any number of them.
    for_tables
        Whether it can be computed from an association table, without vectors.
    gives_shares
        Whether the numbers of the words are shares of a whole, so that equal shares are neutral.

    Examples
    --------
    >>> from weatherglass import Vectors
    >>> from weatherglass.measures import MEASURES
    >>> mac = MEASURES["mac"]
    >>> [(required.name, required.min_words) for required in mac.needs], mac.larger
    ([('X', 1), ('A', 1)], 'more')
    >>> vectors = Vectors.of(["nurse", "she", "he"], [[3, 4], [1, 0], [0, 1]])
    >>> round(mac(vectors, {"X": ["nurse"], "A": ["she"]}).value, 6)
    0.6
    """

    name: str
    title: str
    needs: tuple[RequiredSet, ...]
    reading: str
    low: float | None
    high: float | None
    neutral: float
    larger: Literal["more", "less", "either"]
    citation: str
    doi: str
    compute: Callable[..., Any] = field(repr=False)
    paired: bool = False
    further: str = ""
    gives_shares: bool = False
    for_tables: bool = False

    @property
    def is_signed(self) -> bool:
        """Whether the sign of the number is its direction."""
        return self.larger == "either" and self.neutral == 0

    @property
    def options(self) -> dict[str, Any]:
        """The options of this measure and their defaults."""
        parameters = inspect.signature(self.compute).parameters.values()
        return {
            parameter.name: parameter.default
            for parameter in parameters
            if parameter.kind is parameter.KEYWORD_ONLY
        }

    def __call__(
        self,
        vectors: Embedding,
        sets: Sets,
        *,
        test: str = "",
        title: str = "",
        case: Case = "auto",
        max_missing: float = 0.2,
        allow_overlap: bool = False,
        **options: Any,
    ) -> MeasureResult | WeatResult | GeneralisedResult:
        """Measure; the arguments are those of `weatherglass.measure`."""
        wanted = self.check_sets(sets)
        checked = self.check_options(options)
        found, reason = find_sets(vectors, wanted, case, allow_overlap or self.paired)
        settings = {
            "case": case,
            "max_missing": max_missing,
            "allow_overlap": allow_overlap,
            **checked,
        }
        if "alternative" in checked:  # two-sided by default, so any other was declared
            settings |= choose_alternative(None, checked["alternative"])
        entry = MeasuredTest(test or self.name, title or self.title, wanted)
        about = describe_test(entry, *split_found(found), describe_source(vectors), settings)
        about["measure"] = self.name
        about["merged"] = {name: words.merged for name, words in found.items() if words.merged}
        min_words = dict.fromkeys(wanted, 1) | {need.name: need.min_words for need in self.needs}
        if isinstance(vectors, AssociationTable) and not self.for_tables:
            reason = f"{self.name} needs vectors; it is {NOT_FOR_TABLES}"
            return MeasureResult(status="not run", reason=reason, **about)
        reason = reason or too_few_reason(about["words"], about["missing"], min_words, max_missing)
        if reason:
            reason += case_hint(vectors, about["missing"], case)
            return MeasureResult(status="not run", reason=reason, **about)
        lookup = side_of(vectors, is_target=True)
        given = MeasureInput(lookup, found)
        try:
            if self.paired:
                pairs = find_word_pairs(lookup, word_pairs(sets), case)
                given = MeasureInput(lookup, found, pairs)
                about["words"] |= given.paired_words
                about["n"] |= {name: len(words) for name, words in given.paired_words.items()}
            numbers = self.compute(given, **checked).fields()
        except CannotMeasure as error:
            return MeasureResult(status="not run", reason=str(error).rstrip("."), **about)
        return MeasureResult(status="done", **numbers, **about)

    def check_sets(self, given: Sets) -> dict[str, NamedWords]:
        """Return the sets in the order of `needs`; raise `UsageError` on a wrong one."""
        sets = parse_sets(given)
        names = [need.name for need in self.needs]
        missing = [need for need in self.needs if need.name not in sets]
        if missing:
            first = missing[0]
            raise UsageError(
                f"{self.name} needs the set {first.name}: {first.meaning}. It takes {_join(names)}."
            )
        others = [name for name in sets if name not in names]
        if others and not self.further:
            raise UsageError(
                f"{self.name} has no set {quote_safe(others[0])}; it takes {_join(names)}."
            )
        if self.paired:
            word_pairs(given)  # before a large source is read: raises if they form no pairs
        return {name: sets[name] for name in (*names, *others)}

    def check_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options, with defaults; raise `UsageError` on a wrong one."""
        defaults = self.options
        for name, value in given.items():
            if name not in defaults:
                known = f" It takes {_join(defaults)}." if defaults else " It takes none."
                raise UsageError(
                    f"{self.name} has no option {quote_safe(name)}."
                    + (did_you_mean(name, defaults) or known)
                )
            wanted = type(defaults[name])
            kind, noun = _OPTION_TYPES[wanted]
            if not isinstance(value, kind) or (wanted is not bool and isinstance(value, bool)):
                raise UsageError(
                    f"{name} is {value!r}; it must be {noun}, such as {defaults[name]!r}."
                )
            if name == "rng" and int(value) < 0:
                raise UsageError(f"rng is {value}; it must be a whole number from 0.")
        return {name: type(usual)(given.get(name, usual)) for name, usual in defaults.items()}


_OPTION_TYPES: dict[type, tuple[Any, str]] = {
    bool: (bool, "True or False"),
    int: (numbers.Integral, "a whole number"),
    float: (numbers.Real, "a number"),
    str: (str, "text"),
}


def _join(names: Iterable[str]) -> str:
    """Return names in a sentence.

    >>> _join(["X", "A", "B"])
    'X, A and B'
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
