"""A real browser for the tests of pages, and all that goes wrong in it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

PATIENCE = 60_000
PHONE = {"viewport": {"width": 390, "height": 844}}


@contextmanager
def chromium() -> Iterator[Any]:
    """Chromium, driven by Playwright."""
    reason = "needs Playwright, which `make test-all` installs"
    playwright = pytest.importorskip("playwright.sync_api", reason=reason)
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("needs Chromium: apt install chromium")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


@contextmanager
def opened(browser: Any, address: str, **options: Any) -> Iterator[tuple[Any, list[str]]]:
    """A page in a browser, and all that goes wrong in it."""
    wrong: list[str] = []
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    # A page from a file asks for nothing else.
    here = address if address.startswith("file:") else "/".join(address.split("/")[:3])

    def watch(tab: Any) -> None:
        tab.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        tab.on(
            "request",
            lambda one: None if one.url.startswith(here) else wrong.append(f"asked for {one.url}"),
        )

    context.on("page", watch)
    tab = context.new_page()
    tab.goto(address)
    yield tab, wrong
    context.close()


def fits(tab: Any) -> bool:
    """Whether nothing of a page is wider than its window."""
    made: bool = tab.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    return made


def comes_true(tab: Any, condition: str) -> None:
    """Wait for a condition; Playwright's own way needs eval, which the pages do not allow."""
    end = time.monotonic() + PATIENCE / 1000
    while not tab.evaluate(condition):
        assert time.monotonic() < end, condition
        tab.wait_for_timeout(50)
