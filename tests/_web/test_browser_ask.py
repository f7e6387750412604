"""Home and Ask in a real browser: mouse, touch, keyboard, phone, dark mode, without scripts."""

from __future__ import annotations

import re
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from weatherglass._web.ask import evidence
from weatherglass._web.settings import Settings

from ..accessibility import violations
from .browsing import (
    PHONE,
    TIMEOUT_MS,
    fits_window,
    open_page,
    wait_until,
)
from .conftest import run_server

import isolated_functions as functions  # isort: skip - the line above extends the path

pytestmark = pytest.mark.slow
WORKING = ".working progress[max='3000']"
WEAT6 = "/?source=default&test=weat6"


@pytest.fixture(scope="module")
def server(glove840b: str) -> Iterator[str]:
    """A real server with the rows of the Science paper (``vectors.txt``) and ``default``."""
    with run_server(Settings(sources=(glove840b, "default"), warm_up=True)) as address:
        # Both are open before the first test: a page that waits is loaded again.
        for source in ("vectors.txt", "default"):
            path = f"{address}/api/ask?source={source}&test=weat6"
            while urllib.request.urlopen(path, timeout=60).status == 202:
                time.sleep(0.2)
        yield address


def chips(tab: Any, side: str) -> list[str]:
    return [chip.inner_text() for chip in tab.query_selector_all(f"#set-{side} .chip")]


def complete(tab: Any) -> None:
    """Wait until all evidence has arrived."""
    wait_until(tab, "document.querySelectorAll('[data-part], .is-pending').length === 0")


def test_home_shows_a_finished_answer_with_every_word_and_stories(browser, server):
    with open_page(browser, server) as (tab, errors):
        tab.wait_for_selector(".strip svg.wide")  # the file may be read at first
        assert "Male names are more strongly associated with career" in tab.inner_text("h1")
        names = tab.locator(".strip svg.wide text.name").all_text_contents()
        assert sorted(names)[:3] == ["Amy", "Ann", "Bill"]
        assert len(names) == 16
        assert tab.locator("textarea, input[type=text]").count() == 0
        tab.click("text=Ageing")
        tab.wait_for_selector("h1:has-text('Young people')")
        tab.go_back()
        tab.wait_for_selector("h1:has-text('Male names')")
        tab.click("text=Try your own words")
        tab.wait_for_selector("#ask .chip")
        assert errors == []


def test_a_published_test_has_the_numbers_of_table_1(browser, server):
    with open_page(browser, f"{server}/ask") as (tab, errors):
        tab.click("text=Ask a published test")
        tab.click("text=Flowers vs insects, pleasant vs unpleasant")
        tab.wait_for_selector("h1:has-text('Flowers')")
        complete(tab)
        text = tab.text_content("#bench")
        assert (
            "Flowers are more strongly associated with pleasant words, rather than unpleasant words"
            in text
        )
        assert [tile.text_content() for tile in tab.query_selector_all(".tiles b")][:4] == [
            *("1.50", "1.21 to 1.67", "1.11 to 1.71", "2.9e-09")
        ]
        assert "Of all 126,410,606,437,752 ways" in text
        assert "only 183,759 give" in text
        tab.click("text=Every word")
        tab.wait_for_selector(".influence table")
        assert "dragonfly" in tab.inner_text(".influence")
        tab.click("text=Are the words well chosen?")
        tab.wait_for_selector(".lint")
        with tab.expect_download() as took:
            tab.click("text=Chart SVG")
        assert took.value.suggested_filename == "weat1.svg"
        assert errors == []


def test_the_multiverse_is_drawn_on_request(browser, server):
    with open_page(browser, f"{server}/?source=default&test=weat7") as (tab, errors):
        tab.click("text=Every list")
        tab.wait_for_selector(".multiverse")
        assert "18 choices of whole sets" in tab.inner_text(".multiverse")
        tab.locator(".multiverse figure.chart").scroll_into_view_if_needed()
        tab.wait_for_selector(".multiverse figure.chart[data-live=yes] svg")
        assert errors == []


