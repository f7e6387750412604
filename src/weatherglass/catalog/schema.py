"""A test: what is asked of an embedding, with where it comes from and what others found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import ModelWrapValidatorHandler, ValidationError, model_validator

from weatherglass.errors import CatalogError, join_first, quote_safe

from .provenance import (
    Difference,
    Facts,
    HumanFinding,
    Published,
    PublishedCorrelation,
    Record,
    Study,
)
from .seeds import SeedSet
from .validation import complaint, seen
from .word_sets import WordSet, spelling

_FIELDS = {"category": "label", "examples": "words"}  # as the sentence-bias files call them


def _as_set(value: Any, label: str) -> Any:
    """A list of words, or anything that has words, as the fields of a `WordSet`."""
    if isinstance(value, WordSet):
        return value if value.label else value.model_copy(update={"label": label})
    if isinstance(value, SeedSet):
        return value.word_set()
    if isinstance(value, Mapping):
        return {"label": label} | {_FIELDS.get(name, name): part for name, part in value.items()}
    if isinstance(value, list | tuple):
        return {"label": label, "words": value}
    if hasattr(value, "words"):
        return {"label": getattr(value, "label", "") or label, "words": tuple(value.words)}
    # Left for the check to refuse, with what was seen and what was expected.
    return {"label": label, "words": value}


def _each_once(given: Mapping[str, Any], notes: str) -> str:
    """The notes of a test, with the words that its seed sets repeat."""
    for one in given.values():
        if isinstance(one, SeedSet) and one.repeated:
            some = ", ".join(quote_safe(word) for word in one.repeated)
            notes = f"{notes} {one.id} repeats {some}; each word is used once.".lstrip()
    return notes


def _label(value: Any) -> str:
    return value.label if isinstance(value, WordSet) else str(value.get("label", ""))


def _sentences(value: Any) -> bool:
    items = value.words if isinstance(value, WordSet) else value.get("words")
    return isinstance(items, list | tuple) and all(
        isinstance(item, str) and " " in item and item.endswith((".", "!", "?")) for item in items
    )


class _Entry(Record):
    """What both kinds of test share."""

    # pytest would collect any class of this name that a test module imports.
    __test__: ClassVar[bool] = False
    kind: ClassVar[str]

    id: str = "custom"
    title: str = ""
    level: Literal["word", "sentence"] = "word"
    study: Study | None = None
    notes: str = ""
    variant: str = ""
    variants: tuple[str, ...] = ()

    @model_validator(mode="wrap")
    @classmethod
    def _in_plain_words(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        name = data.get("id", "custom") if isinstance(data, Mapping) else "custom"
        who = f"test {quote_safe(str(name))}"
        try:
            made = handler(data)
        except ValidationError as error:
            known = {*cls.model_fields, *WordSet.model_fields, *Facts.model_fields}
            raise complaint(error, who, known) from None
        # Not "after" validators: pydantic runs those outside this one.
        problem = made._problem()
        if not made.id.strip() or not made.id.isprintable():
            problem = f"id is {seen(made.id)}; visible characters on one line were expected"
        if problem:
            raise CatalogError(f"{who}: {problem}.")
        return made

    def _problem(self) -> str:
        """What is wrong between fields that are each well-formed; empty if nothing is."""
        raise NotImplementedError


class Test(_Entry):
    """An association test: are targets X and Y differently near attributes A and B.

    Parameters
    ----------
    x, y
        The target sets: a `WordSet`, a `SeedSet` (whose repeats are used once, and noted), or a
        plain list of words. No word may be in both.
    a, b
        The attribute sets, likewise. A target word may also be an attribute.
    id, title
        What results call the test.
    level
        Whether the items are words or sentences; by default, sentences if every item has a space
        and ends as a sentence does.
    study
        The work that published the test.
    published
        The figures that were printed for it, one per embedding.
    differences
        Where the items are not those of the published list, and why.
    human
        The finding with people that the test takes after.
    variant, variants
        Which word list this is (empty: the default one), and which others the catalogue has.

    Examples
    --------
    >>> mine = Test(x=["doctor", "surgeon"], y=["nurse", "midwife"], a=["he", "him"], b=["she"])
    >>> mine.id, mine.title, mine.x.words
    ('custom', 'X vs Y, A vs B', ('doctor', 'surgeon'))
    """

    kind: ClassVar[str] = "association"

    x: WordSet
    y: WordSet
    a: WordSet
    b: WordSet
    published: tuple[Published, ...] = ()
    human: HumanFinding | None = None
    differences: tuple[Difference, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _plain_lists(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        sets = {name: _as_set(data[name], name.upper()) for name in "xyab" if name in data}
        made = {**data, **sets}
        if noted := _each_once(data, made.get("notes", "")):
            made["notes"] = noted
        if len(sets) == 4 and not made.get("title"):
            x, y, a, b = (_label(sets[name]) for name in "xyab")
            made["title"] = f"{x} vs {y}, {a} vs {b}"
        if "level" not in made and all(_sentences(part) for part in sets.values()):
            made["level"] = "sentence"
        return made

    def _problem(self) -> str:
        # A word in both sets would stand on both sides of the difference and of every partition.
        other = set(self.y.words)
        both = [word for word in self.x.words if word in other]
        return (
            f"x and y both have {quote_safe(both[0])}; a target is in one set only" if both else ""
        )

    @property
    def sets(self) -> dict[str, WordSet]:
        """The four sets under the paper's letters."""
        return {"X": self.x, "Y": self.y, "A": self.a, "B": self.b}

    @property
    def printed(self) -> Published | None:
        """The figure that was printed for this very word list, if there is one."""
        return next((one for one in self.published if one.variant == self.variant), None)


