"""``weatherglass crowd``: from a discovery to a marked page."""

from __future__ import annotations

import json
import re

import pytest

from ..crowd.conftest import make_discovery

pytest.importorskip("jinja2", reason="task pages need the extra 'web'")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "found.json").write_text(make_discovery(words=("rednecks", "a", "b")).to_json())
    return tmp_path


def test_a_study_goes_from_export_to_tables_and_a_marked_page(run, folder):
    done = run("crowd", "export", "found.json", "-o", "study")
    assert done.code == 0, done.err
    assert "match-04" in done.out
    run("crowd", "simulate", "--study", "study", "-o", "first.jsonl")
    done = run("crowd", "import", "first.jsonl", "--study", "study", "--write-ratings")
    assert done.code == 0, done.err
    assert re.search(r"Wrote \d rating tasks", done.out)
    assert (folder / "study" / "pages" / "rate-01.html").exists()
    run("crowd", "simulate", "--study", "study", "-o", "all.jsonl")
    line = "crowd import all.jsonl --study study --page marked.html --workers"
    done = run(*line.split())
    assert done.code == 0, done.err
    assert "Table 4" in done.out
    assert "Table 1: rated most offensive" in done.out
    assert "rednecks" not in done.out
    assert "good-40" in done.out
    page = (folder / "marked.html").read_text()
    assert "What people say" in page
    assert 'class="in agreed"' in page
    assert "people chose it among 5 groups" in page


def test_json_and_csv_have_every_cell(run, folder):
    run("crowd", "export", "found.json", "-o", "study")
    run("crowd", "simulate", "--study", "study", "--kind", "perfect=5", "-o", "a.jsonl")
    line = ["crowd", "import", "a.jsonl", "--study", "study", "--bootstraps", "10"]
    record = json.loads(run(*line, "--format", "json").out)
    assert record["measure"] == "crowd"
    assert len(record["cells"]) == 14
    rows = run(*line, "--format", "csv").out.splitlines()
    assert len(rows) == 15
    assert rows[0].startswith("group,category,words,choices,workers,agreeing,agrees")


@pytest.mark.slow
def test_a_chart_of_the_cells_is_drawn(run, folder):
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    run("crowd", "export", "found.json", "-o", "study")
    run("crowd", "simulate", "--study", "study", "--kind", "good=9", "-o", "a.jsonl")
    done = run("crowd", "import", "a.jsonl", "--study", "study", "--plot", "c.svg")
    assert done.code == 0, done.err
    drawn = (folder / "c.svg").read_text()
    assert "r*******" in drawn
    assert "rednecks" not in drawn
    assert "tick: guessing" in drawn


@pytest.mark.parametrize(
    ("line", "code", "why"),
    [
        ("crowd export found.json -o other --tests 0", 2, "tests"),
        ("crowd export study/tasks.csv -o other", 3, "not a discovery"),
        ("crowd export found.json -o study --seed 4", 3, "another study"),
        ("crowd simulate --study study --kind perfct=3 -o a.jsonl", 2, "Did you mean perfect"),
        ("crowd simulate --study study --kind good -o a.jsonl", 2, "KIND=NUMBER"),
        ("crowd import found.json --study study", 3, "no answers of a crowd study"),
        ("crowd import found.json --study .", 3, "study.json"),
    ],
)
def test_a_wrong_command_gets_a_sentence(run, folder, line, code, why):
    run("crowd", "export", "found.json", "-o", "study")
    done = run(*line.split())
    assert done.code == code
    assert why in done.out + done.err
