"""How a server runs: what it may open, where it listens, and its limits."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from pathlib import Path

from weatherglass._files import MAX_MEMORY_VARIABLE, max_memory
from weatherglass.errors import UsageError

DEFAULT_PORT = 8765
MIN_TOKEN_LENGTH = 12
LONG_WORKERS = 2
"""Long jobs that run at the same time; others wait."""

_MIN_JOB_BYTES = 1 << 30


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a server runs.

    Attributes
    ----------
    sources
        The sources of vectors that it offers: paths or names, as on the command line.
    encoders
        Sentence encoders that it offers, by the names with which they are opened.
    folders
        Folders whose files the page may open; it opens nothing else on the disk.
    study
        The folder of a crowd study, whose tasks people can do on the page; answers are saved there.
    host, port
        Where it listens.
    token
        The secret that a visitor must know; required where others can reach the server.
    max_body_bytes, max_upload_bytes
        Limits of a request, and of all uploaded files together.
    max_words, max_word_length
        Limits of a word set, and of a word in characters.
    max_sources
        How many sources can be compared side by side.
    max_jobs, max_long_jobs
        How many jobs may be under way at once, and how many of the long kind.
    job_seconds
        A job that takes longer is cancelled.
    max_job_bytes
        Memory that a long job may take; 0 chooses a share of the memory that is available.
    header_seconds
        A client must send the header of a request within this time.
    idle_seconds
        A client that sends nothing for so long in the middle of a request is disconnected.
    wait_seconds
        An answer that takes longer becomes a page with progress and a cancel button.
    max_answers
        How many answers are remembered.
    warm_up
        Whether to open the first source and load slow libraries before the first request.

    Examples
    --------
    >>> Settings(port=9000).is_local, Settings(host="0.0.0.0", token="a-long-secret-word").is_local
    (True, False)
    """

    sources: tuple[str, ...] = ("default",)
    encoders: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()
    study: Path | None = None
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    token: str = ""
    max_body_bytes: int = 1 << 20
    max_upload_bytes: int = 4 << 30
    max_words: int = 500
    max_word_length: int = 100
    max_sources: int = 6
    max_jobs: int = 1000
    max_long_jobs: int = 8
    job_seconds: float = 600.0
    max_job_bytes: int = 0
    header_seconds: float = 10.0
    idle_seconds: float = 60.0
    wait_seconds: float = 0.9
    max_answers: int = 512
    warm_up: bool = False

    def __post_init__(self) -> None:
        if not self.is_local and not self.token:
            raise UsageError(
                f"Other machines can reach {self.host}, so visitors must know a secret: give a "
                "token, a long random word."
            )
        if self.token and (len(self.token) < MIN_TOKEN_LENGTH or not self.token.isascii()):
            raise UsageError(
                f"The token has {len(self.token)} characters; use at least {MIN_TOKEN_LENGTH} "
                "ASCII letters and digits."
            )

    def job_bytes(self) -> int:
        """Return the memory that a long job may take.

        That is what ``--max-memory`` says, or else each of the long jobs that can run at the same
        time gets an equal part of half of the available memory, and at least 1 GiB.
        """
        if self.max_job_bytes or MAX_MEMORY_VARIABLE in os.environ:
            return self.max_job_bytes or max_memory()
        return max(_MIN_JOB_BYTES, max_memory() // LONG_WORKERS)

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_local(self.host)


def is_local(host: str) -> bool:
    """Return whether only this machine can reach a server that listens on this address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
