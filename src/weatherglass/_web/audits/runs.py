"""The folders of audits that a page may open: found inside the folders named at the start.

A page names a run by what the list calls it, never by a path, so that nothing else is opened; and
what a run says of its own files is not believed before they were looked at.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

from markupsafe import Markup
from pydantic import BaseModel, Field, ValidationError
from starlette.concurrency import run_in_threadpool

from weatherglass.auditing import REPORT, RESULTS, RUN, STEPS, Change, find_changes, open_audit
from weatherglass.errors import (
    BadContent,
    SourceNotFound,
    UsageError,
    WeatherglassError,
    did_you_mean,
    quote_safe,
)
from weatherglass.report import (
    AuditResult,
    effects_section,
    findings_section,
    overview_section,
    repeat_section,
    short_names,
    source_names,
    steps_section,
)

from ..charts import chart_figure
from ..jobs import Cancelled
from ..session import Session
from ..sources import is_inside

MAX_DEPTH = 3
MAX_RUNS = 500
MAX_FOLDERS = 20_000
MAX_FILE_BYTES = 64 << 20
"""Of each file of a run: a file that is larger is none that an audit wrote."""

FILE_TYPES = {
    REPORT: "text/html; charset=utf-8",
    f"{RESULTS}.json": "application/json",
    f"{RESULTS}.tsv": "text/tab-separated-values; charset=utf-8",
    f"{RESULTS}.parquet": "application/vnd.apache.parquet",
    RUN: "application/json",
}
"""What can be had of a run, and what kind of file it is."""


class _Suite(BaseModel):
    id: str = Field("", max_length=200)
    title: str = Field("", max_length=500)


class _Source(BaseModel):
    name: str = Field("", max_length=2000)


class _Step(BaseModel):
    title: str = Field("", max_length=1000)
    source: str = Field("", max_length=2000)
    status: str = Field("", max_length=40)
    reason: str = Field("", max_length=5000)
    seconds: float = Field(0.0, ge=0, allow_inf_nan=False)
    file: str = Field("", max_length=300)


class About(BaseModel):
    """What ``run.json`` must say before a page shows it."""

    suite: _Suite
    source_names: list[_Source] = Field(max_length=1000)
    steps: list[_Step] = Field(max_length=20_000)
    started: str = Field("", max_length=40)
    command: str = Field("", max_length=10_000)
    seconds: float | None = Field(None, ge=0, allow_inf_nan=False)


@dataclass(frozen=True)
class Run:
    """A run: what the list calls it, where it is, and what it says of itself."""

    name: str
    folder: Path
    about: About

    @property
    def counts(self) -> dict[str, int]:
        """How many steps were done, failed, or left out."""
        return dict(Counter(one.status for one in self.about.steps))

    @property
    def when(self) -> str:
        """When it was made, to the minute."""
        return self.about.started[:16].replace("T", " ")

    @property
    def state(self) -> tuple[object, ...]:
        """What changes when the run is made anew."""
        try:
            status = (self.folder / RUN).stat()
        except OSError:  # it went just now
            raise SourceNotFound(f"The audit {quote_safe(self.name)} is gone.") from None
        return str(self.folder), status.st_mtime_ns, status.st_size, status.st_ino

    def files(self) -> list[str]:
        """Those of `FILES` that are there."""
        return [name for name in FILE_TYPES if _is_own_file(self.folder / name, self.folder)]

    def read(self, name: str) -> bytes:
        """The content of one of `FILES`."""
        path = self.folder / name
        if name not in FILE_TYPES or not _is_own_file(path, self.folder):
            raise SourceNotFound(f"The audit {quote_safe(self.name)} has no {name}.")
        try:
            return path.read_bytes()
        except OSError as error:
            raise BadContent(f"{name} cannot be read: {error.strerror}.") from None

    def opened(self) -> AuditResult:
        """All that the audit found."""
        for step in self.about.steps:
            path = self.folder / STEPS / step.file
            if step.file and path.exists() and not _is_own_file(path, self.folder):
                raise BadContent(
                    f"The audit {quote_safe(self.name)} names a file that is not its own: "
                    f"{quote_safe(step.file)}. Run the audit again."
                )
        try:
            return open_audit(self.folder)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            raise BadContent(
                f"The audit {quote_safe(self.name)} is damaged; run it again."
            ) from None


def find_runs(folders: Sequence[Path]) -> list[Run]:
    """Every run in some folders, or a few levels below, the latest first."""
    made: list[Run] = []
    for folder in folders:
        for place in _walk_folders(folder):
            about = _about(place)
            if about is not None and is_inside(place, folders):
                name = place.relative_to(folder).as_posix()
                name = folder.resolve().name if name == "." else name
                made.append(Run(_unused_name(name, made), place, about))
            if len(made) == MAX_RUNS:
                break
    return sorted(made, key=lambda one: one.about.started, reverse=True)


def find_run(folders: Sequence[Path], name: str) -> Run:
    """A run by what the list calls it."""
    known = {one.name: one for one in find_runs(folders)}
    if name not in known:
        near = did_you_mean(name, known)
        raise SourceNotFound(
            f"There is no audit {quote_safe(name)} in the folders of this server.{near}"
        )
    return known[name]


def _walk_folders(folder: Path) -> Iterator[Path]:
    """A folder and those below it, links left out: they could lead anywhere, or round in rings."""
    level, seen = [folder], 0
    for depth in range(MAX_DEPTH + 1):
        below: list[Path] = []
        for one in level:
            seen += 1
            if seen > MAX_FOLDERS:
                return
            yield one
            if depth < MAX_DEPTH and not (one / RUN).is_file():
                below += _subfolders(one)
        level = below


def _subfolders(folder: Path) -> list[Path]:
    try:
        return sorted(
            one
            for one in folder.iterdir()
            if not one.name.startswith(".") and not one.is_symlink() and one.is_dir()
        )
    except OSError:
        return []


def _about(folder: Path) -> About | None:
    """What a folder's ``run.json`` says, if it is one of an audit."""
    path = folder / RUN
    if not _is_own_file(path, folder):
        return None
    try:
        return About.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError, RecursionError):
        return None


