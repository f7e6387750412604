"""Generate the pages of `docs/reference` from the help texts and the docstrings."""

from __future__ import annotations

from pathlib import Path

from making import commandline, names

HERE = Path(__file__).parent / "reference"
PAGES = {HERE / "cli.md": commandline.page, HERE / "python.md": names.page}


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for path, page in PAGES.items():
        path.write_text(page(), encoding="utf-8")
