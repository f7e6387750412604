"""Trajectories: a planted trend is found; shuffled dates, gaps and single documents are handled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import weatherglass as wg
from weatherglass import Test
from weatherglass.corpus import Document
from weatherglass.corpus.permutation import divide
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.seedlab import Trajectory, is_ordered

SHIPS, TREES = ["ship", "boat", "sail"], ["oak", "elm", "fir"]
GOOD, BAD = ["fine", "kind"], ["foul", "grim"]
MINE = Test(id="mine", title="Ships and trees", x=SHIPS, y=TREES, a=GOOD, b=BAD)
YEARS = (1800, 1810, 1820, 1830)
OPTIONS: dict[str, Any] = {
    "by": "year",
    "dim": 6,
    "min_count": 2,
    "min_size": 0,
    "bootstrap": 0,
    "permutations": 19,
    "workers": 1,
}


def text(rng: np.random.Generator, leaning: float, words: int = 12) -> str:
    """Return a text in which, with probability `leaning`, ships are good and trees are bad."""
    is_ship = rng.random() < 0.5
    is_good = is_ship if rng.random() < leaning else rng.random() < 0.5
    nouns, adjectives = SHIPS if is_ship else TREES, GOOD if is_good else BAD
    return " ".join(rng.choice([*nouns, *adjectives, "the", "of"], size=words).tolist())


def corpus(
    leanings: tuple[float, ...], seed: int = 0, documents: int = 30, words: int = 12
) -> list[Document]:
    rng = np.random.default_rng(seed)
    return [
        Document(text(rng, leaning, words), {"year": str(year)})
        for year, leaning in zip(YEARS, leanings, strict=True)
        for _ in range(documents)
    ]


RISING = corpus((0.0, 0.3, 0.6, 0.95))


def redate(documents: list[Document], years: list[str]) -> list[Document]:
    return [Document(d.text, {"year": year}) for d, year in zip(documents, years, strict=True)]


def run(documents: Any, out: Path, tests: Any = MINE, **options: Any) -> Trajectory:
    with threadpool_limits(limits=1):
        return wg.trajectory(documents, tests, out=out, **(OPTIONS | options))


@pytest.fixture(scope="module")
def rising(tmp_path_factory: pytest.TempPathFactory) -> Trajectory:
    return run(RISING, tmp_path_factory.mktemp("rising"), bootstrap=20)


def trend_of(result: Trajectory, statistic: str = "unstandardised") -> Any:
    (row,) = [row for row in result.trends if row.statistic == statistic]
    return row


def test_a_planted_trend_is_found_and_said_to_rise(rising: Trajectory) -> None:
    assert [point.period for point in rising.points] == [str(year) for year in YEARS]
    assert trend_of(rising).slope > 0
    assert trend_of(rising).p == 0.05  # 19 permutations: the smallest possible
    assert trend_of(rising, "effect").permutations == 19
    # Two statistics are tested, so that 19 permutations cannot be significant.
    assert trend_of(rising).p_holm == 0.1
    assert rising.sentence().startswith("No clear trend in the association of ship, boat")


def test_a_significant_trend_is_worded_with_its_direction(tmp_path: Path) -> None:
    result = run(RISING, tmp_path, statistic="unstandardised")
    ((found),) = result.findings().values()
    assert found.direction == 1
    assert found.grade in ("clear", "mixed")
    assert " rose between the periods '1800' and '1830', by +" in found.sentence


@pytest.mark.slow
def test_shuffled_dates_have_no_trend(tmp_path: Path) -> None:
    years = [document.meta["year"] for document in RISING]
    rejected = 0
    for seed in range(20):
        shuffled = np.random.default_rng(seed).permutation(years).tolist()
        result = run(redate(RISING, shuffled), tmp_path / str(seed))
        rejected += trend_of(result).p <= 0.05
    assert rejected <= 4  # 1 expected


def test_reversed_years_reverse_the_slope_and_keep_p(rising: Trajectory, tmp_path: Path) -> None:
    years = [str(3630 - int(document.meta["year"])) for document in RISING]
    back = run(redate(RISING, years), tmp_path)
    for statistic in ("effect", "unstandardised"):
        forth = trend_of(rising, statistic)
        assert trend_of(back, statistic).slope == pytest.approx(-forth.slope, rel=1e-3)
        assert trend_of(back, statistic).p == forth.p
        assert trend_of(back, statistic).residual_p == pytest.approx(forth.residual_p, rel=1e-2)


def test_swapped_targets_reverse_the_slope_and_keep_p(tmp_path: Path) -> None:
    swapped = Test(id="mine", title="Trees and ships", x=TREES, y=SHIPS, a=GOOD, b=BAD)
    forth, back = (run(RISING, tmp_path, test, permutations=5) for test in (MINE, swapped))
    assert trend_of(back).slope == pytest.approx(-trend_of(forth).slope)
    assert trend_of(back).p == trend_of(forth).p


def test_every_period_has_a_band_and_a_change_against_the_first(rising: Trajectory) -> None:
    for point in rising.points:
        assert point.low is not None
        assert point.high is not None
        assert point.low < point.value < point.high  # type: ignore[operator]
    assert [(row.period, row.against) for row in rising.changes] == [
        ("1810", "1800"),
        ("1820", "1800"),
        ("1830", "1800"),
    ]
    last, first = rising.points[-1], rising.points[0]
    assert rising.changes[-1].change == pytest.approx(last.value - first.value)  # type: ignore


def test_a_trajectory_survives_json_rows_and_a_table(rising: Trajectory, tmp_path: Path) -> None:
    assert Trajectory.from_json(rising.to_json()) == rising
    rows = rising.to_rows()
    assert len(rows) == 4 + 2
    rising.to_parquet(tmp_path / "rows.parquet")
    import pyarrow.parquet as pq

    assert pq.read_table(tmp_path / "rows.parquet").to_pylist() == rows
    assert rising.to_table().column_names[:4] == ["kind", "test", "corpus", "period"]


def test_a_notebook_shows_the_finding_and_escapes_names(rising: Trajectory) -> None:
    import dataclasses

    point = dataclasses.replace(rising.points[0], period="<script>alert(1)</script>")
    hostile = dataclasses.replace(rising, points=(point, *rising.points[1:]))
    page = hostile._repr_html_().partition("<svg")[0]
    assert "No clear trend" in page
    assert "<script>alert" not in page


def test_a_period_without_the_words_is_left_out_and_named(tmp_path: Path) -> None:
    silent = [Document("the of the of " * 20, {"year": "1840"}) for _ in range(40)]
    result = run([*RISING, *silent], tmp_path, permutations=4)
    gap = result.points[-1]
    assert (gap.period, gap.value) == ("1840", None)
    assert "'ship'" in gap.reason
    assert trend_of(result).last == "1830"
    assert any("'1840'" in note and "left out" in note for note in result.notes)


def test_nothing_is_trained_if_only_two_periods_have_the_words(tmp_path: Path) -> None:
    silent = [Document("the of the of " * 20, {"year": year}) for year in ("1840", "1850")]
    few = [document for document in RISING if document.meta["year"] in ("1800", "1830")]
    with pytest.raises(CannotMeasure, match="No test has its words in 3 periods"):
        run([*few, *silent], tmp_path, permutations=2)
    assert not list(tmp_path.glob("**/*.parquet"))


def test_a_series_without_enough_periods_says_why_it_has_no_trend() -> None:
    empty = Trajectory(by="year", points=(), notes=("mine: no trend, too few periods",))
    assert empty.sentence() == "No trend was tested."
    assert empty.to_rows() == []


def test_one_document_per_period_has_a_trend_but_no_band(tmp_path: Path) -> None:
    novels = [
        Document(
            " ".join(d.text for d in RISING if d.meta["year"] == str(year)), {"year": str(year)}
        )
        for year in YEARS
    ]
    result = run(novels, tmp_path, bootstrap=20)
    assert all(point.documents == 1 and point.low is None for point in result.points)
    # Four documents can be dated in 24 ways, so that p cannot be small.
    assert 0.05 <= trend_of(result).p <= 1
    assert any("no bootstraps" in note for note in result.notes)


def test_parts_of_a_document_in_several_periods_stay_in_these() -> None:
    numbers = tuple(np.array(row) for row in ([0, 1], [1, 2, 3], [3, 4]))
    document = np.concatenate(numbers)
    for seed in range(20):
        parts = divide((2, 3, 2), np.random.default_rng(seed), numbers)
        assert [len(part) for part in parts] == [2, 3, 2]
        found = [sorted(document[part].tolist()) for part in parts]
        assert [1 in found[0], 1 in found[1], 1 in found[2]] == [True, True, False]
        assert [3 in found[0], 3 in found[1], 3 in found[2]] == [False, True, True]


def test_several_corpora_and_tests_have_a_trend_each(tmp_path: Path) -> None:
    other = Test(id="other", title="Trees and ships", x=TREES, y=SHIPS, a=GOOD, b=BAD)
    corpora = {"up": RISING, "flat": corpus((0.5,) * 4, seed=9)}
    result = run(corpora, tmp_path, [MINE, other], permutations=5)
    assert result.corpora == ("up", "flat")
    assert {(row.test, row.corpus) for row in result.trends} == {
        (test, name) for test in ("mine", "other") for name in ("up", "flat")
    }
    chart = result.plot().to_dict()
    assert len(chart["vconcat"]) == 2
    assert "flat" in json.dumps(chart)


def test_models_are_reused_and_kept_words_grow(tmp_path: Path) -> None:
    first = run(RISING, tmp_path, permutations=3)
    files = sorted((tmp_path / "permuted" / "dates").iterdir())
    before = [file.stat().st_mtime_ns for file in files]
    assert run(RISING, tmp_path, permutations=3) == first
    assert [file.stat().st_mtime_ns for file in files] == before
    other = Test(id="other", title="The of", x=SHIPS, y=TREES, a=["the"], b=["of"])
    run(RISING, tmp_path, [MINE, other], permutations=3)
    changed = [file.stat().st_mtime_ns for file in files]
    assert changed != before
    assert run(RISING, tmp_path, permutations=3) == first
    assert [file.stat().st_mtime_ns for file in files] == changed


def test_a_column_of_names_is_no_time(tmp_path: Path) -> None:
    named = [Document(d.text, {"writer": f"writer {d.meta['year']}"}) for d in RISING]
    assert not is_ordered(named, "writer")
    assert is_ordered(RISING, "year")
    assert not is_ordered(RISING, "year", [1815])
    with pytest.raises(UsageError, match="neither numbers nor dates"):
        run(named, tmp_path, by="writer", permutations=2)
    with pytest.raises(CannotMeasure, match="at least 3 periods; there are 2"):
        run(RISING, tmp_path / "two", only=["1800", "1810"], permutations=2)


def facts_of(words: list[str], values: dict[int, list[float]]) -> dict[str, dict[float, float]]:
    return {
        word: {float(year): row[k] for year, row in values.items()} for k, word in enumerate(words)
    }


def test_facts_of_each_year_are_correlated_with_the_period(tmp_path: Path) -> None:
    words = SHIPS + TREES
    up, down = [6.0, 5.0, 4.0, 3.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    steady = corpus((0.95,) * 4, seed=3)
    test = wg.FactualTest(id="share", a=GOOD, b=BAD, facts=dict.fromkeys(words, 0.0))
    # In the first years ships have the larger facts, in the last ones trees.
    turning = facts_of(words, {1800: up, 1810: up, 1820: down, 1830: down})
    result = run(steady, tmp_path, test, facts=turning, permutations=5)
    correlations = [point.value for point in result.points]
    assert min(correlations[:2]) > 0.7  # type: ignore[type-var]
    assert max(correlations[2:]) < -0.7  # type: ignore[type-var]
    assert trend_of(result, "correlation").slope < 0
    # Without facts for a period it is left out.
    late = facts_of(words, {1805: up, 1830: down})
    gap = run(steady, tmp_path, test, facts=late, permutations=5).points[0]
    assert gap.value is None


def test_the_command_tests_a_trend_by_default_and_pairs_if_asked(tmp_path: Path, run: Any) -> None:
    lines = ["text,year"] + [f"{d.text},{d.meta['year']}" for d in RISING]
    (tmp_path / "rising.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "mine.yaml").write_text(
        "tests:\n- {id: mine, title: Ships and trees, x: [ship, boat, sail], y: [oak, elm, fir],"
        " a: [fine, kind], b: [foul, grim]}\n"
    )
    common = ["--tests", tmp_path / "mine.yaml", "--dim", "6", "--min-count", "2", "--workers", "1"]
    common += ["--bootstrap", "0", "--permutations", "5", "--min-size", "0"]
    table = ["compare", tmp_path / "rising.csv", "--by", "year"]
    models = ["--models", tmp_path / "m"]
    paper = ["--plot", tmp_path / "rising.svg", "--bibtex", tmp_path / "refs.bib"]
    ran = run(*table, "--bins", "decade", *common, *models, *paper)
    assert ran.code == 0, ran.err
    assert "against '1800s'" in ran.out
    assert "No clear trend" in ran.out
    assert "1800s" in (tmp_path / "rising.svg").read_text()
    assert "@article{caliskan2017," in (tmp_path / "refs.bib").read_text()
    # Columns are those of the first table that has them.
    chosen = [*table, "--bins", "decade", *common, *models, "--columns", "test,change,p"]
    ran = run(*chosen, "--format", "latex")
    assert r"test & change & p \\" in ran.out.partition("Trends")[2]
    ran = run(*table, "--bins", "decade", *common, *models, "--format", "json")
    assert Trajectory.from_json(ran.out).by == "year"
    pairs = ["--pairs", "--only", "1800", "--only", "1830", "--models", tmp_path / "p"]
    ran = run(*table, *common, *pairs)
    assert ran.code == 0, ran.err
    assert "1800 − 1830" in ran.out
