"""A real browser for the tests of pages, with everything that goes wrong in it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

TIMEOUT_MS = 60_000
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
def open_page(browser: Any, address: str, **options: Any) -> Iterator[tuple[Any, list[str]]]:
    """Open a page; yield the tab and a list of errors, dialogs and requests to other hosts."""
    errors: list[str] = []
    context = browser.new_context(**options)
    context.set_default_timeout(TIMEOUT_MS)
    # A page from a file requests nothing else.
    own = address if address.startswith("file:") else "/".join(address.split("/")[:3])

    def watch(tab: Any) -> None:
        tab.on(
            "console",
            lambda message: errors.append(message.text) if message.type == "error" else None,
        )
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.on("dialog", lambda dialog: (errors.append(dialog.message), dialog.dismiss()))
        tab.on(
            "request",
            lambda request: (
                None if request.url.startswith(own) else errors.append(f"requested {request.url}")
            ),
        )

    context.on("page", watch)
    tab = context.new_page()
    tab.goto(address)
    yield tab, errors
    context.close()


def fits_window(tab: Any) -> bool:
    """Whether no part of a page is wider than its window."""
    is_narrow: bool = tab.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    return is_narrow


def wait_until(tab: Any, condition: str) -> None:
    """Wait for a JavaScript condition; Playwright's own function needs eval, which pages forbid."""
    end = time.monotonic() + TIMEOUT_MS / 1000
    while not tab.evaluate(condition):
        assert time.monotonic() < end, condition
        tab.wait_for_timeout(50)
