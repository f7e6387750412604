"""``weatherglass table``: write the association table of a source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import case_option, tests_options
from .output import printable
from .run_tests import open_rows, select_tests


@click.command()
@click.argument("source")
@tests_options
@case_option()
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file: .csv, .tsv, .parquet or .arrow. Default: print CSV.",
)
def table(
    source: str, ids: tuple[str, ...], files: tuple[Path, ...], case: Any, out: Path | None
) -> None:
    """Write the cosines of the targets of tests with their attributes in SOURCE.

    The table has a row for each target and a column for each attribute, in the spelling of SOURCE,
    with all digits: a test gives the same result on table:FILE as on SOURCE. Without --test, it
    has the words of all tests of the Science paper.

    Tables from elsewhere, such as ratings or counts, are read in the same form, or in the long form
    with the columns target, attribute, value and perhaps trial, whose values are averaged.
    """
    from weatherglass.catalog import FactualTest, Test
    from weatherglass.measures import AssociationTable, format_table

    tests = select_tests(ids, files, Test | FactualTest, "weat[1-9]", "weat10", "wefat*")
    written = AssociationTable.from_source(open_rows(source, tests, case=case), tests, case=case)
    if out is None:
        click.echo(format_table(written), nl=False)
        return
    written.write(out)
    click.echo(
        f"{printable(str(out))}: {len(written.rows):,} targets × {len(written.columns):,} "
        f"attributes. Use it as table:{printable(str(out))}."
    )
