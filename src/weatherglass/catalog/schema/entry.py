"""A test: the word sets, their provenance, and what was published about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, ModelWrapValidatorHandler, ValidationError, model_validator

from weatherglass.errors import CatalogError, join_first, quote_safe

from ..provenance import (
    Difference,
    Facts,
    HumanFinding,
    Language,
    Published,
    PublishedAgreement,
    PublishedCorrelation,
    Record,
    Study,
)
from ..seeds import SeedSet
from ..validation import describe_value, validation_error
from ..word_sets import WordSet, name_words, plain_word

DIMENSIONS = (
    *("gender", "race", "age", "disability", "religion", "sexuality", "nationality", "class"),
)
"""Social dimensions, in the order in which reports list them; others follow."""

CONTROL = "control"
"""The dimension of a test that is about no group of people, and whose answer is known."""


def dimension_position(dimension: str) -> int:
    """Return the place of a dimension in reports; controls come last.

    >>> dimension_position("race"), dimension_position("politics"), dimension_position("control")
    (1, 8, 10)
    """
    if dimension in DIMENSIONS:
        return DIMENSIONS.index(dimension)
    return len(DIMENSIONS) + (2 if dimension == CONTROL else not dimension)


_SENTENCE_BIAS = {"category": "label", "examples": "words"}  # fields of the sentence-bias files


def as_set(value: Any, label: str) -> Any:
    """Return a list of words, or anything that has words, as the fields of a `WordSet`."""
    if isinstance(value, WordSet):
        return value if value.label else value.model_copy(update={"label": label})
    if isinstance(value, SeedSet):
        return value.word_set()
    if isinstance(value, Mapping):
        return {"label": label} | {
            _SENTENCE_BIAS.get(name, name): part for name, part in value.items()
        }
    if isinstance(value, list | tuple):
        return {"label": label, "words": value}
    if hasattr(value, "words"):
        return {"label": getattr(value, "label", "") or label, "words": tuple(value.words)}
    # Validation refuses it, with what it is and what was expected.
    return {"label": label, "words": value}


def note_repeats(data: Mapping[str, Any], notes: str) -> str:
    """Return the notes of a test, with the words that its seed sets repeat."""
    for value in data.values():
        if isinstance(value, SeedSet) and value.repeated:
            repeated = ", ".join(quote_safe(word) for word in value.repeated)
            notes = f"{notes} {value.id} repeats {repeated}; each word is used once.".lstrip()
    return notes


def _label(value: Any) -> str:
    return value.label if isinstance(value, WordSet) else str(value.get("label", ""))


def set_name(value: Any, letter: str) -> str:
    """Return the label of a set, or its first words if it has none but the set's letter."""
    words = value.words if isinstance(value, WordSet) else value.get("words")
    label = _label(value)
    if label not in ("", letter) or not isinstance(words, list | tuple):
        return label
    return name_words(words)


def _has_sentences(value: Any) -> bool:
    items = value.words if isinstance(value, WordSet) else value.get("words")
    return isinstance(items, list | tuple) and all(
        isinstance(item, str) and " " in item and item.endswith((".", "!", "?")) for item in items
    )


