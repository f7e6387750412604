"""The picture of a trajectory: names, verdicts, bands that end where there is no interval."""

from __future__ import annotations

import json
from typing import Any

import pytest
import vl_convert

import weatherglass as wg
from weatherglass.errors import CannotMeasure
from weatherglass.seedlab import CorpusTrend, Trajectory, TrajectoryPoint

NUMBERS: dict[str, Any] = {"expected": 0.0, "se": 0.001, "low": 0.0, "high": 0.02}
NUMBERS |= {"permutations": 99, "residual_t": 5.0, "residual_df": 3, "detectable": 0.4}


def series(corpus: str, slope: float, p: float) -> tuple[list[TrajectoryPoint], CorpusTrend]:
    points = []
    for year in range(1800, 1850, 10):
        value = slope * (year - 1820)
        interval = (None, None) if year == 1820 else (value - 0.2, value + 0.2)
        about = ("mine", corpus, f"{year}s", year + 5.0, 20, 9000)
        points.append(TrajectoryPoint(*about, value, value / 10, (), *interval))
    line = CorpusTrend(
        test="mine",
        corpus=corpus,
        statistic="effect",
        first="1800s",
        last="1840s",
        periods=5,
        slope=slope,
        change=40 * slope,
        intercept=-1825 * slope,
        p=p,
        p_holm=p,
        residual_p=p,
        **NUMBERS,
    )
    return points, line


def trajectory(*parts: tuple[list[TrajectoryPoint], CorpusTrend]) -> Trajectory:
    return Trajectory(
        by="year",
        points=tuple(point for points, _ in parts for point in points),
        trends=tuple(line for _, line in parts),
        titles={"mine": "Women vs men, home vs work"},
        subjects={"mine": "the association of women with home"},
    )


def test_a_picture_of_two_corpora_names_both_and_says_what_each_did() -> None:
    both = trajectory(series("novels", 0.02, 0.01), series("letters", -0.001, 0.6))
    svg = vl_convert.vegalite_to_svg(wg.plot(both).to_json())
    for text in ("novels", "letters", "Women vs men, home vs work"):
        assert text in svg
    assert "novels: rose; change +0.80" in svg
    assert "letters: no clear trend; change −0.04" in svg


def test_the_periods_are_named_on_the_axis_of_a_single_corpus() -> None:
    svg = vl_convert.vegalite_to_svg(wg.plot(trajectory(series("novels", 0.02, 0.01))).to_json())
    assert all(f">{year}s<" in svg for year in range(1800, 1850, 10))


def test_the_band_ends_at_a_period_without_an_interval() -> None:
    chart = json.dumps(wg.plot(trajectory(series("novels", 0.02, 0.01))).to_dict())
    assert '"part": "novels 0"' in chart
    assert '"part": "novels 1"' in chart


def test_a_clear_trend_is_a_solid_line_and_another_is_dashed() -> None:
    clear, unclear = (
        json.dumps(wg.plot(trajectory(series("novels", 0.02, p))).to_dict()) for p in (0.01, 0.6)
    )
    assert '"strokeDash": [5, 4]' not in clear
    assert '"strokeDash": [5, 4]' in unclear


def test_a_trajectory_without_values_has_no_picture() -> None:
    with pytest.raises(CannotMeasure, match="nothing to draw"):
        wg.plot(Trajectory(by="year", points=()))
