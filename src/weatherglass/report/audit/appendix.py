"""The end of an audit's page: discoveries, what was not done, how to read, cite and repeat it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from markupsafe import Markup

from weatherglass._version import __version__
from weatherglass.catalog import Study
from weatherglass.catalog import test as catalogue_test
from weatherglass.errors import CatalogError
from weatherglass.measures import MEASURES

from ..discovery import NAMES_APART, groups_table, prose, proxies_markup, table_with_guide
from ..html import collapsible, element, join, sentence_markup, table
from ..page import definition_list, section
from .data import AuditResult, Names, source_name

BAD_SEEDS = (
    "Antoniak, M., and Mimno, D. (2021). Bad Seeds: Evaluating Lexical Methods for Bias "
    "Measurement. Proceedings of ACL-IJCNLP 2021. doi:10.18653/v1/2021.acl-long.148"
)
CITATION = (
    f"The Weatherglass developers. Weatherglass {__version__}: reads the social bias in word and "
    "sentence embeddings and says how sure it is. Software."
)
_NOTES = (
    "The words are the subjects here, not people. An effect says how words lie in this embedding, "
    "which was learned from text; it says nothing about any person, and it cannot be compared with "
    "the effect of a study of people, though it is written alike.",
    "“Nearer” is always a comparison: of two sets of words, with respect to two others. A set that "
    "is “nearer to pleasant words” may still be far from them.",
    "A p-value is the share of all ways to deal the same words into two sets that give a "
    "difference at least as large. It is counted or computed, not guessed, so it may be very "
    "small. It is about these words: it does not say that other words for the same thing would "
    "give the same. For that, see how robust a result is to the choice of seed words.",
    "Corrected p-values are Holm's over all tests of a source that have a p-value: association "
    "tests, factual tests and single-category tests. With many tests, some small p-values come by "
    "chance. Of sentences, the p-value that counts each word once is multiplied by the number of "
    "tests instead.",
    "No effect is no clean bill. A test sees the words that it was given; bias may lie elsewhere.",
    "An embedding without these associations may still do harm in use, and one with them may be "
    "used without harm. What an effect means for a use must be judged by people.",
)
_CONTROLLED = (
    "Frequent and rare words lie in different parts of an embedding. “Without word frequency” is "
    "the same number after that direction was taken out of the vectors; “99% of it” says how much "
    "of the number is left."
)


def discovery_section(audited: AuditResult, names: Names) -> list[Markup]:
    """The table of each discovery, with its groups."""
    if not audited.discoveries:
        return []
    made: list[Markup] = []
    for at, found in enumerate(audited.discoveries):
        mark = f"search-{at}-" if at else ""
        if len(audited.discoveries) > 1:
            made.append(element("h3", element("bdi", names[source_name(found)])))
        made += [
            element("p", prose.describe_search(found)),
            element("p", NAMES_APART),
            collapsible("The groups of names", groups_table(found, prefix=mark), is_open=True),
            *table_with_guide(found, mark),
            collapsible("Words that stand in for names", *proxies_markup(found)),
            definition_list(
                [
                    ("Frequency", prose.describe_frequency(found.control)),
                    ("Chance", prose.describe_null(found)),
                    ("Significance", prose.describe_level(found)),
                ]
            ),
            *(element("p", sentence_markup(note)) for note in found.notes),
        ]
    return [section("discovery", "What nobody asked for", *made)]


def steps_section(audited: AuditResult, names: Names) -> list[Markup]:
    """Steps that failed or were left out, with the reason."""
    steps = audited.about.get("steps", ())
    left = [one for one in steps if one.get("status") != "done"]
    if not left:
        made = [element("p", "Every step was done.")]
    else:
        several = len(names) > 1
        rows = [
            [
                sentence_markup(str(one.get("title") or one.get("id", ""))),
                *([element("bdi", _known(one, names))] if several else []),
                str(one.get("status", "")),
                sentence_markup(str(one.get("reason", ""))),
            ]
            for one in left
        ]
        heads = ["Step", *(["Source"] if several else []), "Status", "Reason"]
        read = f"{len(left):,} of {prose.count_noun(len(steps), 'step')} have no result."
        made = [element("p", read), table("Steps without a result", heads, rows)]
    return [section("steps", "What was not done", *made)]


def _known(step: dict[str, Any], names: Names) -> str:
    name = str(step.get("source", ""))
    return names.get(name, name)


def notes_section(audited: AuditResult) -> Markup:
    """Method and caveats in plain language."""
    said = list(_NOTES)
    if any(getattr(one, "control", None) for one in audited.results):
        said.insert(4, _CONTROLLED)
    made = [element("ul", *(element("li", one) for one in said))]
    if audited.discoveries:
        limits = prose.list_limits(audited.discoveries[0])
        made += [
            element("h3", "Of the discovery table"),
            element("ul", *(element("li", one) for one in limits)),
        ]
    return section("notes", "How to read it", *made)


def citations_section(audited: AuditResult) -> Markup:
    """The works behind the tests, and Weatherglass."""
    tests = dict.fromkeys(one.test for one in (*audited.results, *audited.multiverses))
    found = [entry for id in tests if (entry := _entry(id)) is not None]
    studies = [one.study for one in found if one.study]
    people = [human.study for one in found if (human := getattr(one, "human", None))]
    known = {one.doi for one in studies}
    used = dict.fromkeys(one.measure for one in audited.results if one.measure in MEASURES)
    methods = [
        f"{MEASURES[name].citation} doi:{MEASURES[name].doi}"
        for name in used
        if MEASURES[name].doi not in known
    ]
    if audited.multiverses or audited.lints:
        methods.append(BAD_SEEDS)
    if audited.discoveries:
        methods.append(prose.CITATION)
    parts = [
        ("This software", [CITATION]),
        ("The tests", _cited(studies)),
        ("The methods", methods),
        ("The studies of people that tests take after", _cited(people)),
    ]
    made = [
        join(
            element("h3", head),
            element("ul", *(element("li", sentence_markup(one)) for one in some)),
        )
        for head, works in parts
        if (some := list(dict.fromkeys(works)))
    ]
    return section("cite", "How to cite", *made)


def _entry(id: str) -> Any:
    """A test of the catalogue; None for a user's own."""
    try:
        return catalogue_test(id)
    except CatalogError:
        return None


