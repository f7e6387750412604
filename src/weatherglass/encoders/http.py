"""``http:URL``: an endpoint that speaks as OpenAI's ``/v1/embeddings`` does.

The key, where one is needed, comes from the environment variable ``WEATHERGLASS_API_KEY`` and from
nowhere else; it is neither printed nor part of the fingerprint. What a server computes may change
without notice: the fingerprint is of its address and the model's name only.
"""

from __future__ import annotations

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from weatherglass._version import __version__
from weatherglass.errors import EncoderError, UsageError, quote_safe
from weatherglass.vectors import Spec, check_options

from .encoder import Encodings, integer_option
from .model_files import hash_parts

KEY = "WEATHERGLASS_API_KEY"
_MOST_INPUTS = 256  # a request
_MOST_BYTES = 512 << 20  # an answer
_TIMEOUT = 120.0
_TRIES = 6
_LONGEST_WAIT = 60.0
_AGAIN = frozenset((408, 409, 425, 429, 500, 502, 503, 504))


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to another server."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class EndpointEncoder:
    """An HTTP endpoint for embeddings.

    Parameters
    ----------
    url
        The address: of the endpoint itself, or of the server, or its ``/v1``.
    model
        The name that is sent as the model.
    dimensions
        How many numbers a row to ask for, where the model can shorten its rows.
    wait
        Called with seconds to wait before the next try; for tests.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        dimensions: int | None = None,
        name: str = "",
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = endpoint(url)
        self.name = name or f"http:{self.url}"
        self._asked = {
            key: value
            for key, value in (("model", model), ("dimensions", dimensions))
            if value is not None
        }
        self._wait = wait
        self._opener = urllib.request.build_opener(_NoRedirect)

    @property
    def fingerprint(self) -> str:
        """Of the address and what is asked for; never of the key."""
        return hash_parts("http", self.url, self._asked)

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """One row a sentence, float64."""
        parts = [
            self._request(sentences[at : at + _MOST_INPUTS])
            for at in range(0, len(sentences), _MOST_INPUTS)
        ]
        return np.concatenate(parts)

    def _request(self, sentences: Sequence[str]) -> Encodings:
        body = {**self._asked, "input": list(sentences), "encoding_format": "float"}
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"weatherglass/{__version__}",
        }
        if key := os.environ.get(KEY, "").strip():  # a file with the key often ends in a newline
            if not key.isascii() or not key.isprintable():
                raise UsageError(f"{KEY} holds characters that no key has; set it again.")
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
        for tried in range(1, _TRIES + 1):
            pause = min(_LONGEST_WAIT, 2.0 ** (tried - 1))
            try:
                with self._opener.open(request, timeout=_TIMEOUT) as answer:
                    return self._rows(answer.read(_MOST_BYTES + 1), len(sentences))
            except urllib.error.HTTPError as error:
                with error:
                    reason = f"HTTP {error.code}: {_safe(error.read(2000), key)}"
                    if error.code not in _AGAIN:
                        raise self._failed(reason, key) from None
                    pause = _retry_after(error.headers.get("Retry-After"), pause)
            except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
                reason = _safe(
                    str(getattr(error, "reason", "") or error or type(error).__name__), key
                )
            if tried < _TRIES:
                self._wait(pause)
        raise self._failed(f"{reason}, {_TRIES} times", key)

    def _failed(self, reason: str, key: str | None) -> EncoderError:
        hint = "" if key else f" No key was sent: {KEY} is not set."
        wanted = reason.startswith(("HTTP 401", "HTTP 403"))
        return EncoderError(f"{self.url} gave no encodings: {reason}.{hint if wanted else ''}")

    def _rows(self, raw: bytes, count: int) -> Encodings:
        if len(raw) > _MOST_BYTES:
            raise EncoderError(f"{self.url} answered with more than {_MOST_BYTES:,} bytes.")
        try:
            data = json.loads(raw)["data"]
            ordered = sorted(data, key=lambda one: int(one["index"]))
            if [one["index"] for one in ordered] != list(range(count)):
                raise ValueError("index")
            return np.array([one["embedding"] for one in ordered], dtype=np.float64)
        except (ValueError, KeyError, TypeError, RecursionError):
            key = os.environ.get(KEY, "").strip()
            raise EncoderError(
                f"{self.url} did not answer with one row of numbers for each of {count} sentences, "
                f"but with {_safe(raw[:100_000], key)}."
            ) from None


def endpoint(url: str) -> str:
    """The address of the embeddings, from that of the server.

    >>> endpoint("http://127.0.0.1:8080"), endpoint("https://api.example.org/v1/")
    ('http://127.0.0.1:8080/v1/embeddings', 'https://api.example.org/v1/embeddings')
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise UsageError(f"{quote_safe(url)} is no address: {error}.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{quote_safe(url)} is no address such as http://127.0.0.1:8080/v1.")
    if parts.username is not None or parts.password is not None:
        raise UsageError(f"The address holds a name or password: put the key into {KEY} instead.")
    path = parts.path.rstrip("/")
    if not path.endswith("/embeddings"):
        path += "/embeddings" if path.endswith("/v1") else "/v1/embeddings"
    return f"{parts.scheme}://{parts.netloc}{path}"


def _safe(text: str | bytes, key: str | None) -> str:
    """What a server said, shortened and without the key: some servers repeat it."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    if key:
        text = text.replace(key, "[key]")
    return quote_safe(" ".join(text.split()), 200)


def _retry_after(value: str | None, pause: float) -> float:
    try:
        return min(_LONGEST_WAIT, max(0.0, float(value or pause)))
    except ValueError:  # a date
        return pause


def open_endpoint(spec: Spec) -> EndpointEncoder:
    """Open ``http:URL?model=…&dimensions=…``; ``http://…`` and ``https://…`` are URLs, too."""
    check_options(spec, ["model", "dimensions"])
    url = f"{spec.scheme}:{spec.rest}" if spec.rest.startswith("//") else spec.rest
    return EndpointEncoder(
        url,
        model=spec.options.get("model"),
        dimensions=integer_option(spec, "dimensions"),
        name=spec.text,
    )
