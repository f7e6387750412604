"""The uploaded files of a session: streamed to a temporary folder, deleted with the session.

Each file has a folder of its own. Its parsed copies, and whatever else a job keeps about it, are
stored in a cache folder beside it, so that they count towards the limits and are deleted with it.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import tempfile
import threading
import time
import unicodedata
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from weatherglass._files import remove_leftovers, temporary_folder
from weatherglass.corpus import Summary
from weatherglass.errors import CannotWrite, TooLarge, UsageError, WeatherglassError, quote_safe

from ..settings import Settings

Kind = Literal["vectors", "corpus"]
MAX_UPLOADS = 50
MIN_FREE_BYTES = 64 << 20
"""Bytes that an upload leaves free on the disk."""

BLOCK_BYTES = 1 << 20
_CACHE = "cache"
_WATCH_SECONDS = 0.5  # between two looks at the size of the files that a job writes
_UNSAFE = re.compile(r"[^\w.-]+")


class UnknownUpload(WeatherglassError):
    """No upload has this id: it was refused, or the server was restarted."""


@dataclass(eq=False)
class Upload:
    """An uploaded file: its name, what it contains, and where it is stored.

    `column` holds the text of a corpus that is a table, and `unit` is what a document is in plain
    text (``file``, ``lines`` or ``paragraphs``). `source` is the name of the source that
    vectors have become, `summary` describes a corpus, and `problem` is why the file was refused.
    `lock` is held while a job reads the file: a cancelled job deletes the file when it ends, so the
    next one waits for that.
    """

    id: str
    name: str
    kind: Kind
    path: Path
    column: str = ""
    unit: str = ""
    size: int = 0
    source: str = ""
    summary: Summary | None = None
    problem: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def cache(self) -> Path:
        """The cache folder of the processes that read the file."""
        return self.path.parent / _CACHE

    @property
    def status(self) -> str:
        """``"received"``, then ``"ready"`` or ``"refused"``."""
        if self.problem:
            return "refused"
        return "ready" if self.source or self.summary else "received"


class Uploads:
    """All uploaded files of a server."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._files: dict[str, Upload] = {}
        self._folder: Path | None = None
        self._resources = contextlib.ExitStack()
        remove_leftovers(Path(tempfile.gettempdir()))  # of a server that was killed
        self._sizes: dict[str, int] = {}
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[Upload]:
        return iter(list(self._files.values())[::-1])

    def find(self, id: str) -> Upload:
        """Return a file by its id."""
        if id not in self._files:
            raise UnknownUpload(
                "There is no such upload: it was refused, or the server was restarted. Upload the "
                "file again."
            )
        return self._files[id]

    async def receive(
        self,
        name: str,
        kind: Kind,
        chunks: AsyncIterator[bytes],
        column: str = "",
        unit: str = "",
    ) -> Upload:
        """Write a file as it arrives; an incomplete file is deleted.

        Raises
        ------
        HTTPException
            It is larger than the server allows, alone or with the files before it.
        CannotWrite
            There is no room on the disk.
        """
        self._check_number()
        id = secrets.token_urlsafe(9)
        self._sizes[id] = 0
        try:
            path = self._create_folder(id) / safe_name(name)
        except BaseException:
            del self._sizes[id]
            raise
        upload = Upload(id, safe_name(name), kind, path, column, unit)
        try:
            with self._explain_os_errors(), open(upload.path, "wb") as file:
                buffer = bytearray()
                async for chunk in chunks:
                    buffer += chunk
                    if len(buffer) >= BLOCK_BYTES:
                        await run_in_threadpool(self._write, upload, file, bytes(buffer))
                        buffer.clear()
                await run_in_threadpool(self._write, upload, file, bytes(buffer))
        except BaseException:
            self._delete(upload)
            raise
        if not upload.size:
            self._delete(upload)
            raise UsageError(f"{quote_safe(upload.name)} is empty; choose another file.")
        self._files[id] = upload
        self._forget_refused()
        return upload

    def refuse(self, upload: Upload, reason: str) -> None:
        """Delete a file that cannot be used, and keep the reason."""
        upload.problem = reason
        self._delete(upload)

    def watch(self, upload: Upload) -> Callable[[], None]:
        """Return a function to call while a job reads a file: it fails once the job has written
        more than the session may have, or has filled the disk."""
        last = 0.0

        def check() -> None:
            nonlocal last
            if time.monotonic() - last >= _WATCH_SECONDS:
                self.count_copies(upload)
                last = time.monotonic()

        return check

    def count_copies(self, upload: Upload) -> None:
        """Count what a job has written about a file as part of that file.

        Raises
        ------
        TooLarge
            It is too large, with the files before it.
        CannotWrite
            There is no room on the disk.
        """
        try:
            size = upload.size + _folder_size(upload.cache)
            self._count_bytes(upload.id, size, 0, upload.path.parent)
        except HTTPException as error:
            raise TooLarge(error.detail) from None

    def close(self) -> None:
        """Delete everything."""
        self._resources.close()
        self._folder = None

    def reserve(self, upload: Upload, name: str, size: int) -> Path:
        """Return a folder for files made from an upload; they count as an upload of their own.

        Raises
        ------
        HTTPException
            They are too large, with the files before them.
        CannotWrite
            There is no room on the disk.
        """
        self._check_number()
        try:
            # Opening the files makes a parsed copy, which needs as much space again.
            self._count_bytes(f"{upload.id}/{name}", size, 2 * size, upload.path.parent)
        except BaseException:
            self.release(upload, name)
            raise
        return upload.path.parent / name

    def release(self, upload: Upload, name: str) -> None:
        """Delete a reserved folder."""
        self._sizes.pop(f"{upload.id}/{name}", None)
        shutil.rmtree(upload.path.parent / name, ignore_errors=True)
        with contextlib.suppress(WeatherglassError):  # a copy of what was deleted counts no longer
            self.count_copies(upload)

    def _create_folder(self, id: str) -> Path:
        with self._lock:
            if self._folder is None:
                with self._explain_os_errors():
                    self._folder = self._resources.enter_context(
                        temporary_folder(Path(tempfile.gettempdir()), "uploads")
                    )
            folder = self._folder / id
        with self._explain_os_errors():
            folder.mkdir()
        return folder

    def _write(self, upload: Upload, file: IO[bytes], block: bytes) -> None:
        upload.size += len(block)
        self._count_bytes(upload.id, upload.size, len(block), upload.path.parent)
        with self._explain_os_errors():
            file.write(block)

    def _check_number(self) -> None:
        if len(self._sizes) >= MAX_UPLOADS:
            raise UsageError(
                f"This session already has {MAX_UPLOADS} files, the most it may have; restart the "
                "server to delete them."
            )

    def _count_bytes(self, id: str, size: int, added: int, folder: Path) -> None:
        """Record the size of a file, and check that `added` bytes still fit."""
        limit = self.settings.max_upload_bytes
        with self._lock:
            self._sizes[id] = size
            total = sum(self._sizes.values())
        if total > limit:
            raise HTTPException(
                413,
                f"The files of this session and their parsed copies would exceed {limit:,} bytes "
                "together; restart the server to delete them, or name large files when you start "
                "it.",
            )
        with self._explain_os_errors():
            free = shutil.disk_usage(folder).free
        if free - added < MIN_FREE_BYTES:
            raise CannotWrite("There is no room on the disk for this file.")

    def _forget_refused(self) -> None:
        """Keep the list short: of many refused files, only the reasons of the latest are shown."""
        refused = [upload.id for upload in self._files.values() if upload.problem]
        for id in refused[: max(0, len(self._files) - 2 * MAX_UPLOADS)]:
            del self._files[id]

    @staticmethod
    @contextlib.contextmanager
    def _explain_os_errors() -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise CannotWrite(f"The file cannot be stored: {reason}.") from None

    def _delete(self, upload: Upload) -> None:
        self._sizes.pop(upload.id, None)
        shutil.rmtree(upload.path.parent, ignore_errors=True)


def safe_name(name: str) -> str:
    r"""Return a safe file name, of letters and digits of any script; the suffix stays.

    >>> safe_name("../../etc/passwd"), safe_name('<b>"x".vec.gz'), safe_name("..")
    ('passwd', 'b_x_.vec.gz', 'file')
    >>> safe_name("слова.vec"), safe_name("\u202e★.csv")
    ('слова.vec', 'file.csv')
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    stem, dot, ending = _UNSAFE.sub("_", last).lstrip(".").partition(".")
    plain = (stem.lstrip("_-") or "file") + (dot + ending if ending else "")
    return plain[-60:].lstrip("._-") or "file"  # most disks allow 255 bytes


def _folder_size(folder: Path) -> int:
    """Return the bytes of all files in a folder; files may come and go meanwhile."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size
    return total
