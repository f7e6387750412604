"""What the commands that run tests share: choosing tests, opening sources, printing results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe

from .output import Output, progress_bar, remarks, style
from .typeset import bibliography

if TYPE_CHECKING:
    from weatherglass.measures import Results
    from weatherglass.significance import Interval
    from weatherglass.vectors import Control, Vectors


_ALPHA = 0.05


def select_tests(ids: Sequence[str], files: Iterable[Path], kind: Any, *default: str) -> list[Any]:
    """Return the tests of ``--test`` and ``--tests``; without these, those that `default` matches.

    A pattern and a folder give only tests of the right kind; a test that is named must be of it.
    """
    from weatherglass.catalog import load_tests, test, tests

    named: list[Any] = []
    for name in ids:
        if any(c in name for c in "*?["):
            named += [entry for entry in tests(name) if isinstance(entry, kind)]
        else:
            named.append(test(name))
    own = [entry for path in files for entry in load_tests(path)]
    named += [entry for entry in own if isinstance(entry, kind)]
    if not ids and not own:
        named = [entry for entry in tests(*default) if isinstance(entry, kind)]
    wrong = next((entry for entry in named if not isinstance(entry, kind)), None)
    if wrong is not None:
        command = "wefat" if wrong.kind == "factual" else "weat"
        kind_name = "an association" if wrong.kind == "association" else f"a {wrong.kind}"
        raise UsageError(f"{wrong.id} is {kind_name} test: run it with `weatherglass {command}`.")
    if not named:
        name = getattr(kind, "kind", "association or factual")
        raise UsageError(f"The tests that you named include no {name} test.")
    by_id: dict[str, Any] = {}
    for entry in named:
        if by_id.setdefault(entry.id, entry) != entry:
            raise UsageError(
                f"Two different tests have the id {quote_safe(entry.id)}; rename yours."
            )
    return list(by_id.values())


def open_source(source: str, words: Iterable[str] | None = None) -> Vectors:
    """Open the vectors of a source, or the rows of these words, with a progress bar."""
    from weatherglass.vectors import open_vectors

    with progress_bar(f"reading {source}") as draw:
        return open_vectors(source, words=words, progress=draw)


def open_rows(source: str, tests: Iterable[Any]) -> Vectors:
    """Open the rows of a source that tests need."""
    from weatherglass.measures import spellings

    return open_source(source, spellings([words for test in tests for words in test.sets.values()]))


def open_controlled(
    source: str, tests: Iterable[Any], method: Any
) -> tuple[Vectors, tuple[Vectors, Control] | None]:
    """Open the rows that tests need, and the same with word frequency removed unless `method` is
    ``none``. To remove frequency, all rows must be read."""
    if method == "none":
        return open_rows(source, tests), None
    from weatherglass.vectors import control

    vectors = open_source(source)
    with progress_bar("removing word frequency") as draw:
        return vectors, control(vectors, method, progress=draw)


def control_columns(result: Any) -> dict[str, str]:
    """The columns of a table for a result that was also measured with frequency removed."""
    from weatherglass.significance import format_p

    control = result.control
    if control is None or control["method"] == "none":
        return {}
    value = control.get("effect", control.get("pearson"))
    survives = control["survives"]
    return {
        "controlled": "" if value is None else f"{value:.2f}, p {format_p(control['p'])}",
        "survives": "" if survives is None else f"{survives:.0%}",
    }


def interval_text(interval: Interval | None) -> str:
    """The ends of an interval, in a table."""
    return "" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"


def run_all(tests: Sequence[Any], measure: Callable[[Any], Any]) -> Results:
    """Run a measure on every test, with a progress bar."""
    from weatherglass.measures import Results

    results = []
    with progress_bar("measuring") as draw:
        for number, test in enumerate(tests):
            draw(number, len(tests))
            results.append(measure(test))
    return Results.of(results)


def write_results(
    results: Results,
    output: Output,
    table: Callable[[Any], str],
    alpha: float = 0.01,
) -> None:
    """Write and draw results; raise `CannotMeasure` if no test could be run."""
    if output.format == "json":
        text = results.to_json() + "\n"
    elif output.format in ("tsv", "csv"):
        text = results.to_delimited(output.delimiter)
    else:
        text = table(results) + remarks(_remarks(results))
        if style():
            text += bibliography(results, style())
    output.write(text)
    if all(result.status == "not run" for result in results):
        reasons = {result.reason for result in results}
        raise CannotMeasure(f"No test could be run: {next(iter(reasons))}.")
    output.draw(results, alpha=alpha)


def _remarks(results: Results) -> list[str]:
    """The lines under a table: control, power, tests that were not run, missing words."""
    controls = {result.test: getattr(result, "control", None) for result in results}
    lines = list(dict.fromkeys(describe_control(c) for c in controls.values() if c))
    lines += [f"{r.test}: not run, {r.reason}." for r in results if r.status == "not run"]
    lines += _power_remarks(results)
    for result in results:
        if (control := controls[result.test]) and control["reason"]:
            lines.append(f"{result.test}: not run without frequency, {control['reason']}.")
        missing = [
            f"{name} {', '.join(quote_safe(word) for word in words)}"
            for name, words in result.missing.items()
            if words
        ]
        if missing and result.status == "done":
            cause = _MISSING_SENTENCES.get(getattr(result, "tested_words", ""), "missing words")
            lines.append(f"{result.test}: {cause}: {'; '.join(missing)}.")
        elif getattr(result, "tested_words", "") == "own words":
            lines.append(f"{result.test}: its sentences fit no template; p counts sentences.")
        for name, words in result.merged.items():
            listed = ", ".join(quote_safe(word) for word in words)
            lines.append(f"{result.test}: {name} has {listed} twice in lower case; used once.")
    return lines


_MISSING_SENTENCES = {
    "given": "missing sentences, whose tested word the encoder does not know",
    "template": "missing sentences, whose tested word the encoder does not know",
    "own words": "missing sentences, of whose own words the encoder knows none",
}
"""Why sentences are missing, by how their tested words were found (`SeatResult.tested_words`)."""


def _power_remarks(results: Results) -> list[str]:
    """What tests without a clear difference could have found; tests of one size share a line."""
    family = sum(result.p_for_correction is not None for result in results)
    unclear: dict[str, list[str]] = {}
    for result in results:
        if text := result.could_find(family):
            unclear.setdefault(f"{_absence(result)}; {text}", []).append(result.test)
    return [f"{join_first(dict.fromkeys(tests))}: {text}." for text, tests in unclear.items()]


def _absence(result: Any) -> str:
    """What a test has not found; a one-sided test does not look at the other direction."""
    is_one_sided = getattr(getattr(result, "p", None), "alternative", "two-sided") != "two-sided"
    if is_one_sided and (result.main_p or 0.0) > 1 - _ALPHA:
        return "a difference in the direction that was not tested"
    return "no clear difference"


def describe_control(control: dict[str, Any]) -> str:
    """Say in a sentence how strong word frequency is in the vectors, and what was done about it."""
    before, after = control["r2_before"], control["r2_after"]
    if before is None:
        return "Frequency: too few words to estimate how well the vectors predict it; not removed."
    predicted = "count" if control["by"] == "counts" else "rank"
    if after is not None:
        outcome = f"{after:.2f} after the control"
    elif control.get("asked") == "none":
        outcome = "and it was not removed"
    else:
        outcome = "too little to remove"
    return f"Frequency: the vectors predict log {predicted} with R² {before:.2f}, {outcome}."
