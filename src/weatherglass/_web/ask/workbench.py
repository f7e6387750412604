"""The four sets of the workbench as chips: words, how frequent they are, and what a click asks.

Every chip is a link to the question that a click on it asks, so that the page works without
scripts; a script changes the sets in place and asks the same questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from weatherglass.catalog import name_words
from weatherglass.errors import WeatherglassError
from weatherglass.measures import Influence
from weatherglass.report import classes_of_sets
from weatherglass.vectors import Vectors, find_positions

from ..session import Session
from ..word_sets import WordSetInput, format_words
from .answer import Answer
from .question import SIDES, Question, SetTexts
from .spelling import suggest_words

ROLES = {"x": "Target words", "y": "Compared with", "a": "Attributes", "b": "Opposite attributes"}
"""What the four sets are for."""

# The first rank of each tint, from the most frequent words to the rarest.
_TINTS = ((1_000, 5), (5_000, 4), (20_000, 3), (80_000, 2))
_MAX_SUGGESTED = 8  # missing words of a set for which others are suggested


@dataclass(frozen=True)
class Chip:
    """A word of a set.

    `tint` is 5 for the most frequent words, 1 for the rarest and 0 where frequency is not known;
    `address` is the question that a click asks, and `suggestions` are words to put in its place.
    """

    word: str
    address: str
    is_muted: bool = False
    is_dropped: bool = False
    is_missing: bool = False
    tint: int = 0
    rank: int | None = None
    influence: Influence | None = None
    suggestions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class SetView:
    """A set of the workbench: its chips, its text for the form, and its colour."""

    side: str
    role: str
    text: str
    name: str
    label: str
    css_class: str
    chips: tuple[Chip, ...]
    word_set: WordSetInput
    error: str = ""

    @property
    def title(self) -> str:
        """What the set is called: its label, or else its first words."""
        return self.label or name_words(self.word_set.words)

    @property
    def count(self) -> int:
        """How many words are measured."""
        return sum(not (c.is_muted or c.is_dropped or c.is_missing) for c in self.chips)


def describe_sets(session: Session, question: Question, answer: Answer | None) -> list[SetView]:
    """Return the four sets of a question; with an answer, also what it says of their words."""
    written = question.with_sets() if _is_known(session, question) else question
    vectors = _open_vectors(session, question, answer)
    inputs: dict[str, WordSetInput] = {}
    errors: dict[str, str] = {}
    for side in SIDES:
        try:
            inputs[side] = written.read(side, session.settings)
        except WeatherglassError as error:
            inputs[side], errors[side] = WordSetInput(), str(error)
    classes = _classes(inputs)
    return [
        SetView(
            side,
            ROLES[side],
            written.sets[index],
            written.names[index],
            inputs[side].label,
            classes[side.upper()],
            _chips(written, side, inputs[side], vectors, answer),
            inputs[side],
            errors.get(side, ""),
        )
        for index, side in enumerate(SIDES)
    ]


def question_classes(session: Session, question: Question) -> dict[str, str]:
    """Return the CSS classes of the sets of a question; muting a word does not change them."""
    written = question.with_sets()
    return _classes({side: written.read(side, session.settings) for side in SIDES})


def _classes(inputs: Mapping[str, WordSetInput]) -> dict[str, str]:
    return classes_of_sets(
        {side.upper(): (inputs[side].label, inputs[side].entries) for side in SIDES}
    )


def _is_known(session: Session, question: Question) -> bool:
    """Return whether the test of a question exists, so that its sets can be shown."""
    try:
        return bool(question.test and question.build_test(session.settings))
    except WeatherglassError:  # shown in place of the answer
        return False


def _open_vectors(session: Session, question: Question, answer: Answer | None) -> Vectors | None:
    if answer is not None:
        return next(iter(answer.vectors.values()))
    try:
        return session.sources.choose(question.sources)[0].vectors
    except (WeatherglassError, IndexError):
        return None


def _chips(
    question: Question,
    side: str,
    word_set: WordSetInput,
    vectors: Vectors | None,
    answer: Answer | None,
) -> tuple[Chip, ...]:
    words = word_set.entries
    positions = [0] * len(words)
    ranks: Sequence[int | None] = [None] * len(words)
    if vectors is not None and words:
        found_at = find_positions(vectors, words, "auto")
        positions = found_at.tolist()
        known = vectors.ranks_at(found_at)
        ranks = [None] * len(words) if known is None else known.tolist()
    influence = _influence_by_word(answer, side)
    dropped = {word for name, word in (answer.dropped if answer else ()) if name == side.upper()}
    chips = []
    suggested = 0
    for word, position, rank in zip(words, positions, ranks, strict=True):
        is_missing, is_muted = position < 0, word in word_set.muted
        suggestions: tuple[tuple[str, str], ...] = ()
        if is_missing and vectors is not None and suggested < _MAX_SUGGESTED:
            suggested += 1
            suggestions = tuple(
                (other, replace_word(question, side, word_set, word, other).query)
                for other in suggest_words(vectors, word)
                if other not in words
            )
        spelled = vectors.words[position] if vectors is not None and position >= 0 else word
        chips.append(
            Chip(
                word,
                toggle_word(question, side, word_set, word).query,
                is_muted,
                spelled in dropped,
                is_missing,
                0 if is_missing or rank is None else _tint(rank),
                None if is_missing else rank,
                influence.get(spelled),
                suggestions,
            )
        )
    return tuple(chips)


def _influence_by_word(answer: Answer | None, side: str) -> Mapping[str, Influence]:
    result = next(iter(answer.done.values()), None) if answer else None
    rows = result.influence if result else ()
    return {row.word: row for row in rows if row.set == side.upper()}


def _tint(rank: int) -> int:
    return next((tint for limit, tint in _TINTS if rank < limit), 1)


def toggle_word(question: Question, side: str, word_set: WordSetInput, word: str) -> Question:
    """Return the question with a word muted, or measured again if it is muted."""
    muted = set(word_set.muted) ^ {word}
    return _write_set(question, side, word_set, format_words(word_set.entries, muted))


def replace_word(
    question: Question, side: str, word_set: WordSetInput, word: str, other: str
) -> Question:
    """Return the question with another word in place of a word."""
    words = [other if entry == word else entry for entry in word_set.entries]
    return _write_set(question, side, word_set, format_words(words, word_set.muted))


def _write_set(question: Question, side: str, word_set: WordSetInput, text: str) -> Question:
    index = SIDES.index(side)
    # A set of the catalogue keeps its label when its words are written out.
    return replace(
        question,
        sets=replace_at(question.sets, index, text),
        names=replace_at(question.names, index, word_set.label),
    )


def replace_at(texts: SetTexts, index: int, text: str) -> SetTexts:
    """Return four texts with one of them replaced."""
    x, y, a, b = (text if k == index else old for k, old in enumerate(texts))
    return x, y, a, b