class _Entry(Record):
    """The fields that both kinds of test share."""

    # Otherwise pytest would collect the classes that test modules import.
    __test__: ClassVar[bool] = False
    kind: ClassVar[str]

    id: str = "custom"
    title: str = ""
    level: Literal["word", "sentence"] = "word"
    study: Study | None = None
    dimension: Annotated[str, Field(max_length=40, pattern=r"^[\w -]*$")] = ""
    language: Language = ""
    agreement: tuple[PublishedAgreement, ...] = ()
    notes: str = ""
    variant: str = ""
    variants: tuple[str, ...] = ()

    @model_validator(mode="wrap")
    @classmethod
    def _word_errors(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        id = data.get("id", "custom") if isinstance(data, Mapping) else "custom"
        name = f"test {quote_safe(str(id))}"
        try:
            entry = handler(data)
        except ValidationError as error:
            known = {*cls.model_fields, *WordSet.model_fields, *Facts.model_fields}
            raise validation_error(error, name, known) from None
        # Not an "after" validator, because pydantic runs those outside of this one.
        problem = entry._find_problem()
        if not entry.id.strip() or not entry.id.isprintable():
            value = describe_value(entry.id)
            problem = f"id is {value}; visible characters on one line were expected"
        if problem:
            raise CatalogError(f"{name}: {problem}.")
        return entry

    def _find_problem(self) -> str:
        """Return what is wrong between fields that are each valid; empty if nothing is."""
        raise NotImplementedError

    def __repr__(self) -> str:
        title = quote_safe(self.title)[1:-1]
        return f"<{type(self).__name__} {quote_safe(self.id)[1:-1]}: {title}>"


class Test(_Entry):
    """An association test: are targets X and Y differently associated with attributes A and B?

    Parameters
    ----------
    x, y
        Target sets: a `WordSet`, a `SeedSet` (whose repeated words are used once, and noted), or a
        list of words. No word may be in both.
    a, b
        Attribute sets, likewise. A test with a word that is both target and attribute
        is run only where that is allowed; see `weatherglass.weat`.
    id, title
        What results call the test.
    level
        Whether the items are words or sentences; by default, sentences if every item has a space
        and ends like a sentence.
    study
        The work that published the test.
    language
        The language of the words, by its code or English name; empty if it is not stated. The tests
        of the catalogue are English.
    dimension
        The social dimension that reports list the test under: ``gender``, ``race``, ``age``,
        ``disability``, ``religion`` or another. ``control`` is for tests whose answer is known,
        such as flowers and insects: they show that a source encodes anything, and are no findings.
    alternative
        A direction that you declare before you look: ``greater`` (X with A and Y with B) or
        ``less``. Without it, findings are two-sided; see `weatherglass.weat`.
    published
        The published figures, one per embedding.
    agreement
        Published correlations of the words' associations between two embeddings.
    differences
        Items that differ from the published list, and why.
    human
        The finding with people that the test is modelled on.
    variant, variants
        The word list of this test (empty: the default list), and those of the catalogue.

    Examples
    --------
    >>> mine = Test(x=["doctor", "surgeon"], y=["nurse", "midwife"], a=["he", "him"], b=["she"])
    >>> mine.id, mine.title, mine.x.words
    ('custom', 'doctor, surgeon vs nurse, midwife; he, him vs she', ('doctor', 'surgeon'))
    """

    kind: ClassVar[str] = "association"

    x: WordSet
    y: WordSet
    a: WordSet
    b: WordSet
    alternative: Literal["greater", "less", "two-sided"] | None = None
    published: tuple[Published, ...] = ()
    human: HumanFinding | None = None
    differences: tuple[Difference, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _normalise(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        sets = {name: as_set(data[name], name.upper()) for name in "xyab" if name in data}
        fields = {**data, **sets}
        if notes := note_repeats(data, fields.get("notes", "")):
            fields["notes"] = notes
        if len(sets) == 4 and not fields.get("title"):
            x, y, a, b = (set_name(sets[name], name.upper()) for name in "xyab")
            is_labelled = all(_label(sets[name]) != name.upper() for name in "xyab")
            fields["title"] = f"{x} vs {y}{',' if is_labelled else ';'} {a} vs {b}"
        if "level" not in fields and all(_has_sentences(part) for part in sets.values()):
            fields["level"] = "sentence"
        return fields

    def _find_problem(self) -> str:
        # A word in both sets would be on both sides of the difference and of every partition.
        in_y = set(self.y.words)
        shared = [word for word in self.x.words if word in in_y]
        if not shared:
            return ""
        return f"x and y both have {quote_safe(shared[0])}; a target may be in one set only"

    @property
    def sets(self) -> dict[str, WordSet]:
        """The four sets by the paper's letters."""
        return {"X": self.x, "Y": self.y, "A": self.a, "B": self.b}

    @property
    def printed(self) -> Published | None:
        """The figure that was published for this word list, if there is one."""
        return next((figure for figure in self.published if figure.variant == self.variant), None)


class FactualTest(_Entry):
    """A factual test: does association with A rather than B predict a fact about each target?

    Parameters
    ----------
    targets, a, b
        Word sets, seed sets, or lists of words.
    facts
        One number per target: `Facts`, a list in the order of the targets, or a mapping from word
        to number. A mapping may have more words than the targets; without `targets`, its words are
        the targets.
    id, title, study, dimension, published, agreement, variant, variants
        As for `Test`.

    Examples
    --------
    >>> mine = FactualTest(a=["she"], b=["he"], facts={"nurse": 90.1, "plumber": 0.7})
    >>> mine.targets.words, mine.facts.values
    (('nurse', 'plumber'), (90.1, 0.7))
    """

    kind: ClassVar[str] = "factual"

    targets: WordSet
    a: WordSet
    b: WordSet
    facts: Facts
    published: tuple[PublishedCorrelation, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _normalise(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        fields = dict(data)
        facts = _as_facts(fields.get("facts"))
        by_word = facts.get("values") if isinstance(facts, Mapping) else None
        if isinstance(by_word, Mapping) and "targets" not in fields:
            fields["targets"] = list(by_word)
        if notes := note_repeats(data, fields.get("notes", "")):
            fields["notes"] = notes
        for name, label in (("targets", "Targets"), ("a", "A"), ("b", "B")):
            if name in fields:
                fields[name] = as_set(fields[name], label)
        if isinstance(by_word, Mapping) and isinstance(facts, Mapping):
            facts = {**facts, "values": _align(by_word, fields["targets"])}
        if facts is not None:
            fields["facts"] = facts
        if not fields.get("title") and {"targets", "a", "b"} <= fields.keys():
            targets = _label(fields["targets"])
            a, b = (set_name(fields[name], name.upper()) for name in ("a", "b"))
            fields["title"] = f"{targets}, {a} vs {b}"
        return fields

    def _find_problem(self) -> str:
        facts, words = len(self.facts.values), len(self.targets.words)
        if facts == words:
            return ""
        return f"facts has {facts} numbers for {words} targets; one each was expected"

    @property
    def sets(self) -> dict[str, WordSet]:
        """The three sets by the paper's letters."""
        return {"W": self.targets, "A": self.a, "B": self.b}

    @property
    def printed(self) -> PublishedCorrelation | None:
        """The figure that was published for this word list, if there is one."""
        return next((figure for figure in self.published if figure.variant == self.variant), None)


def _as_facts(value: Any) -> Any:
    """Return a list of numbers, or a mapping from word to number, as the fields of `Facts`."""
    if isinstance(value, Mapping):
        # "values" may also be a word; then its value is a number.
        is_record = isinstance(value.get("values"), Mapping | list | tuple)
        is_record = is_record or value.keys() <= Facts.model_fields.keys()
        return value if is_record else {"values": value}
    return {"values": value} if isinstance(value, list | tuple) else value


def _align(by_word: Mapping[str, Any], targets: Any) -> list[Any]:
    """Return the numbers in the order of the targets."""
    words = targets.words if isinstance(targets, WordSet) else targets.get("words")
    if not isinstance(words, list | tuple):
        return []  # validation refuses the targets
    words = [plain_word(word) for word in words]
    missing = [word for word in words if isinstance(word, str) and word not in by_word]
    if missing:
        raise ValueError(f"facts has no number for {join_first(map(quote_safe, missing), 1)}")
    return [by_word.get(word) if isinstance(word, str) else None for word in words]
