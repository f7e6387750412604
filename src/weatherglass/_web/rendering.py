"""Pages from templates: everything is escaped, words are masked where they are slurs."""

from __future__ import annotations

import hashlib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from weatherglass._version import __version__
from weatherglass.report import rounding, words
from weatherglass.report.page import style_sheet

NAV: list[tuple[str, str]] = []
"""The pages at the top, as they are registered: what each is called, and its path."""

KINDS = {
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
        "word": lru_cache(8192)(lambda text: Markup(words.word(text))),
        "words": lambda some: Markup(words.listed(some)),
        "sentence": lambda text: (_short if len(text) <= _SHORT else _sentence)(text),
        "effect": rounding.effect,
        "p_value": rounding.p_value,
        "duration": rounding.duration,
    }
    made.filters |= filters
    shared: dict[str, Any] = {"nav": NAV, "static": static_url, "version": __version__}
    made.globals |= shared | {"ends": rounding.ends, "signed": signed}
    return made


def _sentence(text: str) -> Markup:
    return Markup(words.sentence(text))


_SHORT = 500
_short = lru_cache(2048)(_sentence)  # a long text is shown once, and would only fill the memory


def signed(value: float) -> str:
    """A difference, with its sign.

    >>> signed(0.126), signed(-0.04)
    ('+0.13', '−0.04')
    """
    text = rounding.effect(value)
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
