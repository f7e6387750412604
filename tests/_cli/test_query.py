"""Questions to audits: SQL that sees the results and nothing else, and sources in order."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.errors import UsageError, install_command

YEARS = (1990, 2000, 2010)


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An audit of three sources that differ in year and noise, with the tests of a small suite."""
    folder = tmp_path_factory.mktemp("many")
    words = {
        w.lower() for id in ("weat6", "weat7") for s in wg.test(id).sets.values() for w in s.words
    }
    plain = wg.open_vectors("default", words=sorted(words))
    rng = np.random.default_rng(0)
    lines = []
    for year, noise in zip(YEARS, (2.0, 1.0, 0.0), strict=True):
        rows = plain.matrix + noise * rng.standard_normal(plain.matrix.shape)
        table = "".join(
            f"{word} {' '.join(map(repr, row))}\n"
            for word, row in zip(plain.words[:], rows.tolist(), strict=True)
        )
        (folder / f"{year}.txt").write_text(table, encoding="utf-8")
        lines.append(f"- {{source: {year}.txt, name: y{year}, year: {year}, kind: news}}")
    models, suite = folder / "models.yaml", folder / "suite.yaml"
    models.write_text("\n".join(lines), encoding="utf-8")
    suite.write_text(
        "id: two\ntitle: Two tests\nsteps:\n- {run: weat, title: Tests, tests: [weat6, weat7]}\n",
        encoding="utf-8",
    )
    wg.audit(str(models), out=folder / "run", suite=suite)
    return folder / "run"


def test_facts_about_sources_are_columns_of_a_query(run: Callable[..., Any], audited: Path) -> None:
    sql = "SELECT year, kind, model, effect_size FROM results WHERE test = 'weat6' ORDER BY year"
    ran = run("query", sql, audited, "--format", "json")
    assert ran.code == 0, ran.err
    rows = json.loads(ran.out)
    assert [row["year"] for row in rows] == list(YEARS)
    assert {row["kind"] for row in rows} == {"news"}
    by_hand = wg.weat(wg.open_vectors(audited.parent / "2010.txt"), "weat6").effect
    assert rows[-1]["effect_size"] == by_hand


def test_query_results_are_printed_in_every_format(run: Callable[..., Any], audited: Path) -> None:
    sql = "SELECT test, count(*) AS n, count(*) AS n FROM results GROUP BY test ORDER BY test"
    texts = [run("query", sql, audited, "--format", form).out for form in ("csv", "tsv")]
    for text, delimiter in zip(texts, ",\t", strict=True):
        rows = list(csv.DictReader(io.StringIO(text), delimiter=delimiter))
        assert rows == [{"test": t, "n": "3", "n_2": "3"} for t in ("weat6", "weat7")]
    assert "| weat6" in run("query", sql, audited, "--format", "markdown").out
    assert r"\begin{tabular}" in run("query", sql, audited, "--format", "latex").out
    assert "weat7" in run("query", sql, audited).out


def test_several_folders_are_queried_as_one_table(run: Callable[..., Any], audited: Path) -> None:
    sql = "SELECT count(*) AS n, count(DISTINCT folder) AS folders FROM results"
    ran = run("query", sql, audited, f"{audited}/", "--format", "json")
    assert json.loads(ran.out) == [{"n": 12, "folders": 1}]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('{path}')",
        "SELECT * FROM '{path}'",
        "COPY results TO '{path}.out'",
        "ATTACH '{path}.db' AS other",
        "EXPORT DATABASE '{path}.folder'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SELECT * FROM every_folder",
        "SELECT * FROM results; SELECT read_text('{path}')",
    ],
)
def test_a_query_has_access_to_the_results_only(
    run: Callable[..., Any], audited: Path, tmp_path: Path, sql: str
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\n1,2\n", encoding="utf-8")
    ran = run("query", sql.format(path=secret), audited)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("weatherglass: The query cannot be run: ")
    assert ran.err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret.csv"]


def test_a_query_does_not_change_the_results(run: Callable[..., Any], audited: Path) -> None:
    before = (audited / "results.parquet").read_bytes()
    run("query", "DELETE FROM results", audited)
    assert (audited / "results.parquet").read_bytes() == before


def test_a_wrong_query_says_what_is_wrong(
    run: Callable[..., Any], audited: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = run("query", "SELECT efect_size FROM results", audited)
    assert ran.code == 2
    assert "effect_size" in ran.err  # DuckDB says what it may have been
    ran = run("query", "SELECT 1", tmp_path)
    assert ran.code == 3
    assert "is not the folder of an audit" in ran.err
    monkeypatch.setitem(sys.modules, "duckdb", None)
    ran = run("query", "SELECT 1", audited)
    assert ran.err.endswith(f"{install_command('query')}\n")


def test_sources_are_ranked_by_effect(run: Callable[..., Any], audited: Path) -> None:
    rows = json.loads(run("rank", audited, "--test", "weat6", "--format", "json").out)
    effects = [row["effect"] for row in rows]
    assert effects == sorted(effects, reverse=True)
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert {row["source"]: row["year"] for row in rows} == {f"y{year}": year for year in YEARS}
    smallest = json.loads(
        run("rank", audited, "--test", "weat6", "--ascending", "--top", 1, "--format", "json").out
    )
    assert smallest[0]["source"] == rows[-1]["source"]
    printed = run("rank", audited, "--test", "weat6", "--test", "weat7").out
    assert "weat6, by effect" in printed
    assert "weat7, by effect" in printed
    assert "p corrected" in printed
    assert "grade" in printed
    assert "more strongly associated" in printed or "No clear difference" in printed


def test_rank_suggests_tests_with_similar_names(run: Callable[..., Any], audited: Path) -> None:
    ran = run("rank", audited)
    assert (ran.code, ran.err) == (2, "weatherglass: Name a test, such as --test weat6.\n")
    with pytest.raises(UsageError, match="Did you mean weat6"):
        wg.rank("waet6", audited)
