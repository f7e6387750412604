"""The Map in a real browser: choosing words, moving the map, switching to axes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from weatherglass._web.settings import Settings

from ..accessibility import violations
from .browsing import fits_window, open_page, wait_until
from .conftest import run_server

pytestmark = pytest.mark.slow
READY = "figure.map[data-ready=yes]"


@pytest.fixture(scope="module")
def server(tiny: str) -> Iterator[str]:
    with run_server(Settings(sources=("default", tiny), wait_seconds=30)) as address:
        yield address


def place_of(tab: Any, word: str) -> tuple[float, float]:
    box = tab.locator(f"svg.wide .mark[data-word={word}] circle").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_clicking_a_word_shows_its_neighbours_and_the_address_follows(browser, server):
    with open_page(browser, f"{server}/map") as (tab, errors):
        before = place_of(tab, "nurse")
        tab.wait_for_selector(READY)
        assert place_of(tab, "nurse") == pytest.approx(before, abs=0.6)  # nothing has moved
        tab.mouse.click(*place_of(tab, "nurse"))
        tab.wait_for_selector("#word h3:has-text('nurse')")
        assert tab.inner_text("#word .near-words li:first-child a") == "doctor"
        assert tab.locator("#word table.why").count() == 2
        wait_until(tab, "location.search.includes('word=nurse')")
        tab.click("#word .near-words a >> nth=0")
        tab.wait_for_selector("#word h3:has-text('doctor')")
        assert tab.locator("svg.wide .mark.selected").get_attribute("data-word") == "doctor"
        tab.reload()
        tab.wait_for_selector("#word h3:has-text('doctor')")
        assert errors == []


def test_switching_to_axes_moves_women_to_the_right_of_men(browser, server):
    with open_page(browser, f"{server}/map") as (tab, errors):
        tab.wait_for_selector(READY)
        tab.click("nav >> text=Two axes")
        tab.wait_for_selector("figure.map[data-shown=axes]")
        assert place_of(tab, "amy")[0] > place_of(tab, "john")[0]
        assert "layout=axes" in tab.url
        assert tab.is_visible("svg.wide .ends text")
        again = tab.url
        tab.goto(again)
        tab.wait_for_selector(READY)
        assert place_of(tab, "amy")[0] > place_of(tab, "john")[0]
        assert errors == []


def test_the_map_is_moved_and_zoomed_with_the_keyboard(browser, server):
    with open_page(browser, f"{server}/map", reduced_motion="reduce") as (tab, errors):
        tab.wait_for_selector(READY)
        tab.locator(".stage").focus()
        start = place_of(tab, "nurse")
        tab.keyboard.press("ArrowLeft")
        moved = place_of(tab, "nurse")
        assert moved[0] > start[0] + 20
        tab.keyboard.press("ArrowRight")
        apart = abs(place_of(tab, "nurse")[0] - place_of(tab, "soldier")[0])
        tab.keyboard.press("+")
        wider = abs(place_of(tab, "nurse")[0] - place_of(tab, "soldier")[0])
        assert wider == pytest.approx(1.4 * apart, rel=0.03)
        tab.keyboard.press("0")
        assert place_of(tab, "nurse") == pytest.approx(start, abs=0.6)
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#word .near-words")
        assert errors == []


def test_dragging_moves_the_map_and_chooses_no_word(browser, server):
    with open_page(browser, f"{server}/map") as (tab, errors):
        tab.wait_for_selector(READY)
        x, y = place_of(tab, "nurse")
        tab.mouse.move(x, y)
        tab.mouse.down()
        tab.mouse.move(x - 80, y + 50, steps=5)
        tab.mouse.up()
        assert place_of(tab, "nurse") == pytest.approx((x - 80, y + 50), abs=8)
        assert tab.locator("#word h3").count() == 0
        assert "word=" not in tab.url
        assert errors == []


def test_a_word_chosen_in_one_of_two_maps_is_chosen_in_both(browser, server):
    query = "source=default&source=tiny.txt&x=rose&y=wasp&words=nurse,doctor"
    query += "&a=she&b=he&c=good&d=bad&layout=axes"
    wide = {"viewport": {"width": 1440, "height": 900}}
    with open_page(browser, f"{server}/map?{query}", **wide) as (tab, errors):
        wait_until(tab, f"document.querySelectorAll('{READY}').length === 2")
        tab.locator("figure >> nth=1").locator("svg.wide .mark[data-word=nurse] circle").click()
        wait_until(tab, "document.querySelectorAll('#word h3').length === 2")
        assert tab.locator("svg.wide .mark.selected").count() == 2
        assert errors == []


def test_the_map_is_drawn_without_webgl(browser, server):
    context = browser.new_context()
    context.add_init_script(
        "const get = HTMLCanvasElement.prototype.getContext;"
        "HTMLCanvasElement.prototype.getContext = function (kind, options) {"
        "  return kind === 'webgl2' ? null : get.call(this, kind, options); };"
    )
    tab = context.new_page()
    tab.goto(f"{server}/map")
    tab.wait_for_selector(READY)
    painted = tab.evaluate(
        "() => { const canvas = document.querySelector('.stage canvas');"
        " const { width, height } = canvas;"
        " const image = canvas.getContext('2d').getImageData(0, 0, width, height);"
        " return image.data.some((value) => value > 0); }"
    )
    assert painted
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_map_fits_a_narrow_phone_and_is_accessible(browser, server, scheme):
    phone = {"viewport": {"width": 320, "height": 700}, "color_scheme": scheme}
    address = f"{server}/map?layout=axes&word=nurse"
    with open_page(browser, address, **phone) as (tab, errors):
        tab.wait_for_selector(READY)
        assert fits_window(tab)
        assert errors == []
        assert violations(tab) == []


def test_the_map_has_its_picture_table_and_neighbours_without_scripts(browser, server):
    address = f"{server}/map?layout=axes&word=nurse"
    with open_page(browser, address, java_script_enabled=False) as (tab, errors):
        assert tab.locator("svg.wide .mark").count() == 38
        assert tab.locator("table.positions tbody tr").count() == 38
        assert tab.is_visible("#word .near-words")
        assert not tab.is_visible(".zoom")
        tab.click("svg.wide .mark[data-word=engineer] circle")
        tab.wait_for_selector("#word h3:has-text('engineer')")
        assert errors == []
