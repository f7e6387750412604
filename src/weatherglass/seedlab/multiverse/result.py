"""The result of a multiverse: every specification, and a summary of all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from weatherglass._version import __version__
from weatherglass.catalog import Test
from weatherglass.errors import BadContent
from weatherglass.measures import Result, from_plain, load_json
from weatherglass.significance import PValue

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Side:
    """A side of the test: its label, the name of its own set, the concepts that it stands for, and
    how they are known."""

    label: str
    set: str
    concepts: tuple[str, ...]
    by: str


@dataclass(frozen=True)
class Dropped:
    """Sets that cannot stand in, alone or together, and why."""

    sets: dict[str, str]
    reason: str


@dataclass(frozen=True)
class Choice:
    """Sets that were chosen together, for one side or for two that face each other.

    Attributes
    ----------
    sets, concepts
        The ids of the sets and what they stand for, by side.
    words, missing
        The words used, as the source spells them, and the words that it does not have.
    samples
        The sub-samples: the positions in `words`, by side.
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
        """The ids without what both say: ``male_1 / female_1, Caliskan et al 2017``."""
        return set_names(self.sets)


@dataclass(frozen=True)
class Specification:
    """One way to run the test: the set of each side, and what came out.

    `sample` is 0 where the sets are whole, and otherwise the number of the sub-sample. `p_holm` and
    `p_bh` are corrected over all choices of sets with the same `sample`.
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
    """So many of so many."""

    count: int
    of: int

    @property
    def share(self) -> float:
        """The share; 0 of nothing."""
        return self.count / self.of if self.of else 0.0


@dataclass(frozen=True)
class Margin:
    """What one choice does, over all specifications with it: the mean effect, how much that is
    above the mean without it, and how many agree with the documented answer."""

    sets: dict[str, str]
    mean: float
    difference: float | None
    same_sign: Part
    significant: Part


@dataclass(frozen=True)
class Flip:
    """Whole sets that change the documented answer, and how many of their sub-samples do so too.

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
    """What all specifications say together.

    Attributes
    ----------
    same_sign
        How many effects have the sign of the documented one (where that could not be measured, the
        sign that the test foretells): ``"whole"`` counts whole sets only, ``"all"`` everything.
    significant
        How many are significant, by correction (``"none"``, ``"holm"``, ``"bh"``) and likewise.
    effects
        The least, the largest, the median and other quantiles of the effect.
    place
        The share of specifications whose effect is smaller than the documented one.
    out_of_reach
        Specifications with so few targets that the least p-value there is, times the number of
        choices, is over `alpha`: these have next to no chance after correction.
    margins, flips
        What each choice does; the choices that change the answer.
    """

    same_sign: dict[str, Part]
    significant: dict[str, dict[str, Part]]
    effects: dict[str, float]
    place: float | None
    out_of_reach: Part
    margins: tuple[Margin, ...]
    flips: tuple[Flip, ...]


def set_names(sets: Mapping[str, str]) -> str:
    """Ids of sets for people to read: what comes after the name is the study, said once.

    >>> set_names({"X": "male_1-Caliskan_et_al_2017", "Y": "female_1-Caliskan_et_al_2017"})
    'male_1 / female_1, Caliskan et al 2017'
    >>> set_names({"A": "career-Caliskan_et_al_2017"}), set_names({"X": "mine", "Y": "yours"})
    ('career, Caliskan et al 2017', 'mine / yours')
    """
    parts = [id.partition("-") for id in sets.values()]
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
        What each side stands for.
    factors
        The choices, factor by factor; a specification takes one of each.
    specifications
        Every specification; those of whole sets have `sample` 0.
    documented
        The place of the test's own sets among the specifications; None if this source does not
        allow them.
    summary
        What all say together.
    dropped
        Sets that could not stand in, with the reason.
    notes
        What the reader should know besides.
    source, options, version
        What is needed to repeat it.
    """

    measure: ClassVar[str] = "multiverse"
    noun: ClassVar[str] = "multiverse"
    chart: ClassVar[str] = "multiverse"

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
    def whole(self) -> tuple[Specification, ...]:
        """The specifications of whole sets."""
        return tuple(one for one in self.specifications if one.sample == 0)

    def choices(self, sets: Mapping[str, str]) -> list[Choice]:
        """The choice of each factor that a specification took."""
        return [
            next(one for one in factor if one.sets.items() <= dict(sets).items())
            for factor in self.factors
        ]

    def as_test(self, one: Specification) -> Test:
        """A specification as a test that `weat` runs."""
        words: dict[str, Any] = {}
        for choice in self.choices(one.sets):
            for side, some in choice.words.items():
                kept = choice.samples[one.sample - 1][side] if one.sample else range(len(some))
                words[side.lower()] = {"label": choice.sets[side], "words": [some[i] for i in kept]}
        return Test(id=self.test, **words)

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

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat row for each specification."""
        return [
            {
                **one.sets,
                "sample": one.sample,
                **{f"n_{side}": size for side, size in one.n.items()},
                "effect": one.effect,
                "statistic": one.statistic,
                "p": one.p.value,
                "p_low": one.p.low,
                "p_high": one.p.high,
                "p_method": one.p.method,
                # Text, because there can be more partitions than a column of integers holds.
                "p_count": None if one.p.count is None else str(one.p.count),
                "p_partitions": None if one.p.partitions is None else str(one.p.partitions),
                "p_holm": one.p_holm,
                "p_bh": one.p_bh,
            }
            for one in self.specifications
        ]

    def to_table(self) -> pa.Table:
        """Return the specifications as a `pyarrow.Table`; its metadata holds everything else."""
        rest = dataclasses.replace(self, specifications=()).to_json()
        return super().to_table().replace_schema_metadata({_METADATA: rest})

    @classmethod
    def from_parquet(cls, path: str | Path) -> Multiverse:
        """The multiverse that `to_parquet` wrote."""
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
    """A row as the plain data of a specification."""
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
