"""Names beside points: none on another, on a point or over the edge."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from weatherglass.report.charts.labels import Label, place_labels

WIDTH, HEIGHT = 300.0, 200.0
POINTS = st.lists(
    st.tuples(
        st.floats(0, WIDTH), st.floats(0, HEIGHT), st.text("abcmwil", min_size=0, max_size=12)
    ),
    max_size=40,
)


def box(one: Label) -> tuple[float, float, float, float]:
    top = one.middle - one.height / 2
    return one.left, top, one.left + one.width, top + one.height


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@given(POINTS)
def test_no_name_touches_another_a_foreign_point_or_the_edge(points):
    where = [(x, y) for x, y, _ in points]
    made = place_labels(where, [name for *_, name in points], width=WIDTH, height=HEIGHT)
    for one in made:
        left, top, right, bottom = box(one)
        assert min(left, top) >= 0
        assert (right <= WIDTH, bottom <= HEIGHT) == (True, True)
        for at, (x, y) in enumerate(where):
            assert at == one.at or not (left < x < right and top < y < bottom)
    assert not any(overlap(box(one), box(other)) for one, other in combinations(made, 2))
    assert len({one.at for one in made}) == len(made)


def test_points_far_apart_are_all_named_and_the_outermost_goes_first():
    points = [(150.0, 100.0), (20.0, 20.0), (160.0, 180.0)]
    made = place_labels(points, ["middle", "corner", "below"], width=WIDTH, height=HEIGHT)
    assert [one.at for one in made] == [1, 2, 0]


def test_a_point_without_a_name_gets_none_and_no_points_give_nothing():
    assert place_labels([(50, 50), (90, 90)], ["", "b"], width=WIDTH, height=HEIGHT)[0].at == 1
    assert place_labels([], [], width=WIDTH, height=HEIGHT) == []
