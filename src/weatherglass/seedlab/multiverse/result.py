"""The result of a multiverse: every specification, and a summary of all of them."""

from __future__ import annotations

import dataclasses
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from weatherglass._version import __version__
from weatherglass.catalog import Test
from weatherglass.errors import BadContent
from weatherglass.measures import Result, SeedChoices, from_plain, load_json
from weatherglass.significance import PValue, equate_p

if TYPE_CHECKING:
    import pyarrow as pa


_STUDY_YEAR = re.compile(r"-.*_\d{4}[a-z]?$")


@dataclass(frozen=True)
class Side:
    """A side of the test: its label, the id of its set, its concepts, and how they are known."""

    label: str
    set: str
    concepts: tuple[str, ...]
    by: str


@dataclass(frozen=True)
class Dropped:
    """Sets that cannot be used, alone or together, and why."""

    sets: dict[str, str]
    reason: str


@dataclass(frozen=True)
class Choice:
    """Sets that are chosen together, for one side or for two that face each other.

    Attributes
    ----------
    sets, concepts
        The ids of the sets and their concepts, by side.
    words, missing
        The words used, as the source spells them, and the words that it does not have.
    samples
        The sub-samples: positions in `words`, by side.
    same
        Other sets with the same words in this source, which are not counted again.
    documented
        Whether these are the test's own sets.
    """

    sets: dict[str, str]
    concepts: dict[str, str]
    words: dict[str, tuple[str, ...]]
    missing: dict[str, tuple[str, ...]]
    samples: tuple[dict[str, tuple[int, ...]], ...] = ()
    same: tuple[dict[str, str], ...] = ()
    documented: bool = False

    @property
    def name(self) -> str:
        """The ids with their common study once: ``male_1 / female_1, Caliskan et al 2017``."""
        return set_names(self.sets)


@dataclass(frozen=True)
class Specification:
    """One way to run the test: the set of each side, with effect size and p-value.

    `sample` is 0 for whole sets, and otherwise the number of the sub-sample. `p_holm` and `p_bh`
    are corrected over all choices of sets with the same `sample`.
    """

    sets: dict[str, str]
    sample: int
    n: dict[str, int]
    effect: float
    statistic: float
    p: PValue
    p_holm: float
    p_bh: float


@dataclass(frozen=True)
class Part:
    """A count out of a total."""

    count: int
    of: int

    @property
    def share(self) -> float:
        """The count over the total; 0 if the total is 0."""
        return self.count / self.of if self.of else 0.0


@dataclass(frozen=True)
class Margin:
    """The marginal effect of a choice, over all specifications that have it.

    `difference` is the mean effect minus that of all other specifications.
    """

    sets: dict[str, str]
    mean: float
    difference: float | None
    same_sign: Part
    significant: Part


@dataclass(frozen=True)
class Flip:
    """Whole sets that change the documented answer, and how many of their sub-samples do too.

    `change` is ``"other sign"``, ``"not significant"`` or ``"significant"``.
    """

    sets: dict[str, str]
    change: str
    effect: float
    p: PValue
    p_holm: float
    samples: Part


@dataclass(frozen=True)
class Summary:
    """A summary of all specifications.

    Attributes
    ----------
    same_sign
        How many effects have the sign of the documented one (if that could not be measured, the
        sign that the test predicts): ``"whole"`` counts whole sets only, ``"all"`` everything.
    significant
        How many are significant, by correction (``"none"``, ``"holm"``, ``"bh"``) and likewise.
    effects
        The minimum, maximum, median and other quantiles of the effect size.
    place
        The share of specifications whose effect size is smaller than the documented one.
    out_of_reach
        Specifications with so few targets that their smallest possible p-value, times the number
        of choices, exceeds `alpha`: they can hardly be significant after correction.
    margins, flips
        The marginal effect of each choice; the choices that change the answer.
    """

    same_sign: dict[str, Part]
    significant: dict[str, dict[str, Part]]
    effects: dict[str, float]
    place: float | None
    out_of_reach: Part
    margins: tuple[Margin, ...]
    flips: tuple[Flip, ...]


def is_documented(id: str) -> bool:
    """Return whether an id is that of a seed set of a study, not the label of a user's own set.

    >>> is_documented("female_1-Caliskan_et_al_2017"), is_documented("African-American women")
    (True, False)
    """
    return _STUDY_YEAR.search(id) is not None


