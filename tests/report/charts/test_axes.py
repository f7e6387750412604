"""Charts of words along axes, and of neighbours."""

from __future__ import annotations

import pytest

import weatherglass as wg
from weatherglass.report.charts.axes import (
    MAX_WORDS,
    axis_domains,
    plot_axis,
    plot_map,
    plot_neighbours,
)

pytest.importorskip("altair", reason="needs the extra 'plots'")

ROWS = {
    "she": [1, 0, 0],
    "he": [-1, 0, 0],
    "rich": [0, 1, 0],
    "poor": [0, -1, 0],
    "nurse": [3, 0, 4],
    "pilot": [-3, 4, 0],
    "</script>": [0, 0, 1],
}
VECTORS = wg.Vectors.of(list(ROWS), list(ROWS.values()))
WORDS = ["nurse", "pilot", "</script>"]


def on(high: str, low: str) -> wg.MeasureResult:
    return wg.measure(VECTORS, "semaxis", {"X": WORDS, "A": [high], "B": [low]}, max_missing=1.0)


def layer(chart, mark: str) -> list[dict]:
    """The data of the last layer with this mark."""
    spec = chart.to_dict()
    layers = [layer_spec for layer_spec in spec["layer"] if layer_spec["mark"]["type"] == mark]
    return layers[-1]["data"]["values"]


def test_every_word_of_an_axis_is_at_its_cosine_the_largest_on_top():
    rows = layer(plot_axis({"tiny": on("she", "he")}, ("men", "women")), "point")
    assert [(row["word"], row["x"]) for row in rows] == [
        ("nurse", pytest.approx(0.6)),
        ("</script>", pytest.approx(0.0)),
        ("pilot", pytest.approx(-0.6)),
    ]


def test_an_axis_with_very_many_words_shows_both_ends():
    many = wg.Vectors.of(
        ["a", "b", *(f"w{k}" for k in range(200))],
        [[1, 0], [-1, 0], *([k - 100, 50] for k in range(200))],
    )
    sets = {"X": [f"w{k}" for k in range(200)], "A": ["a"], "B": ["b"]}
    rows = layer(plot_axis({"m": wg.measure(many, "semaxis", sets)}, ("b", "a")), "point")
    assert len(rows) == MAX_WORDS
    assert (rows[0]["word"], rows[-1]["word"]) == ("w199", "w0")


def test_a_map_has_both_cosines_and_labels_next_to_their_points():
    pair = on("she", "he"), on("rich", "poor")
    chart = plot_map(*pair, [("men", "women"), ("poor", "rich")])
    dots = {row["word"]: (row["x"], row["y"]) for row in layer(chart, "circle")}
    assert dots["nurse"] == (pytest.approx(0.6), pytest.approx(0.0))
    assert dots["pilot"] == (pytest.approx(-0.6), pytest.approx(0.8))
    names = {row["word"]: (row["x"], row["y"]) for row in layer(chart, "text")}
    assert set(names) == set(dots)
    (low, high), _ = axis_domains([pair])
    assert all(abs(names[w][0] - dots[w][0]) < 0.2 * (high - low) for w in dots)


def test_neighbours_are_bars_in_order_of_cosine():
    near = VECTORS.neighbours("she", 3)
    spec = plot_neighbours({"tiny": near, "other": near[:1]}).to_dict()
    first = spec["hconcat"][0]["data"]["values"]
    assert [row["word"] for row in first] == [word for word, _ in near]
    assert first[0]["x"] == pytest.approx(near[0][1])
