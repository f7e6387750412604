"""``weatherglass schema``: print the JSON Schema of a kind of file."""

from __future__ import annotations

import json

import click

from .options import out_option
from .output import Output


@click.command()
@click.argument("name", metavar="tests|suite|policy|results|check")
@out_option
def schema(name: str, out: object) -> None:
    """Print the JSON Schema of a kind of file.

    tests, suite and policy are files that you write; an editor can complete and check them with the
    schema. results is the results.json of an audit, and the output of --format json of commands
    that run tests. check is the output of check --format json.
    """
    from pathlib import Path

    from weatherglass.auditing import json_schema

    path = out if isinstance(out, Path) else None
    Output("json", path).write(json.dumps(json_schema(name), indent=2) + "\n")
