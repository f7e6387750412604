"""The parts of an audit that a model card and a record of evidence share, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from weatherglass._version import __version__
from weatherglass.findings import Finding, is_reversing, reversal_sentence, valence_sentence
from weatherglass.measures import Measurement
from weatherglass.significance import equate_p
from weatherglass.vectors import describe_history

from .. import numbers
from ..markdown import markdown_code, markdown_table, markdown_text
from .appendix import CITATION, NOTES, catalogue_entry
from .data import AuditResult
from .findings import dimension_title, report_order, source_valences

HEADS = (*("Test", "Compares", "Value", "95 % interval", "p", "p corrected", "Grade", "Published"),)


def results_of(audit: AuditResult, source: str) -> list[Measurement]:
    """The results on a source that have a number."""
    return [
        result
        for result in audit.results
        if result.source_name == source and result.is_done and result.main_value is not None
    ]


def results_table(audit: AuditResult, source: str, *, show_slurs: bool) -> str:
    """All results on a source, with their uncertainty."""
    rows = [_row(result, show_slurs) for result in results_of(audit, source)]
    if not rows:
        return "No test has a result."
    return "\n\n".join([markdown_table(HEADS, rows), *_legend(results_of(audit, source))])


def _row(result: Measurement, show_slurs: bool) -> list[str]:
    interval = result.main_interval
    ends = numbers.ABSENT if interval is None else numbers.interval(interval.low, interval.high)
    format_value = numbers.effect if result.decimals == 2 else numbers.measure
    name = result.test if result.section != "measures" else f"{result.measure}, {result.test}"
    return [
        markdown_text(name),
        markdown_text(result.title or result.test, show_slurs=show_slurs),
        format_value(result.main_value),
        ends,
        markdown_text(numbers.p_value(result.main_p_for_finding)),
        markdown_text(numbers.p_value(result.p_finding)),
        numbers.ABSENT if result.max_value is None else result.finding.grade,
        numbers.effect(result.published_value),
    ]


def _legend(results: Sequence[Measurement]) -> list[str]:
    """What the numbers of the table are, for the kinds of results that it has."""
    sections = {result.section for result in results}
    lines = []
    if sections & {"words", "sentences"}:
        lines.append(
            "The value of an association test is its effect size: the difference of the mean "
            "associations of two sets of words, in standard deviations."
        )
    if "facts" in sections:
        lines.append("The value of a factual test is a correlation.")
    if any(result.main_unit for result in results):
        lines.append("Numbers of sentence tests count each word once.")
    lines.append("p-values are two-sided unless a direction was declared.")
    lines.append("Corrected p-values take account of all tests of the source.")
    lines.append(
        "Clear: the result holds under all evidence that was collected. Mixed: it depends on "
        "something, which its sentence names. None: no clear difference."
    )
    return [" ".join(lines)]


def findings_list(audit: AuditResult, source: str, *, show_slurs: bool) -> str:
    """The findings on a source: changes of sign first, then by dimension, grade and size.

    Tests with a known answer are marked as controls, and come last.
    """
    findings = [
        result.finding for result in results_of(audit, source) if result.max_value is not None
    ]
    lines = [_finding_line(finding, show_slurs) for finding in sorted(findings, key=_sort_key)]
    return bullets(lines) or "There are no findings: no test was run."


def _sort_key(finding: Finding) -> tuple[bool, tuple[int, str, int, float]]:
    return not is_reversing(finding), report_order(finding)


def _finding_line(finding: Finding, show_slurs: bool) -> str:
    result = finding.result
    value = f"{result.main_name.capitalize()} {numbers.effect(result.main_value)}"
    p = "" if result.p_finding is None else f", corrected {equate_p(result.p_finding)}"
    mark = "**Changes its sign.** " if is_reversing(finding) else ""
    about = f"{dimension_title(result.dimension)}, " if result.dimension else ""
    sentence = reversal_sentence(finding) if mark else finding.sentence
    text = f"{about}{finding.grade}. {sentence} {value}{p} ({result.test})."
    return mark + markdown_text(text[:1].upper() + text[1:], show_slurs=show_slurs)


def discoveries_list(audit: AuditResult, source: str, *, show_slurs: bool) -> str:
    """What a search for biases that nobody named has found; empty if there was none."""
    return bullets(
        f"Search without given tests: {markdown_text(found.sentence(), show_slurs=show_slurs)}"
        for found in audit.discoveries
        if found.source_name == source
    )


def not_run_list(audit: AuditResult, source: str, *, show_slurs: bool = False) -> str:
    """The tests and steps without a result, with the reasons; empty if there are none."""
    tests = [
        f"{markdown_text(result.test)}: {markdown_text(result.reason, show_slurs=show_slurs)}"
        for result in audit.results
        if result.source_name == source and not result.is_done
    ]
    steps = [
        f"{markdown_text(str(step.get('title', '')))} ({step.get('status', '')}): "
        f"{markdown_text(str(step.get('reason', '')), show_slurs=show_slurs)}"
        for step in audit.about.get("steps", ())
        if step.get("source") == source and step.get("status") != "done"
    ]
    return bullets([*tests, *steps])


def limits_list() -> str:
    """What the numbers do not mean."""
    return bullets(NOTES)


def citations_list(audit: AuditResult) -> str:
    """The publications of the tests, and Weatherglass."""
    entries = [catalogue_entry(id) for id in dict.fromkeys(r.test for r in audit.results)]
    studies = [entry.study for entry in entries if entry is not None and entry.study]
    works = dict.fromkeys([CITATION, *(study.citation for study in studies)])
    return bullets(markdown_text(work, show_slurs=True) for work in works)


def source_lines(source: dict[str, Any], audit: AuditResult) -> list[str]:
    """What is known about a source, and what warns about its results."""
    facts = [f"Name: {markdown_code(str(source.get('name', '')))}"]
    if source.get("opens"):
        facts.append(f"Opened as: {markdown_code(str(source['opens']))}")
    facts.append(f"Kind: {_KINDS.get(str(source.get('kind')), 'unknown')}")
    facts += [f"Words: {source['words']:,}"] if isinstance(source.get("words"), int) else []
    facts += [f"Dimensions: {source['dim']:,}"] if isinstance(source.get("dim"), int) else []
    sizes = source.get("rows"), source.get("columns")
    if all(isinstance(size, int) for size in sizes):
        facts.append(f"Size: {sizes[0]:,} targets × {sizes[1]:,} attributes")
    if source.get("memory"):
        facts.append("An object in memory, which only its owner can open")
    if source.get("fingerprint"):
        facts.append(f"Fingerprint of its content: {markdown_code(str(source['fingerprint']))}")
    if source.get("reason"):
        facts.append(f"Could not be opened: {markdown_text(str(source['reason']))}")
    history = describe_history(source.get("history") or ())
    facts += [f"History: {markdown_text(text)}" for text in history]
    facts += [f"Valence: {v}" for v in map(valence_sentence, source_valences([source]).values())]
    for name, value in (source.get("facts") or {}).items():
        facts.append(f"{markdown_text(str(name))}: {markdown_text(str(value))}")
    results = results_of(audit, str(source.get("name", "")))
    warnings = dict.fromkeys(text for result in results for text in result.warnings)
    return facts + [f"Warning: {markdown_text(text)}" for text in warnings]


_KINDS = {
    "vectors": "word vectors",
    "encoder": "sentence encoder",
    "table": "association table",
}


def version_lines(audit: AuditResult) -> list[str]:
    """The versions, the options and the command of an audit."""
    about = audit.about
    machine = about.get("machine") or {}
    packages = ", ".join(f"{name} {v}" for name, v in (machine.get("packages") or {}).items())
    suite = about.get("suite") or {}
    suite_id, title = str(suite.get("id", "")), str(suite.get("title", ""))
    lines = [
        f"Weatherglass {about.get('weatherglass', __version__)}",
        f"Suite: {markdown_text(title)} ({markdown_text(suite_id)})",
        f"Random seed: {(about.get('options') or {}).get('rng', 0)}",
        f"Python {machine.get('python', '')} on {markdown_text(str(machine.get('platform', '')))}",
        f"Packages: {markdown_text(packages)}",
        f"Command: {markdown_code(str(about.get('command', '')))}",
    ]
    started = str(about.get("started", ""))
    return [*lines, f"Started: {started[:19].replace('T', ' ')} UTC"] if started else lines


def bullets(items: Iterable[str]) -> str:
    """Return a list in Markdown; items are escaped already."""
    return "\n".join(f"- {item}" for item in items)
