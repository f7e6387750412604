"""How similar an encoder finds any two sentences, and the same tests without what all share.

In many models every sentence has a high cosine similarity with every other (K. Ethayarajh (2019),
How contextual are contextualized word representations?, EMNLP). The differences that a test is
about are then a small part of each cosine. So forty everyday sentences, and forty single words, are
encoded too: where their mean cosine similarity is above 0.5, the mean of their unit vectors is
removed from the unit vectors of the test's items, and the test is run again.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weatherglass.measures import ControlledValue, add_numbers
from weatherglass.vectors import Vectors, unit_rows

from .encoder import Encoder, Encodings

if TYPE_CHECKING:
    from collections.abc import Callable

    from .seat import SeatResult

MAX_MEAN_COSINE = 0.5
MIN_ITEMS = 20  # fewer say little about the mean


@dataclass(frozen=True, eq=False)
class Shared:
    """What the encodings of unrelated items have in common.

    Attributes
    ----------
    mean_cosine
        The mean cosine similarity of two of them.
    mean
        The mean of their unit vectors.
    """

    mean_cosine: float
    mean: NDArray[np.float64]


def shared_part(rows: Encodings) -> Shared | None:
    """Return what rows have in common; None if there are too few.

    >>> rows = np.vstack([np.eye(20)] * 2)
    >>> round(shared_part(rows).mean_cosine, 3), round(shared_part(rows + 1).mean_cosine, 3)
    (0.026, 0.958)
    """
    table = np.asarray(rows, dtype=np.float64)
    norms = np.linalg.norm(table, axis=1)
    table = table[(norms > 0) & np.isfinite(norms)]
    count = len(table)
    if count < MIN_ITEMS:
        return None
    units = table / np.linalg.norm(table, axis=1, keepdims=True)
    mean = units.mean(axis=0)
    # The mean over all pairs without that of each item with itself.
    mean_cosine = (count**2 * float(mean @ mean) - count) / (count * (count - 1))
    return Shared(mean_cosine, mean)


def complete_items(encoder: Encoder, items: Sequence[str]) -> list[str]:
    """Return the items of which an encoder knows every word.

    Sentences of which it knows only "the" would be alike for that reason.
    """
    missing = {word.lower() for word in getattr(encoder, "missing", ())}
    return [
        item
        for item in items
        if not missing or not missing & {item.lower(), *re.findall(r"\w+", item.lower())}
    ]


def add_centred(
    result: SeatResult,
    encoded: Vectors,
    shared: Shared | None,
    measure: Callable[[Vectors], SeatResult],
) -> SeatResult:
    """Return a result with the mean cosine and, where that is high, the numbers after centring."""
    if shared is None:
        return result
    source = result.source | {"mean_cosine": round(shared.mean_cosine, 6)}
    result = dataclasses.replace(result, source=source)
    if shared.mean_cosine <= MAX_MEAN_COSINE or not result.is_done:
        return result
    value = ControlledValue("center", asked="center")
    again = measure(_centre(encoded, shared))
    if again.is_done:
        value = add_numbers(value, result, again)
    else:
        value = dataclasses.replace(value, reason=again.reason)
    return dataclasses.replace(result, controls=(*result.controls, value))


def _centre(encoded: Vectors, shared: Shared) -> Vectors:
    rows = unit_rows(encoded, slice(None)) - shared.mean
    digest = hashlib.blake2b(shared.mean.tobytes(), digest_size=16).hexdigest()
    fingerprint = f"{encoded.fingerprint} without {digest}"
    return dataclasses.replace(
        Vectors.of(encoded.words[:], rows, source=encoded.source), fingerprint=fingerprint
    )


def describe_anisotropy(mean_cosine: float, level: str, name: str) -> str:
    """Return the warning about results of an encoder."""
    return (
        f"{name}: unrelated {level}s have a mean cosine similarity of {mean_cosine:.2f}, so that "
        "the differences a test compares are a small part of each cosine. Read the centred numbers "
        "first."
    )