def test_a_click_mutes_a_word_recomputes_and_back_undoes_it(browser, server):
    with open_page(browser, f"{server}{WEAT6}") as (tab, errors):
        effect = tab.inner_text(".figures b >> nth=0")
        tab.click("#set-x .chip:has-text('John')")
        tab.wait_for_selector("#set-x .chip.muted")
        assert tab.inner_text(".figures b >> nth=0") != effect
        assert tab.locator(".strip .ghost").count() > 0
        assert "John" not in tab.locator(".strip svg.wide text.name").all_text_contents()
        assert "x=~John" in tab.url
        tab.go_back()
        wait_until(tab, "document.querySelectorAll('.chip.muted').length === 0")
        assert tab.inner_text(".figures b >> nth=0") == effect
        assert tab.url.endswith(WEAT6)
        tab.go_forward()
        tab.wait_for_selector("#set-x .chip.muted")
        tab.reload()
        assert tab.locator("#set-x .chip.muted").count() == 1
        assert errors == []


def test_words_are_typed_pasted_as_a_column_and_corrected(browser, server):
    with open_page(browser, f"{server}{WEAT6}") as (tab, errors):
        tab.fill("#add-a", "enginer")
        tab.press("#add-a", "Enter")
        tab.wait_for_selector("#set-a .chip.missing")
        assert tab.evaluate("document.activeElement.id") == "add-a"
        tab.click("#set-a .suggestion:has-text('engineer')")
        tab.wait_for_selector("#set-a .chip:has-text('engineer'):not(.missing)")
        tab.evaluate(
            """() => {
              const box = document.querySelector('#add-b');
              box.focus();
              box.value = '1. nursery\\n2. software engineer\\n“daughter”';
              const paste = {bubbles: true, inputType: 'insertFromPaste'};
              box.dispatchEvent(new InputEvent('input', paste));
            }"""
        )
        tab.wait_for_selector("#set-b .chip:has-text('daughter')")
        assert chips(tab, "b")[-3:] == ["nursery", "software engineer", "daughter"]
        assert tab.locator("#set-b .chip.missing").inner_text() == "software engineer"
        assert errors == []


def test_a_published_set_keeps_its_name_when_a_word_is_added(browser, server):
    with open_page(browser, server + WEAT6) as (tab, errors):
        tab.fill("#add-x", "George")
        tab.press("#add-x", "Enter")
        tab.wait_for_selector("#set-x .chip >> text=George")
        assert tab.input_value("#name-x") == "Male names"
        assert tab.inner_text("h1").startswith("Male names")
        assert errors == []


def test_a_question_that_lacks_a_set_is_in_the_address_and_back_brings_the_word_back(
    browser, server
):
    question = "/?source=default&x=doctor&y=nurse&a=he&b=she"
    with open_page(browser, server + question) as (tab, errors):
        tab.focus("#set-x .chip")
        tab.keyboard.press("Delete")
        tab.wait_for_selector("text=Add words to")
        assert "x=" not in tab.url
        assert "y=nurse" in tab.url
        tab.go_back()
        tab.wait_for_selector("#set-x .chip >> text=doctor")
        assert errors == []


def test_the_empty_workbench_offers_questions_to_start_from(browser, server):
    with open_page(browser, f"{server}/?source=default&x=&y=&a=&b=") as (tab, errors):
        tab.click("text=Doctors and nurses")
        tab.wait_for_selector("#set-x .chip >> text=surgeon")
        tab.wait_for_selector(".finding h1")
        assert errors == []


def test_a_word_is_dragged_to_another_set_with_the_mouse(browser, server):
    with open_page(browser, f"{server}{WEAT6}") as (tab, errors):
        tab.locator("#set-x .chip:has-text('Kevin')").hover()
        tab.mouse.down()
        box = tab.locator("#set-y").bounding_box()
        tab.mouse.move(box["x"] + 60, box["y"] + 40, steps=6)
        assert tab.locator("#set-y.target").count() == 1
        tab.mouse.up()
        tab.wait_for_selector("#set-y .chip:has-text('Kevin')")
        assert "Kevin" not in chips(tab, "x")
        assert tab.locator("#set-y .chip.muted").count() == 0
        assert errors == []


