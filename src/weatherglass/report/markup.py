"""HTML from Python: whatever is not markup is escaped."""

from __future__ import annotations

import html

_HARMLESS = "\u200c\u200d\xa0\n"  # Persian and Indic spelling needs the first two
_VOID = {"br", "col", "input", "meta"}


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def visible(text: str) -> str:
    r"""Text with what cannot be seen made visible: controls, bidi marks, lone surrogates.

    >>> print(visible("a\u202eb\x1b\udcff"))
    a\u202eb\x1b\udcff
    """
    return "".join(c if c.isprintable() or c in _HARMLESS else repr(c)[1:-1] for c in text)


def escaped(text: str) -> Markup:
    """Text as HTML; markup stays what it is.

    >>> escaped("<b>"), escaped(Markup("<b>"))
    ('&lt;b&gt;', '<b>')
    """
    return text if isinstance(text, Markup) else Markup(html.escape(visible(text)))


def element(name: str, /, *inside: str, **attributes: str | int | bool | None) -> Markup:
    """An element with its content and attributes, both escaped.

    An underscore at the end of an attribute's name is dropped, and others become hyphens; an
    attribute that is `None` or `False` is left out.

    >>> print(element("td", "R&B", element("br"), class_="s1", data_word='"'))
    <td class="s1" data-word="&quot;">R&amp;B<br></td>
    """
    written = ""
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        written += f" {key}" if value is True else f' {key}="{escaped(str(value))}"'
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(*inside)}</{name}>")


def joined(*parts: str, between: str = "") -> Markup:
    """Parts one after another, each escaped.

    >>> joined("a", Markup("<br>"), "<")
    'a<br>&lt;'
    """
    return Markup(escaped(between).join(escaped(part) for part in parts))