def _cited(studies: Iterable[Study]) -> list[str]:
    return [one.citation for one in studies]


def repeat_section(audited: AuditResult) -> Markup:
    """The command, and what it was run with."""
    about = audited.about
    machine = about.get("machine") or {}
    packages = machine.get("packages") or {}
    prints = [
        join(element("bdi", str(one.get("name", ""))), f": {one['fingerprint']}")
        for one in about.get("sources", ())
        if one.get("fingerprint")
    ]
    options = {
        name: one for name, one in (about.get("options") or {}).items() if one not in (None, "")
    }
    return section(
        "repeat",
        "How to repeat it",
        element(
            "pre", element("code", str(about.get("command", "weatherglass audit"))), tabindex=0
        ),
        element(
            "p",
            "The same command on the same sources gives the same numbers. With the folder of this "
            "audit, ",
            element("code", "weatherglass audit --repeat FOLDER"),
            " runs it again and compares every number.",
        ),
        definition_list(
            [
                ("Weatherglass", str(about.get("weatherglass", __version__))),
                ("Fingerprints", join(*prints, separator="; ")),
                ("Options", ", ".join(f"{name} {value}" for name, value in options.items())),
                ("Python", f"{machine.get('python', '')} {machine.get('platform', '')}".strip()),
                ("Packages", ", ".join(f"{name} {one}" for name, one in packages.items())),
            ]
        ),
    )
