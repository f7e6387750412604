"""The folder of a run: what each task gave is kept as it ends, and all of it together at the end.

::

    run.json        what was done, with versions, options, seeds, fingerprints and times
    results.json    every test and measure; also as results.tsv and results.parquet
    steps/*.json    what each task gave, with the key of all that it depends on
    report.html     the report
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from weatherglass._files import write_text
from weatherglass._version import __version__
from weatherglass.discovery import Discovery
from weatherglass.errors import BadContent, CannotWrite, SourceNotFound
from weatherglass.measures import Results, from_plain, loads
from weatherglass.report import Audited
from weatherglass.seedlab import Lint, Multiverse

from .sources import Fact, Source
from .steps import Payload, Task

RUN, RESULTS, REPORT, STEPS = "run.json", "results", "report.html", "steps"
_PAYLOADS: dict[str, Any] = {
    "results": Results,
    "discovery": Discovery,
    "multiverse": Multiverse,
    "lint": Lint,
}


def step_file(folder: Path, number: int, task: Task) -> Path:
    """Where a task's findings are kept."""
    name = "-".join(filter(None, (f"{number:03}", task.step.run, task.test)))
    return folder / STEPS / f"{name}.json"


def key(task: Task, fingerprint: str, rng: int) -> str:
    """A digest of all that a task's findings depend on."""
    about = [task.step.model_dump(), task.test, fingerprint, rng, __version__]
    if task.step.run == "lint":
        about.append(task.suite.model_dump())
    return hashlib.blake2b(json.dumps(about).encode(), digest_size=16).hexdigest()


def make(folder: Path) -> None:
    """Make the folder of a run, or say why not."""
    try:
        (folder / STEPS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"{folder} cannot be made: {error.strerror}.") from None


def keep(path: Path, found: Payload, key: str) -> None:
    """Keep what a task found."""
    kind = next(name for name, one in _PAYLOADS.items() if isinstance(found, one))
    write_text(path, json.dumps({"key": key, "kind": kind, "found": json.loads(found.to_json())}))


def kept(path: Path, key: str | None = None) -> Payload | None:
    """What a task found, if that was kept, under this key where one is given."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if key is not None and record["key"] != key:
            return None
        made: Payload = _PAYLOADS[record["kind"]].from_json(json.dumps(record["found"]))
        return made
    except (OSError, ValueError, KeyError, TypeError, RecursionError, BadContent):
        return None


def write_results(folder: Path, results: Results) -> None:
    """Write the result set in its three forms."""
    write_text(folder / f"{RESULTS}.json", results.to_json() + "\n")
    write_text(folder / f"{RESULTS}.tsv", results.to_delimited())
    if len(results):
        results.to_parquet(folder / f"{RESULTS}.parquet")


def open_audit(folder: str | PathLike[str]) -> Audited:
    """What an audit found.

    Parameters
    ----------
    folder
        The folder that `audit` wrote.
    """
    folder = Path(folder)
    about = read_run(folder)
    sources = {
        one["name"]: Source(one["name"], one.get("opens", ""), one.get("facts", {}))
        for one in about["sources"]
    }
    found = []
    for step in about["steps"]:
        one = kept(folder / STEPS / step["file"]) if step["file"] else None
        if one is not None:
            found.append(sources[step["source"]].labelled(one))
    return gathered(about, found)


def read_run(folder: Path) -> dict[str, Any]:
    """The content of ``run.json``."""
    path = folder / RUN
    if not path.is_file():
        raise SourceNotFound(f"{folder} is not the folder of an audit: it has no {RUN}.")
    try:
        about: dict[str, Any] = loads(path.read_text(encoding="utf-8"))
        return _checked(about)
    except (OSError, ValueError):
        raise BadContent(f"{path} is damaged; run the audit again.") from None


@dataclass(frozen=True)
class _Source:
    name: str
    opens: str = ""
    facts: dict[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True)
class _Step:
    title: str
    source: str
    kind: str
    status: str
    reason: str
    seconds: float
    file: str


@dataclass(frozen=True)
class _Run:
    """What is relied on where there is a ``run.json``; it says more."""

    suite: dict[str, Any]
    sources: tuple[_Source, ...]
    options: dict[str, Any]
    steps: tuple[_Step, ...]
    machine: dict[str, Any] = field(default_factory=dict)
    weatherglass: str = ""
    started: str = ""
    command: str = ""
    seconds: float | None = None


def _checked(about: dict[str, Any]) -> dict[str, Any]:
    """The content of ``run.json``, if it is one; else a `ValueError`."""
    run = from_plain(_Run, about)
    names = {one.name for one in run.sources}
    for step in run.steps:
        # A step's file lies beside the others, and nowhere else on the disk.
        if step.source not in names or Path(step.file).name != step.file:
            raise ValueError("a step without a source, or with a file outside")
    return about


def gathered(about: dict[str, Any], found: list[Payload]) -> Audited:
    """All findings in their places; the tests of each source corrected together."""
    by_source: dict[str, list[Any]] = {step["source"]: [] for step in about["steps"]}
    for some in found:
        for one in some if isinstance(some, Results) else ():
            if one.source.get("name") in by_source:
                by_source[one.source["name"]].append(one)
    results = [one for some in by_source.values() for one in Results.of(some).correct()]
    return Audited(
        about,
        Results.of(results),
        tuple(one for one in found if isinstance(one, Discovery)),
        tuple(one for one in found if isinstance(one, Multiverse)),
        tuple(one for one in found if isinstance(one, Lint)),
    )
