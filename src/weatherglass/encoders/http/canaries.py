"""Which model answers at an address: a hash of its encodings of a dozen canary sentences.

A server can change its model without notice, and the address stays the same. So the canaries are
encoded on every opening, twice and in another order. The same model need not give the same last
digits each time, and a rounded number may lie next to where it is rounded. So the rows of the
canaries are kept in the cache: if new ones differ from them by no more than about the difference
between the two answers, the model is the same.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import atomic_write, cache_dir, seal, unseal
from weatherglass.errors import CannotWrite, EncoderError

from ..encoder import Encodings

CANARIES = (
    "This is Amy.",
    "This is John.",
    "Jamal is here.",
    "Emily is a nurse.",
    "The engineer repaired the bridge before the storm.",
    "She is a professor of mathematics.",
    "He stayed at home with the children.",
    "flower",
    "wasp",
    "The old woman forgot where she had put her keys, and laughed about it.",
    "They prayed in the mosque on Friday.",
    "What a terrible accident!",
)
"""They are about what the tests are about, so that a model that was changed there is noticed."""

_MIN_COSINE = 0.99  # between two answers; below it the answers are no encodings
_MAX_NOISE = 1e-3  # length of a difference of unit vectors; above it results carry a warning
_ROUNDING = 1e-5  # of numbers that were written and read in float32
_DECIMALS = 3
_MAX_KNOWN = 16

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Identity:
    """What the canaries say about a model.

    Attributes
    ----------
    digest
        A hash of its rows.
    noise
        The largest distance between the unit vectors of a canary in two answers.
    """

    digest: str
    noise: float

    @property
    def is_exact(self) -> bool:
        """Whether two answers are the same but for rounding, so that keeping one is sound."""
        return self.noise <= _MAX_NOISE


def identify(address: str, key: str, encode: Callable[[Sequence[str]], Encodings]) -> Identity:
    """Return the identity of the model that answers now.

    Parameters
    ----------
    address
        What error messages call it.
    key
        A hash of the address and of the parameters of a request.
    encode
        Encodes sentences there.

    Raises
    ------
    EncoderError
        The two answers differ so much that they are no encodings of the sentences.
    """
    first = _unit(encode(CANARIES))
    second = _unit(encode(CANARIES[::-1]))[::-1]
    if first.shape != second.shape or not np.isfinite([first, second]).all():
        raise EncoderError(
            f"{address} did not return finite vectors of one length for {len(CANARIES)} sentences "
            "that were sent to see which model answers."
        )
    lowest = float(np.einsum("ij,ij->i", first, second)[_has_direction(first)].min(initial=1.0))
    if lowest < _MIN_COSINE or not np.array_equal(_has_direction(first), _has_direction(second)):
        raise EncoderError(
            f"{address} is not deterministic: it returned other vectors when the same "
            f"{len(CANARIES)} sentences were sent again (lowest cosine similarity {lowest:.2f}). "
            "Nothing that is measured here could be repeated."
        )
    noise = float(np.linalg.norm(first - second, axis=1).max())
    return Identity(_digest_of(first, key, max(_ROUNDING, 3 * noise)), noise)


def _unit(rows: Encodings) -> Floats:
    """Return unit rows; rows without direction stay zero."""
    table = np.asarray(rows, dtype=np.float64)
    with np.errstate(all="ignore"):
        scaled: Floats = table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-300)
    return scaled


def _has_direction(rows: Floats) -> NDArray[np.bool_]:
    is_nonzero: NDArray[np.bool_] = np.linalg.norm(rows, axis=1) > 0
    return is_nonzero


def _digest_of(rows: Floats, key: str, tolerance: float) -> str:
    """Return the digest of the known rows that are the same up to a tolerance, or a new one."""
    known = _load_known(key)
    for digest, kept in known.items():
        if kept.shape == rows.shape and np.abs(kept - rows).max() <= tolerance:
            return digest
    rounded = np.round(rows, _DECIMALS) + 0.0  # -0.0 and 0.0 are the same number
    new = _hash(rounded)
    if new in known:  # the same when rounded, and yet another model
        new = _hash(rows)
    _save_known(key, dict([*known.items(), (new, rows)][-_MAX_KNOWN:]))
    return new


def _hash(rows: Floats) -> str:
    content = repr(rows.shape).encode() + rows.astype("<f8").tobytes()
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _load_known(key: str) -> dict[str, Floats]:
    """Return the rows of the models that were met at an address, by digest."""
    try:
        record = unseal((cache_dir() / "endpoints" / f"{key}.json").read_text())
        return {
            str(digest): np.frombuffer(base64.b64decode(rows), "<f8").reshape(len(CANARIES), -1)
            for digest, rows in record["models"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _save_known(key: str, known: dict[str, Floats]) -> None:
    path = cache_dir() / "endpoints" / f"{key}.json"
    models = {
        digest: base64.b64encode(rows.astype("<f8").tobytes()).decode()
        for digest, rows in known.items()
    }
    with contextlib.suppress(OSError, CannotWrite):  # without a writable cache, do without it
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as temporary:
            temporary.write_text(seal({"models": models}))
