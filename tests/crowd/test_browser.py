"""Task pages in a real browser: by keyboard, on a phone, in the dark, with a file at the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from weatherglass import CrowdStudy, export_crowd_study, import_crowd_answers
from weatherglass._web.settings import Settings
from weatherglass.crowd import Submission, make_ratings, presented_order, write_study

pytest.importorskip("jinja2", reason="task pages need the extra 'web'")

from .._web.browsing import PHONE, chromium, fits_window, open_page
from .._web.conftest import run_server
from .conftest import make_discovery

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with rating tasks."""
    path = tmp_path_factory.mktemp("study")
    discovery = make_discovery(words=("<b>bold</b>", "rednecks", "x" * 60))
    study = export_crowd_study(discovery, path, tests=2)
    rated = make_ratings(study, [item.id for _, item in study.items()])
    write_study(rated, path)
    return path


def begin(tab: Any, worker: str = "") -> None:
    if worker:
        tab.fill("#worker", worker)
    tab.check("#agree")
    tab.click("text=Start")


def fill_in(tab: Any) -> None:
    for select in tab.locator("select").all():
        select.select_option(index=1)
    for scale in tab.locator(".scale").all():
        scale.locator("label").nth(4).click()


@pytest.mark.parametrize("task", ["exam", "match-01", "rate-01"])
def test_answers_are_saved_with_a_code_that_the_import_accepts(browser, folder, tmp_path, task):
    study = CrowdStudy.load(folder)
    address = f"{(folder / 'pages' / task).as_uri()}.html?PROLIFIC_PID=W%C3%B6rker%201"
    with open_page(browser, address) as (tab, errors):
        assert tab.input_value("#worker") == "Wörker 1"
        begin(tab)
        shown = tab.evaluate(
            "[...document.querySelectorAll('#items > li')].map(l => l.dataset.item)"
        )
        ids = [item.id for item in study.task(task).items]
        assert shown == presented_order(study.options.rng, "Wörker 1", task, ids)
        fill_in(tab)
        tab.click("text=Finish")
        code = tab.inner_text("#code")
        with tab.expect_download() as download:
            tab.click("#download")
        download.value.save_as(tmp_path / "a.json")
        assert download.value.suggested_filename.startswith(task)
        assert errors == []
    submission = Submission(**json.loads((tmp_path / "a.json").read_text()))
    assert submission.code == code
    assert submission.has_right_code
    assert len(submission.answers) == len(ids)
    assert import_crowd_answers(tmp_path / "a.json", folder).left_out == {}


def test_answers_that_were_not_saved_survive_a_reload_of_the_page(browser, folder):
    with open_page(browser, (folder / "pages" / "match-01.html").as_uri()) as (tab, errors):
        begin(tab, "w9")
        fill_in(tab)
        tab.click("text=Finish")
        code = tab.inner_text("#code")
        tab.reload()
        begin(tab, "w9")
        tab.click("text=Finish")
        assert tab.inner_text("#code") == code
        with tab.expect_download():
            tab.click("#download")
        tab.reload()
        begin(tab, "w9")
        assert tab.inner_text("#count").startswith("0 of")
        assert errors == []


def test_a_task_can_be_done_with_the_keyboard_alone(browser, folder):
    with open_page(browser, (folder / "pages" / "match-02.html").as_uri()) as (tab, errors):
        tab.focus("#worker")
        tab.keyboard.type("w7")
        tab.keyboard.press("Tab")
        tab.keyboard.press("Space")
        tab.keyboard.press("Tab")
        tab.keyboard.press("Enter")
        assert tab.evaluate("document.activeElement.id") == "task-heading"
        for number in range(tab.locator("select").count()):
            tab.keyboard.press("Tab")
            if number == 0 and tab.evaluate("document.activeElement.tagName") != "SELECT":
                tab.keyboard.press("Tab")
            tab.keyboard.type("B")  # the letter of a group chooses it
        tab.keyboard.press("Tab")
        assert tab.inner_text("#count") == "5 of 5 answered"
        tab.keyboard.press("Enter")
        assert tab.evaluate("document.activeElement.id") == "end-heading"
        assert errors == []


def test_finishing_early_names_the_open_rows_and_goes_to_the_first(browser, folder):
    with open_page(browser, (folder / "pages" / "match-01.html").as_uri()) as (tab, errors):
        tab.click("text=Start")
        assert tab.inner_text("#start-error") == "Please enter your participant id."
        begin(tab, "w1")
        tab.locator("select").first.select_option(index=2)
        tab.click("text=Finish")
        assert tab.inner_text("#task-error") == "5 rows have no answer yet."
        assert tab.evaluate("document.activeElement.tagName") == "SELECT"
        assert tab.is_hidden("#end")
        tab.reload()
        begin(tab, "w1")  # the draft is still there
        assert tab.inner_text("#count") == "1 of 6 answered"
        assert errors == []


