"""The API key and further headers of a request, from the environment and from nowhere else.

They are neither printed nor part of a fingerprint. They belong to one server, named in
``WEATHERGLASS_API_HOST``, and are sent to no other: a list of models that somebody else wrote
cannot direct them elsewhere, and cannot name another variable. Beyond this machine they are sent
only over https.
"""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from weatherglass.errors import UsageError, quote_safe

KEY = "WEATHERGLASS_API_KEY"
HOST = "WEATHERGLASS_API_HOST"
HEADER = "WEATHERGLASS_API_HEADER"
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
# Headers that the request needs as they are.
_RESERVED = frozenset(("content-length", "content-type", "host", "transfer-encoding"))


@dataclass(frozen=True)
class Credentials:
    """The secret headers of a request to one server; empty for every other server."""

    headers: dict[str, str] = field(default_factory=dict, repr=False)

    def redact(self, text: str | bytes) -> str:
        """Return a server's message, shortened and without secrets, which some servers repeat."""
        if isinstance(text, bytes):
            text = text.decode("utf-8", "replace")
        for secret in self.headers.values():
            text = text.replace(secret.removeprefix("Bearer "), "[key]")
        return quote_safe(" ".join(text.split()), 200)


def credentials_for(url: str) -> Credentials:
    """Return the headers of ``WEATHERGLASS_API_KEY`` and ``WEATHERGLASS_API_HEADER`` for a server.

    Empty unless `url` is an address of the server that ``WEATHERGLASS_API_HOST`` names.
    """
    parts = urlsplit(url)
    if not _is_server(parts.netloc, parts.scheme, os.environ.get(HOST, "")):
        return Credentials()
    headers = _custom_headers(os.environ.get(HEADER, ""))
    key = os.environ.get(KEY, "").strip()  # a file with the key often ends in a newline
    if key:
        if not key.isascii() or not key.isprintable():
            raise UsageError(f"{KEY} holds characters that no API key has; set it again.")
        headers["Authorization"] = f"Bearer {key}"
    if headers and parts.scheme != "https" and not _is_loopback(parts.hostname or ""):
        raise UsageError(
            f"The key is not sent to {quote_safe(parts.netloc)} over plain http, where others can "
            "read it: use https."
        )
    return Credentials(headers)


def hint_for(url: str, sent: Credentials) -> str:
    """Return what to do if a server refuses a request without a key."""
    if sent.headers:
        return ""
    if os.environ.get(KEY) or os.environ.get(HEADER):
        server = urlsplit(url).netloc
        name = KEY if os.environ.get(KEY) else HEADER
        return f" No key was sent: if {name} is for this server, set {HOST}={server}."
    return f" No key was sent: {KEY} is not set."


def _custom_headers(text: str) -> dict[str, str]:
    """Parse the lines ``Name: value`` of the environment variable.

    >>> _custom_headers("api-key: s3cret")
    {'api-key': 's3cret'}
    """
    headers = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, colon, value = (part.strip() for part in line.partition(":"))
        is_valid = colon and _HEADER_NAME.fullmatch(name) and value.isascii() and value
        if not is_valid or not value.isprintable() or name.lower() in _RESERVED:
            # The line itself is secret, and is not repeated.
            raise UsageError(
                f"{HEADER} must hold lines of the form Name: value, such as api-key: …"
            )
        headers[name] = value
    return headers


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
