"""``weatherglass check``: check sources against a policy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import (
    batch_size_option,
    cache_option,
    dry_run_option,
    log_option,
    output_options,
    own_tests_option,
    seed_option,
    worker_options,
)
from .output import Output, printable, progress_bar, remarks, table, write_whole
from .run_tests import write_workload

if TYPE_CHECKING:
    from weatherglass.auditing import Check
    from weatherglass.integrations import MlflowLog

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option(
    "--policy",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="YAML with rules; `weatherglass schema policy` describes every field.",
)
@own_tests_option
@click.option(
    "--baseline",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Audit that rules with increase compare with; by default the one that the policy names.",
)
@seed_option
@cache_option
@dry_run_option
@batch_size_option
@worker_options("Threads; all processors by default.", "each batch of sentences is a task")
@click.option("--junit", type=_FILE, help="Also write JUnit XML to this file.")
@click.option("--sarif", type=_FILE, help="Also write SARIF 2.1.0 to this file.")
@click.option(
    "--summary",
    type=_FILE,
    help="Also write Markdown to this file, such as $GITHUB_STEP_SUMMARY.",
)
@log_option
@output_options()
def check(
    sources: tuple[str, ...],
    policy: Path,
    files: tuple[Path, ...],
    baseline: Path | None,
    seed: int,
    no_cache: bool,
    dry_run: bool,
    junit: Path | None,
    sarif: Path | None,
    summary: Path | None,
    log: MlflowLog | None,
    output: Output,
    **workers: Any,
) -> None:
    """Check SOURCE against a policy: word vectors, an encoder, or the folder of an audit.

    An audit is judged by its results; nothing is measured again. A policy demands by default that a
    source passes controls: flowers are more pleasant than insects to every model that encodes
    anything.

    The exit code is 0 if every source passes, 1 if a rule or a control is violated, 2 if the
    command or the policy is wrong, and 3 if something could not be measured. The files of --junit,
    --sarif and --summary are written unless the command or the policy is wrong.
    """
    from weatherglass.auditing import check as run_check
    from weatherglass.auditing import count_policy_work, job_summary, load_policy
    from weatherglass.auditing import junit as to_junit
    from weatherglass.auditing import sarif as to_sarif
    from weatherglass.vectors import describe_histories

    rules = load_policy(policy, files)
    if dry_run:
        size = workers["batch_size"]
        work = count_policy_work(sources, rules, rng=seed, cache=not no_cache, batch_size=size)
        write_workload(work, output)
        return
    with progress_bar("checking") as draw:
        checked = run_check(
            list(sources),
            rules,
            baseline=baseline,
            rng=seed,
            progress=draw,
            cache=not no_cache,
            **workers,
        )
    write_check(checked, output, f"{', '.join(sources)} against {policy.name}")
    click.echo(remarks(describe_histories(checked.sources)), nl=False, err=True)
    for path, write in ((junit, to_junit), (sarif, to_sarif), (summary, job_summary)):
        if path is not None:
            write_whole(path, write(checked))
    if log is not None:
        log.log_check(checked)
    if not checked.passed:
        click.echo(f"weatherglass: {printable(checked.sentence())}", err=True)
        click.get_current_context().exit(checked.exit_code)


def write_check(checked: Check, output: Output, title: str) -> None:
    """Write the verdicts in the chosen format; JSON is the whole record."""
    if output.format != "table":
        output.write_rows(checked.to_rows(), document=checked.to_dict())
        return
    output.write(verdict_table(checked, title))


def verdict_table(checked: Check, title: str) -> str:
    """Return a table of what passed, what did not, and why, with the findings under it."""
    has_many = len(checked.sources) > 1
    rows = [
        {
            **({"source": verdict.source} if has_many else {}),
            "rule": verdict.rule,
            "test": verdict.test,
            "verdict": verdict.status,
            "reason": verdict.reason,
        }
        for verdict in checked.verdicts
    ]
    findings = {
        f"{f'{verdict.source} ' if has_many else ''}{verdict.test}, {verdict.finding}": None
        for verdict in checked.verdicts
        if verdict.finding
    }
    warnings = {
        f"Warning: {text}": None
        for verdict in checked.verdicts
        for text in verdict.evidence.get("warnings", ())
    }
    return table(rows, title) + remarks([*warnings, *findings])
