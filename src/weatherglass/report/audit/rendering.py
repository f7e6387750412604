"""How the parts of an audit's report are written: templates with the numbers of results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from weatherglass.catalog import mask_slurs
from weatherglass.findings import Finding, is_reversing, lead_sentence, reversal_sentence
from weatherglass.measures import Measurement
from weatherglass.significance import equate_p

from .. import numbers
from ..html import label_markup
from ..templating import create_environment

if TYPE_CHECKING:
    from jinja2 import Environment


def render_part(template: str, /, **values: Any) -> Markup:
    """Fill in a template of ``templates/``."""
    return Markup(_environment().get_template(template).render(**values).strip())


@cache
def _environment() -> Environment:
    environment = create_environment()
    filters: dict[str, Any] = {
        "label": label_markup,
        "measure": numbers.measure,
        "equate_p": equate_p,
        "px": format_pixels,
    }
    environment.filters |= filters
    shared: dict[str, Any] = {
        "absent": numbers.ABSENT,
        "count_verdicts": count_verdicts,
        "finding_phrases": finding_phrases,
        "is_reversing": is_reversing,
        "lead_sentence": lead_sentence,
        "number_text": number_text,
        "p_details": p_details,
        "reversal_sentence": reversal_sentence,
    }
    environment.globals |= shared
    return environment


def format_pixels(length: float) -> str:
    """A length in a drawing, to a tenth of a pixel.

    >>> format_pixels(3.14159), format_pixels(12.0)
    ('3.1', '12')
    """
    return f"{length:.1f}".removesuffix(".0")


def number_text(result: Measurement) -> str:
    """The number of a result with what was published, its interval and its p-values."""
    published = result.published_value
    compared = "" if published is None else f" (published {numbers.effect(published)})"
    ends = result.main_interval
    interval = "" if ends is None else f", {ends.title} {numbers.interval(ends.low, ends.high)}"
    unit = f", {result.main_unit}" if result.main_unit else ""
    p = result.main_p_for_finding
    tested = "" if p is None else f", {equate_p(p)}{unit}"
    corrected = (
        "" if result.p_finding is None else f", corrected {numbers.p_value(result.p_finding)}"
    )
    value = numbers.effect(result.main_value)
    return f"{result.main_name} {value}{compared}{interval}{tested}{corrected}"


def p_details(result: Measurement) -> str:
    """How a p-value was corrected and computed, and the one-sided p-value of the paper."""
    details = [f"corrected {numbers.p_value(result.p_finding)}"] if result.p_finding else []
    is_one_sided = result.options.get("alternative", "two-sided") != "two-sided"
    if is_one_sided and not result.is_declared and not result.main_unit:
        details.append(f"one-sided {numbers.p_value(result.main_p)}")
    if result.main_p_method:
        details.append(result.main_p_method)
    return ", ".join(details)


def finding_phrases(finding: Finding) -> str:
    """What a finding depends on; for a test without a clear difference, what it could detect."""
    phrases = list(finding.depends_on) if finding.direction else []
    phrases += [item.text for item in finding.evidence if item.kind == "power"]
    return "; ".join(phrases)


def count_verdicts(finding: Finding) -> str:
    """How much of the evidence passes, for the summary of a fold."""
    counts = Counter(item.verdict for item in finding.evidence)
    counted = ", ".join(f"{counts[v]} {v}" for v in ("pass", "depends", "fails") if counts[v])
    return f"Evidence: {counted}" if counted else "Evidence"


def figure(
    drawing: str, *, id: str, title: str, description: str, source: str, table: str = ""
) -> Markup:
    """A figure with its title, its origin, and buttons to save it.

    Parameters
    ----------
    drawing
        SVG, as markup.
    id
        Its id on the page.
    title
        What it shows, in a sentence.
    description
        What a screen reader says in its place; the numbers are in a table.
    source
        Where the numbers come from.
    table
        The id of the table with its numbers.
    """
    return render_part(
        "figure.html",
        drawing=drawing,
        id=id,
        title=mask_slurs(title),
        description=mask_slurs(description),
        source=source,
        table=table,
    )


def join_names(names: Sequence[str]) -> str:
    """Join names for a sentence.

    >>> join_names(["a"]), join_names(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
