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
from .data import AuditResult, Names
from .rendering import render_part

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
    """What each discovery found, in sentences; its groups and its table are in folds."""
    if not audit.discoveries:
        return []
    cards = []
    for index, discovery in enumerate(audit.discoveries):
        prefix = f"search-{index}-" if index else ""
        cards.append(
            {
                "discovery": discovery,
                "source": names[discovery.source_name] if len(audit.discoveries) > 1 else "",
                "sentences": prose.association_sentences(discovery),
                "search": prose.describe_search(discovery),
                "groups": groups_table(discovery, prefix=prefix),
                "table": table_with_guide(discovery, prefix),
                "proxies": proxies_markup(discovery),
                "facts": [
                    ("Word frequency", prose.describe_frequency(discovery.control)),
                    ("Null distribution", prose.describe_null(discovery)),
                    ("Significance", prose.describe_level(discovery)),
                    ("Placebo", prose.describe_placebo(discovery)),
                ],
            }
        )
    first = audit.discoveries[0]
    cells = prose.count_noun(len(first.cells), "pair")
    headline = (
        f"{len(first.significant):,} of {cells} of names and words align more than chance"
        if len(audit.discoveries) == 1
        else "Discovered associations"
    )
    return [
        render_part("audit/discovery.html", headline=headline, cards=cards, names_apart=NAMES_APART)
    ]


def steps_section(audit: AuditResult, names: Names) -> list[Markup]:
    """Steps that failed or were skipped, with the reason."""
    steps = audit.about.get("steps", ())
    missing = [step for step in steps if step.get("status") != "done"]
    text = f"{len(missing):,} of {prose.count_noun(len(steps), 'step')} have no result."
    return [
        render_part(
            "audit/steps.html",
            missing=missing,
            text=text,
            has_sources=len(names) > 1,
            source_of=lambda step: _step_source(step, names),
        )
    ]


def _step_source(step: Mapping[str, Any], names: Names) -> str:
    name = str(step.get("source", ""))
    return names.get(name, name)


def notes_section(audit: AuditResult) -> Markup:
    """Method and caveats in plain language."""
    notes = list(NOTES)
    if any(result.controls for result in audit.results):
        notes.insert(_CONTROL_NOTE_INDEX, _CONTROL_NOTE)
    limits = prose.list_limits(audit.discoveries[0]) if audit.discoveries else []
    return render_part("audit/notes.html", notes=notes, limits=limits)


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
    return render_part(
        "audit/citations.html",
        groups=[(heading, list(dict.fromkeys(works))) for heading, works in groups if works],
    )


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
    options = {
        name: value
        for name, value in (about.get("options") or {}).items()
        if value not in (None, "", [])
    }
    return render_part(
        "audit/repeat.html",
        command=str(about.get("command", "weatherglass audit")),
        weatherglass=str(about.get("weatherglass", __version__)),
        sources=[source for source in about.get("sources", ()) if source.get("fingerprint")],
        facts=[
            ("Options", _join_pairs(options)),
            ("Python", f"{machine.get('python', '')} {machine.get('platform', '')}".strip()),
            ("Packages", _join_pairs(machine.get("packages") or {})),
        ],
    )


def _join_pairs(pairs: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in pairs.items())
