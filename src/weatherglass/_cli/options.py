"""The options that several commands share, each declared once."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import click

from weatherglass.errors import UsageError

from .output import Output, set_paper_option, set_raw_cells, set_style
from .typeset import STYLES

Command = TypeVar("Command", bound=Callable[..., Any])
_PLOT_SUFFIXES = (".svg", ".png", ".pdf", ".html", ".json")


def add_options(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    """Add options to a command so that ``--help`` lists them in this order."""
    for add in reversed(options):
        command = add(command)
    return command


# --- Output: --format, -o and --plot ---


def output_options(
    *formats: str,
    out: bool = True,
    plot: bool = False,
    charts: Mapping[str, str] = MappingProxyType({}),
    paper: bool = False,
    help: str = "Output format.",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add ``--format``, ``-o`` and ``--plot``; the command gets them as an `Output`.

    Parameters
    ----------
    formats
        Formats besides table, json, tsv, csv, markdown and latex.
    out, plot
        Whether to add ``-o`` and ``--plot``.
    charts
        Charts that ``--plot`` draws by name instead of the usual one, with what they show.
    paper
        Whether to add the options of tables for papers: ``--columns``, ``--caption``, ``--label``,
        ``--siunitx`` and ``--bibtex``, for which the command calls `Output.write_bibtex`.
    help
        The help text of ``--format``.
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def run(*arguments: Any, form: str, **options: Any) -> Any:
            path = options.pop("out") if out else None
            chart, picture = (options.pop("picture") if plot else None) or ("", None)
            return command(*arguments, output=Output(form, path, picture, chart), **options)

        chosen = [_format_option(formats, help), _raw_cells_option]
        chosen += _PAPER_OPTIONS if paper else []
        chosen += [out_option] if out else []
        chosen += [_plot_option(charts)] if plot else []
        return add_options(run, chosen)

    return add


def _format_option(formats: Sequence[str], help: str) -> Callable[..., Any]:
    return click.option(
        "--format",
        "form",
        type=click.Choice(["table", "json", "tsv", "csv", *formats, *STYLES]),
        default="table",
        show_default=True,
        callback=set_style,
        help=help,
    )


_raw_cells_option = click.option(
    "--raw-cells",
    is_flag=True,
    callback=set_raw_cells,
    expose_value=False,
    help="TSV and CSV for programs: no apostrophe before texts that a spreadsheet would run as a "
    "formula, and for tests a last column with the whole result as JSON.",
)


def _split_columns(context: click.Context, option: click.Parameter, text: str | None) -> Any:
    names = [name.strip() for name in text.split(",")] if text else []
    return set_paper_option(context, option, [name for name in names if name])


def _paper_option(name: str, help: str, **settings: Any) -> Callable[..., Any]:
    settings = {"callback": set_paper_option, "expose_value": False, **settings}
    return click.option(name, help=help, **settings)


def check_writable(
    context: click.Context, option: click.Parameter, path: Path | None
) -> Path | None:
    """Callback for a file to write: refuse it before anything is measured."""
    if path is None:
        return None
    if not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {path.parent}.")
    is_device = path.exists() and not path.is_file()
    if not is_device and not os.access(path.parent, os.W_OK):
        raise click.BadParameter(f"the folder {path.parent} is not writable.")
    return path


def check_plot(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a chart that cannot be written before anything is measured."""
    if path is not None and path.suffix not in _PLOT_SUFFIXES:
        raise click.BadParameter(f"{path.name} must end in .svg, .png, .pdf, .html or .json.")
    return check_writable(context, option, path)


