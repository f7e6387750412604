"""A result set: results kept together, corrected together, written and read without loss."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from weatherglass._version import __version__
from weatherglass.errors import BadContent, UsageError, quote_safe
from weatherglass.significance import PValue, benjamini_hochberg, holm

from .ceat import CeatResult
from .definition import MeasureResult
from .result import Shown, from_plain, loads
from .seat import SeatResult
from .weat import WeatResult
from .wefat import WefatResult

Result = WeatResult | WefatResult | CeatResult | MeasureResult
_KINDS: dict[str, type[Any]] = {
    kind.measure: kind for kind in (WeatResult, SeatResult, WefatResult, CeatResult)
}


@dataclass(frozen=True)
class Results(Sequence[Result], Shown):
    """Results in order.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.open_vectors("default")
    >>> results = wg.Results.of(wg.weat(vectors, id) for id in ("weat6", "weat7"))
    >>> first, second = results.correct("holm")
    >>> first.p_holm == 2 * first.p.value, second.p_holm == second.p.value
    (True, True)
    >>> wg.Results.from_json(results.to_json()) == results
    True
    """

    results: tuple[Result, ...]

    @classmethod
    def of(cls, results: Any) -> Results:
        """A result set from any run of results."""
        return cls(tuple(results))

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: Any) -> Any:
        return self.results[index]

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def correct(self, method: Literal["holm", "bh", "both"] = "both") -> Results:
        """The same results with p-values corrected over all tests that were run.

        The tests of a set are one family: association tests, factual tests (Pearson's p-value), and
        measures with a p-value, such as ``sc-weat``. Those over contexts (``ceat``) are not part of
        it: their p-values fall with the number of samples that are drawn.
        """
        if method not in ("holm", "bh", "both"):
            raise UsageError(f"method is {method!r}; it must be holm, bh or both.")
        found = {i: value for i, one in enumerate(self) if (value := _tested(one)) is not None}
        tested, p = list(found), list(found.values())
        made: list[Any] = list(self.results)
        for name, adjust in (("holm", holm), ("bh", benjamini_hochberg)):
            if tested and method in (name, "both"):
                for i, value in zip(tested, adjust(p).tolist(), strict=True):
                    made[i] = dataclasses.replace(made[i], **{f"p_{name}": value})
        return Results(tuple(made))

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON; never NaN."""
        sources = {json.dumps(one.source, sort_keys=True): one.source for one in self.results}
        only = next(iter(sources.values())) if len(sources) == 1 else None
        return {
            "weatherglass": __version__,
            "source": only,
            "results": [to_record(one) for one in self.results],
        }

    def to_json(self) -> str:
        """Everything as JSON text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Results:
        """The result set that `to_json` wrote."""
        try:
            records = loads(text)["results"]
            return cls(tuple(from_record(record) for record in records))
        except (ValueError, KeyError, TypeError) as error:
            raise BadContent(f"This is not a result set in JSON ({error}).") from None

    def to_rows(self) -> list[dict[str, Any]]:
        """One flat row a result: the columns of the sentence-bias work, then ours, then all."""
        return [_flat(one) for one in self.results]

    def to_table(self) -> Any:
        """The rows as a `pyarrow.Table`."""
        import pyarrow as pa

        rows = self.to_rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        return pa.table({name: [row.get(name) for row in rows] for name in names})

    def to_delimited(self, delimiter: str = "\t") -> str:
        """The rows as TSV or CSV; the last column holds the whole record as JSON."""
        stream = io.StringIO()
        rows = self.to_rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        writer = csv.DictWriter(stream, names, delimiter=delimiter, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return stream.getvalue()

    @classmethod
    def from_delimited(cls, text: str, delimiter: str = "\t") -> Results:
        """The result set that `to_delimited` wrote."""
        csv.field_size_limit(1 << 30)
        rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
        try:
            return cls._from_records([row.get("record") for row in rows])
        except csv.Error as error:
            raise BadContent(f"This is not a result set with columns ({error}).") from None

    @classmethod
    def from_parquet(cls, path: str | Path) -> Results:
        """The result set that `to_parquet` wrote."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            records = pq.read_table(path, columns=["record"]).column("record").to_pylist()
        except (pa.ArrowException, OSError, KeyError, ValueError) as error:
            raise BadContent(f"{path} is not a result set in Parquet ({error}).") from None
        return cls._from_records(records)

    @classmethod
    def _from_records(cls, records: Sequence[str | None]) -> Results:
        return cls.from_json('{"results": [' + ", ".join(str(one) for one in records) + "]}")


def _tested(result: Result) -> float | None:
    """The p-value that is corrected, if there is one."""
    if isinstance(result, WefatResult):
        return result.pearson_p
    if isinstance(result, WeatResult | MeasureResult) and result.p is not None:
        return result.p.value
    return None


def to_record(result: Result) -> dict[str, Any]:
    """A result as plain data; the measure's name comes first."""
    record = {"measure": result.measure} | {
        field.name: getattr(result, field.name) for field in dataclasses.fields(result)
    }
    for name in ("p", "p_rotation", "p_by_word"):
        if isinstance(record.get(name), PValue):
            record[name] = record[name].to_dict()
    for name in ("intervals", "influence"):
        if name in record:
            record[name] = [dataclasses.asdict(one) for one in record[name]]
    plain: dict[str, Any] = json.loads(json.dumps(record))
    return plain


def from_record(record: Any) -> Result:
    """The result that `to_record` wrote; a `ValueError` says why it is none."""
    name = record.get("measure") if isinstance(record, dict) else None
    if not isinstance(name, str):
        raise ValueError("a result names its measure")
    kind = _KINDS.get(name, MeasureResult)
    known = {"measure", *(field.name for field in dataclasses.fields(kind))}
    if unknown := sorted(record.keys() - known):
        raise ValueError(f"{quote_safe(name)} has no field {quote_safe(unknown[0])}")
    made: Result = from_plain(kind, record)
    if not isinstance(made.source.get("facts", {}), dict):
        raise ValueError("the facts about a source are no mapping")
    return made


def _flat(result: Result) -> dict[str, Any]:
    """One row. The first nine columns are those of the sentence-bias results file."""
    options = "&".join(f"{key}={value}" for key, value in result.options.items())
    published = result.published or {}
    if isinstance(result, WeatResult):
        p, value = result.p, result.effect
        sizes = [result.n.get(name) for name in "XYAB"]
        ours: dict[str, Any] = {
            "statistic": result.statistic,
            "p_low": p.low if p else None,
            "p_high": p.high if p else None,
            "p_method": p.method if p else None,
            "p_rotation": result.p_rotation.value if result.p_rotation else None,
            "p_holm": result.p_holm,
            "p_bh": result.p_bh,
            "published_effect": published.get("effect"),
        }
        if isinstance(result, SeatResult):
            by_word = result.p_by_word
            ours |= {
                "level": result.level,
                "effect_by_word": result.effect_by_word,
                "p_by_word": by_word.value if by_word else None,
            }
        p_value = p.value if p else None
    elif isinstance(result, CeatResult):
        value, p_value = result.effect, result.p
        sizes = [result.n.get(name) for name in "XYAB"]
        ours = {"error": result.error, "between": result.between}
    elif isinstance(result, MeasureResult):
        value, p_value = result.value, result.p.value if result.p else None
        sizes = [result.n.get(name) for name in "XYAB"]
        ours = _measured(result)
    else:
        value, p_value = result.pearson, result.pearson_p
        sizes = [result.n.get("W"), None, result.n.get("A"), result.n.get("B")]
        ours = {
            "spearman": result.spearman,
            "spearman_p": result.spearman_p,
            "p_holm": result.p_holm,
            "p_bh": result.p_bh,
            "slope": result.slope,
            "intercept": result.intercept,
            "published_correlation": published.get("correlation"),
        }
    if isinstance(result, WeatResult | WefatResult) and result.control is not None:
        ours |= _controlled(result.control)
    row: dict[str, Any] = {
        "model": result.source.get("name"),
        "options": options,
        "test": result.test,
        "p_value": p_value,
        "effect_size": value,
        "num_targ1": sizes[0],
        "num_targ2": sizes[1],
        "num_attr1": sizes[2],
        "num_attr2": sizes[3],
        "measure": result.measure,
        "title": result.title,
        "status": result.status,
        "reason": result.reason,
        **ours,
        "missing": " ".join(word for words in result.missing.values() for word in words),
        "published_p": published.get("p"),
        "fingerprint": result.source.get("fingerprint"),
        "weatherglass": result.version,
    }
    for fact, known in result.source.get("facts", {}).items():
        row[f"fact_{fact}" if fact in row or fact == "record" else fact] = known
    return row | {"record": json.dumps(to_record(result))}


def _measured(result: MeasureResult) -> dict[str, Any]:
    """The columns of a measure of word sets, where it has such numbers."""
    ours: dict[str, Any] = {
        "details": "&".join(f"{name}={number:.6g}" for name, number in result.details.items())
    }
    if result.p is not None:
        ours |= {
            "p_low": result.p.low,
            "p_high": result.p.high,
            "p_method": result.p.method,
            "p_holm": result.p_holm,
            "p_bh": result.p_bh,
        }
    if result.intervals:
        ours |= {"low": result.intervals[0].low, "high": result.intervals[0].high}
    return ours


def _controlled(control: dict[str, Any]) -> dict[str, Any]:
    """The columns of a result that was also measured without word frequency."""
    return {
        "control": control.get("method"),
        "frequency_r2": control.get("r2_before"),
        "frequency_r2_controlled": control.get("r2_after"),
        "effect_controlled": control.get("effect", control.get("pearson")),
        "p_controlled": control.get("p"),
        "survives": control.get("survives"),
    }
