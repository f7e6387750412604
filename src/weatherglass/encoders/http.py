"""``http:URL``: an endpoint with the interface of OpenAI's ``/v1/embeddings``.

The API key, if the server needs one, comes from the environment variable ``WEATHERGLASS_API_KEY``
and from nowhere else; it is neither printed nor part of the fingerprint. That covers only the
address and the model's name: a server can change its model without notice.

The key belongs to one server, named in ``WEATHERGLASS_API_HOST``, and is sent to no other: a list
of models that somebody else wrote cannot direct it elsewhere. Beyond this machine it is sent only
over https.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import json
import os
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from weatherglass._version import __version__
from weatherglass.errors import EncoderError, UsageError, quote_safe
from weatherglass.vectors import Spec, check_options

from .encoder import Encodings, integer_option
from .model_files import hash_parts

KEY = "WEATHERGLASS_API_KEY"
HOST = "WEATHERGLASS_API_HOST"
_MAX_INPUTS = 256  # per request
_MAX_RESPONSE_BYTES = 512 << 20
_TIMEOUT_SECONDS = 120.0  # for the next bytes
_DEADLINE_SECONDS = 300.0  # for the whole answer
_MAX_ATTEMPTS = 6
_MAX_WAIT_SECONDS = 60.0
_RETRIED_STATUSES = frozenset((408, 409, 425, 429, 500, 502, 503, 504))


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, which would send the key to another server."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class _Connections(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    """Opens connections, and can end all of them: a time limit for each read is none for all."""

    def __init__(self) -> None:
        super().__init__()
        self._sockets: list[socket.socket] = []

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._noting(http.client.HTTPConnection), request)

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._noting(http.client.HTTPSConnection), request)

    def _noting(self, kind: type[http.client.HTTPConnection]) -> Any:
        sockets = self._sockets

        class Connection(kind):  # type: ignore[misc, valid-type]
            def connect(self) -> None:
                super().connect()
                sockets.append(self.sock)

        return Connection

    @contextlib.contextmanager
    def deadline(self, seconds: float) -> Iterator[threading.Event]:
        """End the connections that are opened in this block after some seconds.

        The event that is yielded is then set.
        """
        is_over = threading.Event()

        def end() -> None:
            is_over.set()
            for open_socket in self._sockets:
                with contextlib.suppress(OSError):
                    open_socket.shutdown(socket.SHUT_RDWR)

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()
        try:
            yield is_over
        finally:
            timer.cancel()
            self._sockets.clear()


class EndpointEncoder:
    """An HTTP endpoint for embeddings.

    Parameters
    ----------
    url
        The address of the endpoint itself, of the server, or of its ``/v1``.
    model
        The name of the model to request.
    dimensions
        The number of dimensions to request, if the model can shorten its rows.
    wait
        Called with the seconds to wait before the next attempt; for tests.
    deadline
        Seconds after which an answer that is still arriving is given up.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        dimensions: int | None = None,
        name: str = "",
        wait: Callable[[float], None] = time.sleep,
        deadline: float = _DEADLINE_SECONDS,
    ) -> None:
        self.url = embeddings_url(url)
        self.name = name or f"http:{self.url}"
        self._parameters = {
            key: value
            for key, value in (("model", model), ("dimensions", dimensions))
            if value is not None
        }
        self._wait, self._deadline = wait, deadline

    @property
    def fingerprint(self) -> str:
        """A hash of the address and of the request's parameters; never of the key."""
        return hash_parts("http", self.url, self._parameters)

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """Return one row per sentence, float64."""
        batches = [
            self._request(sentences[start : start + _MAX_INPUTS])
            for start in range(0, len(sentences), _MAX_INPUTS)
        ]
        return np.concatenate(batches)

    def _request(self, sentences: Sequence[str]) -> Encodings:
        body = {**self._parameters, "input": list(sentences), "encoding_format": "float"}
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"weatherglass/{__version__}",
        }
        key = _key_for(self.url)
        if key:
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            wait_seconds = min(_MAX_WAIT_SECONDS, 2.0 ** (attempt - 1))
            try:
                return self._read_rows(self._fetch(request), len(sentences))
            except urllib.error.HTTPError as error:
                with error:
                    reason = f"HTTP {error.code}: {_redact(error.read(2000), key)}"
                    if error.code not in _RETRIED_STATUSES:
                        raise self._failed(reason, key) from None
                    wait_seconds = _retry_after(error.headers.get("Retry-After"), wait_seconds)
            except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
                reason = _redact(
                    str(getattr(error, "reason", "") or error or type(error).__name__), key
                )
            if attempt < _MAX_ATTEMPTS:
                self._wait(wait_seconds)
        raise self._failed(f"{reason}, after {_MAX_ATTEMPTS} attempts", key)

    def _fetch(self, request: urllib.request.Request) -> bytes:
        """Return the answer to a request; raise `TimeoutError` if it takes too long."""
        connections = _Connections()  # of this request: threads may encode at the same time
        opener = urllib.request.build_opener(connections, _NoRedirect)
        with connections.deadline(self._deadline) as is_over:
            try:
                with opener.open(request, timeout=_TIMEOUT_SECONDS) as response:
                    raw: bytes = response.read(_MAX_RESPONSE_BYTES + 1)
            except (urllib.error.URLError, http.client.HTTPException, OSError):
                if not is_over.is_set():
                    raise
        if is_over.is_set():
            raise TimeoutError(f"the answer was not complete after {self._deadline:g} seconds")
        return raw

    def _failed(self, reason: str, key: str) -> EncoderError:
        hint = ""
        if reason.startswith(("HTTP 401", "HTTP 403")) and not key:
            server = urlsplit(self.url).netloc
            hint = f" No key was sent: {KEY} is not set."
            if os.environ.get(KEY):
                hint = f" No key was sent: if {KEY} is for this server, set {HOST}={server}."
        return EncoderError(f"{self.url} returned no encodings: {reason}.{hint}")

    def _read_rows(self, raw: bytes, count: int) -> Encodings:
        if len(raw) > _MAX_RESPONSE_BYTES:
            raise EncoderError(f"{self.url} returned more than {_MAX_RESPONSE_BYTES:,} bytes.")
        try:
            data = json.loads(raw)["data"]
            items = sorted(data, key=lambda item: int(item["index"]))
            if [item["index"] for item in items] != list(range(count)):
                raise ValueError("index")
            rows = np.array([item["embedding"] for item in items])
            if rows.dtype.kind not in "fi":  # text, or whole numbers beyond 64 bits
                raise ValueError("embedding")
            return rows.astype(np.float64)
        except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
            key = os.environ.get(KEY, "").strip()
            raise EncoderError(
                f"{self.url} did not return one row of numbers for each of {count} sentences, but "
                f"{_redact(raw[:100_000], key)}."
            ) from None


