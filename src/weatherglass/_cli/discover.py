"""``weatherglass discover``: the biases that nobody thought to ask for."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import UsageError

from .options import opened, spread_options
from .output import (
    delimited,
    format_choice,
    out_option,
    plot_option,
    progress_bar,
    put,
    remarks,
    table,
)
from .run_tests import frequency_told, seed_option

if TYPE_CHECKING:
    from weatherglass.discovery import Comparison, Discovery, Group

_GONE = {
    "missing": "not in the vocabulary",
    "too rare": "too rare",
    "dropped": "cleaned away",
    "only in one": "in one source only",
}
_PLURAL = {"vanishes": "vanish", "appears": "appear", "stays": "stay"}


@click.command()
@click.argument("source", required=False)
@click.option(
    "--compare",
    nargs=2,
    metavar="A B",
    help="Search two sources with the same names and words: what appears, vanishes, stays.",
)
@click.option(
    "--names",
    default="ssa",
    show_default=True,
    metavar="ssa|surnames|auto|FILE",
    help="US first names, US surnames, tokens that the embedding itself uses as names, or a file: "
    "one name a line, or CSV with columns of facts.",
)
@click.option("--groups", type=int, default=12, show_default=True, help="Groups of names (n).")
@click.option(
    "--categories", type=int, default=64, show_default=True, help="Categories of words (m)."
)
@click.option(
    "--words", type=int, default=30_000, show_default=True, help="Most frequent words (M)."
)
@click.option("--per-cell", type=int, default=3, show_default=True, help="Words in a cell (t).")
@click.option(
    "--rotations", type=int, default=10_000, show_default=True, help="Random rotations (R)."
)
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="Rate of false discoveries."
)
@seed_option
@click.option(
    "--keep-names",
    type=float,
    default=0.8,
    show_default=True,
    help="Share of the names to keep: those most clearly used as names.",
)
@click.option(
    "--control",
    type=click.Choice(["auto", "frequency", "none"]),
    default="auto",
    show_default=True,
    help="Take word frequency out of the vectors first; auto: where it is strong; none: the method "
    "as published.",
)
@click.option("--name-rank", type=int, help="Only names among so many most frequent tokens.")
@click.option(
    "--voronoi/--no-voronoi",
    default=True,
    show_default=True,
    help="A word may stand only in the cell of the group it is nearest to.",
)
@click.option(
    "--alphabet",
    type=click.Choice(["english", "any"]),
    default="english",
    show_default=True,
    help="Words of the letters a to z, or of any letters.",
)
@click.option(
    "--stop-early/--all-rotations",
    default=True,
    show_default=True,
    help="Stop when no verdict can change any more, or do all rotations.",
)
@click.option("--resume", is_flag=True, help="Go on where the same search was stopped, if it was.")
@spread_options(
    "Threads; all processors by default.", "rotations are spread, the rest is done here"
)
@click.option(
    "--top",
    type=click.IntRange(1),
    default=12,
    show_default=True,
    help="Categories in the table and the picture; files have all.",
)
@click.option("--show-slurs", is_flag=True, help="Do not mask slurs.")
@format_choice("html", "parquet", help="How to print it; html is a page, parquet needs -o.")
@out_option
@plot_option
def discover(
    source: str | None,
    compare: tuple[str, str] | None,
    resume: bool,
    workers: int | None,
    cluster: str | None,
    top: int,
    show_slurs: bool,
    form: str,
    out: Path | None,
    picture: Path | None,
    seed: int,
    **options: Any,
) -> None:
    """Find associations between groups of names and words in SOURCE, without being told which.

    Names are clustered into groups and frequent words into categories; in each category the words
    nearest to each group are found, and compared with what random rotations of the names give. The
    options of the published method have its values as defaults.
    """
    if (source is None) == (compare is None):
        raise UsageError("Name one SOURCE, or two with --compare A B.")
    if form == "parquet" and (out is None or compare):
        raise UsageError("--format parquet needs -o FILE, and one SOURCE.")
    if compare and (picture or form in ("tsv", "csv")):
        raise UsageError("--compare prints a table, json or html, and no picture.")
    from weatherglass.catalog import load_names
    from weatherglass.discovery import Options, discover_both
    from weatherglass.discovery import discover as run

    # Complain of wrong options and names before anything large is read.
    load_names("ssa" if Options(rng=seed, **options).names == "auto" else options["names"])
    searched = [opened(name) for name in ([source] if source else compare or ())]
    with progress_bar("rotating") as draw:
        how: dict[str, Any] = {"resume": resume, "workers": workers, "cluster": cluster}
        search: Any = discover_both if compare else run
        found = search(*searched, rng=seed, progress=draw, **how, **options)
    if form == "parquet" and out is not None:
        found.to_parquet(out)
    else:
        put(_text(found, form, top, show_slurs), out)
    if picture is not None:
        from weatherglass.report import plot_discovery, save_plot

        save_plot(plot_discovery(found, rows=top, show_slurs=show_slurs), picture)


def _text(found: Any, form: str, top: int, show_slurs: bool) -> str:
    from weatherglass.discovery import Comparison

    if form == "json":
        return str(found.to_json()) + "\n"
    if form in ("tsv", "csv"):
        rows = [row | {"words": ", ".join(row["words"])} for row in found.to_rows()]
        return delimited(rows, "\t" if form == "tsv" else ",")
    both = isinstance(found, Comparison)
    if form == "html":
        from weatherglass.report import comparison_page, discovery_page

        page: str = (comparison_page if both else discovery_page)(found, show_slurs=show_slurs)
        return page
    return (_compared if both else _found)(found, top, show_slurs)


def _found(found: Discovery, top: int, show_slurs: bool) -> str:
    """Groups, significant cells and what is to be said of them, for a terminal."""
    labels = {category.id: category.label for category in found.categories}
    rows = [
        {
            "category": "" if k else _masked(labels[id], show_slurs),
            "group": cell.group,
            "words": _masked(", ".join(cell.words), show_slurs),
            "score": f"{cell.score:.3f}",
            "p": str(cell.p),
        }
        for id in found.order[:top]
        for k, cell in enumerate(
            one for one in found.cells if one.category == id and one.significant
        )
    ]
    shown = f", the first {top} of {len(found.order)} categories" if len(found.order) > top else ""
    heading = f"{len(found.significant)} significant cells of {len(found.cells)}{shown}"
    text = _groups(found) + (table(rows, heading) if rows else "No cell is significant.\n")
    return text + remarks(_remarks(found, show_slurs))


def _groups(found: Discovery) -> str:
    rows = [
        {"group": one.id, "names": f"{', '.join(one.shown)} +{one.size - len(one.shown)}"}
        | {_heading(about): _fact(one, name, about) for name, about in found.columns.items()}
        for one in found.groups
    ]
    return table(rows, f"Groups of {found.names['used']:,} names on {found.source['name']}")


def _heading(about: dict[str, str]) -> str:
    """The label of a fact; one that is called like our own columns must not take their place."""
    return f"{about['label']} (fact)" if about["label"] in ("group", "names") else about["label"]


def _fact(group: Group, name: str, about: dict[str, str]) -> str:
    if name not in group.facts:
        return ""
    value = group.facts[name]
    forms = {"share": f"{value:.0%}", "year": f"{value:.0f}"}
    return forms.get(about["unit"], f"{value:,.4g}")


def _remarks(found: Discovery, show_slurs: bool) -> list[str]:
    lines = [*found.notes, _names(found.names), frequency_told(asdict(found.control))]
    lines.append(_rotations(found))
    if found.indirect.share is not None:
        chance = found.indirect.by_chance
        said = f"; random rotations give {chance:.0%}" if chance is not None else ""
        lines.append(
            f"Indirect bias: {found.indirect.share:.0%} of {found.indirect.tuples:,} four-tuples "
            f"of significant cells lie the same way round{said}."
        )
    for one in found.indirect.strongest[:3]:
        lines.append(
            f"{' – '.join(_masked(word, show_slurs) for word in one.words)} would carry "
            f"{' – '.join(one.groups)} without names "
            f"(cosine {one.cosine:.2f})."
        )
    return lines


def _rotations(found: Discovery) -> str:
    done = found.rotations
    early = f" of {done.asked:,}: {done.stopped}" if done.stopped else ""
    return f"Rotations: {done.done:,}{early}."


def _names(counts: dict[str, int]) -> str:
    """How many names there were, and where the others went."""
    parts = [f"{counts['used']:,} of {counts['listed']:,} used"]
    parts += [f"{counts[what]:,} {why}" for what, why in _GONE.items() if counts.get(what)]
    return f"Names: {', '.join(parts)}."


def _compared(found: Comparison, top: int, show_slurs: bool) -> str:
    """What appears, vanishes and stays, for a terminal."""
    labels = {category.id: category.label for category in found.before.categories}
    counts = {change: len(found.of(change)) for change in _PLURAL}
    rows = [
        {
            "": one.change,
            "group": cell.group,
            "category": _masked(labels[cell.category], show_slurs),
            "before": _masked(", ".join(one.before.words), show_slurs) if one.before else "",
            "after": _masked(", ".join(one.after.words), show_slurs) if one.after else "",
            "p before": str(one.before.p) if one.before else "",
            "p after": str(one.after.p) if one.after else "",
        }
        for change in counts
        for one in found.of(change)[:top]
        for cell in [one.before or one.after]
        if cell is not None
    ]
    before, after = found.before.source["name"], found.after.source["name"]
    said = ", ".join(f"{n} {_PLURAL[what]}" for what, n in counts.items())
    heading = f"{before} against {after}: {said}"
    text = _groups(found.before) + (table(rows, heading) if rows else f"{heading}.\n")
    lines = [*found.before.notes, _names(found.before.names)]
    for name, one in ((before, found.before), (after, found.after)):
        lines.append(f"{name}: {frequency_told(asdict(one.control))}")
        lines.append(f"{name}: {_rotations(one)}")
    return text + remarks(lines)


def _masked(text: str, show_slurs: bool) -> str:
    from weatherglass.catalog import masked

    return text if show_slurs else ", ".join(masked(word) for word in text.split(", "))
