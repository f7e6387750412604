"""Generate `docs/reference` from help texts and docstrings, and the page of reproduced results."""

from __future__ import annotations

from pathlib import Path

from making import commandline, names, reproduction

HERE = Path(__file__).parent / "reference"
PAGES = {
    HERE / "cli.md": commandline.page,
    HERE / "python.md": names.page,
    HERE.parent / "reproduction.md": reproduction.page,
}


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for path, page in PAGES.items():
        path.write_text(page(), encoding="utf-8")
