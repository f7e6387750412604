"""A discovery as one page: what was searched, the groups, the table, proxies, limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType

from markupsafe import Markup

from weatherglass.discovery import Category, Cell, Discovery, Group
from weatherglass.significance import PValue, format_p

from ..charts import style
from ..html import element, join, label_markup, sentence_markup, spell, word_list
from ..page import checkbox, definition_list, render_page, section, tiles
from . import prose

Key = tuple[str, str]
"""The ids of a cell's group and category."""

FillCell = Callable[[Cell, Markup], Markup]
"""Builds the content of a cell from the cell and its details: position, score and p-value."""


def cell_content(words: Markup, details: Markup) -> Markup:
    """The content of a cell: its words, and details that appear on hover, focus or touch."""
    return element("div", words, element("span", details, class_="said"), class_="in", tabindex=0)


def _list_words(cell: Cell, details: Markup) -> Markup:
    return cell_content(word_list(cell.words), details)


def discovery_table(
    discovery: Discovery, prefix: str = "", fill_cell: FillCell = _list_words
) -> Markup:
    """The table of a discovery with its legend; a box shows the cells that are not significant.

    Parameters
    ----------
    discovery
        The discovery.
    prefix
        Start of the ids, for a page with several tables. The first goes without a prefix and has
        the box, which works for all of them.
    fill_cell
        Builds the content of a cell; by default its words, with details on hover.
    """
    scores = [cell.score for cell in discovery.significant]
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    labels = {category.id: label_markup(category.label) for category in discovery.categories}
    contents = {}
    for cell in discovery.cells:
        shade = f"s{style.step(cell.score, low, high)}" if cell.significant else "rest"
        details = join(cell_position(cell, labels), cell_statistics(cell))
        contents[cell.group, cell.category] = (shade, fill_cell(cell, details))
    box = "" if prefix else checkbox("rest", "Show the cells that are not significant, in grey")
    return join(
        element("div", box, _legend(low, high) if scores else "", class_="controls"),
        cells_table(
            discovery.groups,
            ordered_categories(discovery),
            contents,
            visible=[(cell.group, cell.category) for cell in discovery.significant],
            prefix=prefix,
        ),
    )


def cells_table(
    groups: Sequence[Group],
    categories: Sequence[Category],
    contents: Mapping[Key, tuple[str, Markup]],
    visible: Collection[Key],
    prefix: str = "",
) -> Markup:
    """Groups as columns and categories as rows, scrolling under its headings.

    `contents` has the CSS class and the content of each cell. Rows and columns without a cell in
    `visible` are hidden until the reader ticks the box for the rest.
    """
    visible_groups = {group for group, _ in visible}
    visible_categories = {category for _, category in visible}
    # Explicit roles, because a narrow screen no longer lays the elements out as a table.
    heads = [element("th", "Category", scope="col", role="columnheader")]
    for index, group in enumerate(groups):
        link = element("a", group.id, href=f"#{prefix}group-{index}")
        size = element("small", prose.count_noun(group.size, "name"))
        hidden = None if group.id in visible_groups else "column-rest"
        heads.append(
            element("th", link, " ", size, scope="col", role="columnheader", class_=hidden)
        )
    body = (
        _category_row(category, groups, contents, visible_groups, category.id in visible_categories)
        for category in categories
    )
    grid = element(
        "table",
        element("thead", element("tr", *heads, role="row"), role="rowgroup"),
        element("tbody", *body, role="rowgroup"),
        class_="grid",
        role="table",
    )
    return join(
        element("a", "Skip the table", class_="skip", href=f"#{prefix}after-table"),
        element("div", grid, class_="scroll", role="region", tabindex=0, aria_label="Table"),
        element("div", id=f"{prefix}after-table", tabindex=-1),
    )


def ordered_categories(discovery: Discovery, order: Sequence[str] = ()) -> list[Category]:
    """The categories by total score, or in the given order; the others follow."""
    remaining = {category.id: category for category in discovery.categories}
    ids = dict.fromkeys(order or discovery.order)
    first = [remaining.pop(id) for id in ids if id in remaining]
    return [*first, *remaining.values()]


def _category_row(
    category: Category,
    groups: Collection[Group],
    contents: Mapping[Key, tuple[str, Markup]],
    visible_groups: Collection[str],
    is_visible: bool,
) -> Markup:
    size = element("small", prose.count_noun(category.size, "word"))
    cells = [element("th", label_markup(category.label), " ", size, scope="row", role="rowheader")]
    for group in groups:
        kind, content = contents.get((group.id, category.id), ("", Markup()))
        kind = kind if group.id in visible_groups else f"{kind} column-rest"
        cells.append(
            element("td", content, role="cell", class_=kind or "none", data_group=group.id)
        )
    return element("tr", *cells, role="row", class_=None if is_visible else "row-rest")


