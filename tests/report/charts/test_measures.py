"""Charts of measures, of two discoveries, of lint and of contexts agree with their results."""

from __future__ import annotations

import dataclasses

import pytest

import weatherglass as wg
from weatherglass.errors import CannotMeasure
from weatherglass.measures.definition import MeasureResult
from weatherglass.seedlab.lint.findings import Lint

pytest.importorskip("altair", reason="needs the extra 'plots'")

MEN = "definitional_male-Bolukbasi_et_al_2016"
WOMEN = "definitional_female-Bolukbasi_et_al_2016"
JOBS = "careers-Caliskan_et_al_2017"


@pytest.fixture(scope="module")
def vectors() -> wg.Vectors:
    return wg.open_vectors("default")


def measured(vectors: wg.Vectors, name: str) -> MeasureResult:
    return wg.measure(vectors, name, {"X": JOBS, "A": MEN, "B": WOMEN})


def dots(panel):
    return panel.layer[2].data.values


def test_a_measure_is_drawn_word_by_word_from_both_ends(vectors, tmp_path):
    result = measured(vectors, "semaxis")
    (panel,) = wg.plot(result).vconcat
    ranked = result.ranked()
    assert len(ranked) > 40
    rows = dots(panel)
    assert [row["name"] for row in rows] == [word for word, _ in (*ranked[:20], *ranked[-20:])]
    assert [row["number"] for row in rows] == [value for _, value in (*ranked[:20], *ranked[-20:])]
    assert panel.title.subtitle[1] == f"the 20 words at each end of {len(ranked)}"
    wg.save_plot(wg.plot(result), tmp_path / "words.svg")
    drawn = (tmp_path / "words.svg").read_text(encoding="utf-8")
    assert f"SemAxis {result.value:.3f}" in drawn
    assert ranked[0][0] in drawn


def test_shares_are_drawn_from_the_equal_share(vectors):
    result = measured(vectors, "rnsb")
    (panel,) = wg.plot(result).vconcat
    assert panel.layer[0].data.values == [{"number": 1 / len(result.words["X"])}]


def test_each_measure_has_a_panel_and_its_own_scale(vectors):
    results = wg.Results.of(measured(vectors, name) for name in ("rnd", "ect", "rnsb"))
    chart = results.plot()
    assert [panel.title.text for panel in chart.vconcat] == [
        "Relative norm distance",
        "Embedding coherence test",
        "Relative negative sentiment bias",
    ]
    assert [panel.layer[0].data.values[0]["number"] for panel in chart.vconcat] == [0, 1, 0]
    assert [dots(panel)[0]["number"] for panel in chart.vconcat] == [r.value for r in results]
    spread = dots(chart.vconcat[2])[0]
    assert (spread["low"], spread["high"]) == (
        results[2].intervals[0].low,
        results[2].intervals[0].high,
    )
    assert chart.resolve.scale.x == "independent"


def test_the_generalised_weat_is_drawn_group_by_group(vectors):
    groups = [(["john", "paul"], ["career", "office"]), (["amy", "lisa"], ["home", "family"])]
    result = wg.generalised_weat(vectors, groups)
    assert [row["number"] for row in dots(result.plot())] == list(result.parts.values())
    assert [row["part"] for row in result.group_rows()] == list(result.parts.values())
    assert "<svg" in result._repr_html_()


@pytest.mark.slow
def test_two_discoveries_are_drawn_by_their_scores(vectors):
    options = {"groups": 4, "categories": 8, "words": 2000, "rotations": 999}
    same = wg.discover_both(vectors, vectors, **options)
    vanished = dataclasses.replace(same.changes[0], after=None, change="vanishes")
    comparison = dataclasses.replace(same, changes=(vanished, *same.changes[1:]))
    chart = comparison.plot()
    rows = chart.layer[1].data.values
    assert [(row["before"], row["after"]) for row in rows] == [
        (change.before.score, change.after.score) for change in same.changes[1:]
    ]
    subtitle = chart.title["subtitle"]
    assert subtitle[0] == f"Of the significant cells {len(rows)} stay, 1 vanish, 0 appear."
    assert subtitle[1] == "1 of them have too few words in one, and are not drawn."
    assert "<svg" in comparison._repr_html_()
    with pytest.raises(CannotMeasure, match="no cell"):
        dataclasses.replace(same, changes=()).plot()


def test_lint_is_drawn_by_set_and_severity(vectors):
    lint = wg.lint([JOBS, MEN, WOMEN], source=vectors)
    rows = wg.plot(lint).data.values
    assert sum(row["findings"] for row in rows) == len(lint.findings)
    assert {row["severity"] for row in rows} == {finding.severity for finding in lint.findings}
    with pytest.raises(CannotMeasure, match="lint found nothing"):
        wg.plot(Lint(findings=(), checks=(), sets=(), source={}, options={}))


def test_tests_over_contexts_are_drawn_with_the_range_of_their_samples():
    result = wg.CeatResult(
        test="weat6",
        title="Names",
        status="done",
        source={"name": "bert"},
        effect=0.5,
        error=0.1,
        p=0.01,
        quantiles={"2.5": -0.2, "50": 0.5, "97.5": 1.1},
    )
    row = wg.plot(result).to_dict()
    assert "Names" in str(row)
    assert "1.1" in str(row["datasets"]) if "datasets" in row else "1.1" in str(row)
