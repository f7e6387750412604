"""``weatherglass retrieve``: whose documents does an encoder find?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from weatherglass.errors import CannotMeasure

from .options import (
    batch_size_option,
    cache_option,
    cluster_option,
    dry_run_option,
    output_options,
    seed_option,
)
from .output import Output, printable, progress_bar, remarks, table
from .run_tests import finding_lines, interval_text, write_workload

N_PLACEBOS = N_PREFERENCES = 2
"""Comparisons whose placebo, and whose preferences by query, are printed; JSON has all."""


@click.command()
@click.argument("encoder")
@click.option(
    "--documents",
    metavar="DOCS",
    default="resumes",
    show_default=True,
    help="Documents to rank: resumes of the catalogue, a file (CSV, JSON Lines, Parquet, plain "
    "text) or a folder, as for `weatherglass corpus`.",
)
@click.option(
    "--queries",
    metavar="QUERIES",
    default="jobs",
    show_default=True,
    help="Queries to rank them by: jobs of the catalogue, a file or a folder.",
)
@click.option(
    "--names",
    metavar="NAMES",
    default="bertrand-mullainathan",
    show_default=True,
    help="What is inserted into each document, with columns of groups: bertrand-mullainathan or "
    "us-names of the catalogue, or a table.",
)
@click.option(
    "--template",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with the text of a version, such as {name}, a new line, and {document}. Columns "
    "of the table of names go in braces.",
)
@click.option(
    "--group",
    "groups",
    metavar="COLUMN",
    multiple=True,
    help="A column of groups; repeatable. By default all columns that are not inserted.",
)
@click.option(
    "--top",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.1,
    show_default=True,
    help="The share of each ranking that counts as selected.",
)
@click.option("--query-prefix", default="", help="An instruction before each query.")
@click.option("--document-prefix", default="", help="An instruction before each document.")
@click.option(
    "--similarity",
    type=click.Choice(["auto", "cosine", "dot"]),
    default="auto",
    show_default=True,
    help="How a query and a document are compared; auto: as the encoder says, or else cosine.",
)
@click.option(
    "--no-placebo", is_flag=True, help="Do not also insert random words in place of names."
)
@seed_option
@batch_size_option
@cache_option
@dry_run_option
@cluster_option("texts are encoded there")
@output_options(plot=True)
def retrieve(
    encoder: str,
    template: Path | None,
    groups: tuple[str, ...],
    no_placebo: bool,
    no_cache: bool,
    dry_run: bool,
    output: Output,
    **options: Any,
) -> None:
    """Rank documents that differ only in a name, by their similarity to queries.

    Every document is encoded with every name. Effect, interval and p count each name once; who is
    in the top share of the rankings is counted by group, with the impact ratio: the lowest rate
    over the highest.
    """
    from weatherglass._files import read_text
    from weatherglass.encoders import source_encoder
    from weatherglass.retrieval import count_retrieval_work
    from weatherglass.retrieval import retrieve as measure

    if template is not None:
        options["template"] = read_text(template).strip("\n")
    options |= {"groups": groups, "placebo": not no_placebo}
    opened = source_encoder(encoder, cache=not no_cache)
    if dry_run:
        write_workload([count_retrieval_work(opened, **options)], output)
        return
    with progress_bar(f"encoding with {encoder}") as draw:
        found = measure(opened, cache=not no_cache, progress=draw, **options)
    if not any(contrast.is_done for contrast in found.contrasts):
        raise CannotMeasure(f"Nothing could be compared: {found.contrasts[0].reason}.")
    if output.format == "table":
        output.write(_text(found))
    elif output.format == "json":
        output.write(found.to_json() + "\n")
    else:
        output.write(output.delimit_results(found.results))
    output.draw(found)


def _text(found: Any) -> str:
    """The tables of a retrieval audit, and what they say."""
    from weatherglass.significance import format_p

    results = found.results
    noun = found.selections[0].noun
    title = (
        f"Retrieval with {found.source_name}: {len(found.documents)} documents, "
        f"{len(found.names)} {noun}, {len(found.queries)} queries; each counted once"
    )
    rows = [
        {
            "groups": f"{result.label('X')} vs {result.label('Y')}",
            "effect": f"{result.effect:.2f}",
            "interval": interval_text(result.main_interval),
            "p": format_p(result.main_p_for_finding),
            "p corrected": "" if result.p_finding is None else format_p(result.p_finding),
            "at equal covariates": _controlled(result),
            noun: f"{result.n['X']}+{result.n['Y']}",
            "impact ratio": f"{result.impact_ratio:.2f}",
            "grade": result.finding.grade,
            "naive p over rows": format_p(result.naive_p),
        }
        for result in results
        if result.is_done
    ]
    text = table(rows, title) + _selection_table(found) + _query_table(found)
    lines = [*finding_lines(results), *map(printable, found.selection_sentences()), *_notes(found)]
    return text + remarks(lines)


def _controlled(result: Any) -> str:
    from weatherglass.significance import format_p

    control = next(iter(result.controls), None)
    if control is None or control.effect is None:
        return ""
    return f"{control.effect:.2f} (p {format_p(control.p)})"


def _selection_table(found: Any) -> str:
    rows = [
        {
            "by": selection.dimension,
            "group": group,
            f"in the top {100 * selection.top:g} %": f"{100 * rate:.1f} %",
            "of the highest": "" if (ratio := selection.ratios[group]) is None else f"{ratio:.2f}",
            "exposure": f"{selection.exposure[group]:.3f}",
            **{
                f"top {100 * point.top:g} %": f"{100 * point.rates[group]:.1f} %"
                for point in selection.curve
                if point.top in (0.01, 0.5)
            },
        }
        for selection in found.selections
        for group, rate in selection.rates.items()
    ]
    return table(rows, "Who is selected (exposure: mean of all = 1)")


def _query_table(found: Any) -> str:
    """The queries with the smallest p-values."""
    from weatherglass.significance import format_p

    strongest = sorted(found.by_query, key=lambda row: row.p)[:8]
    rows = [
        {
            "query": row.query,
            "groups": " vs ".join(row.groups),
            "effect": f"{row.effect:.2f}",
            "p": format_p(row.p),
            "p corrected": format_p(row.p_holm),
        }
        for row in strongest
    ]
    title = "The queries in which groups differ most (p corrected over all queries and groups)"
    return table(rows, title)


def _notes(found: Any) -> list[str]:
    """What was controlled for, and examples."""
    from weatherglass.retrieval import format_share

    noun = found.selections[0].noun
    lines = []
    if found.covariates is not None:
        known = " and ".join(found.covariates.columns)
        unknown = f"; not known: {found.covariates.missing}" if found.covariates.missing else ""
        lines.append(f"Covariates of {noun}: {known}{unknown}.")
    compared = [result for result in found.contrasts if result.p_placebo is not None]
    for result in compared[:N_PLACEBOS]:
        lines.append(
            f"Placebo, {result.label('X')} vs {result.label('Y')}: random words, split into "
            f"groups of the same sizes, differ as much in {format_share(result.p_placebo)} of "
            "the splits."
        )
    lines += [
        f"{first} of {len(found.queries)} queries prefer {row.groups[0]} {noun}, and {second} "
        f"prefer {row.groups[1]} {noun}."
        for row, first, second in found.preferences()[:N_PREFERENCES]
    ]
    for example in found.examples[:3]:
        lines.append(
            f"For the query {example.query}, the document {example.document} has rank "
            f"{example.best_rank} with {example.best} and {example.worst_rank} with "
            f"{example.worst}, of {example.versions:,}."
        )
    lines.append(
        "The naive p is what an analysis reports that takes every score as independent, although "
        "those with the same insertion are near-copies of each other."
    )
    return lines
