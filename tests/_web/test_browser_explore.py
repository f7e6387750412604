"""Explore in a real browser: from a word to its neighbours, from two sets to a map."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any
from urllib.parse import urlencode

import pytest

from weatherglass._web.settings import Settings

from .browsing import open_page
from .conftest import run_server

pytestmark = pytest.mark.slow
MAP = {
    "view": "map",
    "words": "tennis golf boxing baseball football rugby cricket hockey swimming skiing polo "
    "wrestling bowling soccer badminton archery fencing rowing sailing cycling",
    "a": "@female_1-Caliskan_et_al_2017",
    "b": "@male_1-Caliskan_et_al_2017",
    "c": "@upperclass-Kozlowski_et_al_2019",
    "d": "@lowerclass-Kozlowski_et_al_2019",
}
AXIS = {name: MAP[name] for name in ("words", "a", "b")} | {"view": "axis"}


@pytest.fixture(scope="module")
def server(tiny: str) -> Iterator[str]:
    with run_server(Settings(sources=("default", tiny))) as address:
        yield address


def draw(tab: Any, figure: str) -> None:
    tab.wait_for_selector(figure, state="attached")
    tab.locator(figure).first.scroll_into_view_if_needed()
    tab.wait_for_selector(f"{figure}[data-live=yes] svg")


def test_neighbours_of_a_word_link_to_their_own_neighbours(browser, server):
    with open_page(browser, server) as (tab, errors):
        tab.click("nav >> text=Explore")
        tab.fill("input[name=word]", "nurse")
        tab.click("text=Find neighbours")
        tab.wait_for_selector("#found table")
        assert tab.inner_text("#found tbody tr:first-child th") == "doctor"
        assert tab.inner_text("#found tbody tr:first-child td") == "0.798"
        tab.click("#found tbody tr:first-child a")
        tab.wait_for_selector("h2:has-text('Nearest neighbours of doctor')")
        with tab.expect_download() as file:
            tab.click("#found >> text=Chart")
        assert file.value.suggested_filename == "near-doctor.svg"
        assert errors == []


def test_views_are_tabs_on_one_line_and_charts_are_pictures_until_they_are_drawn(browser, server):
    address = f"{server}/explore?source=default&view=axis&words=nurse,judge&a=she&b=he"
    with open_page(browser, address) as (tab, errors):
        tabs = tab.locator("nav[aria-label=Views] a")
        assert tabs.count() == 5
        assert len({place["y"] for place in (at.bounding_box() for at in tabs.all())}) == 1
        assert tab.locator("text=GloVe 6B").count() > 0
        draw(tab, ".on-screen figure.chart")
        assert tab.locator(".on-screen figure.chart img").count() == 0
        assert errors == []
    with open_page(browser, address, java_script_enabled=False) as (tab, errors):
        picture = tab.wait_for_selector(".on-screen figure.chart img")
        assert picture.bounding_box()["width"] > 300
        assert errors == []


def test_labels_of_the_map_do_not_overlap(browser, server):
    with open_page(browser, f"{server}/explore?{urlencode(MAP)}") as (tab, errors):
        draw(tab, ".on-screen figure.chart")
        texts = tab.locator(".on-screen figure.chart svg .mark-text.role-mark text")
        boxes = [
            (text.text_content(), text.bounding_box())
            for text in texts.all()
            if text.evaluate("text => getComputedStyle(text).stroke") == "none"
        ]
        assert len(boxes) >= 18  # of 20 words
        for (_, first), (_, second) in combinations(boxes, 2):
            assert (
                first["x"] + first["width"] <= second["x"]
                or second["x"] + second["width"] <= first["x"]
                or first["y"] + 0.8 * first["height"] <= second["y"]
                or second["y"] + 0.8 * second["height"] <= first["y"]
            )
        assert not tab.is_visible(".on-phone figure")
        tab.locator(".on-screen figure.chart .mark-symbol path").first.hover(force=True)
        tab.wait_for_selector("#vg-tooltip-element.visible")
        assert errors == []


def test_missing_words_of_an_axis_appear_while_typing(browser, server):
    with open_page(browser, f"{server}/explore?view=axis") as (tab, errors):
        tab.fill("textarea[name=words]", "rose, nurse, zzyzzyx")
        tab.wait_for_selector("#in-words >> text=3 words, 1 not in GloVe 6B: zzyzzyx.")
        tab.fill("input[name=b]", "@male_1-Caliskan_et_al_2017")
        tab.wait_for_selector("#in-b >> text=8 words, all in GloVe 6B.")
        assert tab.locator("#catalogue option").count() > 150
        tab.check("input[value='tiny.txt']")
        tab.wait_for_selector("#in-words >> text=not in tiny.txt")
        assert errors == []


def test_two_embeddings_are_drawn_side_by_side_on_one_axis(browser, server):
    query = urlencode(AXIS | {"words": "rose, wasp, nurse, doctor", "a": "she", "b": "he"})
    address = f"{server}/explore?{query}&source=default&source=tiny.txt"
    with open_page(browser, address) as (tab, errors):
        draw(tab, ".on-screen figure.chart")
        assert tab.locator(".on-screen svg .mark-symbol.role-mark path").count() == 8
        text_of_chart = tab.locator(".on-screen svg").text_content()
        assert "tiny.txt" in text_of_chart
        tab.click("text=All words and their positions")
        assert tab.locator("#found tbody tr").count() == 4
        assert errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_explore_page_fits_a_phone(browser, server, scheme):
    phone = {"viewport": {"width": 390, "height": 844}, "color_scheme": scheme}
    for query in ("word=nurse&source=default&source=tiny.txt", urlencode(AXIS), urlencode(MAP)):
        with open_page(browser, f"{server}/explore?{query}", **phone) as (tab, errors):
            tab.wait_for_selector("#found")
            if "view" in query:
                draw(tab, ".on-phone figure.chart")
                assert tab.evaluate("document.querySelector('.on-phone svg').clientWidth") <= 358
            assert tab.evaluate("document.documentElement.scrollWidth") <= 390
            ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
            assert errors == []


def test_neighbours_can_be_found_with_the_keyboard_alone(browser, server):
    with open_page(browser, f"{server}/explore") as (tab, errors):
        assert tab.evaluate("document.activeElement.name") == "word"  # ready to be typed into
        tab.keyboard.type("engineer")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("h2:has-text('Nearest neighbours of engineer')")
        for _ in range(40):
            tab.keyboard.press("Tab")
            if tab.evaluate("document.activeElement.closest('#found tbody') !== null"):
                break
        word = tab.evaluate("document.activeElement.innerText")
        tab.keyboard.press("Enter")
        tab.wait_for_selector(f"h2:has-text('Nearest neighbours of {word}')")
        assert errors == []


def test_explore_shows_numbers_and_an_image_without_scripts(browser, server):
    address = f"{server}/explore?{urlencode(MAP)}"
    with open_page(browser, address, java_script_enabled=False) as (tab, errors):
        tab.wait_for_selector("#found")
        still = tab.locator(".on-screen noscript img, .on-screen img").first
        assert still.is_visible()
        assert still.evaluate("image => image.naturalWidth") > 300
        assert errors == []
