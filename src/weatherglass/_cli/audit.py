"""``weatherglass audit``: one command, every measure, one report."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure, UsageError

from .asking import seed_option
from .output import printable, table
from .progress import progress_bar

if TYPE_CHECKING:
    from weatherglass.report.audited import Audited

_SHOWN = 20


@click.command()
@click.argument("sources", metavar="[SOURCE]...", nargs=-1)
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("audit"),
    show_default=True,
    help="The folder for results and report.",
)
@click.option(
    "--suite",
    default="standard",
    show_default=True,
    metavar="quick|standard|full|FILE",
    help="Which measures and tests; a YAML file of your own has id, title and steps.",
)
@click.option("--budget", type=float, metavar="MINUTES", help="Leave steps out after this time.")
@seed_option
@click.option("--resume", is_flag=True, help="Keep what is in the folder, and do the rest.")
@click.option(
    "--repeat",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Do the audit of this folder again, and say whether the numbers are the same.",
)
@click.option(
    "--against",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Say what changed since the audit of this folder.",
)
@click.option("--workers", type=click.IntRange(1), help="Threads; all processors by default.")
def audit(
    sources: tuple[str, ...],
    out: Path,
    suite: str,
    budget: float | None,
    seed: int,
    resume: bool,
    repeat: Path | None,
    against: Path | None,
    workers: int | None,
) -> None:
    """Measure SOURCE with every step of a suite, and write a report that a person can read.

    Without SOURCE the embedded vectors are measured. The folder gets report.html, the results as
    Parquet, TSV and JSON, and run.json with all that is needed to repeat it. A step that fails is
    told in the report; what is done when you stop is kept, and --resume goes on.
    """
    from weatherglass.auditing import open_audit

    if repeat is not None:
        if sources or against:
            raise UsageError("--repeat takes sources and options from the folder: name no others.")
        _repeat(repeat, workers)
        return
    before = open_audit(against) if against is not None else None
    found = _run(sources or ("default",), out, suite, budget, seed, resume, workers)
    click.echo(_summary(found), nl=False)
    click.echo(f"The report is {out / 'report.html'}.")
    if before is not None:
        click.echo(_changed(before, found), nl=False)
    if all(step["status"] != "done" for step in found.about["steps"]):
        reasons = {step["reason"] for step in found.about["steps"]}
        raise CannotMeasure(f"No step could be done: {next(iter(reasons), 'there was none')}")


def _run(
    sources: tuple[str, ...] | list[str],
    out: Path,
    suite: Any,
    budget: float | None,
    seed: int,
    resume: bool,
    workers: int | None,
) -> Audited:
    from weatherglass.auditing.audit import audit as run

    with progress_bar("auditing") as draw:
        return run(
            sources,
            out=out,
            suite=suite,
            budget=budget,
            rng=seed,
            resume=resume,
            workers=workers,
            progress=lambda title, done, total: draw(done, total, title),
        )


def _repeat(folder: Path, workers: int | None) -> None:
    """Do an audit again beside it, and compare every number."""
    from weatherglass.auditing import open_audit
    from weatherglass.auditing.changes import changes
    from weatherglass.catalog.suites import Suite

    before = open_audit(folder)
    suite = Suite.model_validate(before.about["suite"])
    names = [source["name"] for source in before.about["sources"]]
    with tempfile.TemporaryDirectory() as scratch:
        again = _run(
            names,
            Path(scratch, "again"),
            suite,
            None,
            before.about["options"]["rng"],
            False,
            workers,
        )
    if changes(before, again):
        click.echo(_changed(before, again), nl=False)
        raise CannotMeasure(f"The numbers are not those of {folder}.")
    click.echo(f"The same: {len(again.results)} results and every other number of {folder}.")


def _summary(found: Audited) -> str:
    """The steps, and how each went."""
    rows = [
        {
            "step": step["title"],
            "source": step["source"],
            "status": step["status"],
            "": step["reason"],
        }
        for step in found.about["steps"]
    ]
    counts = Counter(step["status"] for step in found.about["steps"])
    said = ", ".join(f"{n} {status}" for status, n in counts.items())
    return table(rows, f"Audit: {found.about['suite']['title']} ({said})")


def _changed(before: Audited, after: Audited) -> str:
    from weatherglass.auditing.changes import changes

    found = changes(before, after)
    if not found:
        return "Nothing changed.\n"
    rows = [
        {
            "measure": one.measure,
            "test": one.test,
            "number": one.number,
            "before": printable(_short(one.before)),
            "after": printable(_short(one.after)),
        }
        for one in found[:_SHOWN]
    ]
    more = f", the first {_SHOWN}" if len(found) > _SHOWN else ""
    return table(rows, f"{len(found)} numbers changed{more}")


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)
