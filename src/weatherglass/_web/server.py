"""The HTTP server: uvicorn with two deadlines that it lacks.

A client must finish the header of a request in time, and a server that was told to stop ends within
seconds, whatever is running.
"""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import os
import socket
import threading
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

LAST_SECONDS = 4.5
"""After this time it ends at once, even if its uploads are not deleted; the next server does so."""


def run_server(
    app: Guard,
    settings: Settings,
    listener: socket.socket,
    on_stop: Callable[[], None],
) -> None:
    """Answer requests on an open socket, until a signal comes; then end the process.

    Parameters
    ----------
    app, settings
        The app, from `create_app`, and its settings.
    listener
        A socket that listens.
    on_stop
        Called before the process ends, in another thread if the server did not stop in time.
    """
    server = Server(make_config(app, settings), app, on_stop)
    try:
        server.run(sockets=[listener])
    finally:
        server.has_stopped.set()
        if server.exit_code is not None:
            on_stop()
            # Python itself would first take everything apart, which can take seconds.
            exit_at_once(server.exit_code)


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
        on_stop: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self.has_stopped = threading.Event()
        self.exit_code: int | None = None
        self._app, self._on_stop = app, on_stop

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, and end the process if that takes too long."""
        if self.exit_code is None:
            self.exit_code = 128 + sig
            # Requests that are cut off now are no errors of the server.
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
            # This clock ends the process from outside of Python, where no thread can delay it.
            nowhere = open(os.devnull, "wb")  # noqa: SIM115
            faulthandler.dump_traceback_later(LAST_SECONDS, exit=True, file=nowhere)
            threading.Thread(target=self._end_late, args=(self.exit_code,), daemon=True).start()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer the requests that wait for jobs, then stop."""
        await asyncio.to_thread(self._app.stop_jobs)
        await super().shutdown(sockets)

    def _end_late(self, exit_code: int) -> None:
        try:
            if self.has_stopped.wait(EXIT_SECONDS):
                return  # the main thread ends the process
            self._app.close()
            if not self.has_stopped.is_set():
                self._on_stop()
        finally:
            if not self.has_stopped.is_set():
                exit_at_once(exit_code)
