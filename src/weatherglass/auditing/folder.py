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
from pathlib import Path
from typing import Any

from weatherglass._version import __version__
from weatherglass.discovery import Discovery
from weatherglass.errors import BadContent, CannotWrite
from weatherglass.measures import Results
from weatherglass.seedlab.findings import Lint
from weatherglass.seedlab.multiverse_record import Multiverse
from weatherglass.vectors.writing import write_text

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
