"""The end of an audit's page: discoveries, steps without a result, how to read, cite and repeat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
from .data import AuditResult, Names

BAD_SEEDS = (
    "Antoniak, M., and Mimno, D. (2021). Bad Seeds: Evaluating Lexical Methods for Bias "
    "Measurement. Proceedings of ACL-IJCNLP 2021. doi:10.18653/v1/2021.acl-long.148"
)
CITATION = (
    f"The Weatherglass developers. Weatherglass {__version__}: measures social bias in word and "
    "sentence embeddings and says how sure it is. Software."
)
NOTES = (
    "The subjects are words, not people. An effect size says how words relate to each other in "
    "this embedding, which was learned from text; it says nothing about any person. It is not "
    "comparable with the effect size of a study of people, although it has the same formula.",
    "“More strongly associated” is always a comparison: of two sets of words, with respect to two "
    "others. A set that is more strongly associated with pleasant words than another may still be "
    "far from them.",
    "A p-value is the share of all partitions of the same words into two sets that give a "
    "difference at least as large, counted in both directions unless one was declared. It is "
    "counted or computed, not sampled, so it may be very small. It is about these words: it does "
    "not say that other words for the same concept would give the same result. For that, see the "
    "evidence of a finding on other seed words.",
    "Corrected p-values are Holm's over all tests of a source that have a p-value: association "
    "tests, factual tests and single-category tests. With many tests, some p-values are small by "
    "chance. Sentence tests count each word once.",
    "A grade says how well a measurement holds, not how grave it is. Evidence that was not "
    "collected does not count, so a result that was examined less may look clearer.",
    "No effect does not mean no bias. A test measures only the words that it was given.",
    "An embedding without these associations may still do harm in use, and one with them may be "
    "used without harm. People must judge what an effect means for a use.",
)
_CONTROL_NOTE = (
    "Frequent and rare words occupy different regions of an embedding, and most vectors share a "
    "mean and a few main axes. “Without frequency” is the same number after rare and frequent "
    "words were given the same mean and covariance; “without the top 2 components” is the number "
    "after the mean and the first two principal components of the vectors were removed. A clear "
    "effect (p ≤ 0.05) holds if it is also clear after the control, fades if it is not, and "
    "reverses if its direction changes. Neither number is a corrected effect: frequency and "
    "meaning go together, most of all in names, so read both rows."
)
_CONTROL_NOTE_INDEX = 5


def discovery_section(audit: AuditResult, names: Names) -> list[Markup]:
    """The table of each discovery, with its groups."""
    if not audit.discoveries:
        return []
    parts: list[Markup] = []
    for index, discovery in enumerate(audit.discoveries):
        prefix = f"search-{index}-" if index else ""
        if len(audit.discoveries) > 1:
            parts.append(element("h3", element("bdi", names[discovery.source_name])))
        groups = groups_table(discovery, prefix=prefix)
        parts += [
            element("p", prose.describe_search(discovery)),
            element("p", NAMES_APART),
            collapsible("Groups of names", groups, is_open=True),
            *table_with_guide(discovery, prefix),
            collapsible("Proxies for names", *proxies_markup(discovery)),
            definition_list(
                [
                    ("Word frequency", prose.describe_frequency(discovery.control)),
                    ("Null distribution", prose.describe_null(discovery)),
                    ("Significance", prose.describe_level(discovery)),
                ]
            ),
            *(element("p", sentence_markup(note)) for note in discovery.notes),
        ]
    return [section("discovery", "Discovered associations", *parts)]


def steps_section(audit: AuditResult, names: Names) -> list[Markup]:
    """Steps that failed or were skipped, with the reason."""
    steps = audit.about.get("steps", ())
    missing = [step for step in steps if step.get("status") != "done"]
    if not missing:
        parts = [element("p", "All steps have a result.")]
    else:
        has_sources = len(names) > 1
        rows = [
            [
                sentence_markup(str(step.get("title") or step.get("id", ""))),
                *([element("bdi", _step_source(step, names))] if has_sources else []),
                str(step.get("status", "")),
                sentence_markup(str(step.get("reason", ""))),
            ]
            for step in missing
        ]
        heads = ["Step", *(["Source"] if has_sources else []), "Status", "Reason"]
        text = f"{len(missing):,} of {prose.count_noun(len(steps), 'step')} have no result."
        parts = [element("p", text), table("Steps without a result", heads, rows)]
    return [section("steps", "Steps without a result", *parts)]


def _step_source(step: Mapping[str, Any], names: Names) -> str:
    name = str(step.get("source", ""))
    return names.get(name, name)


def notes_section(audit: AuditResult) -> Markup:
    """Method and caveats in plain language."""
    notes = list(NOTES)
    if any(result.controls for result in audit.results):
        notes.insert(_CONTROL_NOTE_INDEX, _CONTROL_NOTE)
    parts = [element("ul", *(element("li", note) for note in notes))]
    if audit.discoveries:
        limits = prose.list_limits(audit.discoveries[0])
        parts += [
            element("h3", "About the discovery table"),
            element("ul", *(element("li", limit) for limit in limits)),
        ]
    return section("notes", "How to read it", *parts)


def citations_section(audit: AuditResult) -> Markup:
    """The publications behind the tests, and Weatherglass."""
    ids = dict.fromkeys(item.test for item in (*audit.results, *audit.multiverses))
    entries = [entry for id in ids if (entry := catalogue_entry(id)) is not None]
    studies = [entry.study for entry in entries if entry.study]
    human_studies = [human.study for entry in entries if (human := getattr(entry, "human", None))]
    known = {study.doi for study in studies}
    used = dict.fromkeys(r.measure for r in audit.results if r.section == "measures")
    measures = [MEASURES[name] for name in used if name in MEASURES]
    methods = [f"{m.citation} doi:{m.doi}" for m in measures if m.doi not in known]
    if audit.multiverses or audit.lints:
        methods.append(BAD_SEEDS)
    if audit.discoveries:
        methods.append(prose.CITATION)
    groups = [
        ("This software", [CITATION]),
        ("Tests", _citations(studies)),
        ("Methods", methods),
        ("Studies of people that tests are modelled on", _citations(human_studies)),
    ]
    parts = [
        join(
            element("h3", heading),
            element("ul", *(element("li", sentence_markup(work)) for work in dict.fromkeys(works))),
        )
        for heading, works in groups
        if works
    ]
    return section("cite", "How to cite", *parts)


def catalogue_entry(id: str) -> Any:
    """A test of the catalogue; `None` for a user's own test."""
    try:
        return catalogue_test(id)
    except CatalogError:
        return None


def _citations(studies: Iterable[Study]) -> list[str]:
    return [study.citation for study in studies]


def repeat_section(audit: AuditResult) -> Markup:
    """The command, and the versions and options it ran with."""
    about = audit.about
    machine = about.get("machine") or {}
    packages = machine.get("packages") or {}
    fingerprints = [
        join(element("bdi", str(source.get("name", ""))), f": {source['fingerprint']}")
        for source in about.get("sources", ())
        if source.get("fingerprint")
    ]
    options = {
        name: value
        for name, value in (about.get("options") or {}).items()
        if value not in (None, "")
    }
    command = element("code", str(about.get("command", "weatherglass audit")))
    return section(
        "repeat",
        "How to repeat it",
        element("pre", command, tabindex=0),
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
                ("Fingerprints", join(*fingerprints, separator="; ")),
                ("Options", _join_pairs(options)),
                ("Python", f"{machine.get('python', '')} {machine.get('platform', '')}".strip()),
                ("Packages", _join_pairs(packages)),
            ]
        ),
    )


def _join_pairs(pairs: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in pairs.items())
