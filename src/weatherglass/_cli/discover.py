"""``weatherglass discover``: find biases without naming them first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import UsageError

from .options import control_option, output_options, seed_option, slurs_option, worker_options
from .output import Output, delimited, progress_bar, remarks, table
from .run_tests import describe_control, open_source

if TYPE_CHECKING:
    from weatherglass.discovery import Comparison, Discovery, Group

_UNUSED = {
    "missing": "not in the vocabulary",
    "too rare": "too rare",
    "dropped": "not clearly names",
    "only in one": "in one source only",
}
_PLURAL = {"vanishes": "vanish", "appears": "appear", "stays": "stay"}


@click.command()
@click.argument("source", required=False)
@click.option(
    "--compare",
    nargs=2,
    metavar="A B",
    help="Search two sources with the same names and words, and show which associations appear, "
    "vanish or stay.",
)
@click.option(
    "--names",
    default="ssa",
    show_default=True,
    metavar="ssa|surnames|auto|FILE",
    help="US first names, US surnames, tokens that the embedding itself uses as names, or a file: "
    "one name per line, or CSV with columns of facts.",
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
@click.option("--alpha", type=float, default=0.05, show_default=True, help="False discovery rate.")
@seed_option
@click.option(
    "--keep-names",
    type=float,
    default=0.8,
    show_default=True,
    help="Share of the names to keep: those most clearly used as names.",
)
@control_option(
    "Control the vectors first; auto: for word frequency, if it is strong; none: the method as "
    "published.",
    default="auto",
    single=True,
)
@click.option("--name-rank", type=int, help="Use only names among this many most frequent tokens.")
@click.option(
    "--voronoi/--no-voronoi",
    default=True,
    show_default=True,
    help="Allow a word only in the cell of the group that it is nearest to.",
)
@click.option(
    "--alphabet",
    type=click.Choice(["english", "any"]),
    default="english",
    show_default=True,
    help="Use only words of the letters a to z, or words of any letters.",
)
@click.option(
    "--stop-early/--all-rotations",
    default=True,
    show_default=True,
    help="Stop as soon as no verdict can change, or run all rotations.",
)
@click.option(
    "--placebo",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Repeat the search this many times with random ordinary words in place of names, and show "
    "how many cells they have.",
)
@click.option("--resume", is_flag=True, help="Continue the same search if it was interrupted.")
@worker_options(
    "Threads; all processors by default.", "rotations run there, everything else runs here"
)
@click.option(
    "--top",
    type=click.IntRange(1),
    default=12,
    show_default=True,
    help="Maximum number of categories in the table and the chart; files have all.",
)
@slurs_option
@output_options(
    "html", "parquet", plot=True, help="Output format; html is a page, parquet needs -o."
)
def discover(
    source: str | None,
    compare: tuple[str, str] | None,
    resume: bool,
    workers: int | None,
    cluster: str | None,
    top: int,
    show_slurs: bool,
    output: Output,
    seed: int,
    **options: Any,
) -> None:
    """Find associations between groups of names and words in SOURCE, without naming them first.

    Names are clustered into groups and frequent words into categories. In each category the words
    most strongly associated with each group are compared with those under random rotations of the
    names. The options of the published method default to its values.
    """
    if (source is None) == (compare is None):
        raise UsageError("Name one SOURCE, or two with --compare A B.")
    if output.format == "parquet" and (output.path is None or compare):
        raise UsageError("--format parquet needs -o FILE, and one SOURCE.")
    if compare and options["placebo"]:
        raise UsageError("--placebo needs one SOURCE.")
    if compare and (output.plot or output.format in ("tsv", "csv")):
        raise UsageError("--compare writes a table, json or html, and no chart.")
    from weatherglass.catalog import load_names
    from weatherglass.discovery import Options, discover_both
    from weatherglass.discovery import discover as discover_one

    # Report wrong options and names before a large file is read.
    load_names("ssa" if Options(rng=seed, **options).names == "auto" else options["names"])
    searched = [open_source(name) for name in ([source] if source else compare or ())]
    with progress_bar("rotating") as draw:
        run: dict[str, Any] = {"resume": resume, "workers": workers, "cluster": cluster}
        search: Any = discover_both if compare else discover_one
        found = search(*searched, rng=seed, progress=draw, **run, **options)
    if output.format == "parquet" and output.path is not None:
        found.to_parquet(output.path)
    else:
        output.write(_text(found, compare is not None, output, top, show_slurs))
    if output.plot is not None:
        from weatherglass.report import plot_discovery, save_plot

        save_plot(plot_discovery(found, rows=top, show_slurs=show_slurs), output.plot)


def _text(found: Any, is_comparison: bool, output: Output, top: int, show_slurs: bool) -> str:
    if output.format == "json":
        return str(found.to_json()) + "\n"
    if output.format in ("tsv", "csv"):
        rows = [row | {"words": ", ".join(row["words"])} for row in found.to_rows()]
        return delimited(rows, output.delimiter)
    if output.format == "html":
        from weatherglass.report import comparison_page, discovery_page

        make = comparison_page if is_comparison else discovery_page
        return str(make(found, show_slurs=show_slurs))
    if is_comparison:
        return _comparison_text(found, top, show_slurs)
    return _discovery_text(found, top, show_slurs)


def _discovery_text(discovery: Discovery, top: int, show_slurs: bool) -> str:
    """Groups, significant cells and remarks, for a terminal."""
    labels = {category.id: category.label for category in discovery.categories}
    order = discovery.order
    rows = [
        {
            "category": "" if number else _mask(labels[id], show_slurs),
            "group": cell.group,
            "words": _mask(", ".join(cell.words), show_slurs),
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
    return text + remarks(_remarks(discovery, show_slurs))


def _groups(discovery: Discovery) -> str:
    rows = [
        {"group": group.id, "names": f"{', '.join(group.shown)} +{group.size - len(group.shown)}"}
        | {_heading(about): _fact(group, name, about) for name, about in discovery.columns.items()}
        for group in discovery.groups
    ]
    used, source = discovery.names["used"], discovery.source["name"]
    return table(rows, f"Groups of {used:,} names on {source}")


def _heading(about: dict[str, str]) -> str:
    """The label of a fact, made different from the names of the table's other columns."""
    return f"{about['label']} (fact)" if about["label"] in ("group", "names") else about["label"]


