"""A discovery as one page: what was searched, the groups, the table, proxies, limits."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from weatherglass.discovery import Category, Cell, Discovery, Group
from weatherglass.report.charts import style
from weatherglass.significance import PValue, format_p

from ..html import Markup, element, join, label_markup, sentence_markup, spell, word_list
from ..page import checkbox, definition_list, render_page, section, tiles
from . import prose

Key = tuple[str, str]


def discovery_table(found: Discovery, mark: str = "") -> Markup:
    """The table of a discovery with its legend; cells that are not significant wait for a tick.

    A page with several has the tick with the first, which goes without a `mark`; the others' ids
    begin with theirs.
    """
    scores = [cell.score for cell in found.cells if cell.significant]
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    names = {one.id: label_markup(one.label) for one in found.categories}
    inside = {}
    for cell in found.cells:
        shade = f"s{style.step(cell.score, low, high)}" if cell.significant else "rest"
        said = join(cell_position(cell, names), cell_statistics(cell))
        inside[cell.group, cell.category] = (shade, cell_content(word_list(cell.words), said))
    controls = "" if mark else checkbox("rest", "Show the cells that are not significant, in grey")
    return join(
        element("div", controls, _legend(low, high) if scores else "", class_="controls"),
        cells_table(
            found.groups,
            ordered_categories(found),
            inside,
            shown=[(one.group, one.category) for one in found.significant],
            mark=mark,
        ),
    )


def cells_table(
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
        size = element("small", prose.count_noun(group.size, "name"))
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
    return join(
        element("a", "Skip the table", class_="skip", href=f"#{mark}after-table"),
        element("div", made, class_="scroll", role="region", tabindex=0, aria_label="Table"),
        element("div", id=f"{mark}after-table", tabindex=-1),
    )


def ordered_categories(found: Discovery, order: Sequence[str] = ()) -> list[Category]:
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
    size = element("small", prose.count_noun(category.size, "word"))
    cells = [element("th", label_markup(category.label), " ", size, scope="row", role="rowheader")]
    for group in groups:
        kind, content = inside.get((group.id, category.id), ("", Markup()))
        kind = kind if group.id in columns else f"{kind} column-rest"
        cells.append(
            element("td", content, role="cell", class_=kind or "none", data_group=group.id)
        )
    return element("tr", *cells, role="row", class_=None if shown else "row-rest")


def cell_content(words: Markup, said: Markup) -> Markup:
    """The inside of a cell: its words, and what is said of them on hover, focus or touch."""
    return element("div", words, element("span", said, class_="said"), class_="in", tabindex=0)


def cell_statistics(cell: Cell) -> Markup:
    """Score, p-value and verdict of a cell."""
    verdict = "significant" if cell.significant else "not significant"
    return join(f"score {cell.score:.3f}, p = {format_p_interval(cell.p)}, {verdict}")


def cell_position(cell: Cell, names: Mapping[str, Markup]) -> Markup:
    """Where a cell stands; a screen reader says that already, from the table's headings."""
    here = join(cell.group, ", ", names.get(cell.category, Markup()), ": ")
    return element("span", here, aria_hidden="true")


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
    swatches = (element("i", class_=f"s{at}") for at in range(style.STEPS))
    return element(
        "p",
        f"Score {low:.2f} ",
        element("span", *swatches, class_="swatches", aria_hidden="true"),
        f" {high:.2f}",
        class_="legend",
    )


NAMES_APART = (
    "In the table groups are called by their ids. Their names stand here, apart from it, so that "
    "nobody's name stands on top of a column of stereotypes."
)


def discovery_page(found: Discovery, *, show_slurs: bool = False) -> str:
    """A discovery as one HTML file that needs no network and no script.

    Parameters
    ----------
    found
        What a discovery found.
    show_slurs
        Slurs are masked until the reader ticks a box; with this the box is ticked from the start.

    Returns
    -------
    str
        The page. Every word is escaped.

    Notes
    -----
    As in appendix A of Swinger et al. (2019), the table names groups by their ids and the names
    stand in a table of their own.

    Examples
    --------
    >>> import weatherglass as wg
    >>> found = wg.discover(wg.open_vectors("default"), groups=4, categories=8, words=2000,
    ...                     rotations=99)
    >>> page = discovery_page(found)
    >>> page.count("<table"), "<script" in page
    (2, False)
    """
    return render_page(
        f"What {prose.short_name(found)} associates with names",
        [
            _searched(found),
            section(
                "groups",
                "The groups of names",
                element("p", NAMES_APART),
                groups_table(found),
            ),
            section("table", "The table", *table_with_guide(found)),
            section("proxies", "Words that stand in for names", *proxies_markup(found)),
            *_notes(found),
            section(
                "limits",
                "What it does not mean",
                element("ul", *(element("li", one) for one in prose.list_limits(found))),
            ),
            repeat_section(prose.repeat_command(found), found),
        ],
        show_slurs=show_slurs,
    )


