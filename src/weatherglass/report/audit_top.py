"""The top of an audit's page: what was measured, on what, and the strongest findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weatherglass.report import prose, rounding
from weatherglass.report.arranged import Names, number_of, p_of, source_of
from weatherglass.report.audited import Audited
from weatherglass.report.markup import Markup, element, joined
from weatherglass.report.page import facts, section, tiles
from weatherglass.report.strongest import LEVEL, RULE, corrected_p, strongest, told
from weatherglass.report.words import listed, sentence

_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}


def findings(audited: Audited, names: Names) -> Markup:
    """The strongest findings, in sentences."""
    found = strongest(audited.results)
    several = len(names) > 1
    made: list[Markup] = []
    if found:
        items = (element("li", told(one, audited, names)) for one in found)
        made.append(element("ol", *items, class_="strongest"))
    else:
        made.append(element("p", element("b", "No test is significant after correction.")))
    made += [_discovered(one, names, several) for one in audited.discoveries]
    made.append(element("p", joined(element("b", "The rule. "), RULE), class_="rule"))
    heading = "The strongest findings"
    if len(found) > 1:
        heading = f"The {_NUMBERS[len(found)]} strongest findings"
    return section("findings", heading, *made)


def _discovered(found: Any, names: Names, several: bool) -> Markup:
    """What was found without a question, in a sentence or two."""
    where = joined(" on ", element("bdi", names[source_of(found)])) if several else ""
    cells = prose.count(len(found.cells), "pair", "pairs") + " of a group of names and a category "
    cells += "of words"
    head = joined(
        element("b", "Without a question"), where, f": {len(found.significant):,} of {cells} "
    )
    link = element("a", "the discovery table", href="#discovery")
    if not found.significant:
        return element("p", head, "are significant; see ", link, ".")
    best = found.significant[0]
    # The group goes by its id, as in the table: no name stands beside a stereotype.
    near = f"The strongest: the names of group {best.group} lie near "
    sure = f" (score {rounding.effect(best.score)}, {rounding.said_p(best.p.value)}). See "
    return element("p", head, "are significant. ", near, listed(best.words), sure, link, ".")


def measured_on(audited: Audited, names: Names) -> Markup:
    """What was measured, on what, and how much of it was done."""
    about = audited.about
    suite = about.get("suite") or {}
    title = suite.get("title") or suite.get("id") or "tests" if isinstance(suite, dict) else suite
    lead = joined(
        "Weatherglass ran ",
        element("b", sentence(str(title))),
        " on ",
        joined(*(element("b", element("bdi", name)) for name in names.values()), between=", "),
        ". It asks how words for people lie to other words in vectors that were learned from text, "
        "how large the differences are, and how sure that is.",
    )
    when = str(about.get("started", ""))[:16].replace("T", " ")
    took = rounding.duration(about["seconds"]) if about.get("seconds") is not None else ""
    return section(
        "measured",
        "What was measured",
        element("p", lead, class_="lead"),
        tiles(_counts(audited)),
        facts(
            [
                *((_kind(one), _source(one)) for one in about.get("sources", ())),
                ("Suite", sentence(str(suite.get("id", ""))) if isinstance(suite, dict) else ""),
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
    parts += [sentence(str(source["reason"]))] if source.get("reason") else []
    return joined(*parts, between=", ")


def _counts(audited: Audited) -> list[tuple[str, str]]:
    """The figures to be seen first."""
    results = [one for one in audited.results if one.status == "done"]
    tested = [one for one in results if p_of(one) is not None and number_of(one) is not None]
    sure = [one for one in tested if (corrected_p(one, audited.results) or 1.0) <= LEVEL]
    made = [
        (f"{len(results):,}", "tests and measures with a number"),
        (f"{len(sure):,}", f"of {len(tested):,} p-values are at most {LEVEL:g} after correction"),
    ]
    if audited.multiverses:
        choices = sum(len(one.whole) for one in audited.multiverses)
        tests = prose.count(len(audited.multiverses), "test")
        made.append((f"{choices:,}", f"choices of seed sets were tried, for {tests}"))
    if audited.discoveries:
        cells = sum(len(one.significant) for one in audited.discoveries)
        made.append((f"{cells:,}", "associations were found that nobody asked for"))
    steps = audited.about.get("steps", ())
    left = sum(one.get("status") != "done" for one in steps)
    if left:
        made.append((f"{left:,}", f"of {prose.count(len(steps), 'step')} failed or were left out"))
    return made
