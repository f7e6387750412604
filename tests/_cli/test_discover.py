"""``weatherglass discover``: tables, files, charts and mistakes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from weatherglass import Discovery

SIZES = ("--groups", 8, "--categories", 8, "--words", 3000, "--rotations", 199)
QUICK = (*SIZES, "--name-rank", 100_000)


def test_discover_prints_groups_cells_and_remarks(run: Any) -> None:
    ran = run("discover", "default", *QUICK)
    assert ran.code == 0, ran.err
    assert "names on default" in ran.out
    assert "female" in ran.out
    assert "significant cells of" in ran.out
    assert (
        "Frequency: the vectors predict log rank of other words with R² 0.91, 0.07 after" in ran.out
    )
    assert "2,529 not in the vocabulary" in ran.out
    assert "Rotations: " in ran.out


@pytest.mark.slow
def test_discover_writes_the_same_results_as_json_tsv_and_parquet(run: Any, tmp_path: Path) -> None:
    discovery = Discovery.from_json(run("discover", "default", *QUICK, "--format", "json").out)
    assert discovery.options["groups"] == 8
    target = tmp_path / "found.parquet"
    assert run("discover", "default", *QUICK, "--format", "parquet", "-o", target).code == 0
    assert Discovery.from_parquet(target) == discovery
    text = run("discover", "default", *QUICK, "--format", "tsv").out
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t"))
    assert [row["words"].split(", ") for row in rows] == [
        list(cell.words) for cell in discovery.cells
    ]


def test_discovery_json_has_the_documented_fields(run: Any) -> None:
    record = json.loads(run("discover", "default", *QUICK, "--format", "json").out)
    assert set(record["groups"][0]) >= {"id", "shown", "size", "facts"}
    assert set(record["categories"][0]) >= {"id", "label", "size"}
    assert set(record["cells"][0]) >= {"group", "category", "words", "score", "p", "significant"}
    assert set(record["control"]) >= {"method", "r2_before", "r2_after"}
    assert set(record["indirect"]) >= {"tuples", "share", "strongest"}


def test_discover_writes_a_page_and_a_chart(run: Any, tmp_path: Path) -> None:
    page, chart = tmp_path / "found.html", tmp_path / "found.svg"
    ran = run("discover", "default", *QUICK, "--format", "html", "-o", page, "--plot", chart)
    assert ran.code == 0, ran.err
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "<svg" in chart.read_text(encoding="utf-8")


def test_control_none_runs_the_published_method(run: Any) -> None:
    ran = run("discover", "default", *QUICK, "--control", "none")
    assert "of other words with R² 0.91, and it was not removed." in ran.out


@pytest.mark.slow
def test_discover_compares_two_sources(run: Any) -> None:
    ran = run("discover", "--compare", "default", "default", *QUICK)
    assert ran.code == 0, ran.err
    assert "default against default: 0 vanish, 0 appear," in ran.out
    assert "default: Frequency: the vectors predict log rank of other words with R² 0.91" in ran.out
    assert "default: Rotations: " in ran.out
    compared = json.loads(
        run("discover", "--compare", "default", "default", *QUICK, "--format", "json").out
    )
    assert {change["change"] for change in compared["changes"]} == {"stays"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "Name a SOURCE or several, or two with --compare A B."),
        (["default", "--compare", "default", "default"], 2, "Name a SOURCE or several, or two"),
        (["default", "--format", "parquet"], 2, "--format parquet needs -o FILE"),
        (["default", "--groups", "1"], 2, "groups is 1; it must be at least 2."),
        (["default", "--alpha", "2"], 2, "alpha is 2.0"),
        (["default", "--names", "sss"], 2, "Did you mean ssa?"),
        (["default", "--names", "nowhere.txt"], 2, "nowhere.txt"),
        (["nowhere.bin"], 3, "nowhere.bin"),
        (["default", "--categories", "9000", "--words", "5000"], 3, "too few for 9000 clusters"),
    ],
)
def test_wrong_discover_commands_get_a_sentence_and_an_exit_code(
    run: Any, arguments: list[str], code: int, message: str
) -> None:
    ran = run("discover", *arguments)
    assert ran.code == code
    assert message in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.slow
def test_text_direction_marks_in_a_heading_are_escaped(run: Any, tmp_path: Path) -> None:
    names = tmp_path / "names.csv"
    people = ("john", "mary", "ann", "peter", "paul", "james", "linda", "susan")
    lines = ["name,\u202eegA", *(f"{name},{40 + k}" for k, name in enumerate(people))]
    names.write_text("\n".join(lines), encoding="utf-8")
    ran = run("discover", "default", "--names", names, "--keep-names", 1, *SIZES)
    assert ran.code == 0, ran.err
    assert "\\u202eegA" in ran.out
    assert "\u202e" not in ran.out


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("discovery/abc.jsonl", "1 unfinished searches (discover --resume)"),
        ("searches/abc.jsonl", "1 finished searches of the page Discover"),
        ("layouts/abc.json", "1 layouts of the Map (UMAP)"),
    ],
)
def test_saved_searches_and_layouts_are_listed_and_cleared(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, expected: str
) -> None:
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path))
    saved = tmp_path / file
    saved.parent.mkdir()
    saved.write_text("{}", encoding="utf-8")
    assert expected in run("cache", "list").out
    assert run("cache", "clear").code == 0
    assert not saved.exists()


FEW = ("--groups", 3, "--categories", 3, "--words", 400, "--rotations", 19, "--control", "none")


@pytest.fixture(scope="module")
def frequent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of the 20,000 most frequent words of the default vectors."""
    from weatherglass import open_vectors

    path = tmp_path_factory.mktemp("vectors") / "frequent.txt"
    vectors = open_vectors("default")
    rows = zip(vectors.words[:20_000], vectors.matrix[:20_000].tolist(), strict=True)
    path.write_text("".join(f"{word} {' '.join(f'{x:.4f}' for x in row)}\n" for word, row in rows))
    return path


