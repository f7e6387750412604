"""``weatherglass report``: the report of an audit, its charts, and its numbers for a paper."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .masking import shows_slurs, slurs_option
from .options import output_options
from .output import Output, remarks, style, table, write_whole
from .run_tests import finding_lines
from .typeset import bibliography

if TYPE_CHECKING:
    from weatherglass.report import AuditResult


_DOCUMENTS = ("model-card", "evidence")
_RECORDS = ("run.json", "results.json", "results.tsv", "results.parquet")


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--figures", is_flag=True, help="Also write every chart to its own file.")
@click.option(
    "--as",
    "kind",
    type=click.Choice(["svg", "png", "pdf", *_DOCUMENTS]),
    default="svg",
    show_default=True,
    help="File format of the charts; or print another document instead of writing the report: a "
    "model card for the Hugging Face Hub, or a record of evidence for reviewers.",
)
@slurs_option()
@click.option(
    "--table", "numbers", is_flag=True, help="Print the results instead of writing the report."
)
@output_options(paper=True, help="Output format of --table.")
@click.pass_context
def report(
    context: click.Context,
    folder: Path,
    figures: bool,
    kind: str,
    numbers: bool,
    output: Output,
) -> None:
    """Write the report of the audit in FOLDER again, and its charts to FOLDER/figures.

    With --table, print its results instead: for a terminal, a paper (--format latex or markdown)
    or another program. Effect, p and grade are those of the finding: p is two-sided, and sentence
    tests count each word once. The paper's numbers are in columns of their own.

    With --as model-card or --as evidence, print a document in Markdown: a model card with metadata,
    or what was tested, on what, with which words, versions and limits, with the clauses of laws and
    frameworks that ask for it. -o writes it to a file.
    """
    from weatherglass.auditing import open_audit
    from weatherglass.report import audit_figures, audit_page, save_plot

    has_format = context.get_parameter_source("form") is click.core.ParameterSource.COMMANDLINE
    is_document = kind in _DOCUMENTS
    if is_document and (numbers or figures or has_format):
        raise click.UsageError(f"--as {kind} goes without --table, --figures and --format.")
    if not numbers and (has_format or (output.path and not is_document)):
        raise click.UsageError("--format and --out need --table.")
    audited = open_audit(folder)
    if is_document:
        output.write(_document(audited, kind, folder))
        return
    if numbers:
        output.write(_numbers(audited.results, output))
        output.write_bibtex(audited.results)
        return
    target = folder / "report.html"
    write_whole(target, audit_page(audited, show_slurs=shows_slurs()))
    click.echo(f"The report is {target}.")
    if figures:
        (folder / "figures").mkdir(exist_ok=True)
        for name, chart in audit_figures(audited, show_slurs=shows_slurs()).items():
            save_plot(chart, folder / "figures" / f"{name}.{kind}")
        click.echo(f"The charts are in {folder / 'figures'}.")


def _document(audited: AuditResult, kind: str, folder: Path) -> str:
    from weatherglass.report import evidence, model_card

    if kind == "model-card":
        return model_card(audited, show_slurs=shows_slurs())
    paths = [folder / name for name in _RECORDS if (folder / name).is_file()]
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    return evidence(audited, digests=digests, show_slurs=shows_slurs())


def _numbers(results: Any, output: Output) -> str:
    """Every test and measure; in Markdown and LaTeX with a bibliography."""
    from weatherglass.measures import Results

    if output.format == "json":
        return str(results.to_json()) + "\n"
    if output.format in ("tsv", "csv"):
        return output.delimit_results(results)
    with_source = len({result.source.get("name") for result in results}) > 1
    done = [result for result in results if result.status == "done"]
    text = table(_rows(done, with_source), "Tests and measures")
    if style():
        return text + bibliography(done, style())
    return text + remarks(finding_lines(Results.of(result for result in done if result.max_value)))


def _rows(results: Any, with_source: bool) -> list[dict[str, str]]:
    """The numbers of the findings, and the paper's where they differ."""
    rows = [
        {
            "measure": result.measure,
            "test": result.test,
            **({"source": str(result.source.get("name"))} if with_source else {}),
            "effect": _format_value(result, result.main_value),
            "published": _format_value(result, result.published_value),
            "p": _p(result.main_p_for_finding),
            "by": result.main_p_method,
            "p corrected": _p(result.p_finding),
            "grade": result.finding.grade,
            **_paper_numbers(result),
        }
        for result in results
    ]
    empty = {name for name in _PAPER_NUMBERS if not any(row[name] for row in rows)}
    return [{name: text for name, text in row.items() if name not in empty} for row in rows]


_PAPER_NUMBERS = ("p one-sided", "effect sentences", "p sentences")


def _paper_numbers(result: Any) -> dict[str, str]:
    """The numbers of the paper, for reproduction: one-sided, and over sentences."""
    row = dict.fromkeys(_PAPER_NUMBERS, "")
    if getattr(result, "level", "") == "sentence":
        row["effect sentences"] = _format_value(result, result.effect)
        row["p sentences"] = _p(result.p_value)
    elif result.options.get("alternative", "two-sided") != "two-sided":
        row["p one-sided"] = _p(result.main_p)
    return row


def _format_value(result: Any, value: float | None) -> str:
    """Format effect sizes and correlations with two decimals, other measures with three."""
    if value is None:
        return ""
    return f"{value:.{result.decimals}f}"


def _p(value: float | None) -> str:
    from weatherglass.significance import format_p

    return "" if value is None else format_p(value)
