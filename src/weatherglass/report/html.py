"""HTML from Python: elements, tables and words. Everything that is not markup is escaped."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

import markupsafe
from markupsafe import Markup

from weatherglass.catalog import is_slur, mask_slurs

# Printed as they are. Persian and Indic spelling needs the first two, which join letters or not.
_HARMLESS = "\u200c\u200d\xa0\n"
_VOID_ELEMENTS = {"br", "col", "input", "meta"}


def make_visible(text: str) -> str:
    r"""Replace invisible characters by escapes: controls, bidi marks, lone surrogates.

    >>> print(make_visible("a\u202eb\x1b\udcff"))
    a\u202eb\x1b\udcff
    """
    if text.isprintable():  # nearly always
        return text
    return "".join(c if c.isprintable() or c in _HARMLESS else repr(c)[1:-1] for c in text)


def escape(text: str) -> Markup:
    """Escape text for HTML, with invisible characters made visible; markup stays as it is.

    >>> print(escape("<b>"), escape(Markup("<b>")))
    &lt;b&gt; <b>
    """
    return text if isinstance(text, Markup) else markupsafe.escape(make_visible(text))


def element(name: str, /, *content: str, **attributes: str | int | bool | None) -> Markup:
    """Build an element with its content and attributes, both escaped.

    An underscore at the end of an attribute's name is dropped, and others become hyphens; an
    attribute that is `None` or `False` is left out.

    >>> print(element("td", "R&B", element("br"), class_="s1", data_word='"'))
    <td class="s1" data-word="&#34;">R&amp;B<br></td>
    """
    pairs = ""
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        pairs += f" {key}" if value is True else f' {key}="{escape(str(value))}"'
    if name in _VOID_ELEMENTS:
        return Markup(f"<{name}{pairs}>")
    return Markup(f"<{name}{pairs}>{join(*content)}</{name}>")


def join(*parts: str, separator: str = "") -> Markup:
    """Join parts, each escaped.

    >>> print(join("a", Markup("<br>"), "<"))
    a<br>&lt;
    """
    return escape(separator).join(map(escape, parts))


Row = Sequence[str]
_MAX_ROWS_UNSCROLLED = 40
"""A table with more rows scrolls inside a box, under its headings."""
_MIN_COLUMNS_STACKED = 4
"""A table with this many columns is too wide for a phone."""


def table(
    name: str,
    heads: Sequence[str],
    rows: Sequence[Row],
    *,
    over: Sequence[tuple[str, int]] = (),
    numbers: Collection[int] = (),
    stack: bool | None = None,
) -> Markup:
    """Build a table; the first cell of a row is its heading.

    Parameters
    ----------
    name
        Accessible name, which screen readers announce.
    heads, rows
        Column headings and cells.
    over
        Headings that span columns, each with the number of columns.
    numbers
        Indices of the columns that hold numbers, which are right-aligned.
    stack
        Whether a phone shows the cells of a row below each other, each with its heading; by
        default where there are many columns.
    """
    from .templating import render_template  # which needs the functions of this module

    stack = len(heads) >= _MIN_COLUMNS_STACKED if stack is None else stack
    return render_template(
        "table.html",
        name=name,
        heads=heads,
        rows=rows,
        over=over,
        numbers=numbers,
        labels=_cell_labels(heads, over) if stack else None,
        is_long=len(rows) > _MAX_ROWS_UNSCROLLED,
    )


def _cell_labels(heads: Sequence[str], over: Sequence[tuple[str, int]]) -> list[str | None]:
    """What a cell is called where its heading is not visible."""
    spans = [text for text, columns in over for _ in range(columns)] or [""] * len(heads)
    return [
        " · ".join(filter(None, map(_plain_text, pair))) for pair in zip(spans, heads, strict=True)
    ]


def _plain_text(heading: str) -> str:
    return heading.striptags() if isinstance(heading, Markup) else heading


MAX_WORD_LENGTH = 40
_SPACES = re.compile(r"(\s+)")


def spell(word: str, *, mask: bool = False, phrase: bool = True) -> str:
    r"""A word as text: underscores of a phrase as spaces, invisible characters visible, not long.

    >>> spell("cab_driver"), spell("x" * 50)[-3:], spell("a\u202eb")
    ('cab driver', 'xx…', 'a\\u202eb')
    """
    if mask and is_slur(word):
        word = mask_slurs(word)
    text = make_visible(word).replace("\n", "\\n")
    if phrase and text.strip("_ "):  # a word of underscores alone is no phrase
        text = text.replace("_", " ")
    return text if len(text) <= MAX_WORD_LENGTH else text[: MAX_WORD_LENGTH - 1] + "…"


def word_markup(word: str) -> Markup:
    """A word, isolated from the writing direction of its neighbours.

    A slur is masked, and no text of the page holds it: the style sheet writes it from an attribute
    when the reader ticks the box.

    >>> print(word_markup("r&b"))
    <bdi>r&amp;b</bdi>
    """
    if not is_slur(word):
        return element("bdi", spell(word))
    return _slur_markup(word, mask_slurs(word))


def word_list(words: Iterable[str]) -> Markup:
    """Words with commas between them, which the style sheet can turn into lines."""
    return join(*map(word_markup, words), separator=element("span", ", ", class_="comma"))


def label_markup(label: str) -> Markup:
    """A category's label, which is a list of words."""
    return join(*(word_markup(word) for word in label.split(", ")), separator=", ")


def sentence_markup(text: str) -> Markup:
    """A sentence that may quote words: slurs in it are masked.

    >>> print(sentence_markup("All of <b> is used."))
    All of &lt;b&gt; is used.
    """
    parts, start, masked_text = [], 0, mask_slurs(text)
    if masked_text == text:
        return escape(text)
    for piece in _SPACES.split(text):
        mask = masked_text[start : start + len(piece)]
        parts.append(piece if mask == piece else _slur_markup(piece, mask))
        start += len(piece)
    return join(*parts)


def _slur_markup(word: str, mask: str) -> Markup:
    return element("bdi", element("span", spell(mask)), class_="slur", data_word=spell(word))
