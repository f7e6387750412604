"""`audit`: run a suite of measures on sources and write a report."""

from __future__ import annotations

import contextlib
import datetime
import os
import platform
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib import metadata
from os import PathLike
from pathlib import Path
from typing import Any

from weatherglass._files import lock_folder
from weatherglass._version import __version__
from weatherglass.catalog import AnyTest, NamedTests, Suite, with_control
from weatherglass.errors import UsageError, WeatherglassError, quote_safe
from weatherglass.report import AuditResult
from weatherglass.tasks import Workers, executor
from weatherglass.tasks import run as run_tasks
from weatherglass.vectors import parse_controls

from . import run_folder
from .own_tests import find_suite
from .run import Progress, Run, describe_source
from .sources import Given, Source, is_entry, list_sources, parse_sources
from .steps import list_tasks

_MAX_SEQUENTIAL = 4
"""Most sources that are audited one after another if no number of workers is given."""

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pyarrow")


def audit(
    sources: Given | Sequence[Given] = "default",
    *,
    out: str | PathLike[str],
    suite: str | PathLike[str] | Suite = "standard",
    tests: NamedTests | None = None,
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
        One source or several, of any kind (see `as_source`): names, word vectors, encoders,
        association tables, objects in memory. A mapping, such as ``{"source": "step-1000.vec",
        "name": "1000", "step": 1000}``, adds facts that become columns of the results; a YAML file
        holds a list of names or mappings. Objects in memory are known by the fingerprint of their
        content; `repeat_audit` repeats an audit when they are given again.
    out
        A folder for the results and the report; it is created if it does not exist.
    suite
        ``quick``, ``standard``, ``full``, or a YAML file with your own steps, whose ``tests`` may
        name files of tests, relative to it; ``own`` for no more than `tests` and a lint of their
        sets.
    tests
        Tests of your own, which become the first steps: a file of tests, a `weatherglass.Test`, or
        several of these. With the other tests of the suite they are one family for Holm's
        correction.
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
    chosen = find_suite(suite, tests)
    if control is not None:
        control = ",".join(parse_controls(control)) or "none"
        chosen = with_control(chosen, control)
    if budget is not None and not budget >= 0:
        raise UsageError(f"The budget is {budget:g} minutes; it must be zero minutes or more.")
    folder = Path(out)
    _check_new(folder, resume)
    options: dict[str, Any] = {"suite": _name(suite), "tests": _test_arguments(tests)}
    options |= {"control": control, "rng": rng, "budget": budget}
    with _start_workers(len(parsed), workers, cluster) as team:
        about = _describe_run(sources, parsed, chosen, options, team)
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


def _test_arguments(tests: NamedTests | None) -> list[str]:
    """The user's own tests as arguments of the command line: files, and the ids of others."""
    if tests is None:
        return []
    items = [tests] if isinstance(tests, str | PathLike | AnyTest) else tests
    return [item.id if isinstance(item, AnyTest) else os.fspath(item) for item in items]


def _command(
    sources: Given | Sequence[Given], parsed: Sequence[Source], options: dict[str, Any]
) -> str:
    """The command line that repeats the run, or the Python for objects in memory."""
    if any(source.memory is not None for source in parsed):
        names = ", ".join(
            source.name if source.memory is not None else repr(source.opens) for source in parsed
        )
        stated = [key for key in ("tests", "control", "rng") if options[key]]
        rest = "".join(f", {key}={options[key]!r}" for key in stated)
        return f"weatherglass.audit([{names}], out=FOLDER, suite={options['suite']!r}{rest})"
    items = [item["source"] if is_entry(item) else item for item in list_sources(sources)]
    words = ["weatherglass", "audit", *map(str, items), "--suite", options["suite"]]
    words += [word for name in options["tests"] for word in ("--tests", name)]
    words += ["--control", options["control"]] if options["control"] else []
    words += ["--seed", str(options["rng"])] if options["rng"] else []
    return shlex.join(words)


def _describe_run(
    given: Given | Sequence[Given],
    sources: Sequence[Source],
    suite: Suite,
    options: dict[str, Any],
    team: Workers | None,
) -> dict[str, Any]:
    """The content of ``run.json`` before the first step; see `run_folder.RunRecord`."""
    return {
        "weatherglass": __version__,
        "suite": suite.model_dump(mode="json"),
        "sources": _describe_sources(sources, team),
        "options": options,
        "command": _command(given, sources, options),
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
        names = [
            (source.name, "" if source.memory is not None else source.opens, source.cache)
            for source in sources
        ]
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
