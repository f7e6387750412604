"""``weatherglass crowd``: people evaluate a discovery."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import BadContent, CatalogError, UsageError

from .crowd_table import crowd_summary, worker_table
from .masking import shows_slurs, slurs_option
from .options import output_options, seed_option
from .output import Output, remarks, table
from .verbosity import SuggestingGroup

if TYPE_CHECKING:
    from weatherglass.crowd import CrowdResult, CrowdStudy
    from weatherglass.discovery import Discovery

_study_option = click.option(
    "--study",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder that `crowd export` wrote.",
)


@click.group(cls=SuggestingGroup)
def crowd() -> None:
    """Let people evaluate a discovery: do they match the same words to the same groups of names?

    `export` makes tasks for crowd workers, `import` evaluates their answers, and `simulate` answers
    in their place, to plan a study. `weatherglass serve --study FOLDER` runs a study in a lab.
    """


@crowd.command(name="export")
@click.argument("discovery", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the study.",
)
@click.option(
    "--tests",
    type=click.IntRange(1),
    default=12,
    show_default=True,
    help="Categories to evaluate: those with the highest scores.",
)
@click.option(
    "--names",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Names of each group in the exam.",
)
@click.option(
    "--shown",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Names that stand for a group.",
)
@click.option(
    "--pass-share",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.5,
    show_default=True,
    help="A worker passes the exam with a larger share of correct names.",
)
@click.option(
    "--matchers",
    type=click.IntRange(1),
    default=18,
    show_default=True,
    help="Workers for each matching task.",
)
@click.option(
    "--raters",
    type=click.IntRange(1),
    default=13,
    show_default=True,
    help="Workers for each rating task.",
)
@click.option(
    "--one-to-one", is_flag=True, help="Let workers use each group only once in a matching task."
)
@click.option(
    "--offensive",
    type=click.FloatRange(1, 7),
    default=4.0,
    show_default=True,
    help="Mean rating from which a cell counts as offensive.",
)
@click.option(
    "--min-seconds",
    type=click.FloatRange(0, 3600),
    default=1.0,
    show_default=True,
    help="Leave out workers who take less time for an item, on average.",
)
@slurs_option()
@seed_option
def export_study(discovery: Path, out: Path, seed: int, **options: Any) -> None:
    """Write the tasks of DISCOVERY, a file of `weatherglass discover --format json` or parquet.

    The folder has a page for each task, which needs no server, tables for survey tools and Label
    Studio, and texts to adapt. study.json has the key: keep it private.
    """
    from weatherglass.crowd import export_crowd_study, texts_to_adapt

    study = export_crowd_study(
        _open_discovery(discovery), out, rng=seed, show_slurs=shows_slurs(), **options
    )
    click.echo(table(_task_rows(study), f"Study {study.id} in {out}"), nl=False)
    lines = list(study.notes)
    if names := texts_to_adapt(out):
        lines.append(f"First adapt {' and '.join(names)}, which the pages show, and export again.")
    lines += [f"Hand out {out}/pages; {out}/README.txt says how to go on."]
    click.echo(remarks(lines), nl=False)


def _open_discovery(path: Path) -> Discovery:
    from weatherglass._files import read_text
    from weatherglass.discovery import Discovery

    if path.suffix.lower() == ".parquet":
        return Discovery.from_parquet(path)
    try:
        return Discovery.from_json(read_text(path))
    except CatalogError as error:
        raise BadContent(str(error)) from None


def _task_rows(study: CrowdStudy) -> list[dict[str, Any]]:
    planned = {"exam": "", "match": study.options.matchers, "rate": study.options.raters}
    return [
        {
            "task": task.id,
            "items": len(task.cells),
            "choices": len(task.options),
            "workers": planned[task.kind],
        }
        for task in study.tasks
    ]


@crowd.command(name="import")
@click.argument(
    "answers",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@_study_option
@click.option(
    "--write-ratings",
    is_flag=True,
    help="Write the rating tasks of the cells on which people agree into the study's folder.",
)
@click.option(
    "--page",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the page of the discovery with marks where people agree.",
)
@click.option(
    "--bootstraps",
    type=click.IntRange(0),
    default=2000,
    show_default=True,
    help="Bootstrap samples of workers for Krippendorff's alpha.",
)
@click.option("--workers", "list_workers", is_flag=True, help="List every worker and the checks.")
@seed_option
@slurs_option()
@output_options(plot=True)
def import_answers(
    answers: tuple[Path, ...],
    study: Path,
    write_ratings: bool,
    page: Path | None,
    bootstraps: int,
    list_workers: bool,
    seed: int,
    output: Output,
) -> None:
    """Evaluate ANSWERS of crowd workers: files of the pages, CSV, or exports of Label Studio.

    Prints who counts and why others do not, the agreement with the discovery, and the tables 4 and
    1 of the paper. JSON, TSV and CSV have every cell.
    """
    from weatherglass.crowd import CrowdStudy, import_crowd_answers

    opened = CrowdStudy.load(study)
    result = import_crowd_answers(answers, opened, bootstraps=bootstraps, rng=seed)
    lines = []
    if write_ratings:
        lines.append(_write_ratings(opened, study, result))
    if page is not None:
        _write_page(page, study, result)
        lines.append(f"The page {page} marks the cells on which people agree.")
    if output.format == "table":
        text = crowd_summary(result)
        text += worker_table(result) if list_workers else ""
        output.write(text + remarks([*result.notes, *lines]))
    else:
        rows = [row | {"words": ", ".join(row["words"])} for row in result.to_rows()]
        output.write_rows(rows, document=result.to_dict())
        for line in lines:
            click.echo(f"weatherglass: {line}", err=True)
    output.draw(result)


def _write_ratings(study: CrowdStudy, folder: Path, result: CrowdResult) -> str:
    from weatherglass.crowd import make_ratings, write_study

    rated = make_ratings(study, [cell.item for cell in result.agreed])
    write_study(rated, folder)
    tasks = len(rated.of_kind("rate"))
    return f"Wrote {tasks} rating tasks with {len(result.agreed)} agreed cells to {folder}/pages."


def _write_page(path: Path, folder: Path, result: CrowdResult) -> None:
    from weatherglass._files import write_text
    from weatherglass.crowd import DISCOVERY_FILE
    from weatherglass.report import discovery_page

    discovery = _open_discovery(folder / DISCOVERY_FILE)
    write_text(path, discovery_page(discovery, show_slurs=shows_slurs(), crowd=result))


@crowd.command()
@_study_option
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND=NUMBER",
    help="How many workers of a kind: perfect, good, guessing, ignorant, careless, biased, "
    "duplicate; repeatable.  [default: good=40]",
)
@click.option(
    "--agreement",
    type=click.FloatRange(0, 1),
    default=0.7,
    show_default=True,
    help="Share of cells for which the simulated society has the stereotype of the discovery.",
)
@click.option(
    "--ratings",
    type=click.FloatRange(1, 7),
    default=4.0,
    show_default=True,
    help="Mean rating of the cells.",
)
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of answers to write, in JSON Lines.",
)
@seed_option
def simulate(
    study: Path, kinds: tuple[str, ...], agreement: float, ratings: float, out: Path, seed: int
) -> None:
    """Write the answers of simulated workers to all tasks of a study, to plan it."""
    from weatherglass._files import write_text
    from weatherglass.crowd import CrowdStudy, simulate_crowd

    workers = _parse_kinds(kinds or ("good=40",))
    submissions = simulate_crowd(
        CrowdStudy.load(study), workers, agreement=agreement, ratings=ratings, rng=seed
    )
    write_text(out, "".join(f"{submission.to_json()}\n" for submission in submissions))
    count = len({submission.worker for submission in submissions})
    click.echo(f"Wrote {len(submissions):,} answered tasks of {count} simulated workers to {out}.")


def _parse_kinds(texts: tuple[str, ...]) -> dict[str, int]:
    workers: dict[str, int] = {}
    for text in texts:
        kind, separator, number = text.partition("=")
        if not separator or not number.isdecimal() or int(number) > 100_000:
            raise UsageError(f"{text!r} is not KIND=NUMBER, such as good=40.")
        workers[kind] = workers.get(kind, 0) + int(number)
    return workers
