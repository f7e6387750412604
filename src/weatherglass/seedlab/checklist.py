"""`seed_checklist`: the recommendations of Antoniak and Mimno (2021, section 9), as a form.

What lint and the catalogue know is filled in; the rest are questions that only the authors of a
study can answer, so that a paper can append the completed list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, ClassVar

from weatherglass._version import __version__
from weatherglass.catalog import SeedSet, seed_sets, seed_sources
from weatherglass.corpus import Corpus
from weatherglass.measures import NO_CHART, Result
from weatherglass.vectors import Vectors

from .lint import Lint, WordCounts, lint
from .pairs import Which, resolve_sets

_RISKS = {
    "borrowed-from-social-sciences": "tested with people, but for another purpose",
    "crowd-sourced": "may repeat the stereotypes of the people asked",
    "population-derived": "mostly US statistics, whose categories are coarse",
    "adapted-from-lexical-resources": "validated for another domain",
    "corpus-derived": "frequent in its corpus, but needs to be read and cleaned",
    "curated": "depends on the authors to correct for their own biases",
    "re-used": "often tested, but not validated for this corpus",
}
"""The risk of each kind of source (section 4)."""

_SET_CHECKS = {
    "frequency": ("frequency", "rare", "unseen", "missing"),
    "part of speech": ("parts-of-speech",),
    "similarity": ("outlier", "strangers", "senses", "other-concepts", "group-words"),
}
_PAIR_CHECKS = {
    "frequency": ("frequency-gap", "paired-frequency"),
    "part of speech": ("parts-of-speech-gap",),
    "similarity": ("overlap", "similarity", "circular", "binary"),
    "pairing": ("pairing", "order", "size-gap"),
}
_QUESTIONS = {
    "origin": "Where do the words come from, and what are the risks of this kind of source?",
    "rationale": "Why these words for this question and this corpus?",
    "definition": "What is the concept, and where does it end?",
    "frequency": "How frequent are the words in the corpus, and are paired words equally frequent?",
    "part of speech": "Which parts of speech are they, in this corpus?",
    "similarity": "How similar are the words of a set, and how similar are the sets?",
    "pairing": "Are words paired across sets, in which order, and does another order change the "
    "result?",
    "alternatives": "What is the result with other published sets of the same concept?",
    "content": "Do the words contain slurs or stereotypes, on purpose or not, and is there a "
    "warning?",
    "manual examination": "Who read the words in their contexts, and what did they find?",
    "comparison": "If corpora are compared: were all of these checks made on each corpus?",
    "access": "Where is the full list, with the label that the experiments use?",
}


@dataclass(frozen=True)
class ChecklistItem:
    """A question of the checklist, and the answer; empty where it is to be filled in."""

    topic: str
    question: str
    answer: str = ""

    @property
    def is_answered(self) -> bool:
        """Whether there is an answer."""
        return bool(self.answer)


@dataclass(frozen=True)
class ChecklistPart:
    """The items of one set, of a pair of sets, or of the whole study.

    `label` has the ids of the sets, and `words` their words.
    """

    label: str
    items: tuple[ChecklistItem, ...]
    words: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, repr=False)
class Checklist(Result):
    """The recommendations for documenting seed sets, filled in as far as possible.

    Attributes
    ----------
    parts
        A part for each set, for each pair of sets, and for the whole study.
    source, corpus, options, version
        What the answers were measured on.
    """

    measure: ClassVar[str] = "seed-checklist"
    noun: ClassVar[str] = "seed checklist"
    chart: ClassVar[str] = NO_CHART

    parts: tuple[ChecklistPart, ...]
    source: dict[str, Any] = field(default_factory=dict)
    corpus: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    @property
    def open_items(self) -> tuple[tuple[str, ChecklistItem], ...]:
        """The items that are to be filled in, with the label of their part."""
        return tuple(
            (part.label, item) for part in self.parts for item in part.items if not item.is_answered
        )

    def key_facts(self) -> dict[str, Any]:
        items = sum(len(part.items) for part in self.parts)
        return {"items": items, "to fill in": len(self.open_items)}

    def sentence(self) -> str:
        items = sum(len(part.items) for part in self.parts)
        return f"{items - len(self.open_items):,} of {items:,} items are filled in."

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat row for each item."""
        return [
            {
                "sets": part.label,
                "topic": item.topic,
                "question": item.question,
                "answer": item.answer,
            }
            for part in self.parts
            for item in part.items
        ]


