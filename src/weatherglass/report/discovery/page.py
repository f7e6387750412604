"""A discovery as one page: what was searched, the groups, the table, proxies, limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType

from markupsafe import Markup

from weatherglass.crowd import CrowdResult
from weatherglass.discovery import Category, Cell, Discovery, Group
from weatherglass.errors import CannotMeasure
from weatherglass.significance import PValue, format_p

from ..charts import style
from ..html import element, join, label_markup, make_visible, spell, word_list
from ..model_titles import model_title
from ..page import can_draw, render_page, static_figure
from ..templating import render_template
from . import prose
from .people import MARKS_GUIDE, mark_cells, people_section

Key = tuple[str, str]
"""The ids of a cell's group and category."""

FillCell = Callable[[Cell, Markup], Markup]
"""Builds the content of a cell from the cell and its details: position, score and p-value."""


def cell_content(words: Markup, details: Markup) -> Markup:
    """The content of a cell: its words, and details that appear on hover, focus or touch."""
    return render_template("discovery/cell.html", words=words, details=details)


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
    shades = shade_cells(discovery)
    contents = {}
    for cell in discovery.cells:
        key = (cell.group, cell.category)
        details = join(cell_position(cell, labels), cell_statistics(cell))
        contents[key] = (shades[key], fill_cell(cell, details))
    cells = cells_table(
        discovery.groups,
        ordered_categories(discovery),
        contents,
        visible=[(cell.group, cell.category) for cell in discovery.significant],
        prefix=prefix,
    )
    return render_template(
        "discovery/table.html",
        prefix=prefix,
        scores=scores,
        low=low,
        high=high,
        steps=style.STEPS,
        cells=cells,
    )


def shade_cells(discovery: Discovery) -> dict[Key, str]:
    """The CSS class of each cell: its step between the lowest and the highest significant score."""
    scores = [cell.score for cell in discovery.significant]
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return {
        (cell.group, cell.category): (
            f"s{style.step(cell.score, low, high)}" if cell.significant else "rest"
        )
        for cell in discovery.cells
    }


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
    return render_template(
        "discovery/cells.html",
        groups=groups,
        categories=categories,
        contents=contents,
        visible_groups={group for group, _ in visible},
        visible_categories={category for _, category in visible},
        prefix=prefix,
        label=label_markup,
        count_noun=prose.count_noun,
    )


def ordered_categories(discovery: Discovery, order: Sequence[str] = ()) -> list[Category]:
    """The categories by total score, or in the given order; the others follow."""
    remaining = {category.id: category for category in discovery.categories}
    ids = dict.fromkeys(order or discovery.order)
    first = [remaining.pop(id) for id in ids if id in remaining]
    return [*first, *remaining.values()]


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


NAMES_APART = (
    "The table of associations refers to groups by their ids. Their names are listed here, apart "
    "from it, so that nobody's name heads a column of stereotypes."
)


def discovery_page(
    discovery: Discovery, *, show_slurs: bool = False, crowd: CrowdResult | None = None
) -> str:
    """Write a discovery as one HTML file that needs no network and no script.

    Parameters
    ----------
    discovery
        The result of `weatherglass.discover`.
    show_slurs
        Slurs are masked until the reader ticks a box; with this the box is ticked from the start.
    crowd
        The evaluation of the discovery by people: cells on which they agree are marked.

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
    >>> discovery = wg.discover(wg.open_vectors("default"), groups=2, categories=3, words=300,
    ...                         rotations=49, control="none")
    >>> page = discovery_page(discovery)
    >>> page.count("<table"), "<script" in page
    (2, False)
    """
    dim = discovery.source.get("dim")
    name = Markup("<bdi>{}</bdi>").format(make_visible(prose.source_name(discovery)))
    names = str(discovery.options.get("names", ""))
    counts = prose.list_counts(discovery.names)
    content = render_template(
        "discovery/report.html",
        search=prose.describe_search(discovery),
        sentences=prose.association_sentences(discovery),
        figures=summary_figures(discovery),
        facts=[
            ("Embedding", join(name, f", {dim} dimensions" if dim else "")),
            ("Names", ": ".join(filter(None, (f"The list {names}" if names else "", counts)))),
            ("Words", prose.list_counts(discovery.words)),
            ("Word frequency", prose.describe_frequency(discovery.control)),
            ("Null distribution", prose.describe_null(discovery)),
            ("Significance", prose.describe_level(discovery)),
            ("Placebo", prose.describe_placebo(discovery)),
        ],
        names_apart=NAMES_APART,
        groups=groups_table(discovery),
        people=people_section(crowd),
        table=table_with_guide(discovery, crowd=crowd),
        cleaning=_cleaning_section(discovery),
        proxies=proxies_markup(discovery),
        notes=[*discovery.notes, *discovery.unused_names()],
        limits=prose.list_limits(discovery),
        repeat=repeat_section(prose.repeat_command(discovery), discovery),
    )
    embedding = model_title(discovery.source) or prose.short_name(discovery)
    title = f"What {embedding} associates with names"
    return render_page(title, [content], show_slurs=show_slurs, sheets=("audit.css",))


