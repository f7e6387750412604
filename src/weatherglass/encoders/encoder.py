"""What an encoder is: anything that turns sentences into rows and has a name and a fingerprint."""

from __future__ import annotations

import errno
from collections.abc import Collection, Sequence
from importlib.metadata import EntryPoint, entry_points
from os.path import isfile, join
from typing import Any, Protocol, runtime_checkable
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import SourceNotFound, UsageError, did_you_mean, quote_safe
from weatherglass.vectors import Spec, parse_spec

Encodings = NDArray[np.floating[Any]]


@runtime_checkable
class Encoder(Protocol):
    """Turns sentences into vectors.

    An encoder may also have

    * ``prepare(sentences)``, called once with every sentence of a run before the first batch, so
      that only what they need is loaded;
    * ``missing``, the words that it met and does not know;
    * ``stored = True``, if its encodings lie on disk already and are not to be kept once more.

    Examples
    --------
    >>> class Lengths:
    ...     name, fingerprint = "lengths", "lengths-1"
    ...
    ...     def encode(self, sentences):
    ...         return np.array([[len(s), s.count(" ") + 1] for s in sentences], dtype=np.float32)
    >>> isinstance(Lengths(), Encoder)
    True
    """

    @property
    def name(self) -> str:
        """What was opened, as it was named."""
        ...

    @property
    def fingerprint(self) -> str:
        """A hash of everything that the encodings depend on: weights, vocabulary, pooling."""
        ...

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """One row of float32 or float64 a sentence, in their order.

        A row of zeros says that nothing of the sentence is known to the encoder.
        """
        ...


@runtime_checkable
class WordEncoder(Encoder, Protocol):
    """An encoder that also gives the vector of a word inside a sentence."""

    def encode_words(self, sentences: Sequence[str], words: Sequence[str]) -> Encodings:
        """The row of ``words[i]`` as it stands in ``sentences[i]``: the mean over its tokens."""
        ...


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
            f"No encoder has the scheme {quote_safe(parsed.scheme)}."
            + (did_you_mean(parsed.scheme, points) or f" Known schemes: {', '.join(points)}.")
        )
    if not parsed.rest:
        raise UsageError(f"{quote_safe(spec)} names no model: write {parsed.scheme}:NAME_OR_PATH.")
    open_it = points[parsed.scheme].load()
    try:
        encoder: Encoder = open_it(parsed)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise SourceNotFound(
            f"There is no model {quote_safe(parsed.rest)}: too long for the name of a file."
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
            return f"{quote_safe(rest)} does not say which encoder to use: write {scheme}:{rest}."
    if isfile(rest):
        return (
            f"{quote_safe(rest)} does not say which encoder to use: write cbow:{rest} for the mean of "
            f"its word vectors, or vectors:{rest} if its rows are sentences."
        )
    return (
        f"{quote_safe(rest)} does not say which encoder to use: write scheme: before it, where scheme "
        f"is one of {', '.join(schemes())}."
    )


def choice(spec: Spec, option: str, allowed: Collection[str], default: str) -> str:
    """The value of an option that has a few possible ones."""
    value = spec.options.get(option, default)
    if value not in allowed:
        raise UsageError(
            f"{option}={quote_safe(value)} in {quote_safe(spec.text)} is not one of {', '.join(allowed)}."
        )
    return value


def number(spec: Spec, option: str) -> int | None:
    """The value of an option that is a whole number, or None where it is not given."""
    value = spec.options.get(option)
    try:
        return None if value is None else int(value)
    except ValueError:
        raise UsageError(
            f"{option}={quote_safe(value or '')} in {quote_safe(spec.text)} is no whole number."
        ) from None


def without(spec: Spec, own: Collection[str]) -> str:
    """The source inside an encoder's name: what is left without the scheme and its own options.

    >>> spec = Spec("", "cbow", "v.txt.zip", {"case": "lower", "member": "a b.txt"})
    >>> without(spec, ["case"])
    'v.txt.zip?member=a%20b.txt'
    """
    rest = "&".join(
        f"{quote(key, safe='')}={quote(value, safe='')}"
        for key, value in spec.options.items()
        if key not in own
    )
    return f"{spec.rest}?{rest}" if rest else spec.rest
