"""Check where the words of ``slurs.csv`` are listed. Run by hand, never by the package.

::

    npm pack cuss@2.2.0 naughty-words@1.2.0 profane-words@2.1.0
    for file in *.tgz; do mkdir "${file%.tgz}" && tar xzf "$file" -C "${file%.tgz}"; done
    python scripts/check_slurs.py .

The list itself is written by hand. Its column `source` claims which packages list a word; the
licences of those packages are in ``slurs.yaml`` and in ``NOTICE``. The script prints every claim
that does not hold and exits with 1 if there are any. A word counts as listed in the singular or
plural, and with a space, a hyphen or nothing between its parts.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from pathlib import Path

SLURS = Path(__file__).parent.parent / "src/weatherglass/catalog/data/slurs.csv"
PACKAGES = {
    "cuss": "cuss-2.2.0/package/index.js",
    "naughty-words": "naughty-words-1.2.0/package/en.json",
    "profane-words": "profane-words-2.1.0/package/words.json",
}
# A line of cuss's table: a word, quoted if it is no JavaScript identifier, and its rating.
ENTRY = re.compile(r"""^ *(['"]?)(?P<word>[^'":\n]+)\1: \d""", re.MULTILINE)


def read_package(path: Path) -> set[str]:
    """The words of a package: the keys of a JavaScript table, or a JSON array."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return set(json.loads(text))
    return {match["word"] for match in ENTRY.finditer(text)}


def spell(word: str) -> set[str]:
    """All spellings of a word under which a package may list it."""
    forms = {word.replace(" ", separator) for separator in (" ", "-", "_", "")}
    return forms | {f"{form}s" for form in forms}


def check(rows: list[dict[str, str]], packages: dict[str, set[str]]) -> list[str]:
    """One line for each word whose column `source` is not what the packages list."""
    problems = []
    for row in rows:
        if row["kind"] == "none":  # an ordinary word that contains a slur
            continue
        claimed = set(row["source"].split()) & set(packages)
        listed = {name for name, words in packages.items() if words & spell(row["word"])}
        if claimed != listed:
            problems.append(f"{row['word']}: claims {sorted(claimed)}, listed in {sorted(listed)}")
    return problems


def main(arguments: list[str] | None = None) -> None:
    """Check the list and print what does not hold."""
    parser = argparse.ArgumentParser(description="Check where the words of slurs.csv are listed.")
    parser.add_argument("folder", type=Path, help="folder of the three unpacked npm packages")
    folder: Path = parser.parse_args(arguments).folder
    packages = {name: read_package(folder / path) for name, path in PACKAGES.items()}
    with SLURS.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    problems = check(rows, packages)
    print("\n".join(problems) or f"{len(rows)} words: every source holds.")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
