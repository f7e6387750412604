"""A test of several groups: three or more target sets, and one, two or as many attribute sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import model_validator

from weatherglass.errors import quote_safe

from ..word_sets import WordSet
from .entry import FactualTest, Test, _Entry, as_set, note_repeats

MIN_GROUPS, MAX_GROUPS = 3, 100


class GroupsTest(_Entry):
    """A test of several groups: are they differently associated with attributes?

    Parameters
    ----------
    groups
        Three or more target sets, as a mapping from label to words or a list of sets. No word may
        be in two of them.
    attributes
        Attribute sets, likewise. One: are the groups equally associated with it? Two: equally with
        the first rather than the second, as in `Test`? As many as groups: is each group more
        strongly associated with its own attribute set than the other groups are? The sets then go
        with the groups by name if they have the same names, and otherwise by their order.
    a, b
        Another way to write one or two attribute sets.
    alternative
        A direction that you declare before you look, for as many attribute sets as groups only:
        ``greater`` if each group goes with its own attributes, or ``less``.
    id, title, study, dimension
        As for `Test`.

    Examples
    --------
    >>> mine = GroupsTest(
    ...     groups={"Doctors": ["doctor", "surgeon"], "Nurses": ["nurse", "midwife"],
    ...             "Clerks": ["clerk", "teller"]},
    ...     attributes={"Male": ["he", "him"], "Female": ["she", "her"]})
    >>> mine.title, list(mine.sets), mine.is_paired
    ('Doctors vs Nurses vs Clerks, Male vs Female', ['X1', 'X2', 'X3', 'A', 'B'], False)
    """

    kind: ClassVar[str] = "groups"
    printed: ClassVar[None] = None  # no published figure: the paper prints none of given words

    groups: tuple[WordSet, ...]
    attributes: tuple[WordSet, ...]
    alternative: Literal["greater", "less", "two-sided"] | None = None

    @model_validator(mode="before")
    @classmethod
    def _normalise(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        fields = dict(data)
        if "attributes" not in fields:
            letters = [name for name in "ab" if name in fields]
            if letters:
                fields["attributes"] = [as_set(fields.pop(name), name.upper()) for name in letters]
        for field, noun in (("groups", "group"), ("attributes", "attributes")):
            if field in fields:
                fields[field] = _as_sets(fields[field], noun)
        groups, attributes = fields.get("groups"), fields.get("attributes")
        if isinstance(groups, list) and isinstance(attributes, list):
            fields["attributes"] = attributes = _match_names(groups, attributes)
            members = {str(number): part for number, part in enumerate([*groups, *attributes])}
            if notes := note_repeats(members, fields.get("notes", "")):
                fields["notes"] = notes
            if not fields.get("title"):
                names = (" vs ".join(map(_label, sets)) for sets in (groups, attributes))
                fields["title"] = ", ".join(names)
        return fields

    def _find_problem(self) -> str:
        n, k = len(self.groups), len(self.attributes)
        if not MIN_GROUPS <= n <= MAX_GROUPS:
            two = "; write a test of two groups with x and y" if n == 2 else ""
            return f"groups has {n} sets; {MIN_GROUPS} to {MAX_GROUPS} were expected{two}"
        if k not in (1, 2, n):
            return f"attributes has {k} sets; 1, 2 or {n} (one for each group) were expected"
        for field, sets in (("groups", self.groups), ("attributes", self.attributes)):
            labels = [word_set.label for word_set in sets]
            twice = next((label for label in labels if labels.count(label) > 1), None)
            if twice is not None:
                return f"{field} has two sets called {quote_safe(twice)}; give each its own label"
        owner: dict[str, str] = {}
        for group in self.groups:
            for word in group.words:
                other = owner.setdefault(word, group.label)
                if other != group.label:
                    both = f"{quote_safe(other)} and {quote_safe(group.label)}"
                    return f"{both} both have {quote_safe(word)}; a word may be in one group only"
        if self.alternative in ("greater", "less") and not self.is_paired:
            return (
                f"alternative is {self.alternative}, but without an attribute set for each group "
                "the test has no direction"
            )
        return ""

    @property
    def is_paired(self) -> bool:
        """Whether each group has an attribute set of its own."""
        return len(self.attributes) == len(self.groups)

    @property
    def sets(self) -> dict[str, WordSet]:
        """The sets by the paper's letters: X1, X2, …, and A, A and B, or A1, A2, …"""
        groups = {f"X{number}": group for number, group in enumerate(self.groups, 1)}
        if self.is_paired:
            return groups | {f"A{number}": part for number, part in enumerate(self.attributes, 1)}
        return groups | dict(zip("AB", self.attributes, strict=False))


AnyTest = Test | FactualTest | GroupsTest
"""A test of any kind."""


def _as_sets(value: Any, noun: str) -> Any:
    """Return sets as a list, each with its label."""
    if isinstance(value, Mapping):
        return [as_set(words, str(label)) for label, words in value.items()]
    if isinstance(value, list | tuple):
        return [as_set(words, f"{noun} {number}") for number, words in enumerate(value, 1)]
    return value  # validation refuses it


def _label(part: Any) -> str:
    return part.label if isinstance(part, WordSet) else str(part.get("label", ""))


def _match_names(groups: list[Any], attributes: list[Any]) -> list[Any]:
    """Return attribute sets in the order of groups with the same names, if all have one."""
    by_label = {_label(part): part for part in attributes}
    labels = [_label(group) for group in groups]
    if len(by_label) == len(attributes) and by_label.keys() == set(labels):
        return [by_label[label] for label in labels]
    return attributes
