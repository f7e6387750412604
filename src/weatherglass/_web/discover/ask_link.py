"""The question that a cell of a discovery leads to, with its words as the sets of an Ask page."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import chain, zip_longest

from weatherglass.discovery import Cell, Discovery
from weatherglass.report import prose

from ..ask import Question
from ..word_sets import format_words

MAX_NAMES = 12
"""Names in each target set: enough for a small p-value, and few enough to read."""

MAX_COMPARISON_WORDS = 12
MAX_SET_NAME = 60  # characters, as the address of a question allows


def build_question(discovery: Discovery, cell: Cell, source: str) -> Question | None:
    """Return the question whether a group's names are associated with the words of its cell.

    X has names of the group, Y as many names of the other groups, A the words of the cell, and B
    words of the same category that are associated with other groups. None if the category has no
    other words to compare with.
    """
    group = next(group for group in discovery.groups if group.id == cell.group)
    category = next(entry for entry in discovery.categories if entry.id == cell.category)
    others = [other for other in discovery.groups if other.id != group.id]
    words = list(dict.fromkeys(cell.words))
    comparison = _take_in_turn(
        (other.words for other in discovery.cells if _is_same_row(other, cell)),
        words,
        MAX_COMPARISON_WORDS,
    ) or _take_in_turn([category.label.split(", ")], words, MAX_COMPARISON_WORDS)
    # A word that is a target and an attribute would be associated with itself.
    taken = {*words, *comparison}
    names = _take_in_turn([dict.fromkeys((*group.shown, *group.names))], taken, MAX_NAMES)
    other_names = _take_in_turn(
        [dict.fromkeys((*other.shown, *other.names)) for other in others],
        taken | set(names),
        max(len(names), 2),
    )
    if not (names and other_names and comparison):
        return None
    about = prose.describe_statistics(group, discovery)
    return Question(
        sources=(source,),
        sets=tuple(map(format_words, (names, other_names, words, comparison))),  # type: ignore[arg-type]
        names=(
            _shorten(f"Names, {about}" if about else f"Names of {group.id}"),
            "Other names",
            "These words",
            "Other words",
        ),
    )


def _is_same_row(other: Cell, cell: Cell) -> bool:
    return other.category == cell.category and other.group != cell.group


def _take_in_turn(lists: Iterable[Iterable[str]], taken: Collection[str], limit: int) -> list[str]:
    """Return the first words of all lists, then the second words, without those that are taken.

    >>> _take_in_turn([["a", "b"], ["a", "c", "d"]], ["c"], 3)
    ['a', 'b', 'd']
    """
    in_turn = chain.from_iterable(zip_longest(*lists))
    chosen = dict.fromkeys(word for word in in_turn if word is not None and word not in taken)
    return list(chosen)[:limit]


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_SET_NAME else text[: MAX_SET_NAME - 1] + "…"
