"""The strongest findings of an audit, by a rule that is stated, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weatherglass.measures import Results, SeatResult, WefatResult
from weatherglass.report import rounding
from weatherglass.report.arranged import (
    Names,
    multiverse_of,
    number_of,
    p_of,
    published_number,
    source_of,
)
from weatherglass.report.audited import Audited
from weatherglass.report.markup import Markup, element, joined
from weatherglass.report.words import sentence
from weatherglass.seedlab.multiverse_record import Multiverse

LEVEL = 0.05
MOST = 5
RULE = (
    f"Taken are tests whose p-value is at most {LEVEL:g} after correction for all tests of the "
    "source. Those with the largest effect come first, as a share of the largest there can be (2 "
    "for an effect, 1 for a correlation). Tests that ask the same thing with other words count "
    "once, by their largest effect. Other measures and discoveries have scales of their own, and "
    "stand further down."
)
_LARGEST = {"weat": 2.0, "seat": 2.0, "wefat": 1.0}


@dataclass(frozen=True)
class Strong:
    """A finding: the result, its size as a share of the largest possible, its corrected p."""

    result: Any
    size: float
    corrected: float


def corrected_p(one: Any, results: Results) -> float | None:
    """A result's p-value, corrected for all tests of its source.

    That is Holm's where the result has it. What it has not been given for, such as the words behind
    sentences, is multiplied by the number of tests, which is never smaller.
    """
    p, holm = p_of(one), getattr(one, "p_holm", None)
    by_word = isinstance(one, SeatResult) and one.p_by_word is not None
    if p is None or (holm is not None and not by_word):
        return holm
    tests = sum(source_of(other) == source_of(one) and p_of(other) is not None for other in results)
    return min(1.0, p * tests)


def strongest(results: Results, most: int | None = MOST) -> list[Strong]:
    """The strongest findings: the rule is `RULE`."""
    found: dict[Any, Strong] = {}
    for one in results:
        value, corrected = number_of(one), corrected_p(one, results)
        largest = _LARGEST.get(one.measure)
        if largest is None or value is None or corrected is None or corrected > LEVEL:
            continue
        strong = Strong(one, abs(value) / largest, corrected)
        question = _question(one)
        if question not in found or _order(strong) < _order(found[question]):
            found[question] = strong
    return sorted(found.values(), key=_order)[:most]


def _order(one: Strong) -> tuple[float, float]:
    return -one.size, one.corrected


def _question(one: Any) -> Any:
    """What a test asks: its sets by what they are called; without names, the test itself."""
    named = {name: label for name, label in one.labels.items() if label != name}
    fact = one.fact.get("name") if isinstance(one, WefatResult) else None
    return (tuple(sorted(named.items())), fact) if len(named) >= 3 else one.test


def told(one: Strong, audited: Audited, names: Names) -> Markup:
    """A finding as a sentence: what, how large, how sure, how robust; and where, if that is to be
    said."""
    result = one.result
    value, p = number_of(result), p_of(result)
    assert value is not None
    assert p is not None
    what = "correlation" if isinstance(result, WefatResult) else "effect"
    printed = published_number(result)
    beside = "" if printed is None else f" (published {rounding.effect(printed)})"
    return joined(
        element("b", sentence(claim(result))),
        f" {what[0].upper()}{what[1:]} {rounding.effect(value)}{beside}{_interval(result)}, ",
        f"{rounding.said_p(p)}{_by_word(result)}; ",
        element("span", robustness(result, audited.multiverses), class_="robust"),
        _where(result, audited.results, names) if len(names) > 1 else "",
    )


def _where(result: Any, results: Results, names: Names) -> Markup:
    """The source of a finding, and what the same test gave on others."""
    others = [
        joined(element("bdi", names[source_of(one)]), f" {rounding.effect(number_of(one))}")
        for one in results
        if (one.measure, one.test) == (result.measure, result.test)
        and source_of(one) != source_of(result)
        and number_of(one) is not None
    ]
    beside = joined("; on ", joined(*others, between=", on ")) if others else ""
    return joined(" On ", element("bdi", names[source_of(result)]), beside, ".")


def _interval(result: Any) -> str:
    intervals = getattr(result, "intervals", ())
    if not intervals or isinstance(result, SeatResult):
        return ""
    first = intervals[0]
    return f", {first.confidence:.0%} interval {rounding.ends(first.low, first.high)}"


def _by_word(result: Any) -> str:
    by_word = isinstance(result, SeatResult) and result.p_by_word is not None
    return ", each word counted once" if by_word else ""


def claim(result: Any) -> str:
    """What a result says, in words.

    >>> import weatherglass as wg
    >>> vectors = wg.open_vectors("default")
    >>> claim(wg.weat(vectors, "weat6"))
    'Male names are nearer to career words, and female names to family words.'
    >>> claim(wg.wefat(vectors, "wefat1"))
    'The nearer occupations are to female terms rather than male terms, the higher their share of \
women.'
    """
    label = {name: result.labels.get(name) or name for name in ("X", "Y", "A", "B", "W")}
    more = (number_of(result) or 0.0) >= 0
    if isinstance(result, WefatResult):
        fact = _lowered(result.fact.get("name") or "fact")
        near = f"to {within(label['A'])} rather than {within(label['B'])}"
        how = "higher" if more else "lower"
        return f"The nearer {within(label['W'])} are {near}, the {how} their {fact}."
    first, second = ("A", "B") if more else ("B", "A")
    return (
        f"{plural(label['X'])} are nearer to {within(label[first])}, and {within(label['Y'])} to "
        f"{within(label[second])}."
    )


def plural(label: str) -> str:
    """A set's label as the name of many words.

    >>> plural("Male names"), plural("Math")
    ('Male names', 'Math words')
    """
    label = label.partition(" (")[0].strip() or label
    return label if label.endswith(("s", "S")) else f"{label} words"


def within(label: str) -> str:
    """The same inside a sentence; proper names keep their capital.

    >>> within("Career"), within("European American names"), within("X")
    ('career words', 'European American names', 'X words')
    """
    return _lowered(plural(label))


def _lowered(text: str) -> str:
    first, _, rest = text.partition(" ")
    plain = first[1:].islower() and not rest[:1].isupper()
    return text[:1].lower() + text[1:] if plain else text


def robustness(result: Any, multiverses: Sequence[Multiverse]) -> str:
    """How far a result hangs on the choice of seed words, and on word frequency."""
    parts = [seed_choices(result, multiverses) or "other seed words were not tried"]
    if control := frequency(result):
        parts.append(control)
    return "; ".join(parts) + "."


def seed_choices(result: Any, multiverses: Sequence[Multiverse]) -> str:
    """What other documented seed sets say; empty where they were not tried."""
    found = multiverse_of(result, multiverses)
    if found is None:
        return ""
    same, sure = found.summary.same_sign["whole"], found.summary.significant["none"]["whole"]
    if same.of < 2:
        return "there are no other documented seed sets for it"
    return (
        f"{same.share:.0%} of {same.of:,} documented seed choices agree in sign, and "
        f"{sure.share:.0%} have p ≤ {found.options.get('alpha', LEVEL):g}"
    )


def frequency(result: Any) -> str:
    """What is left without word frequency; empty where that was not measured."""
    control = getattr(result, "control", None) or {}
    without = control.get("effect", control.get("pearson"))
    if without is None:
        return ""
    survives = control.get("survives")
    share = "" if survives is None else f" ({survives:.0%} of it)"
    return f"{rounding.effect(without)} without word frequency{share}"