def test_a_word_is_dragged_with_a_finger_that_rests_on_it(browser, server):
    phone = {**PHONE, "has_touch": True, "is_mobile": True}
    with open_page(browser, f"{server}{WEAT6}", **phone) as (tab, errors):
        chip = tab.locator("#set-x .chip:has-text('Kevin')")
        chip.scroll_into_view_if_needed()
        start, end = chip.bounding_box(), tab.locator("#set-y .head").bounding_box()
        session = tab.context.new_cdp_session(tab)
        x, y = start["x"] + 15, start["y"] + 12

        def touch(kind: str, *point: float) -> None:
            points = [{"x": point[0], "y": point[1]}] if point else []
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        touch("touchStart", x, y)
        tab.wait_for_timeout(400)
        touch("touchMove", x + 5, (y + end["y"]) / 2)
        touch("touchMove", end["x"] + 40, end["y"] + 12)
        touch("touchEnd")
        tab.wait_for_selector("#set-y .chip:has-text('Kevin')")
        tab.locator("#set-y .chip:has-text('Kevin')").tap()
        tab.wait_for_selector("#set-y .chip.muted:has-text('Kevin')")
        assert errors == []


def test_chips_are_muted_removed_and_moved_with_the_keyboard(browser, server):
    with open_page(browser, f"{server}{WEAT6}") as (tab, errors):
        tab.focus("#set-x .chip:has-text('John')")
        tab.keyboard.press("Space")
        tab.wait_for_selector("#set-x .chip.muted:has-text('John')")
        assert tab.evaluate("document.activeElement.dataset.word") == "John"
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#set-x .chip:not(.muted):has-text('John')")
        tab.keyboard.press("Delete")
        wait_until(tab, "document.querySelectorAll('#set-x .chip').length === 7")
        assert tab.evaluate("document.activeElement.className").startswith("chip")
        word = tab.evaluate("document.activeElement.dataset.word")
        tab.keyboard.press("Alt+ArrowDown")
        tab.wait_for_selector(f"#set-y .chip:has-text('{word}')")
        assert errors == []


def test_own_words_can_be_asked_with_the_keyboard_alone(browser, server):
    with open_page(browser, f"{server}/?source=default&x=") as (tab, errors):
        words = iter(["rose lily tulip", "wasp gnat moth", "kind good warm", "foul bad cruel"])
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.className") == "skip"
        typed = 0
        for _ in range(60):
            tab.keyboard.press("Tab")
            if tab.evaluate("document.activeElement.className") == "add":
                ring = tab.evaluate("getComputedStyle(document.activeElement).outlineWidth")
                assert float(ring.removesuffix("px")) >= 2
                tab.keyboard.type(next(words))
                tab.keyboard.press("Enter")
                typed += 1
                wait_until(tab, f"document.querySelectorAll('.chip').length === {3 * typed}")
            if typed == 4:
                break
        tab.wait_for_selector(".figures .grade")
        assert "rose, lily…" in tab.inner_text("h1").lower()
        assert errors == []


def test_pointing_at_a_chip_shows_its_stroke_and_its_influence(browser, server):
    with open_page(browser, f"{server}{WEAT6}") as (tab, errors):
        tab.hover("#set-y .chip:has-text('Diana')")
        assert tab.locator(".strip svg.wide g.mark.linked").get_attribute("data-word") == "diana"
        assert tab.locator(".mini circle.linked").count() == 1
        tab.hover("h1")
        assert tab.locator(".linked").count() == 0
        assert errors == []


def test_the_slider_drops_the_most_influential_words(browser, server):
    with open_page(browser, f"{server}{WEAT6}") as (tab, errors):
        tab.focus("#drop")
        tab.keyboard.press("ArrowRight")
        tab.keyboard.press("ArrowRight")
        wait_until(tab, "document.querySelectorAll('.chip.dropped').length === 2")
        assert tab.evaluate("document.activeElement.id") == "drop"
        assert "drop=2" in tab.url
        assert "Without the 2 most influential words" in tab.inner_text("#answer")
        assert errors == []


