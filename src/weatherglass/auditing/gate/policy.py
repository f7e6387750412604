"""Policies: the schema of the YAML file. `policy_file` reads it."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from weatherglass.catalog import FactualTest, GroupsTest, Record, Test, Words
from weatherglass.errors import UsageError, quote_safe
from weatherglass.measures import measure_named

from ..steps import MEASURE_DEFAULTS, convert_options, discovery_options, retrieval_options

Share = Annotated[float, Field(ge=0, le=1)]
Size = Annotated[float, Field(ge=0)]
NotRun = Literal["fail", "warn", "pass"]
AnyTest = Test | FactualTest | GroupsTest


class Rule(Record):
    """A limit on tests, a measure, a discovery or a ranking; violated if all conditions hold.

    A rule is about one of four things: `tests`, a `measure` of word sets, a `discovery`, or a
    `retrieval` audit of an encoder. The limits of a retrieval audit are each violated alone.

    Attributes
    ----------
    id, description
        What verdicts call the rule, and why the limit is there.
    tests
        Ids and patterns of tests: the policy's own first, then those of the catalogue.
    measure, sets, options
        The name of a measure, for each set that it needs a list of words or the id of a seed set of
        the catalogue, and its options.
    discovery
        Options of a discovery, such as ``rotations``.
    retrieval
        Options of a retrieval audit, such as ``top``; its rules judge each two groups of names.
    min_impact_ratio
        Retrieval audits: the lower selection rate divided by the higher is below this. With
        ``judge: interval``, the whole interval over other documents is.
    max_impact_gap
        Retrieval audits: the selection rates of two groups differ by more than this, as a share.
    effect
        Tests: the effect size (for factual tests, the correlation) is farther from zero than this,
        in either direction.
    above, below
        Measures: the value is above, or below, this number.
    cells
        Discoveries: there are more significant pairs of a group and a category than this.
    increase
        Tests: the effect size is farther from zero than that of the baseline audit by more than
        this, or is beyond zero by more than this in the other direction.
    judge
        What must be beyond `effect`, `above`, `below` or `increase`: the number itself
        (``effect``), or the near end of its 95 % confidence interval (``interval``).
    p
        A further condition: the two-sided p-value, corrected over the family, is at most this. For
        `increase` it is the p-value of the paired test. Without `p`, size alone decides.
    correction, family
        ``holm``, ``bh`` or ``none``; the tests that p-values are corrected over, by default those
        of the rule. Other rules have no influence.
    agreement
        A further condition: at least this share of all documented seed choices gives the effect the
        same sign. Only association tests on word vectors have other seed choices; for other tests
        the remaining conditions decide, and the verdict says so.
    """

    id: str = ""
    description: str = ""
    tests: Words = ()
    measure: str = ""
    sets: dict[str, str | Words] = Field(default_factory=dict)
    options: dict[str, str] = Field(default_factory=dict)
    discovery: dict[str, str] | None = None
    retrieval: dict[str, str] | None = None
    min_impact_ratio: Share | None = None
    max_impact_gap: Share | None = None
    effect: Size | None = None
    above: float | None = None
    below: float | None = None
    cells: Annotated[int, Field(ge=0)] | None = None
    increase: Size | None = None
    judge: Literal["effect", "interval"] = "effect"
    p: Share | None = None
    correction: Literal["holm", "bh", "none"] = "holm"
    family: Words = ()
    agreement: Share | None = None

    @field_validator("measure")
    @classmethod
    def _check_measure(cls, name: str) -> str:
        try:
            return measure_named(name).name if name else name
        except UsageError as error:
            raise ValueError(f"is {quote_safe(name)}. {str(error).rstrip('.')}") from None

    @model_validator(mode="after")
    def _check_conditions(self) -> Rule:
        if problem := self._find_problem():
            raise ValueError(problem)
        return self

    def _find_problem(self) -> str:
        subjects = [bool(self.tests), bool(self.measure)]
        subjects += [self.discovery is not None, self.retrieval is not None]
        if sum(subjects) != 1:
            return "is about one of tests, measure, discovery and retrieval"
        given = {name for name in self.model_fields_set if getattr(self, name) not in (None, ())}
        allowed = _CONDITIONS[self.kind]
        wrong = sorted(given & (_ALL_CONDITIONS - allowed))
        if wrong:
            return f"has {wrong[0]}, which a rule on {_NOUNS[self.kind]} does not take"
        if not given & allowed:
            return f"has no limit: one of {', '.join(sorted(allowed))} was expected"
        if self.kind == "measure" and not (given & {"above", "below"} and self.sets):
            return "needs sets, and a limit: above or below"
        if self.kind == "discovery" and self.cells is None:
            return "has no limit: cells was expected"
        if self.family and self.p is None:
            return "has a family, but no p that is corrected over it"
        if self.effect is not None and self.increase is not None:
            return "has both effect and increase; write two rules"
        return ""

    def check_names(self) -> None:
        """Raise an error if a set, an option or a set's words do not exist."""
        if self.discovery is not None:
            discovery_options(self.discovery)
        if self.retrieval is not None:
            retrieval_options(self.retrieval)
        if self.measure:
            known = measure_named(self.measure)
            convert_options(self.options, known.options | MEASURE_DEFAULTS)
            known.check_sets(used_sets(self.measure, self.sets))

    @property
    def kind(self) -> Literal["tests", "measure", "discovery", "retrieval"]:
        """What the rule is about."""
        if self.measure:
            return "measure"
        if self.retrieval is not None:
            return "retrieval"
        return "tests" if self.discovery is None else "discovery"


