"""`Measurement`: the result of one measure, on the word sets of one test, in one source."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self

from weatherglass._languages import ENGLISH
from weatherglass._version import __version__
from weatherglass.catalog import name_words
from weatherglass.errors import quote_safe
from weatherglass.significance import Alternative, Interval, Power, equate_p, smallest_p
from weatherglass.vectors import describe_history

from .alternatives import DECLARED
from .association_table import AssociationTable, Embedding
from .claims import label_in_text, plural_label
from .controls import ControlledValue, control_columns
from .documents import DocumentSamples, document_columns
from .result import Result
from .seed_choices import SeedChoices
from .valence import SourceValence

if TYPE_CHECKING:
    from weatherglass.findings import Finding  # a layer above, named for type checkers only

Section = Literal["words", "sentences", "retrieval", "facts", "measures"]
ALPHA = 0.05  # the level at which `Measurement.power` is stated
FINDING_FIELDS = ("grade", "finding")  # of records in a result set
_SET_LETTERS = re.compile("[XYABW]|[XA][0-9]+")  # of a set without a label


@dataclass(frozen=True, kw_only=True, repr=False)
class Measurement(Result):
    """The fields that all results of measures share.

    Attributes
    ----------
    test, title
        The test's id and title.
    status
        ``"done"``, or ``"not run"`` with the `reason`; then there are no numbers.
    labels, n
        What each word set stands for, and how many of its words were used.
    words, missing
        The words used, as the source spells them, and the words that it does not have.
    merged
        Words that were left out because in lower case they are a word that was used.
    published
        The published figures of this test, from the catalogue.
    dimension
        The social dimension of the test, such as ``gender``; ``control`` for a test about no group
        of people, whose answer is known. Empty where the test does not say.
    controls
        The same number on controlled vectors, for each control that was asked for.
    seed_choices
        How the number fares over documented seed choices, if a multiverse of the test was run; an
        audit adds it.
    valence
        How far the source agrees with the ratings of people; an audit and a check add it.
    document_samples
        The same number on bootstrap samples of the documents, if the vectors are those of a folder
        of `weatherglass.train` with bootstraps.
    p_finding, family
        The p-value by which the finding is graded (`main_p_for_finding`), after Holm's correction
        over a result set, and the number of its tests; set by `Results.correct`.
    source, options, version
        What is needed to repeat the measurement.
    """

    section: ClassVar[Section] = "measures"
    """Where reports list it: with tests of words or sentences, rankings, facts, or by measure."""

    possible_evidence: ClassVar[tuple[str, ...]] = ()
    """The kinds of evidence that can be collected for it; `weatherglass.finding` lists the rest."""

    main_name: ClassVar[str] = "value"
    """What the main number is called in a sentence."""

    test: str
    title: str
    status: str
    reason: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    n: dict[str, int] = field(default_factory=dict)
    words: dict[str, tuple[str, ...]] = field(default_factory=dict)
    missing: dict[str, tuple[str, ...]] = field(default_factory=dict)
    merged: dict[str, tuple[str, ...]] = field(default_factory=dict)
    published: dict[str, Any] | None = None
    dimension: str = ""
    controls: tuple[ControlledValue, ...] = ()
    seed_choices: SeedChoices | None = None
    valence: SourceValence | None = None
    document_samples: DocumentSamples | None = None
    p_finding: float | None = None
    family: int = 1
    source: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    if TYPE_CHECKING:
        # A field of some measures and a property of others, so that no code can stand here.
        @property
        def value(self) -> float | None:
            """The measure's number."""

    @property
    def is_done(self) -> bool:
        return self.status == "done"

    @property
    def is_of_table(self) -> bool:
        """Whether an association table was measured, which has no geometry."""
        return self.source.get("kind") == "table"

    @property
    def p_value(self) -> float | None:
        """The p-value as a number; None where the measure has none."""
        return None

    @property
    def p_two_sided_value(self) -> float | None:
        """The two-sided p-value as a number; None where the measure has none."""
        return self.p_value

    @property
    def p_for_correction(self) -> float | None:
        return self.p_value

    @property
    def is_declared(self) -> bool:
        """Whether the user declared a direction before the measurement."""
        return bool(self.options.get(DECLARED))

    @property
    def finding_alternative(self) -> Alternative:
        """The alternative of the finding: two-sided unless a direction was declared."""
        declared: Alternative = self.options["alternative"] if self.is_declared else "two-sided"
        return declared

    @property
    def main_p_for_finding(self) -> float | None:
        """The uncorrected p-value of the finding: two-sided unless a direction was declared."""
        return self.main_p if self.is_declared else self.main_p_two_sided

    @property
    def main_p_two_sided(self) -> float | None:
        """The two-sided p-value of `main_value`."""
        return self.p_two_sided_value

    @property
    def finding(self) -> Finding:
        """The finding: grade, evidence and sentence; see `weatherglass.finding`."""
        # Findings are a layer above results, so the public name is looked up when it is called.
        finding: Finding = import_module("weatherglass").finding(self)
        return finding

    @property
    def main_value(self) -> float | None:
        """The number to report first."""
        return self.value

    @property
    def max_value(self) -> float | None:
        """The largest possible size of `main_value`, so that results can be ranked by size."""
        return None

    @property
    def main_p(self) -> float | None:
        """The p-value to report first, that of `main_value`."""
        return self.p_value

    @property
    def main_p_holm(self) -> float | None:
        """`main_p` after Holm's correction; None where that was not computed."""
        p_holm: float | None = getattr(self, "p_holm", None)  # most measures have no p-value
        return p_holm

    @property
    def main_p_method(self) -> str:
        """How `main_p` was computed."""
        return str(getattr(getattr(self, "p", None), "method", ""))

    @property
    def evidence_intervals(self) -> tuple[Interval, ...]:
        """The intervals of `main_value` that are evidence: one for each thing that may vary."""
        by_subject: dict[str, Interval] = {}
        for interval in getattr(self, "intervals", ()):
            # Older versions do not say what an interval is about; runs of a classifier vary little.
            if interval.about and interval.method != "runs":
                by_subject.setdefault(interval.about, interval)
        return tuple(by_subject.values())

    @property
    def main_interval(self) -> Interval | None:
        """The confidence interval of `main_value`; None where it was not computed."""
        intervals: Sequence[Interval] = getattr(self, "intervals", ())
        return intervals[0] if intervals else None

    @property
    def power(self) -> Power | None:
        """What the test can find at p ≤ 0.05 with 80 % power; None where it is not known."""
        return self.power_at(ALPHA)

    def power_at(
        self, alpha: float, power: float = 0.8, alternative: Alternative | None = None
    ) -> Power | None:
        """Return what the test can find at another level; None where it is not known.

        The alternative is that of the finding by default: two-sided unless it was declared.
        """
        return None

    @property
    def main_unit(self) -> str:
        """What `main_p` counts, where that is not obvious."""
        return ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about the source that whoever reads the numbers must know."""
        warnings = self.source.get("warnings", ())
        return tuple(map(str, warnings)) if isinstance(warnings, list | tuple) else ()

    @property
    def history(self) -> tuple[str, ...]:
        """How the source was made (debiased, converted), in sentences; empty if not known."""
        history = self.source.get("history", ())
        entries = history if isinstance(history, list | tuple) else ()
        return tuple(describe_history(entry for entry in entries if isinstance(entry, dict)))

    @property
    def published_value(self) -> float | None:
        """The published figure of the same test."""
        figures = self.published or {}
        value = figures.get("effect", figures.get("correlation"))
        return float(value) if isinstance(value, int | float) else None

    @property
    def question(self) -> Hashable:
        """What the test asks, by the names of its sets; tests with other words may ask the same."""
        named = {name: label for name, label in self.labels.items() if label != name}
        return tuple(sorted(named.items())) if len(named) >= 3 else self.test

    def label(self, name: str) -> str:
        """Return what a set stands for; a set without a label is named by its first words."""
        label, words = self.labels.get(name) or name, self.words.get(name, ())
        # Sets that were exchanged may carry each other's letters.
        return name_words(words) if _SET_LETTERS.fullmatch(label) and words else label

    def set_phrase(self, name: str) -> str:
        """Return what to call the words of a set in a sentence.

        A set without a label is named by its first words: ``doctor, surgeon…``.
        """
        label = self.labels.get(name) or name
        if _SET_LETTERS.fullmatch(label) and self.words.get(name):
            return self.label(name)
        # German nouns have capitals everywhere, and other languages have rules of their own.
        is_english = self.source.get("language", ENGLISH) == ENGLISH
        return label_in_text(label) if is_english else plural_label(label)

    @property
    def is_graded(self) -> bool:
        """Whether it can be a finding; the agreement of two sources, for one, is none."""
        return bool(self.possible_evidence)

    def sentence(self) -> str:
        if self.is_graded or not self.is_done:
            return self.finding.sentence
        return self.claim()

    def claim(self) -> str:
        """Return the direction of the numbers, in plain English, whether or not it is certain.

        Only `weatherglass.finding` says how certain it is. The text may follow others, so it does
        not begin with a capital.
        """
        raise NotImplementedError

    def subject(self) -> str:
        """Return what was compared, without a direction, to follow "no clear difference"."""
        return ""

    def absence(self) -> str:
        """Return why no difference could be found; empty where there was something to compare."""
        return ""

    def key_facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"test": self.test, "source": self.source_name}
        if not self.is_done:
            return facts | {"status": self.status, "reason": self.reason}
        facts[self.main_name] = self.value
        return facts | ({} if self.p_value is None else {"p": self.p_value})

    def row(self) -> dict[str, Any]:
        """Return one flat row.

        The first nine columns are those of the results file of May et al. (2019), with the numbers
        that the paper has: `p_value` as tested, and for sentences `effect_size` over sentences. The
        numbers of the finding are in `effect`, `p` and `p_corrected`, the same as everywhere: by
        word for sentences, two-sided unless a direction was declared. The last column holds the
        whole record as JSON.
        """
        sizes = self.set_sizes()
        row: dict[str, Any] = {
            "model": self.source.get("name"),
            "options": "&".join(f"{key}={value}" for key, value in self.options.items()),
            "test": self.test,
            "p_value": self.p_value,
            "effect_size": self.value,
            "num_targ1": sizes[0],
            "num_targ2": sizes[1],
            "num_attr1": sizes[2],
            "num_attr2": sizes[3],
            "measure": self.measure,
            "title": self.title,
            "status": self.status,
            "reason": self.reason,
            "dimension": self.dimension,
            **self._finding_columns(),
            **self.measure_columns(),
            **control_columns(self.controls),
            **document_columns(self.document_samples),
            "missing": " ".join(word for words in self.missing.values() for word in words),
            "published_p": (self.published or {}).get("p"),
            "fingerprint": self.source.get("fingerprint"),
            "weatherglass": self.version,
        }
        if self.valence is not None:
            row["source_valence"] = self.valence.r
        for fact, value in self.source.get("facts", {}).items():
            row[f"fact_{fact}" if fact in row or fact == "record" else fact] = value
        return row | {"record": json.dumps(self.to_dict())}

    def html_summary(self) -> str:
        return self.finding._repr_html_() if self.is_graded else super().html_summary()

    def summary_lines(self) -> list[str]:
        title = f": {self.title}" if self.title else ""
        heading = f"{self.measure.upper()} {self.test} on {self.source_name}{title}"
        if not self.is_done:
            return [heading, f"not run: {self.reason}."]
        return [
            heading,
            self._numbers_line(),
            str(self.finding) if self.is_graded else self.claim(),
        ]

    def _numbers_line(self) -> str:
        """The main number with its interval and its p-value."""
        value, interval, p = self.main_value, self.main_interval, self.main_p
        line = "" if value is None else f"{self.main_name} {value:.{self.decimals}f}"
        if interval is not None:
            ends = f"{interval.low:.{self.decimals}f} to {interval.high:.{self.decimals}f}"
            line += f" ({100 * interval.confidence:.0f} % interval {ends})"
        if p is None:
            return line
        side = self.options.get("alternative", "two-sided")
        sides = "two-sided" if side == "two-sided" else "one-sided"
        details = ", ".join(filter(None, [self.main_p_method, sides]))
        return f"{line}, {equate_p(p)} ({details})"

    def _finding_columns(self) -> dict[str, Any]:
        if not self.is_graded:
            return {}
        finding = self.finding
        return {
            "effect": self.main_value,
            "p": self.main_p_for_finding,
            "p_corrected": self.p_finding,
            "grade": finding.grade,
            "finding": finding.sentence,
        }

    def target_words(self) -> dict[str, tuple[str, ...]]:
        """Return the words that `target_associations` are about, set by set."""
        return self.words

    def target_associations(self) -> dict[str, tuple[float, ...]]:
        """Return the association of every target, set by set, in the order of `target_words`.

        Empty for a measure whose number is not computed from one association of each target.
        """
        return {}

    def target_facts(self) -> tuple[float, ...]:
        """Return the facts that the associations are correlated with; empty if there are none."""
        return ()

    def smallest_p_without(self, name: str) -> float:
        """Return the smallest p-value that the test can have with one word of a set fewer."""
        sizes = dict(self.n)
        sizes[name] -= 1
        return smallest_p(sizes["X"], sizes["Y"], self.finding_alternative)

    def set_sizes(self) -> list[int | None]:
        """Return the sizes of both target sets and both attribute sets."""
        return [self.n.get(name) for name in "XYAB"]

    def measure_columns(self) -> dict[str, Any]:
        """Return the columns that only this measure has."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data, ready for JSON; the measure's name comes first."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        record: dict[str, Any] = json.loads(
            json.dumps({"measure": self.measure} | fields, default=_plain)
        )
        return record

    @classmethod
    def _from_fields(cls, record: dict[str, Any]) -> Self:
        # Result sets state the finding for other programs; here it is computed from the result.
        record = {name: part for name, part in record.items() if name not in FINDING_FIELDS}
        known = {"measure", *(field.name for field in dataclasses.fields(cls))}
        if unknown := sorted(record.keys() - known):
            name = quote_safe(str(record.get("measure")))
            raise ValueError(f"{name} has no field {quote_safe(unknown[0])}")
        parsed = super()._from_fields(record)
        if not isinstance(parsed.source.get("facts", {}), dict):
            raise ValueError("the facts about a source are no mapping")
        return parsed


