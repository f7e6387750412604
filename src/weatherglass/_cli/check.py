"""``weatherglass check``: may this embedding ship?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import opened
from .output import emit, format_option, out_option, write_whole
from .run_tests import seed_option

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("source")
@click.option(
    "--policy",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="YAML with rules: tests, and the effect, corrected p and agreement that break them.",
)
@seed_option
@click.option("--junit", type=_FILE, help="Also write JUnit XML to this file.")
@click.option("--sarif", type=_FILE, help="Also write SARIF to this file.")
@format_option
@out_option
@click.pass_context
def check(
    context: click.Context,
    source: str,
    policy: Path,
    seed: int,
    junit: Path | None,
    sarif: Path | None,
    form: str,
    out: Path | None,
) -> None:
    """Hold SOURCE, word vectors or an encoder, against a policy.

    Exits with 0 if it passes, and with 1 and the list of violations if it does not.
    """
    from weatherglass.auditing import Source, failed, judge, load_policy
    from weatherglass.auditing import policy as policies

    rules = load_policy(policy)
    named = Source(source)
    verdicts = judge(named.encoder if named.is_encoder else opened(source), rules, rng=seed)
    failures = failed(rules, verdicts)
    rows: list[dict[str, Any]] = [
        {"test": one.test, "verdict": one.status, "": one.sentence} for one in verdicts
    ]
    document = {
        "source": source,
        "passed": not failures,
        "verdicts": [vars(one) for one in verdicts],
    }
    emit(rows, form, document=document, title=f"{source} against {policy.name}", out=out)
    for path, write in ((junit, policies.junit), (sarif, policies.sarif)):
        if path is not None:
            write_whole(path, write(source, verdicts, failures))
    if failures:
        broken = sum(one.status == "violated" for one in failures)
        left = len(failures) - broken
        more = f"; {left} could not be run" if left else ""
        click.echo(f"weatherglass: {broken} of {len(verdicts)} tests break a rule{more}.", err=True)
        context.exit(1)
