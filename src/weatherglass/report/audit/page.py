"""An audit as one page: findings, tests, words, seeds, discoveries; how to read and repeat it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from .. import page
from ..html import element, join
from ..page import render_page
from . import appendix, headline, measures, seeds, tests
from .data import (
    AuditResult,
    TestBySource,
    association_tests,
    factual_tests,
    sentence_tests,
    short_names,
    source_name,
    source_names,
)
from .many_sources import MAX_SEPARATE_SOURCES, many_page

_HEADING = re.compile(r'<section id="([\w-]+)"><h2>(.*?)</h2>')
NO_PICTURES = (
    "This page has no charts, because the packages that draw them are not installed. Install the "
    "extra 'plots' of Weatherglass and write the page again. The tables have all numbers."
)


def audit_page(audited: AuditResult, *, show_slurs: bool = False) -> str:
    """An audit as one HTML file that needs no network.

    Parameters
    ----------
    audited
        What an audit found.
    show_slurs
        Slurs are masked until the reader ticks a box; with this the box is ticked from the start.

    Returns
    -------
    str
        The page, with pictures if the extra ``plots`` is installed. Every word is escaped. More
        than eight sources are shown together, not one by one.

    Examples
    --------
    >>> import weatherglass as wg
    >>> from weatherglass.report.audit.data import Audited
    >>> vectors = wg.open_vectors("default")
    >>> results = wg.Results.of(wg.weat(vectors, id) for id in ("weat6", "weat7")).correct()
    >>> page = audit_page(AuditResult({"sources": [{"name": "default"}]}, results))
    >>> "Male names are nearer to career words, and female names to family words." in page
    True
    """
    names = short_names(source_names(audited))
    if len(names) > MAX_SEPARATE_SOURCES:
        return many_page(audited, show_slurs=show_slurs)
    drawing = page.can_draw()
    draw = _draw if drawing else _leave_out
    made = [
        headline.findings_section(audited, names),
        headline.overview_section(audited, names),
        *tests.effects_section(audited, names, draw),
        *tests.facts_section(audited, names, draw),
        *tests.words_section(audited, names, draw),
        *tests.sentences_section(audited, names, draw),
        *measures.measures_section(audited, names),
        *seeds.seed_choices_section(audited, names, draw),
        *appendix.discovery_section(audited, names),
        *seeds.lint_section(audited, names),
        *seeds.missing_words_section(audited, names),
        *appendix.steps_section(audited, names),
        appendix.notes_section(audited),
        appendix.citations_section(audited),
        appendix.repeat_section(audited),
    ]
    has_pictures = any('<figure id="' in one for one in made)
    return render_page(
        _title(list(names.values())),
        made,
        show_slurs=show_slurs,
        contents=_contents(made, drawing),
        script=page.chart_script() if has_pictures else "",
        sheets=("audit.css",),
    )


def _draw(make: Callable[[], Any], name: str, told: str, *, fluid: bool = False) -> Markup:
    return page.chart_figure(make(), name, told, fluid=fluid)


def _leave_out(make: Callable[[], Any], name: str, told: str, *, fluid: bool = False) -> Markup:
    return Markup()


def _title(names: list[str]) -> str:
    if len(names) > 3:
        return f"Audit of {len(names)} sources"
    *first, last = names or ["nothing"]
    return f"Audit of {', '.join(first)} and {last}" if first else f"Audit of {last}"


def _contents(made: list[Markup], drawing: bool) -> Markup:
    """Links to the sections; and what is missing where there is nothing that draws."""
    links = (
        element("li", element("a", Markup(found[2]), href=f"#{found[1]}"))
        for one in made
        if (found := _HEADING.match(one))
    )
    nav = element("nav", element("ul", *links), aria_label="Contents", class_="contents")
    return nav if drawing else join(nav, element("p", NO_PICTURES, class_="no-pictures"))


def audit_figures(audited: AuditResult, *, show_slurs: bool = False) -> dict[str, Any]:
    """The pictures of an audit, by names that can be names of files.

    Parameters
    ----------
    audited
        What an audit found.
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

    import_altair()
    names = short_names(source_names(audited))
    results = audited.results
    if len(names) > MAX_SEPARATE_SOURCES:
        return {"course": plot_trend(results)[0]}
    made: dict[str, Any] = {}

    def add(chart: Any, *name: str) -> None:
        made[_file_name(name, made)] = chart if show_slurs else page.mask_slurs(chart)

    tests = [one for one in association_tests(results) if one.done]
    if tests:
        add(draw_forest(tests, _of(names, tests)), "effects")
    for one in factual_tests(results):
        for source, result in one.done.items():
            add(draw_scatter(result), "facts", one.test, names[source])
    for one in tests:
        add(draw_strips(one, _of(names, [one])), "words", one.test)
    encoded = [result for one in sentence_tests(results) for result in one.done.values()]
    if len(encoded) > 1:
        add(plot(encoded), "sentences")
    for multiverse in audited.multiverses:
        add(plot_multiverses([multiverse]), "choices", multiverse.test, _source(multiverse, names))
    for found in audited.discoveries:
        if found.significant:
            add(plot_discovery(found, show_slurs=True), "discovery", _source(found, names))
    return made


def _of(names: dict[str, str], tests: list[TestBySource]) -> dict[str, str]:
    """The sources that any of the tests was run on."""
    return {name: short for name, short in names.items() if any(name in one.done for one in tests)}


def _source(one: Any, names: dict[str, str]) -> str:
    return names[source_name(one)]


def _file_name(parts: tuple[str, ...], taken: dict[str, Any]) -> str:
    """A name for a file, of letters that every system allows, given once."""
    name = "-".join(re.sub(r"[^A-Za-z0-9.+_-]+", "_", part)[:40].strip("._-") for part in parts)
    made = (name, *(f"{name}-{again}" for again in range(2, len(taken) + 3)))
    return next(one for one in made if one not in taken)
