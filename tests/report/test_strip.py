"""The strip: every word named, no label over another."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from markupsafe import Markup

import weatherglass as wg
from weatherglass.report import create_environment, draw_strip, set_classes
from weatherglass.report.charts.labels import width_in_ems
from weatherglass.report.strip import NARROW, WIDE

TESTS = ("weat1", "weat3", "weat6", "weat7", "weat10")


@pytest.fixture(scope="module")
def results():
    vectors = wg.open_vectors("default")
    return {name: wg.weat(vectors, name, baseline=False) for name in TESTS}


def boxes(strip):
    """The labels as left, top, right, bottom, in the widths of Arial."""
    for word in strip.words:
        width = width_in_ems(word.text) * strip.size
        left = word.label_x - {"start": 0, "middle": width / 2, "end": width}[word.anchor]
        yield word, (left, word.y - 0.7 * strip.size, left + width, word.y + 0.15 * strip.size)


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_strips_beside_each_other_have_one_scale(results, width):
    first = results["weat6"]
    half = {side: [value / 2 + 0.1 for value in first.associations[side]] for side in "XY"}
    second = dataclasses.replace(first, associations=half)
    strips = [draw_strip(result, width, beside=[first, second]) for result in (first, second)]
    assert strips[0].domain == strips[1].domain != draw_strip(second, width).domain
    assert strips[0].scale == strips[1].scale
    places = {word.value: word.x for strip in strips for word in strip.words}
    values = sorted(places)
    slope = np.polyfit(values, [places[value] for value in values], 1)
    np.testing.assert_allclose(np.polyval(slope, values), [places[v] for v in values], atol=0.06)
    for strip in strips:
        assert all(word.text for word in strip.words)
        assert all(left >= 0 and right <= width for _, (left, _, right, _) in boxes(strip))


@pytest.mark.parametrize("width", [NARROW, WIDE])
@pytest.mark.parametrize("test", TESTS)
def test_every_word_is_named_and_no_label_touches_another(results, test, width):
    strip = draw_strip(results[test], width)
    assert all(word.y for word in strip.words)
    placed = list(boxes(strip))
    for k, (_, (left, top, right, bottom)) in enumerate(placed):
        assert left >= 0
        assert right <= strip.width
        assert 0 <= top <= bottom <= strip.height
        for _, (left2, top2, right2, bottom2) in placed[k + 1 :]:
            assert right <= left2 or right2 <= left or bottom <= top2 or bottom2 <= top


@pytest.mark.parametrize("width", [NARROW, WIDE])
@pytest.mark.parametrize("test", TESTS)
def test_no_line_to_a_label_crosses_another_label(results, test, width):
    strip = draw_strip(results[test], width)
    placed = list(boxes(strip))
    for word, _ in placed:
        low, high = sorted((word.stroke, word.leader or word.stroke))
        for other, (left, top, right, bottom) in placed:
            is_across = left < word.x < right and low < bottom and top < high
            assert other is word or not is_across, (word.word, other.word)


def crowd(count, letters=8):
    """A result with many words close to each other."""
    rng = np.random.default_rng(5)
    words = ["".join(rng.choice(list("abcdefgmw"), letters)) + str(k) for k in range(2 * count + 4)]
    vectors = wg.Vectors.of(words, rng.normal(size=(len(words), 20)))
    x, y, rest = words[:count], words[count : 2 * count], words[2 * count :]
    return wg.weat(vectors, wg.Test(x=x, y=y, a=rest[:2], b=rest[2:]), baseline=False)


@pytest.mark.parametrize("letters", [4, 36])
def test_outermost_words_of_crowded_and_long_sets_are_named(letters):
    result = crowd(26, letters)
    for width in (NARROW, WIDE):
        strip = draw_strip(result, width)
        for side in "XY":
            words = sorted((w for w in strip.words if w.side == side), key=lambda w: w.value)
            assert words[0].y
            assert words[-1].y
        for _, (left, _, right, _) in boxes(strip):
            assert left >= 0
            assert right <= strip.width


def test_words_in_a_template_are_escaped_and_slurs_masked():
    vectors = wg.Vectors.of(["<b>", "x", "nigger", "z", "a", "b"], np.eye(6))
    test = wg.Test(x=["<b>", "x"], y=["nigger", "z"], a=["a"], b=["b"])
    result = wg.weat(vectors, test, baseline=False)
    result = dataclasses.replace(
        result, associations={"X": (0.1, 0.2), "Y": (0.3, 0.4)}, status="done", reason=None
    )
    template = create_environment().from_string(
        '{% import "strip.html" as strips %}{{ strips.strip(result, classes, "All words") }}'
    )
    page = Markup(template.render(result=result, classes=set_classes(test)))
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert ">nigger<" not in page
    assert "style=" not in page
