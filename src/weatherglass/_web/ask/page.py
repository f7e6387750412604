"""The values and the HTML of a page with an answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from weatherglass.errors import WeatherglassError
from weatherglass.measures import WeatResult, format_percentile
from weatherglass.report import evidence_list, grade_badge, is_reversing, reversal_sentence

from ..rendering import render, show_slurs
from ..session import Session
from ..word_sets import find_sets, find_tests
from . import api
from .answer import Answer
from .contexts import has_corpus
from .explain import P_METHODS, explain_alignment, explain_p_value
from .question import MAX_DROP, SIDES, Question
from .robustness import describe_checks
from .stories import STARTERS
from .workbench import ROLES, SetView, describe_sets, question_classes, replace_at

MAX_SIMILAR_SETS = 5
"""Published sets that are offered for a set without a search."""

NO_SEARCHES = dict.fromkeys(SIDES, "")


def render_answer_page(session: Session, answer: Answer) -> str:
    """Render the page of an answer; it is remembered with the answer.

    A few milliseconds on the event loop: a job would wait behind the questions of other readers.
    """
    names = tuple(source.title for source in session.sources)
    key = (*names, *answer.complete, str(show_slurs()))
    if key not in answer.pages:
        values = bench_values(session, answer.question, answer, NO_SEARCHES)
        values |= {"tests": find_tests(""), "find_test": ""} | answer_values(session, answer)
        answer.pages.clear()
        answer.pages[key] = render("ask.html", **values)
    return answer.pages[key]


def bench_values(
    session: Session, question: Question, answer: Answer | None, searches: dict[str, str]
) -> dict[str, Any]:
    """Return the values with which a template shows the question: sets, sources and options."""
    sets = describe_sets(session, question, answer)
    try:
        chosen = {source.name for source in session.sources.choose(question.sources)}
    except WeatherglassError:  # shown in place of the answer
        chosen = set()
    is_empty = not question.test and not any(question.sets)
    return {
        "page_path": "/ask",
        "question": question,
        "query": question.query if question.is_complete else "",
        "swapped": _swap_targets(question).query,
        "sources": list(session.sources),
        "chosen": chosen,
        "sets": sets,
        "searches": searches,
        "matches": {view.side: find_matches(question, view, searches[view.side]) for view in sets},
        "starters": STARTERS,
        "empty_sets": [] if question.is_complete else _empty_sets(question, is_empty),
    }


def _empty_sets(question: Question, is_empty: bool) -> list[str]:
    if is_empty:
        return ["all four sets"]
    return [f"“{ROLES[side.lower()]}”" for side in question.empty_sets]


def _swap_targets(question: Question) -> Question:
    (x, y, a, b), (x_name, y_name, a_name, b_name) = (
        question.with_sets().sets,
        question.with_sets().names,
    )
    swapped = replace(question, test="", sets=(y, x, a, b))
    return replace(swapped, names=(y_name, x_name, a_name, b_name))


def find_matches(question: Question, view: SetView, search: str) -> dict[str, Any]:
    """Return published sets for one of the four sets: those searched for, or similar ones."""
    known = {reference.name for reference in view.word_set.references}
    similar = find_sets(search or view.label, MAX_SIMILAR_SETS + len(known))
    kept = [match for match in similar if search or match.name not in known]
    limit = len(kept) if search else MAX_SIMILAR_SETS
    return {
        "side": view.side,
        "search": search,
        "matches": [
            (match, query_with_set(question, view.side, match.name)) for match in kept[:limit]
        ],
    }


def answer_values(session: Session, answer: Answer) -> dict[str, Any]:
    """Return the values with which a template shows an answer."""
    classes = question_classes(session, answer.question)
    views = [
        view_result(session, answer, name, classes, answer.complete.get(name))
        for name in answer.results
    ]
    words = sum(len(word_set.words) for word_set in answer.test.sets.values())
    words += len(answer.dropped)
    return {
        "answer": answer,
        "question": answer.question,
        "views": views,
        "query": answer.question.query,
        "max_drop": max(1, min(MAX_DROP, words // 2 - 3), answer.question.drop),
        **NUMBER_WORDS,
        "script": api.python_script(answer, session.sources, session.settings.is_local),
    }


NUMBER_WORDS: dict[str, Any] = {
    "evidence_list": evidence_list,
    "explain_p_value": explain_p_value,
    "explain_alignment": explain_alignment,
    "format_percentile": format_percentile,
    "p_methods": P_METHODS,
}
"""The functions with which templates word the numbers of a finding."""


def view_result(
    session: Session,
    answer: Answer,
    name: str,
    classes: dict[str, str],
    complete: WeatResult | None,
) -> dict[str, Any]:
    """Return the values with which a template shows the result on one source."""
    result = answer.results[name] if complete is None else complete
    finding = result.finding
    is_loud = is_reversing(finding)
    return {
        "name": name,
        "model": session.sources.find(name).title,
        "slot": source_slot(session, name),
        "result": result,
        "is_done": result.is_done,
        "is_complete": complete is not None or not result.is_done,
        "finding": finding,
        "sentence": reversal_sentence(finding) if is_loud else finding.sentence,
        "is_reversing": is_loud,
        "badge": grade_badge(finding),
        "odds": format_odds(result.main_p_for_finding),
        "classes": classes,
        "checks": describe_checks(result, complete is not None) if result.is_done else [],
        "query": answer.question.query,
        "has_zero": _has_zero(answer.results.values()),
        "has_texts": result.is_done and has_corpus(session, name),
    }


def _has_zero(results: Iterable[WeatResult]) -> bool:
    """Whether strips on one scale have a line at zero: associations are on both sides of it."""
    values = [
        value
        for result in results
        if result.is_done
        for side in "XY"
        for value in result.associations[side]
    ]
    return bool(values) and min(values) < 0 < max(values)


def format_odds(p: float | None) -> str:
    """Return a small p-value as odds, which more readers understand.

    >>> format_odds(2 / 12870), format_odds(0.33), format_odds(None)
    ('1 in 6,435 random splits of the words', '', '')
    """
    if not p or p > 0.1:
        return ""
    return f"1 in {round(1 / p):,} random splits of the words"


def source_slot(session: Session, source: str) -> int:
    """Return the number of a source, by which the page knows the place of its finding."""
    return [known.name for known in session.sources].index(source)


def query_with_set(question: Question, side: str, name: str) -> str:
    """Return the query of a question with a set of the catalogue in one of its boxes.

    >>> query_with_set(Question(), "a", "weat6.A")
    'a=%40weat6.A'
    """
    index, question = SIDES.index(side), question.with_sets()
    sets = replace_at(question.sets, index, f"@{name}")
    return replace(question, sets=sets, names=replace_at(question.names, index, "")).query
