"""The frame of a page: one file, nothing fetched, and no script but those that it is made with."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from weatherglass._version import __version__
from weatherglass.report import shades
from weatherglass.report.markup import Markup, element, joined

# Even if hostile text were to slip through, the browser runs no script of its and fetches nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_SLURS = (' class="slur"', '{"$slur":[')  # no text can look like these: its quotes are escaped
_NOTHING = Markup()
_WARNING = (
    "This page lists stereotypes that an embedding has learned from text. Some are offensive. "
    "They are shown because they are there, not because they are true."
)


@cache
def style_sheet(*more: str) -> str:
    """The style of every page, and of some."""
    folder = files("weatherglass.report")
    sheets = (
        folder.joinpath(name).read_text(encoding="utf-8") for name in ("discovery.css", *more)
    )
    return "".join(sheets) + shades.rules()


def page(
    title: str,
    sections: Sequence[str],
    *,
    show_slurs: bool,
    contents: Markup = _NOTHING,
    script: str = "",
    sheets: Sequence[str] = (),
) -> str:
    """A whole page with a heading, a warning and sections.

    Slurs are masked unless `show_slurs`. `contents` stands between heading and sections, `script`
    runs when all is there, and `sheets` are further style sheets.
    """
    main = joined(*sections)
    has_slurs = any(mark in main for mark in _SLURS)
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Markup(style_sheet(*sheets))),
    )
    body = element(
        "body",
        element("a", "Skip to the results", class_="skip", href="#main"),
        element("header", element("h1", title), _warning(has_slurs, show_slurs)),
        contents,
        element("main", main, id="main"),
        element("footer", f"Made with Weatherglass {__version__}. This page needs no network."),
        element("script", Markup(script)) if script else "",
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _policy(script: str) -> str:
    """What the browser may do; a script must be the one with this hash."""
    if not script:
        return _POLICY
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"{_POLICY}; script-src 'sha256-{digest}'"


def _warning(has_slurs: bool, show_slurs: bool) -> Markup:
    parts: list[str] = [element("p", _WARNING)]
    if has_slurs:
        parts.append(tick("slurs", "Show slurs, which are masked with asterisks", show_slurs))
    return element("div", *parts, class_="warning")


def tick(name: str, text: str, on: bool = False) -> Markup:
    """A box to tick; the style sheet does what it says."""
    box = element("input", type="checkbox", id=name, checked=on, autocomplete="off")
    return element("label", box, " ", text, class_="tick")


def spoken(text: str) -> Markup:
    """Text for screen readers only."""
    return element("span", text, class_="spoken")


def section(name: str, heading: str, *inside: str) -> Markup:
    """A section with its heading."""
    return element("section", element("h2", heading), *inside, id=name)


def facts(pairs: Sequence[tuple[str, str]]) -> Markup:
    """Terms and what is said of them."""
    made = (joined(element("dt", a), element("dd", b)) for a, b in pairs if b)
    return element("dl", *made)


def tiles(pairs: Sequence[tuple[str, str]]) -> Markup:
    """Figures to be seen first, each with what it counts."""
    made = (element("li", element("b", a), " ", element("span", b)) for a, b in pairs)
    return element("ul", *made, class_="tiles")
