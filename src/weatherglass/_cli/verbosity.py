"""How much a command says on stderr: ``-q``, ``-v``, the log, and suggestions for typos."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from weatherglass.errors import did_you_mean

from .masking import slurs_option

if TYPE_CHECKING:
    import logging

_VERBOSITY = "weatherglass.verbosity"
_HANDLER = "weatherglass.handler"
_MAX_VERBOSITY = 2  # -vv
_QUIET = -1

Command = TypeVar("Command", bound=Callable[..., Any])


class SuggestingGroup(click.Group):
    """A group of commands that suggests the closest name for one that it does not have."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            self._fail_unknown(ctx, name)
        return super().resolve_command(ctx, args)

    def _fail_unknown(self, ctx: click.Context, name: str) -> NoReturn:
        suggestion = did_you_mean(name, self.list_commands(ctx))
        ctx.fail(f"No such command {name[:60]!r}.{suggestion}")


def verbosity_options(*, hidden: bool = False) -> Callable[[Command], Command]:
    """Add ``-q`` and ``-v``."""
    quiet = click.option(
        "-q",
        "--quiet",
        is_flag=True,
        expose_value=False,
        hidden=hidden,
        callback=_set_quiet,
        help="Print results and errors only: no progress.",
    )
    verbose = click.option(
        "-v",
        "--verbose",
        count=True,
        expose_value=False,
        hidden=hidden,
        callback=_set_verbose,
        help="Log to stderr what is opened, run and reused; -vv for details. -q and -v may also "
        "come after the command.",
    )
    return lambda command: quiet(verbose(command))


def accept_shared_options(command: click.Command) -> click.Command:
    """Let a command and its subcommands take ``-q``, ``-v`` and ``--show-slurs``.

    People write ``weatherglass audit -q`` as readily as ``weatherglass -q audit``. Only the help of
    the program itself lists them, and that of commands that print many words.
    """
    if isinstance(command, click.Group):
        for subcommand in command.commands.values():
            accept_shared_options(subcommand)
    if not any("--quiet" in option.opts for option in command.params):
        verbosity_options(hidden=True)(command)
    if not any("--show-slurs" in option.opts for option in command.params):
        slurs_option(hidden=True)(command)
    return command


def is_quiet() -> bool:
    """Return whether progress is suppressed."""
    return _verbosity() < 0


def _verbosity() -> int:
    context = click.get_current_context(silent=True)
    return int(context.meta.get(_VERBOSITY, 0)) if context else 0


def _set_quiet(context: click.Context, option: click.Parameter, value: bool) -> None:
    if value:
        context.meta[_VERBOSITY] = _QUIET
        _set_level(context)


def _set_verbose(context: click.Context, option: click.Parameter, value: int) -> None:
    if value:
        context.meta[_VERBOSITY] = min(value, _MAX_VERBOSITY)
        _set_level(context)


def _set_level(context: click.Context) -> None:
    """Send the library's log to stderr until the command ends."""
    import logging

    logger = logging.getLogger("weatherglass")
    levels = {_QUIET: logging.ERROR, 0: logging.WARNING, 1: logging.INFO, 2: logging.DEBUG}
    level = levels[context.meta[_VERBOSITY]]
    if _HANDLER not in context.meta:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
        handler.addFilter(_escape_controls)
        before = logger.level
        logger.addHandler(handler)
        context.meta[_HANDLER] = handler

        def restore() -> None:
            logger.removeHandler(handler)
            logger.setLevel(before)

        context.find_root().call_on_close(restore)
    logger.setLevel(level)


def _escape_controls(record: logging.LogRecord) -> bool:
    """Make control characters visible: a message may contain words and names of files."""
    from .output import printable

    record.msg, record.args = printable(record.getMessage()), None
    return True
