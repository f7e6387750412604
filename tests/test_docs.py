"""Every code block in the docs runs, and prints what the page says it prints."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KNOWN = {"python", "console", "yaml", "csv", "sh", "text"}


def run_console(block: str, run) -> None:
    """Run the lines that begin with a dollar; what stands under one is what it prints."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, expected = part.partition("\n")
        words = re.findall(r'"[^"]*"|\S+', line)
        assert words[0] == "weatherglass", line
        ran = run(*(word.strip('"') for word in words[1:]))
        assert ran.code == 0, (line, ran.err)
        if expected:
            assert ran.out == expected, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_on_a_page_runs(page, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "cache"))
    text = page.read_text()
    names: dict[str, object] = {}
    for found in BLOCK.finditer(text):
        kind, block = found.groups()
        assert kind in KNOWN, kind
        if kind == "python":
            exec(compile(block, str(page), "exec"), names)
        elif kind == "console":
            run_console(block, run)
        elif kind in ("yaml", "csv"):
            file = re.findall(rf"`([\w.-]+\.{kind})`", text[: found.start()])[-1]
            Path(file).write_text(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if not target.startswith(("http", "#")):
            assert (page.parent / target.split("#")[0]).exists(), target


def test_the_reference_is_what_the_help_says():
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import generate
    finally:
        sys.path.pop(0)
    assert generate.PAGE.read_text() == generate.page(), "run `make docs`"


def test_every_named_check_exists():
    """The pages name the tests that check what they say about p-values."""
    defined = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(), flags=re.MULTILINE)
    }
    named = {name for page in PAGES for name in re.findall(r"`(test_\w+)`", page.read_text())}
    assert named <= defined, named - defined


def test_the_picture_in_the_readme_is_drawn_by_its_command(run, tmp_path):
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    picture = tmp_path / "weat-default.svg"
    assert run("weat", "default", "--plot", picture).code == 0
    shown = re.compile(r"<text[^>]*>([^<]+)</text>")
    kept = (ROOT / "docs" / "pictures" / "weat-default.svg").read_text()
    assert shown.findall(picture.read_text()) == shown.findall(kept)
