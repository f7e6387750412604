"""``weatherglass report``: the report of an audit, and its pictures."""

from __future__ import annotations

from pathlib import Path

import click

from .output import write_whole


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--figures", is_flag=True, help="Write every picture to a file of its own as well.")
@click.option(
    "--as",
    "form",
    type=click.Choice(["svg", "png", "pdf"]),
    default="svg",
    show_default=True,
    help="What the pictures are written as.",
)
@click.option("--show-slurs", is_flag=True, help="Do not mask slurs.")
def report(folder: Path, figures: bool, form: str, show_slurs: bool) -> None:
    """Write the report of the audit in FOLDER anew, and its pictures to FOLDER/figures."""
    from weatherglass.auditing import open_audit
    from weatherglass.report import audit_figures, audit_page, save_plot

    found = open_audit(folder)
    target = folder / "report.html"
    write_whole(target, audit_page(found, show_slurs=show_slurs))
    click.echo(f"The report is {target}.")
    if figures:
        (folder / "figures").mkdir(exist_ok=True)
        for name, chart in audit_figures(found).items():
            save_plot(chart, folder / "figures" / f"{name}.{form}")
        click.echo(f"The pictures are in {folder / 'figures'}.")
