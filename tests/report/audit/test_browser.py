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
    with chromium() as found:
        yield found


@contextmanager
def opened(
    browser: Any, page: str, folder: Path, **options: Any
) -> Iterator[tuple[Any, list[str]]]:
    """A page from a file in a browser that is offline, and all that goes wrong in it."""
    path = folder / "report.html"
    path.write_text(page, encoding="utf-8")
    with browsing.opened(browser, path.as_uri(), offline=True, **options) as one:
        yield one


def draw_all(tab: Any) -> None:
    """Come by every chart, and wait until it is drawn."""
    for figure in tab.query_selector_all("figure.chart"):
        figure.scroll_into_view_if_needed()
        tab.wait_for_function("one => one.dataset.live === 'yes'", arg=figure, timeout=60_000)


@pytest.fixture(scope="module")
def page(audited: AuditResult) -> str:
    return audit_page(audited)


def test_every_section_and_chart_is_there_without_network_or_errors(browser, page, tmp_path):
    with opened(browser, page, tmp_path) as (tab, wrong):
        assert [one.get_attribute("id") for one in tab.query_selector_all("section")] == [*SECTIONS]
        assert all(tab.is_visible(f"#{name} h2") for name in SECTIONS)
        draw_all(tab)
        assert tab.locator("figure.chart .live svg").count() == 8
        assert wrong == []


def test_charts_name_the_word_that_is_pointed_at(browser, page, tmp_path):
    with opened(browser, page, tmp_path) as (tab, wrong):
        tab.locator("#facts-0-0").scroll_into_view_if_needed()
        tab.wait_for_selector("#facts-0-0[data-live=yes]")
        tab.locator("#facts-0-0 .mark-symbol path").first.hover(force=True)
        tab.wait_for_selector("#vg-tooltip-element.visible")
        assert "Share of women" in tab.inner_text("#vg-tooltip-element")
        assert wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(browser, page, tmp_path, scheme):
    phone = {"viewport": {"width": 390, "height": 844}, "color_scheme": scheme}
    with opened(browser, page, tmp_path, **phone) as (tab, wrong):
        draw_all(tab)
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
        for chart in ("#forest", "#choices-0"):  # of a curve, the part that a phone has room for
            assert tab.evaluate(f"document.querySelector('{chart} svg').clientWidth") <= 390
        cell = tab.locator("#effects td[data-name=Effect]").first
        assert cell.evaluate("one => getComputedStyle(one, '::before').content") == '"Effect"'
        assert tab.locator("#effects .scroll").evaluate("one => one.scrollWidth") <= 390
        assert wrong == []


def test_the_still_pictures_are_there_without_scripts(browser, page, tmp_path):
    with opened(browser, page, tmp_path, java_script_enabled=False) as (tab, wrong):
        assert tab.locator("figure.chart svg").count() == 8
        assert tab.locator("#forest svg").is_visible()
        assert wrong == []


def test_a_hostile_vocabulary_injects_nothing(browser, attacked, tmp_path):
    with opened(browser, audit_page(attacked), tmp_path) as (tab, wrong):
        draw_all(tab)
        assert tab.locator("img").count() == 0
        assert tab.locator("script:not([type])").count() == 1
        assert tab.evaluate("[...document.querySelectorAll('*')].every(one => !one.onmouseover)")
        for section in ("#findings", "#effects"):
            assert "<script>alert(1)</script>" in tab.inner_text(section)
        tab.locator("#facts-0-0 .mark-symbol path").first.hover(force=True)
        tab.wait_for_selector("#vg-tooltip-element.visible")
        assert tab.locator("#vg-tooltip-element img, #vg-tooltip-element script").count() == 0
        assert wrong == []


def test_slurs_are_written_out_when_the_reader_asks(browser, audited, tmp_path):
    first = audited.results[0]
    words = {**first.words, "X": ("redneck", *first.words["X"][1:])}
    results = wg.Results.of([type(first)(**{**vars(first), "words": words})])
    with opened(browser, audit_page(AuditResult(audited.about, results)), tmp_path) as (tab, wrong):
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
        assert wrong == []
