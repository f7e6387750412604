"""Discover in a real browser: a job to its end, cells by keyboard, a restart in the middle."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from weatherglass._web.discover.question import Search
from weatherglass._web.settings import Settings

from .browsing import PHONE, fits_window, open_page
from .conftest import run_server

pytestmark = pytest.mark.slow
SMALL = Search(source="default", groups=4, categories=8, words=2000, rotations=999)
CELL = "#table td:not(.rest) > a.in"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with run_server(Settings(sources=("default",))) as address:
        yield address


def test_a_search_from_the_form_leads_to_a_cell_and_a_download(browser, server):
    with open_page(browser, f"{server}/discover") as (tab, errors):
        tab.click("text=Options")
        for name in ("groups", "categories", "words"):
            tab.fill(f"[name={name}]", str(getattr(SMALL, name)))
        tab.select_option("[name=rotations]", "1000")
        tab.click("text=Search >> nth=-1")
        tab.wait_for_selector(CELL)
        assert "rotations=1000" in tab.url
        assert "seed=" not in tab.url
        tab.click(CELL)
        tab.wait_for_selector("dialog[open] .near li")
        assert "Nearest neighbours of each word" in tab.inner_text("dialog")
        assert "p" in tab.inner_text("dialog dl")
        tab.click("dialog >> text=Close")
        with tab.expect_download() as took:
            tab.click(".files >> text=CSV")
        assert took.value.suggested_filename == "discovery-default.csv"
        assert errors == []


def test_cells_can_be_opened_and_closed_with_the_keyboard_alone(browser, server):
    with open_page(browser, f"{server}/discover?{SMALL.query}") as (tab, errors):
        tab.wait_for_selector(CELL)
        shades = """[...document.querySelectorAll('.swatches i')]
            .map((swatch) => getComputedStyle(swatch).backgroundColor)"""
        assert len(set(tab.evaluate(shades))) == 7
        tab.locator(CELL).first.focus()
        address_of_cell = tab.evaluate("document.activeElement.getAttribute('href')")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("dialog[open] .near li")
        assert tab.evaluate("document.activeElement.closest('dialog') !== null")
        tab.keyboard.press("Escape")
        tab.wait_for_selector("dialog:not([open])", state="attached")
        assert tab.evaluate("document.activeElement.getAttribute('href')") == address_of_cell
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.classList.contains('in')")
        assert errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_discover_page_fits_a_phone(browser, server, scheme):
    options = {**PHONE, "color_scheme": scheme}
    with open_page(browser, f"{server}/discover?{SMALL.query}", **options) as (tab, errors):
        tab.wait_for_selector(CELL)
        assert fits_window(tab)
        tab.click(CELL)
        tab.wait_for_selector("dialog[open] .near li")
        assert fits_window(tab)
        assert tab.evaluate("document.querySelector('dialog').scrollWidth") <= 390
        tab.goto(f"{server}/discover")
        assert fits_window(tab)
        dark = tab.evaluate("getComputedStyle(document.body).backgroundColor") != (
            "rgb(255, 255, 255)"
        )
        assert dark == (scheme == "dark")
        assert errors == []


def test_bars_under_shares_are_drawn_without_inline_styles(browser, server):
    with open_page(browser, f"{server}/discover?{SMALL.query}") as (tab, errors):
        tab.wait_for_selector("[data-share]")
        drawn = "cell => cell.style.getPropertyValue('--share') === cell.dataset.share"
        assert tab.evaluate(f"[...document.querySelectorAll('[data-share]')].every({drawn})")
        assert errors == []


def test_the_table_of_a_search_works_without_scripts(browser, server):
    with open_page(browser, f"{server}/discover?{SMALL.query}") as (tab, _):
        tab.wait_for_selector(CELL)
    plain = {"java_script_enabled": False}
    with open_page(browser, f"{server}/discover?{SMALL.query}", **plain) as (tab, errors):
        tab.click(CELL)
        assert "/discover/cell?" in tab.url
        assert tab.is_visible(".near")
        assert errors == []


def test_names_of_a_column_appear_on_hover_and_on_focus(browser, server):
    with open_page(browser, f"{server}/discover?{SMALL.query}") as (tab, errors):
        tab.wait_for_selector(CELL)
        names = tab.locator(".head .said").first
        assert names.bounding_box()["width"] <= 1
        tab.locator(".head").first.hover()
        assert names.bounding_box()["width"] > 100
        tab.mouse.move(0, 0)
        tab.locator(".head").first.focus()
        assert names.bounding_box()["width"] > 100
        assert errors == []


def test_categories_are_hidden_and_rows_sorted_without_scripts(browser, server):
    with open_page(browser, f"{server}/discover?{SMALL.query}") as (tab, _):
        tab.wait_for_selector(CELL)
        assert "You can leave this page" not in tab.inner_text("main")
    plain = {"java_script_enabled": False, "viewport": {"width": 320, "height": 700}}
    with open_page(browser, f"{server}/discover?{SMALL.query}", **plain) as (tab, errors):
        tab.click("text=Hide categories")
        box = tab.locator("[name=hide]").first
        id = box.get_attribute("value")
        box.check()
        tab.select_option("[name=sort]", "G2")
        tab.click("text=Apply")
        assert f"hide={id}" in tab.url
        assert "sort=G2" in tab.url
        assert tab.locator(f"tr[data-category={id}]").count() == 0
        assert fits_window(tab)
        tab.reload()
        assert tab.locator(f"[name=hide][value={id}]").is_checked()
        tab.locator(CELL).first.click()
        tab.click("text=Ask with these words")
        assert tab.locator(".says, .working").count()
        assert errors == []


LONG = Search(source="default", rotations=100_000, seed=9)
OTHER = Search(source="default", categories=16, words=3000, rotations=50_000, seed=9)


def test_a_cancelled_search_starts_again_on_reload(browser, server):
    with open_page(browser, f"{server}/discover?{LONG.query}") as (tab, errors):
        tab.wait_for_selector(".working progress[value]")
        tab.wait_for_selector(".working >> text=left")
        tab.locator(".working button").focus()
        time.sleep(2.5)  # the part was swapped meanwhile, and the focus stayed
        assert tab.evaluate("document.activeElement.textContent") == "Cancel"
        tab.keyboard.press("Enter")
        tab.wait_for_selector("text=This was cancelled.")
        assert tab.locator(".working").count() == 0
        tab.reload()
        tab.wait_for_selector(".working progress[value]")
        tab.click(".working button")
        tab.wait_for_selector("text=This was cancelled.")
        assert [
            message for message in errors if "409" not in message
        ] == []  # what was still waited for


def _far(tab: Any, least: float) -> float:
    """How far the search is, once it is as far as that."""
    for _ in range(600):
        far: float = tab.evaluate("(document.querySelector('.working progress') || {}).value || 0")
        if far >= least:
            return far
        time.sleep(0.1)
    raise AssertionError(f"the search came to {far} only")


def test_a_search_page_survives_a_restart_of_the_server(browser):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = Settings(sources=("default",), port=port)
    with run_server(settings, port) as server:
        context = browser.new_context()
        tab, other = context.new_page(), context.new_page()  # two tabs wait for one search
        for page in (tab, other):
            page.set_default_timeout(90_000)
            page.goto(f"{server}/discover?{OTHER.query}")
        before = _far(tab, 2000)
        address = tab.get_attribute(".working", "hx-get")
    time.sleep(2)
    with run_server(settings, port):
        tab.wait_for_selector(f".working:not([hx-get='{address}']) progress[value]")
        assert _far(tab, 1) >= min(before, 2000)  # it went on from what was counted
        for page in (tab, other):
            page.wait_for_selector(".discovered")
        context.close()
