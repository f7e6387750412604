"""The report of an audit in a real browser, without network."""

from __future__ import annotations

import re
import shutil
import subprocess
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
from ...accessibility import violations

pytestmark = pytest.mark.slow
SECTIONS = (
    *("summary", "findings", "effects", "words", "facts", "sentences", "choices", "discovery"),
    *("measures", "lint", "missing", "steps", "measured", "notes", "cite", "repeat"),
)
OPEN_FOLDS = "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })"
MAX_PRINTED_PAGES = 9


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


@pytest.fixture(scope="module")
def page(audit: AuditResult) -> str:
    return audit_page(audit)


def test_every_section_and_chart_appears_without_network_or_errors(browser, page, tmp_path):
    with opened(browser, page, tmp_path) as (tab, errors):
        assert [tag.get_attribute("id") for tag in tab.query_selector_all("section")] == [*SECTIONS]
        assert all(tab.is_visible(f"#{name} h2") for name in SECTIONS)
        tab.evaluate(OPEN_FOLDS)
        figures = tab.locator("figure.chart").count()
        assert figures == 9
        for index in range(figures):
            assert tab.locator("figure.chart").nth(index).locator("svg:visible").count() >= 1
        assert errors == []


def test_page_one_fits_a_screen(browser, page, tmp_path):
    """The scorecard and the three sentences are there without scrolling."""
    with opened(browser, page, tmp_path, viewport={"width": 1440, "height": 900}) as (tab, _):
        for part in (".scorecard", ".key"):
            box = tab.locator(part).bounding_box()
            assert box["y"] + box["height"] <= 900
        assert tab.locator(".key li").count() == 3
        assert tab.locator(".caveat").count() == 1


def test_contents_stay_in_view_and_mark_the_section_that_is_read(browser, page, tmp_path):
    with opened(browser, page, tmp_path, viewport={"width": 1440, "height": 900}) as (tab, _):
        tab.click(".contents a[href='#discovery']")
        browsing.wait_until(
            tab, "document.querySelector('.contents [aria-current]')?.hash === '#discovery'"
        )
        assert tab.locator(".contents").bounding_box()["y"] >= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 320])
def test_axe_finds_no_violation(browser, page, tmp_path, scheme, width):
    options = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    with opened(browser, page, tmp_path, **options) as (tab, errors):
        tab.evaluate(OPEN_FOLDS)
        assert violations(tab) == []
        assert errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 320])
def test_no_part_of_the_page_is_wider_than_a_phone(browser, page, tmp_path, scheme, width):
    phone = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme}
    with opened(browser, page, tmp_path, **phone) as (tab, errors):
        tab.evaluate(OPEN_FOLDS)
        assert browsing.fits_window(tab)
        for chart in ("#forest", "#choices-0"):  # of a curve, the part that fits a phone
            assert tab.locator(f"{chart} svg.narrow").is_visible()
            assert not tab.locator(f"{chart} svg.wide").is_visible()
        cell = tab.locator("#effects td[data-name=Published]").first
        assert cell.evaluate("cell => getComputedStyle(cell, '::before').content") == '"Published"'
        assert tab.locator("#effects .scroll").evaluate("box => box.scrollWidth") <= width
        assert errors == []


def test_the_page_is_complete_without_scripts(browser, page, tmp_path):
    with opened(browser, page, tmp_path, java_script_enabled=False) as (tab, errors):
        assert tab.locator("figure.chart svg").count() >= 9
        assert tab.locator("#forest svg.wide").is_visible()
        assert not tab.locator("#forest button").first.is_visible()  # it could do nothing
        curve = tab.locator("#choices-0 svg.wide")
        assert curve.is_visible()  # the only curve of this audit is open
        tab.click("#choices .curve summary")
        assert not curve.is_visible()
        tab.click("#choices .curve summary")
        assert curve.is_visible()
        assert errors == []


def test_nothing_moves_when_the_script_arrives(browser, page, tmp_path):
    heights = []
    for enabled in (True, False):
        with opened(browser, page, tmp_path, java_script_enabled=enabled) as (tab, _):
            heights.append(tab.locator("main").bounding_box()["height"])
    assert heights[0] == heights[1]


