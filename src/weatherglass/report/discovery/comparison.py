"""Two discoveries of the same names and words as one page: what appears, vanishes, stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from weatherglass.discovery import Cell, Change, Comparison, Discovery
from weatherglass.significance import format_p

from ..html import Markup, element, join, label_markup, word_list, word_markup
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
_PLURAL = {"appears": "appear", "vanishes": "vanish", "stays": "stay"}


def comparison_page(compared: Comparison, *, show_slurs: bool = False) -> str:
    """A comparison as one HTML file that needs no network and no script.

    Parameters
    ----------
    compared
        The same names and words on two embeddings.
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
    >>> compared = wg.discover_both(vectors, vectors, groups=4, categories=8, words=2000,
    ...                             rotations=99)
    >>> "0 vanish; 0 appear" in comparison_page(compared)
    True
    """
    both = (compared.before, compared.after)
    before, after = map(prose.source_name, both)
    return render_page(
        f"What {' and '.join(map(prose.short_name, both))} associate with names",
        [
            _counted(compared, before, after),
            section("groups", "The groups of names", element("p", NAMES_APART), _groups(compared)),
            section("table", "Cell by cell", *_table(compared)),
            section("limits", "What it does not mean", _limits(compared)),
            repeat_section(
                prose.repeat_command(compared.before, "--compare", before, after), *both
            ),
        ],
        show_slurs=show_slurs,
    )


def _counted(compared: Comparison, before: str, after: str) -> Markup:
    number = Counter(change.change for change in compared.changes)
    names = [element("b", element("bdi", name)) for name in (before, after)]
    lead = join(
        "Groups and categories are those of ",
        names[0],
        ", and the same names and words were looked up in ",
        names[1],
        f". Of {prose.count_noun(number['stays'] + number['vanishes'], 'association')}, "
        f"{number['stays']:,} stay and {number['vanishes']:,} vanish; {number['appears']:,} appear "
        "that were not there before.",
    )
    return section(
        "changed",
        "What changed",
        element("p", lead, class_="lead"),
        tiles(
            [
                (f"{mark} {number[kind]:,}", f"cells {_PLURAL[kind]}")
                for kind, mark in CHANGE_MARKS.items()
            ]
        ),
        _side_by_side(compared.before, compared.after),
    )


def _side_by_side(before: Discovery, after: Discovery) -> Markup:
    """Both searches, figure by figure."""
    both = (before, after)
    rows: list[tuple[str, list[str]]] = [
        ("Significant cells", [f"{len(one.significant):,} of {len(one.cells):,}" for one in both]),
        ("Categories with one", [f"{len(one.order):,}" for one in both]),
        (
            "Largest significant p",
            [format_p(one.threshold) if one.threshold else "–" for one in both],
        ),
        ("Rotations", [f"{one.rotations.done:,} of {one.rotations.asked:,}" for one in both]),
        ("Frequency", [prose.describe_frequency(one.control) for one in both]),
        ("Work without names", [_without_names(one) for one in both]),
    ]
    heads = ("", *(element("bdi", prose.source_name(one)) for one in both))
    made = element(
        "table",
        element("thead", element("tr", *(element("th", one, scope="col") for one in heads))),
        element(
            "tbody",
            *(
                element("tr", element("th", name, scope="row"), *(element("td", v) for v in values))
                for name, values in rows
            ),
        ),
        class_="before-after",
    )
    return element("div", made, class_="scroll", role="region", tabindex=0, aria_label="Figures")


def _without_names(found: Discovery) -> str:
    if found.indirect.share is None:
        return "–"
    return f"{found.indirect.share:.1%} of {prose.count_noun(found.indirect.tuples, 'four-tuple')}"


def _groups(compared: Comparison) -> Markup:
    """The groups, with how many of their cells changed."""
    number = Counter((_cell(one).group, one.change) for one in compared.changes)
    return groups_table(
        compared.before,
        {
            kind.capitalize(): [f"{number[one.id, kind]:,}" for one in compared.before.groups]
            for kind in CHANGE_MARKS
        },
    )


def _table(compared: Comparison) -> list[Markup]:
    if not compared.changes:
        return [element("p", element("b", "No cell is significant before or after."))]
    names = {one.id: label_markup(one.label) for one in compared.before.categories}
    inside = {}
    for one in compared.changes:
        cell = _cell(one)
        inside[cell.group, cell.category] = (
            one.change,
            cell_content(_inside(one), _said(one, names)),
        )
    changed = {category for _, category in inside}
    order = [*compared.before.order, *compared.after.order]
    rows = [one for one in ordered_categories(compared.before, order) if one.id in changed]
    every = [(group.id, one.id) for group in compared.before.groups for one in rows]
    ticks = (checkbox(kind, f"{mark} {kind}", on=True) for kind, mark in CHANGE_MARKS.items())
    read = (
        "A cell that stays has the words of both, with those that went struck out and those that "
        "came underlined. The numbers are its scores before and after. Point at a cell, touch it, "
        "or move to it with the tab key, for its p-values."
    )
    return [
        element("p", read),
        element("div", *ticks, class_="controls"),
        cells_table(compared.before.groups, rows, inside, every),
    ]


def _cell(one: Change) -> Cell:
    """A cell that is there: one of the two always is."""
    cell = one.before or one.after
    assert cell is not None
    return cell


def _inside(one: Change) -> Markup:
    """The scores of a cell, and its words."""
    before, after = (f"{cell.score:.2f}" if cell else "–" for cell in (one.before, one.after))
    mark = element(
        "b",
        element("span", CHANGE_MARKS[one.change], aria_hidden="true"),
        screen_reader_text(one.change),
    )
    head = element("span", mark, element("span", f"{before}→{after}"), class_="change")
    if one.before and one.after and one.change == "stays":
        return join(head, _both(one.before.words, one.after.words))
    there = one.after if one.change == "appears" else one.before
    return join(head, word_list(there.words if there else ()))


def _both(before: Sequence[str], after: Sequence[str]) -> Markup:
    """Words that are in both, that went, and that came."""
    made = [
        word_markup(one) if one in after else element("del", word_markup(one)) for one in before
    ]
    made += [element("ins", word_markup(one)) for one in after if one not in before]
    return join(*made, between=element("span", ", ", class_="comma"))


def _said(one: Change, names: Mapping[str, Markup]) -> Markup:
    before, after = (
        cell_statistics(cell) if cell else "too few words" for cell in (one.before, one.after)
    )
    return join(cell_position(_cell(one), names), "before: ", before, "; after: ", after)


def _limits(compared: Comparison) -> Markup:
    made = [
        "A cell that vanishes is no longer significant. The association may still be there, "
        "weaker: look at its scores before and after.",
        "Scores of two embeddings can be compared only where their vectors are spread alike.",
        *prose.list_limits(compared.before),
    ]
    return element("ul", *(element("li", one) for one in made))
