"""The folder of a run: each step's result is saved as it ends, and everything at the end.

::

    run.json        what was done, with versions, options, seeds, fingerprints and times
    results.json    every test and measure; also as results.tsv and results.parquet
    steps/*.json    the result of each task, with a digest of everything that it depends on
    report.html     the report

`RunRecord` is the schema of ``run.json``, for the audit, the command line and the web page.
"""

from __future__ import annotations

import hashlib
import json
import re
from os import PathLike
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from weatherglass._files import seal, unseal, write_text
from weatherglass._version import __version__
from weatherglass.discovery import Discovery
from weatherglass.errors import BadContent, CannotWrite, SourceNotFound, quote_safe
from weatherglass.measures import Results, SourceValence, from_plain, load_json
from weatherglass.report import AuditResult, with_seed_choices, with_valence
from weatherglass.seedlab import Lint, Multiverse

from .sources import Fact, Source
from .steps import Payload, Task

RUN, RESULTS, REPORT, STEPS = "run.json", "results", "report.html", "steps"
_PAYLOADS: dict[str, Any] = {
    payload.measure: payload for payload in (Results, Discovery, Multiverse, Lint)
}


class _Part(BaseModel):
    # A newer version may write more; what it wrote is kept when the record is written again.
    model_config = ConfigDict(extra="allow")


class SuiteRecord(_Part):
    """The suite that was run: its id, its title, and its steps as in the YAML file."""

    id: str = ""
    title: str = ""


class SourceRecord(_Part):
    """A source: what it is called and what it is; `reason` says why it cannot be opened.

    `health` has the share of duplicate vectors and their mean cosine; see `health.Health`.
    `valence` says how far it agrees with the ratings of people; see `measures.SourceValence`.
    `memory` says that it was an object in memory, which must be given again to repeat the audit.
    """

    name: str = ""
    kind: str = ""
    fingerprint: str = ""
    words: int | None = Field(None, ge=0)
    dim: int | None = Field(None, ge=0)
    reason: str = ""
    opens: str = ""
    memory: bool = False
    rows: int | None = Field(None, ge=0)
    columns: int | None = Field(None, ge=0)
    history: list[dict[str, Any]] = Field(default_factory=list)
    facts: dict[str, Fact] = Field(default_factory=dict)
    health: dict[str, float] = Field(default_factory=dict)
    valence: SourceValence | None = None


class StepRecord(_Part):
    """A step on a source; `status` is ``done``, ``failed`` or ``skipped``, and `reason` says why.

    `file` is the name of a file in the folder ``steps``, empty where there is none.
    """

    title: str = ""
    source: str = ""
    kind: str = ""
    status: str = ""
    reason: str = ""
    seconds: float = Field(0.0, ge=0, allow_inf_nan=False)
    file: str = ""


class RunRecord(_Part):
    """The content of ``run.json``.

    The fields of its parts have defaults, so that a run with parts missing can still be listed;
    `check_steps` is the check before its files are opened.
    """

    suite: SuiteRecord
    sources: list[SourceRecord]
    options: dict[str, Any]
    steps: list[StepRecord]
    machine: dict[str, Any] = Field(default_factory=dict)
    weatherglass: str = ""
    started: str = ""
    command: str = ""
    seconds: float | None = Field(None, ge=0, allow_inf_nan=False)

    def to_plain(self) -> dict[str, Any]:
        """The record as plain data, with the fields that ``run.json`` had."""
        return self.model_dump(mode="json", exclude_unset=True)

    def check_steps(self) -> None:
        """Raise `ValueError` if a step has no source, or names a file outside of its folder."""
        names = {source.name for source in self.sources}
        for step in self.steps:
            if step.source not in names:
                raise ValueError(f"a step has the unknown source {quote_safe(step.source)}")
            if Path(step.file).name != step.file:
                raise ValueError(f"a step names the file {quote_safe(step.file)}, not in {STEPS}")


