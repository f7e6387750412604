"""Two discoveries of the same names and words as one page: what appears, vanishes, stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from weatherglass.discovery import Cell, Change, Comparison, Discovery
from weatherglass.significance import format_p

from ..html import join, label_markup
from ..page import render_page
from ..templating import render_template
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
    >>> comparison = wg.discover_both(vectors, vectors, groups=2, categories=3, words=300,
    ...                               rotations=49, control="none")
    >>> "0 vanish; 0 appear" in comparison_page(comparison)
    True
    """
    discoveries = (comparison.before, comparison.after)
    before, after = map(prose.source_name, discoveries)
    counts = Counter(change.change for change in comparison.changes)
    content = render_template(
        "discovery/comparison.html",
        before=before,
        after=after,
        total=prose.count_noun(counts["stays"] + counts["vanishes"], "association"),
        counts=counts,
        figures=[
            (f"{mark} {counts[kind]:,}", f"cells {_PLURALS[kind]}")
            for kind, mark in CHANGE_MARKS.items()
        ],
        rows=_side_by_side(*discoveries),
        names_apart=NAMES_APART,
        groups=_groups_table(comparison),
        marks=CHANGE_MARKS,
        cells=_cells(comparison),
        limits=_limits(comparison),
        repeat=repeat_section(
            prose.repeat_command(comparison.before, "--compare", before, after), *discoveries
        ),
    )
    title = f"What {' and '.join(map(prose.short_name, discoveries))} associate with names"
    return render_page(title, [content], show_slurs=show_slurs)


def _side_by_side(before: Discovery, after: Discovery) -> list[tuple[str, list[str]]]:
    """Both searches, figure by figure."""
    discoveries = (before, after)
    return [
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


def _cells(comparison: Comparison) -> Markup:
    """The table cell by cell; empty if no cell is significant before or after."""
    if not comparison.changes:
        return Markup()
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
    return cells_table(before.groups, rows, contents, all_cells)


def _existing_cell(change: Change) -> Cell:
    """The cell before or, where it did not exist, after; one of them always exists."""
    cell = change.before or change.after
    assert cell is not None
    return cell


def _scores_and_words(change: Change) -> Markup:
    before, after = (f"{cell.score:.2f}" if cell else "–" for cell in (change.before, change.after))
    if change.before and change.after and change.change == "stays":
        words = _changed_words(change.before.words, change.after.words)
    else:
        cell = change.after if change.change == "appears" else change.before
        words = [("", word) for word in (cell.words if cell else ())]
    return render_template(
        "discovery/changed_cell.html",
        kind=change.change,
        mark=CHANGE_MARKS[change.change],
        scores=f"{before}→{after}",
        words=words,
    )


def _changed_words(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str]]:
    """Words that stay, that are lost and that are new, each with what happened to it."""
    words = [("" if word in after else "lost", word) for word in before]
    return words + [("new", word) for word in after if word not in before]


def _details(change: Change, labels: Mapping[str, Markup]) -> Markup:
    before, after = (
        cell_statistics(cell) if cell else "too few words" for cell in (change.before, change.after)
    )
    position = cell_position(_existing_cell(change), labels)
    return join(position, "before: ", before, "; after: ", after)


def _limits(comparison: Comparison) -> list[str]:
    return [
        "A cell that vanishes is no longer significant. The association may still exist, but "
        "weaker: compare its scores before and after.",
        "Scores of two embeddings are comparable only if their vectors have similar distributions.",
        *prose.list_limits(comparison.before),
    ]
