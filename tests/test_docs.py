"""Every code block in the docs runs, and prints what the page says it prints."""

import re
import tomllib
import warnings
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from .blocks import Block, Reader, blocks, look_at

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

_NOVELS = "needs the novels of ELTeC and minutes to hours of training"
_FILES = "files that a reader has; the commands are the same as those that run on `default`"
_CLUSTER = "needs files that a reader has, and a cluster"
_INSTALL = "installs packages"

# Blocks that cannot run, by their first line (or how it begins), and why. The commands in them
# are looked at all the same: they must exist, with the options that they are given.
NOT_RUN = {
    "README.md": {
        "make audit ": "makes an environment and runs for minutes; CI runs it",
        "pip install": _INSTALL,
        ".venv/bin/weatherglass serve": "a server; `tests/_web` has its tests",
    },
    "docs/index.md": {"pip install": _INSTALL},
    "docs/tutorials/corpus.md": {
        "pip install": _INSTALL,
        "weatherglass corpus info": _NOVELS,
        "women_family on novels": _NOVELS,
        "women_home on novels": _NOVELS,
    },
    "docs/tutorials/gate.md": {"pip install": _INSTALL},
    "docs/audit.md": {"weatherglass audit  ": _FILES},
    "docs/compare.md": {"weatherglass compare": _NOVELS, "Effects": _NOVELS},
    "docs/scale.md": {"weatherglass discover": _CLUSTER},
    "docs/web.md": {"pip install": _INSTALL + ", and starts a server; `tests/_web` has its tests"},
    "docs/methods/discovery.md": {
        "  group   names": "printed by the command under the picture, which takes half a minute",
        "weatherglass discover default": _FILES,
        "weatherglass vectors debias": "two searches at full size, of half a minute each",
    },
    "docs/methods/seeds.md": {
        "weatherglass train": _NOVELS,
        "weatherglass seeds variance": _NOVELS,
        "weatherglass seeds axis": _NOVELS,
        "weatherglass seeds generated": _NOVELS,
        "weatherglass seeds concept": _NOVELS,
        "weatherglass seeds coherence": _NOVELS,
        "Coherence in the WEAT subspace": _NOVELS,
        "Generated pairs": _NOVELS,
    },
}
_AUDIT = "an audit and its report take seconds"
_TORCH = "needs PyTorch and a model"

# Blocks that run in `make test-all`, and why not before; the rest of their page runs without them.
LATER = {
    "docs/tutorials/corpus.md": {
        "$ weatherglass compare": "trains 42 models",
        "$ weatherglass seeds multiverse": "draws a picture of hundreds of specifications",
    },
    "docs/tutorials/gate.md": {
        "$ weatherglass audit default": _AUDIT,
        "$ weatherglass report monday": _AUDIT,
        "$ weatherglass vectors debias": _AUDIT,
        "$ weatherglass audit st:": _TORCH,
        "$ weatherglass check st:": _TORCH,
    },
    "docs/audit.md": {
        "$ weatherglass audit --suite quick": _AUDIT,
        "$ weatherglass report run": _AUDIT,
        "$ weatherglass audit --suite mine.yaml": _AUDIT,
    },
    "docs/debias.md": {"$ weatherglass vectors debias default expanded": "trains a classifier"},
    "docs/scale.md": {
        "$ weatherglass audit models.yaml": _AUDIT,
        "$ weatherglass rank runs": _AUDIT,
    },
}
# Questions to the web page that are looked at and not asked, and why.
NOT_ASKED = {
    "/api/discover": "a search takes half a minute; `tests/_web/test_discover.py` asks it",
    "/api/audits/compare": "needs two audits; `tests/_web/test_audits.py` asks it",
}


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def listed(table: dict[str, dict[str, str]], page: Path, block: Block) -> str:
    """The reason that a table gives for a block."""
    reasons = table.get(named(page), {})
    return next((why for line, why in reasons.items() if block.first.startswith(line)), "")


def runs(page: Path) -> list[Block]:
    """The blocks of a page that are run; all others are generated, or have a reason."""
    if page.parent.name == "reference":
        return []  # written by `docs/generate.py`; the doctests run what stands in them
    return [one for one in blocks(page) if one.kind not in ("sh", "text")]


