"""What a multiverse found: every specification, and what they say together."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from weatherglass._version import __version__
from weatherglass.catalog import Test
from weatherglass.errors import BadContent
from weatherglass.measures.jsontext import from_json, from_plain, loads, to_json
from weatherglass.measures.showing import Shown

from .multiverse_parts import Choice, Dropped, Side, Specification, Summary

_METADATA = b"weatherglass"


@dataclass(frozen=True, kw_only=True)
class Multiverse(Shown):
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

    def to_rows(self) -> list[dict[str, Any]]:
        """One flat row a specification."""
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

    def to_json(self) -> str:
        """Everything as JSON text."""
        return to_json(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> Multiverse:
        """The multiverse that `to_json` wrote."""
        return from_json(cls, text, "multiverse")

    def to_table(self) -> Any:
        """The specifications as a `pyarrow.Table`; its metadata hold everything else."""
        import pyarrow as pa

        rest = dataclasses.replace(self, specifications=()).to_json()
        return pa.Table.from_pylist(self.to_rows()).replace_schema_metadata({_METADATA: rest})

    @classmethod
    def from_parquet(cls, path: str | Path) -> Multiverse:
        """The multiverse that `to_parquet` wrote."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            table = pq.read_table(path)
            plain = loads(table.schema.metadata[_METADATA])
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
