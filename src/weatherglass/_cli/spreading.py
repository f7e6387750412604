"""Where the work of a command is done: how many workers, on this machine or on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def spread_options(workers: str, tasks: str) -> Callable[[Command], Command]:
    """``--workers`` and ``--cluster``.

    Parameters
    ----------
    workers
        What local workers are, and how many by default.
    tasks
        What is a task of its own on a cluster.
    """

    def add(command: Command) -> Command:
        there = click.option(
            "--cluster",
            metavar="ADDRESS|local",
            help=f"A Dask cluster, such as tcp://host:8786, or one on this machine: {tasks}. "
            "ADDRESS?limit=600 gives up a task after so many seconds, and runs it elsewhere.",
        )
        here = click.option("--workers", type=click.IntRange(1), help=workers)
        return here(there(command))

    return add
