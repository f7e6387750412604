"""One HTTP request with a deadline: no redirects, no endless answers."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

MAX_RESPONSE_BYTES = 512 << 20
_TIMEOUT_SECONDS = 120.0  # for the next bytes

REQUEST_FAILURES = (urllib.error.URLError, http.client.HTTPException, OSError)
"""The errors of a request that may succeed the next time; `HTTPError` is the first kind."""


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


def fetch(request: urllib.request.Request, seconds: float) -> bytes:
    """Return the answer to a request, of at most `MAX_RESPONSE_BYTES` and one more.

    Raises
    ------
    TimeoutError
        The answer is not complete after some seconds.
    URLError, HTTPException, OSError
        There is no answer; `HTTPError` for an answer of another status than success.
    """
    connections = _Connections()  # of this request: threads may encode at the same time
    opener = urllib.request.build_opener(connections, _NoRedirect)
    with connections.deadline(seconds) as is_over:
        try:
            timeout = min(_TIMEOUT_SECONDS, seconds)
            with opener.open(request, timeout=timeout) as response:
                raw: bytes = response.read(MAX_RESPONSE_BYTES + 1)
        except REQUEST_FAILURES:
            if not is_over.is_set():
                raise
    if is_over.is_set():
        raise TimeoutError("the answer was not complete")
    return raw
