"""Seeds in a real browser: find a set, check it, compare it, ask with it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from weatherglass._web.settings import Settings

from .browsing import open_page
from .conftest import run_server

pytestmark = pytest.mark.slow
FEMALE, MALE = "female_1-Caliskan_et_al_2017", "male_1-Caliskan_et_al_2017"


def card_link(name: str) -> str:
    """Return the selector of the title that opens the set with this id."""
    return f".library-card:has(bdi:text-is('{name}')) > a"


@pytest.fixture(scope="module")
def server(tiny: str) -> Iterator[str]:
    with run_server(Settings(sources=("default", tiny))) as address:
        yield address


def test_sets_are_found_while_typing_and_lead_to_a_question(browser, server):
    with open_page(browser, server) as (tab, errors):
        tab.click("nav >> text=Library")
        tab.click(".tabs >> text=Seed sets")
        tab.wait_for_selector("text=178 sets")
        tab.type("input[name=find]", "upper class")
        tab.wait_for_selector("#list >> text=/^1 set/")
        # A list that arrives during a click would take the link away.
        with tab.expect_response(re.compile("/seeds/list.*caliskan")):
            tab.fill("input[name=find]", "female_1 caliskan")
        tab.wait_for_selector(
            "form:not(.htmx-request) ~ #list:not(.htmx-swapping):not(.htmx-settling)"
        )
        tab.click(f"#list {card_link(FEMALE)}")
        tab.wait_for_selector(f"main > .seed-id:has-text('{FEMALE}')")
        tab.click("#findings summary:has-text('note')")
        assert "8 words; published sets usually have about 11" in tab.inner_text("#findings")
        tab.click("text=Ask with this set and its opposite")
        tab.wait_for_selector("#text-a", state="attached")
        assert tab.input_value("#text-a") == f"@{FEMALE}"
        assert tab.input_value("#text-b") == f"@{MALE}"
        tab.wait_for_selector("#set-a .chip >> nth=7")
        assert errors == []


def test_groups_open_and_the_grouping_can_be_changed(browser, server):
    with open_page(browser, f"{server}/seeds") as (tab, errors):
        assert not tab.is_visible(card_link(FEMALE))
        tab.locator("summary", has_text=re.compile(r"^Female 20 sets$")).click()
        assert tab.is_visible(card_link(FEMALE))
        tab.select_option("select[name=by]", "study")
        tab.wait_for_selector("summary:has-text('Garg et al. 2018')")
        tab.select_option("select[name=by]", "origin")
        tab.wait_for_selector("summary:has-text('crowd-sourced')")
        assert errors == []


def test_lint_is_repeated_when_another_source_is_chosen(browser, server):
    with open_page(browser, f"{server}/seeds/set?id={FEMALE}") as (tab, errors):
        tab.wait_for_selector("#findings .lint")
        assert "are missing" not in tab.text_content("#findings")
        tab.select_option("select[name=source]", "tiny.txt")
        tab.wait_for_selector("#findings .severity.warning")
        assert "sister" in tab.inner_text("#findings")
        assert errors == []


def test_two_sets_can_be_compared_in_the_browser(browser, server):
    with open_page(browser, f"{server}/seeds/compare") as (tab, errors):
        tab.fill("input[name=one]", "@names_black-Garg_et_al_2018")
        tab.fill("input[name=other]", "@names_white-Garg_et_al_2018")
        tab.click("button:has-text('Compare')")
        tab.wait_for_selector("#compared .tiles")
        assert tab.inner_text("#compared .tiles b >> nth=0") == "19"
        assert tab.inner_text("#compared .tiles b >> nth=1") == "0.999"
        assert "shared words cannot tell them apart" in tab.inner_text("#compared")
        tab.click("text=Explore the axis between them")
        tab.wait_for_selector("input[name=a]")
        assert tab.input_value("input[name=a]") == "@names_black-Garg_et_al_2018"
        assert errors == []


def test_slurs_are_masked_until_the_reader_shows_them(browser, server):
    address = f"{server}/seeds/compare?one=redneck,+sun&other=rain,+snow"
    with open_page(browser, address) as (tab, errors):
        tab.wait_for_selector("#compared")
        assert "redneck" not in tab.inner_text("#compared")
        shown = "getComputedStyle(document.querySelector('#compared .slur'), '::after').content"
        assert tab.evaluate(shown) in ("none", "normal")
        tab.click(".menu summary")
        tab.check("#slurs")
        assert tab.evaluate(shown) == '"redneck"'
        assert errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_seeds_page_fits_a_phone(browser, server, scheme):
    phone = {"viewport": {"width": 390, "height": 844}, "color_scheme": scheme}
    paths = ("/seeds", "/seeds?find=garg&by=origin", f"/seeds/set?id={FEMALE}")
    paths += ("/seeds/set?id=race/ethnicity/nationality-Rudinger_et_al_2017",)
    paths += (f"/seeds/compare?one=@{FEMALE}&other=@{MALE}",)
    for path in paths:
        with open_page(browser, f"{server}{path}", **phone) as (tab, errors):
            tab.wait_for_load_state("networkidle")
            tab.evaluate(
                "document.querySelectorAll('details').forEach(details => details.open = true)"
            )
            assert tab.evaluate("document.documentElement.scrollWidth") <= 390, path
            ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
            assert errors == []


def test_a_set_can_be_found_and_opened_with_the_keyboard_alone(browser, server):
    with open_page(browser, f"{server}/seeds") as (tab, errors):
        for _ in range(20):
            tab.keyboard.press("Tab")
            if tab.evaluate("document.activeElement.name") == "find":
                break
        tab.keyboard.type("upperclass")
        tab.wait_for_selector("#list >> text=1 set")
        assert tab.evaluate("document.activeElement.name") == "find"  # the list is renewed, not it
        for _ in range(10):
            tab.keyboard.press("Tab")
            if tab.evaluate("document.activeElement.matches('.rows a')"):
                break
        tab.keyboard.press("Enter")
        tab.wait_for_selector("main > .seed-id:has-text('upperclass-Kozlowski_et_al_2019')")
        assert errors == []


def test_seeds_can_be_searched_and_linted_without_scripts(browser, server):
    with open_page(browser, f"{server}/seeds", java_script_enabled=False) as (tab, errors):
        tab.fill("input[name=find]", "upperclass")
        tab.click("button:has-text('Search')")
        tab.click(".rows a")
        tab.wait_for_selector("main > .seed-id:has-text('upperclass-Kozlowski_et_al_2019')")
        tab.click("text=Check the words")
        tab.wait_for_selector(".lint")
        assert errors == []
