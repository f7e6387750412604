"""The strongest findings of an audit, by a rule that is stated, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from weatherglass.measures import Results, SeatResult, WefatResult
from weatherglass.seedlab import Multiverse

from .. import numbers
from ..discovery import prose
from ..html import element, join, sentence_markup, word_list
from ..page import definition_list, section, tiles
from .data import (
    AuditResult,
    Names,
    find_multiverse,
    number_of,
    p_of,
    published_number,
    source_name,
)

ALPHA = 0.05
MOST = 5
RULE = (
    f"Taken are tests whose p-value is at most {ALPHA:g} after correction for all tests of the "
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
    tests = sum(
        source_name(other) == source_name(one) and p_of(other) is not None for other in results
    )
    return min(1.0, p * tests)


def strongest_findings(results: Results, most: int | None = MOST) -> list[Strong]:
    """The strongest findings: the rule is `RULE`."""
    found: dict[Any, Strong] = {}
    for one in results:
        value, corrected = number_of(one), corrected_p(one, results)
        largest = _LARGEST.get(one.measure)
        if largest is None or value is None or corrected is None or corrected > ALPHA:
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


def finding_markup(one: Strong, audited: AuditResult, names: Names) -> Markup:
    """A finding as a sentence: what, how large, how sure, how robust; and where, if that is to be
    said."""
    result = one.result
    value, p = number_of(result), p_of(result)
    assert value is not None
    assert p is not None
    what = "correlation" if isinstance(result, WefatResult) else "effect"
    printed = published_number(result)
    beside = "" if printed is None else f" (published {numbers.effect(printed)})"
    return join(
        element("b", sentence_markup(claim(result))),
        f" {what[0].upper()}{what[1:]} {numbers.effect(value)}{beside}{_interval(result)}, ",
        f"{numbers.p_equation(p)}{_by_word(result)}; ",
        element("span", robustness(result, audited.multiverses), class_="robust"),
        _where(result, audited.results, names) if len(names) > 1 else "",
    )


def _where(result: Any, results: Results, names: Names) -> Markup:
    """The source of a finding, and what the same test gave on others."""
    others = [
        join(element("bdi", names[source_name(one)]), f" {numbers.effect(number_of(one))}")
        for one in results
        if (one.measure, one.test) == (result.measure, result.test)
        and source_name(one) != source_name(result)
        and number_of(one) is not None
    ]
    beside = join("; on ", join(*others, separator=", on ")) if others else ""
    return join(" On ", element("bdi", names[source_name(result)]), beside, ".")


def _interval(result: Any) -> str:
    intervals = getattr(result, "intervals", ())
    if not intervals or isinstance(result, SeatResult):
        return ""
    first = intervals[0]
    return f", {first.confidence:.0%} interval {numbers.interval(first.low, first.high)}"


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
    found = find_multiverse(result, multiverses)
    if found is None:
        return ""
    same, sure = found.summary.same_sign["whole"], found.summary.significant["none"]["whole"]
    if same.of < 2:
        return "there are no other documented seed sets for it"
    return (
        f"{same.share:.0%} of {same.of:,} documented seed choices agree in sign, and "
        f"{sure.share:.0%} have p ≤ {found.options.get('alpha', ALPHA):g}"
    )


def frequency(result: Any) -> str:
    """What is left without word frequency; empty where that was not measured."""
    control = getattr(result, "control", None) or {}
    without = control.get("effect", control.get("pearson"))
    if without is None:
        return ""
    survives = control.get("survives")
    share = "" if survives is None else f" ({survives:.0%} of it)"
    return f"{numbers.effect(without)} without word frequency{share}"


_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}


def findings_section(audited: AuditResult, names: Names) -> Markup:
    """The strongest findings, in sentences."""
    found = strongest_findings(audited.results)
    several = len(names) > 1
    made: list[Markup] = []
    if found:
        items = (element("li", finding_markup(one, audited, names)) for one in found)
        made.append(element("ol", *items, class_="strongest"))
    else:
        made.append(element("p", element("b", "No test is significant after correction.")))
    made += [_discovered(one, names, several) for one in audited.discoveries]
    made.append(element("p", join(element("b", "The rule. "), RULE), class_="rule"))
    heading = "The strongest findings"
    if len(found) > 1:
        heading = f"The {_NUMBERS[len(found)]} strongest findings"
    return section("findings", heading, *made)


def _discovered(found: Any, names: Names, several: bool) -> Markup:
    """What was found without a question, in a sentence or two."""
    where = join(" on ", element("bdi", names[source_name(found)])) if several else ""
    cells = (
        prose.count_noun(len(found.cells), "pair", "pairs") + " of a group of names and a category "
    )
    cells += "of words"
    head = join(
        element("b", "Without a question"), where, f": {len(found.significant):,} of {cells} "
    )
    link = element("a", "the discovery table", href="#discovery")
    if not found.significant:
        return element("p", head, "are significant; see ", link, ".")
    best = found.significant[0]
    # The group goes by its id, as in the table: no name stands beside a stereotype.
    near = f"The strongest: the names of group {best.group} lie near "
    sure = f" (score {numbers.effect(best.score)}, {numbers.p_equation(best.p.value)}). See "
    return element("p", head, "are significant. ", near, word_list(best.words), sure, link, ".")


def overview_section(audited: AuditResult, names: Names) -> Markup:
    """What was measured, on what, and how much of it was done."""
    about = audited.about
    suite = about.get("suite") or {}
    title = suite.get("title") or suite.get("id") or "tests" if isinstance(suite, dict) else suite
    lead = join(
        "Weatherglass ran ",
        element("b", sentence_markup(str(title))),
        " on ",
        join(*(element("b", element("bdi", name)) for name in names.values()), separator=", "),
        ". It asks how words for people lie to other words in vectors that were learned from text, "
        "how large the differences are, and how sure that is.",
    )
    when = str(about.get("started", ""))[:16].replace("T", " ")
    took = numbers.duration(about["seconds"]) if about.get("seconds") is not None else ""
    return section(
        "measured",
        "What was measured",
        element("p", lead, class_="lead"),
        tiles(_counts(audited)),
        definition_list(
            [
                *((_kind(one), _source(one)) for one in about.get("sources", ())),
                (
                    "Suite",
                    sentence_markup(str(suite.get("id", ""))) if isinstance(suite, dict) else "",
                ),
                ("When", f"{when} UTC, in {took}" if when and took else when),
            ]
        ),
    )


def _kind(source: Mapping[str, Any]) -> str:
    return {"encoder": "Encoder"}.get(str(source.get("kind", "")), "Embedding")


def _source(source: Mapping[str, Any]) -> Markup:
    words, dim = source.get("words"), source.get("dim")
    parts: list[str] = [element("bdi", str(source.get("name", "")))]
    parts += [f"{words:,} words"] if isinstance(words, int) else []
    parts += [f"{dim:,} dimensions"] if isinstance(dim, int) else []
    parts += [sentence_markup(str(source["reason"]))] if source.get("reason") else []
    return join(*parts, separator=", ")


def _counts(audited: AuditResult) -> list[tuple[str, str]]:
    """The figures to be seen first."""
    results = [one for one in audited.results if one.status == "done"]
    tested = [one for one in results if p_of(one) is not None and number_of(one) is not None]
    sure = [one for one in tested if (corrected_p(one, audited.results) or 1.0) <= ALPHA]
    made = [
        (f"{len(results):,}", "tests and measures with a number"),
        (f"{len(sure):,}", f"of {len(tested):,} p-values are at most {ALPHA:g} after correction"),
    ]
    if audited.multiverses:
        choices = sum(len(one.whole) for one in audited.multiverses)
        tests = prose.count_noun(len(audited.multiverses), "test")
        made.append((f"{choices:,}", f"choices of seed sets were tried, for {tests}"))
    if audited.discoveries:
        cells = sum(len(one.significant) for one in audited.discoveries)
        made.append((f"{cells:,}", "associations were found that nobody asked for"))
    steps = audited.about.get("steps", ())
    left = sum(one.get("status") != "done" for one in steps)
    if left:
        made.append(
            (f"{left:,}", f"of {prose.count_noun(len(steps), 'step')} failed or were left out")
        )
    return made