def set_names(sets: Mapping[str, str]) -> str:
    """Return the ids of sets for people to read, with a common study only once.

    >>> set_names({"X": "male_1-Caliskan_et_al_2017", "Y": "female_1-Caliskan_et_al_2017"})
    'male_1 / female_1, Caliskan et al 2017'
    >>> set_names({"A": "career-Caliskan_et_al_2017"}), set_names({"X": "mine", "Y": "yours"})
    ('career, Caliskan et al 2017', 'mine / yours')
    >>> set_names({"X": "African-American women"})
    'African-American women'
    """
    parts = [id.partition("-") if is_documented(id) else (id, "", "") for id in sets.values()]
    studies = dict.fromkeys(rest.rpartition("-")[2].replace("_", " ") for _, _, rest in parts)
    if len(studies) > 1:
        return " / ".join(set_names({"": id}) for id in sets.values())
    names = " / ".join(name for name, _, _ in parts)
    return f"{names}, {study}" if (study := next(iter(studies))) else names


_METADATA = b"weatherglass"
_ALPHA = 0.05  # where the options do not state the level of significance


@dataclass(frozen=True, kw_only=True, repr=False)
class Multiverse(Result):
    """A test under every choice of seed sets.

    Attributes
    ----------
    test, title
        The test's id and title.
    sides
        The concepts of each side.
    factors
        The choices, by factor; a specification takes one of each factor.
    specifications
        All specifications; those of whole sets have `sample` 0.
    documented
        The index of the test's own sets among the specifications; None if this source does not
        allow them.
    summary
        A summary of all specifications.
    dropped
        Sets that could not be used, with the reason.
    notes
        Remarks for the reader.
    source, options, version
        What is needed to repeat it.
    """

    measure: ClassVar[str] = "multiverse"
    noun: ClassVar[str] = "multiverse"
    chart: ClassVar[str] = "multiverse"
    max_html_rows: ClassVar[int] = 20  # the picture shows the choices again

    test: str
    title: str
    sides: dict[str, Side]
    factors: tuple[tuple[Choice, ...], ...]
    specifications: tuple[Specification, ...]
    documented: int | None
    summary: Summary
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()
    source: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    @property
    def own_adjective(self) -> str:
        """What the test's own sets are called: those of a study ``documented``, others ``your``."""
        # A set of a test of the catalogue that no study uses as a seed set is called "weat3.B".
        known = (is_documented(s.set) or s.set == f"{self.test}.{k}" for k, s in self.sides.items())
        return "documented" if all(known) else "your"

    @property
    def whole(self) -> tuple[Specification, ...]:
        """The specifications of whole sets."""
        return tuple(spec for spec in self.specifications if spec.sample == 0)

    def choices(self, sets: Mapping[str, str]) -> list[Choice]:
        """Return the choice of each factor that a specification has."""
        return [
            next(choice for choice in factor if choice.sets.items() <= dict(sets).items())
            for factor in self.factors
        ]

    def as_test(self, specification: Specification) -> Test:
        """Return a specification as a test that `weat` runs."""
        sample = specification.sample
        word_sets: dict[str, Any] = {}
        for choice in self.choices(specification.sets):
            for side, words in choice.words.items():
                positions = choice.samples[sample - 1][side] if sample else range(len(words))
                word_sets[side.lower()] = {
                    "label": choice.sets[side],
                    "words": [words[position] for position in positions],
                }
        alternative = self.options.get("alternative")
        return Test(id=self.test, alternative=alternative, **word_sets)

    def seed_choices(self, effect: float) -> SeedChoices | None:
        """Return how many choices of whole sets agree with an effect, as evidence of a finding.

        A choice agrees if its effect has the same sign and its two-sided p-value is at most
        `alpha`. None if there is only one choice.
        """
        whole, alpha = self.whole, self.options.get("alpha", _ALPHA)
        if len(whole) < 2:
            return None
        significant = [spec for spec in whole if spec.p.two_sided_value() <= alpha]
        agreeing = sum(spec.effect * effect > 0 for spec in significant)
        reversing = sum(spec.effect * effect < 0 for spec in significant)
        return SeedChoices(agreeing / len(whole), reversing / len(whole), len(whole))

    def key_facts(self) -> dict[str, Any]:
        same_sign = self.summary.same_sign["whole"]
        return {
            "test": self.test,
            "source": self.source_name,
            "specifications": len(self.specifications),
            "same_sign": same_sign.share,
            "median": self.summary.effects.get("median"),
        }

    def sentence(self) -> str:
        same_sign = self.summary.same_sign["whole"]
        significant = self.summary.significant["none"]["whole"]
        if same_sign.of < 2:
            return "There are no other documented seed sets for it."
        return (
            f"{same_sign.share:.0%} of {same_sign.of:,} documented seed choices agree in sign, and "
            f"{significant.share:.0%} have p ≤ {self.options.get('alpha', _ALPHA):g}."
        )

    def summary_lines(self) -> list[str]:
        effects = self.summary.effects
        spread = ""
        if effects:
            low, middle, high = (effects[name] for name in ("least", "median", "largest"))
            spread = f": effects {low:.2f} to {high:.2f}, median {middle:.2f}"
        lines = [
            f"Multiverse of {self.test} on {self.source_name}: {self.title}",
            f"{len(self.whole):,} choice{'s' * (len(self.whole) != 1)} of seed sets, "
            f"{len(self.specifications):,} with sub-samples{spread}",
            self.sentence(),
        ]
        if self.documented is not None:
            own = self.specifications[self.documented]
            lines.insert(
                2, f"the test's own sets: effect {own.effect:.2f}, {equate_p(own.p.value)}"
            )
        return lines

    def html_summary(self) -> str:
        return "".join(f"<p>{html.escape(line)}</p>" for line in self.summary_lines())

    def html_rows(self) -> list[dict[str, Any]]:
        """Return a row for each choice of seed sets: the specifications are too many to read."""
        return [
            {
                "seed sets": set_names(margin.sets),
                "mean effect": margin.mean,
                "same sign": f"{margin.same_sign.share:.0%}",
                "significant (Holm)": f"{margin.significant.share:.0%}",
            }
            for margin in self.summary.margins
        ]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat row for each specification."""
        return [
            {
                **spec.sets,
                "sample": spec.sample,
                **{f"n_{side}": size for side, size in spec.n.items()},
                "effect": spec.effect,
                "statistic": spec.statistic,
                "p": spec.p.value,
                "p_low": spec.p.low,
                "p_high": spec.p.high,
                "p_method": spec.p.method,
                # Text, because there can be more partitions than a column of integers holds.
                "p_count": None if spec.p.count is None else str(spec.p.count),
                "p_partitions": None if spec.p.partitions is None else str(spec.p.partitions),
                "p_holm": spec.p_holm,
                "p_bh": spec.p_bh,
            }
            for spec in self.specifications
        ]

    def to_table(self) -> pa.Table:
        """Return the specifications as a `pyarrow.Table`; its metadata holds everything else."""
        rest = dataclasses.replace(self, specifications=()).to_json()
        return super().to_table().replace_schema_metadata({_METADATA: rest})

    @classmethod
    def from_parquet(cls, path: str | Path) -> Multiverse:
        """Read a multiverse that `to_parquet` wrote."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            table = pq.read_table(path)
            plain = load_json(table.schema.metadata[_METADATA])
            plain["specifications"] = [_specification(row, plain) for row in table.to_pylist()]
            return from_plain(cls, plain)
        except (pa.ArrowException, OSError, LookupError, TypeError, ValueError) as error:
            raise BadContent(f"{path} is not a multiverse in Parquet ({error}).") from None


def _specification(row: Mapping[str, Any], rest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row as the plain data of a specification."""
    count, partitions = (
        None if row[name] is None else int(row[name]) for name in ("p_count", "p_partitions")
    )
    p = {"value": row["p"], "low": row["p_low"], "high": row["p_high"], "method": row["p_method"]}
    p |= {
        "alternative": rest["options"]["alternative"],
        "count": count,
        "partitions": partitions,
    }
    record = {name: row[name] for name in ("sample", "effect", "statistic", "p_holm", "p_bh")}
    record["sets"] = {side: row[side] for side in rest["sides"]}
    record["n"] = {side: row[f"n_{side}"] for side in rest["sides"]}
    return record | {"p": p}
