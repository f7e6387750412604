"""Pages from templates: everything is escaped, words are masked where they are slurs."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from weatherglass._version import __version__
from weatherglass.report import html, numbers, style_sheet

NAV: list[tuple[str, str]] = []
"""The pages at the top, as they are registered: what each is called, and its path."""

MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


def render(template: str, /, **values: Any) -> str:
    """A template of ``pages/`` with its values."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("weatherglass._web", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {
        "word": lru_cache(8192)(html.word_markup),
        "words": lambda some: html.word_list(some),
        "sentence": lambda text: (_short if len(text) <= _SHORT else _sentence)(text),
        "effect": numbers.effect,
        "p_value": numbers.p_value,
        "duration": numbers.duration,
    }
    made.filters |= filters
    shared: dict[str, Any] = {"nav": NAV, "static": static_url, "version": __version__}
    made.globals |= shared | {"ends": numbers.interval, "signed": format_signed}
    return made


def _sentence(text: str) -> Markup:
    return html.sentence_markup(text)


_SHORT = 500
_short = lru_cache(2048)(_sentence)  # a long text is shown once, and would only fill the memory


def format_signed(value: float) -> str:
    """A difference, with its sign.

    >>> format_signed(0.126), format_signed(-0.04)
    ('+0.13', '−0.04')
    """
    text = numbers.effect(value)
    return text if text.startswith("−") else f"+{text}"


@cache
def static_file(name: str) -> bytes | None:
    """The content of a file that the pages need; None if there is no such file.

    Three of them are made of others: the style sheet of the report and ours, and Vega with what
    starts it.
    """
    folder = files("weatherglass._web").joinpath("static")
    if name not in {one.name for one in folder.iterdir()}:
        return None
    content = folder.joinpath(name).read_bytes()
    if name == "site.css":
        return style_sheet("audit.css").encode() + content
    if name == "pictures.js":
        import vl_convert

        made: str = vl_convert.javascript_bundle(content.decode())
        return made.encode()
    return content


@cache
def static_url(name: str) -> str:
    """The address of such a file, which changes with its content, so that browsers may keep it."""
    if name == "pictures.js":  # to make it takes seconds; its parts say what it is
        from importlib.metadata import version

        source = files("weatherglass._web").joinpath("static", name).read_bytes()
        content = source + version("vl-convert-python").encode()
    else:
        content = static_file(name) or b""
    return f"/static/{name}?v={hashlib.sha256(content).hexdigest()[:12]}"


FILE_WAIT_SECONDS = 30.0
"""Seconds that a file is waited for: what came instead would be kept as the file."""


def file_responses(kinds: Iterable[str]) -> dict[int | str, dict[str, Any]]:
    """The `responses` entry of a route that gives a file of one of some kinds.

    >>> file_responses(["text/csv"])[200]["content"]
    {'text/csv': {'schema': {'type': 'string'}}}
    """
    objects = ("application/json", "application/yaml")
    content = {
        kind.partition(";")[0]: {"schema": {} if kind in objects else {"type": "string"}}
        for kind in kinds
    }
    return {200: {"description": "The file.", "content": content}}


def csv_text(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """A table as CSV.

    >>> print(csv_text(["word", "p"], [("sun, moon", 0.5), ("x", None)]), end="")
    word,p
    "sun, moon",0.5
    x,
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return stream.getvalue()


def download_headers(name: str, ending: str, is_file: bool = True) -> dict[str, str]:
    """The header that lets a browser keep an answer as a file.

    >>> download_headers("weat 6", "csv")["Content-Disposition"]
    "attachment; filename*=UTF-8''weat%206.csv"
    """
    if not is_file:
        return {}
    plain = "".join(c if c.isalnum() or c in " -_.@" else "-" for c in name)[:80].strip(" .")
    return {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(plain or 'file')}.{ending}"
    }
