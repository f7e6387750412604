"""Labels of points: none touches another, a point or the edge."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from weatherglass.report.charts.labels import Label, place_labels, place_near, stack_above

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


def segments_cross(first, second) -> bool:
    """Whether a segment passes through a box, by sampling it densely."""
    (x, y), (x2, y2) = first
    left, top, right, bottom = second
    steps = [k / 400 for k in range(401)]
    return any(left < x + t * (x2 - x) < right and top < y + t * (y2 - y) < bottom for t in steps)


@given(POINTS, st.floats(0, HEIGHT), st.floats(0, HEIGHT))
def test_neither_a_regression_line_nor_the_line_to_another_label_strikes_through_a_label(
    rows, start, end
):
    points = [(x, y) for x, y, _ in rows]
    line = [(0.0, start), (WIDTH, end)]
    names = [name for *_, name in rows]
    labels = place_labels(
        points, names, width=WIDTH, height=HEIGHT, positions=place_near, line=line
    )
    for label in labels:
        assert not segments_cross(line, box(label))
        leader = label.leader_from(*points[label.index])
        for other in labels:
            assert other is label or not leader or not segments_cross(leader, box(other))


def test_a_crowded_point_is_labelled_further_away_with_a_line_to_it():
    points = [(90.0 + 12 * k, 100.0) for k in range(7)]
    names = [f"word{k}" for k in range(7)]
    close = place_labels(points, names, width=WIDTH, height=HEIGHT)
    far = place_labels(points, names, width=WIDTH, height=HEIGHT, positions=place_near)
    assert len(far) > len(close)
    assert any(label.leader_from(*points[label.index]) for label in far)
