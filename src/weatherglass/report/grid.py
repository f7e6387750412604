"""The paper's table as HTML: groups as columns, categories as rows, words in shaded cells."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from weatherglass.discovery.record import Category, Cell, Discovery, Group
from weatherglass.report import prose, shades
from weatherglass.report.markup import Markup, element, joined
from weatherglass.report.page import tick
from weatherglass.report.words import label, listed
from weatherglass.significance.pvalue import PValue, format_p

Key = tuple[str, str]


def grid(found: Discovery, mark: str = "") -> Markup:
    """The table of a discovery with its legend; cells that are not significant wait for a tick.

    A page with several has the tick with the first, which goes without a `mark`; the others' ids
    begin with theirs.
    """
    scores = [cell.score for cell in found.cells if cell.significant]
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    names = {one.id: label(one.label) for one in found.categories}
    inside = {}
    for cell in found.cells:
        shade = f"s{shades.step(cell.score, low, high)}" if cell.significant else "rest"
        said = joined(place(cell, names), measured(cell))
        inside[cell.group, cell.category] = (shade, filled(listed(cell.words), said))
    controls = "" if mark else tick("rest", "Show the cells that are not significant, in grey")
    return joined(
        element("div", controls, _legend(low, high) if scores else "", class_="controls"),
        table(
            found.groups,
            in_order(found),
            inside,
            shown=[(one.group, one.category) for one in found.significant],
            mark=mark,
        ),
    )


def table(
    groups: Sequence[Group],
    categories: Sequence[Category],
    inside: Mapping[Key, tuple[str, Markup]],
    shown: Collection[Key],
    mark: str = "",
) -> Markup:
    """Groups as columns and categories as rows, scrolling under its headings.

    `inside` has the class and the content of each cell. Rows and columns without a cell in `shown`
    are there for the tick of the rest.
    """
    columns, rows = {group for group, _ in shown}, {category for _, category in shown}
    # The roles are those of a table, which a narrow screen no longer lays out as one.
    heads = [element("th", "Category", scope="col", role="columnheader")]
    for at, group in enumerate(groups):
        link = element("a", group.id, href=f"#{mark}group-{at}")
        size = element("small", prose.count(group.size, "name"))
        hidden = None if group.id in columns else "column-rest"
        heads.append(
            element("th", link, " ", size, scope="col", role="columnheader", class_=hidden)
        )
    body = (_row(one, groups, inside, columns, one.id in rows) for one in categories)
    made = element(
        "table",
        element("thead", element("tr", *heads, role="row"), role="rowgroup"),
        element("tbody", *body, role="rowgroup"),
        class_="grid",
        role="table",
    )
    return joined(
        element("a", "Skip the table", class_="skip", href=f"#{mark}after-table"),
        element("div", made, class_="scroll", role="region", tabindex=0, aria_label="Table"),
        element("div", id=f"{mark}after-table", tabindex=-1),
    )


def in_order(found: Discovery, order: Sequence[str] = ()) -> list[Category]:
    """The categories in the order of the tests, or in that given, then the others."""
    known = {one.id: one for one in found.categories}
    first = [known.pop(id) for id in dict.fromkeys(order or found.order) if id in known]
    return [*first, *known.values()]


def _row(
    category: Category,
    groups: Collection[Group],
    inside: Mapping[Key, tuple[str, Markup]],
    columns: Collection[str],
    shown: bool,
) -> Markup:
    size = element("small", prose.count(category.size, "word"))
    cells = [element("th", label(category.label), " ", size, scope="row", role="rowheader")]
    for group in groups:
        kind, content = inside.get((group.id, category.id), ("", Markup()))
        kind = kind if group.id in columns else f"{kind} column-rest"
        cells.append(
            element("td", content, role="cell", class_=kind or "none", data_group=group.id)
        )
    return element("tr", *cells, role="row", class_=None if shown else "row-rest")


def filled(words: Markup, said: Markup) -> Markup:
    """The inside of a cell: its words, and what is said of them on hover, focus or touch."""
    return element("div", words, element("span", said, class_="said"), class_="in", tabindex=0)


def measured(cell: Cell) -> Markup:
    """Score, p-value and verdict of a cell."""
    verdict = "significant" if cell.significant else "not significant"
    return joined(f"score {cell.score:.3f}, p = {between(cell.p)}, {verdict}")


def place(cell: Cell, names: Mapping[str, Markup]) -> Markup:
    """Where a cell stands; a screen reader says that already, from the table's headings."""
    here = joined(cell.group, ", ", names.get(cell.category, Markup()), ": ")
    return element("span", here, aria_hidden="true")


def between(p: PValue) -> str:
    """A p-value with its ends.

    >>> between(PValue(0.02, 0.017, 0.024, "rotation"))
    '0.020 (0.017 to 0.024)'
    >>> between(PValue(1e-4, 0.0, 5e-4, "rotation"))
    '1.0e-04 (0 to 5.0e-04)'
    """
    if p.low == p.high:
        return format_p(p.value)
    return f"{format_p(p.value)} ({format_p(p.low) if p.low else 0} to {format_p(p.high)})"


def _legend(low: float, high: float) -> Markup:
    swatches = (element("i", class_=f"s{at}") for at in range(shades.STEPS))
    return element(
        "p",
        f"Score {low:.2f} ",
        element("span", *swatches, class_="swatches", aria_hidden="true"),
        f" {high:.2f}",
        class_="legend",
    )
