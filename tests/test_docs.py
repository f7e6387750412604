"""Every code block in the docs runs, and prints what the page says it prints."""

import re
import tomllib
import warnings
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from .blocks import Block, Reader, blocks, check_command

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

_UNPACKING = ("npm pack ", "tar xzf ", "cat package/data/", "sort ")  # of the State of the Union
_NOVELS = "needs the novels of ELTeC and minutes to hours of training"
_SPEECHES = "needs the speeches of a package of npm and minutes of training"
_PRINTED = "printed by the command above it; `tests/test_tutorial.py` compares it"
_FILES = "uses the reader's own files; the same commands run on `default` elsewhere"
_CLUSTER = "needs the reader's own files and a cluster"
_INSTALL = "installs packages"

# Blocks that cannot run, by (the beginning of) their first line, and why. Their commands are still
# checked: they must exist, with the options that they are given.
NOT_RUN = {
    "README.md": {
        "make audit ": "sets up an environment and runs for minutes; CI runs it",
        "pip install": _INSTALL,
        ".venv/bin/weatherglass serve": "a server; `tests/_web` has its tests",
    },
    "docs/index.md": {"pip install": _INSTALL},
    "docs/tutorials/corpus.md": {
        "pip install": _INSTALL,
        "npm pack": _SPEECHES,
        "                      value": _PRINTED,
        "weatherglass corpus": _SPEECHES,
        "1940s: ": _PRINTED,
        "Within 5 words": _PRINTED,
        "weatherglass train": _SPEECHES,
        "weatherglass weat novels": _NOVELS,
        "WEAT on ": _PRINTED,
        "weatherglass compare": _SPEECHES,
        "Periods by year": _PRINTED,
        "to 1920: ": _PRINTED,
        "weatherglass groups": _SPEECHES,
        "Groups": _PRINTED,
        "…": _PRINTED,
        "weatherglass audit novels": _NOVELS,
        "Audit: Your own tests": _PRINTED,
    },
    "docs/tutorials/gate.md": {"pip install": _INSTALL},
    "docs/audit.md": {"weatherglass audit  ": _FILES},
    "docs/compare.md": {
        "weatherglass compare": _NOVELS,
        "Effects": _NOVELS,
        "npm pack": _SPEECHES,
        "Periods by year": _SPEECHES,
    },
    "docs/scale.md": {"weatherglass discover": _CLUSTER, "distributed:": _CLUSTER},
    "docs/integrations.md": {
        "pip install": _INSTALL,
        "trainer = ": "needs a training set; `tests/integrations` runs the Trainer",
    },
    "docs/terminal.md": {
        "auditing: ": "printed only if the step takes ten seconds; `tests/_cli` makes it print",
        "eval ": "a line for the configuration of a shell; `tests/_cli` runs what it calls",
    },
    "docs/web.md": {"pip install": _INSTALL + ", and starts a server; `tests/_web` has its tests"},
    "docs/methods/retrieval.md": {
        "weatherglass retrieve st:": "needs MiniLM and minutes; `tests/retrieval` runs it",
        "Application of": "a template; `tests/retrieval` fills one",
    },
    "docs/methods/crowd.md": {
        "weatherglass serve": "a server; `tests/_web` has its tests",
    },
    "docs/methods/discovery.md": {
        "  group   names": "printed by the command under the picture, which takes half a minute",
        "weatherglass discover default": _FILES,
        "weatherglass vectors debias": "two searches at full size, of half a minute each",
    },
    "docs/methods/small_groups.md": {
        "weatherglass groups": _NOVELS,
        "npm pack": "downloads the speeches",
        "Groups": "printed by the command above it, which needs the novels or the speeches",
        "python benchmarks/small_groups.py": "takes many minutes",
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
_SEARCH = "needs a search at full size, of half a minute"

# Blocks that run only in `make test-all`, and why; the rest of their page runs without them.
LATER = {
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
        "$ weatherglass audit default --suite own": _AUDIT,
        "$ weatherglass audit --suite work.yaml": _AUDIT,
    },
    "docs/integrations.md": {
        ">>> from weatherglass.integrations.sentence_transformers": _TORCH,
        "$ weatherglass audit default": _AUDIT,
        "$ weatherglass report run": _AUDIT,
    },
    "docs/sources.md": {
        "import torch": _TORCH,
        "from transformers": _TORCH,
        "from sentence_transformers": _TORCH,
    },
    "docs/debias.md": {"$ weatherglass vectors debias default expanded": "trains a classifier"},
    "docs/methods/crowd.md": {
        "$ weatherglass discover": _SEARCH,
        "$ weatherglass crowd simulate": _SEARCH,
    },
    "docs/methods/seat.md": {'$ weatherglass seat "hf:all-MiniLM': _TORCH},
    "docs/scale.md": {
        "$ weatherglass audit models.yaml": _AUDIT,
        "$ weatherglass rank runs": _AUDIT,
    },
}
# Blocks that run only where a library is installed that the tests do not install.
NEEDED = {
    "docs/seeds.md": {"$ weatherglass seeds checklist": "HanTa"},
    "docs/sources.md": {
        "import pandas": "pandas",
        "import polars": "polars",
        "from gensim": "gensim",
    },
}
# Requests to the web page that are checked but not sent, and why.
NOT_SENT = {
    "/api/discover": "a search takes half a minute; `tests/_web/test_discover.py` sends it",
    "/api/audits/compare": "needs two audits; `tests/_web/test_audits.py` sends it",
}


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def listed(table: dict[str, dict[str, str]], page: Path, block: Block) -> str:
    """Return the reason that a table gives for a block, or an empty string."""
    reasons = table.get(named(page), {})
    return next((why for line, why in reasons.items() if block.first.startswith(line)), "")


def runs(page: Path) -> list[Block]:
    """Return the blocks of a page that are run."""
    if page.parent.name == "reference":
        return []  # generated by `docs/generate.py`; the doctests run its examples
    # `tests/test_r.py` runs R, where it is installed.
    return [block for block in blocks(page) if block.kind not in ("sh", "text", "r")]


@pytest.fixture
def reader(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Reader(run)


_LONG_PAGES = (
    *("docs/methods/", "docs/tutorials/", "docs/train.md", "docs/vectors.md", "docs/debias.md"),
    *("docs/sources.md", "docs/audit.md", "docs/gate.md", "docs/seeds.md"),
)
"""Pages whose code takes seconds."""


def marked(page: Path) -> object:
    """Return a page as a parameter, marked if its code takes long."""
    is_long = named(page).startswith(_LONG_PAGES)
    return pytest.param(page, marks=pytest.mark.slow if is_long else ())


@pytest.mark.parametrize("page", [marked(page) for page in PAGES], ids=named)
def test_the_code_on_a_page_runs(page, reader):
    for block in runs(page):
        if not listed(LATER, page, block) and is_possible(page, block):
            reader.does(block)
    pictures_are_kept(Path.cwd())


def is_possible(page: Path, block: Block) -> bool:
    """Return whether the library that a block needs is installed."""
    library = listed(NEEDED, page, block)
    return not library or find_spec(library) is not None


def link_model(folder: Path) -> None:
    """Let the libraries of Hugging Face find a model by its name without the network."""
    from weatherglass.encoders.model_files import find_folder

    name = "all-MiniLM-L6-v2"
    (folder / name).symlink_to(find_folder(name), target_is_directory=True)


def later(page: str) -> object:
    """Return a page of `LATER` as a parameter, marked by what it needs."""
    torch = _TORCH in LATER[page].values()
    return pytest.param(ROOT / page, marks=pytest.mark.torch if torch else pytest.mark.slow)


@pytest.mark.parametrize("page", [later(page) for page in LATER], ids=LATER)
def test_all_the_code_on_a_page_runs(page, reader):
    if _TORCH in LATER[named(page)].values():
        pytest.importorskip("sentence_transformers", reason="needs the extra 'transformers'")
        link_model(Path.cwd())
    for block in runs(page):
        if is_possible(page, block):
            reader.does(block)
    pictures_are_kept(Path.cwd())


def pictures_are_kept(folder):
    """Check that the charts drawn by a page's commands are the ones that the page shows."""
    for drawn in folder.glob("*.svg"):
        kept = ROOT / "docs" / "pictures" / drawn.name
        if kept.exists():
            assert lettering(drawn) == lettering(kept), f"{drawn.name}: run `make pictures`"


def lettering(picture: Path) -> list[str]:
    """The texts of a picture, without the day on which it was drawn."""
    drawn = re.sub(r"\d{4}-\d{2}-\d{2}\.<", ".<", picture.read_text(encoding="utf-8"))
    return re.findall(r"<text[^>]*>([^<]+)</text>", drawn)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_block_that_is_not_run_has_a_reason(page):
    if page.parent.name == "reference":
        return
    for block in blocks(page):
        if block.kind in ("sh", "text") and not block.text.startswith("curl "):
            assert listed(NOT_RUN, page, block), f"{block.first!r}: run it, or say why not"


@pytest.mark.parametrize("table", [NOT_RUN, LATER, NEEDED], ids=["not run", "later", "needed"])
def test_every_reason_is_for_a_block(table):
    for page, reasons in table.items():
        firsts = [block.first for block in blocks(ROOT / page)]
        unused = [line for line in reasons if not any(first.startswith(line) for first in firsts)]
        assert unused == [], page


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_that_are_only_shown_exist(page):
    """In blocks that cannot run, and in the text."""
    text = page.read_text(encoding="utf-8")
    shell = [block.text for block in blocks(page) if block.kind == "sh"]
    for line in [*"".join(shell).splitlines(), *re.findall(r"`(weatherglass [^`…\n]+)`", text)]:
        if re.match(r"\S*weatherglass ", line):
            check_command(line)
        elif line.startswith("make "):
            target = line.split()[1]
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M), line
        else:
            scripts = re.match(r"python (benchmarks/\w+\.py)", line)
            if scripts:
                assert (ROOT / scripts[1]).is_file(), line
            else:
                assert line.startswith(("pip install ", "curl ", *_UNPACKING)), line


def test_extras_that_the_pages_install_exist():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = set(project["optional-dependencies"])
    for page in PAGES:
        for extras in re.findall(r"(?:weatherglass|whl|'\.)\[([\w,]+)\]", page.read_text()):
            assert set(extras.split(",")) <= known, (named(page), extras)


def test_requests_to_the_web_page_shown_in_the_docs_are_answered():
    pytest.importorskip("fastapi", reason="needs the extra 'web'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions deprecate this HTTP client
        from starlette.testclient import TestClient

    from weatherglass._web.app import create_app
    from weatherglass._web.settings import Settings

    lines = re.findall(r"^curl (.*)", (ROOT / "docs" / "web.md").read_text(), re.MULTILINE)
    assert len(lines) > 5
    settings = Settings(sources=("default",), wait_seconds=60)
    with TestClient(create_app(settings), base_url=f"http://127.0.0.1:{settings.port}") as client:
        known = client.get("/openapi.json").json()["paths"]
        for line in lines:
            address = urlsplit(re.search(r"'([^']+)'", line)[1])
            given = parse_qsl(address.query) + [
                tuple(field.split("=", 1)) for field in re.findall(r"-d (\S+)", line)
            ]
            parameters = known[address.path]["get"].get("parameters", [])
            names = {parameter["name"] for parameter in parameters}
            assert {name for name, _ in given} <= names, line
            if address.path not in NOT_SENT:
                assert client.get(address.path, params=given).status_code == 200, line


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_to_files_that_exist(page):
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if not target.startswith(("http", "#")):
            assert (page.parent / target.split("#")[0]).exists(), target


def test_every_page_is_on_the_site():
    """And in its menu; the site's builder reports a menu entry without a page."""
    menu = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    inside = {str(page.relative_to(ROOT / "docs")) for page in PAGES if "docs" in named(page)}
    assert set(re.findall(r'"([\w/]+\.md)"', menu)) == inside


def defined_in(path: Path) -> set[str]:
    """The names of the tests that a file defines."""
    return set(re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_tests_named_on_a_page_exist(page):
    """Pages name tests as `tests/measures/test_weat.py::test_...`."""
    text = page.read_text(encoding="utf-8")
    for path, name in re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", text):
        assert (ROOT / path).exists(), path
        assert name in defined_in(ROOT / path), f"{path} has no {name}"


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
