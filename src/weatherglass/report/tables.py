"""Tables with headings for rows and columns, which scroll by themselves where they are wide."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Sequence

from weatherglass.report.markup import Markup, element, joined

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
        head = joined(element("tr", *(_over(*one) for one in over)), head)
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


def stacked(first: str, second: str = "") -> Markup:
    """A cell of two lines, the second one small."""
    return joined(first, element("small", second) if second else "")


def folded(summary: str, *inside: str, open_: bool = False) -> Markup:
    """What is there for the reader who opens it."""
    return element("details", element("summary", summary), *inside, open=open_)