def seed_checklist(
    sets: Which | Iterable[Which],
    *,
    source: str | PathLike[str] | Vectors | None = None,
    corpus: str | PathLike[str] | Corpus | WordCounts | None = None,
    rng: int = 0,
    **options: Any,
) -> Checklist:
    """Fill in the checklist for documenting seed sets.

    Parameters
    ----------
    sets
        Ids of the catalogue, patterns, files of your own, or `SeedSet`, as for `lint`. In a YAML or
        JSON file, ``concept``, ``description``, ``rationale``, ``sources``, ``study`` and ``link``
        of a set answer the questions about it.
    source, corpus, rng, **options
        As for `lint`: vectors and a corpus answer more questions.

    Returns
    -------
    Checklist
        Its `open_items` are for you to answer.

    References
    ----------
    .. [1] M. Antoniak, D. Mimno (2021). Bad Seeds: evaluating lexical methods for bias
       measurement. ACL. Section 9.

    Examples
    --------
    >>> import weatherglass as wg
    >>> checklist = wg.seed_checklist("domestic_work-Fast_et_al_2016")
    >>> checklist.parts[0].items[0].topic, checklist.parts[0].items[0].is_answered
    ('origin', True)
    >>> checklist.open_items[0][1].question
    'Why these words for this question and this corpus?'
    """
    chosen = resolve_sets(sets)
    linted = lint(chosen, source=source, corpus=corpus, rng=rng, **options)
    parts = [_set_part(seed_set, linted) for seed_set in chosen]
    parts += [_pair_part(pair, linted) for pair in linted.pairs]
    study = [_item("comparison"), _item("access")]
    if not linted.pairs:
        study.insert(0, _item("pairing"))
    parts.append(ChecklistPart("the whole study", tuple(study)))
    return Checklist(
        parts=tuple(parts),
        source=linted.source,
        corpus=linted.corpus or {},
        options={"rng": rng},
    )


def _item(topic: str, *answers: str) -> ChecklistItem:
    return ChecklistItem(topic, _QUESTIONS[topic], " ".join(filter(None, answers)))


def _set_part(seed_set: SeedSet, linted: Lint) -> ChecklistPart:
    found = _sentences(linted, (seed_set.id,))
    items = [
        _item("origin", *_origin(seed_set)),
        _item("rationale", seed_set.rationale),
        _item("definition", _definition(seed_set)),
        *(_item(topic, *_chosen(found, checks)) for topic, checks in _SET_CHECKS.items()),
        _alternatives(seed_set),
        _item("content", _content(seed_set)),
        _item("manual examination"),
    ]
    return ChecklistPart(seed_set.id, tuple(items), seed_set.words)


def _pair_part(pair: tuple[str, str], linted: Lint) -> ChecklistPart:
    found = _sentences(linted, pair)
    items = [_item(topic, *_chosen(found, checks)) for topic, checks in _PAIR_CHECKS.items()]
    # A pair that is not opposed has no gaps to state: only what lint looked at is asked for.
    known = [item for item in items if item.is_answered or item.topic == "similarity"]
    return ChecklistPart(" / ".join(pair), tuple(known))


def _sentences(linted: Lint, sets: tuple[str, ...]) -> dict[str, str]:
    return {
        finding.check: finding.sentence
        for finding in linted.findings
        if tuple(finding.sets) == sets
    }


def _chosen(found: Mapping[str, str], checks: tuple[str, ...]) -> list[str]:
    return [found[check] for check in checks if check in found]


def _origin(seed_set: SeedSet) -> list[str]:
    known = seed_sources()
    kinds = [
        f"{source.replace('-', ' ').capitalize()}: {known[source]} Risk: {_RISKS[source]}."
        for source in seed_set.sources
    ]
    study = [f"Used in {seed_set.study.citation}"] if seed_set.study else []
    return [*kinds, *study, seed_set.link]


def _definition(seed_set: SeedSet) -> str:
    concept = f"{seed_set.concept}: " if seed_set.concept and seed_set.description else ""
    return f"{concept}{seed_set.description}" if seed_set.description else ""


def _alternatives(seed_set: SeedSet) -> ChecklistItem:
    """Ask for the results with other sets, and name those that the catalogue has."""
    others = [
        other.id
        for other in seed_sets()
        if seed_set.concept and other.concept == seed_set.concept and other.id != seed_set.id
    ]
    item = _item("alternatives")
    if not others:
        return item
    listed = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
    sets = "1 other set" if len(others) == 1 else f"{len(others)} other sets"
    question = f"{item.question} The catalogue has {sets} of {seed_set.concept}: {listed}."
    return ChecklistItem(item.topic, question)


def _content(seed_set: SeedSet) -> str:
    if seed_set.flags:
        return f"It contains {', '.join(seed_set.flags)}."
    is_known = seed_set.id in {entry.id for entry in seed_sets()}
    return "The catalogue marks no slurs, stereotypes or names in it." if is_known else ""