def _plot_option(charts: Mapping[str, str]) -> Callable[[Command], Command]:
    """The option ``--plot``: a file, or a chart by name, with its file after a colon."""

    def check(context: click.Context, option: click.Parameter, value: str | None) -> Any:
        """Refuse a chart that cannot be written before anything is measured."""
        if value is None:
            return None
        name, _, rest = value.partition(":")
        chart = name if name in charts else ""
        path = Path(rest or f"{chart}.svg") if chart else Path(value)
        if path.suffix not in _PLOT_SUFFIXES:
            raise click.BadParameter(f"{path.name} must end in .svg, .png, .pdf, .html or .json.")
        return chart, check_writable(context, option, path)

    names = "".join(f"|{name}[:FILE]" for name in charts)
    others = "".join(f" {name}: {about}, to {name}.svg." for name, about in charts.items())
    return click.option(
        "--plot",
        "picture",
        type=click.Path(dir_okay=False),
        metavar=f"FILE{names}",
        callback=check,
        help="Also draw the results to this file: .svg, .png, .pdf, .html or .json (Vega-Lite)."
        + others,
    )


out_option = click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=check_writable,
    help="Write to this file instead of printing.",
)


def _check_bibtex(context: click.Context, option: click.Parameter, path: Path | None) -> Any:
    return set_paper_option(context, option, check_writable(context, option, path))


_PAPER_OPTIONS = (
    _paper_option(
        "--columns",
        "Columns of the first table that has them, or of TSV and CSV, by their headings: "
        "effect,p,grade.",
        metavar="NAME,...",
        callback=_split_columns,
    ),
    _paper_option("--caption", "Caption of that table, or of the first.", metavar="TEXT"),
    _paper_option(
        "--label",
        "LaTeX: label of that table; by default tab: and the command's name.",
        metavar="KEY",
    ),
    _paper_option(
        "--siunitx",
        "LaTeX: numbers for the package siunitx, aligned at the decimal point.",
        is_flag=True,
    ),
    _paper_option(
        "--bibtex",
        "Also write the publications to cite to this file, as BibTeX.",
        type=click.Path(dir_okay=False, path_type=Path),
        callback=_check_bibtex,
    ),
)

# --- Tests, and how their words are looked up ---


def check_share(context: click.Context, option: click.Parameter, value: float) -> float:
    """Callback for an option whose value is from 0 to 1."""
    if not 0 <= value <= 1:  # click's own range lets NaN through
        raise click.BadParameter(f"{value} is not a share from 0 to 1.")
    return value


_ids_option = click.option(
    "--test",
    "ids",
    multiple=True,
    metavar="ID",
    help="A test of the catalogue, or a pattern such as weat*; repeatable.",
)
own_tests_option = click.option(
    "--tests",
    "files",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE|DIR",
    help="Your own tests: YAML, the JSON format of the published sentence tests (SEAT), or a "
    "folder of these; repeatable.",
)
seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed."
)


def _parse_language(context: click.Context, option: click.Parameter, text: str | None) -> Any:
    from weatherglass._languages import parse_language

    return None if text is None else parse_language(text)


def language_option(help: str) -> Callable[[Any], Any]:
    """Return the option ``--language``: a code or an English name."""
    return click.option("--language", metavar="LANGUAGE", callback=_parse_language, help=help)


batch_size_option = click.option(
    "--batch-size",
    type=click.IntRange(1),
    help="Sentences that an encoder gets at a time; by default ?batch_size= in its name, or 64.",
)
alternative_option = click.option(
    "--alternative",
    type=click.Choice(["greater", "less", "two-sided"]),
    help="Alternative hypothesis: a direction that you declare before you look. By default, "
    "published tests have the one-sided p of their paper (greater) and your own tests a two-sided "
    "one (twice the smaller one-sided p, at most 1); findings use the two-sided p of both.",
)


def tests_options(command: Command) -> Command:
    """Add ``--test`` and ``--tests``, which choose association or factual tests."""
    return add_options(command, [_ids_option, own_tests_option])


def alpha_option(default: float, help: str) -> Callable[[Command], Command]:
    """Add ``--alpha``, a significance level."""
    return click.option(
        "--alpha", type=float, callback=check_share, default=default, show_default=True, help=help
    )


def case_option(
    auto: str = "in lower case if the vocabulary has no capitals",
) -> Callable[[Command], Command]:
    """Add ``--case``; `auto` describes the choice of that name."""
    return click.option(
        "--case",
        type=click.Choice(["auto", "keep", "lower"]),
        default="auto",
        show_default=True,
        help=f"Look words up as written (keep), in lower case (lower), or {auto} (auto).",
    )


