"""The robustness strip: four checks of an answer, each with a small chart and its verdict.

The verdicts are those of `weatherglass.findings`; this module only draws them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from weatherglass.findings import Evidence
from weatherglass.measures import WeatResult

WIDTH, LEFT, RIGHT = 200.0, 6.0, 6.0
"""Size of a small chart in pixels, and its margins."""

_VERDICTS = {"pass": "holds", "depends": "depends", "fails": "fails"}
_CHECKS = (
    ("leave-one-out", "Single words", "Does one word drive it?", "influence"),
    ("seed choices", "Seed lists", "Would other researchers' lists agree?", "multiverse"),
    ("frequency control", "Frequency", "Is it only how common the words are?", "controls"),
    ("anisotropy control", "Anisotropy", "Is it a direction that all words share?", "controls"),
)


@dataclass(frozen=True)
class Dot:
    """The effect without one word, on the small chart of single words."""

    x: float
    side: str
    word: str


@dataclass(frozen=True)
class Bar:
    """A bar of a small chart, from `x` and `width` wide."""

    x: float
    width: float
    kind: str
    text: str = ""


@dataclass(frozen=True)
class Check:
    """A check of the strip.

    `verdict` is empty while the check is running (`is_pending`) or where it cannot be made.
    """

    kind: str
    title: str
    question: str
    part: str
    verdict: str = ""
    css_class: str = ""
    text: str = ""
    is_pending: bool = False
    dots: tuple[Dot, ...] = ()
    bars: tuple[Bar, ...] = ()
    zero: float | None = None
    mark: float | None = None


def describe_checks(result: WeatResult, is_complete: bool) -> list[Check]:
    """Return the four checks of a result; those without evidence are pending until complete."""
    evidence: dict[str, Evidence] = {item.kind: item for item in result.finding.evidence}
    return [_check(result, evidence, is_complete, *check) for check in _CHECKS]


def _check(
    result: WeatResult,
    evidence: Mapping[str, Evidence],
    is_complete: bool,
    kind: str,
    title: str,
    question: str,
    part: str,
) -> Check:
    item = evidence.get(kind)
    if item is None:
        text = "Cannot be checked for these words." if is_complete else ""
        return Check(kind, title, question, part, text=text, is_pending=not is_complete)
    chart: dict[str, object] = {}
    if kind == "leave-one-out":
        chart = _influence_chart(result)
    elif kind == "seed choices":
        chart = {"bars": tuple(_share_bars(result))}
    else:
        chart = _control_chart(result, kind)
    verdict = "reverses" if item.reverses else _VERDICTS[item.verdict]
    css_class = "reverses" if item.reverses else item.verdict
    return Check(kind, title, question, part, verdict, css_class, item.text, **chart)  # type: ignore[arg-type]


class _Scale:
    """Pixels of effect sizes, with zero among them."""

    def __init__(self, values: list[float]) -> None:
        self.low, self.high = min(0.0, *values), max(0.0, *values)

    def __call__(self, value: float) -> float:
        span = (self.high - self.low) or 1.0
        return round(LEFT + (value - self.low) / span * (WIDTH - LEFT - RIGHT), 1)


def _influence_chart(result: WeatResult) -> dict[str, object]:
    effect = result.effect or 0.0
    scale = _Scale([effect, *(row.effect for row in result.influence)])
    dots = tuple(Dot(scale(row.effect), row.set, row.word) for row in result.influence)
    return {"dots": dots, "zero": scale(0.0), "mark": scale(effect)}


def _share_bars(result: WeatResult) -> Iterator[Bar]:
    choices = result.seed_choices
    if choices is None:
        return
    width = WIDTH - LEFT - RIGHT
    rest = max(0.0, 1 - choices.share - choices.reversed)
    x = LEFT
    shares = (("holds", choices.share), ("weak", rest), ("reverses", choices.reversed))
    for kind, share in shares:
        if share > 0:
            yield Bar(round(x, 1), round(share * width, 1), kind, f"{share:.0%}")
            x += share * width


def _control_chart(result: WeatResult, kind: str) -> dict[str, object]:
    is_frequency = kind == "frequency control"
    values = [
        value
        for value in (*result.controls, result.anisotropy)
        if value is not None
        and value.effect is not None
        and ("frequency" in value.name) == is_frequency
    ]
    if not values or result.effect is None:
        return {}
    after, before = values[0].effect or 0.0, result.effect
    scale = _Scale([before, after])
    zero = scale(0.0)
    bars = tuple(
        Bar(min(zero, scale(value)), round(abs(scale(value) - zero), 1), name, f"{value:.2f}")
        for name, value in (("before", before), ("after", after))
    )
    return {"bars": bars, "zero": zero}
