"""A result set: results kept together, corrected together, written and read without loss."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, overload

from weatherglass._files import delimited_text
from weatherglass._version import __version__
from weatherglass.errors import BadContent, UsageError
from weatherglass.significance import benjamini_hochberg, format_p, holm

from .measurement import Measurement
from .result import Tabular, column_names, load_json

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    # With a default, `Results` alone means results of any measure; typing has that from 3.13 on.
    ResultT = TypeVar("ResultT", bound=Measurement, default=Measurement, covariant=True)
    OtherT = TypeVar("OtherT", bound=Measurement)
else:
    from typing import TypeVar

    ResultT = TypeVar("ResultT", covariant=True)
    OtherT = TypeVar("OtherT")


# Not a `collections.abc.Sequence`: polars would read the fields of the records in a sequence
# instead of the Arrow stream.
_MAX_PRINTED = 20


@dataclass(frozen=True, repr=False)
class Results(Tabular, Generic[ResultT]):
    """Results in order.

    An index gives a result, a slice gives a result set. As a table it has one row for each result:
    ``polars.DataFrame(results)``, ``pandas.DataFrame.from_arrow(results)``,
    ``pyarrow.table(results)``, or the name of the variable in a query of DuckDB.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.open_vectors("default")
    >>> results = wg.Results.of(wg.weat(vectors, id) for id in ("weat6", "weat7"))
    >>> results
    <Results: 2 weat>
    >>> first, second = results.correct("holm")
    >>> first.p_holm == 2 * first.p.value, second.p_holm == second.p.value
    (True, True)
    >>> wg.Results.from_json(results.to_json()) == results
    True
    """

    measure: ClassVar[str] = "results"  # as a result has it: a step of an audit gives either

    results: tuple[ResultT, ...]

    @staticmethod
    def of(results: Iterable[OtherT]) -> Results[OtherT]:
        """Return a result set with these results."""
        return Results(tuple(results))

    def __len__(self) -> int:
        return len(self.results)

    @overload
    def __getitem__(self, index: int) -> ResultT: ...

    @overload
    def __getitem__(self, index: slice) -> Results[ResultT]: ...

    def __getitem__(self, index: int | slice) -> ResultT | Results[ResultT]:
        if isinstance(index, slice):
            return Results(self.results[index])
        return self.results[index]

    def __iter__(self) -> Iterator[ResultT]:
        return iter(self.results)

    def __repr__(self) -> str:
        counts = Counter(result.measure for result in self.results)
        kinds = ", ".join(f"{count:,} {measure}" for measure, count in counts.items())
        return f"<Results: {kinds or 'none'}>"

    def __str__(self) -> str:
        lines = [repr(self)[1:-1]]
        for result in self.results[:_MAX_PRINTED]:
            grade = f", {result.finding.grade}" if result.is_done and result.is_graded else ""
            numbers = ", ".join(
                f"{name} {format_p(value) if name == 'p' else f'{value:.{result.decimals}f}'}"
                for name, value in result.key_facts().items()
                if isinstance(value, float)
            )
            lines.append(f"{result.test}: {numbers or result.status}{grade}")
        more = len(self) - _MAX_PRINTED
        return "\n".join([*lines, *([f"{more:,} more"] if more > 0 else [])])

    def with_source(self, facts: Mapping[str, Any]) -> Results[ResultT]:
        """Return the same results with other facts about their source."""
        return Results(tuple(result.with_source(facts) for result in self))

    def correct(self, method: Literal["holm", "bh", "both"] = "both") -> Results[ResultT]:
        """Return the same results with p-values corrected over all tests that were run.

        The tests of a set are one family: association tests, factual tests (Pearson's p-value), and
        measures with a p-value, such as ``sc-weat``. Those over contexts (``ceat``) are not part of
        it: their p-values fall with the number of samples that are drawn.

        The p-value by which findings are graded (`p_finding`) is corrected in the same way, always
        by Holm's method.
        """
        if method not in ("holm", "bh", "both"):
            raise UsageError(f"method is {method!r}; it must be holm, bh or both.")
        p_values = {
            position: p
            for position, result in enumerate(self)
            if (p := result.p_for_correction) is not None
        }
        corrected = list(self.results)
        for name, adjust in (("holm", holm), ("bh", benjamini_hochberg)):
            if p_values and method in (name, "both"):
                adjusted = adjust(list(p_values.values())).tolist()
                for position, value in zip(p_values, adjusted, strict=True):
                    corrected[position] = dataclasses.replace(
                        corrected[position], **{f"p_{name}": value}
                    )
        return Results(tuple(corrected)).correct_findings()

    def correct_findings(self) -> Results[ResultT]:
        """Return the same results with the p-values of their findings corrected (Holm)."""
        p_values = {
            position: p
            for position, result in enumerate(self)
            if result.p_for_correction is not None and (p := result.main_p_for_finding) is not None
        }
        corrected = list(self.results)
        adjusted = holm(list(p_values.values())).tolist() if p_values else []
        for position, value in zip(p_values, adjusted, strict=True):
            corrected[position] = dataclasses.replace(
                corrected[position], p_finding=value, family=len(p_values)
            )
        return Results(tuple(corrected))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON; never NaN."""
        sources = {json.dumps(result.source, sort_keys=True): result.source for result in self}
        return {
            "weatherglass": __version__,
            "source": next(iter(sources.values())) if len(sources) == 1 else None,
            "results": [_with_finding(result) for result in self],
        }

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    @staticmethod
    def from_json(text: str) -> Results:
        """Return the result set that `to_json` wrote."""
        try:
            records = load_json(text)["results"]
            return Results(tuple(Measurement.from_dict(record) for record in records))
        except (ValueError, KeyError, TypeError) as error:
            raise BadContent(f"This is not a result set in JSON ({error}).") from None

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the flat rows of each result: one, unless it has a row for each of its parts."""
        return [row for result in self for row in result.to_rows()]

    def to_delimited(
        self, delimiter: str = "\t", *, record: bool = False, raw_cells: bool = False
    ) -> str:
        """Return the rows as TSV or CSV.

        Parameters
        ----------
        delimiter
            A tab or a comma.
        record
            Add a last column with each whole result as JSON, which `from_delimited` reads.
        raw_cells
            Leave texts that a spreadsheet would run as a formula as they are; by default they get a
            leading apostrophe.
        """
        rows = self.to_rows()
        names = [name for name in column_names(rows) if record or name != "record"]
        cells = [[row.get(name) for name in names] for row in rows]
        return delimited_text([names, *cells], delimiter, raw_cells=raw_cells)

    @staticmethod
    def from_delimited(text: str, delimiter: str = "\t") -> Results:
        """Return the result set that `to_delimited` wrote with ``record=True``."""
        csv.field_size_limit(1 << 30)
        rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
        try:
            if "record" not in (rows.fieldnames or ()):
                raise BadContent(
                    "This table has no column record, which holds the whole results: write it with "
                    "record=True, or read results.json or results.parquet."
                )
            return _from_records([row["record"] for row in rows])
        except csv.Error as error:
            raise BadContent(f"This is not a result set with columns ({error}).") from None

    @staticmethod
    def from_parquet(path: str | Path) -> Results:
        """Return the result set that `to_parquet` wrote."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            records = pq.read_table(path, columns=["record"]).column("record").to_pylist()
        except (pa.ArrowException, OSError, KeyError, ValueError) as error:
            raise BadContent(f"{path} is not a result set in Parquet ({error}).") from None
        return _from_records(records)


def _with_finding(result: Measurement) -> dict[str, Any]:
    """Return the record of a result, with its finding for programs that only read JSON."""
    if not result.is_graded:
        return result.to_dict()
    finding = result.finding
    return result.to_dict() | {"grade": finding.grade, "finding": finding.sentence}


def _from_records(records: Sequence[str | None]) -> Results:
    # Of a result with several rows, the first has the record.
    held = (str(record) for record in records if record)
    return Results.from_json('{"results": [' + ", ".join(held) + "]}")
