"""Sections of an audit's report about words: strips of associations, and factual tests."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from weatherglass.catalog import CONTROL
from weatherglass.corpus import find_corpus
from weatherglass.findings import is_reversing

from .. import numbers
from ..discovery import prose
from ..social_groups import classes_of_sets
from .data import AuditResult, Names, TestBySource, association_tests, factual_tests
from .effects import control_cells, control_phrases, source_line
from .rendering import figure, render_part

_MAX_IN_CONTEXT = 5  # words of a set in a command that shows them in context


def words_section(audit: AuditResult, names: Names) -> list[Markup]:
    """Every target word of every association test, on strips."""
    tests = [test for test in association_tests(audit.results) if test.done]
    if not tests:
        return []
    cards = [_words_card(audit, names, test, index) for index, test in enumerate(tests)]
    shown = [card for card in cards if _is_shown(card["test"])]
    folded = [card for card in cards if not _is_shown(card["test"])]
    return [render_part("audit/words.html", shown=shown, folded=folded)]


def _is_shown(test: TestBySource) -> bool:
    """Whether a test about people has a difference, or changes its sign, on any source."""
    return test.any.dimension != CONTROL and any(
        result.finding.direction or is_reversing(result.finding) for result in test.done.values()
    )


def _words_card(audit: AuditResult, names: Names, test: TestBySource, index: int) -> dict[str, Any]:
    """A test with a strip for each source, the table of its words, and how to see them in use."""
    sources = {name: names[name] for name in names if name in test.done}
    associations = test.any.associations
    description = (
        f"Strip plot of the associations of {len(associations['X'])} and "
        f"{len(associations['Y'])} words: {test.any.finding.sentence}"
    )
    sets = {side: (test.any.label(side), test.any.words.get(side, ())) for side in "XYAB"}
    drawing = render_part(
        "drawings/strips.html",
        results=[(sources[name], test.done[name]) for name in sources],
        classes=classes_of_sets(sets),
    )
    return {
        "test": test,
        "figure": figure(
            drawing,
            id=f"words-{index}",
            title=test.title,
            description=description,
            source=source_line(audit, list(sources)),
            table=f"words-{index}-table",
        ),
        "table": f"words-{index}-table",
        "heads": [*sources.values()] if len(sources) > 1 else ["Association"],
        "rows": _word_rows(test, sources),
        "commands": _context_commands(test, sources),
    }


def _word_rows(test: TestBySource, names: Names) -> list[tuple[str, str, list[str]]]:
    """Word, set and associations of each stroke, for readers who cannot see the chart."""
    associations: dict[tuple[str, str], dict[str, float]] = {}
    for name in names:
        result = test.done[name]
        for side in ("X", "Y"):
            for word, value in zip(result.words[side], result.associations[side], strict=True):
                associations.setdefault((result.label(side), word), {})[name] = value
    first = next(iter(names))
    ranked = sorted(associations.items(), key=lambda item: -item[1].get(first, -9.0))
    return [
        (word, label, [numbers.effect(values.get(name)) for name in names])
        for (label, word), values in ranked
    ]


def _context_commands(test: TestBySource, names: Names) -> list[str]:
    """How to see the words in the texts that a source was trained on, where these are known."""
    commands = []
    for name in names:
        corpus = find_corpus(name)
        if corpus is not None:
            result = test.done[name]
            words, near = (result.words[side][:_MAX_IN_CONTEXT] for side in "XA")
            commands.append(corpus.command(words, near))
    return commands


def facts_section(audit: AuditResult, names: Names) -> list[Markup]:
    """Factual tests: scatter plots, and their table."""
    from ..drawings import lay_out_scatter

    tests = factual_tests(audit.results)
    if not tests:
        return []
    cards = []
    for number, test in enumerate(tests):
        for index, (source, result) in enumerate(test.done.items()):
            suffix = f", on {names[source]}" if len(names) > 1 else ""
            description = (
                f"Scatter plot of {prose.count_noun(len(result.facts), 'word')}: "
                f"{result.finding.sentence} Correlation {numbers.effect(result.pearson)}."
            )
            id = f"facts-{number}-{index}"
            chart = figure(
                render_part("drawings/scatter.html", plot=lay_out_scatter(result)),
                id=id,
                title=f"{test.title}{suffix}",
                description=description,
                source=source_line(audit, [source]),
                table=f"{id}-table",
            )
            unit = f" ({result.fact['unit']})" if result.fact.get("unit") else ""
            points = zip(result.words["W"], result.associations, result.facts, strict=True)
            cards.append(
                {
                    "title": f"{test.title}{suffix}",
                    "figure": chart,
                    "table": f"{id}-table",
                    "fact": (result.fact.get("name") or "Fact") + unit,
                    "rows": [
                        (word, numbers.effect(association), f"{fact:,.4g}")
                        for word, association, fact in sorted(points, key=lambda p: -p[1])
                    ],
                }
            )
    sources = [name for name in names if any(name in test.results for test in tests)]
    results = [result for test in tests for result in test.done.values()]
    clear = sum(result.finding.direction != 0 for result in results)
    total = prose.count_noun(len(results), "factual test")
    return [
        render_part(
            "audit/facts.html",
            headline=f"Associations predict the facts in {clear} of {total}"
            if results
            else "Factual tests",
            cards=cards,
            tests=tests,
            sources=sources,
            names=names,
            control_phrases=control_phrases,
            control_cells=control_cells,
        )
    ]