def _searched(found: Discovery) -> Markup:
    dim = found.source.get("dim")
    name = element("bdi", prose.source_name(found))
    names = str(found.options.get("names", ""))
    return section(
        "searched",
        "What was searched",
        element("p", prose.describe_search(found), class_="lead"),
        tiles(summary_figures(found)),
        definition_list(
            [
                ("Embedding", join(name, f", {dim} dimensions" if dim else "")),
                (
                    "Names",
                    join_phrases(
                        f"The list {names}" if names else "", prose.list_counts(found.names)
                    ),
                ),
                ("Words", prose.list_counts(found.words)),
                ("Frequency", prose.describe_frequency(found.control)),
                ("Chance", prose.describe_null(found)),
                ("Significance", prose.describe_level(found)),
            ]
        ),
    )


def join_phrases(*parts: str) -> str:
    """What is there of some phrases, with colons between."""
    return ": ".join(part for part in parts if part)


def summary_figures(found: Discovery) -> list[tuple[str, str]]:
    """The figures to be seen first."""
    made = [
        (
            f"{len(found.significant):,}",
            f"significant of {prose.count_noun(len(found.cells), 'cell')}",
        ),
        (f"{len(found.groups):,}", "groups of names"),
        (
            f"{len(found.order):,}",
            f"of {len(found.categories):,} categories with a significant cell",
        ),
    ]
    if found.indirect.share is not None:
        made.append((f"{found.indirect.share:.0%}", "of four-tuples lie the same way round"))
    return made


def groups_table(
    found: Discovery, more: Mapping[str, Sequence[str]] = MappingProxyType({}), mark: str = ""
) -> Markup:
    """Groups with a few names, their size, what is known of them, and `more` columns."""
    names = list(dict.fromkeys(name for group in found.groups for name in group.facts))
    about = {name: found.columns.get(name, {}) for name in names}
    labels = {name: _heading(about[name].get("label") or name) for name in names}
    rows = []
    for at, group in enumerate(found.groups):
        others = group.size - len(group.shown)
        shown = join(
            word_list(group.shown), element("small", f" +{others:,}") if others > 0 else ""
        )
        rows.append(
            element(
                "tr",
                element("th", group.id, scope="row", role="rowheader"),
                element("td", shown, role="cell", class_="wide"),
                *(_number(name, values[at]) for name, values in more.items()),
                *(
                    _fact(labels[name], about[name].get("unit", ""), group.facts.get(name))
                    for name in names
                ),
                role="row",
                id=f"{mark}group-{at}",
                tabindex=-1,
            )
        )
    heads = ("Group", "Names that stand for it", *more, *labels.values())
    head = (element("th", one, scope="col", role="columnheader") for one in heads)
    made = element(
        "table",
        element("thead", element("tr", *head, role="row"), role="rowgroup"),
        element("tbody", *rows, role="rowgroup"),
        class_="groups",
        role="table",
    )
    return element("div", made, class_="scroll", role="region", tabindex=0, aria_label="Groups")


def _heading(text: str) -> str:
    text = spell(text)
    return text[:1].upper() + text[1:]


def _fact(label: str, unit: str, value: float | None) -> Markup:
    if value is None or not math.isfinite(value):
        return _number(label, "–")
    if unit == "share":
        return _number(label, f"{value:.0%}", bar=value)
    return _number(label, f"{value:.0f}" if unit == "year" else f"{value:,.4g}")


def _number(label: str, text: str, bar: float | None = None) -> Markup:
    """A figure, with a bar under it if it is a share."""
    style = None if bar is None else f"--share:{min(1.0, max(0.0, bar)):.1%}"
    kind = "number" if bar is None else "share"
    return element("td", text, role="cell", class_=kind, style=style, data_name=label)


def table_with_guide(found: Discovery, mark: str = "") -> list[Markup]:
    """The table with a word on how to read it; `mark` as for `discovery_table`."""
    with_cells = {cell.group for cell in found.significant}
    without = [group.id for group in found.groups if group.id not in with_cells]
    read = (
        "Columns are groups, rows are categories of words with the strongest first. A cell has the "
        "words of the category that lie nearest to the group, and its shade says how high its "
        "score is. Point at a cell, touch it, or move to it with the tab key, for its score and "
        "p-value."
    )
    made = [element("p", read)]
    if not found.significant:
        made.append(element("p", element("b", "No cell is significant.")))
    elif without:
        said = f"No significant cell: {', '.join(without)}."
        made.append(element("p", said))
    return [*made, discovery_table(found, mark)]


def proxies_markup(found: Discovery) -> list[Markup]:
    """How far words alone would carry the groups, and the strongest that do."""
    made = [element("p", prose.describe_indirect(found.indirect))]
    labels = {one.id: label_markup(one.label) for one in found.categories}
    strongest = [
        element("li", prose.describe_proxy(one, labels)) for one in found.indirect.strongest
    ]
    if strongest:
        made += [element("p", "The strongest:"), element("ol", *strongest)]
    return made


def _notes(found: Discovery) -> list[Markup]:
    if not found.notes:
        return []
    notes = (element("li", sentence_markup(note)) for note in found.notes)
    return [section("notes", "Notes", element("ul", *notes))]


def repeat_section(command: str, *found: Discovery) -> Markup:
    """How to repeat and cite it."""
    made = [element("p", prose.describe_version(one)) for one in found]
    return section(
        "repeat",
        "How to repeat and cite it",
        element("pre", element("code", command), tabindex=0),
        *made,
        element("p", "The method is that of:"),
        element("p", prose.CITATION, class_="citation"),
    )