_CONDITIONS = {
    "tests": {"effect", "increase", "p", "agreement"},
    "measure": {"above", "below", "p"},
    "discovery": {"cells"},
    "retrieval": {"min_impact_ratio", "max_impact_gap"},
}
_ALL_CONDITIONS = set().union(*_CONDITIONS.values())
_NOUNS = {
    "tests": "tests",
    "measure": "a measure",
    "discovery": "a discovery",
    "retrieval": "a retrieval audit",
}


def used_sets(name: str, sets: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sets that a measure uses."""
    known = measure_named(name)
    needed = {need.name for need in known.needs}
    return {side: words for side, words in sets.items() if known.further or side in needed}


class Controls(Record):
    """What a source must show before its verdicts count: that it encodes something.

    Attributes
    ----------
    tests
        Tests with a known result, which must be found in the published direction. An encoder is
        measured with the sentence version of each.
    effect
        The smallest effect size that they must have.
    duplicates
        The largest share of vectors that are equal to another one.
    alike
        The largest mean cosine similarity of two vectors.
    valence
        The smallest correlation of associations with how pleasant people find words (Glasgow
        Norms); not demanded by default. An encoder encodes each rated word as a sentence.
    """

    tests: Words = ("weat1", "weat2")
    effect: float = 0.5
    duplicates: Share = 0.1
    alike: Annotated[float, Field(ge=-1, le=1)] = 0.99
    valence: Annotated[float, Field(ge=-1, le=1)] | None = None


class Waiver(Record):
    """A violation that is accepted until a date, with the reason.

    Attributes
    ----------
    rule, test, source
        What it covers: the id of a rule, and patterns of test ids and source names.
    reason
        Why the violation is accepted, and who agreed.
    until
        The last day on which it has an effect.
    """

    rule: str = ""
    test: str = ""
    source: str = "*"
    reason: Annotated[str, Field(min_length=1)]
    until: datetime.date

    @model_validator(mode="after")
    def _check_scope(self) -> Waiver:
        if not (self.rule or self.test):
            raise ValueError("names neither a rule nor a test")
        return self

    def covers(self, rule: str, test: str, source: str) -> bool:
        """Return whether the waiver is about this verdict."""
        is_rule = not self.rule or self.rule == rule
        is_test = not self.test or fnmatchcase(test, self.test)
        return is_rule and is_test and fnmatchcase(source, self.source)


class Policy(Record):
    """Rules, and what happens around them.

    Attributes
    ----------
    rules
        The rules; each is judged on its own.
    not_run
        What a test that cannot be run does: ``fail``, ``warn`` or ``pass``.
    controls
        What every source must show; None demands nothing (``controls: none`` in YAML).
    baseline
        The folder of the audit that `Rule.increase` compares with.
    waivers
        Violations that are accepted for some time.
    files
        Files with tests of your own: YAML or JSON.
    """

    rules: tuple[Rule, ...]
    not_run: NotRun = "fail"
    controls: Controls | None = Controls()
    baseline: str = ""
    waivers: tuple[Waiver, ...] = ()
    files: Words = ()

    @field_validator("controls", mode="before")
    @classmethod
    def _parse_none(cls, controls: Any) -> Any:
        return None if controls == "none" else controls

    @model_validator(mode="after")
    def _check_names(self) -> Policy:
        names = [self.name(number) for number in range(len(self.rules))]
        duplicate = next((name for name in names if names.count(name) > 1), None)
        if duplicate is not None:
            raise ValueError(f"has two rules with the id {quote_safe(duplicate)}")
        unknown = next((w.rule for w in self.waivers if w.rule and w.rule not in names), None)
        if unknown is not None:
            raise ValueError(f"has a waiver for the rule {quote_safe(unknown)}, which is no rule")
        return self

    @property
    def is_relative(self) -> bool:
        """Whether a rule compares with a baseline."""
        return any(rule.increase is not None for rule in self.rules)

    def name(self, number: int) -> str:
        """Return the id of a rule, or its number."""
        return self.rules[number].id or f"rule {number + 1}"