def test_a_group_moves_when_each_can_be_used_once(browser, tmp_path):
    export_crowd_study(make_discovery(), tmp_path, one_to_one=True)
    with open_page(browser, (tmp_path / "pages" / "match-01.html").as_uri()) as (tab, errors):
        begin(tab, "w1")
        rows = tab.locator("li:not([data-check]) > select")
        rows.nth(0).select_option(index=1)
        rows.nth(1).select_option(index=1)
        assert rows.nth(0).input_value() == ""
        assert "can be used once" in tab.inner_text("#task-error")
        tab.locator("li[data-check] > select").select_option(index=1)
        assert rows.nth(1).input_value() != ""
        assert errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("task", ["exam", "match-01", "rate-01"])
def test_task_pages_fit_a_phone_and_their_buttons_are_large_enough(browser, folder, task, scheme):
    options = {**PHONE, "color_scheme": scheme}
    with open_page(browser, (folder / "pages" / f"{task}.html").as_uri(), **options) as (
        tab,
        errors,
    ):
        assert fits_window(tab)
        begin(tab, "w1")
        assert fits_window(tab)
        for selector in ("button:visible", "select", ".scale label"):
            for target in tab.locator(selector).all()[:3]:
                box = target.bounding_box()
                assert min(box["height"], box["width"]) >= 40
        dark = tab.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (dark != "rgb(255, 255, 255)") == (scheme == "dark")
        assert "rednecks" not in tab.content()
        assert errors == []


@pytest.mark.parametrize("task", ["exam", "match-01", "rate-01"])
def test_every_field_has_a_name_for_screen_readers_and_ids_are_unique(browser, folder, task):
    with open_page(browser, (folder / "pages" / f"{task}.html").as_uri()) as (tab, errors):
        begin(tab, "w1")
        unnamed = tab.evaluate(
            "[...document.querySelectorAll('input, select, textarea, progress')]"
            ".filter(e => !e.labels.length || ![...e.labels].some(l => l.textContent.trim()))"
            ".map(e => e.id || e.name)"
        )
        assert unnamed == []
        ids = tab.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
        assert len(ids) == len(set(ids))
        ungrouped = tab.evaluate(
            "[...document.querySelectorAll('input[type=radio]')]"
            ".filter(e => !e.closest('fieldset').querySelector('legend').textContent.trim()).length"
        )
        assert ungrouped == 0
        levels = tab.evaluate(
            "[...document.querySelectorAll('h1, h2, h3')].map(e => Number(e.tagName[1]))"
        )
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert errors == []


CONTRAST = """
(selectors) => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const first = (selector) => [...document.querySelectorAll(selector)].slice(0, 3);
  return selectors.flatMap((selector) => first(selector).map((e) => {
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))];
    return [selector, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
  }));
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_enough_contrast(browser, folder, scheme):
    address = (folder / "pages" / "rate-01.html").as_uri()
    with open_page(browser, address, color_scheme=scheme) as (tab, _):
        begin(tab, "w1")
        tab.locator(".scale label").first.click()
        tab.click("text=Finish")
        selectors = [
            "p",
            "h1",
            "legend",
            ".of",
            ".ends",
            ".scale label",
            ".error",
            "output",
            "button",
        ]
        for selector, ratio in tab.evaluate(CONTRAST, selectors):
            assert ratio >= 4.5, selector


def test_a_lab_saves_answers_and_leads_to_the_next_task(browser, folder):
    study = CrowdStudy.load(folder)
    keys = {item.id: item.check or item.group for item in study.task("exam").items}
    with (
        run_server(Settings(sources=(), study=folder)) as address,
        open_page(browser, f"{address}/crowd/exam?worker=lab1") as (tab, errors),
    ):
        begin(tab)
        for select in tab.locator("select").all():
            select.select_option(value=keys[select.get_attribute("id")])
        tab.click("text=Finish")
        tab.wait_for_selector("#next:not([hidden])")
        assert tab.inner_text("#end-state") == "Your answers are saved."
        assert tab.is_hidden("#save")
        tab.click("#next-link")
        tab.wait_for_selector("#start:not([hidden])")
        assert "/crowd/match-" in tab.url
        assert errors == []
    result = import_crowd_answers(folder / "answers.jsonl", folder)
    assert result.workers[0].exam == 1.0
