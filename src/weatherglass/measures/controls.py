"""The same measurement on controlled vectors: without word frequency, or without main axes.

The controlled number is reported next to the original one; it does not correct it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from weatherglass.errors import UsageError
from weatherglass.vectors import (
    Control,
    FittedControl,
    Vectors,
    control_phrase,
    controlled_fingerprint,
    fit_control,
    parse_controls,
)

from .association_table import NOT_FOR_TABLES, AssociationTable, Embedding
from .word_sets import spellings

if TYPE_CHECKING:
    from .measurement import Measurement

Controlled = tuple[Vectors, Control]
"""The pair that `weatherglass.control` returns."""

Controls = str | Controlled | FittedControl | Sequence[str | Controlled | FittedControl]
"""One control or several: names, pairs that `weatherglass.control` returned, fitted controls."""

Measured = TypeVar("Measured", bound="Measurement")
Outcome = Literal["holds", "fades", "reverses", ""]

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class ControlledValue:
    """The number of a measurement on controlled vectors.

    Attributes
    ----------
    name
        The control, such as ``"frequency"`` or ``"top:2"``; ``"none"`` if the vectors were not
        changed: ``auto`` found little frequency, or the control could not be applied.
    effect, p
        The measure's number (effect, correlation or value) and its p-value. None where the vectors
        were not changed, or the measurement could not be run.
    survives
        `effect` over that of the original vectors, for numbers whose sign is the direction;
        negative if the effect reverses.
    asked, r2_before, r2_after, by, predictors_before, predictors_after
        As in `weatherglass.Control`.
    reason
        Why there is no number.
    p_two_sided
        The two-sided p-value, by which findings judge.
    rows
        How many sampled rows the control was fitted to; None if that was the whole vocabulary.
    """

    name: str
    effect: float | None = None
    p: float | None = None
    survives: float | None = None
    asked: str = ""
    r2_before: float | None = None
    r2_after: float | None = None
    by: str = "rank"
    predictors_before: dict[str, float] = field(default_factory=dict)
    predictors_after: dict[str, float] = field(default_factory=dict)
    reason: str = ""
    p_two_sided: float | None = None
    rows: int | None = None

    @property
    def phrase(self) -> str:
        """What the control takes away: ``without frequency``."""
        return control_phrase(self.asked if self.name == "none" else self.name)

    @property
    def column(self) -> str:
        """The control's name at the end of a column's name.

        >>> ControlledValue("frequency+top:2").column
        'frequency_top2'
        """
        return re.sub(r"\W", "_", self.name.replace(":", ""))


def needs_all_rows(controls: Controls | None) -> bool:
    """Return whether a control is still to be fitted, for which a whole embedding is read."""
    return controls is not None and any(isinstance(item, str) for item in _as_list(controls))


def with_controls(
    result: Measured,
    vectors: Embedding,
    controls: Controls | None,
    sets: Mapping[str, Any] | None,
    measure: Callable[[Vectors], Measured],
    is_signed: bool = True,
) -> Measured:
    """Return a result with the same measurement on controlled vectors.

    Parameters
    ----------
    result, vectors
        The result, and the vectors that were measured.
    controls
        The controls; `None` for none.
    sets
        The word sets of the measurement; `None` if it needs all words.
    measure
        The same measurement on other vectors.
    is_signed
        Whether the sign of the number is its direction.
    """
    if controls is None:
        return result
    values = []
    for chosen in _as_list(controls):
        if isinstance(vectors, AssociationTable):
            values.append(ControlledValue("none", asked=_name(chosen), reason=NOT_FOR_TABLES))
            continue
        record, controlled = _controlled(chosen, vectors, sets, result.is_done)
        again = measure(controlled) if controlled is not None else None
        values.append(_value(result, record, again, is_signed))
    asked = ",".join(value.asked for value in values) or "none"
    return dataclasses.replace(
        result, controls=tuple(values), options=result.options | {"control": asked}
    )


def _as_list(controls: Any) -> list[Any]:
    """Return controls as a list of names, pairs and fitted controls; ``none`` computes R² only."""
    is_single = isinstance(controls, str | FittedControl) or _is_pair(controls)
    listed: list[Any] = [controls] if is_single else controls
    if not isinstance(listed, list | tuple):
        raise _wrong_control()
    expanded: list[Any] = []
    for item in listed:
        if isinstance(item, str):
            expanded += parse_controls(item) or ["none"]
        elif isinstance(item, FittedControl) or _is_pair(item):
            expanded.append(item)
        else:
            raise _wrong_control()
    return expanded


def _name(chosen: str | Controlled | FittedControl) -> str:
    if isinstance(chosen, str):
        return chosen
    return (chosen[1] if isinstance(chosen, tuple) else chosen.control).asked


def _is_pair(value: Any) -> bool:
    if not isinstance(value, tuple) or len(value) != 2:
        return False
    return isinstance(value[0], Vectors) and isinstance(value[1], Control)


def _wrong_control() -> UsageError:
    return UsageError(
        "control must be a name such as 'frequency' or 'top:2', the pair that "
        "`weatherglass.control` returned, or a list of these."
    )


def _controlled(
    chosen: str | Controlled | FittedControl,
    vectors: Vectors,
    sets: Mapping[str, Any] | None,
    is_done: bool,
) -> tuple[Control, Vectors | None]:
    """Return what was done, and the controlled vectors; None if there is nothing to measure."""
    if isinstance(chosen, tuple):
        controlled, record = chosen
        expected = vectors.fingerprint
        if record.method != "none":
            expected = controlled_fingerprint(expected, record.method)
        _check_same(controlled.fingerprint, expected, controlled, vectors)
        return record, None if record.method == "none" or not is_done else controlled
    fitted = fit_control(vectors, chosen) if isinstance(chosen, str) else chosen
    _check_same(fitted.vectors.fingerprint, vectors.fingerprint, fitted.vectors, vectors)
    if fitted.control.method == "none" or not is_done:
        return fitted.control, None
    # Only the rows that the test needs: a whole copy may be as large as the memory.
    words = None if sets is None else spellings(sets.values())
    return fitted.control, fitted.whole() if words is None else fitted.subset(words)


def _check_same(fingerprint: str, expected: str, controlled: Vectors, vectors: Vectors) -> None:
    if fingerprint != expected:
        raise UsageError(
            f"The control is of other vectors ({controlled.source}) than the measure "
            f"({vectors.source}): give what `weatherglass.control` returns for these."
        )


def _value(
    result: Measurement, record: Control, again: Measurement | None, is_signed: bool
) -> ControlledValue:
    value = ControlledValue(
        name=record.method,
        asked=record.asked,
        r2_before=record.r2_before,
        r2_after=record.r2_after,
        by=record.by,
        predictors_before=record.predictors_before,
        predictors_after=record.predictors_after,
        reason=record.reason,
    )
    if again is None:
        return value
    if not again.is_done:
        return dataclasses.replace(value, reason=again.reason)
    return add_numbers(value, result, again, is_signed)


def add_numbers(
    value: ControlledValue, result: Measurement, again: Measurement, is_signed: bool = True
) -> ControlledValue:
    """Return what a control did with the numbers to report first, before and after it."""
    before, after = result.main_value, again.main_value
    survives = after / before if is_signed and before and after is not None else None
    return dataclasses.replace(
        value,
        effect=after,
        p=again.main_p,
        survives=survives,
        p_two_sided=again.main_p_two_sided,
    )


def control_outcome(result: Measurement, controlled: ControlledValue) -> Outcome:
    """Return what a control does to a clear effect, in a word.

    ``reverses`` if the sign changes; ``holds`` if p is at most 0.05 with and without the control;
    ``fades`` if it is only without. Empty where the effect itself is not clear (p above 0.05), has
    no p-value, or could not be measured again. As in findings, p is two-sided unless the user
    declared a direction.
    """
    p = controlled.p if result.is_declared else controlled.p_two_sided
    if p is None:  # a result of an older version
        p = controlled.p
    if controlled.effect is None or controlled.survives is None or p is None:
        return ""
    before = result.main_p if result.is_declared else result.main_p_two_sided
    if before is None or before > ALPHA:
        return ""
    if controlled.survives < 0:
        return "reverses"
    return "holds" if p <= ALPHA else "fades"


def control_columns(controls: Iterable[ControlledValue]) -> dict[str, Any]:
    """Return the columns of controlled numbers: ``effect_frequency``, ``p_frequency``, and so on.

    The outcome of a combination such as ``frequency+top:2`` is in ``effect_frequency_top2``.
    """
    columns: dict[str, Any] = {}
    for value in controls:
        if value.r2_before is not None:
            columns["frequency_r2"] = value.r2_before
        if value.name == "none":
            continue
        columns |= {f"effect_{value.column}": value.effect, f"p_{value.column}": value.p}
        if value.r2_after is not None:
            columns[f"r2_{value.column}"] = value.r2_after
    return columns
