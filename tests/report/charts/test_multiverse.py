"""The specification curve shows every specification, and marks the documented one."""

from __future__ import annotations

import pytest

import weatherglass as wg
from weatherglass.errors import CannotMeasure
from weatherglass.report.charts.multiverse import MAX_COLUMNS, rank_specifications
from weatherglass.seedlab.multiverse.result import set_names

pytest.importorskip("altair", reason="needs the extra 'plots'")


@pytest.fixture(scope="module")
def multiverse() -> wg.Multiverse:
    return wg.multiverse(wg.open_vectors("default"), "weat7", samples=20)


def test_the_columns_of_a_curve_hold_every_specification_once_in_order(multiverse):
    columns = rank_specifications(multiverse).columns
    drawn = [specification for column in columns for specification in column.specifications]
    assert len(columns) == MAX_COLUMNS < len(multiverse.specifications)
    assert sorted(map(id, drawn)) == sorted(map(id, multiverse.specifications))
    effects = [specification.effect for specification in drawn]
    assert effects == sorted(effects)
    assert {column.size for column in columns} == {1, 2}


def values(whole, chart, layer):
    return whole.datasets[chart.layer[layer].data.name]


def test_the_curve_and_its_rows_agree_with_the_multiverse(multiverse):
    whole = wg.plot(multiverse)
    (curve,) = whole.vconcat
    effects, targets, attributes = curve.vconcat
    boxes, rings = values(whole, effects, 1), values(whole, effects, 2)
    significant = sum(box["significant"] * (box["end"] - box["start"]) for box in boxes)
    assert significant == pytest.approx(multiverse.summary.significant["holm"]["all"].count)
    assert [ring["effect"] for ring in rings] == [s.effect for s in multiverse.whole]
    documented = multiverse.specifications[multiverse.documented]
    assert values(whole, effects, 4)[0]["label"] == f"documented: {documented.effect:.2f}"
    cells = values(whole, attributes, 0)
    for choice in multiverse.factors[1]:
        label = set_names(choice.sets) + " *" * choice.documented
        width = sum(
            cell["share"] * (cell["end"] - cell["start"]) for cell in cells if cell["name"] == label
        )
        if len(label) <= 58:
            assert width == pytest.approx(21)  # whole and in twenty sub-samples
    assert len({cell["name"] for cell in cells}) == 18
    assert [row["name"] for row in values(whole, targets, 2)] == [
        "math_1 / arts_1, Caliskan et al 2017 *"
    ]
    means = [float(row["mean"]) for row in values(whole, attributes, 2)]
    assert means == sorted(means, reverse=True)
    assert [dot["own"] for dot in values(whole, attributes, 1)] == [False] * 17 + [True]


@pytest.mark.slow
def test_few_specifications_have_a_column_each_and_many_choices_no_rings():
    vectors = wg.open_vectors("default")
    few = wg.multiverse(vectors, "weat7", samples=0)
    whole = wg.plot(few)
    (curve,) = whole.vconcat
    assert curve.title["subtitle"][1] == "Rows: the sets of each specification."
    assert len(values(whole, curve.vconcat[0], 1)) == 18
    many = wg.multiverse(vectors, "weat7", samples=0, cross=True)
    assert len(many.whole) > 80
    assert rank_specifications(many).ringed == ()
    (curve,) = wg.plot(many).vconcat
    assert len(curve.vconcat) == 1 + 4
    assert "(rings)" not in curve.title["subtitle"][0]


@pytest.mark.slow
def test_several_multiverses_are_drawn_below_each_other_and_none_is_refused(multiverse, tmp_path):
    wg.save_plot(wg.plot([multiverse, multiverse]), tmp_path / "curves.svg")
    assert (tmp_path / "curves.svg").read_text().count(">documented: 1.50<") == 2
    with pytest.raises(CannotMeasure, match="nothing to draw"):
        wg.plot([])
