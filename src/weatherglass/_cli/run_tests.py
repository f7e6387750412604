"""What the commands that run tests share: which tests, on which source, and what is said after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from weatherglass.errors import CannotMeasure, UsageError, quote_safe

from .output import progress_bar, put, remarks, style
from .typeset import bibliography

if TYPE_CHECKING:
    from weatherglass.measures import Results
    from weatherglass.vectors import Control, Vectors

Command = TypeVar("Command", bound=Callable[..., Any])


ids_option = click.option(
    "--test",
    "ids",
    multiple=True,
    metavar="ID",
    help="A test of the catalogue; may be given again, and may be a pattern (weat*).",
)
own_tests_option = click.option(
    "--tests",
    "files",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE|DIR",
    help="Your own tests: YAML, the JSON of the sentence-bias work, or a folder of them.",
)
alternative_option = click.option(
    "--alternative",
    type=click.Choice(["greater", "less", "two-sided"]),
    default="greater",
    show_default=True,
    help="Which tail; two-sided is twice the smaller one, at most 1.",
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="For what is drawn at random.",
)
control_option = click.option(
    "--control",
    type=click.Choice(["auto", "frequency", "none"]),
    default="none",
    show_default=True,
    help="Measure once more without word frequency, and say how much of the effect survives; auto: "
    "where frequency is a large part of the vectors.",
)
_case_option = click.option(
    "--case",
    type=click.Choice(["auto", "keep", "lower"]),
    default="auto",
    show_default=True,
    help="Look words up as written, in lower case, or (auto) in lower case where the vocabulary "
    "has no capitals.",
)


def a_share(context: click.Context, option: click.Parameter, value: float) -> float:
    if not 0 <= value <= 1:  # click's own range lets NaN through
        raise click.BadParameter(f"{value} is not a share from 0 to 1.")
    return value


missing_option = click.option(
    "--max-missing",
    type=float,
    callback=a_share,
    default=0.2,
    show_default=True,
    help="Largest share of a set's words that may be missing; a test over it is not run.",
)


def test_options(command: Command) -> Command:
    """Add SOURCE and the options that say which tests and how words are looked up."""
    for add in (missing_option, _case_option, own_tests_option, ids_option):
        command = add(command)
    return click.argument("source")(command)


def chosen_tests(
    ids: Sequence[str], files: Iterable[Path], kind: type[Any], *otherwise: str
) -> list[Any]:
    """The tests asked for; `otherwise` has the patterns for when none was.

    A pattern and a folder give the tests of the right kind; a test that is named must be of it.
    """
    from weatherglass.catalog import load_tests, test, tests

    found: list[Any] = []
    for name in ids:
        if any(c in name for c in "*?["):
            found += [entry for entry in tests(name) if isinstance(entry, kind)]
        else:
            found.append(test(name))
    own = [entry for path in files for entry in load_tests(path)]
    found += [entry for entry in own if isinstance(entry, kind)]
    if not ids and not own:
        found = [entry for entry in tests(*otherwise) if isinstance(entry, kind)]
    wrong = next((entry for entry in found if not isinstance(entry, kind)), None)
    if wrong is not None:
        other = "wefat" if wrong.kind == "factual" else "weat"
        kind_name = "an association" if wrong.kind == "association" else f"a {wrong.kind}"
        raise UsageError(f"{wrong.id} is {kind_name} test: run it with `weatherglass {other}`.")
    if not found:
        raise UsageError(f"What was asked for holds no {kind.kind} test.")
    chosen: dict[str, Any] = {}
    for entry in found:
        if chosen.setdefault(entry.id, entry) != entry:
            raise UsageError(
                f"Two different tests are called {quote_safe(entry.id)}; rename yours."
            )
    return list(chosen.values())


def open_for(source: str, tests: Iterable[Any]) -> Vectors:
    """The rows of a source that some tests need."""
    from weatherglass.measures import spellings
    from weatherglass.vectors import open_vectors

    sets = [one for entry in tests for one in entry.sets.values()]
    with progress_bar(f"reading {source}") as draw:
        return open_vectors(source, words=spellings(sets), progress=draw)


def control_for(
    source: str, tests: Iterable[Any], method: Any
) -> tuple[Vectors, tuple[Vectors, Control] | None]:
    """The rows of a source that some tests need, and the same without frequency if asked for."""
    if method == "none":
        return open_for(source, tests), None
    from weatherglass.vectors import control, open_vectors

    with progress_bar(f"reading {source}") as draw:
        vectors = open_vectors(source, progress=draw)
    with progress_bar("taking frequency out") as draw:
        return vectors, control(vectors, method, progress=draw)


def survival_columns(one: Any) -> dict[str, str]:
    """What a table says of a result that was also measured without frequency."""
    from weatherglass.significance import format_p

    if one.control is None or one.control["method"] == "none":
        return {}
    value = one.control.get("effect", one.control.get("pearson"))
    survives = one.control["survives"]
    return {
        "controlled": "" if value is None else f"{value:.2f}, p {format_p(one.control['p'])}",
        "survives": "" if survives is None else f"{survives:.0%}",
    }


def run_all(tests: Sequence[Any], measure: Callable[[Any], Any]) -> Results:
    """Run a measure on every test, with a progress bar."""
    from weatherglass.measures import Results

    made = []
    with progress_bar("measuring") as draw:
        for k, entry in enumerate(tests):
            draw(k, len(tests))
            made.append(measure(entry))
    return Results.of(made)


def say(
    results: Results,
    form: str,
    out: Path | None,
    picture: Path | None,
    table: Callable[[Sequence[Any]], str],
    alpha: float = 0.01,
) -> None:
    """Print or write the results, draw them; fail if not one test could be run."""
    if form == "json":
        text = results.to_json() + "\n"
    elif form in ("tsv", "csv"):
        text = results.to_delimited("\t" if form == "tsv" else ",")
    else:
        text = table(results) + remarks(_lines(results))
        if style():
            text += bibliography(results, style())
    put(text, out)
    if all(one.status == "not run" for one in results):
        reasons = {one.reason for one in results}
        raise CannotMeasure(f"No test could be run: {next(iter(reasons))}.")
    if picture is not None:
        from weatherglass.report import plot, save_plot

        save_plot(plot(results, alpha=alpha), picture)


def _lines(results: Results) -> list[str]:
    """What was done about frequency, tests not run and words missing, a line each."""
    controls = {one.test: getattr(one, "control", None) for one in results}
    lines = list(dict.fromkeys(frequency_told(told) for told in controls.values() if told))
    lines += [f"{one.test}: not run, {one.reason}." for one in results if one.status == "not run"]
    for one in results:
        if (told := controls[one.test]) and told["reason"]:
            lines.append(f"{one.test}: not run without frequency, {told['reason']}.")
        gaps = [
            f"{name} {', '.join(quote_safe(word) for word in words)}"
            for name, words in one.missing.items()
            if words
        ]
        if gaps and one.status == "done":
            lines.append(f"{one.test}: missing words: {'; '.join(gaps)}.")
        for name, words in one.merged.items():
            some = ", ".join(quote_safe(word) for word in words)
            lines.append(f"{one.test}: {name} has {some} twice in lower case; used once.")
    return lines


def frequency_told(told: dict[str, Any]) -> str:
    """What was done about frequency, in a sentence."""
    before, after = told["r2_before"], told["r2_after"]
    if before is None:
        return "Frequency: too few words to say how much of it is in the vectors; left in."
    known = "count" if told["by"] == "counts" else "rank"
    left = "and it was left in" if told.get("asked") == "none" else "so little that it is left in"
    left = f"{after:.2f} after the control" if after is not None else left
    return f"Frequency: the vectors predict log {known} with R² {before:.2f}, {left}."
