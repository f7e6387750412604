"""The tables of ``weatherglass discover`` for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .output import remarks, table
from .run_tests import describe_control

if TYPE_CHECKING:
    from weatherglass.discovery import Comparison, Discoveries, Discovery, Group

_UNUSED = {
    "missing": "not in the vocabulary",
    "too rare": "too rare",
    "dropped": "not clearly names",
    "only in one": "in one source only",
    "without group": "without a group",
    "without people": "without a number of people",
}
_PLURAL = {"vanishes": "vanish", "appears": "appear", "stays": "stay"}


def discoveries_text(found: Discoveries) -> str:
    """The groups of each search with their facts, and the figures of all searches."""
    from weatherglass.significance import format_p

    text = "".join(_groups(search, label) for label, search in found.searches.items())
    rows = [
        {
            "search": label,
            "names": f"{search.names['used']:,}",
            "significant": f"{len(search.significant):,} of {len(search.cells):,}",
            "categories": f"{len(search.order):,} of {len(search.categories):,}",
            "largest p": format_p(search.threshold) if search.threshold else "",
            "same way": _percent(search.indirect.share),
            "by chance": _percent(search.indirect.by_chance),
            "placebo": ", ".join(f"{placebo.significant:,}" for placebo in search.placebos),
        }
        for label, search in found.searches.items()
    ]
    text += table(rows, "Searches")
    if found.agreements:
        agreed = [
            {
                "search": pair.first,
                "other search": pair.second,
                "shared names": f"{pair.shared:,}",
                "adjusted Rand index": f"{pair.rand:.2f}",
            }
            for pair in found.agreements
        ]
        text += table(agreed, "Agreement of groups")
    lines = [
        f"{label}: {note}" for label, search in found.searches.items() for note in search.notes
    ]
    lines.append("The words of each cell are in --format html and json.")
    return text + remarks(lines)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def discovery_text(discovery: Discovery, top: int) -> str:
    """Groups, significant cells and remarks, for a terminal."""
    labels = {category.id: category.label for category in discovery.categories}
    order = discovery.order
    rows = [
        {
            "category": "" if number else labels[id],
            "group": cell.group,
            "words": ", ".join(cell.words),
            "score": f"{cell.score:.3f}",
            "p": str(cell.p),
        }
        for id in order[:top]
        for number, cell in enumerate(
            cell for cell in discovery.cells if cell.category == id and cell.significant
        )
    ]
    limited = f", the first {top} of {len(order)} categories" if len(order) > top else ""
    count = f"{len(discovery.significant)} significant cells of {len(discovery.cells)}"
    text = _groups(discovery)
    text += table(rows, f"{count}{limited}") if rows else "No cell is significant.\n"
    return text + remarks(_remarks(discovery))


def _groups(discovery: Discovery, label: str = "") -> str:
    is_weighted = discovery.options.get("weights", "none") != "none"
    rows = [
        {"group": group.id, "names": f"{', '.join(group.shown)} +{group.size - len(group.shown)}"}
        | ({"people": f"{group.people or 0:,.0f}"} if is_weighted else {})
        | {_heading(about): _fact(group, name, about) for name, about in discovery.columns.items()}
        for group in discovery.groups
    ]
    used, source = discovery.names["used"], label or discovery.source["name"]
    return table(rows, f"Groups of {used:,} names on {source}")


def _heading(about: dict[str, str]) -> str:
    """The label of a fact, made different from the names of the table's other columns."""
    taken = ("group", "names", "people")
    return f"{about['label']} (fact)" if about["label"] in taken else about["label"]


def _fact(group: Group, name: str, about: dict[str, str]) -> str:
    if name not in group.facts:
        return ""
    value = group.facts[name]
    forms = {"share": f"{value:.0%}", "year": f"{value:.0f}"}
    return forms.get(about["unit"], f"{value:,.4g}")


def _remarks(discovery: Discovery) -> list[str]:
    lines = [*discovery.notes, _names(discovery.names), *discovery.unused_names()]
    lines += _hints(discovery)
    if discovery.options.get("weights", "none") != "none":
        lines.append("Names count as often as people have them, in groups and facts.")
    lines += [*describe_control(discovery.control), _rotations(discovery)]
    if discovery.placebos:
        lines.append(f"Placebo: {discovery.placebo_sentence()}")
    indirect = discovery.indirect
    if indirect.share is not None:
        chance = indirect.by_chance
        expected = f"; with random rotations {chance:.0%}" if chance is not None else ""
        lines.append(
            f"Indirect bias: {indirect.share:.0%} of {indirect.tuples:,} four-tuples of "
            f"significant cells have the same orientation{expected}."
        )
    for proxy in indirect.strongest[:3]:
        lines.append(
            f"{' – '.join(proxy.words)} is a proxy for "
            f"{' – '.join(proxy.groups)} without names (cosine {proxy.cosine:.2f})."
        )
    return lines


def _hints(discovery: Discovery) -> list[str]:
    """The options that change which names are used, and how they are grouped."""
    hints = ["--keep-names 1 keeps all names"] if discovery.dropped else []
    if "without group" in discovery.names:  # counted if a column states the groups
        hints.append("--group-by none clusters them")
    return [f"{'; '.join(hints)}."] if discovery.unused_names() or len(hints) > 1 else []


def _rotations(discovery: Discovery) -> str:
    rotations = discovery.rotations
    early = f" of {rotations.asked:,}: {rotations.stopped}" if rotations.stopped else ""
    return f"Rotations: {rotations.done:,}{early}."


def _names(counts: dict[str, int]) -> str:
    """The number of names that were used, and why the others were not."""
    parts = [f"{counts['used']:,} of {counts['listed']:,} used"]
    parts += [f"{counts[key]:,} {reason}" for key, reason in _UNUSED.items() if counts.get(key)]
    return f"Names: {', '.join(parts)}."


def comparison_text(comparison: Comparison, top: int) -> str:
    """The associations that appear, vanish and stay, for a terminal."""
    labels = {category.id: category.label for category in comparison.before.categories}
    counts = {change: len(comparison.of(change)) for change in _PLURAL}
    rows = [
        {
            "": change.change,
            "group": cell.group,
            "category": labels[cell.category],
            "before": ", ".join(change.before.words) if change.before else "",
            "after": ", ".join(change.after.words) if change.after else "",
            "p before": str(change.before.p) if change.before else "",
            "p after": str(change.after.p) if change.after else "",
        }
        for kind in counts
        for change in comparison.of(kind)[:top]
        for cell in [change.before or change.after]
        if cell is not None
    ]
    before, after = comparison.before.source["name"], comparison.after.source["name"]
    summary = ", ".join(f"{count} {_PLURAL[kind]}" for kind, count in counts.items())
    heading = f"{before} against {after}: {summary}"
    text = _groups(comparison.before) + (table(rows, heading) if rows else f"{heading}.\n")
    lines = [*comparison.before.notes, _names(comparison.before.names)]
    lines += comparison.before.unused_names()
    for name, discovery in ((before, comparison.before), (after, comparison.after)):
        lines += [f"{name}: {sentence}" for sentence in describe_control(discovery.control)]
        lines.append(f"{name}: {_rotations(discovery)}")
    return text + remarks(lines)
