"""The section of an audit's report about rankings of documents that differ in a name."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from .data import AuditResult, Names, retrieval_tests
from .rendering import render_part


def retrieval_section(audit: AuditResult, names: Names) -> list[Markup]:
    """Whose documents are found: effects over names, selection rates and impact ratios."""
    rows = [
        (test.title, names[name], result, next(iter(result.controls), None), _rates(result))
        for test in retrieval_tests(audit.results)
        for name, result in test.done.items()
    ]
    return [render_part("audit/retrieval.html", rows=rows, names=names)] if rows else []


def _rates(result: Any) -> str:
    return " and ".join(f"{100 * rate:.1f} %" for rate in result.rates.values())