class FactualTest(_Entry):
    """A factual test: does nearness to A rather than B predict a fact about each target.

    Parameters
    ----------
    targets, a, b
        Word sets, seed sets, or plain lists of words.
    facts
        One number per target: `Facts`, a list in the order of the targets, or a mapping from word
        to number (which may hold more words than the targets, and gives them where they are not
        named).
    id, title, study, published, variant, variants
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
    def _plain_lists(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        made = dict(data)
        facts = _as_facts(made.get("facts"))
        by_word = facts.get("values") if isinstance(facts, Mapping) else None
        if isinstance(by_word, Mapping) and "targets" not in made:
            made["targets"] = list(by_word)
        if noted := _each_once(data, made.get("notes", "")):
            made["notes"] = noted
        for name, label in (("targets", "Targets"), ("a", "A"), ("b", "B")):
            if name in made:
                made[name] = _as_set(made[name], label)
        if isinstance(by_word, Mapping) and isinstance(facts, Mapping):
            facts = {**facts, "values": _aligned(by_word, made["targets"])}
        if facts is not None:
            made["facts"] = facts
        if not made.get("title") and {"targets", "a", "b"} <= made.keys():
            targets, a, b = (_label(made[name]) for name in ("targets", "a", "b"))
            made["title"] = f"{targets}, {a} vs {b}"
        return made

    def _problem(self) -> str:
        facts, words = len(self.facts.values), len(self.targets.words)
        if facts == words:
            return ""
        return f"facts has {facts} numbers for {words} targets; one each was expected"

    @property
    def sets(self) -> dict[str, WordSet]:
        """The three sets under the paper's letters."""
        return {"W": self.targets, "A": self.a, "B": self.b}

    @property
    def printed(self) -> PublishedCorrelation | None:
        """The figure that was printed for this very word list, if there is one."""
        return next((one for one in self.published if one.variant == self.variant), None)


def _as_facts(value: Any) -> Any:
    """A list of numbers, or a mapping from word to number, as the fields of `Facts`."""
    if isinstance(value, Mapping):
        # A word may be called "values", but then it has a number and not a list.
        record = isinstance(value.get("values"), Mapping | list | tuple)
        return value if record or value.keys() <= Facts.model_fields.keys() else {"values": value}
    return {"values": value} if isinstance(value, list | tuple) else value


def _aligned(by_word: Mapping[str, Any], targets: Any) -> list[Any]:
    words = targets.words if isinstance(targets, WordSet) else targets.get("words")
    if not isinstance(words, list | tuple):
        return []  # the check of the targets will say so
    words = [spelling(word) for word in words]
    lacking = [word for word in words if isinstance(word, str) and word not in by_word]
    if lacking:
        raise ValueError(f"facts has no number for {join_first(map(quote_safe, lacking), 1)}")
    return [by_word.get(word) if isinstance(word, str) else None for word in words]
