"""An audit as one page: findings, tests, words, seeds, discoveries; how to read and repeat it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from markupsafe import Markup

from .. import page
from ..html import element, join
from ..page import render_page
from . import appendix, headline, seeds, tests
from .data import (
    AuditResult,
    Names,
    TestBySource,
    association_tests,
    factual_tests,
    sentence_tests,
    short_names,
    source_names,
)
from .many_sources import MAX_SEPARATE_SOURCES, many_page

_HEADING = re.compile(r'<section id="([\w-]+)"><h2>(.*?)</h2>')
NO_CHARTS = (
    "This page has no charts, because the packages that draw them are not installed. Install the "
    "extra 'plots' of Weatherglass and write the page again. The tables have all numbers."
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
        The page, with charts if the extra ``plots`` is installed. Every word is escaped. More than
        eight sources are shown together, not one by one.

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
    names = short_names(source_names(audit))
    if len(names) > MAX_SEPARATE_SOURCES:
        return many_page(audit, show_slurs=show_slurs)
    can_draw = page.can_draw()
    draw = _draw_chart if can_draw else _omit_chart
    sections = [
        headline.findings_section(audit, names),
        headline.overview_section(audit, names),
        *tests.effects_section(audit, names, draw),
        *tests.facts_section(audit, names, draw),
        *tests.words_section(audit, names, draw),
        *tests.sentences_section(audit, names, draw),
        *tests.measures_section(audit, names),
        *seeds.seed_choices_section(audit, names, draw),
        *appendix.discovery_section(audit, names),
        *seeds.lint_section(audit, names),
        *seeds.missing_words_section(audit, names),
        *appendix.steps_section(audit, names),
        appendix.notes_section(audit),
        appendix.citations_section(audit),
        appendix.repeat_section(audit),
    ]
    has_charts = any('<figure id="' in part for part in sections)
    return render_page(
        _title(list(names.values())),
        sections,
        show_slurs=show_slurs,
        contents=_contents(sections, can_draw),
        script=page.chart_script() if has_charts else "",
        sheets=("audit.css",),
    )


def _draw_chart(
    make: Callable[[], Any], name: str, description: str, *, fluid: bool = False
) -> Markup:
    return page.chart_figure(make(), name, description, fluid=fluid)


def _omit_chart(
    make: Callable[[], Any], name: str, description: str, *, fluid: bool = False
) -> Markup:
    return Markup()


def _title(names: list[str]) -> str:
    if len(names) > 3:
        return f"Audit of {len(names)} sources"
    *first, last = names or ["nothing"]
    return f"Audit of {', '.join(first)} and {last}" if first else f"Audit of {last}"


def _contents(sections: Sequence[Markup], can_draw: bool) -> Markup:
    """Links to the sections; and a note where there are no charts."""
    headings = filter(None, map(_HEADING.match, sections))
    links = (
        element("li", element("a", Markup(heading[2]), href=f"#{heading[1]}"))
        for heading in headings
    )
    nav = element("nav", element("ul", *links), aria_label="Contents", class_="contents")
    return nav if can_draw else join(nav, element("p", NO_CHARTS, class_="no-pictures"))


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
    sentences = [result for test in sentence_tests(results) for result in test.done.values()]
    if len(sentences) > 1:
        add(plot(sentences), "sentences")
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
