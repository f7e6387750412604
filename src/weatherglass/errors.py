"""Every error a user can meet, in one tree.

::

    WeatherglassError             the measurement could not be made (exit code 1)
    ├── SourceError               a source of vectors cannot be used
    │   ├── SourceNotFound        no such file, folder or registered name
    │   ├── UnknownFormat         the content is none of the formats that are read
    │   ├── PickleRefused         the file is a pickle, which can run code when it is opened
    │   ├── BadContent            the format is known and the content breaks its rules
    │   ├── TooLarge              a line or an unpacked stream is over its stated limit
    │   └── CannotWrite           the vectors cannot be written in the format asked for
    ├── EncoderError              an encoder cannot be used, or what it gave is no encoding
    ├── UnusableRow               a measure asked for a row that has no direction
    ├── CatalogError              a catalogue entry or a user's own file breaks the schema
    │   └── UnknownEntry          no entry has that id (exit code 2)
    ├── CannotMeasure             the words or numbers given do not allow the measurement
    ├── WorkersLost               tasks were lost with their workers, again and again
    └── MissingExtra              an optional package is not installed
    UsageError                    the call itself was wrong (exit code 2)

Messages are one or two plain sentences: what was seen, what was expected, what to do. Text that
comes from a user's file goes through `quote_safe`, because a vocabulary is hostile text; whatever else
gets in, such as a file's name or a library's own words, is made safe to print as it is shown.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable


class WeatherglassError(Exception):
    """The measurement could not be made."""

    exit_code = 1

    def __str__(self) -> str:
        return _on_one_line(super().__str__())


class SourceError(WeatherglassError):
    """A source of vectors cannot be used."""


class SourceNotFound(SourceError):
    """No such file, folder or registered name."""


class UnknownFormat(SourceError):
    """The content is none of the formats that are read."""


class PickleRefused(SourceError):
    """The file is a pickle, which can run code when it is opened."""


class BadContent(SourceError):
    """The format is known and the content breaks its rules."""


class TooLarge(SourceError):
    """A line or an unpacked stream is over its stated limit."""


class CannotWrite(SourceError):
    """The vectors cannot be written in the format asked for."""


class EncoderError(WeatherglassError):
    """An encoder cannot be used, or what it gave is no encoding."""


class UnusableRow(WeatherglassError):
    """A measure asked for a row that has no direction."""


class CatalogError(WeatherglassError):
    """A catalogue entry or a user's own file breaks the schema."""


class UnknownEntry(CatalogError):
    """No entry has that id."""

    exit_code = 2


class CannotMeasure(WeatherglassError):
    """The words or numbers given do not allow the measurement."""


class WorkersLost(WeatherglassError):
    """Tasks were lost with their workers, again and again; `tasks` has their numbers."""

    def __init__(self, message: str, tasks: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.tasks = tasks


class MissingExtra(WeatherglassError):
    """An optional package is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package: pip install 'weatherglass[{extra}]'")
        self._said = what, extra

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        return type(self), self._said  # a worker process tells it to ours


class UsageError(WeatherglassError):
    """The call itself was wrong."""

    exit_code = 2


def quote_safe(text: str | bytes, limit: int = 60) -> str:
    r"""Text from a file, quoted, shortened, and safe to print on a terminal.

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


def join_first(said: Iterable[str], most: int = 5, between: str = ", ") -> str:
    """The first few of what is to be said, and how many more there are.

    >>> join_first(map(quote_safe, ["sun", "rain", "wind", "snow"]), 2)
    "'sun', 'rain' and 2 more"
    >>> join_first(["sun"]), join_first([])
    ('sun', '')
    """
    every = list(said)
    more = f" and {len(every) - most:,} more" if len(every) > most else ""
    return between.join(every[:most]) + more


# One that stands before a command to copy, which is indented, is left.
_LINE_BREAK = re.compile(r"\n(?! {4})[^\S\n]*")


def _on_one_line(message: str) -> str:
    r"""A message with what cannot be seen made visible.

    >>> print(WeatherglassError("a\x1b[31m.txt is damaged (bad\nmagic)."))
    a\x1b[31m.txt is damaged (bad magic).
    """
    joined = _LINE_BREAK.sub(" ", message)
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in joined)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: the nearest known ones, or nothing.

    >>> did_you_mean("waet6", ["weat6", "weat7", "wefat1"])
    ' Did you mean weat6 or weat7?'
    """
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f" Did you mean {' or '.join(near)}?" if near else ""
