"""Discover in a real browser: a job to its end, cells by keyboard, a restart in the middle."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from weatherglass._web.discover.question import Search
from weatherglass._web.settings import Settings

from .browsing import PHONE, fits, opened
from .conftest import running

pytestmark = pytest.mark.slow
SMALL = Search(source="default", groups=4, categories=8, words=2000, rotations=999)
CELL = "#table td:not(.rest) > a.in"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running(Settings(sources=("default",))) as address:
        yield address


def test_from_the_form_to_a_cell_and_a_file(browser, server):
    with opened(browser, f"{server}/discover") as (tab, wrong):
        tab.click("text=More choices")
        for name in ("groups", "categories", "words"):
            tab.fill(f"[name={name}]", str(getattr(SMALL, name)))
        tab.select_option("[name=rotations]", "1000")
        tab.click("text=Search >> nth=-1")
        tab.wait_for_selector(CELL)
        assert "rotations=1000" in tab.url
        assert "seed=" not in tab.url
        tab.click(CELL)
        tab.wait_for_selector("dialog[open] .near li")
        assert "Nearest to each word" in tab.inner_text("dialog")
        assert "p" in tab.inner_text("dialog dl")
        tab.click("dialog >> text=Close")
        with tab.expect_download() as took:
            tab.click(".files >> text=CSV")
        assert took.value.suggested_filename == "discovery-default.csv"
        assert wrong == []


def test_cells_open_and_close_by_keyboard_alone(browser, server):
    with opened(browser, f"{server}/discover?{SMALL.query}") as (tab, wrong):
        tab.wait_for_selector(CELL)
        tab.locator(CELL).first.focus()
        said = tab.evaluate("document.activeElement.getAttribute('href')")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("dialog[open] .near li")
        assert tab.evaluate("document.activeElement.closest('dialog') !== null")
        tab.keyboard.press("Escape")
        tab.wait_for_selector("dialog:not([open])", state="attached")
        assert tab.evaluate("document.activeElement.getAttribute('href')") == said
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.classList.contains('in')")
        assert wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(browser, server, scheme):
    options = {**PHONE, "color_scheme": scheme}
    with opened(browser, f"{server}/discover?{SMALL.query}", **options) as (tab, wrong):
        tab.wait_for_selector(CELL)
        assert fits(tab)
        tab.click(CELL)
        tab.wait_for_selector("dialog[open] .near li")
        assert fits(tab)
        assert tab.evaluate("document.querySelector('dialog').scrollWidth") <= 390
        tab.goto(f"{server}/discover")
        assert fits(tab)
        dark = tab.evaluate("getComputedStyle(document.body).backgroundColor") != (
            "rgb(255, 255, 255)"
        )
        assert dark == (scheme == "dark")
        assert wrong == []


def test_bars_under_shares_are_drawn_and_no_style_is_inline(browser, server):
    with opened(browser, f"{server}/discover?{SMALL.query}") as (tab, wrong):
        tab.wait_for_selector("[data-share]")
        drawn = "one => one.style.getPropertyValue('--share') === one.dataset.share"
        assert tab.evaluate(f"[...document.querySelectorAll('[data-share]')].every({drawn})")
        assert wrong == []


def test_the_table_is_there_without_scripts(browser, server):
    with opened(browser, f"{server}/discover?{SMALL.query}") as (tab, _):
        tab.wait_for_selector(CELL)
    plain = {"java_script_enabled": False}
    with opened(browser, f"{server}/discover?{SMALL.query}", **plain) as (tab, wrong):
        tab.click(CELL)
        assert "/discover/cell?" in tab.url
        assert tab.is_visible(".near")
        assert wrong == []


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    from weatherglass.discovery import rotations

    whole = rotations.Null.count

    def slowly(self: Any, index: int, size: int) -> Any:
        time.sleep(0.25)
        return whole(self, index, size)

    monkeypatch.setattr(rotations.Null, "count", slowly)


LONG = Search(source="default", groups=4, categories=8, words=500, rotations=100_000, seed=9)
OTHER = replace(LONG, rotations=10_000)


def test_a_search_is_cancelled_and_a_reload_begins_it_again(browser, server, slow):
    with opened(browser, f"{server}/discover?{LONG.query}") as (tab, wrong):
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
        assert [one for one in wrong if "409" not in one] == []  # what was still waited for


def _far(tab: Any, least: float) -> float:
    """How far the search is, once it is as far as that."""
    for _ in range(600):
        far: float = tab.evaluate("(document.querySelector('.working progress') || {}).value || 0")
        if far >= least:
            return far
        time.sleep(0.1)
    raise AssertionError(f"the search came to {far} only")


def test_a_restart_of_the_server_in_the_middle_is_survived(browser, slow):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = Settings(sources=("default",), port=port)
    with running(settings, port) as server:
        context = browser.new_context()
        tab, other = context.new_page(), context.new_page()  # two tabs wait for one search
        for one in (tab, other):
            one.set_default_timeout(90_000)
            one.goto(f"{server}/discover?{OTHER.query}")
        before = _far(tab, 2000)
        address = tab.get_attribute(".working", "hx-get")
    time.sleep(2)
    with running(settings, port):
        tab.wait_for_selector(f".working:not([hx-get='{address}']) progress[value]")
        assert _far(tab, 1) >= min(before, 2000)  # it went on from what was counted
        for one in (tab, other):
            one.wait_for_selector(".discovered")
        context.close()
