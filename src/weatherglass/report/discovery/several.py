"""Several discoveries as one page: their figures, and their groups side by side with facts."""

from __future__ import annotations

from markupsafe import Markup

from weatherglass.discovery import Discoveries, Discovery
from weatherglass.significance import format_p

from ..html import element, spell, table
from ..page import render_page, section
from ..templating import render_template
from . import prose
from .page import NAMES_APART, discovery_table, format_fact, repeat_section

_GUIDE = (
    "A column is a group: five names that stand for it, how many more it has, and what is known of "
    "them. Groups are ordered by their first fact. Each search has groups of its own: G1 of one "
    "search is not G1 of another."
)

_FIGURES = (
    "Same way: the share of four-tuples of significant cells, in two groups and two categories, "
    "whose differences point the same way (indirect bias), and after random rotations. Placebo: "
    "significant cells with random words in place of the names."
)


def discoveries_page(found: Discoveries, *, show_slurs: bool = False) -> str:
    """Write several discoveries as one HTML file that needs no network and no script.

    Parameters
    ----------
    found
        The result of `weatherglass.discover_each`.
    show_slurs
        Slurs are masked until the reader ticks a box; with this the box is ticked from the start.

    Returns
    -------
    str
        The page: the figures of all searches, how far their groups agree, the groups of each search
        with their facts (tables 3 and 6 of Swinger et al. 2019), and its table of associations
        (tables 5, 7 and 8). Every word is escaped.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.open_vectors("default")
    >>> few = vectors.subset(vectors.words[:8000])
    >>> found = wg.discover_each({"default": few}, names=["ssa", "surnames"], groups=3,
    ...                          categories=3, words=300, rotations=49, control="none")
    >>> page = discoveries_page(found)
    >>> page.count("Associations on"), "<script" in page
    (2, False)
    """
    labels = {label: spell(label, phrase=False) for label in found.searches}
    searches = list(found.searches.items())
    groups = [
        _groups_table(labels[label], search, _prefix(number))
        for number, (label, search) in enumerate(searches)
    ]
    tables = [
        section(
            f"{_prefix(number)}table",
            f"Associations on {labels[label]}",
            discovery_table(search, _prefix(number)),
        )
        for number, (label, search) in enumerate(searches)
    ]
    first = searches[0][1]
    return render_page(
        f"The same search {len(searches)} times",
        [
            section("searches", "What was searched", _figures_table(found), element("p", _FIGURES)),
            *_agreement_section(found),
            section(
                "groups",
                "Groups of names, side by side",
                element("p", f"{_GUIDE} {NAMES_APART}"),
                *groups,
            ),
            *tables,
            section(
                "limits",
                "What it does not mean",
                element("ul", *(element("li", limit) for limit in prose.list_limits(first))),
            ),
            repeat_section(repeat_each(found), *found.searches.values()),
        ],
        show_slurs=show_slurs,
        sheets=("audit.css",),
    )


def _prefix(number: int) -> str:
    return f"s{number}-" if number else ""


def repeat_each(found: Discoveries) -> str:
    """The command that repeats all searches."""
    searches = list(found.searches.values())
    sources = dict.fromkeys(map(prose.source_name, searches))
    lists = dict.fromkeys(str(search.options.get("names", "ssa")) for search in searches)
    return prose.repeat_command(searches[0], *sources, names=list(lists))


def _figures_table(found: Discoveries) -> Markup:
    """A table of all searches, a row each."""
    heads = (
        "Search",
        "Dimensions",
        "Names used",
        "Significant cells",
        "Categories with one",
        "Largest significant p",
        "Same way",
        "Same way by chance",
        "Placebo",
    )
    rows = [
        (
            element("bdi", spell(label, phrase=False)),
            str(search.source.get("dim", "–")),
            f"{sum(group.size for group in search.groups):,}",
            f"{len(search.significant):,} of {len(search.cells):,}",
            f"{len(search.order):,} of {len(search.categories):,}",
            format_p(search.threshold) if search.threshold else "–",
            _share(search.indirect.share),
            _share(search.indirect.by_chance),
            ", ".join(f"{placebo.significant:,}" for placebo in search.placebos) or "not run",
        )
        for label, search in found.searches.items()
    ]
    return table("Searches", heads, rows, numbers=range(1, len(heads)))


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _agreement_section(found: Discoveries) -> list[Markup]:
    if not found.agreements:
        return []
    text = (
        "Do two searches put the same names together? The adjusted Rand index is 1 if every two "
        "names are in one group in both searches or in neither, and 0 on average if names were "
        "assigned at random. Only names that both have are counted."
    )
    rows = [
        (
            element("bdi", spell(pair.first, phrase=False)),
            element("bdi", spell(pair.second, phrase=False)),
            f"{pair.shared:,}",
            f"{pair.rand:.2f}",
        )
        for pair in found.agreements
    ]
    heads = ("Search", "Other search", "Shared names", "Adjusted Rand index")
    content = table("Agreement of groups", heads, rows, numbers=(2, 3))
    return [section("agreement", "How far the groups agree", element("p", text), content)]


def _groups_table(label: str, search: Discovery, prefix: str) -> Markup:
    """The groups of a search as columns, with names and facts, as in table 6 of the paper."""
    groups = search.groups
    rows: list[tuple[str, list[str]]] = []
    if prose.is_weighted(search):
        rows.append(("People", [f"{group.people or 0:,.0f}" for group in groups]))
    for name, about in search.columns.items():
        title = spell(about.get("label") or name)
        unit = about.get("unit", "")
        values = [format_fact(unit, group.facts.get(name)) for group in groups]
        rows.append((title[:1].upper() + title[1:], values))
    return render_template(
        "discovery/side_by_side.html", label=label, prefix=prefix, groups=groups, rows=rows
    )
