"""The HTTP server: uvicorn with two deadlines that it lacks.

A client must finish the header of a request in time, and a server that was told to stop ends within
seconds, whatever is running.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from weatherglass.tasks import exit_at_once

from .guard import Guard
from .settings import Settings

GRACE_SECONDS = 1
"""How long a server that was told to stop waits for open requests."""

EXIT_SECONDS = 3.0
"""After this time a server that was told to stop ends, even if a request is still open."""

THREAD_SECONDS = 0.5
"""How long a server that has stopped waits for threads that are still at work."""


def run_server(
    app: Guard,
    settings: Settings,
    listener: socket.socket,
    on_timeout: Callable[[], None],
) -> None:
    """Answer requests on an open socket, until a signal comes.

    Parameters
    ----------
    app, settings
        The app, from `create_app`, and its settings.
    listener
        A socket that listens.
    on_timeout
        Called in another thread if the server did not stop in time, before the process is ended.
    """
    server = Server(make_config(app, settings), app, on_timeout)
    try:
        server.run(sockets=[listener])
    finally:
        server.has_stopped.set()


def make_config(app: ASGIApp, settings: Settings, **options: Any) -> uvicorn.Config:
    """Return the configuration of uvicorn."""

    class Protocol(DeadlineProtocol):
        header_seconds = settings.header_seconds

    values: dict[str, Any] = {
        "http": Protocol,
        "log_level": "warning",
        "server_header": False,
        "access_log": False,
        # Questions are URLs: with long word lists they exceed the default of 64 kB.
        "h11_max_incomplete_event_size": settings.max_body_bytes,
        "timeout_graceful_shutdown": GRACE_SECONDS,
    }
    return uvicorn.Config(app, **values | options)


class DeadlineProtocol(H11Protocol):
    """A connection that is closed if the header of a request does not arrive in time."""

    header_seconds = 10.0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a request."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(self.header_seconds, self._close)

    def data_received(self, data: bytes) -> None:
        """Handle data; what is not yet a request must become one in time."""
        super().data_received(data)
        is_waiting = self.cycle is None or self.cycle.response_complete
        if not is_waiting:
            self._clear_deadline()
        elif self._deadline is None:  # a further request on the same connection has begun
            self._deadline = self.loop.call_later(self.header_seconds, self._close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._clear_deadline()
        super().connection_lost(exc)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close(self) -> None:
        self._deadline = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()


class Server(uvicorn.Server):
    """A server whose process ends soon after the first signal, whatever its threads do."""

    def __init__(
        self,
        config: uvicorn.Config,
        app: Guard,
        on_timeout: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self.has_stopped = threading.Event()
        self._app, self._on_timeout = app, on_timeout

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, and end the process if that takes too long."""
        if not self.should_exit:
            # Requests that are cut off now are no errors of the server.
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
            threading.Thread(target=self._end, args=(sig,), daemon=True).start()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer the requests that wait for jobs, then stop."""
        await asyncio.to_thread(self._app.stop_jobs)
        await super().shutdown(sockets)

    def _end(self, sig: int) -> None:
        try:
            if self.has_stopped.wait(EXIT_SECONDS):
                time.sleep(THREAD_SECONDS)
                return
            self._app.close()
            if not self.has_stopped.is_set():
                self._on_timeout()
        finally:
            exit_at_once(128 + sig)
