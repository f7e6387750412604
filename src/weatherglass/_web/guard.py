"""The outermost layer: which requests are accepted, how large they may be, security headers.

Any page open in the same browser can send requests to a server on this machine. So the Host header
must name this server, which prevents DNS rebinding (a foreign name that resolves to this machine),
and requests that change something must come from a page of this server.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .rendering import SHOW_SLURS
from .responses import error_response
from .settings import Settings

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
UPLOAD_PREFIX = "/upload"
"""Paths with this prefix accept a file, with the larger limit."""

SLURS_COOKIE = "weatherglass-slurs"
"""Set by the page; it lasts as long as the browser is open."""

LINGER_SECONDS = 5.0
"""How long the rest of a refused file is read and thrown away."""

PAUSE_SECONDS = 1.0
"""After this time without data from the sender, the rest is not waited for."""

_SAFE = ("GET", "HEAD")
_WRITING_PATHS = ("/audits/start", "/api/audits/start")
_ANY_ADDRESS = ("0.0.0.0", "::", "")


class Guard:
    """An ASGI app that rejects requests, or passes them on and adds security headers.

    `stop_jobs` ends the jobs of the app, and `close` also deletes its files.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        stop_jobs: Callable[[], None] = lambda: None,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self.app, self.settings = app, settings
        self.stop_jobs, self.close = stop_jobs, close
        self.cookie = f"weatherglass-{settings.port}"  # browsers share cookies between ports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reject a request, or pass it on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        is_head = scope["method"] == "HEAD"
        body = _Body(receive, request.headers)
        guarded_send = _add_headers(body.wrap(send), drop_body=is_head)
        rejection = self._reject(request)
        if rejection is not None:
            await rejection(scope, body.receive, guarded_send)
            return
        if is_head:
            scope = {**scope, "method": "GET"}
        SHOW_SLURS.set(_cookie(request.headers, SLURS_COOKIE) == "yes")
        limit = self._max_bytes(scope["path"])
        limited_receive = _limit_body(body.receive, limit, self.settings.idle_seconds)
        await self.app(scope, limited_receive, guarded_send)

    def _reject(self, request: Request) -> Response | None:
        """Return the response to a request that is rejected; None if it may pass."""
        headers = request.headers
        host = headers.get("host", "")
        if not is_own_host(host, self.settings):
            return error_response(request, 421, "This server does not answer to that host name.")
        # An audit is written to disk: a link on another site must not start it.
        is_safe = request.method in _SAFE and request.url.path not in _WRITING_PATHS
        if not _is_own_page(is_safe, headers, host):
            return error_response(request, 403, "Only pages of this server may send that request.")
        length = headers.get("content-length", "0")
        limit = self._max_bytes(request.url.path)
        if not length.isdecimal() or int(length) > limit:
            return error_response(
                request, 413, f"The request is too large; at most {limit:,} bytes are accepted."
            )
        return self._reject_without_token(request) if self.settings.token else None

    def _max_bytes(self, path: str) -> int:
        is_upload = path.startswith(UPLOAD_PREFIX)
        return self.settings.max_upload_bytes if is_upload else self.settings.max_body_bytes

    def _reject_without_token(self, request: Request) -> Response | None:
        """Reject a visitor who does not have the token; log in one who opens its link."""
        if request.method in _SAFE and self._is_token(request.query_params.get("token", "")):
            return self._log_in(request)
        headers = request.headers
        if self._is_token(_bearer_token(headers)) or self._is_token(_cookie(headers, self.cookie)):
            return None
        response = error_response(
            request,
            401,
            "This server requires a token: open the link that it printed when it started.",
        )
        response.headers["WWW-Authenticate"] = "Bearer"
        return response

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode("utf-8", "replace"), self.settings.token.encode())

    def _log_in(self, request: Request) -> Response:
        """Store the token in a cookie and redirect to the address without it."""
        rest = [(name, text) for name, text in parse_qsl(request.url.query) if name != "token"]
        # A path that begins with two slashes would be the name of another server.
        path = "/" + request.url.path.lstrip("/\\")
        response = RedirectResponse(path + (f"?{urlencode(rest)}" if rest else ""), status_code=303)
        response.set_cookie(self.cookie, self.settings.token, httponly=True, samesite="lax")
        return response


def _cookie(headers: Headers, name: str) -> str:
    """Return the value of a cookie; empty if there is none."""
    try:
        cookies: SimpleCookie = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    return cookies[name].value if name in cookies else ""