@pytest.mark.parametrize("figure", ["forest", "words-0", "choices-0"])
def test_a_figure_can_be_saved_with_its_title_and_source(browser, page, tmp_path, figure):
    with opened(browser, page, tmp_path) as (tab, errors):
        tab.evaluate(OPEN_FOLDS)
        saved = {}
        for kind in ("svg", "csv", "png"):
            with tab.expect_download() as download:
                tab.click(f"#{figure} [data-export={kind}]")
            assert download.value.suggested_filename == f"{figure}.{kind}"
            saved[kind] = Path(download.value.path()).read_bytes()
        svg = saved["svg"].decode()
        assert tab.inner_text(f"#{figure} figcaption") in svg
        assert "Source: " in svg
        assert "Weatherglass" in svg
        assert "var(--" not in svg  # it stands alone
        assert saved["png"].startswith(b"\x89PNG")
        rows = saved["csv"].decode("utf-8-sig").splitlines()
        assert len(rows) > 2
        assert errors == []


def test_the_link_of_a_figure_leads_to_it(browser, page, tmp_path):
    with opened(browser, page, tmp_path) as (tab, errors):
        assert tab.get_attribute("#forest [data-export=link]", "href") == "#forest"
        tab.click("#forest [data-export=link]")  # copied, or in the address bar
        browsing.wait_until(
            tab,
            "location.hash === '#forest' || "
            "document.querySelector('#forest [data-export=link]').textContent === 'Copied'",
        )
        assert errors == []


def test_a_hostile_vocabulary_injects_nothing(browser, hostile_audit, tmp_path):
    with opened(browser, audit_page(hostile_audit), tmp_path) as (tab, errors):
        tab.evaluate(OPEN_FOLDS)
        assert tab.locator("img").count() == 0
        assert tab.locator("script").count() == 1
        assert tab.evaluate("[...document.querySelectorAll('*')].every(item => !item.onmouseover)")
        for section in ("#findings", "#effects"):
            assert "<script>alert(1)</script>" in tab.inner_text(section)
        with tab.expect_download() as download:
            tab.click("#forest [data-export=svg]")
        saved = tmp_path / "saved.svg"
        download.value.save_as(saved)
        tab.goto(saved.as_uri())
        assert tab.locator("script, image, foreignObject").count() == 0
        assert errors == [f"requested {saved.as_uri()}"]


def test_slurs_are_shown_when_the_reader_ticks_the_box(browser, audit, tmp_path):
    first = audit.results[0]
    words = {**first.words, "X": ("redneck", *first.words["X"][1:])}
    results = wg.Results.of([type(first)(**{**vars(first), "words": words})])
    with opened(browser, audit_page(AuditResult(audit.about, results)), tmp_path) as (tab, errors):
        drawing = tab.locator("#words-0 svg.wide")
        assert "redneck" not in drawing.text_content()
        assert "r******" in drawing.text_content()
        tab.check("#slurs")
        assert "redneck" in drawing.text_content()
        tab.uncheck("#slurs")
        assert "redneck" not in drawing.text_content()
        assert errors == []


def print_pages(browser: Any, page: str, folder: Path) -> int:
    """The number of pages of a printed report."""
    if shutil.which("pdfinfo") is None:
        pytest.skip("needs pdfinfo: apt install poppler-utils")
    with opened(browser, page, folder) as (tab, _):
        tab.pdf(path=folder / "report.pdf", prefer_css_page_size=True)
    command = ["pdfinfo", str(folder / "report.pdf")]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (count,) = re.findall(r"Pages:\s+(\d+)", text)
    return int(count)


def test_the_standard_suite_is_small_and_prints_on_few_pages(browser, tmp_path):
    folder = tmp_path / "run"
    wg.audit("default", out=folder)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert len(page.encode()) <= 2_000_000
    assert print_pages(browser, page, tmp_path) <= MAX_PRINTED_PAGES
