"""``weatherglass report``: the report of an audit, its pictures, and its numbers for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .output import format_choice, out_option, put, style, table, write_whole
from .typeset import bibliography


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--figures", is_flag=True, help="Write every picture to a file of its own as well.")
@click.option(
    "--as",
    "picture",
    type=click.Choice(["svg", "png", "pdf"]),
    default="svg",
    show_default=True,
    help="What the pictures are written as.",
)
@click.option("--show-slurs", is_flag=True, help="Do not mask slurs.")
@click.option("--table", "numbers", is_flag=True, help="Print the results, and write nothing.")
@format_choice(help="How to print the results; goes with --table.")
@out_option
@click.pass_context
def report(
    context: click.Context,
    folder: Path,
    figures: bool,
    picture: str,
    show_slurs: bool,
    numbers: bool,
    form: str,
    out: Path | None,
) -> None:
    """Write the report of the audit in FOLDER anew, and its pictures to FOLDER/figures.

    With --table, print its results as a table instead: for a terminal, a paper (--format latex or
    markdown) or another program.
    """
    from weatherglass.auditing import open_audit
    from weatherglass.report import audit_figures, audit_page, save_plot

    given = context.get_parameter_source
    if not numbers and (out or given("form") is click.core.ParameterSource.COMMANDLINE):
        raise click.UsageError("--format and --out go with --table.")
    found = open_audit(folder)
    if numbers:
        put(_numbers(found.results, form), out)
        return
    target = folder / "report.html"
    write_whole(target, audit_page(found, show_slurs=show_slurs))
    click.echo(f"The report is {target}.")
    if figures:
        (folder / "figures").mkdir(exist_ok=True)
        for name, chart in audit_figures(found, show_slurs=show_slurs).items():
            save_plot(chart, folder / "figures" / f"{name}.{picture}")
        click.echo(f"The pictures are in {folder / 'figures'}.")


def _numbers(results: Any, form: str) -> str:
    """Every test and measure, and for a paper the works that they are from."""
    if form == "json":
        return str(results.to_json()) + "\n"
    if form in ("tsv", "csv"):
        return str(results.to_delimited("\t" if form == "tsv" else ","))
    several = len({one.source.get("name") for one in results}) > 1
    done = [one for one in results if one.status == "done"]
    text = table(_rows(done, several), "Tests and measures")
    return text + (bibliography(done, style()) if style() else "")


def _rows(results: Any, several: bool) -> list[dict[str, str]]:
    from weatherglass.report import corrected_p, number_of, p_of, published_number

    return [
        {
            "measure": one.measure,
            "test": one.test,
            **({"source": str(one.source.get("name"))} if several else {}),
            "value": _written(one, number_of(one)),
            "published": _written(one, published_number(one)),
            "p": _p(p_of(one)),
            "by": _method(one),
            "p corrected": _p(corrected_p(one, results)),
        }
        for one in results
    ]


def _written(one: Any, value: float | None) -> str:
    """Effects and correlations with two decimals, other measures with three."""
    if value is None:
        return ""
    return f"{value:.2f}" if one.measure in ("weat", "seat", "wefat", "ceat") else f"{value:.3f}"


def _p(value: float | None) -> str:
    from weatherglass.significance import format_p

    return "" if value is None else format_p(value)


def _method(one: Any) -> str:
    if one.measure == "wefat":
        return "Pearson"
    return str(getattr(getattr(one, "p_by_word", None) or getattr(one, "p", None), "method", ""))
