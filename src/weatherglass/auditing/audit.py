"""`audit`: one call, every measure, one report."""

from __future__ import annotations

import contextlib
import datetime
import os
import platform
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from os import PathLike
from pathlib import Path
from typing import Any

from weatherglass._files import one_at_a_time
from weatherglass._version import __version__
from weatherglass.catalog import Suite, load_suite, with_control
from weatherglass.errors import UsageError, WeatherglassError, quote_safe
from weatherglass.report import Audited
from weatherglass.tasks import Workers, executor
from weatherglass.tasks import run as run_tasks
from weatherglass.vectors import ControlMethod

from . import run_folder as files
from .run import Progress, Run, described
from .sources import Given, Source, sources_of
from .steps import tasks

_FEW = 4
"""Sources that are audited one after another unless several workers are asked for."""

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pyarrow")


def audit(
    sources: Given | Sequence[Given] = "default",
    *,
    out: str | PathLike[str],
    suite: str | PathLike[str] | Suite = "standard",
    control: ControlMethod | None = None,
    budget: float | None = None,
    rng: int = 0,
    resume: bool = False,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Audited:
    """Measure sources with every step of a suite, and write a report.

    Parameters
    ----------
    sources
        Word vectors or encoders, as they are named everywhere. A mapping, such as
        ``{"source": "step-1000.vec", "name": "1000", "step": 1000}``, adds facts that become
        columns of the results; a YAML file has a list of names or mappings.
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
        All processors by default. The steps of one source, or of a few, are done one after
        another by threads; with several sources and a number given, or with more than four
        sources, each step is a task for one of so many processes.
    cluster
        Do each step on the workers of a Dask cluster: the address of its scheduler, such as
        ``tcp://host:8786``, or ``local``. A worker opens a source by its name; where it does not
        see it, it is sent the rows that a step needs, and what needs all of them is done here.
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
    opened = sources_of(sources)
    chosen = suite if isinstance(suite, Suite) else load_suite(suite)
    if control is not None:
        chosen = with_control(chosen, control)
    if budget is not None and not budget >= 0:
        raise UsageError(f"The budget is {budget:g}; it must be zero minutes or more.")
    folder = Path(out)
    _check_new(folder, resume)
    options = {"suite": _name(suite), "control": control, "rng": rng, "budget": budget}
    with _team(len(opened), workers, cluster) as team:
        about = _about(_asked(sources), opened, chosen, options, team)
        files.make(folder)
        with one_at_a_time(folder, "audit"):
            _check_new(folder, resume)  # another run may have ended just now
            todo = tasks(chosen, opened)
            run = Run(folder, about, todo, rng, budget, resume, workers, team, progress)
            try:
                run.all()
            finally:
                found = run.finish()
    return found


def _check_new(folder: Path, resume: bool) -> None:
    if (folder / files.RUN).exists() and not resume:
        raise UsageError(
            f"{quote_safe(str(folder))} holds an audit already; give a new folder, or resume it."
        )


@contextlib.contextmanager
def _team(sources: int, workers: int | None, cluster: str | None) -> Iterator[Workers | None]:
    """Workers that do steps side by side; none where one after another is as good."""
    if cluster is None and (workers == 1 or sources <= (1 if workers else _FEW)):
        yield None
        return
    with executor(workers, cluster) as team:
        yield team if cluster or team.slots > 1 else None


def _name(suite: str | PathLike[str] | Suite) -> str:
    return suite.id if isinstance(suite, Suite) else os.fspath(suite)


def _asked(sources: Given | Sequence[Given]) -> list[str]:
    """The sources as the command line would name them."""
    several = [sources] if isinstance(sources, str | PathLike | Mapping) else sources
    return [str(one["source"]) if isinstance(one, Mapping) else os.fspath(one) for one in several]


def _about(
    asked: Sequence[str],
    sources: Sequence[Source],
    suite: Suite,
    options: dict[str, Any],
    team: Workers | None,
) -> dict[str, Any]:
    """What a run says of itself before it begins."""
    words = ["weatherglass", "audit", *asked, "--suite", options["suite"]]
    words += ["--control", options["control"]] if options["control"] else []
    words += ["--seed", str(options["rng"])] if options["rng"] else []
    return {
        "weatherglass": __version__,
        "suite": suite.model_dump(mode="json"),
        "sources": _opened(sources, team),
        "options": options,
        "command": shlex.join(words),
        "machine": {
            "python": platform.python_version(),
            "platform": platform.platform(),
            "packages": {name: metadata.version(name) for name in _PACKAGES},
        },
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _opened(sources: Sequence[Source], team: Workers | None) -> list[dict[str, Any]]:
    """What is to be said of each source, or why it cannot be opened: then its steps will fail.

    Where none can be opened there is nothing to audit, and the first error is raised.
    """
    made: list[dict[str, Any]] = []
    wrong: list[WeatherglassError] = []
    # Whole files are read here: that, too, is the workers' work, of those that they see.
    seen: Iterable[Any] = ["" for _ in sources]
    if team is not None:
        seen = run_tasks(described, [(one.name, one.opens) for one in sources], team)
    for one, told in zip(sources, seen, strict=True):
        try:
            about = told if isinstance(told, dict) else one.described()
        except WeatherglassError as error:
            wrong.append(error)
            about = {"name": one.name, "kind": "unknown", "fingerprint": "", "reason": str(error)}
        made.append(about | one.noted())
    if len(wrong) == len(made):
        raise wrong[0]
    return made
