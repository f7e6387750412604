"""An audit as a record of evidence, with the clauses that ask for such records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weatherglass.measures import Measurement

from ..markdown import markdown_code, markdown_table, markdown_text
from .appendix import catalogue_entry
from .clauses import TEXTS, Text
from .data import AuditResult, short_names, source_names
from .summary import (
    bullets,
    citations_list,
    discoveries_list,
    findings_list,
    limits_list,
    not_run_list,
    results_table,
    source_lines,
    version_lines,
)

_PURPOSE = (
    "This document records what was tested for bias, on what, with which words, how, and with "
    "which results. It makes no statement about compliance with any law or standard, and it is "
    "not legal advice. Each clause below is paraphrased; the texts themselves decide."
)
_MAX_EXAMPLES = 3


def evidence(
    audit: AuditResult, *, digests: Mapping[str, str] | None = None, show_slurs: bool = False
) -> str:
    """Write an audit as a record of evidence in Markdown.

    Parameters
    ----------
    audit
        The results of an audit.
    digests
        The SHA-256 digests of the files of the audit, by name: they tie the document to them.
    show_slurs
        Write slurs out; they are masked otherwise.

    Returns
    -------
    str
        What was tested, on what, with which words, by which versions, with which results and
        limits; and what that contributes to clauses of the EU AI Act, the NIST AI RMF and New York
        City's Local Law 144, and what it does not.
    """
    names = source_names(audit)
    short = short_names(names)
    listed = {str(source.get("name")): source for source in audit.about.get("sources", ())}
    title = ", ".join(short.values())
    parts = [f"# Record of bias tests: {markdown_text(title)}", _PURPOSE, "## On what"]
    parts += [bullets(source_lines(listed.get(name, {"name": name}), audit)) for name in names]
    parts += ["## With which words", _words(audit, show_slurs), "## Results"]
    for name in names:
        if len(names) > 1:
            parts.append(f"### {markdown_text(short[name])}")
        parts.append(findings_list(audit, name, show_slurs=show_slurs))
        parts.append(discoveries_list(audit, name, show_slurs=show_slurs))
        parts.append(results_table(audit, name, show_slurs=show_slurs))
    parts += ["## What could not be tested", _not_run(audit, names, show_slurs)]
    parts += ["## How", _methods(audit), bullets(version_lines(audit))]
    if digests:
        rows = [[markdown_code(name), markdown_code(digest)] for name, digest in digests.items()]
        parts += ["Files of the audit:", markdown_table(["File", "SHA-256"], rows)]
    parts += ["## Limits", limits_list(), "## Clauses that ask for such records"]
    parts += [_clauses(text) for text in TEXTS]
    parts += ["## References", citations_list(audit), "## Review", _SIGNATURE]
    return "\n\n".join(filter(None, parts)) + "\n"


_SIGNATURE = """\
| Reviewed by | Role | Date | Signature |
| --- | --- | --- | --- |
|   |   |   |   |"""


def _words(audit: AuditResult, show_slurs: bool) -> str:
    """The words of every test, once for all sources; what a source lacks is listed below."""
    tests: dict[str, Measurement] = {}
    for result in audit.results:
        if result.test not in tests or not tests[result.test].words:
            tests[result.test] = result
    parts = []
    for result in tests.values():
        title = markdown_text(result.title or result.test, show_slurs=show_slurs)
        rows = [
            [
                markdown_text(name),
                markdown_text(result.label(name), show_slurs=show_slurs),
                f"{len(words):,}",
                _word_list(result, name, show_slurs),
            ]
            for name, words in result.words.items()
        ]
        heads = ["Set", "Stands for", "Used", "Words"]
        table = markdown_table(heads, rows) if rows else "No words were used."
        parts.append(f"**{markdown_text(result.test)}**: {title}\n\n{table}")
    return "\n\n".join(parts) or "No test was run."


def _word_list(result: Measurement, name: str, show_slurs: bool) -> str:
    """The words of a set; for sentences, the words that they are about, and examples."""
    words = result.words[name]
    if result.section != "sentences" or not any(" " in word for word in words):
        return markdown_text(", ".join(words), show_slurs=show_slurs)
    examples = "; ".join(words[:_MAX_EXAMPLES])
    about = _tested_words(result, name)
    if not about:
        return markdown_text(f"sentences such as: {examples}", show_slurs=show_slurs)
    text = f"{', '.join(about)} (in sentences such as: {examples})"
    return markdown_text(text, show_slurs=show_slurs)


def _tested_words(result: Measurement, name: str) -> list[str]:
    """The words that the sentences of a catalogue test are about."""
    entry = catalogue_entry(result.test)
    word_set: Any = None if entry is None else entry.sets.get(name)
    if word_set is None or not word_set.origins:
        return []
    used = set(result.words[name])
    origins = zip(word_set.words, word_set.origins, strict=True)
    return list(dict.fromkeys(origin for item, origin in origins if item in used))


def _not_run(audit: AuditResult, names: list[str], show_slurs: bool) -> str:
    parts = []
    for name in names:
        lines = not_run_list(audit, name, show_slurs=show_slurs)
        missing = [
            f"{markdown_text(result.test)}, {markdown_text(result.label(side))}: "
            + markdown_text(", ".join(words), show_slurs=show_slurs)
            for result in audit.results
            if result.source_name == name
            for side, words in result.missing.items()
            if words
        ]
        if lines:
            parts.append(f"Without a result on {markdown_code(name)}:\n\n{lines}")
        if missing:
            listed = bullets(dict.fromkeys(missing))
            parts.append(f"Words that {markdown_code(name)} does not have:\n\n{listed}")
    return "\n\n".join(parts) or "All tests were run, and no word was missing."


def _methods(audit: AuditResult) -> str:
    """How the p-values of the tests were computed."""
    methods: dict[str, list[str]] = {}
    for result in audit.results:
        if result.is_done and result.main_p_method:
            methods.setdefault(result.main_p_method, []).append(result.test)
    lines = [
        f"p-values, {markdown_text(method)}: {markdown_text(', '.join(dict.fromkeys(tests)))}"
        for method, tests in methods.items()
    ]
    return bullets(lines) or "No p-value was computed."


def _clauses(text: Text) -> str:
    rows = [
        [clause.place, clause.asks, clause.contributes, clause.missing] for clause in text.clauses
    ]
    heads = ["Clause", "Asks to", "This record contributes", "Not covered"]
    return f"### {text.title}\n\n{text.applies}\n\n{markdown_table(heads, rows)}"
