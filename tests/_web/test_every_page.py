"""Every page in a real browser: accessibility, console messages, and the width of a phone."""

from __future__ import annotations

import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from pprint import pformat
from typing import Any, NamedTuple

import pytest

from weatherglass import export_crowd_study
from weatherglass._web.discover.question import Search
from weatherglass._web.settings import Settings
from weatherglass.auditing.audit import audit

from ..accessibility import violations
from ..crowd.conftest import make_discovery
from .browsing import TIMEOUT_MS, fits_window, wait_until
from .conftest import run_server

pytestmark = pytest.mark.slow
FEMALE, MALE = "female_1-Caliskan_et_al_2017", "male_1-Caliskan_et_al_2017"
SEARCH = Search(source="default", groups=4, categories=8, words=2000, rotations=999)
EDITED = "x=doctor,+enginer,+~pilot,+judge&y=nurse,+maid&a=he,+him&b=she,+her&missing=1&drop=1"
OPEN_FOLDS = "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })"
# Pages that wait for a job, and parts that arrive later, are complete without these.
COMPLETE = """
  document.querySelectorAll('.working, [data-part], .is-pending, .htmx-request').length === 0
"""
MAP_READY = "document.querySelector('figure.map[data-ready=yes]') !== null"


class View(NamedTuple):
    """A page in one of its states: its address, and how to bring it there."""

    path: str
    shows: str  # a selector of something that only this page has
    click: str = ""
    until: str = COMPLETE
    status: int = 200


VIEWS = {
    "home": View("/", ".stories"),
    "story": View("/?story=ageing", ".stories"),
    "ask, empty": View("/?x=&y=&a=&b=", "#ask"),
    "ask, published test": View("/?source=default&test=weat6", ".checks"),
    "ask, edited": View(f"/?source=default&{EDITED}", ".chip.muted"),
    "ask, two embeddings": View(
        "/?source=default&source=tiny.txt&x=rose&y=wasp&a=good&b=bad", "#ask"
    ),
    "ask, multiverse": View("/ask/multiverse?test=weat6&source=default", ".multiverse"),
    "ask, influence": View("/ask/influence?test=weat6&source=default", ".influence"),
    "explore, neighbours": View("/explore?source=default&word=nurse", ".explored"),
    "explore, axis": View(
        "/explore?source=default&view=axis&words=nurse,+judge&a=she&b=he", ".explored"
    ),
    "explore, two axes": View(
        "/explore?source=default&view=map&words=golf,+boxing&a=she&b=he&c=rich&d=poor", "main h1"
    ),
    "pairs in a plane": View(
        "/explore/plane?source=default&pairs=king:queen,+man:woman", "main h1"
    ),
    "analogies": View("/explore/analogy?source=default&a=man&b=king&c=woman", "main h1"),
    "map": View("/map?source=default", "figure.map", until=MAP_READY),
    "map, axes": View("/map?source=default&layout=axes&word=secretary", ".why", until=MAP_READY),
    "discover": View(f"/discover?{SEARCH.query}", "#table"),
    "discover, cell": View(
        f"/discover?{SEARCH.query}", "dialog[open] .near", "#table td:not(.rest) > a.in"
    ),
    "library": View("/library", "#list"),
    "library, search": View("/library?find=career", ".card-sets"),
    "library, tests": View("/library?kind=tests", ".card-sets"),
    "library, norms": View("/library?kind=norms", ".library-card select"),
    "library, uploads": View("/library?kind=uploads", ".library-card .use-as"),
    "library, nothing": View("/library?find=zzzz", "text=Nothing in the Library matches"),
    "seeds": View("/seeds", ".index"),
    "seed set": View(f"/seeds/set?id={FEMALE}", "#findings .findings"),
    "lint": View(f"/seeds/lint?id={FEMALE}&source=default", ".findings"),
    "compare sets": View(
        f"/seeds/compare?one=@{FEMALE}&other=@{MALE}&source=default", "#compared .tiles"
    ),
    "audits": View("/audits", "#start"),
    "audit": View("/audits/run?run=first", ".strongest"),
    "compare audits": View("/audits/compare?before=first&after=second", ".summary"),
    "upload": View("/upload", "#files .uploaded"),
    "api": View("/api", ".route"),
    "crowd study": View("/crowd", "main h1"),
    "started audit": View("/audits/start?source=tiny.txt&suite=quick", "text=Read its findings"),
    "error": View("/seeds/set?id=nothing", ".problem", status=404),
    "not found": View("/nowhere", ".problem", status=404),
    "report": View("/audits/report?run=first", "main section"),
    "working": View(
        "/audits/start?source=default&suite=full", ".working", until="true", status=202
    ),
}


