"""The sources that can be asked: those named at the start, files of named folders, uploads.

A page names a source by its short name, never by a path, so that nothing else can be opened.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from weatherglass._files import Input
from weatherglass.errors import (
    SourceNotFound,
    UsageError,
    WeatherglassError,
    did_you_mean,
    quote_safe,
)
from weatherglass.report import short_names
from weatherglass.vectors import (
    GLOVE,
    Vectors,
    count_trailing_numbers,
    find_format,
    open_vectors,
    parse_header,
)

from .jobs import Cancelled, Jobs
from .settings import Settings

SUFFIXES = (
    *(".txt", ".vec", ".bin", ".npy", ".npz", ".safetensors", ".arrow", ".parquet", ".h5"),
    *(".gz", ".bz2", ".xz", ".zst", ".zip"),
)
"""How the names of vector files in a folder end."""


@dataclass(eq=False)
class Source:
    """A source: what pages call it, what opens it, and whether it was sent to this session."""

    name: str
    spec: str
    is_sent: bool = False
    _opened: Vectors | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def vectors(self) -> Vectors | None:
        """The vectors, if they have been opened."""
        return self._opened

    def open(self, report: Callable[..., None]) -> Vectors:
        """All vectors, read once; to be called from a job."""
        with self._lock:
            if self._opened is None:
                try:
                    vectors = open_vectors(self.spec, progress=report)
                except Cancelled:
                    raise
                except WeatherglassError as error:
                    error.args = (hide_path(str(error), self.spec, self.name),)
                    raise
                self._opened = replace(vectors, source=self.name)  # sentences show no path
            return self._opened


class Sources:
    """All sources of a server, by their short names."""

    def __init__(self, settings: Settings, jobs: Jobs) -> None:
        self.settings, self.jobs = settings, jobs
        self._sources: dict[str, Source] = {}
        for spec in (*settings.sources, *map(str, find_vector_files(settings.folders))):
            self.add(spec)

    def __iter__(self) -> Iterator[Source]:
        return iter(list(self._sources.values()))

    def add(
        self, spec: str, name: str = "", vectors: Vectors | None = None, is_sent: bool = False
    ) -> Source:
        """Let a source be asked: a spec of the command line, or a file that was uploaded.

        `vectors` are its vectors, where they are open already; they get its short name.
        """
        for one in self:
            if one.spec == spec:
                return one
        short = name or short_names([spec])[spec]
        free = (f"{short} ({k})" if k > 1 else short for k in range(1, 10_000))
        made = Source(next(one for one in free if one not in self._sources), spec, is_sent)
        if vectors is not None:
            made._opened = replace(vectors, source=made.name)
        self._sources[made.name] = made
        return made

    def find(self, name: str) -> Source:
        """A source by its short name."""
        if name not in self._sources:
            near = did_you_mean(name, self._sources)
            raise SourceNotFound(f"This server has no source {quote_safe(name)}.{near}")
        return self._sources[name]

    def chosen(self, names: Sequence[str]) -> list[Source]:
        """The sources that a question names, each once; without a name, the first."""
        asked = list(dict.fromkeys(filter(None, names)))
        if len(asked) > self.settings.chosen:
            raise UsageError(
                f"{len(asked)} sources were chosen; at most {self.settings.chosen} stand side by "
                "side."
            )
        return [self.find(name) for name in asked] or list(self)[:1]

    async def opened(
        self, names: Sequence[str], job: str = "", patience: float | None = None
    ) -> dict[str, Vectors]:
        """The vectors of some sources, by short name.

        Raises
        ------
        Working
            One of them is still being read.
        """
        made: dict[str, Vectors] = {}
        for one in self.chosen(names):
            vectors = one.vectors
            if vectors is None:
                what = f"Reading {one.name}"
                vectors = await self.jobs.answer(
                    ("open", one.name), what, one.open, is_long=True, job=job, patience=patience
                )
            made[one.name] = vectors
        return made


def fingerprints(vectors: Mapping[str, Vectors]) -> tuple[tuple[str, str], ...]:
    """What tells sources from others: names and fingerprints."""
    return tuple((name, one.fingerprint) for name, one in vectors.items())


def hide_path(told: str, spec: str, name: str) -> str:
    """A sentence about a source, without where it lies on the disk of the server.

    >>> hide_path("/data/a.txt has no line 7.", "/data/a.txt?format=glove", "a.txt")
    'a.txt has no line 7.'
    """
    path = spec.partition("?")[0]
    for way in (spec, str(Path(path).absolute()), path):
        told = told.replace(way, name)
    return told


def find_vector_files(folders: Sequence[Path]) -> list[Path]:
    """The files of some folders that look like vectors; links that lead outside are left out."""
    return [
        file
        for folder in folders
        for file in sorted(folder.iterdir())
        if file.suffix.lower() in SUFFIXES and file.is_file() and is_inside(file, folders)
        if _holds_vectors(file)
    ]


def _holds_vectors(path: Path) -> bool:
    """Whether a file begins as vectors do; text, with a header or a word and its numbers."""
    try:
        seen = Input(path, {})
        form = find_format(seen)
    except (WeatherglassError, OSError):
        return False
    first = seen.head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0]
    return form is not GLOVE or parse_header(first) is not None or count_trailing_numbers(first) > 1


def is_inside(path: Path, folders: Sequence[Path]) -> bool:
    """Whether a path leads to a place inside one of some folders, links followed.

    >>> is_inside(Path("/data/../etc/passwd"), [Path("/data")])
    False
    """
    try:
        real = path.resolve()
        return any(real.is_relative_to(folder.resolve()) for folder in folders)
    except (OSError, ValueError, RuntimeError):
        return False
