"""HTML from Python: whatever is not markup is escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Sequence

from weatherglass.catalog import is_slur, masked

_HARMLESS = "\u200c\u200d\xa0\n"  # Persian and Indic spelling needs the first two
_VOID = {"br", "col", "input", "meta"}


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def make_visible(text: str) -> str:
    r"""Text with what cannot be seen made visible: controls, bidi marks, lone surrogates.

    >>> print(make_visible("a\u202eb\x1b\udcff"))
    a\u202eb\x1b\udcff
    """
    return "".join(c if c.isprintable() or c in _HARMLESS else repr(c)[1:-1] for c in text)


def escape(text: str) -> Markup:
    """Text as HTML; markup stays what it is.

    >>> escape("<b>"), escape(Markup("<b>"))
    ('&lt;b&gt;', '<b>')
    """
    return text if isinstance(text, Markup) else Markup(html.escape(make_visible(text)))


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
        written += f" {key}" if value is True else f' {key}="{escape(str(value))}"'
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{join(*inside)}</{name}>")


def join(*parts: str, between: str = "") -> Markup:
    """Parts one after another, each escaped.

    >>> join("a", Markup("<br>"), "<")
    'a<br>&lt;'
    """
    return Markup(escape(between).join(escape(part) for part in parts))


Row = Sequence[str]
_LONG = 40
"""A table with more rows scrolls inside a box, under its headings."""
_MANY = 4
"""So many columns are too many for a phone."""


def table(
    name: str,
    heads: Sequence[str],
    rows: Sequence[Row],
    *,
    over: Sequence[tuple[str, int]] = (),
    numbers: Collection[int] = (),
    stack: bool | None = None,
) -> Markup:
    """A table; the first cell of a row is its heading.

    Parameters
    ----------
    name
        What screen readers call it.
    heads, rows
        The headings of columns, and the cells.
    over
        Headings over several columns, with how many.
    numbers
        The columns that hold numbers, which are set flush right.
    stack
        Whether cells stand one below the other on a phone, each with its name; where there are
        many columns they do.
    """
    stack = len(heads) >= _MANY if stack is None else stack
    labels = _labels(heads, over) if stack else [None] * len(heads)
    kinds = ["number" if at in numbers else None for at in range(len(heads))]
    head = element("tr", *(_head(*one) for one in zip(heads, kinds, strict=True)))
    if over:
        head = join(element("tr", *(_over(*one) for one in over)), head)
    body = (
        element(
            "tr",
            element("th", row[0], scope="row"),
            *(
                element("td", cell, class_=kind, data_name=label)
                for cell, kind, label in zip(row[1:], kinds[1:], labels[1:], strict=True)
            ),
        )
        for row in rows
    )
    made = element(
        "table",
        element("thead", head),
        element("tbody", *body),
        class_="plain stacked" if stack else "plain",
    )
    wide = "scroll wide long" if len(rows) > _LONG else "scroll wide"
    return element("div", made, class_=wide, role="region", tabindex=0, aria_label=name)


def _labels(heads: Sequence[str], over: Sequence[tuple[str, int]]) -> list[str | None]:
    """What a cell is called where its heading is out of sight."""
    above = [text for text, columns in over for _ in range(columns)] or [""] * len(heads)
    return [" · ".join(filter(None, map(_text, pair))) for pair in zip(above, heads, strict=True)]


def _text(head: str) -> str:
    """A heading without its markup."""
    plain = html.unescape(re.sub(r"<[^>]*>", "", head)) if isinstance(head, Markup) else head
    return str(plain)


def _head(text: str, kind: str | None) -> Markup:
    return element("th", text, scope="col", class_=kind)


def _over(text: str, columns: int) -> Markup:
    if not text:
        return element("td", colspan=columns)
    return element("th", text, scope="colgroup", colspan=columns, class_="over")


def two_lines(first: str, second: str = "") -> Markup:
    """A cell of two lines, the second one small."""
    return join(first, element("small", second) if second else "")


def collapsible(summary: str, *inside: str, open_: bool = False) -> Markup:
    """What is there for the reader who opens it."""
    return element("details", element("summary", summary), *inside, open=open_)


MAX_WORD_LENGTH = 40
_SPACES = re.compile(r"(\s+)")


def spell(word: str, *, mask: bool = False, phrase: bool = True) -> str:
    r"""A word as it is read: phrases with spaces, the unseen made visible, not too long.

    >>> spell("cab_driver"), spell("x" * 50)[-3:], spell("a\u202eb")
    ('cab driver', 'xx…', 'a\\u202eb')
    """
    if mask and is_slur(word):
        word = masked(word)
    text = make_visible(word).replace("\n", "\\n")
    if phrase and text.strip("_ "):  # underscores alone are no phrase
        text = text.replace("_", " ")
    return text if len(text) <= MAX_WORD_LENGTH else text[: MAX_WORD_LENGTH - 1] + "…"


def word_markup(text: str) -> Markup:
    """A word, isolated from the direction of its neighbours.

    A slur is masked, and the word itself stands in no text of the page: the reader's tick lets the
    style sheet write it from an attribute.

    >>> print(word_markup("r&b"))
    <bdi>r&amp;b</bdi>
    """
    if not is_slur(text):
        return element("bdi", spell(text))
    return _slur(text, masked(text))


def word_list(words: Iterable[str]) -> Markup:
    """Words with commas between, which the style sheet can turn into lines."""
    return join(*map(word_markup, words), between=element("span", ", ", class_="comma"))


def label_markup(text: str) -> Markup:
    """A category's label, which is made of words."""
    return join(*(word_markup(part) for part in text.split(", ")), between=", ")


def sentence_markup(text: str) -> Markup:
    """A sentence that may quote words: slurs in it are masked.

    >>> sentence_markup("All of <b> is used.")
    'All of &lt;b&gt; is used.'
    """
    made, at, hidden = [], 0, masked(text)
    for piece in _SPACES.split(text):
        mask = hidden[at : at + len(piece)]
        made.append(piece if mask == piece else _slur(piece, mask))
        at += len(piece)
    return join(*made)


def _slur(text: str, mask: str) -> Markup:
    return element("bdi", element("span", spell(mask)), class_="slur", data_word=spell(text))
