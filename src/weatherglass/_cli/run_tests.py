"""What the commands that run tests share: choosing tests, opening sources, printing results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe

from .output import Output, progress_bar, remarks, style, table
from .typeset import bibliography

if TYPE_CHECKING:
    from weatherglass.encoders import Workload
    from weatherglass.measures import ControlledValue, Embedding, Results
    from weatherglass.significance import Interval
    from weatherglass.vectors import Case, Control, FittedControl, Vectors


_MAX_WARNINGS = 4


def select_tests(ids: Sequence[str], files: Iterable[Path], kind: Any, *default: str) -> list[Any]:
    """Return the tests of ``--test`` and ``--tests``; without these, those that `default` matches.

    A pattern and a folder give only tests of the right kind; a test that is named must be of it.
    """
    from weatherglass.catalog import choose_tests

    return list(choose_tests([*ids, *files] or default, kind))


def is_table(source: str) -> bool:
    """Return whether a source is named as an association table: ``table:FILE``."""
    from weatherglass.vectors import parse_spec

    return source.startswith("table:") and parse_spec(source).scheme == "table"


def open_source(source: str, words: Iterable[str] | None = None, sample: bool = False) -> Vectors:
    """Open the vectors of a source, or the rows of these words, with a progress bar."""
    from weatherglass.vectors import open_vectors

    if is_table(source):
        raise UsageError(f"{quote_safe(source)} is an association table; this needs vectors.")
    with progress_bar(f"reading {source}") as draw:
        return open_vectors(source, words=words, sample=sample, progress=draw)


def open_rows(
    source: str, tests: Iterable[Any], sample: bool = False, case: Case = "auto"
) -> Embedding:
    """Open the rows of a source that tests need, with a sample of its rows for the baseline."""
    from weatherglass.measures import open_embedding

    sets = [words for test in tests for words in test.sets.values()]
    with progress_bar(f"reading {source}") as draw:
        return open_embedding(source, sets, case, sample=sample, progress=draw)


def open_controlled(
    source: str,
    tests: Iterable[Any],
    names: Sequence[str],
    sample: bool = False,
    case: Case = "auto",
) -> tuple[Embedding, Sequence[str] | Sequence[FittedControl] | None]:
    """Open the rows that tests need, and fit controls, for which all rows must be read.

    A table has no vectors to control, so it keeps their names, for which there is no number.
    """
    if not names:
        return open_rows(source, tests, sample, case), None
    from weatherglass.vectors import fit_control

    if is_table(source):
        return open_rows(source, tests), list(names)

    vectors, fitted = open_source(source), []
    with progress_bar("fitting controls") as draw:
        for number, name in enumerate(names):
            draw(number, len(names))
            fitted.append(fit_control(vectors, name))
    return vectors, fitted


def with_controlled_rows(
    row: dict[str, Any], result: Any, value: str, decimals: int = 2, p_name: str = "p"
) -> list[dict[str, Any]]:
    """Return the row of a result, and below it a row for each control.

    `value` and `p_name` are the columns of the number and its p-value; in the column `grade` stands
    what the control does to a clear effect.
    """
    from weatherglass.measures import control_outcome
    from weatherglass.significance import format_p

    rows = [row]
    for control in result.controls:
        if control.effect is None:
            continue
        below = dict.fromkeys(row, "")
        below |= {next(iter(row)): control.phrase, value: f"{control.effect:.{decimals}f}"}
        if control.p is not None:
            below |= {p_name: format_p(control.p), "grade": control_outcome(result, control)}
        rows.append(below)
    return rows


def interval_text(interval: Interval | None) -> str:
    """The ends of an interval, in a table."""
    return "" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"


def document_column(result: Any) -> dict[str, str]:
    """The column of the interval over documents, if the source has bootstrap samples."""
    if result.document_samples is None:
        return {}
    return {"over documents": interval_text(result.document_samples.interval)}


def interval_table(results: Iterable[Any]) -> str:
    """The table of all intervals of results that have more than the one in the first table."""
    rows = [
        {
            "test": result.test,
            "over": interval.about,
            "interval": interval_text(interval),
            "by": interval.method,
            "": interval.note,
        }
        for result in results
        if len(result.intervals) > 1
        for interval in result.intervals
    ]
    return table(rows, "95 % confidence intervals of the effect size") if rows else ""


def run_all(tests: Sequence[Any], measure: Callable[[Any], Any]) -> Results:
    """Run a measure on every test, with a progress bar."""
    from weatherglass.measures import Results

    results = []
    with progress_bar("measuring") as draw:
        for number, test in enumerate(tests):
            draw(number, len(tests))
            results.append(measure(test))
    return Results.of(results)


def language_of(source: str) -> str | None:
    """The language of the corpus that vectors were trained on; None if it is not known."""
    from weatherglass.corpus import language_of_models

    return language_of_models(source)


def warn_of_language(results: Results, tests: Sequence[Any], language: str | None) -> Results:
    """Return results with the language of the vectors, and a warning if a test is in another."""
    from weatherglass._languages import ENGLISH, language_name
    from weatherglass.measures import Results

    if language is None:
        return results
    # The tests of the catalogue, which have a study, are English.
    languages = {test.id: test.language or (ENGLISH if test.study else "") for test in tests}
    described = []
    for result in results:
        words = languages.get(result.test, "")
        facts: dict[str, Any] = {"language": language}
        if words and words != language:
            text = (
                f"the words of {result.test} are {language_name(words)}, but the vectors are of "
                f"{language_name(language)} text, where the same spelling may be another word."
            )
            facts["warnings"] = [*result.warnings, text]
        described.append(result.with_source(facts))
    return Results.of(described)


def finding_lines(results: Results) -> list[str]:
    """The findings under a table: test, grade and sentence; results with the same share a line."""
    is_several = len({result.source_name for result in results}) > 1
    lines: dict[str, list[str]] = {}
    for result in results:
        if result.is_done and not result.is_graded:
            continue
        name = f"{result.source_name} {result.test}" if is_several else result.test
        text = f", {result.finding}" if result.is_done else f": not run, {result.reason}."
        lines.setdefault(text, []).append(name)
    return [f"{join_first(dict.fromkeys(tests), 10)}{text}" for text, tests in lines.items()]


def evidence_note(results: Results) -> list[str]:
    """What the findings rest on, and what was not collected."""
    findings = [result.finding for result in results if result.is_done and result.is_graded]
    kinds = dict.fromkeys(item.kind for found in findings for item in found.evidence)
    declared = any(found.result.is_declared for found in findings)
    family = max((found.result.family for found in findings), default=1)
    p = "one-sided where you declared a direction" if declared else "two-sided"
    p += f", corrected for {family} tests" if family > 1 else ""
    names = {"p": f"p ({p})"}
    graded = [names.get(kind, kind) for kind in kinds if kind not in ("published", "power")]
    missing = dict.fromkeys(kind for found in findings for kind in found.not_collected)
    if not graded:
        return []
    text = f"Findings rest on: {', '.join(graded)}"
    return [text + (f"; not collected: {', '.join(missing)}." if missing else ".")]


def p_heading(results: Sequence[Any]) -> str:
    """The heading of the column of p-values, which says if they are one-sided."""
    sides = {result.options.get("alternative", "two-sided") for result in results}
    if sides == {"two-sided"}:
        return "p"
    return "p one-sided" if "two-sided" not in sides else "p as tested"


def write_results(
    results: Results,
    output: Output,
    layout: Callable[[Any], str],
    alpha: float = 0.01,
) -> None:
    """Write and draw results; raise `CannotMeasure` if no test could be run."""
    if output.format == "json":
        text = results.to_json() + "\n"
    elif output.format in ("tsv", "csv"):
        text = output.delimit_results(results)
    else:
        text = layout(results) + remarks(_remarks(results))
        if style():
            text += bibliography(results, style())
    output.write(text)
    output.write_bibtex(results)
    if all(result.status == "not run" for result in results):
        reasons = {result.reason for result in results}
        raise CannotMeasure(f"No test could be run: {next(iter(reasons))}.")
    output.draw(results, alpha=alpha)


def write_workload(work: Sequence[Workload], output: Output) -> None:
    """Write what encoders would have to do."""
    rows = [
        {
            "encoder": count.encoder,
            "sentences": count.sentences,
            "characters": count.characters,
            "requests": count.requests,
        }
        for count in work
    ]
    if not rows and output.format == "table":
        output.write("None of the sources is an encoder: nothing would be encoded or sent.\n")
        return
    title = "If the cache has none of the sentences"
    output.write_rows(rows, document=[vars(count) for count in work], title=title)


def _remarks(results: Results) -> list[str]:
    """The lines under a table: warnings, findings, controls, missing words."""
    from weatherglass.measures import describe_overlap

    lines = list(dict.fromkeys(f"Warning: {w}" for r in results for w in r.warnings))
    if len(lines) > _MAX_WARNINGS:
        number = len(lines) - _MAX_WARNINGS
        more = f"{number} more warning{'s' * (number > 1)} like these."
        lines = [*lines[:_MAX_WARNINGS], more]
    lines += finding_lines(results) + evidence_note(results)
    lines += list(
        dict.fromkeys(
            sentence
            for result in results
            for control in getattr(result, "controls", ())
            for sentence in describe_control(control)
        )
    )
    for result in results:
        for control in getattr(result, "controls", ()):
            if control.reason and control.name != "none":
                lines.append(f"{result.test}: not run {control.phrase}, {control.reason}.")
        if result.is_done and (overlap := describe_overlap(result.words)):
            lines.append(f"{result.test}: {overlap} counted as association.")
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
        if result.document_samples is not None:
            lines += [f"{result.test}: {note}." for note in result.document_samples.notes()]
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


def describe_control(control: Control | ControlledValue) -> list[str]:
    """Say how well frequency can be predicted from the vectors, and what was done about it.

    The list is empty for a control that does not change that.
    """
    from weatherglass.vectors import REMAINING_R2

    before, after = control.r2_before, control.r2_after
    if control.reason and before is None and control.asked not in ("auto", "none"):
        return [f"Control {control.asked}: not applied, {control.reason}."]
    if before is None:
        is_about_frequency = control.asked in ("auto", "none")
        reason = control.reason or "too few words to estimate how well it is predicted"
        return [f"Frequency: not removed; {reason}."] if is_about_frequency else []
    predicted = "count" if control.by == "counts" else "rank"
    if after is not None:
        remains = ": some frequency remains" if after > REMAINING_R2 else ""
        outcome = f"{after:.2f} after the control{remains}"
    elif control.asked == "none":
        outcome = "and it was not removed"
    else:
        outcome = "too little to remove"
    return [
        f"Frequency: the vectors predict log {predicted} of other words with R² {before:.2f}, "
        f"{outcome}."
    ]