@pytest.fixture
def reader(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Reader(run)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_code_on_a_page_runs(page, reader):
    for block in runs(page):
        if not listed(LATER, page, block):
            reader.does(block)
    pictures_are_kept(Path.cwd())


def later(page: str) -> object:
    """A page with blocks that run later, marked by what they need."""
    torch = _TORCH in LATER[page].values()
    return pytest.param(ROOT / page, marks=pytest.mark.torch if torch else pytest.mark.slow)


@pytest.mark.parametrize("page", [later(page) for page in LATER], ids=LATER)
def test_all_the_code_on_a_page_runs(page, reader):
    if _TORCH in LATER[named(page)].values():
        pytest.importorskip("sentence_transformers", reason="needs the extra 'transformers'")
    for block in runs(page):
        reader.does(block)
    pictures_are_kept(Path.cwd())


def pictures_are_kept(folder):
    """A picture that a page's commands draw is the one that the page shows."""
    for made in folder.glob("*.svg"):
        kept = ROOT / "docs" / "pictures" / made.name
        if kept.exists():
            assert lettering(made) == lettering(kept), f"{made.name}: run `make pictures`"


def lettering(picture: Path) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]+)</text>", picture.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_what_is_not_run_has_a_reason(page):
    if page.parent.name == "reference":
        return
    for block in blocks(page):
        if block.kind in ("sh", "text") and not block.text.startswith("curl "):
            assert listed(NOT_RUN, page, block), f"{block.first!r}: run it, or say why not"


@pytest.mark.parametrize("table", [NOT_RUN, LATER], ids=["not run", "later"])
def test_every_reason_is_for_a_block(table):
    for page, reasons in table.items():
        firsts = [one.first for one in blocks(ROOT / page)]
        unused = [line for line in reasons if not any(one.startswith(line) for one in firsts)]
        assert unused == [], page


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_that_are_only_shown_exist(page):
    """In blocks that cannot run, and in the text."""
    text = page.read_text(encoding="utf-8")
    shown = [line for one in blocks(page) if one.kind == "sh" for line in one.text.splitlines()]
    for line in [*shown, *re.findall(r"`(weatherglass [^`…\n]+)`", text)]:
        if re.match(r"\S*weatherglass ", line):
            look_at(line)
        elif line.startswith("make "):
            target = line.split()[1]
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M), line
        else:
            assert line.startswith(("pip install ", "curl ")), line


def test_extras_that_the_pages_install_exist():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = set(extras["optional-dependencies"])
    for page in PAGES:
        for several in re.findall(r"(?:weatherglass|'\.)\[([\w,]+)\]", page.read_text()):
            assert set(several.split(",")) <= known, (named(page), several)


def test_what_the_pages_ask_the_web_page_is_answered():
    pytest.importorskip("fastapi", reason="needs the extra 'web'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions would rather have another HTTP client
        from starlette.testclient import TestClient

    from weatherglass._web.app import create_app
    from weatherglass._web.settings import Settings

    lines = re.findall(r"^curl (.*)", (ROOT / "docs" / "web.md").read_text(), re.MULTILINE)
    assert len(lines) > 5
    settings = Settings(sources=("default",), patience=60)
    with TestClient(create_app(settings), base_url=f"http://127.0.0.1:{settings.port}") as client:
        known = client.get("/openapi.json").json()["paths"]
        for line in lines:
            address = urlsplit(re.search(r"'([^']+)'", line)[1])
            given = parse_qsl(address.query) + [
                tuple(one.split("=", 1)) for one in re.findall(r"-d (\S+)", line)
            ]
            names = {one["name"] for one in known[address.path]["get"].get("parameters", [])}
            assert {name for name, _ in given} <= names, line
            if address.path not in NOT_ASKED:
                assert client.get(address.path, params=given).status_code == 200, line


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if not target.startswith(("http", "#")):
            assert (page.parent / target.split("#")[0]).exists(), target


def test_every_page_is_on_the_site():
    """And in its menu; the site's builder says when the menu names a page that is not there."""
    menu = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    inside = {str(one.relative_to(ROOT / "docs")) for one in PAGES if "docs" in named(one)}
    assert set(re.findall(r'"([\w/]+\.md)"', menu)) == inside


def tests_in(path: Path) -> set[str]:
    """The names of the tests that a file defines."""
    return set(re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_tests_named_on_a_page_exist(page):
    """Pages name tests as `tests/measures/test_weat.py::test_...`."""
    text = page.read_text(encoding="utf-8")
    for path, name in re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", text):
        assert (ROOT / path).exists(), path
        assert name in tests_in(ROOT / path), f"{path} has no {name}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_tests_are_named_in_tables_and_not_in_prose(page):
    """The table "How this page is checked" gives each test with its file."""
    for line in page.read_text(encoding="utf-8").splitlines():
        assert "::test_" not in line or line.startswith("| "), line
        assert not re.search(r"`test_\w+`", line), f"name the file of the test: {line}"


def test_the_picture_on_the_first_page_is_drawn_by_its_command(run, tmp_path):
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    picture = tmp_path / "weat-default.svg"
    assert run("weat", "default", "--plot", picture).code == 0
    assert lettering(picture) == lettering(ROOT / "docs" / "pictures" / "weat-default.svg")
