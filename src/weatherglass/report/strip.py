"""A strip: every target word of a test on a line, named, as SVG that a template writes.

The page and the report draw it without altair, so that it is there with the first paint. Words of X
are above the line and words of Y below it. Labels are placed for the width at which the strip is
drawn; a template draws it narrow and wide, and the style sheet chooses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Any, Literal

from weatherglass.catalog import is_slur

from .charts import width_in_ems
from .html import spell

NARROW, WIDE = 340.0, 900.0
"""Widths in pixels at which strips are drawn: on a phone, and elsewhere."""

Anchor = Literal["start", "middle", "end"]
_Values = Mapping[str, Sequence[tuple[str, float]]]

_SIZES = {NARROW: 12.5, WIDE: 14.0}  # of letters, in pixels
_WIDTH_ALLOWANCE = 1.06  # other fonts than Arial are wider
_STROKE = 13.0  # pixels from the line to the end of a stroke
_GAP, _FLAG = 4.0, 3.0  # from a stroke to its label, and from a leader to the text beside it
_MARGIN = 6.0
_SPACE = 4.0  # between texts on one level
_MAX_LEVELS = 20
_MIN_INNER_SHARE = 0.44  # of the width between the margins, at the least
_MAX_LABEL_SHARE = 0.28  # of the width; longer words are cut off


@dataclass(frozen=True)
class StripWord:
    """A word on the strip: its stroke at `x`, and its label, which is empty if it has no room.

    `y` is the baseline of the label, `stroke` and `leader` the ends of the stroke and of the line
    from it to the label (0: none).
    """

    side: str
    word: str
    text: str
    slur: str
    value: float
    x: float
    stroke: float
    label_x: float = 0.0
    y: float = 0.0
    leader: float = 0.0
    anchor: Anchor = "middle"


@dataclass(frozen=True)
class Strip:
    """A strip at one width: sizes in pixels, words, the mean of each set, and the ends."""

    width: float
    height: float
    size: float
    line: float
    words: tuple[StripWord, ...]
    means: Mapping[str, float]
    zero: float | None
    domain: tuple[float, float]
    scale: tuple[float, float]
    """The pixels of the two ends of the domain, for a script that draws an earlier state."""

    labels: Mapping[str, str]


def draw_strip(result: Any, width: float = WIDE, *, beside: Iterable[Any] = ()) -> Strip:
    """Lay out the strip of an association test.

    Parameters
    ----------
    result
        The result of an association test that was run.
    width
        Width in pixels.
    beside
        Results of the same test whose strips are shown with this one: all get the same scale.

    Returns
    -------
    Strip
        Every word has a label, unless there are more words than twenty lines of labels hold; the
        outermost words of each set always have one. No label touches another, and no line to a
        label crosses one.

    Examples
    --------
    >>> import weatherglass as wg
    >>> strip = draw_strip(wg.weat(wg.open_vectors("default"), "weat6"))
    >>> sum(bool(word.y) for word in strip.words)
    16
    """
    size = _SIZES.get(width, 13.0)
    values = _values(result)
    drawn = [values, *(_values(other) for other in beside if other is not result)]
    everything = [value for sides in drawn for pairs in sides.values() for _, value in pairs]
    low, high = float(min(everything)), float(max(everything))
    margins = [_margins(sides, (low, high), size, width) for sides in drawn]
    left, right = max(left for left, _ in margins), max(right for _, right in margins)
    span = (high - low) or 1.0

    def place(value: float) -> float:
        return left + (value - low) / span * (width - left - right)

    placed = {
        side: _place_labels([(word, value, place(value)) for word, value in pairs], size, width)
        for side, pairs in values.items()
    }
    pitch = round(1.22 * size, 1)
    above = _STROKE + _GAP + (1 + max(p.level for p in placed["X"])) * pitch
    below = _STROKE + _GAP + (1 + max(p.level for p in placed["Y"])) * pitch
    line = round(above + 2, 1)
    words = tuple(
        _position(label, side, line, pitch, size)
        for side, labels in placed.items()
        for label in labels
    )
    zero = place(0.0) if low < 0 < high else None
    return Strip(
        width,
        round(line + below + 1.9 * size, 1),
        size,
        line,
        words,
        {
            side: round(place(sum(v for _, v in pairs) / len(pairs)), 1)
            for side, pairs in values.items()
        },
        None if zero is None else round(zero, 1),
        (low, high),
        (round(left, 1), round(width - right, 1)),
        {side: result.label(side) for side in "XYAB"},
    )


def _values(result: Any) -> _Values:
    """The words of both target sets, with their associations."""
    return {
        side: list(zip(result.words[side], result.associations[side], strict=True)) for side in "XY"
    }


@dataclass
class _Label:
    """A label while it is placed: `level` -1 means that it has no room."""

    word: str
    text: str
    value: float
    x: float
    width: float
    level: int = -1
    anchor: Anchor = "middle"
    is_pending: bool = True

    def _edge(self, anchor: Anchor) -> float:
        if anchor == "middle":
            return self.x - self.width / 2
        return self.x + _FLAG if anchor == "start" else self.x - _FLAG - self.width

    def box(self, anchor: Anchor) -> tuple[float, float]:
        """The horizontal extent with this anchor, its leader included."""
        edge = self._edge(anchor)
        return min(edge, self.x), max(edge + self.width, self.x)


def _shorten(word: str, size: float, width: float) -> str:
    """Return a word as its label shows it, cut off where it is too long for the strip."""
    text, room = spell(word, mask=True), _MAX_LABEL_SHARE * width
    while _text_width(text, size) > room and len(text) > 2:
        text = text.rstrip("…")[:-1] + "…"
    return text


@lru_cache(8192)  # the words of a question are drawn several times
def _label_text(word: str, size: float, width: float) -> tuple[str, float]:
    """Return a word as its label shows it, and the width of that text."""
    text = _shorten(word, size, width)
    return text, _text_width(text, size)


def _text_width(text: str, size: float) -> float:
    return width_in_ems(text) * size * _WIDTH_ALLOWANCE


def _margins(
    values: _Values, domain: tuple[float, float], size: float, width: float
) -> tuple[float, float]:
    """Return the room beside the ends of the domain, for labels that hang over them."""
    pairs = [pair for side in values.values() for pair in side]
    low, high = domain
    left = right = _MARGIN
    for word, value in pairs:
        share = (value - low) / (high - low or 1.0)
        needed = _label_text(word, size, width)[1] + _FLAG + _MARGIN
        inner = _MIN_INNER_SHARE * width  # a label inside hangs over the end only in part
        if share < 0.5:
            left = max(left, needed - share * inner)
        else:
            right = max(right, needed - (1 - share) * inner)
    return left, right


def _place_labels(
    words: Sequence[tuple[str, float, float]], size: float, width: float
) -> list[_Label]:
    """Place the labels of one side, from both ends to the middle, each on the lowest free level.

    A label on a higher level is a flag beside its leader: to the right of it in the right half, and
    to the left in the left half. The text of a flag then covers only strokes whose labels are
    already placed, so that a free level above them exists, and no leader crosses a text.
    """
    labels = []
    for word, value, x in words:
        text, text_width = _label_text(word, size, width)
        labels.append(_Label(word, text, value, x, text_width))
    ordered = sorted(labels, key=lambda label: label.x)
    half = len(ordered) // 2
    flags: list[tuple[_Label, Anchor]] = []
    for pair in zip_longest(ordered[half:][::-1], ordered[:half]):
        anchors: tuple[Anchor, Anchor] = ("start", "end")
        flags += [(label, anchor) for label, anchor in zip(pair, anchors, strict=True) if label]
    for label, aside in flags:
        others = [other for other in labels if other is not label]
        for level in range(_MAX_LEVELS):
            places: tuple[Anchor, ...] = ("middle", aside)
            anchor = next((a for a in places if _fits(label, a, level, others, width)), None)
            if anchor is not None:
                label.level, label.anchor = level, anchor
                break
        label.is_pending = False
    return labels


def _fits(
    label: _Label, anchor: Anchor, level: int, others: Sequence[_Label], width: float
) -> bool:
    low, high = label.box(anchor)
    if low < 0 or high > width:
        return False
    for other in others:
        if other.level < 0:
            # A text over a stroke whose label has no place yet would block the way up from it.
            if other.is_pending and low - _SPACE < other.x < high + _SPACE and anchor == "middle":
                return False
            continue
        other_low, other_high = other.box(other.anchor)
        if other.level == level and low < other_high + _SPACE and other_low < high + _SPACE:
            return False
        if other.level > level and low < other.x < high:
            return False
        if other.level < level and other_low < label.x < other_high:
            return False
    return True


def _position(label: _Label, side: str, line: float, pitch: float, size: float) -> StripWord:
    up = -1 if side == "X" else 1
    stroke = line + up * _STROKE
    slur = spell(label.word) if is_slur(label.word) else ""
    common: dict[str, Any] = {
        "side": side,
        "word": label.word,
        "slur": slur,
        "value": label.value,
        "x": round(label.x, 1),
        "stroke": round(stroke, 1),
    }
    if label.level < 0:
        return StripWord(text=label.text, **common)
    # The baseline: texts above the line end at it, those below it begin at it.
    edge = stroke + up * (_GAP + label.level * pitch)
    y = edge - 0.22 * size if up < 0 else edge + 0.8 * size
    has_leader = label.level > 0 or label.anchor != "middle"
    # A flag's line goes up beside its text, another one ends below it.
    beside = 0.0 if label.anchor == "middle" else 0.75 * size
    leader = edge + up * beside if has_leader else 0.0
    offset = {"middle": 0.0, "start": _FLAG, "end": -_FLAG}[label.anchor]
    return StripWord(
        text=label.text,
        label_x=round(label.x + offset, 1),
        y=round(y, 1),
        leader=round(leader, 1),
        anchor=label.anchor,
        **common,
    )
