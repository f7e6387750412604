"""Open the folder of a run that was made before."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from weatherglass.discovery import Discovery
from weatherglass.errors import BadContent, SourceNotFound
from weatherglass.measures import Results
from weatherglass.measures.jsontext import from_plain, loads
from weatherglass.report.audited import Audited
from weatherglass.seedlab.findings import Lint
from weatherglass.seedlab.multiverse_record import Multiverse

from .folder import RUN, STEPS, kept
from .sources import Fact, Source
from .steps import Payload


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
