"""An audit as one report: a scorecard, findings, tests, words, seeds, discoveries, appendix."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from markupsafe import Markup

from .. import page
from ..page import Draw, render_page
from . import appendix, effects, groups, headline, measures, retrieval, seeds, words
from .data import (
    AuditResult,
    Names,
    TestBySource,
    association_tests,
    factual_tests,
    model_names,
    sentence_tests,
    short_names,
    source_names,
)
from .many_sources import MAX_SEPARATE_SOURCES, many_page
from .rendering import figure, join_names, render_part

CONTENTS = {
    "summary": "Summary",
    "findings": "Findings",
    "effects": "Association tests",
    "words": "Word by word",
    "facts": "Factual tests",
    "sentences": "Sentence encoders",
    "groups": "Several groups",
    "retrieval": "Documents found",
    "choices": "Other seed words",
    "discovery": "Discovery",
    "measures": "Other measures",
    "lint": "Seed checks",
    "missing": "Missing words",
    "steps": "Steps",
    "measured": "What was measured",
    "notes": "How to read it",
    "cite": "How to cite",
    "repeat": "How to repeat it",
}
"""The short names of the sections in the contents; their headings state what was found."""

_SECTION = re.compile(r'<section id="([\w-]+)">')
NO_CHARTS = (
    "Some charts are left out, because the packages that draw them are not installed. Install the "
    "extra 'plots' of Weatherglass and write the report again. The tables have all numbers."
)


def audit_page(audit: AuditResult, *, show_slurs: bool = False) -> str:
    """Write an audit as one HTML file that needs no network.

    Parameters
    ----------
    audit
        The results of an audit.
    show_slurs
        Slurs are masked until the reader ticks a box; with this the box is ticked from the start.

    Returns
    -------
    str
        The report. Its first page has a scorecard by social dimension, three sentences and one
        caveat; the rest follows in sections, with details in folds. Every word is escaped. Some
        charts need the extra ``plots``. More than eight sources are shown together, not one by one.

    Examples
    --------
    >>> import weatherglass as wg
    >>> from weatherglass.report.audit.data import AuditResult
    >>> vectors = wg.open_vectors("default")
    >>> results = wg.Results.of(wg.weat(vectors, id) for id in ("weat6", "weat7")).correct()
    >>> page = audit_page(AuditResult({"sources": [{"name": "default"}]}, results))
    >>> "Male names are more strongly associated with career words" in page
    True
    """
    names = model_names(source_names(audit))
    if len(names) > MAX_SEPARATE_SOURCES:
        return many_page(audit, show_slurs=show_slurs)
    omitted: list[str] = []
    draw = _draw_charts_of(audit) if page.can_draw() else _omit_charts(omitted)
    sections = [
        headline.summary_section(audit, names),
        headline.findings_section(audit, names),
        *effects.effects_section(audit, names),
        *words.words_section(audit, names),
        *words.facts_section(audit, names),
        *effects.sentences_section(audit, names, draw),
        *groups.groups_section(audit, names, draw),
        *retrieval.retrieval_section(audit, names),
        *seeds.seed_choices_section(audit, names),
        *appendix.discovery_section(audit, names),
        *measures.measures_section(audit, names),
        *seeds.lint_section(audit, names),
        *seeds.missing_words_section(audit, names),
        *appendix.steps_section(audit, names),
        headline.overview_section(audit, names),
        appendix.notes_section(audit),
        appendix.citations_section(audit),
        appendix.repeat_section(audit),
    ]
    return render_page(
        _title(list(names.values())),
        sections,
        show_slurs=show_slurs,
        subtitle=headline.model_line(audit),
        warning="",
        contents=_contents(sections, omitted),
        script=page.report_script(),
        sheets=("audit.css",),
    )


def _draw_charts_of(audit: AuditResult) -> Draw:
    """Return the function that puts charts of altair into figures, as static SVG."""

    def draw(
        make: Callable[[], Any],
        name: str,
        description: str,
        *,
        title: str,
        table: str = "",
        sources: Sequence[str] = (),
    ) -> Markup:
        return figure(
            page.static_chart(make(), name),
            id=name,
            title=title,
            description=description,
            source=effects.source_line(audit, sources),
            table=table,
        )

    return draw


def _omit_charts(omitted: list[str]) -> Draw:
    """Return the function that leaves charts out, and notes their ids."""

    def draw(make: Callable[[], Any], name: str, description: str, **options: Any) -> Markup:
        omitted.append(name)
        return Markup()

    return draw


def _title(names: list[str]) -> str:
    if len(names) > 3:
        return f"Audit of {len(names)} sources"
    return f"Audit of {join_names(names or ['nothing'])}"


def _contents(sections: Sequence[Markup], omitted: Collection[str]) -> Markup:
    """Links to the sections; and a note where charts are missing."""
    ids = [match[1] for part in sections if (match := _SECTION.match(part))]
    links = [(id, CONTENTS[id]) for id in ids]
    return render_part("audit/contents.html", links=links, note=NO_CHARTS if omitted else "")


def audit_figures(audit: AuditResult, *, show_slurs: bool = False) -> dict[str, Any]:
    """Draw the charts of an audit, by names that can be file names.

    Parameters
    ----------
    audit
        The results of an audit.
    show_slurs
        Write slurs out; they are masked otherwise.

    Returns
    -------
    dict of str to altair.Chart
        `weatherglass.save_plot` writes them to files.

    Raises
    ------
    MissingExtra
        The extra ``plots`` is not installed.
    """
    from ..charts import (
        draw_forest,
        draw_scatter,
        draw_strips,
        import_altair,
        plot,
        plot_discovery,
        plot_groups,
        plot_multiverses,
        plot_trend,
    )

    import_altair()  # raises before any work where it is missing
    names = short_names(source_names(audit))
    results = audit.results
    if len(names) > MAX_SEPARATE_SOURCES:
        return {"course": plot_trend(results)[0]}
    figures: dict[str, Any] = {}

    def add(chart: Any, *name: str) -> None:
        figures[_file_name(name, figures)] = chart if show_slurs else page.mask_chart(chart)

    words = [test for test in association_tests(results) if test.done]
    if words:
        add(draw_forest(words, _names_with_results(names, words)), "effects")
    for test in factual_tests(results):
        for source, result in test.done.items():
            add(draw_scatter(result), "facts", test.test, names[source])
    for test in words:
        add(draw_strips(test, _names_with_results(names, [test])), "words", test.test)
    several: list[Any] = [r for r in results if r.is_done and r.chart == "groups"]
    for result in several:
        add(plot_groups(result), "groups", result.test, names[result.source_name])
    sentences = [result for test in sentence_tests(results) for result in test.done.values()]
    if len(sentences) > 1:
        add(plot(sentences, source_line=False), "sentences")
    for multiverse in audit.multiverses:
        name = names[multiverse.source_name]
        add(plot_multiverses([multiverse]), "choices", multiverse.test, name)
    for discovery in audit.discoveries:
        if discovery.significant:
            name = names[discovery.source_name]
            add(plot_discovery(discovery, show_slurs=True), "discovery", name)
    return figures


def _names_with_results(names: Names, tests: Sequence[TestBySource]) -> dict[str, str]:
    """The sources on which any of the tests has a result."""
    return {
        name: short for name, short in names.items() if any(name in test.done for test in tests)
    }


def _file_name(parts: tuple[str, ...], used: Collection[str]) -> str:
    """A file name that is not used yet, of characters that every system allows."""
    name = "-".join(re.sub(r"[^A-Za-z0-9.+_-]+", "_", part)[:40].strip("._-") for part in parts)
    candidates = (name, *(f"{name}-{number}" for number in range(2, len(used) + 3)))
    return next(candidate for candidate in candidates if candidate not in used)