def test_the_checks_have_the_verdicts_of_the_finding_and_open_their_details(browser, server):
    with open_page(browser, f"{server}{WEAT6}") as (tab, errors):
        complete(tab)
        verdicts = tab.locator(".check .verdict").all_inner_texts()
        assert verdicts == ["holds", "depends", "holds", "holds"]
        assert "holds for 69 % of published seed lists" in tab.inner_text("h1")
        assert tab.inner_text(".figures .grade") == "mixed"
        tab.click(".check:nth-child(3) .open")
        tab.wait_for_selector(".detail .controlled table")
        assert errors == []


def test_the_strip_is_there_with_the_first_paint_and_nothing_moves_when_the_script_runs(
    browser, server
):
    def places(tab: Any) -> list[Any]:
        return [tab.locator(part).bounding_box() for part in (".strip", "#set-b", "#robust")]

    with open_page(browser, f"{server}{WEAT6}") as (tab, _):
        complete(tab)  # from now on the page has all evidence from the beginning
        tab.goto(f"{server}{WEAT6}")
        tab.wait_for_timeout(500)
        with_script = places(tab)
    with open_page(browser, f"{server}{WEAT6}", java_script_enabled=False) as (tab, _):
        assert tab.locator(".strip svg.wide .stroke").count() == 16
        assert places(tab) == with_script


@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_home_and_ask_fit_a_phone(browser, server, scheme, width):
    phone = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    address = f"{server}/?source=vectors.txt&source=default&test=weat6"
    with open_page(browser, address, **phone) as (tab, errors):
        complete(tab)
        assert fits_window(tab)
        assert tab.locator(".result").count() == 2
        assert tab.locator(".strip svg.narrow >> nth=0").is_visible()
        assert not tab.locator(".strip svg.wide >> nth=0").is_visible()
        ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
        for path in ("/", "/?x=&y=&a=&b="):
            tab.goto(server + path)
            assert fits_window(tab)
        assert errors == []


def test_two_tabs_get_their_own_answers(browser, server):
    context = browser.new_context()
    context.set_default_timeout(TIMEOUT_MS)
    tabs = [context.new_page(), context.new_page()]
    for tab, test in zip(tabs, ("weat6", "weat7"), strict=True):
        tab.goto(f"{server}/?test={test}", wait_until="commit")
    for tab, effect in zip(tabs, ("1.81", "1.06"), strict=True):
        tab.wait_for_selector("#answer .figures")
        assert tab.inner_text(".figures b >> nth=0") == effect
    context.close()


def test_ask_works_without_scripts(browser, server):
    with open_page(browser, f"{server}/?x=&y=&a=&b=", java_script_enabled=False) as (tab, errors):
        for side, text in {"x": "rose lily", "y": "wasp moth", "a": "good", "b": "bad"}.items():
            tab.fill(f"#add-{side}", text)
        tab.click(".models summary")
        tab.uncheck("input[value='vectors.txt']")
        tab.check("input[value=default]")
        tab.click("button:has-text('Ask')")
        tab.wait_for_selector(".figures .grade")  # a page that waits asks again by itself
        assert tab.locator(".strip svg.wide text.name").count() == 4
        tab.click("text=Every word")
        tab.wait_for_selector(".influence")
        tab.click("text=Back to the answer")
        tab.click("#set-x .chip:has-text('rose')")  # a chip is a link
        tab.wait_for_selector("#set-x .chip.muted")
        assert errors == []


def test_slurs_are_shown_when_the_reader_asks_and_until_the_browser_is_closed(browser, tmp_path):
    path = tmp_path / "words.txt"
    rows = {"redneck": "1 0 2", "lily": "1 1 0", "wasp": "-1 0 1", "gnat": "-1 1 1"}
    rows |= {"kind": "2 0 0", "foul": "-2 0 0"}
    path.write_text("".join(f"{word} {row}\n" for word, row in rows.items()))
    with run_server(Settings(sources=(str(path),))) as address:
        asked = f"{address}/?x=redneck+lily&y=wasp+gnat&a=kind&b=foul"
        with open_page(browser, asked) as (tab, errors):
            tab.wait_for_selector(".strip svg.wide")
            assert "redneck" not in tab.locator(".strip").text_content()
            assert "redneck" not in tab.inner_text("#set-x .chips")
            tab.click(".menu summary")
            tab.check("#slurs")
            assert "redneck" in tab.locator(".strip svg.wide").text_content()
            for path in ("/seeds", asked.removeprefix(address)):
                tab.goto(address + path)
                assert tab.is_checked("#slurs")
            assert "redneck" in tab.locator(".strip svg.wide").text_content()
            assert errors == []


