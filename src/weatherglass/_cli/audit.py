"""``weatherglass audit``: one command, every measure, one report."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure, SourceNotFound, UsageError

from .options import spread_options
from .output import delimited, progress_bar, remarks, table, write_whole
from .run_tests import seed_option

if TYPE_CHECKING:
    from weatherglass.auditing import Changed
    from weatherglass.report import Audited

_SHOWN = 20
_MANY = 8
_PS = ("p", "p_rotation", "p_holm", "pearson_p")


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
@click.option(
    "--control",
    type=click.Choice(["auto", "frequency", "none"]),
    help="Whether to measure without word frequency too, in every step that has the choice; as the "
    "suite says by default.",
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
    help="Say what changed since the audit of this folder; changes.tsv gets all of it.",
)
@spread_options(
    "Threads, or with several sources processes that do a step each; all processors by default.",
    "each step on each source is a task",
)
def audit(
    sources: tuple[str, ...],
    out: Path,
    suite: str,
    control: str | None,
    budget: float | None,
    seed: int,
    resume: bool,
    repeat: Path | None,
    against: Path | None,
    workers: int | None,
    cluster: str | None,
) -> None:
    """Measure SOURCE with every step of a suite, and write a report that a person can read.

    Without SOURCE the embedded vectors are measured. Many sources can stand in a YAML file: a list
    of names, or of mappings of source, name and facts such as step or year. The folder gets
    report.html, the results as Parquet, TSV and JSON, and run.json with all that is needed to
    repeat it. A step that fails is told in the report; what is done when you stop is kept, and
    --resume goes on.
    """
    from weatherglass.auditing import open_audit

    if repeat is not None:
        context = click.get_current_context()
        given = [name for name in context.params if _was_given(context, name)]
        if set(given) - {"repeat", "workers", "cluster"}:
            raise UsageError("--repeat takes sources and options from the folder: name no others.")
        _repeat(repeat, workers=workers, cluster=cluster)
        return
    before = open_audit(against) if against is not None else None
    try:
        found = _run(
            sources or ("default",),
            out=out,
            suite=suite,
            control=control,
            budget=budget,
            rng=seed,
            resume=resume,
            workers=workers,
            cluster=cluster,
        )
    except KeyboardInterrupt:
        if (out / "run.json").exists():
            click.echo(f"What is done is kept in {out}; --resume goes on.", err=True)
        raise
    click.echo(_summary(found), nl=False)
    click.echo(f"The report is {out / 'report.html'}.")
    if before is not None:
        click.echo(_changed(before, found, out), nl=False)
    if all(step["status"] != "done" for step in found.about["steps"]):
        reasons = {step["reason"] for step in found.about["steps"]}
        raise CannotMeasure(f"No step could be done: {next(iter(reasons), 'there was none')}")


def _was_given(context: click.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE and bool(context.params[name])


def _run(sources: Sequence[Any], **options: Any) -> Audited:
    from weatherglass.auditing import audit as run

    with progress_bar("auditing") as draw:
        return run(sources, progress=lambda title, done, total: draw(done, total, title), **options)


def _repeat(folder: Path, **how: Any) -> None:
    """Do an audit again beside it, and compare every number."""
    from weatherglass.auditing import changes, nearly, open_audit
    from weatherglass.catalog import Suite

    before = open_audit(folder)
    suite = Suite.model_validate(before.about["suite"])
    names = [
        {"source": one.get("opens", one["name"]), "name": one["name"], **one.get("facts", {})}
        for one in before.about["sources"]
    ]
    rng = before.about["options"]["rng"]
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch, "again")
        try:
            again = _run(names, out=out, suite=suite, rng=rng, **how)
        except SourceNotFound as error:
            raise SourceNotFound(
                f"{error} Sources are named from where the audit was made."
            ) from None
    found = changes(before, again)
    left = sum(step["status"] != "done" for step in before.about["steps"])
    if left:  # what is new was not done then, and cannot be compared
        found = tuple(one for one in found if one.before is not None)
    if found and not nearly(found):
        click.echo(_told(found, len(names) > 1), nl=False)
        raise CannotMeasure(f"The numbers are not those of {folder}.")
    digits = " (the last digits differ)" if found else ""
    count = len(before.results)
    click.echo(f"The same{digits}: {count} results and every other number of {folder}.")
    if left:
        click.echo(f"Left out: {left} steps that were not done there.")


def _summary(found: Audited) -> str:
    """The steps, and how each went; of many sources, how often each went how."""
    steps = found.about["steps"]
    counts = Counter(step["status"] for step in steps)
    said = ", ".join(f"{n} {status}" for status, n in counts.items())
    title = f"Audit: {found.about['suite']['title']} ({said})"
    if len(found.about["sources"]) > _MANY:
        return _counted(steps, title)
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


def _counted(steps: Sequence[dict[str, Any]], title: str) -> str:
    by_step: dict[str, Counter[str]] = {}
    for step in steps:
        by_step.setdefault(step["title"], Counter())[step["status"]] += 1
    rows = [
        {"step": name, **{status: counts[status] for status in ("done", "failed", "skipped")}}
        for name, counts in by_step.items()
    ]
    wrong = [step for step in steps if step["status"] != "done"]
    lines = [f"{one['source']}, {one['title']}: {one['reason']}." for one in wrong[:_SHOWN]]
    if len(wrong) > _SHOWN:
        lines.append(f"{len(wrong) - _SHOWN} more are in run.json and in the report.")
    return table(rows, title) + remarks(lines)


def _changed(before: Audited, after: Audited, out: Path) -> str:
    """What changed, the first of it; all of it goes into a file of the folder."""
    from weatherglass.auditing import changes

    found = changes(before, after)
    write_whole(out / "changes.tsv", delimited([vars(one) for one in found], "\t"))
    several = max(len(one.about["sources"]) for one in (before, after)) > 1
    return _told(found, several)


def _told(found: Sequence[Changed], several: bool) -> str:
    if not found:
        return "Nothing changed.\n"
    both = [one for one in found if one.of_both]
    rows = [
        {
            **({"source": one.source} if several else {}),
            "measure": one.measure,
            "test": one.test,
            "number": one.number,
            **dict(zip(("before", "after"), _rounded(one), strict=True)),
        }
        for one in both[:_SHOWN]
    ]
    more = f", the first {_SHOWN}" if len(both) > _SHOWN else ""
    said = table(rows, f"{len(both):,} numbers changed{more}") if both else ""
    gone = sum(one.after is None for one in found)
    new = sum(one.before is None for one in found)
    if gone or new:
        said += f"{gone:,} numbers are only in the audit before, {new:,} only in this one.\n"
    return said


def _rounded(one: Changed) -> list[str]:
    """Both numbers as they are written everywhere; with more digits where these hide the change."""
    pair = [one.before, one.after]
    if not all(isinstance(value, float) for value in pair):
        return [str(value) for value in pair]
    from weatherglass.significance import format_p

    write = format_p if one.number in _PS else "{:.2f}".format
    short = [write(value) for value in pair]
    return short if short[0] != short[1] else [f"{value:.6g}" for value in pair]
