"""Explore in a real browser: from a word to its neighbours, from two sets to a map."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any
from urllib.parse import urlencode

import pytest

from weatherglass._web.settings import Settings

from .browsing import opened
from .conftest import running

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
    with running(Settings(sources=("default", tiny))) as address:
        yield address


def draw(tab: Any, figure: str) -> None:
    tab.wait_for_selector(figure, state="attached")
    tab.locator(figure).first.scroll_into_view_if_needed()
    tab.wait_for_selector(f"{figure}[data-live=yes] svg")


def test_from_the_bar_to_the_neighbours_of_a_word_and_on_to_another(browser, server):
    with opened(browser, server) as (tab, wrong):
        tab.click("nav >> text=Explore")
        tab.fill("input[name=word]", "nurse")
        tab.click("text=Find neighbours")
        tab.wait_for_selector("#found table")
        assert tab.inner_text("#found tbody tr:first-child th") == "doctor"
        assert tab.inner_text("#found tbody tr:first-child td") == "0.798"
        tab.click("#found tbody tr:first-child a")
        tab.wait_for_selector("h2:has-text('Near doctor')")
        with tab.expect_download() as file:
            tab.click("#found >> text=Picture")
        assert file.value.suggested_filename == "near-doctor.svg"
        assert wrong == []


def test_a_map_is_drawn_and_its_names_do_not_overlap(browser, server):
    with opened(browser, f"{server}/explore?{urlencode(MAP)}") as (tab, wrong):
        draw(tab, ".on-screen figure.chart")
        texts = tab.locator(".on-screen figure.chart svg .mark-text.role-mark text")
        boxes = [
            (one.text_content(), one.bounding_box())
            for one in texts.all()
            if one.evaluate("one => getComputedStyle(one).stroke") == "none"
        ]
        assert len(boxes) >= 18  # of 20 words
        for (_, one), (_, other) in combinations(boxes, 2):
            assert (
                one["x"] + one["width"] <= other["x"]
                or other["x"] + other["width"] <= one["x"]
                or one["y"] + 0.8 * one["height"] <= other["y"]
                or other["y"] + 0.8 * other["height"] <= one["y"]
            )
        assert not tab.is_visible(".on-phone figure")
        tab.locator(".on-screen figure.chart .mark-symbol path").first.hover(force=True)
        tab.wait_for_selector("#vg-tooltip-element.visible")
        assert wrong == []


def test_missing_words_are_told_while_they_are_typed_and_sets_can_be_picked(browser, server):
    with opened(browser, f"{server}/explore?view=axis") as (tab, wrong):
        tab.fill("textarea[name=words]", "rose, nurse, zzyzzyx")
        tab.wait_for_selector("#in-words >> text=3 words, 1 not in default: zzyzzyx.")
        tab.fill("input[name=b]", "@male_1-Caliskan_et_al_2017")
        tab.wait_for_selector("#in-b >> text=8 words, all in default.")
        assert tab.locator("#catalogue option").count() > 150
        tab.check("input[value='tiny.txt']")
        tab.wait_for_selector("#in-words >> text=not in tiny.txt")
        assert wrong == []


def test_two_embeddings_stand_side_by_side_on_one_axis(browser, server):
    query = urlencode(AXIS | {"words": "rose, wasp, nurse, doctor", "a": "she", "b": "he"})
    address = f"{server}/explore?{query}&source=default&source=tiny.txt"
    with opened(browser, address) as (tab, wrong):
        draw(tab, ".on-screen figure.chart")
        assert tab.locator(".on-screen svg .mark-symbol.role-mark path").count() == 8
        said = tab.locator(".on-screen svg").text_content()
        assert "tiny.txt" in said
        tab.click("text=All words and their places")
        assert tab.locator("#found tbody tr").count() == 4
        assert wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(browser, server, scheme):
    phone = {"viewport": {"width": 390, "height": 844}, "color_scheme": scheme}
    for query in ("word=nurse&source=default&source=tiny.txt", urlencode(AXIS), urlencode(MAP)):
        with opened(browser, f"{server}/explore?{query}", **phone) as (tab, wrong):
            tab.wait_for_selector("#found")
            if "view" in query:
                draw(tab, ".on-phone figure.chart")
                assert tab.evaluate("document.querySelector('.on-phone svg').clientWidth") <= 358
            assert tab.evaluate("document.documentElement.scrollWidth") <= 390
            ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
            assert wrong == []


def test_the_keyboard_alone_finds_neighbours(browser, server):
    with opened(browser, f"{server}/explore") as (tab, wrong):
        assert tab.evaluate("document.activeElement.name") == "word"  # ready to be typed into
        tab.keyboard.type("engineer")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("h2:has-text('Near engineer')")
        for _ in range(40):
            tab.keyboard.press("Tab")
            if tab.evaluate("document.activeElement.closest('#found tbody') !== null"):
                break
        word = tab.evaluate("document.activeElement.innerText")
        tab.keyboard.press("Enter")
        tab.wait_for_selector(f"h2:has-text('Near {word}')")
        assert wrong == []


def test_without_scripts_there_are_the_numbers_and_a_still_picture(browser, server):
    address = f"{server}/explore?{urlencode(MAP)}"
    with opened(browser, address, java_script_enabled=False) as (tab, wrong):
        tab.wait_for_selector("#found")
        still = tab.locator(".on-screen noscript img, .on-screen img").first
        assert still.is_visible()
        assert still.evaluate("one => one.naturalWidth") > 300
        assert wrong == []
