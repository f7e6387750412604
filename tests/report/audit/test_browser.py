"""The page of an audit in a real browser, without network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import weatherglass as wg
from weatherglass.report import audit_page
from weatherglass.report.audit.data import AuditResult

from ..._web import browsing
from ..._web.browsing import chromium

pytestmark = pytest.mark.slow
SECTIONS = (
    *("findings", "measured", "effects", "facts", "words", "sentences", "measures", "choices"),
    *("discovery", "lint", "missing", "steps", "notes", "cite", "repeat"),
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@contextmanager
def opened(
    browser: Any, page: str, folder: Path, **options: Any
) -> Iterator[tuple[Any, list[str]]]:
    """Open a page from a file in an offline browser; yields the tab and the errors in it."""
    path = folder / "report.html"
    path.write_text(page, encoding="utf-8")
    with browsing.open_page(browser, path.as_uri(), offline=True, **options) as tab_and_errors:
        yield tab_and_errors


def draw_all(tab: Any) -> None:
    """Scroll to every chart, and wait until it is drawn."""
    for figure in tab.query_selector_all("figure.chart"):
        figure.scroll_into_view_if_needed()
        tab.wait_for_function("one => one.dataset.live === 'yes'", arg=figure, timeout=60_000)


@pytest.fixture(scope="module")
def page(audit: AuditResult) -> str:
    return audit_page(audit)


def test_every_section_and_chart_appears_without_network_or_errors(browser, page, tmp_path):
    with opened(browser, page, tmp_path) as (tab, errors):
        assert [tag.get_attribute("id") for tag in tab.query_selector_all("section")] == [*SECTIONS]
        assert all(tab.is_visible(f"#{name} h2") for name in SECTIONS)
        draw_all(tab)
        assert tab.locator("figure.chart .live svg").count() == 9
        assert errors == []


def test_charts_name_the_word_under_the_pointer(browser, page, tmp_path):
    with opened(browser, page, tmp_path) as (tab, errors):
        tab.locator("#facts-0-0").scroll_into_view_if_needed()
        tab.wait_for_selector("#facts-0-0[data-live=yes]")
        tab.locator("#facts-0-0 .mark-symbol path").first.hover(force=True)
        tab.wait_for_selector("#vg-tooltip-element.visible")
        assert "Share of women" in tab.inner_text("#vg-tooltip-element")
        assert errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_part_of_the_page_is_wider_than_a_phone(browser, page, tmp_path, scheme):
    phone = {"viewport": {"width": 390, "height": 844}, "color_scheme": scheme}
    with opened(browser, page, tmp_path, **phone) as (tab, errors):
        draw_all(tab)
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
        for chart in ("#forest", "#choices-0"):  # of a curve, the part that fits a phone
            assert tab.evaluate(f"document.querySelector('{chart} svg').clientWidth") <= 390
        cell = tab.locator("#effects td[data-name=Effect]").first
        assert cell.evaluate("one => getComputedStyle(one, '::before').content") == '"Effect"'
        assert tab.locator("#effects .scroll").evaluate("one => one.scrollWidth") <= 390
        assert errors == []


def test_static_charts_appear_without_scripts(browser, page, tmp_path):
    with opened(browser, page, tmp_path, java_script_enabled=False) as (tab, errors):
        assert tab.locator("figure.chart svg").count() == 9
        assert tab.locator("#forest svg").is_visible()
        assert errors == []


def test_a_hostile_vocabulary_injects_nothing(browser, hostile_audit, tmp_path):
    with opened(browser, audit_page(hostile_audit), tmp_path) as (tab, errors):
        draw_all(tab)
        assert tab.locator("img").count() == 0
        assert tab.locator("script:not([type])").count() == 1
        assert tab.evaluate("[...document.querySelectorAll('*')].every(one => !one.onmouseover)")
        for section in ("#findings", "#effects"):
            assert "<script>alert(1)</script>" in tab.inner_text(section)
        tab.locator("#facts-0-0 .mark-symbol path").first.hover(force=True)
        tab.wait_for_selector("#vg-tooltip-element.visible")
        assert tab.locator("#vg-tooltip-element img, #vg-tooltip-element script").count() == 0
        assert errors == []


def test_slurs_are_shown_when_the_reader_ticks_the_box(browser, audit, tmp_path):
    first = audit.results[0]
    words = {**first.words, "X": ("redneck", *first.words["X"][1:])}
    results = wg.Results.of([type(first)(**{**vars(first), "words": words})])
    with opened(browser, audit_page(AuditResult(audit.about, results)), tmp_path) as (tab, errors):
        draw_all(tab)
        assert "redneck" not in tab.content().split("<script")[0]
        assert "r******" in tab.locator("#words-0 svg").text_content()
        tab.check("#slurs")
        tab.wait_for_function(
            "document.querySelector('#words-0 .live svg')?.textContent.includes('redneck')"
        )
        tab.uncheck("#slurs")
        tab.wait_for_function(
            "!document.querySelector('#words-0 .live svg')?.textContent.includes('redneck')"
        )
        assert errors == []
