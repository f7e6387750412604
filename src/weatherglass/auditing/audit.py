"""`audit`: run a suite of measures on sources and write a report."""

from __future__ import annotations

import contextlib
import datetime
import os
import platform
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import metadata
from os import PathLike
from pathlib import Path
from typing import Any

from weatherglass._files import lock_folder
from weatherglass._version import __version__
from weatherglass.catalog import Suite, load_suite, with_control
from weatherglass.errors import UsageError, WeatherglassError, quote_safe
from weatherglass.report import AuditResult
from weatherglass.tasks import Workers, executor
from weatherglass.tasks import run as run_tasks
from weatherglass.vectors import parse_controls

from . import run_folder
from .run import Progress, Run, describe_source
from .sources import Given, Source, parse_sources
from .steps import list_tasks

_MAX_SEQUENTIAL = 4
"""Most sources that are audited one after another if no number of workers is given."""

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pyarrow")


def audit(
    sources: Given | Sequence[Given] = "default",
    *,
    out: str | PathLike[str],
    suite: str | PathLike[str] | Suite = "standard",
    control: str | Sequence[str] | None = None,
    budget: float | None = None,
    rng: int = 0,
    resume: bool = False,
    cache: bool = True,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> AuditResult:
    """Measure sources with every step of a suite, and write a report.

    Parameters
    ----------
    sources
        Word vectors or encoders: paths, registered names or source specs. A mapping, such as
        ``{"source": "step-1000.vec", "name": "1000", "step": 1000}``, adds facts that become
        columns of the results; a YAML file holds a list of names or mappings.
    out
        A folder for the results and the report; it is created if it does not exist.
    suite
        ``quick``, ``standard``, ``full``, or a YAML file with your own steps.
    control
        Controls of tests and measures, as in `weatherglass.weat`, in every step that has this
        option: a name such as ``frequency`` or ``top:2``, or several in a list; ``none`` for none.
        A discovery is run on controlled vectors, so it takes only a single control: with several,
        that of the suite stays. By default the suite decides for each step.
    budget
        Minutes; steps that have not started by then are skipped, and the report lists them.
    rng
        Random seed.
    resume
        Reuse the results of an earlier run in the same folder, and run the remaining steps.
    cache
        Whether the sentences of encoders are read from the cache and saved there.
    workers
        All processors by default. Steps run one after another, each with this many threads, if
        there is one source or if there are up to four and no number is given. Otherwise steps
        run in parallel, each in one of this many processes.
    cluster
        Run each step on the workers of a Dask cluster: the address of its scheduler, such as
        ``tcp://host:8786``, or ``local``. Workers open sources by name. A worker that cannot open
        a source is sent the rows that a step needs; a step that needs all rows runs here.
    progress
        Called with the title of a step, the number of steps done and the number of all steps.

    Returns
    -------
    Audited
        All results. A step that fails is reported and does not stop the others.

    Examples
    --------
    >>> import tempfile
    >>> import weatherglass as wg
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     audited = wg.audit("default", out=folder, suite="quick")
    >>> len(audited.results), audited.about["steps"][0]["status"]
    (12, 'done')
    """
    parsed = [replace(source, cache=cache) for source in parse_sources(sources)]
    chosen = suite if isinstance(suite, Suite) else load_suite(suite)
    if control is not None:
        control = ",".join(parse_controls(control)) or "none"
        chosen = with_control(chosen, control)
    if budget is not None and not budget >= 0:
        raise UsageError(f"The budget is {budget:g} minutes; it must be zero minutes or more.")
    folder = Path(out)
    _check_new(folder, resume)
    options = {"suite": _name(suite), "control": control, "rng": rng, "budget": budget}
    with _start_workers(len(parsed), workers, cluster) as team:
        about = _describe_run(_source_arguments(sources), parsed, chosen, options, team)
        run_folder.create_folder(folder)
        with lock_folder(folder, "audit"):
            _check_new(folder, resume)  # another run may have ended just now
            tasks = list_tasks(chosen, parsed)
            run = Run(folder, about, tasks, rng, budget, resume, workers, team, progress)
            try:
                run.run_all()
            finally:  # also when interrupted: completed steps are in the report
                audited = run.finish()
    return audited


def _check_new(folder: Path, resume: bool) -> None:
    if (folder / run_folder.RUN).exists() and not resume:
        raise UsageError(
            f"{quote_safe(str(folder))} already holds an audit; give a new folder, or resume it."
        )
    # An audit that was interrupted before its end has the folder of steps.
    if not any((folder / name).exists() for name in (run_folder.RUN, run_folder.STEPS)):
        other = next((name for name in _list_visible(folder)), None)
        if other is not None:
            raise UsageError(
                f"{quote_safe(str(folder))} holds other files, such as {quote_safe(other)}; give "
                "a new folder."
            )


def _list_visible(folder: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:  # it does not exist yet, or is reported when it is written to
        return []


@contextlib.contextmanager
def _start_workers(
    sources: int, workers: int | None, cluster: str | None
) -> Iterator[Workers | None]:
    """Start workers that run steps in parallel; None if steps are run one after another."""
    if cluster is None and (workers == 1 or sources <= (1 if workers else _MAX_SEQUENTIAL)):
        yield None
        return
    with executor(workers, cluster) as team:
        yield team if cluster or team.slots > 1 else None


def _name(suite: str | PathLike[str] | Suite) -> str:
    return suite.id if isinstance(suite, Suite) else os.fspath(suite)


def _source_arguments(sources: Given | Sequence[Given]) -> list[str]:
    """The sources as arguments of the command line."""
    items = [sources] if isinstance(sources, str | PathLike | Mapping) else sources
    return [str(item["source"]) if isinstance(item, Mapping) else os.fspath(item) for item in items]


def _describe_run(
    arguments: Sequence[str],
    sources: Sequence[Source],
    suite: Suite,
    options: dict[str, Any],
    team: Workers | None,
) -> dict[str, Any]:
    """The content of ``run.json`` before the first step; see `run_folder.RunRecord`."""
    words = ["weatherglass", "audit", *arguments, "--suite", options["suite"]]
    words += ["--control", options["control"]] if options["control"] else []
    words += ["--seed", str(options["rng"])] if options["rng"] else []
    return {
        "weatherglass": __version__,
        "suite": suite.model_dump(mode="json"),
        "sources": _describe_sources(sources, team),
        "options": options,
        "command": shlex.join(words),
        "machine": {
            "python": platform.python_version(),
            "platform": platform.platform(),
            "packages": {name: metadata.version(name) for name in _PACKAGES},
        },
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _describe_sources(sources: Sequence[Source], team: Workers | None) -> list[dict[str, Any]]:
    """Describe each source, or say why it cannot be opened; then its steps will fail.

    If no source can be opened there is nothing to audit, and the first error is raised.
    """
    described: list[dict[str, Any]] = []
    errors: list[WeatherglassError] = []
    # A fingerprint needs the whole file, so workers compute those of the files that they can open.
    answers: Iterable[Any] = ["" for _ in sources]
    if team is not None:
        names = [(source.name, source.opens, source.cache) for source in sources]
        answers = run_tasks(describe_source, names, team)
    for source, answer in zip(sources, answers, strict=True):
        try:
            about = answer if isinstance(answer, dict) else source.describe_with_health()
        except WeatherglassError as error:
            errors.append(error)
            about = {"name": source.name, "kind": "unknown", "fingerprint": ""}
            about["reason"] = str(error)
        described.append(about | source.describe_given())
    if len(errors) == len(described):
        raise errors[0]
    return described
