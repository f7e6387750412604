"""What a server was started with, and how much it lets anyone ask for."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from weatherglass.errors import UsageError

DEFAULT_PORT = 8765


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a server runs.

    Attributes
    ----------
    sources
        What can be asked: paths or names, as on the command line.
    folders
        Folders whose files the page may open; nothing else on the disk is.
    host, port
        Where it listens.
    token
        What a visitor must know; needed wherever others can reach the server.
    body, upload
        Most bytes of a request, and of an uploaded file.
    words, letters, text
        Most words of a set, letters of a word, and letters of a set as it is typed.
    chosen
        Most sources side by side.
    waiting, long_jobs
        Most questions under way at once, and most of the long kind.
    seconds
        A job that takes longer is stopped.
    silence
        Seconds after which a sender who sends nothing more is given up.
    patience
        An answer that takes longer becomes a job with progress and a cancel button.
    remembered
        Answers that are kept.
    warm
        Whether to open the first source and load what is slow to load before anyone asks.

    Examples
    --------
    >>> Settings(port=9000).is_local, Settings(host="0.0.0.0", token="a-long-secret-word").is_local
    (True, False)
    """

    sources: tuple[str, ...] = ("default",)
    folders: tuple[Path, ...] = ()
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    token: str = ""
    body: int = 1 << 20
    upload: int = 4 << 30
    words: int = 500
    letters: int = 100
    text: int = 20_000
    chosen: int = 6
    waiting: int = 1000
    long_jobs: int = 8
    seconds: float = 600.0
    silence: float = 60.0
    patience: float = 0.9
    remembered: int = 512
    warm: bool = False

    def __post_init__(self) -> None:
        if not self.is_local and not self.token:
            raise UsageError(
                f"{self.host} can be reached by others, so a token is needed: give --token with "
                "a long random word, or leave out --host."
            )
        if self.token and (len(self.token) < 12 or not self.token.isascii()):
            raise UsageError(
                f"The token has {len(self.token)} characters; at least 12 were expected, letters "
                "and digits of ASCII."
            )

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False