def is_own_host(host: str, settings: Settings) -> bool:
    """Whether a Host header names this server; any port is accepted, for those who forward one.

    >>> settings = Settings()
    >>> [is_own_host(host, settings) for host in ("localhost:8765", "127.0.0.1", "evil.test", "")]
    [True, True, False, False]
    """
    name = _host_name(host)
    if not name:
        return False
    own_names = {settings.host.strip("[]").lower()}
    if settings.is_local:
        own_names |= {"localhost", "127.0.0.1", "::1"}
    elif settings.host in _ANY_ADDRESS:
        # DNS rebinding needs a name, so every IP address is safe.
        return name in own_names | _machine_names() or _is_ip_address(name)
    return name in own_names


@cache
def _machine_names() -> frozenset[str]:
    """The names of this machine; cached, because a network lookup can take seconds."""
    return frozenset({"localhost", socket.gethostname().lower(), socket.getfqdn().lower()})


def _host_name(host: str) -> str:
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # raises ValueError if it is not a number
        is_plain = parts.username is None and not parts.path and not parts.query
        return (parts.hostname or "") if is_plain else ""
    except ValueError:
        return ""


def _is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_own_page(is_safe: bool, headers: Headers, host: str) -> bool:
    """Whether a request comes from a page of this server, or from no page at all."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if is_safe:
        # Links from other sites are fine. Images, scripts or frames on another site are not: they
        # could start jobs that nobody asked for.
        is_navigation = headers.get("sec-fetch-mode", "navigate") == "navigate"
        is_document = headers.get("sec-fetch-dest", "document") == "document"
        return (is_navigation and is_document) or site in (None, "same-origin", "none")
    if origin == "null" and site == "same-origin":
        return True  # a form of our own: pages that send no referrer send no origin either
    if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
        return False
    return site in (None, "same-origin", "none")


def _bearer_token(headers: Headers) -> str:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


class _Body:
    """The body of a request, whose rest is read before the response ends.

    A refusal is sent before the whole file has arrived. If the connection were closed at once, the
    sender's system would report a broken connection and drop the refusal.
    """

    def __init__(self, receive: Receive, headers: Headers) -> None:
        self._receive = receive
        length = headers.get("content-length", "0")
        self._is_complete = length == "0" and "transfer-encoding" not in headers

    async def receive(self) -> Message:
        """Receive the next part."""
        message = await self._receive()
        self._is_complete = not message.get("more_body", False)
        return message

    def wrap(self, send: Send) -> Send:
        """Return a `send` that reads the rest after the response, and then ends it."""

        async def send_first(message: Message) -> None:
            is_end = message["type"] == "http.response.body" and not message.get("more_body")
            if not is_end or self._is_complete:
                await send(message)
                return
            await send({**message, "more_body": True})
            with suppress(TimeoutError):
                async with asyncio.timeout(LINGER_SECONDS):
                    while not self._is_complete:
                        await asyncio.wait_for(self.receive(), PAUSE_SECONDS)
            await send({"type": "http.response.body", "body": b""})

        return send_first


def _limit_body(receive: Receive, max_bytes: int, idle_seconds: float) -> Receive:
    """Return a `receive` that fails on a body that is too large, or that stalls."""
    received, is_complete = 0, False

    async def limited() -> Message:
        nonlocal received, is_complete
        try:
            message = await asyncio.wait_for(receive(), None if is_complete else idle_seconds)
        except TimeoutError:
            reason = f"Nothing was received for {idle_seconds:g} seconds; the request was dropped."
            raise HTTPException(408, reason, {"Connection": "close"}) from None
        is_complete = not message.get("more_body", False)
        received += len(message.get("body", b""))
        if received > max_bytes:
            raise HTTPException(
                413, f"The request is too large; at most {max_bytes:,} bytes are accepted."
            )
        return message

    return limited


def _add_headers(send: Send, drop_body: bool) -> Callable[[Any], Any]:
    """Return a `send` that adds the security headers, and drops the body of a HEAD request."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)  # a report sets a stricter policy of its own
            headers.setdefault("Cache-Control", "private, no-cache")
            # A page, and the part of it that a script asks for, have the same address.
            headers.add_vary_header("Accept")
            headers.add_vary_header("HX-Request")
        elif drop_body and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return guarded
