"""An audit as a model card: Markdown with the metadata of the Hugging Face Hub."""

from __future__ import annotations

from collections.abc import Iterator

from weatherglass.catalog import mask_slurs
from weatherglass.measures import Measurement

from ..markdown import markdown_text, yaml_number, yaml_text
from .data import AuditResult, short_names, source_names
from .summary import (
    bullets,
    citations_list,
    discoveries_list,
    findings_list,
    limits_list,
    not_run_list,
    results_of,
    results_table,
    source_lines,
    version_lines,
)

TASK = "bias-evaluation"
_METRICS = {"effect": "effect_size", "correlation": "pearson"}


def model_card(audit: AuditResult, *, show_slurs: bool = False) -> str:
    """Write an audit as a model card, or as a section to paste into one.

    Parameters
    ----------
    audit
        The results of an audit.
    show_slurs
        Write slurs out; they are masked otherwise.

    Returns
    -------
    str
        Markdown that begins with metadata in YAML: tags, and a ``model-index`` with the effect size
        and the corrected p-value of every test.
    """
    names = source_names(audit)
    parts = [f"---\n{_metadata(audit, show_slurs)}\n---", "## Bias evaluation", _INTRODUCTION]
    listed = {str(source.get("name")): source for source in audit.about.get("sources", ())}
    for name in names:
        if len(names) > 1:
            parts.append(f"### {markdown_text(short_names(names)[name])}")
        not_run = not_run_list(audit, name, show_slurs=show_slurs)
        parts += [
            bullets(source_lines(listed.get(name, {"name": name}), audit)),
            findings_list(audit, name, show_slurs=show_slurs),
            discoveries_list(audit, name, show_slurs=show_slurs),
            results_table(audit, name, show_slurs=show_slurs),
            *([f"Without a result:\n\n{not_run}"] if not_run else []),
        ]
    parts += [
        f"### Limits of these numbers\n\n{limits_list()}",
        f"### How to repeat it\n\n{bullets(version_lines(audit))}",
        f"### References\n\n{citations_list(audit)}",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


_INTRODUCTION = (
    "Association tests compare how strongly words for groups of people are associated with other "
    "words. They measure the embedding, not an application of it."
)


def _metadata(audit: AuditResult, show_slurs: bool) -> str:
    """The front matter, written by hand: every text is quoted, and order is kept."""
    names = source_names(audit)
    lines = ["tags:", "- bias-evaluation", "- weatherglass"]
    entries = [
        [f"- name: {yaml_text(short_names(names)[name])}", "  results:", *results]
        for name in names
        if (results := list(_index_results(audit, name, show_slurs)))
    ]
    if entries:
        lines += ["model-index:", *(line for entry in entries for line in entry)]
    return "\n".join(lines)


def _index_results(audit: AuditResult, source: str, show_slurs: bool) -> Iterator[str]:
    """The lines of the results of a source in ``model-index``."""
    for result in results_of(audit, source):
        assert result.main_value is not None  # `results_of` has only such
        title = result.title or result.test
        yield f"  - task: {{type: {TASK}, name: Bias evaluation}}"
        yield "    dataset:"
        yield f"      type: {yaml_text(_dataset(result))}"
        yield f"      name: {yaml_text(title if show_slurs else mask_slurs(title))}"
        yield "    metrics:"
        yield from _metric(_METRICS.get(result.main_name, result.measure), result.main_value)
        if result.p_finding is not None:
            yield from _metric("p_value_corrected", result.p_finding)


def _dataset(result: Measurement) -> str:
    is_measure = result.section == "measures"
    return f"{result.measure}-{result.test}" if is_measure else result.test


def _metric(kind: str, value: float) -> Iterator[str]:
    yield f"    - type: {yaml_text(kind)}"
    yield f"      value: {yaml_number(value)}"