@pytest.mark.slow
def test_plot_cleaning_writes_the_chart_of_names(
    run: Any, frequent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("discover", frequent, *FEW, "--plot", "cleaning").code == 0
    assert "Names kept and dropped" in (tmp_path / "cleaning.svg").read_text()
    assert run("discover", frequent, *FEW, "--plot", "cleaning:mine.json").code == 0
    assert json.loads((tmp_path / "mine.json").read_text())["title"]["text"].startswith(
        "Names kept"
    )
    ran = run("discover", frequent, *FEW, "--plot", "cleaning:mine.txt")
    assert ran.code == 2
    assert "must end in" in ran.err


@pytest.mark.slow
def test_several_sources_and_lists_are_shown_side_by_side(
    run: Any, frequent: Path, tmp_path: Path
) -> None:
    ran = run("discover", frequent, "--names", "ssa", "--names", "surnames", *FEW)
    assert ran.code == 0, ran.err
    assert f"{frequent}, ssa" in ran.out
    assert "Searches" in ran.out
    page = tmp_path / "page.html"
    lists = ("--names", "ssa", "--names", "surnames")
    assert run("discover", frequent, *lists, *FEW, "--format", "html", "-o", page).code == 0
    assert "Groups of names, side by side" in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Name a SOURCE"),
        (("default", "default"), "named twice"),
        (("default", "other", "--plot", "c.svg"), "--plot needs one SOURCE"),
        (("default", "--names", "ssa", "--names", "surnames", "--plot", "c.svg"), "--plot needs"),
        (("--compare", "a", "b", "--names", "ssa", "--names", "surnames"), "one list of names"),
        (("default", "--weights", "age"), "no numeric column 'age'"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    run: Any, arguments: tuple[str, ...], message: str
) -> None:
    ran = run("discover", *arguments)
    assert ran.code == 2
    assert message in ran.err


def test_weights_print_the_number_of_people(run: Any, frequent: Path) -> None:
    ran = run("discover", frequent, *FEW, "--weights", "population")
    assert "people" in ran.out
    assert "Names count as often as people have them" in ran.out