def missing_option(default: float = 0.2, noun: str = "test") -> Callable[[Command], Command]:
    """Add ``--max-missing``; what is over it, a set or a test, is not measured."""
    return click.option(
        "--max-missing",
        type=float,
        callback=check_share,
        default=default,
        show_default=True,
        help="Maximum share of a set's words that may be out of vocabulary; a "
        f"{noun} above it is not run.",
    )


def overlap_option(command: Command) -> Command:
    """Add ``--allow-overlap``: a word may be both target and attribute."""
    return click.option(
        "--allow-overlap",
        is_flag=True,
        help="Also run a test in which a word is both target and attribute, so that its cosine "
        "with itself counts as association.",
    )(command)


def intervals_option(about: str) -> Callable[[Command], Command]:
    """Add ``--intervals``; `about` is what the crossed interval draws again."""
    return click.option(
        "--intervals",
        is_flag=True,
        help=f"Also compute the confidence interval over {about}, and that of the bootstrap (BCa).",
    )


def control_option(
    help: str, default: str | None = "none", *, single: bool = False
) -> Callable[[Command], Command]:
    """Add ``--control``; `help` says what is done with it.

    The value is a tuple of names, empty for none; a single name where vectors are controlled
    before everything else; None if the option is not given and has no default.
    """

    def parse(context: click.Context, option: click.Parameter, value: tuple[str, ...]) -> Any:
        from weatherglass.vectors import parse_controls, parse_single_control

        given = value or ((default,) if default is not None else None)
        if given is None:
            return None
        try:
            return parse_single_control(given) if single else parse_controls(given)
        except UsageError as error:
            raise UsageError(str(error).replace("control is", "--control is", 1)) from None

    several = "" if single else " Separate several by commas, or repeat the option."
    return click.option(
        "--control",
        multiple=True,
        callback=parse,
        metavar="frequency|center|top:K|whiten|auto|none",
        help=f"{help}{several} Join controls that are applied together by +, such as "
        f"frequency+top:2.{f'  [default: {default}]' if default else ''}",
    )


# --- Audits ---

folders_argument = click.argument(
    "folders", metavar="[DIR]...", nargs=-1, type=click.Path(file_okay=False, path_type=Path)
)


def _parse_log(context: click.Context, option: click.Parameter, target: str | None) -> Any:
    """Refuse a target that cannot be used before anything is measured."""
    if target is None:
        return None
    from weatherglass.integrations import parse_log

    log = parse_log(target)
    log.check()
    return log


log_option = click.option(
    "--log",
    callback=_parse_log,
    metavar="mlflow:URI",
    help="Also log the numbers to MLflow: a server such as mlflow:http://host:5000, a database "
    "such as mlflow:sqlite:///mlflow.db, or a folder such as mlflow:runs.",
)

# --- Workers and clusters ---


def worker_options(workers: str, tasks: str) -> Callable[[Command], Command]:
    """Add ``--workers`` and ``--cluster``.

    Parameters
    ----------
    workers
        What local workers are, and their default number.
    tasks
        What a cluster runs as a task.
    """
    local = click.option("--workers", type=click.IntRange(1), help=workers)
    return lambda command: add_options(command, [local, cluster_option(tasks)])


def cluster_option(tasks: str) -> Callable[[Command], Command]:
    """Add ``--cluster``; `tasks` is what a cluster runs as a task."""
    return click.option(
        "--cluster",
        metavar="ADDRESS|local",
        help=f"A Dask cluster, such as tcp://host:8786, or local to start one here; {tasks}. "
        "With ADDRESS?limit=600 a task is cancelled after 600 seconds and retried on another "
        "worker.",
    )


# --- Encoders ---

cache_option = click.option(
    "--no-cache",
    is_flag=True,
    help="Encode every sentence anew: read no encodings from the cache, and save none.",
)
dry_run_option = click.option(
    "--dry-run",
    is_flag=True,
    help="Only count the sentences that encoders would get, and the requests to endpoints; nothing "
    "is encoded or sent.",
)