def cell_statistics(cell: Cell) -> Markup:
    """Score, p-value and verdict of a cell."""
    verdict = "significant" if cell.significant else "not significant"
    return join(f"score {cell.score:.3f}, p = {format_p_interval(cell.p)}, {verdict}")


def cell_position(cell: Cell, labels: Mapping[str, Markup]) -> Markup:
    """Group and category of a cell; hidden from screen readers, which read the table's headings."""
    position = join(cell.group, ", ", labels.get(cell.category, Markup()), ": ")
    return element("span", position, aria_hidden="true")


def format_p_interval(p: PValue) -> str:
    """A p-value with its ends.

    >>> format_p_interval(PValue(0.02, 0.017, 0.024, "rotation"))
    '0.020 (0.017 to 0.024)'
    >>> format_p_interval(PValue(1e-4, 0.0, 5e-4, "rotation"))
    '1.0e-04 (0 to 5.0e-04)'
    """
    if p.low == p.high:
        return format_p(p.value)
    return f"{format_p(p.value)} ({format_p(p.low) if p.low else 0} to {format_p(p.high)})"


def _legend(low: float, high: float) -> Markup:
    swatches = (element("i", class_=f"s{step}") for step in range(style.STEPS))
    return element(
        "p",
        f"Score {low:.2f} ",
        element("span", *swatches, class_="swatches", aria_hidden="true"),
        f" {high:.2f}",
        class_="legend",
    )


NAMES_APART = (
    "The table of associations refers to groups by their ids. Their names are listed here, apart "
    "from it, so that nobody's name heads a column of stereotypes."
)


def discovery_page(discovery: Discovery, *, show_slurs: bool = False) -> str:
    """Write a discovery as one HTML file that needs no network and no script.

    Parameters
    ----------
    discovery
        The result of `weatherglass.discover`.
    show_slurs
        Slurs are masked until the reader ticks a box; with this the box is ticked from the start.

    Returns
    -------
    str
        The page. Every word is escaped.

    Notes
    -----
    As in appendix A of Swinger et al. (2019), the table refers to groups by their ids, and the
    names are listed in a table of their own.

    Examples
    --------
    >>> import weatherglass as wg
    >>> discovery = wg.discover(wg.open_vectors("default"), groups=4, categories=8, words=2000,
    ...                         rotations=99)
    >>> page = discovery_page(discovery)
    >>> page.count("<table"), "<script" in page
    (2, False)
    """
    return render_page(
        f"What {prose.short_name(discovery)} associates with names",
        [
            _search_section(discovery),
            section(
                "groups", "Groups of names", element("p", NAMES_APART), groups_table(discovery)
            ),
            section("table", "Table of associations", *table_with_guide(discovery)),
            section("proxies", "Proxies for names", *proxies_markup(discovery)),
            *_notes_section(discovery),
            section(
                "limits",
                "What it does not mean",
                element("ul", *(element("li", limit) for limit in prose.list_limits(discovery))),
            ),
            repeat_section(prose.repeat_command(discovery), discovery),
        ],
        show_slurs=show_slurs,
    )


def _search_section(discovery: Discovery) -> Markup:
    dim = discovery.source.get("dim")
    name = element("bdi", prose.source_name(discovery))
    names = str(discovery.options.get("names", ""))
    counts = prose.list_counts(discovery.names)
    return section(
        "searched",
        "What was searched",
        element("p", prose.describe_search(discovery), class_="lead"),
        tiles(summary_figures(discovery)),
        definition_list(
            [
                ("Embedding", join(name, f", {dim} dimensions" if dim else "")),
                ("Names", ": ".join(filter(None, (f"The list {names}" if names else "", counts)))),
                ("Words", prose.list_counts(discovery.words)),
                ("Word frequency", prose.describe_frequency(discovery.control)),
                ("Null distribution", prose.describe_null(discovery)),
                ("Significance", prose.describe_level(discovery)),
                ("Placebo", prose.describe_placebo(discovery)),
            ]
        ),
    )


def summary_figures(discovery: Discovery) -> list[tuple[str, str]]:
    """The headline figures of a discovery, each with what it counts."""
    cells = prose.count_noun(len(discovery.cells), "cell")
    figures = [
        (f"{len(discovery.significant):,}", f"significant of {cells}"),
        (f"{len(discovery.groups):,}", "groups of names"),
        (
            f"{len(discovery.order):,}",
            f"of {len(discovery.categories):,} categories with a significant cell",
        ),
    ]
    if discovery.placebos:
        counts = ", ".join(f"{placebo.significant:,}" for placebo in discovery.placebos)
        figures.append((counts, "significant with random words in place of the names"))
    if discovery.indirect.share is not None:
        figures.append((f"{discovery.indirect.share:.0%}", "of four-tuples point the same way"))
    return figures