def _is_own_file(path: Path, folder: Path) -> bool:
    """Whether a path is a file inside a folder, links followed, and not too large to be shown."""
    try:
        return (
            path.is_file() and is_inside(path, [folder]) and path.stat().st_size <= MAX_FILE_BYTES
        )
    except (OSError, ValueError):
        return False


def _unused_name(name: str, taken: Sequence[Run]) -> str:
    """The name, or the name with a number, where another run has it."""
    names = {one.name for one in taken}
    numbered = (name if k == 1 else f"{name} ({k})" for k in range(1, MAX_RUNS + 2))
    return next(one for one in numbered if one not in names)


T = TypeVar("T")


async def open_run(here: Session, name: str, job: str = "") -> tuple[Run, AuditResult]:
    """A run, and all that it found."""
    run = await run_in_threadpool(find_run, here.settings.folders, name)

    def work(report: Callable[..., None]) -> AuditResult:
        return run.opened()

    key = ("audit", run.state)
    what = f"Reading {run.name}"
    return run, await here.jobs.answer(key, what, work, is_long=True, job=job)


async def render_run(here: Session, name: str, job: str = "") -> tuple[Run, Markup]:
    """A run, and the report's sections about what was measured and found."""
    run, found = await open_run(here, name, job)

    def work(report: Callable[..., None]) -> Markup:
        return _as_bad_content(run.name, lambda: _sections(run, found))

    key = ("audit seen", run.state)
    return run, await here.jobs.answer(key, "Putting it together", work, is_long=True, job=job)


def _as_bad_content(name: str, make: Callable[[], T]) -> T:
    """What is made of a run's files; these may say anything, and then it is the run's fault."""
    try:
        return make()
    except (WeatherglassError, Cancelled):
        raise
    except Exception:
        raise BadContent(f"The audit {quote_safe(name)} is damaged; run it again.") from None


def _sections(run: Run, found: AuditResult) -> Markup:
    names = short_names(source_names(found))
    at = urlencode({"run": run.name})

    def draw(make: Any, name: str, told: str, **options: Any) -> Markup:
        return chart_figure(f"/audits/effects.json?{at}", f"/audits/effects.svg?{at}", told)

    made = "".join(
        (
            findings_section(found, names),
            overview_section(found, names),
            *effects_section(found, names, draw),
            *steps_section(found, names),
            repeat_section(found),
        )
    )
    report = f'href="/audits/report?{at}#discovery" target="_blank"'
    return Markup(made.replace('href="#discovery"', report))


@dataclass(frozen=True)
class RunComparison:
    """Two runs, and every number that differs; `several` where one of them has several sources."""

    before: Run
    after: Run
    find_changes: tuple[Change, ...]
    several: bool

    @property
    def both(self) -> list[Change]:
        """What both have, and not alike; the vectors themselves apart."""
        return [one for one in self.changes if one.of_both and one.measure != "source"]

    @property
    def other_vectors(self) -> bool:
        """Whether the vectors of a source are not those that they were."""
        return any(one.of_both and one.measure == "source" for one in self.changes)

    @property
    def gone(self) -> int:
        """How many numbers only the first has."""
        return sum(one.after is None for one in self.changes)

    @property
    def new(self) -> int:
        """How many numbers only the second has."""
        return sum(one.before is None for one in self.changes)

    @property
    def query(self) -> str:
        """The comparison as the end of an address."""
        return urlencode({"before": self.before.name, "after": self.after.name})


async def compare_runs(here: Session, before: str, after: str, job: str = "") -> RunComparison:
    """What changed between two runs."""
    if before == after:
        raise UsageError("Choose two audits that are not the same.")
    first, old = await open_run(here, before, job)
    second, new = await open_run(here, after, job)

    def work(report: Callable[..., None]) -> RunComparison:
        found = _as_bad_content(f"{first.name} or {second.name}", lambda: find_changes(old, new))
        several = max(len(one.about.sources) for one in (first, second)) > 1
        return RunComparison(first, second, found, several)

    key = ("changes", first.state, second.state)
    return await here.jobs.answer(key, "Comparing", work, job=job)
