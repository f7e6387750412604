"""The chart of names kept and dropped (figure 1 of Swinger et al. 2019)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from weatherglass.discovery import Cleaning, Discovery
from weatherglass.errors import CannotMeasure
from weatherglass.report import discovery_page, plot_cleaning

pytest.importorskip("altair")

CLEANING = Cleaning(
    ("ann", "bea", "cleo", "dora", "ella", "</script>", "faggot"),
    (100, 300, 1000, 3000, 10_000, 5, 20),
    (10_000, 3000, 1000, 300, 100, 30, 20),
    (True, True, True, True, True, False, False),
    50_000,
)


@pytest.fixture
def cleaned(paper: Discovery) -> Discovery:
    return replace(paper, cleaning=CLEANING)


def values(chart: Any) -> dict[str, list[dict[str, Any]]]:
    return dict(chart.datasets)


def test_every_name_is_a_dot_in_the_colour_of_its_fate(cleaned: Discovery) -> None:
    line, points, *_ = values(plot_cleaning(cleaned)).values()
    kinds = {row["name"]: row["kind"] for row in points}
    assert list(kinds.values()).count("kept") == 5
    assert kinds["</script>"] == "dropped"
    assert line[0]["rank"] < line[1]["rank"]
    assert line[0]["p"] > line[1]["p"]


def test_names_far_from_the_power_law_are_labelled_and_slurs_masked(cleaned: Discovery) -> None:
    *_, labels = values(plot_cleaning(cleaned)).values()
    named = {row["name"] for row in labels}
    assert "</script>" in named
    assert not any("faggot" in name for name in named)
    *_, labels = values(plot_cleaning(cleaned, show_slurs=True)).values()
    assert "faggot" in {row["name"] for row in labels}


def test_the_colours_of_a_crowd_are_as_frequent_as_its_names(paper: Discovery) -> None:
    rng = np.random.default_rng(3)
    size = 20_000
    crowd = Cleaning(
        tuple(f"n{k}" for k in range(size)),
        tuple(rng.integers(1000, 100_000, size).tolist()),
        tuple(np.exp(rng.uniform(5, 8, size)).tolist()),
        tuple((rng.random(size) < 0.8).tolist()),
        1e8,
    )
    _, points, *_ = values(plot_cleaning(replace(paper, cleaning=crowd))).values()
    assert len(points) < size / 2
    dropped = sum(row["kind"] == "dropped" for row in points)
    assert 0.17 < dropped / len(points) < 0.23


def test_dots_that_cover_each_other_are_drawn_once(paper: Discovery) -> None:
    many = Cleaning(
        tuple(f"n{k}" for k in range(4000)),
        tuple(1000 + k % 7 for k in range(4000)),
        tuple(500.0 + k % 5 for k in range(4000)),
        (True,) * 4000,
        1e6,
    )
    _, points, *_ = values(plot_cleaning(replace(paper, cleaning=many))).values()
    assert len(points) <= 35


def test_a_discovery_without_numbers_of_people_has_no_chart_and_no_section(
    paper: Discovery, cleaned: Discovery
) -> None:
    with pytest.raises(CannotMeasure, match="does not state how many people"):
        plot_cleaning(paper)
    assert 'id="cleaning"' not in discovery_page(paper)
    page = discovery_page(cleaned)
    assert 'id="cleaning"' in page
    assert "</script>" not in page
    assert "faggot" not in page.split('id="cleaning"')[1]
