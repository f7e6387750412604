"""``weatherglass audit``: run a suite of measures and write a report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import CannotMeasure, UsageError

from .changes import changes_text, write_changes
from .check import verdict_table
from .exit_codes import FAILED, NOT_MEASURED
from .options import (
    cache_option,
    control_option,
    dry_run_option,
    log_option,
    own_tests_option,
    seed_option,
    worker_options,
)
from .output import Output, printable, progress_bar, remarks, table, write_whole
from .run_tests import write_workload

if TYPE_CHECKING:
    from weatherglass.auditing import Change, Check, PolicyFile
    from weatherglass.findings import Finding
    from weatherglass.integrations import MlflowLog
    from weatherglass.report import AuditResult, Headline

_MAX_ROWS = 20
_MAX_SOURCES = 8
"""Sources up to which the summary has a line for each step on each source."""


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
    metavar="quick|standard|full|own|FILE",
    help="Which measures and tests to run, or a YAML file with your own id, title and steps; own: "
    "only --tests, and a lint of their sets.",
)
@own_tests_option
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
@click.option(
    "--policy",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Also check the results against a policy, as `weatherglass check` does; check.json has "
    "the record. Rules with increase compare with --against.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["violation", "not-run", "any"]),
    help="Exit with 1 if the policy is violated, with 3 if a test or step could not be run, or "
    "with either. Default: any with --policy; otherwise the exit code is 3 only if nothing could "
    "be measured.",
)
@click.option(
    "--fail-on-increase",
    type=click.FloatRange(0),
    metavar="SIZE",
    help="With --against: exit with 1 if an effect is larger than it was by more than SIZE, or is "
    "beyond zero by more than SIZE in the other direction.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="What is printed: the status of each step and the findings, or all results as JSON, with "
    "the steps and, if there are any, the verdicts and changes.",
)
@log_option
@worker_options(
    "Threads, or with several sources processes that run a step each; all processors by default.",
    "each step on each source is a task",
)
def audit(
    sources: tuple[str, ...],
    out: Path,
    suite: str,
    files: tuple[Path, ...],
    control: tuple[str, ...] | None,
    budget: float | None,
    seed: int,
    resume: bool,
    repeat: Path | None,
    against: Path | None,
    no_cache: bool,
    dry_run: bool,
    policy: Path | None,
    fail_on: str | None,
    fail_on_increase: float | None,
    form: str,
    log: MlflowLog | None,
    workers: int | None,
    cluster: str | None,
) -> None:
    """Run every step of a suite on SOURCE, and write a readable report.

    Without SOURCE, the bundled vectors are measured. A YAML file can list many sources: names, or
    mappings of source, name and facts such as step or year. The folder gets report.html, the
    results as Parquet, TSV and JSON, and run.json with everything that is needed to repeat the
    audit. The tests of --tests come first. A step that fails, or whose words the source does not
    have, is reported with the reason and does not stop the others; after an interruption, --resume
    continues.

    The exit code is 3 if nothing could be measured; see --fail-on.
    """
    from weatherglass.auditing import count_suite_work, load_policy, open_audit

    if repeat is not None:
        context = click.get_current_context()
        given = {name for name in context.params if _was_given(context, name)}
        if given - {"repeat", "workers", "cluster"}:
            raise UsageError("--repeat uses the sources and options of the folder; give no others.")
        _repeat(repeat, workers=workers, cluster=cluster)
        return
    if dry_run:
        work = count_suite_work(
            sources or ("default",), suite, files or None, rng=seed, cache=not no_cache
        )
        write_workload(work, Output(form))
        return
    if fail_on_increase is not None and against is None:
        raise UsageError("--fail-on-increase needs --against, the audit to compare with.")
    if fail_on == "violation" and policy is None and fail_on_increase is None:
        raise UsageError("--fail-on violation needs --policy or --fail-on-increase.")
    rules = load_policy(policy) if policy is not None else None
    if rules is not None and rules.needs_baseline and against is None:
        raise UsageError(
            "The policy limits the increase over a baseline: name one in it, or give --against."
        )
    before = open_audit(against) if against is not None else None
    try:
        audited = _run(
            sources or ("default",),
            out=out,
            suite=suite,
            tests=files or None,
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
    is_table = form == "table"
    if is_table:
        click.echo(_summary(audited), nl=False)
        click.echo(remarks(_histories(audited)), nl=False)
        click.echo(remarks(_low_valence(audited)), nl=False)
        click.echo(remarks(_findings(audited)), nl=False)
        click.echo(f"The report is {out / 'report.html'}.")
    changes = write_changes(before, audited, out, is_printed=is_table) if before else ()
    checked = _check(rules, out, against, seed) if rules is not None else None
    if checked is not None and is_table:
        name = rules.path.name if rules and rules.path else ""
        click.echo(verdict_table(checked, f"{out} against {name}"), nl=False)
    if not is_table:
        click.echo(_to_json(audited, out, changes, checked))
    if log is not None:
        log.log_audit(audited, out)
    if all(step["status"] != "done" for step in audited.about["steps"]):
        raise CannotMeasure(_nothing_measured(audited))
    _exit(audited, checked, changes, fail_on or ("any" if checked else None), fail_on_increase)


def _check(rules: PolicyFile, folder: Path, against: Path | None, seed: int) -> Check:
    """Check the results of a folder against a policy, and keep the record."""
    from weatherglass.auditing import check

    checked = check(folder, rules, baseline=against, rng=seed)
    write_whole(folder / "check.json", checked.to_json() + "\n")
    return checked


def _to_json(
    audited: AuditResult, folder: Path, changes: Sequence[Change], checked: Check | None
) -> str:
    """Everything that the table has, and all results, for programs."""
    content: dict[str, Any] = {
        "report": str(folder / "report.html"),
        "steps": audited.about["steps"],
        "results": audited.results.to_dict(),
    }
    if changes:
        content["changes"] = [vars(change) for change in changes]
    if checked is not None:
        content["check"] = checked.to_dict()
    return json.dumps(content, indent=2, ensure_ascii=True, allow_nan=False, default=str)


def _nothing_measured(audited: AuditResult) -> str:
    """Say that an audit has no number, and why."""
    reasons = {step["reason"]: None for step in audited.about["steps"]}
    tests = len(audited.results)
    if tests and all(any(result.missing.values()) for result in audited.results):
        return f"Nothing could be measured: 0 of {tests} tests had their words."
    return f"No step could be run: {next(iter(reasons), 'the suite has none')}"


def _exit(
    audited: AuditResult,
    checked: Check | None,
    changes: Sequence[Change],
    fail_on: str | None,
    max_increase: float | None,
) -> None:
    """End with the exit code that the options ask for, and say why; return if it is 0."""
    from weatherglass.measures import NOT_FOR_TABLES

    increased = [
        change
        for change in changes
        if max_increase is not None and (change.increase or 0.0) > max_increase
    ]
    code, problems = 0, []
    if increased:
        code = FAILED
        listed = ", ".join(
            f"{c.test or c.measure} {c.before:.2f} → {c.after:.2f}" for c in increased
        )
        problems.append(f"more than {max_increase:g} beyond the earlier audit: {listed}.")
    if checked is not None and not checked.passed:
        is_violated = checked.exit_code == FAILED
        has_not_run = any(verdict.status == "not run" for verdict in checked.failures)
        if is_violated and fail_on in ("violation", "any"):
            code = FAILED
            problems.append(checked.sentence())
        elif (has_not_run or not is_violated) and fail_on in ("not-run", "any"):
            code = code or NOT_MEASURED
            problems.append(checked.sentence())
    # With a policy, its `not_run` says which tests must be run.
    if fail_on == "not-run" or (fail_on == "any" and checked is None):
        failed = [
            step
            for step in audited.about["steps"]
            if step["status"] != "done" and step["reason"] != NOT_FOR_TABLES
        ]
        tests = [result for result in audited.results if not result.is_done]
        if failed or tests:
            code = code or NOT_MEASURED
            problems.append(f"{len(failed)} steps and {len(tests)} tests could not be run.")
    for problem in problems:
        click.echo(f"weatherglass: {printable(problem)}", err=True)
    click.get_current_context().exit(code)


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
    """Repeat an audit, and say whether every number is the same."""
    from weatherglass.auditing import repeat_audit

    with progress_bar("auditing") as draw:
        repeated = repeat_audit(
            folder, progress=lambda title, done, total: draw(done, total, title), **workers
        )
    if not repeated.is_same:
        click.echo(changes_text(repeated.changes, repeated.sources > 1), nl=False)
        problem = f"The numbers differ from those of {folder}."
        click.echo(f"weatherglass: {printable(problem)}", err=True)
        click.get_current_context().exit(FAILED)
    digits = " (the last digits differ)" if repeated.changes else ""
    click.echo(f"The same{digits}: {repeated.results} results and every other number of {folder}.")
    if repeated.not_done:
        click.echo(f"Not compared: {repeated.not_done} steps that were not done there.")


def _summary(audited: AuditResult) -> str:
    """The status of each step; for many sources, the number of steps of each status."""
    steps = audited.about["steps"]
    counts = Counter(step["status"] for step in steps)
    counted = ", ".join(f"{count} {status}" for status, count in counts.items())
    title = f"Audit: {audited.about['suite']['title']} ({counted})"
    if len(audited.about["sources"]) > _MAX_SOURCES:
        return _status_counts(steps, title)
    # A column without a name is cut off in a narrow terminal, and a reason must not be.
    heading = "reason" if any(step["reason"] for step in steps) else ""
    rows = [
        {
            "step": step["title"],
            "source": step["source"],
            "status": step["status"],
            heading: step["reason"],
        }
        for step in steps
    ]
    return table(rows, title)


def _histories(audited: AuditResult) -> list[str]:
    """How files of vectors were made, such as by debiasing; the report has all."""
    from weatherglass.vectors import describe_histories

    return _first_few(describe_histories(audited.about["sources"]))


def _first_few(lines: list[str]) -> list[str]:
    more = [f"{len(lines) - _MAX_SOURCES:,} more like these are in run.json."]
    return lines if len(lines) <= _MAX_SOURCES else lines[:_MAX_SOURCES] + more


def _low_valence(audited: AuditResult) -> list[str]:
    """A line for each source that encodes little of what people agree on; the report has all."""
    from weatherglass.findings import is_low, valence_sentence
    from weatherglass.report import source_valences

    valences = source_valences(audited.about["sources"])
    return _first_few(
        [f"{name}: {valence_sentence(v)}" for name, v in valences.items() if is_low(v)]
    )


def _findings(audited: AuditResult) -> list[str]:
    """The findings as in the report: changes of sign, then by social dimension, then controls."""
    from weatherglass.findings import GRADES
    from weatherglass.report import (
        control_findings,
        dimension_title,
        headlines,
        reversal_sentence,
        reversals,
    )

    results, has_many = audited.results, len(audited.about["sources"]) > 1
    grouped = headlines(results)
    if len(audited.about["sources"]) > _MAX_SOURCES:
        return [
            f"{dimension_title(dimension)}: "
            + ", ".join(
                f"{count} {grade}"
                for grade in GRADES
                if (count := sum(grade == finding.grade for finding in _all_findings(found)))
            )
            + "."
            for dimension, found in grouped.items()
        ]
    lines = [
        f"Change of sign: {_name(item, has_many)}: {reversal_sentence(item)}"
        for item in reversals(results)
    ]
    for dimension, found in grouped.items():
        title = dimension_title(dimension)
        lines += [
            f"{title}: {_finding_line(item.finding, has_many)}{_elsewhere(item)}" for item in found
        ]
    return lines + [f"Control: {_finding_line(x, has_many)}" for x in control_findings(results)]


def _all_findings(found: Sequence[Headline]) -> list[Finding]:
    return [finding for headline in found for finding in (headline.finding, *headline.others)]


def _finding_line(finding: Finding, with_source: bool) -> str:
    return f"{_name(finding, with_source)}, {finding}"


def _elsewhere(headline: Headline) -> str:
    """The same test on other sources: the effect, whose sign may differ, and the grade."""
    from weatherglass.measures import upper_first

    other_sources = [
        f"on {other.result.source_name} {other.result.main_value:.2f}, {other.grade}"
        for other in headline.others
        if other.result.test == headline.result.test
    ]
    return f" {upper_first('; '.join(other_sources))}." if other_sources else ""


def _name(finding: Finding, with_source: bool) -> str:
    source = f" on {finding.result.source_name}" if with_source else ""
    return f"{finding.result.test}{source}"


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