def groups_table(
    discovery: Discovery,
    extra_columns: Mapping[str, Sequence[str]] = MappingProxyType({}),
    prefix: str = "",
    inline_styles: bool = True,
) -> Markup:
    """Groups with representative names, size and statistics, and with extra columns.

    A page that allows no inline styles gets the length of the bars under shares as data, from which
    a script sets them.
    """
    columns = list(dict.fromkeys(name for group in discovery.groups for name in group.facts))
    about = {name: discovery.columns.get(name, {}) for name in columns}
    labels = {name: _heading(about[name].get("label") or name) for name in columns}
    rows = []
    for index, group in enumerate(discovery.groups):
        rest = group.size - len(group.shown)
        names = join(word_list(group.shown), element("small", f" +{rest:,}") if rest > 0 else "")
        rows.append(
            element(
                "tr",
                element("th", group.id, scope="row", role="rowheader"),
                element("td", names, role="cell", class_="wide"),
                *(_number_cell(name, values[index]) for name, values in extra_columns.items()),
                *(
                    _fact_cell(
                        labels[name],
                        about[name].get("unit", ""),
                        group.facts.get(name),
                        inline_styles,
                    )
                    for name in columns
                ),
                role="row",
                id=f"{prefix}group-{index}",
                tabindex=-1,
            )
        )
    heads = ("Group", "Representative names", *extra_columns, *labels.values())
    head = (element("th", text, scope="col", role="columnheader") for text in heads)
    content = element(
        "table",
        element("thead", element("tr", *head, role="row"), role="rowgroup"),
        element("tbody", *rows, role="rowgroup"),
        class_="groups",
        role="table",
    )
    return element("div", content, class_="scroll", role="region", tabindex=0, aria_label="Groups")


def _heading(text: str) -> str:
    text = spell(text)
    return text[:1].upper() + text[1:]


def _fact_cell(label: str, unit: str, value: float | None, inline_styles: bool) -> Markup:
    """A statistic of a group; a share has a bar under it."""
    if value is None or not math.isfinite(value):
        return _number_cell(label, "–")
    if unit == "share":
        length = f"{min(1.0, max(0.0, value)):.1%}"
        bar = {"style": f"--share:{length}"} if inline_styles else {"data_share": length}
        return element("td", f"{value:.0%}", role="cell", class_="share", data_name=label, **bar)
    return _number_cell(label, f"{value:.0f}" if unit == "year" else f"{value:,.4g}")


def _number_cell(label: str, text: str) -> Markup:
    return element("td", text, role="cell", class_="number", data_name=label)


def table_with_guide(discovery: Discovery, prefix: str = "") -> list[Markup]:
    """The table with a paragraph on how to read it; `prefix` as for `discovery_table`."""
    with_cells = {cell.group for cell in discovery.significant}
    empty_groups = [group.id for group in discovery.groups if group.id not in with_cells]
    guide = (
        "Columns are groups; rows are categories of words, the strongest first. A cell lists the "
        "words of the category that are most strongly associated with the group, and its shade is "
        "its score. Point at a cell, touch it, or move to it with the tab key, to see its score "
        "and p-value."
    )
    parts = [element("p", guide)]
    if not discovery.significant:
        parts.append(element("p", element("b", "No cell is significant.")))
    elif empty_groups:
        parts.append(element("p", f"No significant cell: {', '.join(empty_groups)}."))
    return [*parts, discovery_table(discovery, prefix)]


def proxies_markup(discovery: Discovery) -> list[Markup]:
    """How far words alone would reveal the groups, and the strongest proxies."""
    parts = [element("p", prose.describe_indirect(discovery.indirect))]
    labels = {category.id: label_markup(category.label) for category in discovery.categories}
    items = [
        element("li", prose.describe_proxy(proxy, labels)) for proxy in discovery.indirect.strongest
    ]
    if items:
        parts += [element("p", "The strongest proxies:"), element("ol", *items)]
    return parts


def _notes_section(discovery: Discovery) -> list[Markup]:
    if not discovery.notes:
        return []
    notes = (element("li", sentence_markup(note)) for note in discovery.notes)
    return [section("notes", "Notes", element("ul", *notes))]


def repeat_section(command: str, *discoveries: Discovery) -> Markup:
    """How to repeat and cite it."""
    return section(
        "repeat",
        "How to repeat and cite it",
        element("pre", element("code", command), tabindex=0),
        *(element("p", prose.describe_version(discovery)) for discovery in discoveries),
        element("p", "Cite the method as:"),
        element("p", prose.CITATION, class_="citation"),
    )
