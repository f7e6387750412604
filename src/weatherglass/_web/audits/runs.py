"""The audits that the page may open: runs in the folders named when the server was started.

Requests name a run as the list does, never by a path, so that nothing else can be opened; and the
files that a run names are checked before they are opened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool

from weatherglass.auditing import (
    REPORT,
    RESULTS,
    RUN,
    STEPS,
    Change,
    RunRecord,
    count_correction_only,
    find_changes,
    find_finding_changes,
    open_audit,
    read_run,
)
from weatherglass.errors import (
    BadContent,
    SourceNotFound,
    UsageError,
    WeatherglassError,
    did_you_mean,
    quote_safe,
)
from weatherglass.findings import FindingChange, changes_sentence
from weatherglass.report import (
    AuditResult,
    effects_section,
    findings_section,
    model_names,
    overview_section,
    source_names,
    steps_section,
)

from ..jobs import Cancelled
from ..session import Session
from ..sources import is_inside

MAX_DEPTH = 3
MAX_RUNS = 500
MAX_FOLDERS = 20_000
MAX_SOURCES = 1000
MAX_STEPS = 20_000
MAX_FILE_BYTES = 64 << 20
"""No audit writes a file that is larger."""

FILE_TYPES = {
    REPORT: "text/html; charset=utf-8",
    f"{RESULTS}.json": "application/json",
    f"{RESULTS}.tsv": "text/tab-separated-values; charset=utf-8",
    f"{RESULTS}.parquet": "application/vnd.apache.parquet",
    RUN: "application/json",
}
"""The files of a run that can be downloaded, with their media types."""

T = TypeVar("T")


# Folders


@dataclass(frozen=True)
class Run:
    """A run: its name in the list, its folder, and the content of its ``run.json``."""

    name: str
    folder: Path
    record: RunRecord

    @property
    def counts(self) -> dict[str, int]:
        """How many steps have each status."""
        return dict(Counter(step.status for step in self.record.steps))

    @property
    def started(self) -> str:
        """When it was started, to the minute."""
        return self.record.started[:16].replace("T", " ")

    @property
    def state(self) -> tuple[object, ...]:
        """What changes when the run is overwritten, for the key of a job."""
        try:
            status = (self.folder / RUN).stat()
        except OSError:  # deleted since the folders were listed
            raise SourceNotFound(f"The audit {quote_safe(self.name)} was deleted.") from None
        return str(self.folder), status.st_mtime_ns, status.st_size, status.st_ino

    def files(self) -> list[str]:
        """Return the names of `FILE_TYPES` that exist."""
        return [name for name in FILE_TYPES if _is_own_file(self.folder / name, self.folder)]

    def read(self, name: str) -> bytes:
        """Return the content of one of `FILE_TYPES`."""
        path = self.folder / name
        if name not in FILE_TYPES or not _is_own_file(path, self.folder):
            raise SourceNotFound(f"The audit {quote_safe(self.name)} has no {name}.")
        try:
            return path.read_bytes()
        except OSError as error:
            raise BadContent(f"{name} cannot be read: {error.strerror}.") from None

    def open(self) -> AuditResult:
        """Return all results of the audit."""
        for step in self.record.steps:
            path = self.folder / STEPS / step.file
            if step.file and path.exists() and not _is_own_file(path, self.folder):
                raise BadContent(
                    f"The audit {quote_safe(self.name)} names a file outside its folder: "
                    f"{quote_safe(step.file)}. Run the audit again."
                )
        try:
            return open_audit(self.folder)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            raise _damaged(self.name) from None


def find_runs(folders: Sequence[Path]) -> list[Run]:
    """Return every run in the folders and up to `MAX_DEPTH` levels below, the latest first."""
    runs: list[Run] = []
    for folder in folders:
        for place in _walk_folders(folder):
            record = _read_record(place)
            if record is not None and is_inside(place, folders):
                name = place.relative_to(folder).as_posix()
                name = folder.resolve().name if name == "." else name
                runs.append(Run(_unused_name(name, runs), place, record))
            if len(runs) == MAX_RUNS:
                break
    return sorted(runs, key=lambda run: run.record.started, reverse=True)


def find_run(folders: Sequence[Path], name: str) -> Run:
    """Return a run by its name in the list."""
    runs = {run.name: run for run in find_runs(folders)}
    if name not in runs:
        hint = did_you_mean(name, runs)
        raise SourceNotFound(
            f"There is no audit {quote_safe(name)} in the folders of this server.{hint}"
        )
    return runs[name]


def _walk_folders(folder: Path) -> Iterator[Path]:
    """Yield a folder and those below it, except links: they could lead anywhere, or in circles."""
    level, visited = [folder], 0
    for depth in range(MAX_DEPTH + 1):
        next_level: list[Path] = []
        for place in level:
            visited += 1
            if visited > MAX_FOLDERS:
                return
            yield place
            if depth < MAX_DEPTH and not (place / RUN).is_file():
                next_level += _subfolders(place)
        level = next_level


def _subfolders(folder: Path) -> list[Path]:
    try:
        return sorted(
            place
            for place in folder.iterdir()
            if not place.name.startswith(".") and not place.is_symlink() and place.is_dir()
        )
    except OSError:
        return []


def _read_record(folder: Path) -> RunRecord | None:
    """Return the content of a folder's ``run.json``, if it has a valid one."""
    if not _is_own_file(folder / RUN, folder):
        return None
    try:
        record = read_run(folder)
    except (WeatherglassError, RecursionError):
        return None
    is_small = len(record.sources) <= MAX_SOURCES and len(record.steps) <= MAX_STEPS
    return record if is_small else None


