"""The section of an audit's page about its seed sets: what lint says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from weatherglass.report import prose
from weatherglass.report.arranged import Names, source_of
from weatherglass.report.audited import Audited
from weatherglass.report.markup import Markup, element, joined
from weatherglass.report.page import section
from weatherglass.report.tables import folded
from weatherglass.report.words import sentence
from weatherglass.seedlab.checks import SEVERITIES
from weatherglass.seedlab.findings import Finding, Lint


def linted(audited: Audited, names: Names) -> list[Markup]:
    """What lint says of the seed sets, grave things first, folded by set."""
    if not audited.lints:
        return []
    read = (
        "What to know of the word lists before trusting what they measure: errors cannot be "
        "measured with, warnings call for a decision, notes are good to know. The checks follow "
        "Antoniak and Mimno (2021)."
    )
    made: list[Markup] = [element("p", read)]
    for one in audited.lints:
        source = source_of(one) if one.source else ""
        if source and len(audited.lints) > 1:
            made.append(element("h3", element("bdi", names[source])))
        made += _lint(one)
    return [section("lint", "The seed sets", *made)]


def _lint(found: Lint) -> list[Markup]:
    by_sets: dict[tuple[str, ...], list[Finding]] = {}
    for one in sorted(found.findings, key=lambda one: -_gravity(one)):  # the gravest first
        by_sets.setdefault(one.sets, []).append(one)
    counts = ", ".join(prose.count(number, severity) for severity, number in found.counts.items())
    total = f"{counts} on {prose.count(len(found.sets), 'set')}."
    made = [element("p", element("b", total))]
    grave = {sets: some for sets, some in by_sets.items() if _gravity(some[0])}
    made += [_of_sets(sets, some) for sets, some in grave.items()]
    light = [_of_sets(sets, some) for sets, some in by_sets.items() if sets not in grave]
    if grave and light:  # what calls for a decision must not drown in what does not
        count = prose.count(len(light), "set or pair", "sets and pairs")
        made.append(folded(f"{count} with notes only", *light))
    else:
        made += light
    for reason, checks in found.not_run.items():
        made.append(element("p", f"Not looked at ({', '.join(checks)}): ", sentence(reason), "."))
    return made


def _of_sets(sets: Sequence[str], some: Sequence[Finding]) -> Markup:
    named = element("bdi", sentence(" / ".join(sets)))
    inside = element("ul", *map(_finding, some), class_="findings")
    return folded(joined(named, " ", element("small", _counted(some))), inside)


def _counted(some: Sequence[Finding]) -> str:
    number = Counter(one.severity for one in some)
    return ", ".join(
        prose.count(number[name], name) for name in reversed(SEVERITIES) if number[name]
    )


def _gravity(one: Finding) -> int:
    return SEVERITIES.index(one.severity)


def _finding(one: Finding) -> Markup:
    return element(
        "li",
        element("b", one.severity, class_=f"severity {one.severity}"),
        " ",
        sentence(one.sentence),
        " ",
        element("small", f"{one.check}; {one.place}"),
    )