def test_hostile_words_inject_nothing_into_the_page(browser, tmp_path):
    path = tmp_path / "words.txt"
    evil = ["<script>alert(1)</script>", "<img/src=x/onerror=alert(2)>"]
    rows = {evil[0]: "1 0 2", evil[1]: "1 1 0", "wasp": "-1 0 1", "gnat": "-1 1 1"}
    rows |= {"kind": "2 0 0", "foul": "-2 0 0"}
    path.write_text("".join(f"{word} {row}\n" for word, row in rows.items()))
    settings = Settings(sources=(str(path),))
    with run_server(settings) as address, open_page(browser, f"{address}/?x=") as (tab, errors):
        sets = {"x": " ".join(evil), "y": "wasp gnat", "a": "kind", "b": "foul"}
        tab.fill("#name-x", evil[1])
        for side, text in sets.items():
            tab.fill(f"#add-{side}", text)
            tab.press(f"#add-{side}", "Enter")
            tab.wait_for_selector(f"#set-{side} .chip")
        tab.wait_for_selector(".strip svg.wide")
        assert tab.locator("main img").count() == 0
        tab.hover("#set-x .chip >> nth=0")
        assert errors == []


def test_a_long_job_shows_progress_can_be_cancelled_and_survives_a_restart(
    browser, tiny, monkeypatch, tmp_path
):
    gate = tmp_path / "gate"
    monkeypatch.setenv("WEATHERGLASS_TEST_GATE", str(gate))
    monkeypatch.setattr(evidence, "multiverse_in_process", functions.wait_for_gate)
    settings = Settings(sources=("default",))
    with run_server(settings) as address:
        with open_page(browser, f"{address}/?test=weat7") as (tab, errors):
            tab.click("text=Every list")
            tab.wait_for_selector(WORKING)
            tab.click(f"{WORKING} ~ form button")
            tab.wait_for_selector("#robust >> text=This was cancelled.")
            assert errors == []
        port = int(address.rsplit(":", 1)[1])
        context = browser.new_context()
        context.set_default_timeout(TIMEOUT_MS)
        waiting = context.new_page()
        waiting.goto(f"{address}/?test=weat7")
        waiting.click("text=Every list")
        waiting.wait_for_selector(WORKING)
    with run_server(settings, port):  # the page goes on by itself
        gate.touch()
        waiting.wait_for_selector(".multiverse")
        context.close()


def test_the_title_and_heading_are_those_of_the_answer_when_it_took_long(browser, tiny):
    settings = Settings(sources=("default",), wait_seconds=0.01)
    with (
        run_server(settings) as address,
        open_page(browser, f"{address}{WEAT6}") as (tab, errors),
    ):
        tab.wait_for_selector("h1:has-text('Male names')")
        assert tab.locator("h1").count() == 1
        assert "Working" not in tab.inner_text("main")
        assert re.match("Male vs female names", tab.title())
        assert errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_home_and_ask_violate_no_accessibility_rule(browser, server, scheme):
    words = "x=doctor,+enginer,+~pilot,+judge&y=nurse,+maid&a=he,+him&b=she,+her&missing=1&drop=1"
    # Without the policy of the page, which would not run the script of axe.
    with open_page(browser, server, color_scheme=scheme, bypass_csp=True) as (tab, _):
        for path in ("/", WEAT6, "/?x=&y=&a=&b=", f"/?source=default&{words}"):
            tab.goto(server + path)
            tab.wait_for_selector("main h1")
            complete(tab)
            assert violations(tab) == [], path
            assert tab.locator("h1").count() == 1
