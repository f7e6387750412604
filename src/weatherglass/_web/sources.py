"""The sources a server offers: named at the start, in a folder named at the start, or uploaded.

Requests refer to a source by its short name, never by a path, so that nothing else can be opened.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from weatherglass._files import Input
from weatherglass.errors import (
    BadContent,
    SourceNotFound,
    UsageError,
    WeatherglassError,
    did_you_mean,
    quote_safe,
)
from weatherglass.report import MODEL_TITLES, short_names
from weatherglass.vectors import (
    GLOVE,
    FittedControl,
    Vectors,
    count_trailing_numbers,
    find_format,
    fit_control,
    open_parsed,
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


@dataclass(frozen=True)
class SourceReference:
    """An open source, as it is sent to a process, which opens the same parsed copy.

    `cache` is the cache folder of an uploaded file.
    """

    name: str
    spec: str
    fingerprint: str
    cache: Path | None = None

    def open(self, report: Callable[..., None]) -> Vectors:
        """Open the vectors; without a parsed copy, they are read again."""
        vectors = open_parsed(self.spec, self.fingerprint, self.cache)
        if vectors is None:
            vectors = open_vectors(self.spec, progress=report)
        if vectors.fingerprint != self.fingerprint:
            raise BadContent(f"{self.name} has changed since the server opened it.")
        return replace(vectors, source=self.name)


def open_all(
    references: Sequence[SourceReference], report: Callable[..., None]
) -> dict[str, Vectors]:
    """Open several sources in a process; return them by short name."""
    return {reference.name: reference.open(report) for reference in references}


def read_vectors(report: Callable[..., None], spec: str) -> str:
    """Parse a file, in a process, so that there is a parsed copy; return its fingerprint."""
    return open_vectors(spec, progress=report).fingerprint


def _fit_controls(
    report: Callable[..., None], reference: SourceReference, names: Sequence[str]
) -> list[FittedControl]:
    """Fit controls in a process; they are sent back without the vectors."""
    vectors = reference.open(report)
    nothing = Vectors.of([""], [[0.0]])
    fitted = []
    for done, name in enumerate(names):
        report(done, len(names))
        fitted.append(replace(fit_control(vectors, name, strict=False), vectors=nothing))
    return fitted


CONTROLS = ("frequency", "top:2")
"""The controls that an answer shows."""


@dataclass(eq=False)
class Source:
    """A source: its short name on the pages, the spec that opens it, whether it was uploaded.

    `cache` is the cache folder of an uploaded file; `warning` says that it was trained on too
    little text.
    """

    name: str
    spec: str
    is_upload: bool = False
    cache: Path | None = None
    warning: str = ""
    _vectors: Vectors | None = None
    _controls: dict[str, FittedControl] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def vectors(self) -> Vectors | None:
        """The vectors, if they have been opened."""
        return self._vectors

    @property
    def short_title(self) -> str:
        """What people call it, with its dimensions once open: ``GloVe 6B · 50d``."""
        name = MODEL_TITLES.get(self.spec, self.name)
        return name if self._vectors is None else f"{name} · {self._vectors.dim}d"

    @property
    def title(self) -> str:
        """What people call it, with its size once open: ``GloVe 6B · 50d · 400,000 words``."""
        if self._vectors is None:
            return self.short_title
        title = f"{self.short_title} · {len(self._vectors):,} words"
        return f"{title} · trained on little text" if self.warning else title

    def refer(self) -> SourceReference:
        """Return what a process needs to open the same vectors."""
        assert self._vectors is not None  # a source is open before anything is measured on it
        return SourceReference(self.name, self.spec, self._vectors.fingerprint, self.cache)

    def open(self, report: Callable[..., None], jobs: Jobs) -> Vectors:
        """Read all vectors, once; to be called from a job."""
        with self._lock:
            if self._vectors is None:
                try:
                    vectors = open_parsed(self.spec)
                    if vectors is None:
                        fingerprint = jobs.call(report, read_vectors, self.spec)
                        vectors = open_parsed(self.spec, fingerprint)
                    if vectors is None:  # the cache cannot be written
                        vectors = open_vectors(self.spec, progress=report)
                except Cancelled:
                    raise
                except WeatherglassError as error:
                    error.args = (hide_path(str(error), self.spec, self.name),)
                    raise
                # Sentences about the vectors show the short name, never a path.
                self._vectors = replace(vectors, source=self.name)
            return self._vectors

    def controls(
        self, names: Sequence[str], report: Callable[..., None], jobs: Jobs
    ) -> list[FittedControl]:
        """Fit controls to all vectors, each once; to be called from a job.

        One that cannot be fitted changes nothing and states the reason.
        """
        vectors = self.open(report, jobs)
        missing = [name for name in names if name not in self._controls]
        if missing:
            fitted = jobs.call(report, _fit_controls, self.refer(), missing, cache=self.cache)
            for name, control in zip(missing, fitted, strict=True):
                self._controls[name] = replace(control, vectors=vectors)
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
        self,
        spec: str,
        name: str = "",
        vectors: Vectors | None = None,
        *,
        is_upload: bool = False,
        cache: Path | None = None,
    ) -> Source:
        """Offer a source: a spec of the command line, or a file that was uploaded.

        `vectors` are its vectors, where they are open already; they get its short name. `cache` is
        the cache folder with the parsed copy of an upload.
        """
        for source in self:
            if source.spec == spec:
                return source
        base = name or short_names([spec])[spec]
        names = (f"{base} ({k})" if k > 1 else base for k in range(1, 10_000))
        unused = next(name for name in names if name not in self._sources)
        added = Source(unused, spec, is_upload, cache)
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

    def refer(self, names: Iterable[str]) -> list[SourceReference]:
        """Return references to open sources, for a process."""
        return [self.find(name).refer() for name in names]

    def choose(self, names: Sequence[str]) -> list[Source]:
        """Return the named sources, each once; without a name, the first source."""
        distinct = list(dict.fromkeys(filter(None, names)))
        if len(distinct) > self.settings.max_sources:
            raise UsageError(
                f"{len(distinct)} sources are too many to compare side by side; choose at most "
                f"{self.settings.max_sources}."
            )
        return [self.find(name) for name in distinct] or list(self)[:1]

    def start_opening(self, source: Source) -> None:
        """Start the job that reads a source."""
        self.jobs.start(*self._opening(source), is_long=True)

    def _opening(self, source: Source) -> tuple[Hashable, str, Callable[..., Vectors]]:
        """Return the key, the name and the work of the job that reads a source."""
        work = partial(source.open, jobs=self.jobs)
        return ("open", source.name), f"Reading {source.name}", work

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
                    *self._opening(source), is_long=True, job=job, wait_seconds=wait_seconds
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