def _cleaning_section(discovery: Discovery) -> Markup:
    """The names kept and dropped; nothing if the list does not count people, or nothing draws."""
    from ..charts import plot_cleaning

    cleaning = discovery.cleaning
    if cleaning is None or not can_draw():
        return Markup()
    try:
        text = prose.describe_cleaning(cleaning)
        chart = plot_cleaning(discovery, show_slurs=True)  # `static_figure` masks slurs
    except CannotMeasure:  # too few names were kept for a power law
        return Markup()
    figure = static_figure(chart, "cleaning-chart", "Names kept and dropped, by their frequency")
    return render_template("discovery/cleaning.html", text=text, figure=figure)


def summary_figures(discovery: Discovery) -> list[tuple[str, str]]:
    """The headline figures of a discovery, each with what it counts."""
    cells = prose.count_noun(len(discovery.cells), "cell")
    figures = [(f"{len(discovery.significant):,}", f"significant of {cells}")]
    if discovery.placebos:
        counts = ", ".join(f"{placebo.significant:,}" for placebo in discovery.placebos)
        figures.append((counts, "significant with random words in place of the names"))
    figures += [
        (f"{len(discovery.groups):,}", "groups of names"),
        (
            f"{len(discovery.order):,}",
            f"of {len(discovery.categories):,} categories with a significant cell",
        ),
    ]
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
    rows = [
        (
            group,
            [(name, values[index]) for name, values in extra_columns.items()],
            [
                (labels[name], *_fact(about[name].get("unit", ""), group.facts.get(name)))
                for name in columns
            ],
        )
        for index, group in enumerate(discovery.groups)
    ]
    return render_template(
        "discovery/groups.html",
        heads=("Group", "Representative names", *extra_columns, *labels.values()),
        rows=rows,
        prefix=prefix,
        inline_styles=inline_styles,
    )


def _heading(text: str) -> str:
    text = spell(text)
    return text[:1].upper() + text[1:]


def _fact(unit: str, value: float | None) -> tuple[str, str]:
    """A statistic of a group as text; and for a share, the length of the bar under it."""
    text = format_fact(unit, value)
    if unit != "share" or value is None or not math.isfinite(value):
        return text, ""
    return text, f"{min(1.0, max(0.0, value)):.1%}"


def format_fact(unit: str, value: float | None) -> str:
    """A statistic of a group by its unit.

    >>> format_fact("share", 0.953), format_fact("year", 1973.2), format_fact("", None)
    ('95%', '1973', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    return {"share": f"{value:.0%}", "year": f"{value:.0f}"}.get(unit, f"{value:,.4g}")


def table_with_guide(
    discovery: Discovery, prefix: str = "", crowd: CrowdResult | None = None
) -> list[Markup]:
    """The table with a paragraph on how to read it; `prefix` as for `discovery_table`.

    With an evaluation by people, cells on which they agree are marked.
    """
    with_cells = {cell.group for cell in discovery.significant}
    guide = render_template(
        "discovery/guide.html",
        has_significant=bool(discovery.significant),
        empty_groups=[group.id for group in discovery.groups if group.id not in with_cells],
        marks_guide=MARKS_GUIDE if crowd else "",
    )
    return [guide, discovery_table(discovery, prefix, mark_cells(crowd) if crowd else _list_words)]


def proxies_markup(discovery: Discovery) -> list[Markup]:
    """How far words alone would reveal the groups, and the strongest proxies."""
    labels = {category.id: label_markup(category.label) for category in discovery.categories}
    return [
        render_template(
            "discovery/proxies.html",
            text=prose.describe_indirect(discovery.indirect),
            items=[prose.describe_proxy(proxy, labels) for proxy in discovery.indirect.strongest],
        )
    ]


def repeat_section(command: str, *discoveries: Discovery) -> Markup:
    """How to repeat and cite it."""
    return render_template(
        "discovery/repeat.html",
        command=command,
        versions=[prose.describe_version(discovery) for discovery in discoveries],
        citation=prose.CITATION,
    )
