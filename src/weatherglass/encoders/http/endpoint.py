"""``http:URL``: an endpoint with the interface of OpenAI's ``/v1/embeddings``.

The API key, if the server needs one, comes from the environment; see `credentials`. The fingerprint
covers the address, the parameters of the request and the encodings of a dozen canary sentences,
which are requested on every opening; see `canaries`.
"""

from __future__ import annotations

import base64
import functools
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np
from numpy.typing import NDArray

from weatherglass._version import __version__
from weatherglass.errors import EncoderError, UsageError, quote_safe
from weatherglass.vectors import Spec, check_options

from ..encoder import Encodings, choice_option, integer_option, number_option
from ..model_files import hash_parts
from . import transport
from .canaries import CANARIES, Identity, identify
from .credentials import KEY, Credentials, credentials_for, hint_for

_MAX_INPUTS = 256  # per request, unless the batch size says otherwise
_MAX_CONCURRENCY = 64
_DEADLINE_SECONDS = 300.0  # for a request with all its attempts
_MAX_ATTEMPTS = 6
_MAX_WAIT_SECONDS = 60.0
_RETRIED_STATUSES = frozenset((408, 409, 425, 429, 500, 502, 503, 504))
_TOO_MANY_STATUSES = frozenset((400, 413, 422))  # with which servers refuse a large batch


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
    api_version
        The value of ``api-version`` in the address, which Azure needs.
    encoding
        ``float``, or ``base64``: float32 in a quarter of the bytes.
    batch_size
        The largest number of sentences in a request.
    concurrency
        The number of requests that are sent at the same time.
    deadline
        Seconds after which a request is given up, with all its attempts.
    wait
        Called with the seconds to wait before the next attempt; for tests.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        dimensions: int | None = None,
        api_version: str | None = None,
        encoding: str = "float",
        batch_size: int | None = None,
        concurrency: int = 1,
        deadline: float = _DEADLINE_SECONDS,
        name: str = "",
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = embeddings_url(url)
        self.name = name or f"http:{self.url}"
        if api_version is not None:
            self.url += f"?api-version={quote(api_version, safe='')}"
        self._parameters: dict[str, Any] = {
            key: value
            for key, value in (("model", model), ("dimensions", dimensions))
            if value is not None
        }
        self._encoding, self._deadline, self._wait = encoding, deadline, wait
        self.batch_size, self.concurrency = batch_size, concurrency

    @functools.cached_property
    def identity(self) -> Identity:
        """What the canary sentences say about the model that answers now; requested once."""
        return identify(self.url, self._key, self._encode_canaries)

    @property
    def _key(self) -> str:
        encoding = {"encoding": self._encoding} if self._encoding != "float" else {}
        return hash_parts("http", self.url, self._parameters | encoding)

    @property
    def fingerprint(self) -> str:
        """A hash of the address, of the request's parameters and of the canaries' encodings.

        Never of the API key.
        """
        return hash_parts(self._key, self.identity.digest)

    @property
    def repeatable(self) -> bool:
        """Whether the server gives the same encodings the next time, so that they may be kept."""
        return self.identity.is_exact

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know about the encodings."""
        if self.identity.is_exact:
            return ()
        return (
            f"{self.name} is not deterministic: the same sentences got vectors that differ by up "
            f"to {self.identity.noise:.2g} (of length 1). The numbers change with every run.",
        )

    canaries = (*CANARIES, *CANARIES[::-1])
    """What is sent on every opening."""

    def count_requests(self, sentences: int, size: int) -> int:
        """Return the number of requests for sentences that are encoded `size` at a time."""
        calls, rest = divmod(sentences, size)
        requests = calls * -(-size // self._chunk(size))
        return requests + (-(-rest // self._chunk(rest)) if rest else 0)

    def count_canary_requests(self) -> int:
        """Return the number of requests with canary sentences on every opening."""
        return 2 * -(-len(CANARIES) // (self.batch_size or len(CANARIES)))

    def _chunk(self, sentences: int) -> int:
        """Return the number of sentences in a request, of so many that are encoded at once."""
        return min(self.batch_size or _MAX_INPUTS, -(-sentences // self.concurrency) or 1)

    def _encode_canaries(self, sentences: Sequence[str]) -> Encodings:
        size = self.batch_size or len(sentences)
        parts = [self._request(sentences[at : at + size]) for at in range(0, len(sentences), size)]
        if len({part.shape[1] for part in parts}) > 1:
            raise EncoderError(f"{self.url} returned rows of different lengths.")
        return np.concatenate(parts)

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """Return one row per sentence, float64."""
        size = self._chunk(len(sentences))
        batches = [sentences[start : start + size] for start in range(0, len(sentences), size)]
        if self.concurrency == 1:
            return np.concatenate([self._request(batch) for batch in batches])
        with ThreadPoolExecutor(self.concurrency) as pool:
            return np.concatenate(list(pool.map(self._request, batches)))

    def _request(self, sentences: Sequence[str]) -> Encodings:
        body = {**self._parameters, "input": list(sentences), "encoding_format": self._encoding}
        secret = credentials_for(self.url)
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"weatherglass/{__version__}",
            **secret.headers,
        }
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
        start = time.monotonic()
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            wait_seconds = min(_MAX_WAIT_SECONDS, 2.0 ** (attempt - 1))
            try:
                left = max(0.001, self._deadline - (time.monotonic() - start))
                return self._read_rows(self._fetch(request, left), len(sentences), secret)
            except urllib.error.HTTPError as error:
                with error:
                    reason = f"HTTP {error.code}: {secret.redact(error.read(2000))}"
                    if error.code not in _RETRIED_STATUSES:
                        raise self._failed(reason, error.code, len(sentences), secret) from None
                    wait_seconds = _retry_after(error.headers.get("Retry-After"), wait_seconds)
            except transport.REQUEST_FAILURES as error:
                reason = secret.redact(
                    str(getattr(error, "reason", "") or error or type(error).__name__)
                )
            left = self._deadline - (time.monotonic() - start)
            if left <= 0 or (attempt < _MAX_ATTEMPTS and wait_seconds >= left):
                reason += f", with a deadline of {self._deadline:g} seconds"
                raise self._failed(reason, 0, len(sentences), secret)
            if attempt < _MAX_ATTEMPTS:
                self._wait(wait_seconds)
        raise self._failed(f"{reason}, after {_MAX_ATTEMPTS} attempts", 0, len(sentences), secret)

    def _fetch(self, request: urllib.request.Request, seconds: float) -> bytes:
        return transport.fetch(request, seconds)

    def _failed(self, reason: str, status: int, count: int, sent: Credentials) -> EncoderError:
        hint = ""
        if status in (401, 403):
            hint = hint_for(self.url, sent)
        elif status in _TOO_MANY_STATUSES and count > 1:
            hint = (
                f" {count} sentences were sent; if the server accepts fewer, add ?batch_size=16 to "
                "its address."
            )
        return EncoderError(f"{self.url} returned no encodings: {reason}.{hint}")

    def _read_rows(self, raw: bytes, count: int, secret: Credentials) -> Encodings:
        if len(raw) > transport.MAX_RESPONSE_BYTES:
            limit = transport.MAX_RESPONSE_BYTES
            raise EncoderError(f"{self.url} returned more than {limit:,} bytes.")
        try:
            data = json.loads(raw)["data"]
            if isinstance(data, list) and len(data) != count:
                sentences = "1 sentence" if count == 1 else f"{count} sentences"
                raise EncoderError(
                    f"{self.url} returned {len(data)} row{'s' * (len(data) != 1)} for {sentences}."
                )
            items = sorted(data, key=lambda item: int(item["index"]))
            if [item["index"] for item in items] != list(range(count)):
                raise ValueError("index")
            rows = np.array([_numbers(item["embedding"]) for item in items])
            if rows.dtype.kind not in "fi":  # text, or whole numbers beyond 64 bits
                raise ValueError("embedding")
            return rows.astype(np.float64)
        except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
            raise EncoderError(
                f"{self.url} did not return one row of numbers for each of {count} sentences, but "
                f"{secret.redact(raw[:100_000])}."
            ) from None


def _numbers(embedding: Any) -> list[Any] | NDArray[np.float32]:
    """Return the numbers of a row; servers may answer in base64 without being asked to."""
    if not isinstance(embedding, str):
        return list(embedding)
    numbers = np.frombuffer(base64.b64decode(embedding, validate=True), "<f4")
    if not numbers.size:
        raise ValueError("empty")
    return numbers


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


def _retry_after(value: str | None, default: float) -> float:
    """Return the seconds to wait that a Retry-After header names, up to a limit."""
    try:
        return min(_MAX_WAIT_SECONDS, max(0.0, float(value or default)))
    except ValueError:  # a date
        return default


_OPTIONS = (
    "model",
    "dimensions",
    "api-version",
    "encoding",
    "batch_size",
    "concurrency",
    "deadline",
)


def open_endpoint(spec: Spec) -> EndpointEncoder:
    """Open ``http:URL?model=…&dimensions=…``; ``http://…`` and ``https://…`` also work."""
    check_options(spec, _OPTIONS)
    url = f"{spec.scheme}:{spec.rest}" if spec.rest.startswith("//") else spec.rest
    return EndpointEncoder(
        url,
        model=spec.options.get("model"),
        dimensions=integer_option(spec, "dimensions", low=1),
        api_version=spec.options.get("api-version"),
        encoding=choice_option(spec, "encoding", ("float", "base64"), "float"),
        batch_size=integer_option(spec, "batch_size", low=1),
        concurrency=integer_option(spec, "concurrency", low=1, high=_MAX_CONCURRENCY) or 1,
        deadline=number_option(spec, "deadline") or _DEADLINE_SECONDS,
        name=spec.text,
    )
