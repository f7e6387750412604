"""`Encoder`, the protocol of sentence encoders, and `open_encoder`."""

from __future__ import annotations

import errno
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from os.path import isfile, join
from typing import Any, Protocol, runtime_checkable
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import SourceNotFound, UsageError, did_you_mean, quote_safe
from weatherglass.vectors import Spec, find_path, parse_spec

Encodings = NDArray[np.floating[Any]]


@runtime_checkable
class Encoder(Protocol):
    """Turns sentences into vectors.

    An encoder may also have

    * ``prepare(sentences)``, called once with all sentences of a run before the first batch, so
      that only what they need is loaded;
    * ``missing``, the out-of-vocabulary words met so far;
    * ``stored = True``, if its encodings are read from disk and need no cache;
    * ``repeatable = False``, if it gives other encodings the next time, so that none are kept;
    * ``uses_cache = False``, if it was opened without the cache;
    * ``batch_size``, the number of sentences to encode at once, and ``concurrency``, how many such
      batches it encodes at the same time;
    * ``views``, parts of its rows that are encodings of their own (see `View`);
    * ``count_tokens(texts)``, the number of tokens of each text, without those that mark its ends;
    * ``similarity``, ``cosine`` or ``dot``: how its encodings are meant to be compared;
    * ``warnings``, sentences to print next to its results;
    * ``history``, how its vectors were made, as in `weatherglass.Vectors`.

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
        """The name by which it was opened."""
        ...

    @property
    def fingerprint(self) -> str:
        """A hash of everything that the encodings depend on: weights, vocabulary, pooling."""
        ...

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """Return one row per sentence, float32 or float64.

        A row of zeros means that the encoder knows no part of the sentence.
        """
        ...


@runtime_checkable
class WordEncoder(Encoder, Protocol):
    """An encoder that also gives the vector of a word inside a sentence."""

    def encode_words(self, sentences: Sequence[str], words: Sequence[str]) -> Encodings:
        """Return the row of ``words[i]`` in ``sentences[i]``: the mean over its tokens."""
        ...


@dataclass(frozen=True)
class View:
    """A part of each row that is an encoding of its own, such as one layer of all.

    Attributes
    ----------
    name, fingerprint
        Those of the encoder that gives only this part.
    columns
        The part's columns.
    facts
        What results say about it, such as the number of the layer.
    """

    name: str
    fingerprint: str
    columns: slice = field(default_factory=lambda: slice(None))
    facts: Mapping[str, int | str] = field(default_factory=dict)


GROUP = "weatherglass.encoders"


def open_encoder(spec: str | Encoder, *, cache: bool = True) -> Encoder:
    """Open an encoder.

    Parameters
    ----------
    spec
        ``scheme:rest?option=value&…``, such as ``cbow:default``, ``st:all-MiniLM-L6-v2`` or
        ``hf:FOLDER?pooling=mean``; `schemes` lists the installed schemes. An encoder is returned
        unchanged.
    cache
        Whether encoded sentences are read from the cache and saved there.

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
            f"{type(spec).__name__} is not an encoder: expected a name such as 'cbow:default', or "
            "an object with a name, a fingerprint and an encode method."
        )
    parsed = parse_spec(spec)
    if parsed.scheme is None:
        raise UsageError(_suggest_scheme(parsed.rest))
    points = _entry_points()
    if parsed.scheme not in points:
        raise SourceNotFound(
            f"No encoder has the scheme {quote_safe(parsed.scheme)}."
            + (did_you_mean(parsed.scheme, points) or f" Known schemes: {', '.join(points)}.")
        )
    if not parsed.rest:
        raise UsageError(f"{quote_safe(spec)} names no model: write {parsed.scheme}:NAME_OR_PATH.")
    open_scheme = points[parsed.scheme].load()
    try:
        encoder: Encoder = open_scheme(parsed)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise SourceNotFound(
            f"There is no model {quote_safe(parsed.rest)}: the name is too long for a file."
        ) from None
    if not cache:
        try:
            encoder.uses_cache = False  # type: ignore[attr-defined]
        except AttributeError:  # a class of another package, with slots
            raise UsageError(f"{quote_safe(spec)} cannot be used without the cache.") from None
    return encoder


