"""The exit codes of commands that decide whether a model may ship."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from weatherglass.errors import CannotWrite, CatalogError, WeatherglassError

VIOLATED = 1
WRONG = 2
NOT_MEASURED = 3


@contextlib.contextmanager
def fail_as_not_measured() -> Iterator[None]:
    """Give errors in the block the exit code 3, because 1 says that a rule is violated.

    A wrong command, or a wrong file of rules, tests or steps, has the exit code 2.
    """
    try:
        yield
    except WeatherglassError as error:
        if error.exit_code == 1:
            error.exit_code = WRONG if isinstance(error, CatalogError) else NOT_MEASURED
        raise
    except BrokenPipeError:  # the reader of our output has gone, which is no failure
        raise
    except OSError as error:
        failed = CannotWrite(f"{error.strerror or error}{_place(error)}.")
        failed.exit_code = NOT_MEASURED
        raise failed from None


def _place(error: OSError) -> str:
    return f" ({error.filename})" if error.filename else ""
