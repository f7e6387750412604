"""Take the picture of the report's first page, for the README and the docs.

    python scripts/picture_report.py [FOLDER]

FOLDER is that of an audit; without it, the standard suite is run on the default vectors. Needs
Playwright and Chromium. `make picture-report` runs it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import weatherglass as wg

TARGET = Path(__file__).resolve().parents[1] / "docs/pictures/report.png"
SIZE = {"width": 1440, "height": 900}


def take_picture(report: Path, target: Path) -> None:
    """Save what a reader sees of a report before scrolling."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        tab = browser.new_page(viewport=SIZE, color_scheme="light")
        tab.goto(report.resolve().as_uri())
        tab.screenshot(path=target)
        browser.close()


def main(arguments: list[str]) -> None:
    """Take the picture of the report in the folder, or of a new audit."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(arguments[0]) if arguments else Path(temporary) / "run"
        if not arguments:
            wg.audit("default", out=folder)
        take_picture(folder / "report.html", TARGET)


if __name__ == "__main__":
    main(sys.argv[1:])
