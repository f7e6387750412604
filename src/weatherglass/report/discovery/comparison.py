"""Two discoveries of the same names and words as one page: what appears, vanishes, stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from weatherglass.discovery import Cell, Change, Comparison, Discovery
from weatherglass.significance import format_p

from ..html import element, join, label_markup, word_list, word_markup
from ..page import checkbox, render_page, screen_reader_text, section, tiles
from . import prose
from .page import (
    NAMES_APART,
    cell_content,
    cell_position,
    cell_statistics,
    cells_table,
    groups_table,
    ordered_categories,
    repeat_section,
)

CHANGE_MARKS = {"appears": "+", "vanishes": "−", "stays": "="}
_PLURALS = {"appears": "appear", "vanishes": "vanish", "stays": "stay"}


def comparison_page(comparison: Comparison, *, show_slurs: bool = False) -> str:
    """Write a comparison as one HTML file that needs no network and no script.

    Parameters
    ----------
    comparison
        The same names and words on two embeddings, from `weatherglass.discover_both`.
    show_slurs
        Slurs are masked until the reader ticks a box; with this the box is ticked from the start.

    Returns
    -------
    str
        The page: how many associations appear, vanish and stay, both searches side by side, and
        the table cell by cell. Every word is escaped.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.open_vectors("default")
    >>> comparison = wg.discover_both(vectors, vectors, groups=4, categories=8, words=2000,
    ...                               rotations=99)
    >>> "0 vanish; 0 appear" in comparison_page(comparison)
    True
    """
    discoveries = (comparison.before, comparison.after)
    before, after = map(prose.source_name, discoveries)
    return render_page(
        f"What {' and '.join(map(prose.short_name, discoveries))} associate with names",
        [
            _changes_section(comparison, before, after),
            section(
                "groups", "Groups of names", element("p", NAMES_APART), _groups_table(comparison)
            ),
            section("table", "Cell by cell", *_table_with_guide(comparison)),
            section("limits", "What it does not mean", _limits(comparison)),
            repeat_section(
                prose.repeat_command(comparison.before, "--compare", before, after), *discoveries
            ),
        ],
        show_slurs=show_slurs,
    )


def _changes_section(comparison: Comparison, before: str, after: str) -> Markup:
    counts = Counter(change.change for change in comparison.changes)
    names = [element("b", element("bdi", name)) for name in (before, after)]
    total = prose.count_noun(counts["stays"] + counts["vanishes"], "association")
    lead = join(
        "Groups and categories come from ",
        names[0],
        "; the same names and words were measured in ",
        names[1],
        f". Of {total}, {counts['stays']:,} stay and {counts['vanishes']:,} vanish; "
        f"{counts['appears']:,} appear that were not there before.",
    )
    return section(
        "changed",
        "What changed",
        element("p", lead, class_="lead"),
        tiles(
            [
                (f"{mark} {counts[kind]:,}", f"cells {_PLURALS[kind]}")
                for kind, mark in CHANGE_MARKS.items()
            ]
        ),
        _side_by_side(comparison.before, comparison.after),
    )


def _side_by_side(before: Discovery, after: Discovery) -> Markup:
    """A table of both searches, figure by figure."""
    discoveries = (before, after)
    rows: list[tuple[str, list[str]]] = [
        ("Significant cells", [f"{len(d.significant):,} of {len(d.cells):,}" for d in discoveries]),
        ("Categories with a significant cell", [f"{len(d.order):,}" for d in discoveries]),
        (
            "Largest significant p",
            [format_p(d.threshold) if d.threshold else "–" for d in discoveries],
        ),
        ("Rotations", [f"{d.rotations.done:,} of {d.rotations.asked:,}" for d in discoveries]),
        ("Word frequency", [prose.describe_frequency(d.control) for d in discoveries]),
        ("Four-tuples that point the same way", [_indirect_share(d) for d in discoveries]),
    ]
    heads = ("", *(element("bdi", prose.source_name(d)) for d in discoveries))
    content = element(
        "table",
        element("thead", element("tr", *(element("th", head, scope="col") for head in heads))),
        element(
            "tbody",
            *(
                element("tr", element("th", name, scope="row"), *(element("td", v) for v in values))
                for name, values in rows
            ),
        ),
        class_="before-after",
    )
    return element("div", content, class_="scroll", role="region", tabindex=0, aria_label="Figures")


def _indirect_share(discovery: Discovery) -> str:
    indirect = discovery.indirect
    if indirect.share is None:
        return "–"
    return f"{indirect.share:.1%} of {indirect.tuples:,}"


def _groups_table(comparison: Comparison) -> Markup:
    """The groups, with how many of their cells changed."""
    counts = Counter((_existing_cell(c).group, c.change) for c in comparison.changes)
    return groups_table(
        comparison.before,
        {
            kind.capitalize(): [f"{counts[group.id, kind]:,}" for group in comparison.before.groups]
            for kind in CHANGE_MARKS
        },
    )


def _table_with_guide(comparison: Comparison) -> list[Markup]:
    if not comparison.changes:
        return [element("p", element("b", "No cell is significant before or after."))]
    before = comparison.before
    labels = {category.id: label_markup(category.label) for category in before.categories}
    contents = {}
    for change in comparison.changes:
        cell = _existing_cell(change)
        content = cell_content(_scores_and_words(change), _details(change, labels))
        contents[cell.group, cell.category] = (change.change, content)
    changed = {category for _, category in contents}
    order = [*before.order, *comparison.after.order]
    rows = [row for row in ordered_categories(before, order) if row.id in changed]
    all_cells = [(group.id, row.id) for group in before.groups for row in rows]
    boxes = (checkbox(kind, f"{mark} {kind}", on=True) for kind, mark in CHANGE_MARKS.items())
    guide = (
        "A cell that stays lists the words of both embeddings; words that were lost are struck "
        "out, and words that are new are underlined. The numbers are its scores before and after. "
        "Point at a cell, touch it, or move to it with the tab key, to see its p-values."
    )
    return [
        element("p", guide),
        element("div", *boxes, class_="controls"),
        cells_table(before.groups, rows, contents, all_cells),
    ]


def _existing_cell(change: Change) -> Cell:
    """The cell before or, where it did not exist, after; one of them always exists."""
    cell = change.before or change.after
    assert cell is not None
    return cell


def _scores_and_words(change: Change) -> Markup:
    before, after = (f"{cell.score:.2f}" if cell else "–" for cell in (change.before, change.after))
    kind = change.change
    mark = element(
        "b",
        element("span", CHANGE_MARKS[kind], aria_hidden="true"),
        screen_reader_text(kind),
    )
    head = element("span", mark, element("span", f"{before}→{after}"), class_="change")
    if change.before and change.after and kind == "stays":
        return join(head, _changed_words(change.before.words, change.after.words))
    cell = change.after if kind == "appears" else change.before
    return join(head, word_list(cell.words if cell else ()))


def _changed_words(before: Sequence[str], after: Sequence[str]) -> Markup:
    """Words that stay, that are lost (struck out) and that are new (underlined)."""
    parts = [
        word_markup(word) if word in after else element("del", word_markup(word)) for word in before
    ]
    parts += [element("ins", word_markup(word)) for word in after if word not in before]
    return join(*parts, separator=element("span", ", ", class_="comma"))


def _details(change: Change, labels: Mapping[str, Markup]) -> Markup:
    before, after = (
        cell_statistics(cell) if cell else "too few words" for cell in (change.before, change.after)
    )
    position = cell_position(_existing_cell(change), labels)
    return join(position, "before: ", before, "; after: ", after)


def _limits(comparison: Comparison) -> Markup:
    limits = [
        "A cell that vanishes is no longer significant. The association may still exist, but "
        "weaker: compare its scores before and after.",
        "Scores of two embeddings are comparable only if their vectors have similar distributions.",
        *prose.list_limits(comparison.before),
    ]
    return element("ul", *(element("li", limit) for limit in limits))
