"""The Map by touch and with the keyboard alone, and its layout of neighbourhoods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from weatherglass._web.settings import Settings

from ..accessibility import violations
from .browsing import PHONE, fits_window, open_page, wait_until
from .conftest import run_server

pytestmark = pytest.mark.slow
READY = "figure.map[data-ready=yes]"
TOUCH = {**PHONE, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def server(tiny: str) -> Iterator[str]:
    with run_server(Settings(sources=("default", tiny), wait_seconds=30)) as address:
        yield address


def centre_of(tab: Any, word: str, picture: str = "wide") -> tuple[float, float]:
    box = tab.locator(f"svg.{picture} .mark[data-word={word}] circle").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def find_free_mark(tab: Any) -> str:
    """Return a marked word that no other mark covers."""
    word: str = tab.evaluate(
        "() => [...document.querySelectorAll('svg.narrow .mark')].find((mark) => {"
        "  const box = mark.querySelector('circle').getBoundingClientRect();"
        "  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);"
        "  return mark.contains(top);"
        "}).dataset.word"
    )
    return word


class Fingers:
    """Touches of the screen, sent to the browser as a device would."""

    def __init__(self, tab: Any) -> None:
        self._session = tab.context.new_cdp_session(tab)

    def _send(self, kind: str, points: list[tuple[float, float]]) -> None:
        touches = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    def move(
        self, *paths: tuple[tuple[float, float], tuple[float, float]], steps: int = 10
    ) -> None:
        """Put fingers down, move each from its start to its end, and lift them."""
        self._send("touchStart", [start for start, _ in paths])
        for step in range(1, steps + 1):
            share = step / steps
            points = [
                (x + share * (to_x - x), y + share * (to_y - y)) for (x, y), (to_x, to_y) in paths
            ]
            self._send("touchMove", points)
        self._send("touchEnd", [])


def centre_of_stage(tab: Any) -> tuple[float, float]:
    tab.locator(".stage").scroll_into_view_if_needed()
    box = tab.locator(".stage").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_tapping_a_word_shows_its_neighbours(browser, server):
    with open_page(browser, f"{server}/map", **TOUCH) as (tab, errors):
        tab.wait_for_selector(READY)
        centre_of_stage(tab)
        word = find_free_mark(tab)
        tab.touchscreen.tap(*centre_of(tab, word, "narrow"))
        tab.wait_for_selector(f"#word h3:has-text('{word}')")
        assert tab.locator("svg.narrow .mark.selected").get_attribute("data-word") == word
        assert tab.locator("#word .near-words li").count() > 5
        assert errors == []


def test_a_finger_drags_the_map_sideways_and_chooses_no_word(browser, server):
    with open_page(browser, f"{server}/map", **TOUCH) as (tab, errors):
        tab.wait_for_selector(READY)
        x, y = centre_of_stage(tab)
        before = centre_of(tab, "nurse", "narrow")
        Fingers(tab).move(((x - 60, y), (x + 40, y)))
        after = centre_of(tab, "nurse", "narrow")
        assert 70 < after[0] - before[0] < 110
        assert after[1] == pytest.approx(before[1], abs=3)
        assert tab.locator("#word h3").count() == 0
        assert errors == []


def test_two_fingers_zoom_the_map_and_one_moves_it_in_every_direction_then(browser, server):
    with open_page(browser, f"{server}/map", **TOUCH) as (tab, errors):
        tab.wait_for_selector(READY)
        x, y = centre_of_stage(tab)

        def gap() -> float:
            (left, _), (right, _) = (centre_of(tab, w, "narrow") for w in ("nurse", "soldier"))
            return abs(right - left)

        before = gap()
        Fingers(tab).move(((x - 30, y), (x - 75, y)), ((x + 30, y), (x + 75, y)))
        assert 1.8 < gap() / before < 3.2
        assert tab.evaluate("visualViewport.scale") == 1  # the page itself is not zoomed
        nurse, scrolled = centre_of(tab, "nurse", "narrow"), tab.evaluate("scrollY")
        Fingers(tab).move(((x, y - 40), (x, y + 60)))
        assert centre_of(tab, "nurse", "narrow")[1] - nurse[1] > 60
        assert tab.evaluate("scrollY") == scrolled
        assert errors == []


def press_until(tab: Any, key: str, selector: str) -> None:
    """Press a key until an element has the focus."""
    for _ in range(60):
        tab.keyboard.press(key)
        if tab.evaluate(f"document.activeElement.matches('{selector}')"):
            return
    raise AssertionError(f"{selector} cannot be reached")


def test_words_and_layouts_are_chosen_with_the_keyboard_alone(browser, server):
    with open_page(browser, f"{server}/map", reduced_motion="reduce") as (tab, errors):
        tab.wait_for_selector(READY)
        press_until(tab, "Tab", ".stage")
        before = centre_of(tab, "nurse")
        tab.keyboard.press("ArrowDown")
        assert centre_of(tab, "nurse")[1] < before[1] - 20
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#word .near-words")
        first = tab.inner_text("#word h3")
        press_until(tab, "Tab", "#word .near-words a")
        near = tab.evaluate("document.activeElement.textContent")
        tab.keyboard.press("Enter")
        tab.wait_for_selector(f"#word h3:has-text('{near}')")
        assert tab.inner_text("#word h3") != first
        press_until(tab, "Shift+Tab", ".switch [data-layout=neighbourhoods]")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("figure.map[data-shown=neighbourhoods]")
        assert tab.get_attribute(".switch [data-layout=neighbourhoods]", "aria-current") == "true"
        assert "layout=neighbourhoods" in tab.url
        press_until(tab, "Tab", ".stage")
        tab.keyboard.press("+")
        tab.keyboard.press("Enter")
        wait_until(tab, f"!document.querySelector('#word h3').textContent.includes('{near}')")
        assert errors == []


def test_the_switch_to_neighbourhoods_moves_every_word_in_steps(browser, server):
    with open_page(browser, f"{server}/map") as (tab, errors):
        tab.wait_for_selector(READY)
        tab.evaluate(
            "() => { window.places = []; const mark = document.querySelector("
            "'svg.wide .mark[data-word=nurse]'); new MutationObserver(() => window.places.push("
            "mark.getAttribute('transform'))).observe(mark, { attributes: true }); }"
        )
        start = centre_of(tab, "nurse")
        tab.click("nav >> text=Neighbourhoods")
        tab.wait_for_selector("figure.map[data-shown=neighbourhoods]")
        assert tab.evaluate("new Set(window.places).size") > 2
        assert tab.is_visible(".for-neighbourhoods >> nth=0")
        end = centre_of(tab, "nurse")
        assert end != pytest.approx(start, abs=2)
        tab.goto(tab.url)  # the picture of the server has the same places
        assert centre_of(tab, "nurse") == pytest.approx(end, abs=1.5)
        tab.wait_for_selector(READY)
        assert errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_neighbourhoods_fit_a_narrow_phone_and_are_accessible(browser, server, scheme):
    phone = {"viewport": {"width": 320, "height": 700}, "color_scheme": scheme}
    with open_page(browser, f"{server}/map?layout=neighbourhoods", **phone) as (tab, errors):
        tab.wait_for_selector(READY)
        assert fits_window(tab)
        assert errors == []
        assert violations(tab) == []


def test_neighbourhoods_are_drawn_without_scripts(browser, server):
    address = f"{server}/map?layout=neighbourhoods"
    with open_page(browser, address, java_script_enabled=False) as (tab, errors):
        assert tab.locator("svg.wide .mark:visible").count() == 38
        assert tab.is_visible("text=Words are close to their 15 nearest neighbours")
        assert errors == []
