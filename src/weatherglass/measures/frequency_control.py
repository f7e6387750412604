"""How much of an effect survives when word frequency is taken out of the vectors."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from weatherglass.errors import UsageError
from weatherglass.vectors import Control, ControlMethod, Vectors, controlled_fingerprint
from weatherglass.vectors import control as take_out

from .result import Record

Controlled = tuple[Vectors, Control]
Measured = TypeVar("Measured", bound=Record)


def survival(
    plain: Measured,
    vectors: Vectors,
    control: Controlled | ControlMethod,
    measure: Callable[[Vectors], Measured],
    name: str,
    numbers: Callable[[Measured], tuple[Any, Any]],
) -> dict[str, Any]:
    """What a result would have been without frequency.

    Parameters
    ----------
    plain, vectors
        The result, and the vectors that it is of.
    control
        What `weatherglass.control` gave for them, or how it is to be done.
    measure
        The same measurement on other vectors.
    name, numbers
        The name of a result's main number; that number and its p-value.

    Returns
    -------
    dict
        What was done (the fields of `Control`); the main number, under its name, and ``p`` without
        frequency; ``survives``: the main number without frequency over that with it. The numbers
        are `None` where nothing was done, or where it could not be measured, for a ``reason``.
    """
    made, done = take_out(vectors, control) if isinstance(control, str) else _given(control)
    if made.fingerprint not in (vectors.fingerprint, controlled_fingerprint(vectors.fingerprint)):
        raise UsageError(
            f"The control is of other vectors ({made.source}) than the measure "
            f"({vectors.source}): give what `weatherglass.control` makes of these."
        )
    told: dict[str, Any] = dataclasses.asdict(done)
    if plain.status == "not run" or done.method == "none":
        return told | dict.fromkeys([name, "p", "survives"]) | {"reason": ""}
    again = measure(made)
    if again.status == "not run":
        return told | dict.fromkeys([name, "p", "survives"]) | {"reason": again.reason}
    (before, _), (after, p) = numbers(plain), numbers(again)
    survives = after / before if before else None
    return told | {name: after, "p": p, "survives": survives, "reason": ""}


def _given(control: Any) -> Controlled:
    pair = control if isinstance(control, tuple) and len(control) == 2 else (None, None)
    if isinstance(pair[0], Vectors) and isinstance(pair[1], Control):
        return pair[0], pair[1]
    raise UsageError("control must be a method, or the pair that `weatherglass.control` gave.")
