"""Cleaning any list of words (Caliskan et al. 2017; Swinger et al. 2019), and windows of shares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.catalog import load_names, name_windows
from weatherglass.errors import CannotMeasure, UsageError

CENSUS = Path(__file__).parents[3] / "shared/data/facts/census1990-androgynous-names.tsv"
# Names of the census file that are not in the second factual test of Caliskan et al. (2017).
DROPPED_BY_THE_PAPER = {
    *("Christian", "Angel", "Gale", "Kerry", "Guadalupe"),
    *("Merle", "Jan", "Cleo", "Tommie", "Laverne"),
}


def test_the_word_farthest_from_the_centroid_is_dropped_first() -> None:
    angles = np.deg2rad([0, 5, -5, 10, -10, 80, 120])
    rows = np.column_stack([np.cos(angles), np.sin(angles)])
    vectors = wg.Vectors.of([f"w{k}" for k in range(7)], rows)
    cleaned = wg.clean_list(vectors, list(vectors.words), keep=5 / 7)
    assert cleaned.dropped == ("w6", "w5")
    assert cleaned.kept == ("w0", "w1", "w2", "w3", "w4")


def test_distance_cosine_and_mean_similarity_order_words_alike(default: wg.Vectors) -> None:
    names = load_names("ssa").names[:300]
    cleaned = wg.clean_list(default, names)
    rows = default.unit(cleaned.words)
    centroid = rows.mean(axis=0)
    orders = [
        np.argsort(cleaned.likeness),
        np.argsort(-np.linalg.norm(rows - centroid, axis=1)),
        np.argsort((rows @ rows.T).mean(axis=1)),
    ]
    assert orders[0].tolist() == orders[1].tolist() == orders[2].tolist()


def test_a_fifth_is_dropped_and_the_order_of_the_list_does_not_matter(default: wg.Vectors) -> None:
    names = list(load_names("ssa").names[:200])
    first, second = (wg.clean_list(default, listed) for listed in (names, names[::-1]))
    assert set(first.dropped) == set(second.dropped)
    assert len(first.dropped) == len(first.words) - round(0.8 * len(first.words))
    assert wg.CleanedList.from_json(first.to_json()) == first


def test_classifier_drops_months_from_a_list_of_names(default: wg.Vectors) -> None:
    names = [*load_names("ssa").names[:300], "January", "Tuesday"]
    dropped = wg.clean_list(default, names, method="classifier", keep=0.9).dropped
    assert {"january", "tuesday"} <= set(dropped)


def test_a_list_of_too_few_words_is_refused(default: wg.Vectors) -> None:
    with pytest.raises(CannotMeasure, match="Only 1 words"):
        wg.clean_list(default, ["Mary", "Xqzzt"])
    with pytest.raises(UsageError, match="keep is 0"):
        wg.clean_list(default, ["Mary", "Anna", "Emma"], keep=0)


@pytest.mark.skipif(not CENSUS.exists(), reason="the census file of the shared data is not here")
def test_most_names_that_the_paper_dropped_are_dropped_here(default: wg.Vectors) -> None:
    lines = CENSUS.read_text().splitlines()[1:]
    names = [line.split("\t")[0].strip('"').capitalize() for line in lines]
    assert set(names) > DROPPED_BY_THE_PAPER
    dropped = {name.capitalize() for name in wg.clean_list(default, names).dropped}
    assert len(dropped) == 12
    assert len(dropped & DROPPED_BY_THE_PAPER) == 8


@pytest.mark.skipif(not CENSUS.exists(), reason="the census file of the shared data is not here")
def test_windows_of_the_census_file_are_those_of_its_shares(tmp_path: Path) -> None:
    file = tmp_path / "names.csv"
    rows = [line.split("\t") for line in CENSUS.read_text().splitlines()[1:]]
    shares = {name.strip('"'): float(f) / (float(f) + float(m)) for name, _, _, f, m in rows}
    table = [
        f"{name.strip(chr(34))},{total},{shares[name.strip(chr(34))]}"
        for name, _, total, *_ in rows
    ]
    file.write_text("\n".join(["name,people,share", *table]))
    windows = name_windows(load_names(file), per_window=100)
    assert [window.available for window in windows] == [4, 6, 6, 5, 4, 3, 10, 8, 9, 5]
    for window in windows:
        assert all(window.low <= shares[name] < window.high for name in window.names)
        assert list(window.people) == sorted(window.people, reverse=True)


def test_every_name_is_in_one_window_and_the_most_popular_come_first() -> None:
    ssa = load_names("ssa")
    windows = name_windows(ssa, windows=10, per_window=3)
    known = sum(value is not None for value in ssa.facts["share_female"])
    assert sum(window.available for window in windows) == known
    assert windows[0].names[0] == "Michael"
    assert windows[9].names[0] == "Mary"


@pytest.mark.parametrize("windows", [3, 7, 10, 100])
def test_a_share_at_the_edge_of_a_window_is_in_the_one_that_begins_there(
    windows: int, tmp_path: Path
) -> None:
    file = tmp_path / "names.csv"
    lines = [
        f"Name{chr(97 + k // 26)}{chr(97 + k % 26)},{k + 1},{k / windows}"
        for k in range(windows + 1)
    ]
    file.write_text("\n".join(["name,people,share", *lines]))
    found = name_windows(load_names(file), windows=windows)
    assert [window.available for window in found] == [1] * (windows - 1) + [2]


def test_windows_need_shares_and_numbers_of_people(tmp_path: Path) -> None:
    file = tmp_path / "names.csv"
    file.write_text("name,people,share\nAnn,5,1.5\nBob,3,0.1\n")
    with pytest.raises(UsageError, match=r"is 1\.5; a share from 0 to 1"):
        name_windows(load_names(file))
    file.write_text("name,share\nAnn,0.5\nBob,0.1\n")
    with pytest.raises(UsageError, match="does not state how many people"):
        name_windows(load_names(file))
    with pytest.raises(UsageError, match="name the column of shares"):
        name_windows(load_names("surnames"))


def test_catalog_names_lists_windows(run: Any) -> None:
    ran = run("catalog", "names", "ssa", "--windows", "--per-window", 2, "--format", "csv")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0] == "from,to,name,share,people,available"
    assert len(lines) == 21
    assert run("catalog", "names", "--windows").code == 2
    assert run("catalog", "names", "ssa", "--by", "share_female").code == 2


def test_vectors_clean_writes_the_words_kept(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text("\n".join(["Mary", "Anna", "Emma", "Alice", "Clara", "Ruth", "Edith", "Will"]))
    ran = run("vectors", "clean", "default", file, "--format", "txt", "--keep", 0.875)
    assert ran.out.split() == ["mary", "anna", "emma", "alice", "clara", "ruth", "edith"]
    shown = run("vectors", "clean", "default", file).out
    assert "will" in shown
    assert "Of 8 words 6 were kept" in shown