def _fact(group: Group, name: str, about: dict[str, str]) -> str:
    if name not in group.facts:
        return ""
    value = group.facts[name]
    forms = {"share": f"{value:.0%}", "year": f"{value:.0f}"}
    return forms.get(about["unit"], f"{value:,.4g}")


def _remarks(discovery: Discovery, show_slurs: bool) -> list[str]:
    lines = [*discovery.notes, _names(discovery.names)]
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
            f"{' – '.join(_mask(word, show_slurs) for word in proxy.words)} is a proxy for "
            f"{' – '.join(proxy.groups)} without names (cosine {proxy.cosine:.2f})."
        )
    return lines


def _rotations(discovery: Discovery) -> str:
    rotations = discovery.rotations
    early = f" of {rotations.asked:,}: {rotations.stopped}" if rotations.stopped else ""
    return f"Rotations: {rotations.done:,}{early}."


def _names(counts: dict[str, int]) -> str:
    """The number of names that were used, and why the others were not."""
    parts = [f"{counts['used']:,} of {counts['listed']:,} used"]
    parts += [f"{counts[key]:,} {reason}" for key, reason in _UNUSED.items() if counts.get(key)]
    return f"Names: {', '.join(parts)}."


def _comparison_text(comparison: Comparison, top: int, show_slurs: bool) -> str:
    """The associations that appear, vanish and stay, for a terminal."""
    labels = {category.id: category.label for category in comparison.before.categories}
    counts = {change: len(comparison.of(change)) for change in _PLURAL}
    rows = [
        {
            "": change.change,
            "group": cell.group,
            "category": _mask(labels[cell.category], show_slurs),
            "before": _mask(", ".join(change.before.words), show_slurs) if change.before else "",
            "after": _mask(", ".join(change.after.words), show_slurs) if change.after else "",
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
    for name, discovery in ((before, comparison.before), (after, comparison.after)):
        lines += [f"{name}: {sentence}" for sentence in describe_control(discovery.control)]
        lines.append(f"{name}: {_rotations(discovery)}")
    return text + remarks(lines)


def _mask(text: str, show_slurs: bool) -> str:
    from weatherglass.catalog import mask_slurs

    return text if show_slurs else ", ".join(mask_slurs(word) for word in text.split(", "))
