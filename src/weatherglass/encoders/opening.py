"""`open_encoder`: from an encoder's name to the encoder.

Schemes are entry points of the group ``weatherglass.encoders``, ours included: functions that take
a `Spec` and return an `Encoder`.
"""

from __future__ import annotations

import errno
from importlib.metadata import EntryPoint, entry_points
from os.path import isfile, join
from typing import Any

from weatherglass.errors import SourceNotFound, UsageError, did_you_mean, shown
from weatherglass.vectors import parse_spec

from .protocol import Encoder

GROUP = "weatherglass.encoders"


def checked_encoder(encoder: Any) -> Encoder:
    """An encoder, or the one that a name opens; anything else is refused."""
    if isinstance(encoder, str):
        return open_encoder(encoder)
    if isinstance(encoder, type) or not isinstance(encoder, Encoder):
        raise UsageError(
            f"{type(encoder).__name__} is no encoder: it needs `encode`, `name` and `fingerprint`."
        )
    return encoder


def open_encoder(spec: str | Encoder) -> Encoder:
    """Open an encoder.

    Parameters
    ----------
    spec
        ``scheme:rest?option=value&…``, such as ``cbow:default``, ``st:all-MiniLM-L6-v2`` or
        ``hf:FOLDER?pool=mean``; `schemes` lists what is installed. An encoder is passed through.

    Returns
    -------
    Encoder

    Examples
    --------
    >>> encoder = open_encoder("cbow:default")
    >>> encoder.encode(["This is Amy.", "These are flowers."]).shape
    (2, 50)
    >>> open_encoder("cbwo:default")
    Traceback (most recent call last):
    ...
    weatherglass.errors.SourceNotFound: No encoder has the scheme 'cbwo'. Did you mean cbow?
    """
    if not isinstance(spec, str):
        if isinstance(spec, Encoder):
            return spec
        raise UsageError(
            f"{type(spec).__name__} is no encoder: expected a name such as 'cbow:default', or "
            "something with a name, a fingerprint and a method encode."
        )
    parsed = parse_spec(spec)
    if parsed.scheme is None:
        raise UsageError(_which_scheme(parsed.rest))
    points = _points()
    if parsed.scheme not in points:
        raise SourceNotFound(
            f"No encoder has the scheme {shown(parsed.scheme)}."
            + (did_you_mean(parsed.scheme, points) or f" Known schemes: {', '.join(points)}.")
        )
    if not parsed.rest:
        raise UsageError(f"{shown(spec)} names no model: write {parsed.scheme}:NAME_OR_PATH.")
    open_it = points[parsed.scheme].load()
    try:
        encoder: Encoder = open_it(parsed)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise SourceNotFound(
            f"There is no model {shown(parsed.rest)}: too long for the name of a file."
        ) from None
    return encoder


def schemes() -> tuple[str, ...]:
    """The schemes that are installed.

    >>> "cbow" in schemes()
    True
    """
    return tuple(_points())


def _points() -> dict[str, EntryPoint]:
    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda p: p.name)}


# What marks a folder as made for an encoder, and the scheme that opens it; first match wins.
_MARKS = (
    ("modules.json", "st"),
    ("saved_model.pb", "use"),
    ("config.json", "hf"),
    ("model.onnx", "onnx"),
)


def _which_scheme(rest: str) -> str:
    for mark, scheme in _MARKS:
        if isfile(join(rest, mark)):
            return f"{shown(rest)} does not say which encoder to use: write {scheme}:{rest}."
    if isfile(rest):
        return (
            f"{shown(rest)} does not say which encoder to use: write cbow:{rest} for the mean of "
            f"its word vectors, or vectors:{rest} if its rows are sentences."
        )
    return (
        f"{shown(rest)} does not say which encoder to use: write scheme: before it, where scheme "
        f"is one of {', '.join(schemes())}."
    )
