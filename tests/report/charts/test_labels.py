"""Labels of points: none touches another, a point or the edge."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from weatherglass.report.charts.labels import Label, place_labels, stack_above

WIDTH, HEIGHT = 300.0, 200.0
POINTS = st.lists(
    st.tuples(
        st.floats(0, WIDTH), st.floats(0, HEIGHT), st.text("abcmwil", min_size=0, max_size=12)
    ),
    max_size=40,
)
LEVELS, GAP, PITCH = 4, 9.0, 15.0


def box(label: Label) -> tuple[float, float, float, float]:
    return label.left, label.top, label.left + label.width, label.top + label.height


def overlap(first: tuple[float, ...], second: tuple[float, ...]) -> bool:
    return (
        first[0] < second[2]
        and second[0] < first[2]
        and first[1] < second[3]
        and second[1] < first[3]
    )


@given(POINTS)
def test_no_label_touches_another_a_foreign_point_or_the_edge(rows):
    points = [(x, y) for x, y, _ in rows]
    labels = place_labels(points, [name for *_, name in rows], width=WIDTH, height=HEIGHT)
    for label in labels:
        left, top, right, bottom = box(label)
        assert min(left, top) >= 0
        assert (right <= WIDTH, bottom <= HEIGHT) == (True, True)
        for index, (x, y) in enumerate(points):
            assert index == label.index or not (left < x < right and top < y < bottom)
    assert not any(overlap(box(first), box(second)) for first, second in combinations(labels, 2))
    assert len({label.index for label in labels}) == len(labels)


@given(POINTS)
def test_labels_stacked_above_a_strip_stay_apart_and_inside(rows):
    strip = LEVELS * PITCH + GAP
    labels = place_labels(
        [(x, strip) for x, *_ in rows],
        [name for *_, name in rows],
        width=WIDTH,
        height=strip + 10,
        positions=stack_above(LEVELS, gap=GAP, pitch=PITCH, chart_width=WIDTH),
    )
    for label in labels:
        left, top, right, bottom = box(label)
        assert left >= 0
        assert top >= 0
        assert right <= WIDTH
        assert bottom <= strip - GAP + 1e-9
        assert left <= rows[label.index][0] <= right
    assert not any(overlap(box(first), box(second)) for first, second in combinations(labels, 2))


def test_points_far_apart_are_all_labelled_and_the_outermost_goes_first():
    points = [(150.0, 100.0), (20.0, 20.0), (160.0, 180.0)]
    labels = place_labels(points, ["middle", "corner", "below"], width=WIDTH, height=HEIGHT)
    assert [label.index for label in labels] == [1, 2, 0]


def test_a_point_without_a_name_gets_no_label_and_no_points_give_no_labels():
    assert place_labels([(50, 50), (90, 90)], ["", "b"], width=WIDTH, height=HEIGHT)[0].index == 1
    assert place_labels([], [], width=WIDTH, height=HEIGHT) == []
