"""Writes `docs/reference/cli.md` from the help texts of the commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from weatherglass._cli import cli

# The width is fixed, so that the page does not depend on the terminal it is written from.
SETTINGS: dict[str, Any] = {"resilient_parsing": True, "terminal_width": 80}
PAGE = Path(__file__).parent / "reference" / "cli.md"


def sections(command: click.Command, context: click.Context) -> list[str]:
    """The help of a command, and of the commands below it."""
    parts = [f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            inside = below.make_context(name, [], parent=context, **SETTINGS)
            parts += sections(below, inside)
    return parts


def page() -> str:
    """The whole reference."""
    context = cli.make_context("weatherglass", [], **SETTINGS)
    head = "# Command line\n\nWhat `--help` says, for every command.\n"
    return "\n".join([head, *sections(cli, context)])


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page())
