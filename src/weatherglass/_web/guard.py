"""What stands before every page: who may ask, how much may be sent, what the browser may do.

A page on this machine can be reached by any other page that the same browser shows. So the Host
header must name this server (a foreign name that was made to point here is refused, which ends DNS
rebinding), and whatever changes something must come from a page of this server.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import socket
from collections.abc import Callable
from functools import cache
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
"""Paths that begin so may be sent a file, and have the larger limit."""

_SAFE = ("GET", "HEAD")
_ANY_ADDRESS = ("0.0.0.0", "::", "")


class Guard:
    """The outermost layer of the server."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self.settings = app, settings
        self.cookie = f"weatherglass-{settings.port}"  # browsers share cookies between ports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        guarded = _add_headers(send, scope["method"] == "HEAD")
        refused = self._refused(request)
        if refused is not None:
            await refused(scope, receive, guarded)
            return
        if scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        most = self._most(scope["path"])
        await self.app(scope, _limit_body(receive, most, self.settings.silence), guarded)

    def _refused(self, request: Request) -> Response | None:
        """The answer to a request that goes no further."""
        headers = request.headers
        host = headers.get("host", "")
        if not is_own_host(host, self.settings):
            return error_response(request, 421, "This server does not answer under that name.")
        if not _is_own_page(request.method, headers, host):
            return error_response(request, 403, "Only a page of this server may send that.")
        length = headers.get("content-length", "0")
        most = self._most(request.url.path)
        if not length.isdecimal() or int(length) > most:
            return error_response(request, 413, f"The request is too long; at most {most:,} bytes.")
        return self._stranger(request) if self.settings.token else None

    def _most(self, path: str) -> int:
        return self.settings.upload if path.startswith(UPLOAD_PREFIX) else self.settings.body

    def _stranger(self, request: Request) -> Response | None:
        """The answer to someone who does not know the token, or comes by its link."""
        if request.method in _SAFE and self._knows(request.query_params.get("token", "")):
            return self._welcome(request)
        if self._knows(_bearer_token(request.headers)) or self._knows(self._kept(request.headers)):
            return None
        told = "This server asks for a token: open the link that it printed when it was started."
        answer = error_response(request, 401, told)
        answer.headers["WWW-Authenticate"] = "Bearer"
        return answer

    def _knows(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.settings.token.encode())

    def _kept(self, headers: Headers) -> str:
        try:
            cookies: SimpleCookie = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return ""
        return cookies[self.cookie].value if self.cookie in cookies else ""

    def _welcome(self, request: Request) -> Response:
        """Keep the token in a cookie, and take it out of the address."""
        rest = [one for one in parse_qsl(request.url.query) if one[0] != "token"]
        # A path that begins with two slashes would be the name of another server.
        path = "/" + request.url.path.lstrip("/\\")
        answer = RedirectResponse(path + (f"?{urlencode(rest)}" if rest else ""), status_code=303)
        answer.set_cookie(self.cookie, self.settings.token, httponly=True, samesite="lax")
        return answer


def is_own_host(host: str, settings: Settings) -> bool:
    """Whether a Host header names this server; ports are left to whoever forwards them.

    >>> mine = Settings()
    >>> [is_own_host(one, mine) for one in ("localhost:8765", "127.0.0.1", "evil.test", "")]
    [True, True, False, False]
    """
    name = _host_name(host)
    if not name:
        return False
    own = {settings.host.strip("[]").lower()}
    if settings.is_local:
        own |= {"localhost", "127.0.0.1", "::1"}
    elif settings.host in _ANY_ADDRESS:
        # A rebound name is always a name, never a number.
        return name in own | _machine_names() or _is_ip_address(name)
    return name in own


@cache
def _machine_names() -> frozenset[str]:
    """What the machine is called; to ask the network for it can take seconds."""
    return frozenset({"localhost", socket.gethostname().lower(), socket.getfqdn().lower()})


def _host_name(host: str) -> str:
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
        plain = parts.username is None and not parts.path and not parts.query
        return (parts.hostname or "") if plain else ""
    except ValueError:
        return ""


def _is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_own_page(method: str, headers: Headers, host: str) -> bool:
    """Whether a request comes from a page of this server, or from no page at all."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if method in _SAFE:
        # Following a link is fine; a picture, script or frame on another site is not: it could
        # start work that nobody asked for.
        going = headers.get("sec-fetch-mode", "navigate") == "navigate"
        is_alone = headers.get("sec-fetch-dest", "document") == "document"
        return (going and is_alone) or site in (None, "same-origin", "none")
    if origin == "null" and site == "same-origin":
        return True  # a form of our own: pages that tell no referrer tell no origin either
    if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
        return False
    return site in (None, "same-origin", "none")


def _bearer_token(headers: Headers) -> str:
    kind, _, given = headers.get("authorization", "").partition(" ")
    return given.strip() if kind.lower() == "bearer" else ""


def _limit_body(receive: Receive, most: int, silence: float) -> Receive:
    """A body that ends with an error when more comes than was allowed, or nothing for long."""
    seen, is_whole = 0, False

    async def counted() -> Message:
        nonlocal seen, is_whole
        try:
            message = await asyncio.wait_for(receive(), None if is_whole else silence)
        except TimeoutError:
            told = f"Nothing came for {silence:g} seconds, so the rest is not waited for."
            raise HTTPException(408, told, {"Connection": "close"}) from None
        is_whole = not message.get("more_body", False)
        seen += len(message.get("body", b""))
        if seen > most:
            raise HTTPException(413, f"The request is too long; at most {most:,} bytes.")
        return message

    return counted


def _add_headers(send: Send, bodiless: bool) -> Callable[[Any], Any]:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)  # a report is shown under a stricter policy
            headers.setdefault("Cache-Control", "private, no-cache")
            # A page and the part of it that a script asks for have one address.
            headers.add_vary_header("Accept")
            headers.add_vary_header("HX-Request")
        elif bodiless and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return guarded
