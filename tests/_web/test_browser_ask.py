"""Ask in a real browser: from the first page to a picture, by keyboard, on a phone, in the dark."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from weatherglass._web.ask import question
from weatherglass._web.settings import Settings

from .browsing import PATIENCE, PHONE, comes_true, fits, opened
from .conftest import running

pytestmark = pytest.mark.slow
WORKING = ".working progress[max='3000']"


@pytest.fixture(scope="module")
def server(glove840b: str) -> Iterator[str]:
    """A real server with the rows of the Science paper (``vectors.txt``) and ``default``."""
    with running(Settings(sources=(glove840b, "default"), warm_up=True)) as address:
        yield address


def drawn(tab: Any, figure: str = "#words figure.chart") -> None:
    tab.locator(figure).scroll_into_view_if_needed()
    tab.wait_for_selector(f"{figure}[data-live=yes] svg")


def test_from_the_first_page_to_a_picture_with_the_numbers_of_table_1(browser, server):
    with opened(browser, server) as (tab, wrong):
        tab.click("text=Flowers vs insects, pleasant vs unpleasant")
        tab.wait_for_selector("#answer .tiles")
        said = tab.inner_text("#answer")
        assert "Flowers are more strongly associated with pleasant words, rather than unpleasant words" in said
        assert [one.inner_text() for one in tab.query_selector_all(".tiles b")][:3] == [
            *("1.50", "1.15 to 1.70", "1.5e-09")
        ]
        assert "Of all 126,410,606,437,752 ways" in said
        assert "only 183,759 give" in said
        drawn(tab)
        tab.wait_for_selector(".influence table")
        assert "dragonfly" in tab.inner_text(".influence")
        tab.wait_for_selector(".lint")
        with tab.expect_download() as took:
            tab.click("text=Picture SVG")
        assert took.value.suggested_filename == "weat1.svg"
        assert wrong == []


def test_the_multiverse_is_drawn_when_it_is_asked_for(browser, server):
    with opened(browser, f"{server}/?source=default&test=weat7") as (tab, wrong):
        tab.click("text=Try them all")
        tab.wait_for_selector(".other-words")
        assert "18 choices of whole sets" in tab.inner_text(".other-words")
        drawn(tab, ".other-words figure.chart")
        assert wrong == []


def test_missing_words_show_as_they_are_typed_and_sets_are_picked(browser, server):
    with opened(browser, f"{server}/?source=default") as (tab, wrong):
        tab.fill("#text-x", "rose, qwertyuiopas, tulip")
        tab.wait_for_selector("#words-x >> text=1 not in default: qwertyuiopas")
        tab.fill("#text-x", "rose, lily, tulip")
        tab.wait_for_selector("#words-x >> text=3 words, all in default")
        tab.fill("[name=find_a]", "pleasant caliskan")
        tab.click("#found-a a >> nth=0")
        comes_true(tab, "document.querySelector('#text-a').value.startsWith('@')")
        assert tab.input_value("#text-x") == "rose, lily, tulip"
        tab.wait_for_selector("#words-a >> text=Caliskan et al. 2017")
        tab.click("#words-a summary")
        tab.click("text=Write the words out")
        comes_true(tab, "!document.querySelector('#text-a').value.startsWith('@')")
        assert wrong == []


def test_a_question_is_asked_with_the_keyboard_alone(browser, server):
    with opened(browser, server) as (tab, wrong):
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
        assert wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(browser, server, scheme):
    phone = {**PHONE, "color_scheme": scheme}
    address = f"{server}/?source=vectors.txt&source=default&test=weat6"
    with opened(browser, address, **phone) as (tab, wrong):
        drawn(tab)
        tab.wait_for_selector(".influence table")
        assert fits(tab)
        ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
        tab.goto(server)
        assert fits(tab)
        assert wrong == []


def test_two_tabs_at_once(browser, server):
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    tabs = [context.new_page(), context.new_page()]
    for tab, test in zip(tabs, ("weat6", "weat7"), strict=True):
        tab.goto(f"{server}/?test={test}", wait_until="commit")
    for tab, effect in zip(tabs, ("1.81", "1.06"), strict=True):
        tab.wait_for_selector("#answer .tiles")
        assert tab.inner_text(".tiles b >> nth=0") == effect
    context.close()


def test_it_works_without_scripts(browser, server):
    with opened(browser, server, java_script_enabled=False) as (tab, wrong):
        for side, text in {"x": "rose lily", "y": "wasp moth", "a": "good", "b": "bad"}.items():
            tab.fill(f"#text-{side}", text)
        tab.uncheck("input[value='vectors.txt']")
        tab.check("input[value=default]")
        tab.click("button:has-text('Ask')")
        tab.wait_for_selector("#answer .tiles")  # a page that waits asks again by itself
        tab.wait_for_selector("#words figure img")
        assert wrong == []


def test_slurs_are_written_out_when_the_reader_asks(browser, tmp_path):
    path = tmp_path / "words.txt"
    rows = {"redneck": "1 0 2", "lily": "1 1 0", "wasp": "-1 0 1", "gnat": "-1 1 1"}
    rows |= {"kind": "2 0 0", "foul": "-2 0 0"}
    path.write_text("".join(f"{word} {row}\n" for word, row in rows.items()))
    with running(Settings(sources=(str(path),))) as address:
        question = f"{address}/?x=redneck+lily&y=wasp+gnat&a=kind&b=foul"
        with opened(browser, question) as (tab, wrong):
            drawn(tab)
            assert "redneck" not in tab.locator("#words svg").text_content()
            tab.check("#slurs")
            comes_true(
                tab, "document.querySelector('#words .live svg')?.textContent.includes('redneck')"
            )
            assert wrong == []


def test_hostile_words_inject_nothing(browser, tmp_path):
    path = tmp_path / "words.txt"
    evil = ["<script>alert(1)</script>", "<img/src=x/onerror=alert(2)>"]
    rows = {evil[0]: "1 0 2", evil[1]: "1 1 0", "wasp": "-1 0 1", "gnat": "-1 1 1"}
    rows |= {"kind": "2 0 0", "foul": "-2 0 0"}
    path.write_text("".join(f"{word} {row}\n" for word, row in rows.items()))
    settings = Settings(sources=(str(path),))
    with running(settings) as address, opened(browser, address) as (tab, wrong):
        sets = {"x": " ".join(evil), "y": "wasp gnat", "a": "kind", "b": "foul"}
        for side, text in sets.items():
            tab.fill(f"#text-{side}", text)
        tab.fill("#name-x", evil[1])
        tab.click("button:has-text('Ask')")
        drawn(tab)
        assert tab.locator("main img").count() == 0
        tab.locator("#words .mark-rect path, #words .mark-rule line").first.hover(force=True)
        assert wrong == []


def test_a_long_job_shows_progress_is_cancelled_and_survives_a_restart(browser, tiny, monkeypatch):
    gate, real = threading.Event(), question.multiverse

    def slow(*arguments: Any, progress: Any, **options: Any) -> Any:
        for done in range(3000):
            progress(done, 3000)
            if gate.wait(0.02):
                break
        return real(*arguments, progress=progress, **options)

    monkeypatch.setattr(question, "multiverse", slow)
    settings = Settings(sources=("default",))
    with running(settings) as address:
        with opened(browser, f"{address}/?test=weat7") as (tab, wrong):
            tab.click("text=Try them all")
            tab.wait_for_selector(WORKING)
            tab.click(f"{WORKING} ~ form button")
            tab.wait_for_selector("#robust >> text=This was cancelled.")
            assert wrong == []
        port = int(address.rsplit(":", 1)[1])
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        waiting = context.new_page()
        waiting.goto(f"{address}/?test=weat7")
        waiting.click("text=Try them all")
        waiting.wait_for_selector(WORKING)
    with running(settings, port):  # the page goes on by itself
        gate.set()
        waiting.wait_for_selector(".other-words")
        context.close()
