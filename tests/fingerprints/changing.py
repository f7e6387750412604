"""A source on disk, of which one file after the other is changed in place.

The change keeps the size of the file and the time of its last change, as a restored backup or a
careless program would.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from weatherglass._files import cache
from weatherglass.errors import WeatherglassError

MAX_SEEDS = 60


@dataclass(frozen=True)
class Source:
    """A kind of source.

    Attributes
    ----------
    kind
        The name of the kind in its registry.
    write
        Writes the files of the source into an empty folder and returns its name. Another seed gives
        other content; among a few seeds there is one that gives a file of the same size.
    edits
        For files that are the same for all seeds: a text in the file and another of the same length
        for it.
    inert
        Files that belong to the source, but whose change leaves the numbers as they are.
    options
        What follows the path in the source's name.
    needs
        Modules without which the source cannot be written or read.
    has_numbers
        Whether the numbers can be read here; otherwise only the fingerprint is checked.
    """

    kind: str
    write: Callable[[Path, int], str]
    label: str = ""
    edits: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)
    inert: frozenset[str] = frozenset()
    needs: tuple[str, ...] = ()
    is_heavy: bool = False
    has_numbers: bool = True

    @property
    def id(self) -> str:
        return f"{self.kind} {self.label}".strip()


Read = Callable[[str, bool], tuple[str, Any]]
"""Returns the fingerprint of a source and, if asked for, its numbers."""


def parameters(sources: list[Source]) -> list[Any]:
    """Return the sources as parameters of a test."""
    return [
        pytest.param(source, id=source.id, marks=[pytest.mark.torch] if source.is_heavy else [])
        for source in sources
    ]


def check_every_file(source: Source, read: Read, folder: Path, monkeypatch: Any) -> None:
    """Change each file of a source; expect another fingerprint and other numbers, or a refusal."""
    for module in source.needs:
        pytest.importorskip(module, reason=f"{source.id} needs {module}")
    # Otherwise nothing is remembered of a file that was written a moment ago.
    monkeypatch.setattr(cache, "_RACY_NS", 0)
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(folder / "warm"))
    original = folder / "source"
    original.mkdir()
    name = source.write(original, 0)
    before = _read(read, name, source)
    assert _read(read, name, source) == before, "reading twice must give the same"
    files = sorted(path for path in original.rglob("*") if path.is_file())
    assert files
    for file in files:
        inside = str(file.relative_to(original))
        content = file.read_bytes()
        _overwrite(file, _other_content(source, folder, inside, content))
        warm = _read(read, name, source)
        with monkeypatch.context() as patch:
            patch.setenv("WEATHERGLASS_CACHE_DIR", str(folder / "cold" / inside))
            cold = _read(read, name, source)
        assert warm == cold, f"{inside}: numbers of the old file"
        if not isinstance(warm, str):  # a refusal
            assert warm[0] != before[0], f"{inside} is not part of the fingerprint"
            if source.has_numbers and inside not in source.inert:
                assert warm[1] != before[1], f"{inside} changed, but no number did"
        _overwrite(file, content)
        assert _read(read, name, source) == before, f"{inside}: not read again after a repair"


def _read(read: Read, name: str, source: Source) -> Any:
    """Return the fingerprint and the numbers, or the message of a refusal."""
    try:
        return read(name, source.has_numbers)
    except WeatherglassError as error:
        return str(error)


def _other_content(source: Source, folder: Path, inside: str, content: bytes) -> bytes:
    """Return other content of the same size for a file of the source."""
    if inside in source.edits:
        old, new = source.edits[inside]
        assert len(old) == len(new)
        assert old in content, f"{inside} has no {old!r}: {content[:2000]!r}"
        return content.replace(old, new, 1)
    for seed in range(1, MAX_SEEDS):
        shutil.rmtree(folder / "other", ignore_errors=True)
        (folder / "other").mkdir()
        source.write(folder / "other", seed)
        other = (folder / "other" / inside).read_bytes()
        if other != content and len(other) == len(content):
            return other
    raise AssertionError(f"{inside}: no seed gives other content of the same size")


def _overwrite(path: Path, content: bytes) -> None:
    """Replace the content in place, and keep the time of the last change."""
    before = path.stat()
    with open(path, "r+b") as file:
        file.write(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_ino) == (before.st_size, before.st_ino)
