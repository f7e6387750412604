"""``weatherglass discover``: find biases without naming them first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from weatherglass.errors import UsageError

from .discover_tables import comparison_text, discoveries_text, discovery_text
from .masking import shows_slurs, slurs_option
from .options import (
    control_option,
    language_option,
    output_options,
    seed_option,
    worker_options,
)
from .output import Output, delimited, progress_bar
from .run_tests import language_of, open_source


@click.command()
@click.argument("sources", metavar="[SOURCE]...", nargs=-1)
@click.option(
    "--compare",
    nargs=2,
    metavar="A B",
    help="Search two sources with the same names and words, and show which associations appear, "
    "vanish or stay.",
)
@click.option(
    "--names",
    "lists",
    multiple=True,
    default=("ssa",),
    show_default="ssa",
    metavar="ssa|surnames|auto|FILE",
    help="US first names, US surnames, tokens that the embedding itself uses as names, or a file: "
    "one name per line, or CSV with columns of facts and groups. Repeat it to search with several.",
)
@click.option(
    "--group-by",
    default="auto",
    show_default=True,
    metavar="auto|none|COLUMN",
    help="Text column of the file of names that states the groups; auto: the only one; none: "
    "cluster the names.",
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
    type=click.Choice(["auto", "english", "any"]),
    default="auto",
    show_default=True,
    help="Use only words of the letters a to z (english), or words of any letters (any); auto: any "
    "if the vectors are known to be of another language than English.",
)
@language_option(
    "Language of the vectors, such as de; by default that of the corpus that they were trained on."
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
@click.option(
    "--weights",
    default="none",
    show_default=True,
    metavar="none|population|COLUMN",
    help="Count each name once, or as often as people have it: the list's own count, or a numeric "
    "column of the file.",
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
@slurs_option()
@output_options(
    "html",
    "parquet",
    plot=True,
    charts={"cleaning": "the names kept and dropped, by their frequency"},
    help="Output format; html is a page, parquet needs -o.",
)
def discover(
    sources: tuple[str, ...],
    lists: tuple[str, ...],
    compare: tuple[str, str] | None,
    resume: bool,
    workers: int | None,
    cluster: str | None,
    top: int,
    output: Output,
    seed: int,
    language: str | None,
    **options: Any,
) -> None:
    """Find associations between groups of names and words in SOURCE, without naming them first.

    Names are clustered into groups and frequent words into categories. In each category the words
    most strongly associated with each group are compared with those under random rotations of the
    names. The options of the published method default to its values.

    With several sources or lists of names, each source is searched with each list, and the groups
    are shown side by side with their facts.
    """
    is_several = len(sources) * len(lists) > 1 and compare is None
    _check_combination(sources, lists, compare, output, options["placebo"])
    from weatherglass.catalog import load_names
    from weatherglass.discovery import Options, discover_both, discover_each, people_column
    from weatherglass.discovery import discover as discover_one

    remarks_of_language = _choose_alphabet(language, sources or compare, lists, options)
    # Report wrong options and names before a large file is read.
    for names in lists:
        if Options(rng=seed, names=names, **options).names != "auto":
            people_column(load_names(names), options["weights"])
    searched = {name: open_source(name) for name in (sources or compare or ())}
    with progress_bar("rotating") as draw:
        run: dict[str, Any] = {"resume": resume, "workers": workers, "cluster": cluster}
        run |= {"rng": seed, "progress": draw, **options}
        if is_several:
            found: Any = discover_each(searched, names=lists, **run)
        elif compare:
            found = discover_both(*map(searched.__getitem__, compare), names=lists[0], **run)
        else:
            found = discover_one(searched[sources[0]], names=lists[0], **run)
    for remark in remarks_of_language:
        click.echo(f"weatherglass: {remark}", err=True)
    if output.format == "parquet" and output.path is not None:
        found.to_parquet(output.path)
    else:
        output.write(_text(found, output, top))
    _draw(found, output, top)


def _check_combination(
    sources: Sequence[str],
    lists: Sequence[str],
    compare: tuple[str, str] | None,
    output: Output,
    placebo: int,
) -> None:
    """Refuse options that do not go together, before anything is read."""
    if bool(sources) == (compare is not None):
        raise UsageError("Name a SOURCE or several, or two with --compare A B.")
    if len(set(sources)) < len(sources):
        raise UsageError("A SOURCE is named twice.")
    is_single = len(sources) * len(lists) == 1
    if output.format == "parquet" and (output.path is None or not is_single):
        raise UsageError("--format parquet needs -o FILE, and one SOURCE.")
    if compare and placebo:
        raise UsageError("--placebo needs one SOURCE.")
    if compare and len(lists) > 1:
        raise UsageError("--compare needs one list of names.")
    if compare and (output.plot or output.format in ("tsv", "csv")):
        raise UsageError("--compare writes a table, json or html, and no chart.")
    if output.plot and not is_single:
        raise UsageError("--plot needs one SOURCE and one list of names.")


def _draw(found: Any, output: Output, top: int) -> None:
    if output.plot is None:
        return
    from weatherglass.report import add_source_line, plot_cleaning, plot_discovery, save_plot

    if output.chart == "cleaning":
        chart = plot_cleaning(found, show_slurs=shows_slurs())
    else:
        chart = plot_discovery(found, rows=top, show_slurs=shows_slurs())
    save_plot(add_source_line(chart, [found]), output.plot)


def _choose_alphabet(
    stated: str | None,
    sources: Sequence[str] | None,
    lists: Sequence[str],
    options: dict[str, Any],
) -> list[str]:
    """Choose the alphabet by the language of the vectors; say so, and if the names are others'."""
    from weatherglass._languages import ENGLISH, language_name

    language = stated or next(filter(None, map(language_of, filter(None, sources or ()))), ENGLISH)
    is_chosen = options["alphabet"] == "auto"
    if is_chosen:
        options["alphabet"] = "english" if language == ENGLISH else "any"
    if language == ENGLISH:
        return []
    text = f"the vectors are of {language_name(language)} text"
    lines = [f"{text}, so words of any letters are used."] if is_chosen else []
    if not {"ssa", "surnames", "auto"}.isdisjoint(lists):
        lines.append(
            f"{text}, and the names are from the United States; --names FILE takes your own."
        )
    return lines


def _text(found: Any, output: Output, top: int) -> str:
    if output.format == "json":
        return str(found.to_json()) + "\n"
    if output.format in ("tsv", "csv"):
        rows = [
            row | {"words": ", ".join(row["words"])} if "words" in row else row
            for row in found.to_rows()
        ]
        return delimited(rows, output.delimiter)
    if output.format == "html":
        from weatherglass.report import comparison_page, discoveries_page, discovery_page

        pages: dict[str, Any] = {"comparison": comparison_page, "discoveries": discoveries_page}
        return str(pages.get(found.measure, discovery_page)(found, show_slurs=shows_slurs()))
    if found.measure == "discoveries":
        return discoveries_text(found)
    if found.measure == "comparison":
        return comparison_text(found, top)
    return discovery_text(found, top)