def schemes() -> tuple[str, ...]:
    """Return the installed schemes.

    >>> "cbow" in schemes()
    True
    """
    return tuple(_entry_points())


def _entry_points() -> dict[str, EntryPoint]:
    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda p: p.name)}


# A file that identifies the folder of an encoder, and the scheme that opens it; first match wins.
_MARKER_FILES = (
    ("modules.json", "st"),
    ("saved_model.pb", "use"),
    ("config.json", "hf"),
    ("model.onnx", "onnx"),
)


def names_vectors(text: str) -> bool:
    """Return whether a source without the scheme of an encoder is there, and no folder of one.

    >>> names_vectors("default"), names_vectors("cbow:default"), names_vectors("all-MiniLM-L6-v2")
    (True, False, False)
    """
    spec = parse_spec(text)
    if (spec.scheme is not None and spec.scheme in schemes()) or _marked_scheme(spec.rest):
        return False
    try:
        find_path(spec)
    except SourceNotFound:
        return False
    return True


def _marked_scheme(folder: str) -> str:
    """Return the scheme of the encoder whose files a folder has; empty if there is none."""
    return next((scheme for file, scheme in _MARKER_FILES if isfile(join(folder, file))), "")


def _suggest_scheme(rest: str) -> str:
    if scheme := _marked_scheme(rest):
        return f"{quote_safe(rest)} does not say which encoder to use: write {scheme}:{rest}."
    if isfile(rest):
        return (
            f"{quote_safe(rest)} does not say which encoder to use: write cbow:{rest} for the mean "
            f"of its word vectors, or vectors:{rest} if its rows are sentences."
        )
    return (
        f"{quote_safe(rest)} does not say which encoder to use: write scheme: before it, where "
        f"scheme is one of {', '.join(schemes())}."
    )


def choice_option(spec: Spec, option: str, allowed: Collection[str], default: str) -> str:
    """Return the value of an option, which must be one of `allowed`."""
    value = spec.options.get(option, default)
    if value not in allowed:
        raise UsageError(
            f"{option}={quote_safe(value)} in {quote_safe(spec.text)} is not one of "
            f"{', '.join(allowed)}."
        )
    return value


def integer_option(
    spec: Spec, option: str, *, low: int | None = None, high: int | None = None
) -> int | None:
    """Return the value of an integer option, or None if it is not given."""
    value = spec.options.get(option)
    try:
        number = None if value is None else int(value)
    except ValueError:
        raise _wrong_option(spec, option, "an integer") from None
    if number is None or ((low is None or number >= low) and (high is None or number <= high)):
        return number
    limit = f"at least {low}" if high is None else f"{low} to {high}"
    raise _wrong_option(spec, option, limit)


def number_option(spec: Spec, option: str) -> float | None:
    """Return the value of an option that is a number above 0, or None if it is not given."""
    value = spec.options.get(option)
    try:
        number = None if value is None else float(value)
    except ValueError:
        raise _wrong_option(spec, option, "a number") from None
    if number is not None and not 0 < number < float("inf"):
        raise _wrong_option(spec, option, "a number above 0")
    return number


def _wrong_option(spec: Spec, option: str, expected: str) -> UsageError:
    value = quote_safe(spec.options[option])
    return UsageError(f"{option}={value} in {quote_safe(spec.text)} is not {expected}.")


def inner_source(spec: Spec, own: Collection[str]) -> str:
    """Return the source inside an encoder's name, without the scheme and the encoder's options.

    >>> spec = Spec("", "cbow", "v.txt.zip", {"case": "lower", "member": "a b.txt"})
    >>> inner_source(spec, ["case"])
    'v.txt.zip?member=a%20b.txt'
    """
    rest = "&".join(
        f"{quote(key, safe='')}={quote(value, safe='')}"
        for key, value in spec.options.items()
        if key not in own
    )
    return f"{spec.rest}?{rest}" if rest else spec.rest
