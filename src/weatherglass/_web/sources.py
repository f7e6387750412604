"""The sources a server offers: named at the start, in a folder named at the start, or uploaded.

Requests refer to a source by its short name, never by a path, so that nothing else can be opened.
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
    FittedControl,
    Vectors,
    count_trailing_numbers,
    find_format,
    fit_control,
    open_vectors,
    parse_header,
)

from .jobs import Cancelled, Jobs
from .settings import Settings

SUFFIXES = (
    *(".txt", ".vec", ".bin", ".npy", ".npz", ".safetensors", ".arrow", ".parquet", ".h5"),
    *(".gz", ".bz2", ".xz", ".zst", ".zip"),
)
"""Suffixes of the files in a folder that may hold vectors."""


@dataclass(eq=False)
class Source:
    """A source: its short name on the pages, the spec that opens it, whether it was uploaded."""

    name: str
    spec: str
    is_upload: bool = False
    _vectors: Vectors | None = None
    _controls: dict[str, FittedControl] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def vectors(self) -> Vectors | None:
        """The vectors, if they have been opened."""
        return self._vectors

    def open(self, report: Callable[..., None]) -> Vectors:
        """Read all vectors, once; to be called from a job."""
        with self._lock:
            if self._vectors is None:
                try:
                    vectors = open_vectors(self.spec, progress=report)
                except Cancelled:
                    raise
                except WeatherglassError as error:
                    error.args = (hide_path(str(error), self.spec, self.name),)
                    raise
                # Sentences about the vectors show the short name, never a path.
                self._vectors = replace(vectors, source=self.name)
            return self._vectors

    def controls(self, names: Sequence[str], report: Callable[..., None]) -> list[FittedControl]:
        """Fit controls to all vectors, each once; to be called from a job.

        One that cannot be fitted changes nothing and states the reason.
        """
        vectors = self.open(report)
        with self._lock:
            for done, name in enumerate(names):
                report(done, len(names))
                if name not in self._controls:
                    self._controls[name] = fit_control(vectors, name, strict=False)
            return [self._controls[name] for name in names]


class Sources:
    """All sources of a server, by short name."""

    def __init__(self, settings: Settings, jobs: Jobs) -> None:
        self.settings, self.jobs = settings, jobs
        self._sources: dict[str, Source] = {}
        for spec in (*settings.sources, *map(str, find_vector_files(settings.folders))):
            self.add(spec)

    def __iter__(self) -> Iterator[Source]:
        return iter(list(self._sources.values()))

    def add(
        self, spec: str, name: str = "", vectors: Vectors | None = None, is_upload: bool = False
    ) -> Source:
        """Offer a source: a spec of the command line, or a file that was uploaded.

        `vectors` are its vectors, where they are open already; they get its short name.
        """
        for source in self:
            if source.spec == spec:
                return source
        base = name or short_names([spec])[spec]
        names = (f"{base} ({k})" if k > 1 else base for k in range(1, 10_000))
        added = Source(next(name for name in names if name not in self._sources), spec, is_upload)
        if vectors is not None:
            added._vectors = replace(vectors, source=added.name)
        self._sources[added.name] = added
        return added

    def find(self, name: str) -> Source:
        """Return a source by its short name."""
        if name not in self._sources:
            hint = did_you_mean(name, self._sources)
            raise SourceNotFound(f"This server has no source {quote_safe(name)}.{hint}")
        return self._sources[name]

    def choose(self, names: Sequence[str]) -> list[Source]:
        """Return the named sources, each once; without a name, the first source."""
        distinct = list(dict.fromkeys(filter(None, names)))
        if len(distinct) > self.settings.max_sources:
            raise UsageError(
                f"{len(distinct)} sources are too many to compare side by side; choose at most "
                f"{self.settings.max_sources}."
            )
        return [self.find(name) for name in distinct] or list(self)[:1]

    async def open(
        self, names: Sequence[str], job: str = "", wait_seconds: float | None = None
    ) -> dict[str, Vectors]:
        """Return the vectors of the named sources, by short name.

        Raises
        ------
        Working
            A source is still being read.
        """
        opened: dict[str, Vectors] = {}
        for source in self.choose(names):
            vectors = source.vectors
            if vectors is None:
                vectors = await self.jobs.answer(
                    ("open", source.name),
                    f"Reading {source.name}",
                    source.open,
                    is_long=True,
                    job=job,
                    wait_seconds=wait_seconds,
                )
            opened[source.name] = vectors
        return opened


def fingerprints(vectors: Mapping[str, Vectors]) -> tuple[tuple[str, str], ...]:
    """Return the names and fingerprints of sources, for the key of a job."""
    return tuple((name, source.fingerprint) for name, source in vectors.items())


def hide_path(message: str, spec: str, name: str) -> str:
    """Replace the path of a source in a message by its short name.

    >>> hide_path("/data/a.txt has no line 7.", "/data/a.txt?format=glove", "a.txt")
    'a.txt has no line 7.'
    """
    path = spec.partition("?")[0]
    for spelling in (spec, str(Path(path).absolute()), path):
        message = message.replace(spelling, name)
    return message


def find_vector_files(folders: Sequence[Path]) -> list[Path]:
    """Return the files in folders that look like vectors, except links that lead outside."""
    return [
        file
        for folder in folders
        for file in sorted(folder.iterdir())
        if file.suffix.lower() in SUFFIXES and file.is_file() and is_inside(file, folders)
        if _holds_vectors(file, folders)
    ]


def _holds_vectors(path: Path, folders: Sequence[Path]) -> bool:
    """Whether a file begins like vectors; a text file with a header, or with a word and numbers.

    Its word list must be inside the folders as well.
    """
    try:
        opened = Input(path, {})
        file_format = find_format(opened)
        if not all(is_inside(file, folders) for file in file_format.files(opened)):
            return False
    except (WeatherglassError, OSError):
        return False
    line = opened.head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0]
    return (
        file_format is not GLOVE
        or parse_header(line) is not None
        or count_trailing_numbers(line) > 1
    )


def is_inside(path: Path, folders: Sequence[Path]) -> bool:
    """Whether a path is inside one of the folders after links are resolved.

    >>> is_inside(Path("/data/../etc/passwd"), [Path("/data")])
    False
    """
    try:
        real = path.resolve()
        return any(real.is_relative_to(folder.resolve()) for folder in folders)
    except (OSError, ValueError, RuntimeError):
        return False
