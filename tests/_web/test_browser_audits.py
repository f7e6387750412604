"""Audits and uploads in a real browser: reports in their sandbox, files sent by keyboard."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from weatherglass._web.settings import Settings
from weatherglass.auditing.audit import audit

from .browsing import PHONE, fits_window, open_page
from .conftest import run_server

pytestmark = pytest.mark.slow
EVIL = (
    "<script>document.title = 'owned'</script>"
    "<img src=x onerror=\"document.title = 'owned'\">"
    "<form action='/upload'></form>"
)


@pytest.fixture(scope="module")
def audits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audits")
    suite = folder / "two.yaml"
    suite.write_text(
        "id: two\ntitle: Two tests\nsteps: [{run: weat, title: Tests, tests: [weat6, weat7]}]\n"
    )
    audit("default", out=folder / "first", suite=suite)
    audit("default", out=folder / "second", suite="quick")
    hostile = folder / "hostile"
    shutil.copytree(folder / "first", hostile)
    page = (hostile / "report.html").read_text(encoding="utf-8")
    # Neither its policy nor its content is ours.
    start, end = page.index("<meta http-equiv"), page.index('<meta name="viewport"')
    page = page[:start] + page[end:].replace("<main", EVIL + "<main")
    (hostile / "report.html").write_text(page, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def server(audits: Path) -> Iterator[str]:
    with run_server(Settings(sources=("default",), folders=(audits,))) as address:
        yield address


def test_a_page_that_takes_long_replaces_the_one_that_waits(browser, audits):
    with (
        run_server(Settings(sources=(), folders=(audits,), wait_seconds=0.0)) as address,
        open_page(browser, f"{address}/audits/run?run=first") as (tab, errors),
    ):
        tab.wait_for_selector(".strongest li")
        assert tab.locator("header.bar").count() == 1
        assert tab.locator("h1").all_inner_texts() == ["Audit first"]
        assert not errors


def test_an_audit_opens_and_its_report_has_its_charts(browser, server):
    with open_page(browser, f"{server}/audits") as (tab, errors):
        tab.click("text=first")
        tab.wait_for_selector(".strongest li")
        tab.locator("figure.chart").scroll_into_view_if_needed()
        tab.wait_for_selector("figure.chart svg >> visible=true")
        with tab.context.expect_page() as came:
            tab.click("text=Open the whole report")
        report = came.value
        report.wait_for_load_state()
        assert report.url.endswith("/audits/report?run=first")
        report.wait_for_selector("figure svg")
        assert report.evaluate("window.origin") == "null"  # it belongs to no site
        assert errors == []


def test_a_hostile_report_can_run_no_script_and_send_no_request(browser, server):
    with open_page(browser, f"{server}/audits/report?run=hostile") as (tab, errors):
        tab.wait_for_selector("main")
        assert tab.title() != "owned"
        outcome = tab.evaluate(
            "fetch('/api/sources').then(() => 'reached', () => 'refused')",
        )
        assert outcome == "refused"
        assert any("Content Security Policy" in message for message in errors)


def test_two_audits_can_be_compared_in_the_browser(browser, server):
    with open_page(browser, f"{server}/audits") as (tab, errors):
        tab.select_option("[name=before]", "first")
        tab.select_option("[name=after]", "second")
        tab.click("text=Compare >> nth=-1")
        tab.wait_for_selector(".summary")
        assert "No finding changed" in tab.inner_text(".summary")
        assert tab.is_visible(".slopes.wide")
        assert tab.is_hidden(".slopes.narrow")
        assert "only in second" in tab.inner_text("#numbers")
        with tab.expect_download() as took:
            tab.click("text=All changes")
        assert took.value.suggested_filename == "changes.csv"
        assert errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "page",
    ["/audits", "/audits/run?run=second", "/audits/compare?before=first&after=second", "/upload"],
)
def test_the_audit_and_upload_pages_fit_a_phone(browser, server, page, scheme):
    options = {**PHONE, "color_scheme": scheme}
    with open_page(browser, f"{server}{page}", **options) as (tab, errors):
        tab.wait_for_selector("h1")
        if "run=" in page:
            tab.locator("figure.chart").scroll_into_view_if_needed()
            tab.wait_for_selector("figure.chart svg >> visible=true")
        assert fits_window(tab)
        assert errors == []


def test_vectors_can_be_uploaded_by_keyboard_and_asked(browser, server, tmp_path):
    mine = tmp_path / "my <b> vectors.txt"
    mine.write_text("rose 1 2 3\nlily 3 4 5\nwasp 1 0 2\n")
    with open_page(browser, f"{server}/upload") as (tab, errors):
        tab.set_input_files("[name=file]", mine)
        tab.locator("[name=file]").focus()
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.textContent") == "Upload"
        tab.keyboard.press("Enter")
        tab.wait_for_selector("text=All pages can now use it as")
        assert "my_b_vectors.txt" in tab.inner_text("#files")
        tab.click("#files >> text=Ask it")
        assert tab.is_checked("input[name=source][value='my_b_vectors.txt']")
        assert errors == []


def test_the_reason_for_a_refused_upload_is_shown_next_to_the_file(browser, server, tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_text("no vectors here\nnone\n")
    with open_page(browser, f"{server}/upload") as (tab, errors):
        tab.set_input_files("[name=file]", bad)
        tab.click("#upload button >> nth=0")
        tab.wait_for_selector("#files .problem")
        assert "is not a file of vectors" in tab.inner_text("#files .problem >> nth=0")
        assert errors == []


def test_a_corpus_can_be_uploaded_counted_and_trained(browser, server, tmp_path):
    sea = tmp_path / "sea.txt"
    sea.write_text("The sea was calm and the ship lay still. " * 400)
    with open_page(browser, f"{server}/upload", **PHONE) as (tab, errors):
        tab.check("[value=corpus]")
        tab.set_input_files("[name=file]", sea)
        tab.click("#upload button >> nth=0")
        tab.wait_for_selector(".train")
        assert "3,600" in tab.inner_text("#files")
        tab.fill("[name=dim]", "3")
        tab.click("text=Train vectors")
        tab.wait_for_selector("text=All pages can now use the vectors as")
        assert fits_window(tab)
        assert errors == []


def test_an_upload_can_be_cancelled(browser, server, tmp_path):
    large = tmp_path / "large.txt"
    with large.open("wb") as file:
        file.truncate(300 << 20)
    with open_page(browser, f"{server}/upload") as (tab, errors):
        # A slow line, so that there is time to press the button.
        line = tab.context.new_cdp_session(tab)
        line.send(
            "Network.emulateNetworkConditions",
            {
                "offline": False,
                "latency": 0,
                "downloadThroughput": -1,
                "uploadThroughput": 2_000_000,
            },
        )
        tab.set_input_files("[name=file]", large)
        tab.click("#upload button >> nth=0")
        tab.wait_for_selector("text=seconds left")
        assert tab.evaluate("document.activeElement.textContent") == "Cancel"
        tab.keyboard.press("Enter")
        tab.wait_for_selector("text=Cancelled.")
        assert tab.is_hidden("#stop")
        assert tab.is_enabled("#upload button >> nth=0")
        assert "large.txt" not in tab.inner_text("#files")
        assert errors == []
