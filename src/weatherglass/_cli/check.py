"""``weatherglass check``: check a source against a policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import cache_option, dry_run_option, output_options, seed_option
from .output import Output, write_whole
from .run_tests import open_source, write_workload

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("source")
@click.option(
    "--policy",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="YAML with rules: tests, and the effect, corrected p and agreement that violate them.",
)
@seed_option
@cache_option
@dry_run_option
@click.option("--junit", type=_FILE, help="Also write JUnit XML to this file.")
@click.option("--sarif", type=_FILE, help="Also write SARIF to this file.")
@output_options()
@click.pass_context
def check(
    context: click.Context,
    source: str,
    policy: Path,
    seed: int,
    no_cache: bool,
    dry_run: bool,
    junit: Path | None,
    sarif: Path | None,
    output: Output,
) -> None:
    """Check SOURCE, word vectors or an encoder, against a policy.

    The exit code is 0 if it passes, and 1 if it violates a rule.
    """
    from weatherglass.auditing import (
        Source,
        count_policy_work,
        find_failures,
        judge,
        load_policy,
    )
    from weatherglass.auditing import policy as policies
    from weatherglass.vectors import describe_history

    rules = load_policy(policy)
    named = Source(source, cache=not no_cache)
    if dry_run:
        write_workload(count_policy_work(named, rules), output)
        return
    opened = named.encoder if named.is_encoder else open_source(source)
    verdicts = judge(opened, rules, rng=seed)
    failures = find_failures(rules, verdicts)
    rows: list[dict[str, Any]] = [
        {"test": verdict.test, "verdict": verdict.status, "": verdict.sentence}
        for verdict in verdicts
    ]
    document = {
        "source": source,
        "history": list(named.history),
        "passed": not failures,
        "verdicts": [vars(verdict) for verdict in verdicts],
    }
    output.write_rows(rows, document=document, title=f"{source} against {policy.name}")
    for line in describe_history(named.history):
        click.echo(line, err=True)
    for path, write in ((junit, policies.junit), (sarif, policies.sarif)):
        if path is not None:
            write_whole(path, write(source, verdicts, failures))
    if failures:
        violated = sum(verdict.status == "violated" for verdict in failures)
        not_run = len(failures) - violated
        more = f"; {not_run} could not be run" if not_run else ""
        click.echo(
            f"weatherglass: {violated} of {len(verdicts)} tests violate a rule{more}.", err=True
        )
        context.exit(1)