def embeddings_url(url: str) -> str:
    """Return the address of the embeddings endpoint, from that of the server.

    >>> embeddings_url("http://127.0.0.1:8080"), embeddings_url("https://api.example.org/v1/")
    ('http://127.0.0.1:8080/v1/embeddings', 'https://api.example.org/v1/embeddings')
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise UsageError(f"{quote_safe(url)} is not an address: {error}.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{quote_safe(url)} is not an address such as http://127.0.0.1:8080/v1.")
    if parts.username is not None or parts.password is not None:
        raise UsageError(f"The address holds a user or password; put the key into {KEY} instead.")
    path = parts.path.rstrip("/")
    if not path.endswith("/embeddings"):
        path += "/embeddings" if path.endswith("/v1") else "/v1/embeddings"
    return f"{parts.scheme}://{parts.netloc}{path}"


def _key_for(url: str) -> str:
    """Return the API key, if it belongs to the server of this address; an empty text otherwise."""
    key = os.environ.get(KEY, "").strip()  # a file with the key often ends in a newline
    parts = urlsplit(url)
    if not key or not _is_server(parts.netloc, parts.scheme, os.environ.get(HOST, "")):
        return ""
    if not key.isascii() or not key.isprintable():
        raise UsageError(f"{KEY} holds characters that no API key has; set it again.")
    if parts.scheme != "https" and not _is_loopback(parts.hostname or ""):
        raise UsageError(
            f"The key is not sent to {quote_safe(parts.netloc)} over plain http, where others can "
            "read it: use https."
        )
    return key


def _is_server(netloc: str, scheme: str, wanted: str) -> bool:
    """Return whether an address is that of a server: the same host and the same port.

    >>> _is_server("api.example.org", "https", "API.example.org")
    True
    >>> _is_server("api.example.org:444", "https", "api.example.org")
    False
    """
    default = {"https": ":443", "http": ":80"}[scheme]
    return netloc.lower().removesuffix(default) == wanted.strip().lower().removesuffix(default)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _redact(text: str | bytes, key: str | None) -> str:
    """Return a server's message, shortened and without the key, which some servers repeat."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    if key:
        text = text.replace(key, "[key]")
    return quote_safe(" ".join(text.split()), 200)


def _retry_after(value: str | None, default: float) -> float:
    """Return the seconds to wait that a Retry-After header names, up to a limit."""
    try:
        return min(_MAX_WAIT_SECONDS, max(0.0, float(value or default)))
    except ValueError:  # a date
        return default


def open_endpoint(spec: Spec) -> EndpointEncoder:
    """Open ``http:URL?model=…&dimensions=…``; ``http://…`` and ``https://…`` also work."""
    check_options(spec, ["model", "dimensions"])
    url = f"{spec.scheme}:{spec.rest}" if spec.rest.startswith("//") else spec.rest
    return EndpointEncoder(
        url,
        model=spec.options.get("model"),
        dimensions=integer_option(spec, "dimensions"),
        name=spec.text,
    )
