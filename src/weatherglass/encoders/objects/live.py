"""Encoders in memory: a model of sentence-transformers, or any function from sentences to rows."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weatherglass.errors import BadContent, EncoderError, WeatherglassError
from weatherglass.vectors import to_array

from ..encoder import Encodings
from ..http import identify

_SETTINGS = (
    "prompts",
    "default_prompt_name",
    "truncate_dim",
    "max_seq_length",
    "similarity_fn_name",
)


class LiveEncoder:
    """A model or function that turns sentences into rows, as an `Encoder`.

    Its encodings are not kept on disk, because a model may be trained further, and because no hash
    covers all that a function does.

    Parameters
    ----------
    value
        An object with an ``encode`` method, or a function.
    name
        What results call it; by default the name of the function or class.

    Attributes
    ----------
    name
        What results call it.
    fingerprint
        For a model with parameters, a hash of these, of its structure, its tokenizer and its
        prompts. For a function, a hash of what it returns for a dozen sentences.

    Examples
    --------
    >>> def lengths(sentences):
    ...     return [[len(sentence), 1.0] for sentence in sentences]
    >>> encoder = LiveEncoder(lengths)
    >>> encoder.name, encoder.encode(["This is Amy."]).tolist()
    ('lengths', [[12.0, 1.0]])
    """

    uses_cache = False

    def __init__(self, value: Any, name: str = "") -> None:
        self._value = value
        self.name = name or getattr(value, "__name__", "") or type(value).__name__
        self._call: Callable[[list[str]], Any] = value.encode if hasattr(value, "encode") else value

    @functools.cached_property
    def fingerprint(self) -> str:
        """A hash of the parameters, or of the encodings of a dozen sentences."""
        if callable(getattr(self._value, "state_dict", None)):
            return _hash_model(self._value)
        key = hashlib.blake2b(f"object {self.name}".encode(), digest_size=16).hexdigest()
        return identify(self.name, key, self._encode_checked).digest

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """Return one row per sentence."""
        rows = to_array(self._call(list(sentences)), self.name)
        return rows.astype(np.float64) if rows.dtype.kind in "iub" else rows

    def _encode_checked(self, sentences: Sequence[str]) -> Encodings:
        try:
            rows = self.encode(sentences)
        except BadContent as error:
            raise EncoderError(str(error)) from None
        except WeatherglassError:
            raise
        except Exception as error:
            raise EncoderError(
                f"{self.name} failed on a list of {len(sentences)} sentences "
                f"({type(error).__name__}: {error})."
            ) from error
        if rows.ndim != 2 or len(rows) != len(sentences):
            raise EncoderError(
                f"{self.name} returned an array of shape {rows.shape} for {len(sentences)} "
                "sentences; expected one row of numbers for each."
            )
        return rows


def _hash_model(model: Any) -> str:
    """Return a hash of the parameters and settings of a PyTorch model."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(repr(model).encode("utf-8", "backslashreplace"))
    for name in _SETTINGS:
        value = getattr(model, name, None)
        ordered = sorted(value.items()) if isinstance(value, dict) else value
        digest.update(f"{name}={ordered!r}".encode())
    vocabulary = getattr(getattr(model, "tokenizer", None), "get_vocab", None)
    if callable(vocabulary):
        digest.update(repr(sorted(vocabulary().items())).encode("utf-8", "backslashreplace"))
    for name, tensor in sorted(model.state_dict().items()):
        if hasattr(tensor, "detach"):
            array = to_array(tensor, name)
            digest.update(f"{name} {array.shape} {array.dtype}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
