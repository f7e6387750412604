"""Files that were sent to this session: streamed to a folder of its own, gone when it ends."""

from __future__ import annotations

import contextlib
import re
import secrets
import shutil
import tempfile
import threading
import unicodedata
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from weatherglass._files import cache, remove_leftovers, temporary_folder
from weatherglass.corpus import Summary
from weatherglass.errors import CannotWrite, UsageError, WeatherglassError, quote_safe

from ..settings import Settings

Kind = Literal["vectors", "corpus"]
MAX_UPLOADS = 50
MIN_FREE_BYTES = 64 << 20
"""Bytes that an upload leaves free on the disk."""

BLOCK_BYTES = 1 << 20
_UNSAFE = re.compile(r"[^\w.-]+")


class UnknownUpload(WeatherglassError):
    """No file has that id: it was refused, or the server was started anew."""


@dataclass(eq=False)
class Upload:
    """A file that was sent: what it is called, what it shall be, and where it is kept.

    `column` holds the text of a corpus that is a table. `source` is the name of the source that it
    has become, `summary` what is in a corpus, and `problem` why it is neither.
    """

    id: str
    name: str
    kind: Kind
    path: Path
    column: str = ""
    size: int = 0
    source: str = ""
    summary: Summary | None = None
    problem: str = ""

    @property
    def status(self) -> str:
        """How far it is."""
        if self.problem:
            return "refused"
        return "ready" if self.source or self.summary else "received"


class Uploads:
    """All files that were sent to a server."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._files: dict[str, Upload] = {}
        self._folder: Path | None = None
        self._held = contextlib.ExitStack()
        remove_leftovers(Path(tempfile.gettempdir()))  # what a server that was killed has left
        self._sizes: dict[str, int] = {}
        self._cached: list[Path] = []
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[Upload]:
        return iter(list(self._files.values())[::-1])

    def find(self, id: str) -> Upload:
        """A file by its id."""
        if id not in self._files:
            raise UnknownUpload(
                "There is no such upload; it was refused, or the server was started anew. Send it "
                "again."
            )
        return self._files[id]

    async def receive(
        self, name: str, kind: Kind, chunks: AsyncIterator[bytes], column: str = ""
    ) -> Upload:
        """Write a file as it comes in; nothing stays of one that does not come whole.

        Raises
        ------
        HTTPException
            It is larger than the server allows, alone or with those before.
        CannotWrite
            There is no room on the disk.
        """
        self._check_number()
        id = secrets.token_urlsafe(9)
        self._sizes[id] = 0
        try:
            made = Upload(id, safe_name(name), kind, self._place(id) / safe_name(name), column)
        except BaseException:
            del self._sizes[id]
            raise
        try:
            with self._told(), open(made.path, "wb") as file:
                waiting = bytearray()
                async for chunk in chunks:
                    waiting += chunk
                    if len(waiting) >= BLOCK_BYTES:
                        await run_in_threadpool(self._write, made, file, bytes(waiting))
                        waiting.clear()
                await run_in_threadpool(self._write, made, file, bytes(waiting))
        except BaseException:
            self._drop(made)
            raise
        if not made.size:
            self._drop(made)
            raise UsageError(
                f"{quote_safe(made.name)} is empty; choose a file with something in it."
            )
        self._files[id] = made
        refused = [one.id for one in self._files.values() if one.problem]
        for old in refused[: max(0, len(self._files) - 2 * MAX_UPLOADS)]:
            del self._files[old]
        return made

    def refuse(self, one: Upload, why: str) -> None:
        """Keep why a file is of no use, and not the file."""
        one.problem = why
        self._drop(one)

    def forget_later(self, entries: set[Path]) -> None:
        """Copies in the cache that are to go with the session."""
        self._cached += entries

    def close(self) -> None:
        """Delete everything."""
        for entry in self._cached:
            shutil.rmtree(entry, ignore_errors=True)
        self._held.close()
        self._folder = None

    def make_room(self, one: Upload, what: str, size: int) -> Path:
        """Where something can be made of a file that was sent; it counts as a file of its own.

        Raises
        ------
        HTTPException
            It is too large, with those before.
        CannotWrite
            There is no room on the disk.
        """
        self._check_number()
        try:
            # It is opened from a parsed copy, which needs room as well.
            self._count(f"{one.id}/{what}", size, 2 * size, one.path.parent)
        except BaseException:
            self.drop_made(one, what)
            raise
        return one.path.parent / what

    def drop_made(self, one: Upload, what: str) -> None:
        """Keep nothing of what could not be made."""
        self._sizes.pop(f"{one.id}/{what}", None)
        shutil.rmtree(one.path.parent / what, ignore_errors=True)

    def _place(self, id: str) -> Path:
        with self._lock:
            if self._folder is None:
                with self._told():
                    self._folder = self._held.enter_context(
                        temporary_folder(Path(tempfile.gettempdir()), "uploads")
                    )
            place = self._folder / id
        with self._told():
            place.mkdir()
        return place

    def _write(self, one: Upload, file: IO[bytes], some: bytes) -> None:
        one.size += len(some)
        self._count(one.id, one.size, len(some), one.path.parent)
        with self._told():
            file.write(some)

    def _check_number(self) -> None:
        if len(self._sizes) >= MAX_UPLOADS:
            raise UsageError(f"{MAX_UPLOADS} files are in this session; start the server anew.")

    def _count(self, id: str, size: int, more: int, place: Path) -> None:
        """Keep the size of a file that grows by some bytes, if there is room for them."""
        most = self.settings.upload
        with self._lock:
            self._sizes[id] = size
            everything = sum(self._sizes.values())
        if everything > most:
            raise HTTPException(
                413,
                f"The files of this session are over {most:,} bytes together; start the server "
                "anew, or name large files when it is started.",
            )
        if shutil.disk_usage(place).free - more < MIN_FREE_BYTES:
            raise CannotWrite("There is no room on the disk for this file.")

    @staticmethod
    @contextlib.contextmanager
    def _told() -> Iterator[None]:
        """What the disk says, as a sentence."""
        try:
            yield
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise CannotWrite(f"The file cannot be kept: {why}.") from None

    def _drop(self, one: Upload) -> None:
        self._sizes.pop(one.id, None)
        shutil.rmtree(one.path.parent, ignore_errors=True)


def safe_name(name: str) -> str:
    r"""A name for a file, of letters and digits of any script; its ending stays.

    >>> safe_name("../../etc/passwd"), safe_name('<b>"x".vec.gz'), safe_name("..")
    ('passwd', 'b_x_.vec.gz', 'file')
    >>> safe_name("слова.vec"), safe_name("\u202e★.csv")
    ('слова.vec', 'file.csv')
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    stem, dot, ending = _UNSAFE.sub("_", last).lstrip(".").partition(".")
    plain = (stem.lstrip("_-") or "file") + (dot + ending if ending else "")
    return plain[-60:].lstrip("._-") or "file"  # most disks allow 255 bytes


def cached_copies() -> set[Path]:
    """The parsed copies of files that the cache has."""
    return {entry.folder for entry in cache.list_entries()}