@pytest.fixture(scope="module")
def server(tiny: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with audits, an uploaded file, a crowd study and a finished search."""
    folder = tmp_path_factory.mktemp("pages")
    for name, tests in {"first": "weat6, weat7", "second": "weat6"}.items():
        suite = folder / f"{name}.yaml"
        steps = f"[{{run: weat, title: Tests, tests: [{tests}]}}]"
        suite.write_text(f"id: {name}\ntitle: Tests\nsteps: {steps}\n")
        audit("default", out=folder / name, suite=suite)
    study = folder / "study"
    export_crowd_study(make_discovery(), study, tests=2)
    settings = Settings(sources=("default", tiny), folders=(folder,), study=study)
    with run_server(settings) as address:
        upload(address, Path(tiny))
        started = "audits/start?source=tiny.txt&suite=quick"
        for path in (started, f"discover?{SEARCH.query}", "ask?source=default&test=weat6"):
            wait_for_answer(f"{address}/api/{path}")
        yield address


def wait_for_answer(address: str) -> None:
    status = 202
    while status == 202:
        with urllib.request.urlopen(address, timeout=60) as answer:
            status = answer.status
        time.sleep(0.2)


def upload(address: str, path: Path) -> None:
    request = urllib.request.Request(
        f"{address}/upload/vectors/flowers.txt", data=path.read_bytes(), method="PUT"
    )
    urllib.request.urlopen(request, timeout=60).close()


def show(tab: Any, server: str, view: View) -> None:
    """Open a page and wait until it is complete, with all its folds open."""
    response = tab.goto(server + view.path)
    assert response.status in (view.status, 202), view.path
    if view.click:
        tab.wait_for_selector(view.click)
        tab.locator(view.click).first.click()
    tab.wait_for_selector(view.shows, state="attached")
    wait_until(tab, view.until)
    tab.evaluate(OPEN_FOLDS)
    wait_until(tab, view.until)


def cancel_job(tab: Any) -> None:
    """Cancel the job of the last view, which would keep the next test waiting."""
    tab.click(".working button")
    tab.wait_for_selector("text=This was cancelled.")


def test_no_page_violates_an_accessibility_rule_in_light_or_dark(browser, server):
    # Without the policy of the page, which would not run the script of axe.
    context = browser.new_context(bypass_csp=True, reduced_motion="reduce")
    context.set_default_timeout(TIMEOUT_MS)
    tab = context.new_page()
    problems = {}
    for name, view in VIEWS.items():
        tab.emulate_media(color_scheme="light")
        show(tab, server, view)
        found = {"light": violations(tab)}
        tab.emulate_media(color_scheme="dark")
        wait_until(tab, view.until)
        found["dark"] = violations(tab)
        if any(found.values()) or tab.locator("h1").count() != 1:
            problems[name] = {**found, "headings": tab.locator("h1").count()}
    cancel_job(tab)
    context.close()
    assert problems == {}, pformat(problems)


def test_no_page_writes_to_the_console_or_is_wider_than_the_smallest_phone(browser, server):
    context = browser.new_context(viewport={"width": 320, "height": 720})
    context.set_default_timeout(TIMEOUT_MS)
    tab = context.new_page()
    messages: list[str] = []
    tab.on("console", lambda message: messages.append(message.text))
    tab.on("pageerror", lambda error: messages.append(str(error)))
    problems = {}
    for name, view in VIEWS.items():
        messages.clear()
        show(tab, server, view)
        if view.status == 404:  # the browser itself writes that the page was not found
            messages[:] = [text for text in messages if "status of 404" not in text]
        found = [*messages, *([] if fits_window(tab) else ["wider than 320 px"])]
        if found:
            problems[name] = found
    cancel_job(tab)
    context.close()
    assert problems == {}, pformat(problems)
