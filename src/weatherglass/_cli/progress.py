"""A progress bar on stderr, for work that takes more than a second."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

_PATIENCE = 1.0


@contextlib.contextmanager
def progress_bar(what: str) -> Iterator[Callable[..., None]]:
    """Give a function that takes the work done and the work in all, and draws when it is late; and
    what is being done now, if that changes."""
    if not sys.stderr.isatty():
        yield lambda done, total, now=what: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    start = time.monotonic()
    with contextlib.ExitStack() as stack:
        bar: Progress | None = None

        def draw(done: int, total: int, now: str = what) -> None:
            nonlocal bar
            if bar is None and time.monotonic() - start > _PATIENCE:
                bar = stack.enter_context(Progress(console=Console(stderr=True), transient=True))
                bar.add_task(escape(what))
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done, total=total, description=escape(now))

        yield draw
