"""The exceptions of Weatherglass, and helpers that word their messages.

::

    WeatherglassError             the measurement could not be made (exit code 3)
    ├── SourceError               a source of vectors cannot be used
    │   ├── SourceNotFound        no such file, folder or registered name
    │   ├── UnknownFormat         the content is in no supported format
    │   ├── PickleRefused         the file is a pickle, which can run code when opened
    │   ├── BadContent            the content is invalid for its format
    │   ├── TooLarge              a line or a decompressed stream exceeds its limit
    │   └── CannotWrite           a file cannot be written, or not in the requested format
    ├── EncoderError              an encoder cannot be used, or returned an invalid encoding
    ├── UnusableRow               a row has no direction (zero, NaN or infinite)
    ├── CatalogError              an entry or a user's file violates the schema (exit code 2)
    │   ├── PolicyError           a policy is wrong
    │   └── UnknownEntry          no entry has that id
    ├── CannotMeasure             these words or numbers do not allow the measurement
    ├── WorkersLost               tasks failed because their workers died repeatedly
    └── MissingExtra              an optional package is not installed
    UsageError                    the call itself is wrong (exit code 2)

Messages are one or two plain sentences: what happened, where, and what to do. Text from a user's
file goes through `quote_safe`, because a vocabulary is untrusted input. Unprintable characters that
arrive by other ways (a file name, a library's own message) are escaped when the error is printed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable


class WeatherglassError(Exception):
    """The measurement could not be made."""

    exit_code = 3

    def __str__(self) -> str:
        return _escape_unprintable(super().__str__())


class SourceError(WeatherglassError):
    """A source of vectors cannot be used."""


class SourceNotFound(SourceError):
    """No such file, folder or registered name."""


class UnknownFormat(SourceError):
    """The content is in no supported format."""


class PickleRefused(SourceError):
    """The file is a pickle, which can run code when opened."""


class BadContent(SourceError):
    """The content is invalid for its format."""


class TooLarge(SourceError):
    """A line or a decompressed stream exceeds its limit."""


class CannotWrite(SourceError):
    """A file cannot be written, or not in the requested format."""


class EncoderError(WeatherglassError):
    """An encoder cannot be used, or returned an invalid encoding."""


class UnusableRow(WeatherglassError):
    """A row has no direction: it is zero, NaN or infinite."""


class CatalogError(WeatherglassError):
    """A catalogue entry or a user's file violates the schema."""

    exit_code = 2


class PolicyError(CatalogError):
    """A policy is wrong, or names something that does not exist."""


class UnknownEntry(CatalogError):
    """No entry has that id."""


class CannotMeasure(WeatherglassError):
    """These words or numbers do not allow the measurement."""


class WorkersLost(WeatherglassError):
    """Tasks failed because their workers died repeatedly; `tasks` has the task numbers."""

    def __init__(self, message: str, tasks: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.tasks = tasks


class MissingExtra(WeatherglassError):
    """An optional package is not installed.

    Attributes
    ----------
    feature
        What needs the package, at the start of the message.
    extra
        The extra of Weatherglass that brings the package.
    """

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional package: {install_command(extra)}")
        self.feature, self.extra = feature, extra

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        # Exceptions are pickled by their message; a worker process sends ours by its arguments.
        return type(self), (self.feature, self.extra)


class UsageError(WeatherglassError):
    """The call itself is wrong."""

    exit_code = 2


def install_command(extra: str = "", *, upgrade: bool = False) -> str:
    """Return the shell command that adds an extra to this copy of Weatherglass.

    It repeats how this copy was installed (PEP 610): from a checkout or another local folder, from
    a wheel or another archive, from a repository, or from a package index.
    """
    import shlex

    options = "--upgrade " * upgrade
    is_editable, requirement = _find_installation(f"[{extra}]" if extra else "")
    return f"pip install {options}{'-e ' * is_editable}{shlex.quote(requirement)}"


def _find_installation(extras: str) -> tuple[bool, str]:
    """Return whether this copy is editable, and the requirement that names it with `extras`."""
    # Imported here because they are slow to import, and needed only when a package is missing.
    import json
    from importlib import metadata
    from pathlib import Path
    from urllib.request import url2pathname

    name = "weatherglass"
    try:
        text = metadata.distribution(name).read_text("direct_url.json")
    except metadata.PackageNotFoundError:  # run from the source tree, not installed
        checkout = Path(__file__).parents[2]
        is_checkout = (checkout / "pyproject.toml").is_file()
        return is_checkout, f"{checkout if is_checkout else name}{extras}"
    if text is None:
        return False, f"{name}{extras}"
    try:
        origin = json.loads(text)
        url = str(origin["url"])
        vcs_info, is_editable = origin.get("vcs_info"), origin.get("dir_info", {}).get("editable")
        if vcs_info:
            url = f"{vcs_info['vcs']}+{url}@{vcs_info['commit_id']}"
    except (ValueError, KeyError, TypeError, AttributeError):  # damaged: no help at all is worse
        return False, f"{name}{extras}"
    if url.startswith("file://"):
        return bool(is_editable), f"{url2pathname(url.removeprefix('file://'))}{extras}"
    return False, f"{name}{extras} @ {url}"


def quote_safe(text: str | bytes, limit: int = 60) -> str:
    r"""Quote and shorten text from a file, so that it is safe to print on a terminal.

    >>> print(quote_safe("naïve"))
    'naïve'
    >>> print(quote_safe(b"\x1b[31mred\xff"))
    '\x1b[31mred\udcff'
    """
    if isinstance(text, bytes):
        text = text[: 4 * limit].decode("utf-8", "surrogateescape")
    if len(text) > limit:
        text = text[:limit] + "…"
    return repr(text)


def join_first(items: Iterable[str], limit: int = 5, separator: str = ", ") -> str:
    """Join the first `limit` items, and say how many more there are.

    >>> join_first(map(quote_safe, ["sun", "rain", "wind", "snow"]), 2)
    "'sun', 'rain' and 2 more"
    >>> join_first(["sun"]), join_first([])
    ('sun', '')
    """
    items = list(items)
    rest = f" and {len(items) - limit:,} more" if len(items) > limit else ""
    return separator.join(items[:limit]) + rest


# A line break before four spaces is kept: it stands before a command to copy.
_LINE_BREAK = re.compile(r"\n(?! {4})[^\S\n]*")


def _escape_unprintable(message: str) -> str:
    r"""Put a message on one line and escape its unprintable characters.

    >>> print(WeatherglassError("a\x1b[31m.txt is damaged (bad\nmagic)."))
    a\x1b[31m.txt is damaged (bad magic).
    """
    line = _LINE_BREAK.sub(" ", message)
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in line)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question with the known names closest to `name`, to end a message; or nothing.

    >>> did_you_mean("waet6", ["weat6", "weat7", "wefat1"])
    ' Did you mean weat6 or weat7?'
    >>> did_you_mean("efect", ["effect", "p", "effect"])
    ' Did you mean effect?'
    """
    matches = difflib.get_close_matches(name, list(dict.fromkeys(known)), n=3, cutoff=0.6)
    return f" Did you mean {' or '.join(matches)}?" if matches else ""
