"""The command-line reference: the `--help` text of every command."""

from __future__ import annotations

from typing import Any

import click

from weatherglass._cli.main import cli

# A fixed width, so that the page does not depend on the terminal it is generated in.
SETTINGS: dict[str, Any] = {"resilient_parsing": True, "terminal_width": 80}


def sections(command: click.Command, context: click.Context) -> list[str]:
    """Return the help of a command and of its subcommands, one section each."""
    parts = [f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            assert subcommand is not None
            subcontext = subcommand.make_context(name, [], parent=context, **SETTINGS)
            parts += sections(subcommand, subcontext)
    return parts


def page() -> str:
    """Return the whole page as Markdown."""
    context = cli.make_context("weatherglass", [], **SETTINGS)
    head = "# Command line\n\nThe `--help` text of every command.\n"
    return "\n".join([head, *sections(cli, context)])
