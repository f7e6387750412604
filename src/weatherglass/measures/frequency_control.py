"""How much of an effect survives when word frequency is removed from the vectors."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from weatherglass.errors import UsageError
from weatherglass.vectors import Control, ControlMethod, Vectors, controlled_fingerprint
from weatherglass.vectors import control as remove_frequency

from .measurement import Measurement

Controlled = tuple[Vectors, Control]
"""The pair that `weatherglass.control` returns."""

Measured = TypeVar("Measured", bound=Measurement)


def measure_control(
    result: Measured,
    vectors: Vectors,
    control: Controlled | ControlMethod,
    measure: Callable[[Vectors], Measured],
    name: str,
) -> dict[str, Any]:
    """Measure again with word frequency removed.

    Parameters
    ----------
    result, vectors
        The result, and the vectors that were measured.
    control
        The pair that `weatherglass.control` returned for them, or the method to use.
    measure
        The same measurement on other vectors.
    name
        The name of the result's number, such as ``"effect"``.

    Returns
    -------
    dict
        The fields of `Control`; the number without frequency, under its name, and its ``p``;
        ``survives``: the number without frequency over that with it. The numbers are None where
        frequency was not removed, or where the measurement could not be run, for a ``reason``.
    """
    without, done = (
        remove_frequency(vectors, control) if isinstance(control, str) else _checked(control)
    )
    accepted = (vectors.fingerprint, controlled_fingerprint(vectors.fingerprint))
    if without.fingerprint not in accepted:
        raise UsageError(
            f"The control is of other vectors ({without.source}) than the measure "
            f"({vectors.source}): give what `weatherglass.control` returns for these."
        )
    fields: dict[str, Any] = dataclasses.asdict(done)
    if not result.is_done or done.method == "none":
        return fields | dict.fromkeys([name, "p", "survives"]) | {"reason": ""}
    again = measure(without)
    if not again.is_done:
        return fields | dict.fromkeys([name, "p", "survives"]) | {"reason": again.reason}
    before, after = result.value, again.value
    survives = after / before if before and after is not None else None
    return fields | {name: after, "p": again.p_value, "survives": survives, "reason": ""}


def control_columns(control: dict[str, Any] | None) -> dict[str, Any]:
    """Return the columns of a result that was also measured without word frequency."""
    if control is None:
        return {}
    return {
        "control": control.get("method"),
        "frequency_r2": control.get("r2_before"),
        "frequency_r2_controlled": control.get("r2_after"),
        "effect_controlled": control.get("effect", control.get("pearson")),
        "p_controlled": control.get("p"),
        "survives": control.get("survives"),
    }


def _checked(control: Any) -> Controlled:
    pair = control if isinstance(control, tuple) and len(control) == 2 else (None, None)
    if isinstance(pair[0], Vectors) and isinstance(pair[1], Control):
        return pair[0], pair[1]
    raise UsageError("control must be a method, or the pair that `weatherglass.control` returned.")
