"""``weatherglass audit``: run a suite of measures and write a report."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure, SourceNotFound, UsageError

from .options import cache_option, control_option, dry_run_option, seed_option, worker_options
from .output import Output, delimited, progress_bar, remarks, table, write_whole
from .run_tests import write_workload

if TYPE_CHECKING:
    from weatherglass.auditing import Change
    from weatherglass.report import AuditResult

_MAX_ROWS = 20
_MAX_SOURCES = 8
"""Sources up to which the summary has a line for each step on each source."""
_P_VALUES = ("p", "p_rotation", "p_holm", "pearson_p")


@click.command()
@click.argument("sources", metavar="[SOURCE]...", nargs=-1)
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("audit"),
    show_default=True,
    help="Folder for the results and the report.",
)
@click.option(
    "--suite",
    default="standard",
    show_default=True,
    metavar="quick|standard|full|FILE",
    help="Which measures and tests to run, or a YAML file with your own id, title and steps.",
)
@control_option(
    "Controls in every step that has the option; by default the suite decides.",
    default=None,
)
@click.option(
    "--budget", type=float, metavar="MINUTES", help="Skip steps that have not started by then."
)
@seed_option
@click.option(
    "--resume", is_flag=True, help="Reuse the steps in the folder, and run the remaining ones."
)
@click.option(
    "--repeat",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Repeat the audit of this folder, and check that the numbers are the same.",
)
@click.option(
    "--against",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Show what changed since the audit of this folder; changes.tsv has all changes.",
)
@cache_option
@dry_run_option
@worker_options(
    "Threads, or with several sources processes that run a step each; all processors by default.",
    "each step on each source is a task",
)
def audit(
    sources: tuple[str, ...],
    out: Path,
    suite: str,
    control: tuple[str, ...] | None,
    budget: float | None,
    seed: int,
    resume: bool,
    repeat: Path | None,
    against: Path | None,
    no_cache: bool,
    dry_run: bool,
    workers: int | None,
    cluster: str | None,
) -> None:
    """Run every step of a suite on SOURCE, and write a readable report.

    Without SOURCE, the bundled vectors are measured. A YAML file can list many sources: names, or
    mappings of source, name and facts such as step or year. The folder gets report.html, the
    results as Parquet, TSV and JSON, and run.json with everything that is needed to repeat the
    audit. A failed step is reported and does not stop the others; after an interruption, --resume
    continues.
    """
    from weatherglass.auditing import count_suite_work, open_audit

    if repeat is not None:
        context = click.get_current_context()
        given = {name for name in context.params if _was_given(context, name)}
        if given - {"repeat", "workers", "cluster"}:
            raise UsageError("--repeat uses the sources and options of the folder; give no others.")
        _repeat(repeat, workers=workers, cluster=cluster)
        return
    if dry_run:
        write_workload(count_suite_work(sources or ("default",), suite), Output("table", None))
        return
    before = open_audit(against) if against is not None else None
    try:
        audited = _run(
            sources or ("default",),
            out=out,
            suite=suite,
            control=control,
            budget=budget,
            rng=seed,
            resume=resume,
            cache=not no_cache,
            workers=workers,
            cluster=cluster,
        )
    except KeyboardInterrupt:
        if (out / "run.json").exists():
            click.echo(f"Finished steps are in {out}; --resume continues.", err=True)
        raise
    click.echo(_summary(audited), nl=False)
    click.echo(f"The report is {out / 'report.html'}.")
    if before is not None:
        click.echo(_compare(before, audited, out), nl=False)
    if all(step["status"] != "done" for step in audited.about["steps"]):
        reasons = {step["reason"] for step in audited.about["steps"]}
        raise CannotMeasure(f"No step could be run: {next(iter(reasons), 'the suite has none')}")


def _was_given(context: click.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    # Sources are on the command line even if there are none; --control none is an empty tuple.
    is_empty = not context.params[name] and name != "control"
    return source is click.core.ParameterSource.COMMANDLINE and not is_empty


def _run(sources: Sequence[Any], **options: Any) -> AuditResult:
    from weatherglass.auditing import audit as run

    with progress_bar("auditing") as draw:
        return run(sources, progress=lambda title, done, total: draw(done, total, title), **options)


def _repeat(folder: Path, **workers: Any) -> None:
    """Repeat an audit in a temporary folder, and compare every number."""
    from weatherglass.auditing import find_changes, is_rounding_only, open_audit
    from weatherglass.catalog import Suite

    before = open_audit(folder)
    suite = Suite.model_validate(before.about["suite"])
    sources = [
        {"source": source.get("opens", source["name"]), "name": source["name"]}
        | source.get("facts", {})
        for source in before.about["sources"]
    ]
    rng = before.about["options"]["rng"]
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch, "again")
        try:
            # Measured anew: kept encodings would only show that the cache is the same.
            after = _run(sources, out=out, suite=suite, rng=rng, cache=False, **workers)
        except SourceNotFound as error:
            raise SourceNotFound(
                f"{error} Paths are relative to the folder in which the audit was run."
            ) from None
    changes = find_changes(before, after)
    not_done = sum(step["status"] != "done" for step in before.about["steps"])
    if not_done:  # numbers that are only in the repetition cannot be compared
        changes = tuple(change for change in changes if change.before is not None)
    if changes and not is_rounding_only(changes):
        click.echo(_changes_text(changes, len(sources) > 1), nl=False)
        raise CannotMeasure(f"The numbers differ from those of {folder}.")
    digits = " (the last digits differ)" if changes else ""
    count = len(before.results)
    click.echo(f"The same{digits}: {count} results and every other number of {folder}.")
    if not_done:
        click.echo(f"Not compared: {not_done} steps that were not done there.")


def _summary(audited: AuditResult) -> str:
    """The status of each step; for many sources, the number of steps of each status."""
    steps = audited.about["steps"]
    counts = Counter(step["status"] for step in steps)
    counted = ", ".join(f"{count} {status}" for status, count in counts.items())
    title = f"Audit: {audited.about['suite']['title']} ({counted})"
    if len(audited.about["sources"]) > _MAX_SOURCES:
        return _status_counts(steps, title)
    rows = [
        {
            "step": step["title"],
            "source": step["source"],
            "status": step["status"],
            "": step["reason"],
        }
        for step in steps
    ]
    return table(rows, title)


def _status_counts(steps: Sequence[dict[str, Any]], title: str) -> str:
    by_step: dict[str, Counter[str]] = {}
    for step in steps:
        by_step.setdefault(step["title"], Counter())[step["status"]] += 1
    rows = [
        {"step": name, **{status: counts[status] for status in ("done", "failed", "skipped")}}
        for name, counts in by_step.items()
    ]
    failed = [step for step in steps if step["status"] != "done"]
    lines = [f"{step['source']}, {step['title']}: {step['reason']}." for step in failed[:_MAX_ROWS]]
    if len(failed) > _MAX_ROWS:
        lines.append(f"{len(failed) - _MAX_ROWS} more are in run.json and in the report.")
    return table(rows, title) + remarks(lines)


def _compare(before: AuditResult, after: AuditResult, out: Path) -> str:
    """The first changes, for the terminal; all of them are written to ``changes.tsv``."""
    from weatherglass.auditing import find_changes

    changes = find_changes(before, after)
    write_whole(out / "changes.tsv", delimited([vars(change) for change in changes], "\t"))
    has_many = max(len(audited.about["sources"]) for audited in (before, after)) > 1
    return _changes_text(changes, has_many)


def _changes_text(changes: Sequence[Change], with_source: bool) -> str:
    if not changes:
        return "Nothing changed.\n"
    from weatherglass.significance import format_p

    in_both = [change for change in changes if change.of_both]
    rows = [
        {
            **({"source": change.source} if with_source else {}),
            "measure": change.measure,
            "test": change.test,
            "number": change.number,
            **dict(zip(("before", "after"), _format_pair(change), strict=True)),
            "p of change": "" if change.p is None else format_p(change.p),
        }
        for change in in_both[:_MAX_ROWS]
    ]
    if not any(row["p of change"] for row in rows):
        rows = [{name: row[name] for name in row if name != "p of change"} for row in rows]
    limited = f", the first {_MAX_ROWS}" if len(in_both) > _MAX_ROWS else ""
    text = table(rows, f"{len(in_both):,} numbers changed{limited}") if in_both else ""
    only_before = sum(change.after is None for change in changes)
    only_after = sum(change.before is None for change in changes)
    if only_before or only_after:
        text += (
            f"{only_before:,} numbers are only in the earlier audit, {only_after:,} only in this "
            "one.\n"
        )
    return text


def _format_pair(change: Change) -> list[str]:
    """Format both numbers as usual, with more digits if these would hide the change."""
    pair = [change.before, change.after]
    if not all(isinstance(value, float) for value in pair):
        return [str(value) for value in pair]
    from weatherglass.significance import format_p

    format_number = format_p if change.number in _P_VALUES else "{:.2f}".format
    short = [format_number(value) for value in pair]
    return short if short[0] != short[1] else [f"{value:.6g}" for value in pair]
