"""The reference of the command line: what `--help` says, for every command."""

from __future__ import annotations

from typing import Any

import click

from weatherglass._cli import cli

# The width is fixed, so that the page does not depend on the terminal it is written from.
SETTINGS: dict[str, Any] = {"resilient_parsing": True, "terminal_width": 80}


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