def _is_own_file(path: Path, folder: Path) -> bool:
    """Whether a path is a file inside a folder after links are resolved, and not too large."""
    try:
        is_own = path.is_file() and is_inside(path, [folder])
        return is_own and path.stat().st_size <= MAX_FILE_BYTES
    except (OSError, ValueError):
        return False


def _unused_name(name: str, runs: Sequence[Run]) -> str:
    """Return the name, with a number where another run has the same name."""
    used = {run.name for run in runs}
    candidates = (name if k == 1 else f"{name} ({k})" for k in range(1, MAX_RUNS + 2))
    return next(candidate for candidate in candidates if candidate not in used)


def _damaged(name: str) -> BadContent:
    return BadContent(f"The audit {quote_safe(name)} is damaged; run it again.")


# Jobs


async def open_run(session: Session, name: str, job: str = "") -> tuple[Run, AuditResult]:
    """Return a run and all its results."""
    run = await run_in_threadpool(find_run, session.folders, name)

    def work(report: Callable[..., None]) -> AuditResult:
        return session.jobs.call(report, _open_in_process, run)

    key = ("audit", run.state)
    what = f"Reading {run.name}"
    return run, await session.jobs.answer(key, what, work, is_long=True, job=job)


async def render_run(session: Session, name: str, job: str = "") -> tuple[Run, Markup]:
    """Return a run, and the report's sections about what was measured and found."""
    run = await run_in_threadpool(find_run, session.folders, name)

    def work(report: Callable[..., None]) -> Markup:
        return session.jobs.call(report, _sections_in_process, run)

    key = ("audit sections", run.state)
    return run, await session.jobs.answer(key, "Writing the page", work, is_long=True, job=job)


def _open_in_process(report: Callable[..., None], run: Run) -> AuditResult:
    return run.open()


def _sections_in_process(report: Callable[..., None], run: Run) -> Markup:
    return _call_on_run(run.name, lambda: _sections(run, run.open()))


def _call_on_run(name: str, function: Callable[[], T]) -> T:
    """Call a function; an error in it means that the files of the run are damaged."""
    try:
        return function()
    except (WeatherglassError, Cancelled):
        raise
    except Exception:
        raise _damaged(name) from None


def _sections(run: Run, result: AuditResult) -> Markup:
    names = model_names(source_names(result))
    query = urlencode({"run": run.name})

    sections = "".join(
        (
            findings_section(result, names),
            overview_section(result, names),
            *effects_section(result, names),
            *steps_section(result, names),
        )
    )
    # Discoveries are not on this page, but in the report.
    in_report = f'href="/audits/report?{query}#discovery" target="_blank"'
    return Markup(sections.replace('href="#discovery"', in_report))


@dataclass(frozen=True)
class RunComparison:
    """Two runs, their findings, and every number that differs.

    `n_correction_only` counts corrected p-values that differ only because one run has more tests.
    """

    before: Run
    after: Run
    changes: tuple[Change, ...]
    findings: tuple[FindingChange, ...] = ()
    n_correction_only: int = 0

    @property
    def summary(self) -> str:
        """How many findings appeared, vanished or reversed."""
        return changes_sentence(self.findings)

    @property
    def notable(self) -> list[FindingChange]:
        """The findings that reversed, appeared, vanished, or have another grade."""
        kinds = ("reversed", "appeared", "vanished", "regraded")
        return [change for kind in kinds for change in self.findings if change.kind == kind]

    @property
    def compared(self) -> list[FindingChange]:
        """The tests that both runs have a number for."""
        return [change for change in self.findings if change.delta is not None]

    def tests_only_in(self, kind: str) -> list[str]:
        """Return the titles of the tests that only one run has: ``removed`` or ``added``."""
        changes = (change for change in self.findings if change.kind == kind)
        return list(dict.fromkeys(change.finding.result.title for change in changes))

    @property
    def has_many_sources(self) -> bool:
        """Whether one of the runs has several sources."""
        return max(len(run.record.sources) for run in (self.before, self.after)) > 1

    @property
    def changed(self) -> list[Change]:
        """The numbers that both runs have, and that differ; without the vectors themselves."""
        return [change for change in self.changes if change.of_both and change.measure != "source"]

    @property
    def has_other_vectors(self) -> bool:
        """Whether the vectors of a source have changed."""
        return any(change.of_both and change.measure == "source" for change in self.changes)

    @property
    def n_removed(self) -> int:
        """How many numbers only the first run has."""
        return sum(change.after is None for change in self.changes)

    @property
    def n_added(self) -> int:
        """How many numbers only the second run has."""
        return sum(change.before is None for change in self.changes)

    @property
    def query(self) -> str:
        """The comparison as the query of an address."""
        return urlencode({"before": self.before.name, "after": self.after.name})


async def compare_runs(session: Session, before: str, after: str, job: str = "") -> RunComparison:
    """Find the numbers that changed between two runs."""
    if before == after:
        raise UsageError("Choose two different audits.")
    first, old = await open_run(session, before, job)
    second, new = await open_run(session, after, job)

    def work(report: Callable[..., None]) -> RunComparison:
        def compare() -> RunComparison:
            changes = find_changes(old, new)
            findings = find_finding_changes(old, new, changes)
            n_correction_only = count_correction_only(old, new)
            return RunComparison(first, second, changes, findings, n_correction_only)

        return _call_on_run(f"{first.name} or {second.name}", compare)

    key = ("changes", first.state, second.state)
    return await session.jobs.answer(key, "Comparing", work, job=job)
