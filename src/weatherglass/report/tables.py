"""Tables with headings for rows and columns, which scroll by themselves where they are wide."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from weatherglass.report.markup import Markup, element, joined

Row = Sequence[str]


def table(
    name: str,
    heads: Sequence[str],
    rows: Sequence[Row],
    *,
    over: Sequence[tuple[str, int]] = (),
    numbers: Collection[int] = (),
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
    """
    kinds = ["number" if at in numbers else None for at in range(len(heads))]
    head = element("tr", *(_head(*one) for one in zip(heads, kinds, strict=True)))
    if over:
        head = joined(element("tr", *(_over(*one) for one in over)), head)
    body = (
        element(
            "tr",
            element("th", row[0], scope="row"),
            *(element("td", a, class_=b) for a, b in zip(row[1:], kinds[1:], strict=True)),
        )
        for row in rows
    )
    made = element("table", element("thead", head), element("tbody", *body), class_="plain")
    return element("div", made, class_="scroll wide", role="region", tabindex=0, aria_label=name)


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