def read_run(folder: Path) -> RunRecord:
    """Read the ``run.json`` of a folder."""
    path = folder / RUN
    if not path.is_file():
        raise SourceNotFound(f"{folder} is not the folder of an audit: it has no {RUN}.")
    try:
        record = from_plain(RunRecord, load_json(path.read_text(encoding="utf-8")))
        record.to_plain()  # fails on half a character, which no file can contain
    except (OSError, ValueError) as error:
        raise _damaged(path, error) from None
    return record


def _damaged(path: Path, error: Exception) -> BadContent:
    reason = error.strerror if isinstance(error, OSError) else error
    return BadContent(f"{path} is damaged ({reason}); run the audit again.")


def step_file(folder: Path, number: int, task: Task) -> Path:
    """The path under which a task's result is saved."""
    test = re.sub(r"[^\w.@-]", "_", task.test)  # the id of a user's own test may have a slash
    name = "-".join(filter(None, (f"{number:03}", task.step.run, test)))
    return folder / STEPS / f"{name}.json"


def step_key(task: Task, fingerprint: str, rng: int) -> str:
    """Return a digest of everything that a task's result depends on."""
    inputs = [task.step.model_dump(), task.test, fingerprint, rng, __version__]
    if task.step.run == "lint":  # it checks the seed sets of all other steps
        inputs.append(task.suite.model_dump())
    return hashlib.blake2b(json.dumps(inputs).encode(), digest_size=16).hexdigest()


def create_folder(folder: Path) -> None:
    """Create the folder of a run."""
    try:
        (folder / STEPS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"{folder} cannot be created: {error.strerror}.") from None


def save_step(path: Path, payload: Payload, key: str) -> None:
    """Save a task's result under its key."""
    record = {"key": key, "kind": payload.measure, "found": json.loads(payload.to_json())}
    write_text(path, seal(record))


def load_step(path: Path, key: str | None = None) -> Payload | None:
    """Load a task's result; None if there is none, or if it has another key than this one."""
    try:
        record = unseal(path.read_text(encoding="utf-8"))
        if key is not None and record["key"] != key:
            return None
        payload: Payload = _PAYLOADS[record["kind"]].from_json(json.dumps(record["found"]))
        return payload
    except (OSError, ValueError, KeyError, TypeError, RecursionError, BadContent):
        return None


def write_results(folder: Path, results: Results) -> None:
    """Write the result set as JSON, TSV and Parquet."""
    write_text(folder / f"{RESULTS}.json", results.to_json() + "\n")
    write_text(folder / f"{RESULTS}.tsv", results.to_delimited(record=True))
    if len(results):
        results.to_parquet(folder / f"{RESULTS}.parquet")


def open_audit(folder: str | PathLike[str]) -> AuditResult:
    """Read the results of an audit.

    Parameters
    ----------
    folder
        The folder that `audit` wrote.
    """
    folder = Path(folder)
    run = read_run(folder)
    try:
        run.check_steps()
    except ValueError as error:
        raise _damaged(folder / RUN, error) from None
    sources = {
        source.name: Source(source.name, source.opens, source.facts) for source in run.sources
    }
    payloads = []
    for step in run.steps:
        if not step.file:
            continue
        path = folder / STEPS / step.file
        payload = load_step(path)
        if payload is None:  # without it the audit would seem to have measured less
            raise _damaged(path, ValueError("it is missing or was changed"))
        payloads.append(sources[step.source].label(payload))
    return collect(run.to_plain(), payloads)


def collect(about: dict[str, Any], payloads: list[Payload]) -> AuditResult:
    """Put the results of all steps together; the tests of each source are corrected together."""
    by_measure: dict[str, list[Any]] = {name: [] for name in _PAYLOADS}
    for payload in payloads:
        by_measure[payload.measure].append(payload)
    by_source: dict[str, list[Any]] = {step["source"]: [] for step in about["steps"]}
    for results in by_measure["results"]:
        for result in results:
            if result.source.get("name") in by_source:
                by_source[result.source["name"]].append(result)
    corrected = [
        result for results in by_source.values() for result in Results.of(results).correct()
    ]
    return AuditResult(
        about,
        Results.of(with_valence(with_seed_choices(corrected, by_measure["multiverse"]), about)),
        tuple(by_measure["discovery"]),
        tuple(by_measure["multiverse"]),
        tuple(by_measure["lint"]),
    )