def _plain(part: Any) -> Any:
    """Return a part of a result as JSON has it; p-values also state their fraction."""
    return part.to_dict() if hasattr(part, "to_dict") else dataclasses.asdict(part)


class _LabelledSet(Protocol):
    @property
    def words(self) -> Sequence[str]: ...
    @property
    def label(self) -> str: ...


class DescribedTest(Protocol):
    """What a result states about its test."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def sets(self) -> Mapping[str, _LabelledSet]: ...
    @property
    def printed(self) -> Any: ...
    @property
    def dimension(self) -> str: ...


def describe_test(
    test: DescribedTest,
    words: Mapping[str, Sequence[str]],
    missing: Mapping[str, Sequence[str]],
    source: dict[str, Any],
    options: dict[str, Any],
) -> dict[str, Any]:
    """Return the fields of a `Measurement` that are known before anything is measured."""
    published = test.printed
    return {
        "test": test.id,
        "title": test.title,
        "labels": {name: word_set.label for name, word_set in test.sets.items()},
        "n": {name: len(found) for name, found in words.items()},
        "words": {name: tuple(found) for name, found in words.items()},
        "missing": {name: tuple(absent) for name, absent in missing.items()},
        "published": published.model_dump(mode="json") if published else None,
        "dimension": test.dimension,
        "source": source,
        "options": options,
    }


def describe_source(source: Embedding) -> dict[str, Any]:
    """Return what a result states about the vectors or the table that were measured."""
    about: dict[str, Any] = {"name": source.source, "fingerprint": source.fingerprint}
    if isinstance(source, AssociationTable):
        return about | {"kind": "table", "rows": len(source.rows), "columns": len(source.columns)}
    about["dim"] = source.dim
    return about | ({"history": list(source.history)} if source.history else {})


def interval_columns(interval: Interval | None) -> dict[str, float | None]:
    """Return the columns of an interval, which are empty if there is none."""
    low, high = (interval.low, interval.high) if interval else (None, None)
    return {"low": low, "high": high}
