"""Ask in a real browser: with scripts and without, by keyboard, on a phone, in dark mode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from weatherglass._web.ask import question
from weatherglass._web.settings import Settings

from .browsing import PHONE, TIMEOUT_MS, fits_window, open_page, wait_until
from .conftest import run_server

import isolated_functions as functions  # isort: skip - the line above extends the path

pytestmark = pytest.mark.slow
WORKING = ".working progress[max='3000']"


@pytest.fixture(scope="module")
def server(glove840b: str) -> Iterator[str]:
    """A real server with the rows of the Science paper (``vectors.txt``) and ``default``."""
    with run_server(Settings(sources=(glove840b, "default"), warm_up=True)) as address:
        yield address


def drawn(tab: Any, figure: str = "#words figure.chart") -> None:
    tab.locator(figure).scroll_into_view_if_needed()
    tab.wait_for_selector(f"{figure}[data-live=yes] svg")


def test_a_published_test_is_asked_and_drawn_with_the_numbers_of_table_1(browser, server):
    with open_page(browser, server) as (tab, errors):
        tab.click("text=Flowers vs insects, pleasant vs unpleasant")
        tab.wait_for_selector("#answer .tiles")
        text = tab.inner_text("#answer")
        assert (
            "Flowers are more strongly associated with pleasant words, rather than unpleasant words"
            in text
        )
        assert [tile.inner_text() for tile in tab.query_selector_all(".tiles b")][:4] == [
            *("1.50", "1.21 to 1.67", "1.11 to 1.71", "2.9e-09")
        ]
        assert "Of all 126,410,606,437,752 ways" in text
        assert "only 183,759 give" in text
        drawn(tab)
        tab.wait_for_selector(".influence table")
        assert "dragonfly" in tab.inner_text(".influence")
        tab.wait_for_selector(".lint")
        with tab.expect_download() as took:
            tab.click("text=Chart SVG")
        assert took.value.suggested_filename == "weat1.svg"
        assert errors == []


def test_the_multiverse_is_drawn_on_request(browser, server):
    with open_page(browser, f"{server}/?source=default&test=weat7") as (tab, errors):
        tab.click("text=Try all documented lists")
        tab.wait_for_selector(".multiverse")
        assert "18 choices of whole sets" in tab.inner_text(".multiverse")
        drawn(tab, ".multiverse figure.chart")
        assert errors == []


def test_missing_words_appear_while_typing_and_catalogue_sets_can_be_chosen(browser, server):
    with open_page(browser, f"{server}/?source=default") as (tab, errors):
        tab.fill("#text-x", "rose, qwertyuiopas, tulip")
        tab.wait_for_selector("#words-x >> text=1 not in default: qwertyuiopas")
        tab.fill("#text-x", "rose, lily, tulip")
        tab.wait_for_selector("#words-x >> text=3 words, all in default")
        tab.fill("[name=find_a]", "pleasant caliskan")
        tab.click("#found-a a >> nth=0")
        wait_until(tab, "document.querySelector('#text-a').value.startsWith('@')")
        assert tab.input_value("#text-x") == "rose, lily, tulip"
        tab.wait_for_selector("#words-a >> text=Caliskan et al. 2017")
        tab.click("#words-a summary")
        tab.click("text=Edit the words")
        wait_until(tab, "!document.querySelector('#text-a').value.startsWith('@')")
        assert errors == []


def test_a_question_can_be_asked_with_the_keyboard_alone(browser, server):
    with open_page(browser, server) as (tab, errors):
        words = iter(["rose lily tulip", "wasp gnat moth", "kind good warm", "foul bad cruel"])
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.className") == "skip"
        asked = False
        for _ in range(120):
            tab.keyboard.press("Tab")
            name = tab.evaluate("document.activeElement.tagName")
            if name == "INPUT" and tab.evaluate("document.activeElement.value") == "default":
                tab.keyboard.press("Space")
            if name == "TEXTAREA":
                tab.keyboard.type(next(words))
            if name == "BUTTON" and tab.evaluate("document.activeElement.innerText") == "Ask":
                ring = tab.evaluate("getComputedStyle(document.activeElement).outlineWidth")
                assert float(ring.removesuffix("px")) >= 2
                tab.keyboard.press("Enter")
                asked = True
                break
        assert asked
        tab.wait_for_selector("#answer .tiles")
        assert "default" in tab.inner_text("#answer")
        assert errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_ask_page_fits_a_phone(browser, server, scheme):
    phone = {**PHONE, "color_scheme": scheme}
    address = f"{server}/?source=vectors.txt&source=default&test=weat6"
    with open_page(browser, address, **phone) as (tab, errors):
        drawn(tab)
        tab.wait_for_selector(".influence table")
        assert fits_window(tab)
        ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
        tab.goto(server)
        assert fits_window(tab)
        assert errors == []


def test_two_tabs_get_their_own_answers(browser, server):
    context = browser.new_context()
    context.set_default_timeout(TIMEOUT_MS)
    tabs = [context.new_page(), context.new_page()]
    for tab, test in zip(tabs, ("weat6", "weat7"), strict=True):
        tab.goto(f"{server}/?test={test}", wait_until="commit")
    for tab, effect in zip(tabs, ("1.81", "1.06"), strict=True):
        tab.wait_for_selector("#answer .tiles")
        assert tab.inner_text(".tiles b >> nth=0") == effect
    context.close()


def test_ask_works_without_scripts(browser, server):
    with open_page(browser, server, java_script_enabled=False) as (tab, errors):
        for side, text in {"x": "rose lily", "y": "wasp moth", "a": "good", "b": "bad"}.items():
            tab.fill(f"#text-{side}", text)
        tab.uncheck("input[value='vectors.txt']")
        tab.check("input[value=default]")
        tab.click("button:has-text('Ask')")
        tab.wait_for_selector("#answer .tiles")  # a page that waits asks again by itself
        tab.wait_for_selector("#words figure img")
        assert errors == []


def test_slurs_in_charts_are_shown_when_the_reader_ticks_the_box(browser, tmp_path):
    path = tmp_path / "words.txt"
    rows = {"redneck": "1 0 2", "lily": "1 1 0", "wasp": "-1 0 1", "gnat": "-1 1 1"}
    rows |= {"kind": "2 0 0", "foul": "-2 0 0"}
    path.write_text("".join(f"{word} {row}\n" for word, row in rows.items()))
    with run_server(Settings(sources=(str(path),))) as address:
        question = f"{address}/?x=redneck+lily&y=wasp+gnat&a=kind&b=foul"
        with open_page(browser, question) as (tab, errors):
            drawn(tab)
            assert "redneck" not in tab.locator("#words svg").text_content()
            tab.check("#slurs")
            wait_until(
                tab, "document.querySelector('#words .live svg')?.textContent.includes('redneck')"
            )
            assert errors == []


def test_hostile_words_inject_nothing_into_the_page(browser, tmp_path):
    path = tmp_path / "words.txt"
    evil = ["<script>alert(1)</script>", "<img/src=x/onerror=alert(2)>"]
    rows = {evil[0]: "1 0 2", evil[1]: "1 1 0", "wasp": "-1 0 1", "gnat": "-1 1 1"}
    rows |= {"kind": "2 0 0", "foul": "-2 0 0"}
    path.write_text("".join(f"{word} {row}\n" for word, row in rows.items()))
    settings = Settings(sources=(str(path),))
    with run_server(settings) as address, open_page(browser, address) as (tab, errors):
        sets = {"x": " ".join(evil), "y": "wasp gnat", "a": "kind", "b": "foul"}
        for side, text in sets.items():
            tab.fill(f"#text-{side}", text)
        tab.fill("#name-x", evil[1])
        tab.click("button:has-text('Ask')")
        drawn(tab)
        assert tab.locator("main img").count() == 0
        tab.locator("#words .mark-rect path, #words .mark-rule line").first.hover(force=True)
        assert errors == []


def test_a_long_job_shows_progress_can_be_cancelled_and_survives_a_restart(
    browser, tiny, monkeypatch, tmp_path
):
    gate = tmp_path / "gate"
    monkeypatch.setenv("WEATHERGLASS_TEST_GATE", str(gate))
    monkeypatch.setattr(question, "multiverse_in_process", functions.wait_for_gate)
    settings = Settings(sources=("default",))
    with run_server(settings) as address:
        with open_page(browser, f"{address}/?test=weat7") as (tab, errors):
            tab.click("text=Try all documented lists")
            tab.wait_for_selector(WORKING)
            tab.click(f"{WORKING} ~ form button")
            tab.wait_for_selector("#robust >> text=This was cancelled.")
            assert errors == []
        port = int(address.rsplit(":", 1)[1])
        context = browser.new_context()
        context.set_default_timeout(TIMEOUT_MS)
        waiting = context.new_page()
        waiting.goto(f"{address}/?test=weat7")
        waiting.click("text=Try all documented lists")
        waiting.wait_for_selector(WORKING)
    with run_server(settings, port):  # the page goes on by itself
        gate.touch()
        waiting.wait_for_selector(".multiverse")
        context.close()
