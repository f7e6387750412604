"""`audit`: one call, every measure, one report."""

from __future__ import annotations

import datetime
import json
import os
import platform
import shlex
import time
from collections.abc import Callable, Sequence
from importlib import metadata
from os import PathLike
from pathlib import Path
from typing import Any

from weatherglass._version import __version__
from weatherglass.catalog.suites import Suite, load_suite, with_control
from weatherglass.errors import UsageError, WeatherglassError, shown
from weatherglass.report import audit_page
from weatherglass.report.audited import Audited
from weatherglass.vectors import ControlMethod
from weatherglass.vectors.writing import write_text

from . import folder as files
from .reading import gathered
from .sources import Source
from .steps import Payload, Task, perform, tasks

Progress = Callable[[str, int, int], None]
_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pyarrow")


def audit(
    sources: str | Sequence[str] = "default",
    *,
    out: str | PathLike[str],
    suite: str | PathLike[str] | Suite = "standard",
    control: ControlMethod | None = None,
    budget: float | None = None,
    rng: int = 0,
    resume: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Audited:
    """Measure sources with every step of a suite, and write a report.

    Parameters
    ----------
    sources
        Word vectors or encoders, as they are named everywhere.
    out
        A folder for the results and the report; it is made if need be.
    suite
        ``quick``, ``standard``, ``full``, or a YAML file with steps of your own.
    control
        Whether tests are also measured without word frequency and a discovery is made without it:
        ``auto``, ``frequency`` or ``none``, in every step that has the choice. By default each
        step does as its suite says.
    budget
        Minutes; steps that have not begun by then are left out, and named.
    rng
        The seed of all that is drawn at random.
    resume
        Keep what an earlier run in the same folder has found, and do the rest.
    workers
        Threads; all processors by default.
    progress
        Called with the title of a step, the steps done and the steps in all.

    Returns
    -------
    Audited
        A step that fails is told in the report and stops nothing else.

    Examples
    --------
    >>> import tempfile
    >>> import weatherglass as wg
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = wg.audit("default", out=folder, suite="quick")
    >>> len(found.results), found.about["steps"][0]["status"]
    (12, 'done')
    """
    names = [sources] if isinstance(sources, str) else list(sources)
    if not names or len(set(names)) < len(names):
        raise UsageError("Name one source or several, each once.")
    chosen = suite if isinstance(suite, Suite) else load_suite(suite)
    if control is not None:
        chosen = with_control(chosen, control)
    if budget is not None and not budget >= 0:
        raise UsageError(f"The budget is {budget:g}; it must be zero minutes or more.")
    folder = Path(out)
    if (folder / files.RUN).exists() and not resume:
        raise UsageError(
            f"{shown(str(folder))} holds an audit already; give a new folder, or resume it."
        )
    opened = [Source(name) for name in names]
    options = {"suite": _name(suite), "control": control, "rng": rng, "budget": budget}
    about = _about(opened, chosen, options)
    files.make(folder)
    run = _Run(folder, about, tasks(chosen, opened), rng, budget, resume, workers, progress)
    try:
        run.all()
    finally:
        found = run.finish()
    return found


class _Run:
    """An audit under way. What is done is kept, whatever happens next."""

    def __init__(
        self,
        folder: Path,
        about: dict[str, Any],
        todo: list[Task],
        rng: int,
        budget: float | None,
        resume: bool,
        workers: int | None,
        progress: Progress | None,
    ) -> None:
        self._folder, self._about, self._todo = folder, about, todo
        self._rng, self._budget, self._resume, self._workers = rng, budget, resume, workers
        self._progress = progress or (lambda title, done, total: None)
        self._start = time.monotonic()
        self._found: list[Payload] = []
        self._about["steps"] = [_entry(task) for task in todo]

    def all(self) -> None:
        """Do every task that there is time for."""
        for number, (task, entry) in enumerate(zip(self._todo, self._about["steps"], strict=True)):
            self._progress(task.title, number, len(self._todo))
            if self._budget is not None and time.monotonic() - self._start > 60 * self._budget:
                entry |= {"reason": f"the {self._budget:g} minutes were used up"}
                continue
            start = time.monotonic()
            entry |= self._one(number, task) | {"seconds": round(time.monotonic() - start, 3)}

    def _one(self, number: int, task: Task) -> dict[str, Any]:
        path = files.step_file(self._folder, number, task)
        try:
            fingerprint = str(task.source.described()["fingerprint"])
            key = files.key(task, fingerprint, self._rng)
            found = files.kept(path, key) if self._resume else None
            if found is None:
                told = self._told(task, number)
                found = perform(task, self._rng, self._workers, told)
                files.keep(path, found, key)
        except WeatherglassError as error:
            return {"status": "failed", "reason": str(error)}
        except Exception as error:  # a step that breaks must not take the others with it
            return {"status": "failed", "reason": f"unexpected {type(error).__name__}: {error}"}
        self._found.append(found)
        return {"status": "done", "reason": "", "file": path.name}

    def _told(self, task: Task, number: int) -> Callable[[int, int], None]:
        """Tell of a step again while it is under way, so that a long one is seen."""
        return lambda done, total: self._progress(task.title, number, len(self._todo))

    def finish(self) -> Audited:
        """Write all that was found, and the report."""
        self._progress("Writing the report", len(self._todo), len(self._todo))
        self._about["seconds"] = round(time.monotonic() - self._start, 3)
        audited = gathered(self._about, self._found)
        files.write_results(self._folder, audited.results)
        # The page last: it takes longest, and can be made anew from the rest.
        write_text(self._folder / files.RUN, json.dumps(self._about, indent=1) + "\n")
        write_text(self._folder / files.REPORT, audit_page(audited))
        return audited


def _entry(task: Task) -> dict[str, Any]:
    return {
        "title": task.title,
        "source": task.source.name,
        "kind": task.step.run,
        "status": "skipped",
        "reason": "the audit was stopped before",
        "seconds": 0.0,
        "file": "",
    }


def _name(suite: str | PathLike[str] | Suite) -> str:
    return suite.id if isinstance(suite, Suite) else os.fspath(suite)


def _about(sources: Sequence[Source], suite: Suite, options: dict[str, Any]) -> dict[str, Any]:
    """What a run says of itself before it begins."""
    words = ["weatherglass", "audit", *(one.name for one in sources), "--suite", options["suite"]]
    words += ["--control", options["control"]] if options["control"] else []
    words += ["--seed", str(options["rng"])] if options["rng"] else []
    return {
        "weatherglass": __version__,
        "suite": suite.model_dump(mode="json"),
        "sources": _opened(sources),
        "options": options,
        "command": shlex.join(words),
        "machine": {
            "python": platform.python_version(),
            "platform": platform.platform(),
            "packages": {name: metadata.version(name) for name in _PACKAGES},
        },
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _opened(sources: Sequence[Source]) -> list[dict[str, Any]]:
    """What is to be said of each source, or why it cannot be opened: then its steps will fail.

    Where none can be opened there is nothing to audit, and the first error is raised.
    """
    made: list[dict[str, Any]] = []
    wrong: list[WeatherglassError] = []
    for one in sources:
        try:
            made.append(one.described())
        except WeatherglassError as error:
            wrong.append(error)
            told = {"kind": "unknown", "fingerprint": "", "reason": str(error)}
            made.append({"name": one.name, **told})
    if len(wrong) == len(made):
        raise wrong[0]
    return made
