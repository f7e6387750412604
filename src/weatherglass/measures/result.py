"""`Result`, the base of all results: rows, JSON, sentence, chart and notebook display."""

from __future__ import annotations

import dataclasses
import functools
import html
import json
import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from weatherglass._files import atomic_write
from weatherglass.errors import BadContent, WeatherglassError, quote_safe
from weatherglass.significance import format_p

if TYPE_CHECKING:
    import pyarrow as pa
    from pydantic import TypeAdapter

NO_CHART = ""
"""The chart of a kind of result that is not drawn."""

_PRINT_WIDTH = 88  # characters of a line of `print`
_MAX_REPR_TEXT = 40  # characters of one value in a `repr`
_MAX_DEPTH = 100  # levels of JSON; the deepest result has ten, and writing recurses through them
_COORDINATES = re.compile(r' (?:transform|d|x2|y2)="[^"]*"')
_FINE_DIGITS = re.compile(r"(\.\d\d)\d+")
_HIDDEN_COLUMNS = {"record", "options", "fingerprint", "weatherglass", "p_low", "p_high"}


class Tabular:
    """Something with rows: a table, Parquet, an Arrow stream, and a display in notebooks."""

    # Pydantic reads results back; a number that JSON cannot hold was never written.
    __pydantic_config__: ClassVar[dict[str, bool]] = {"allow_inf_nan": False}
    max_html_rows: ClassVar[int] = 60  # more rows than these are counted in notebooks, not shown

    def to_rows(self) -> list[dict[str, Any]]:
        """Return flat rows."""
        raise NotImplementedError

    def to_table(self) -> pa.Table:
        """Return the rows as a `pyarrow.Table`."""
        import pyarrow as pa

        rows = self.to_rows()
        names = column_names(rows)
        return pa.table({name: [row.get(name) for row in rows] for name in names})

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the table as an Arrow stream, which polars, pandas, DuckDB and pyarrow read."""
        return self.to_table().__arrow_c_stream__(requested_schema)

    def to_parquet(self, path: str | Path) -> None:
        """Write the table as Parquet, with all that is needed to read the result back."""
        import pyarrow.parquet as pq

        with atomic_write(Path(path)) as temporary:
            pq.write_table(self.to_table(), temporary)

    def plot(self, **options: Any) -> Any:
        """Draw it; see `weatherglass.plot`."""
        # Charts are a layer above results, so the public name is looked up when it is called.
        return import_module("weatherglass").plot(self, **options)

    def html_rows(self) -> list[dict[str, Any]]:
        """Return the rows that a notebook shows."""
        return self.to_rows()

    def html_summary(self) -> str:
        """Return what a notebook shows above the rows, as HTML."""
        return ""

    def _repr_html_(self) -> str:
        rows = self.html_rows()
        return self.html_summary() + html_table(rows[: self.max_html_rows], len(rows)) + self._svg()

    def _svg(self) -> str:
        """Return the chart as SVG; empty where there is none or the extra is not installed."""
        try:
            chart = self.plot()
        except (WeatherglassError, AttributeError):
            return ""
        import vl_convert

        svg: str = vl_convert.vegalite_to_svg(chart.to_json())
        # Digits behind the hundredth of a pixel: up to 30 % of the characters.
        return _COORDINATES.sub(lambda found: _FINE_DIGITS.sub(r"\1", found[0]), svg)


class Result(Tabular):
    """The base of all results, which are frozen dataclasses.

    A subclass sets `measure` and is registered under it, so that `Result.from_json` reads it back.
    It states its key numbers in `key_facts` and its meaning in `sentence`.

    Attributes
    ----------
    measure
        The name of what was measured; JSON begins with it.
    noun
        What a message calls such a result.
    chart
        The chart that draws it, as in `weatherglass.report.charts.plot`; `NO_CHART` if none does.
    decimals
        How many decimals its numbers have in tables for people.
    is_done
        Whether it has numbers; a test that could not be run has none.

    Examples
    --------
    >>> import weatherglass as wg
    >>> result = wg.weat(wg.open_vectors("default"), "weat6")
    >>> result
    <WeatResult test='weat6', source='default', effect=1.708, p=7.77e-05>
    >>> print(result)
    WEAT weat6 on default: Male vs female names, career vs family
    effect 1.71 (95 % interval 1.36 to 1.86), p = 7.8e-05 (exact, one-sided)
    clear: Male names are more strongly associated with career words, rather than family
    words, than female names are.
    >>> result.row()["effect_size"] == result.effect
    True
    >>> type(result).from_json(result.to_json()) == result
    True
    """

    measure: ClassVar[str]
    noun: ClassVar[str] = "result"
    chart: ClassVar[str]
    decimals: ClassVar[int] = 3
    _classes: ClassVar[dict[str, type[Result]]] = {}

    if TYPE_CHECKING:
        # Each result has them as dataclass fields in its own order, which JSON keeps.
        @property
        def source(self) -> dict[str, Any]: ...
        @property
        def version(self) -> str: ...

    def __init_subclass__(cls) -> None:
        if name := cls.__dict__.get("measure"):
            Result._classes[name] = cls

    @property
    def is_done(self) -> bool:
        return True

    @property
    def source_name(self) -> str:
        """The name of the source that was measured."""
        return str(self.source.get("name", "an embedding"))

    @property
    def p_for_correction(self) -> float | None:
        """The p-value that `Results.correct` corrects; None where it is not part of the family."""
        return None

    def key_facts(self) -> dict[str, Any]:
        """Return the key facts, by name; `row` and `repr` show them."""
        raise NotImplementedError

    def sentence(self) -> str:
        """Return what the result says, in plain English."""
        raise NotImplementedError

    def with_source(self, facts: Mapping[str, Any]) -> Self:
        """Return the same result with other facts about its source."""
        return dataclasses.replace(self, source={**self.source, **facts})  # type: ignore[type-var]

    def row(self) -> dict[str, Any]:
        """Return the result as one flat row."""
        return {
            "measure": self.measure,
            **self.key_facts(),
            "sentence": self.sentence(),
            "weatherglass": self.version,
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """Return flat rows; one, unless the result has a row for each of its parts."""
        return [self.row()]

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data, ready for JSON; the measure's name comes first."""
        fields: dict[str, Any] = dataclasses.asdict(self)  # type: ignore[call-overload]
        return {"measure": self.measure} | fields

    def to_json(self) -> str:
        """Return all fields as JSON text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    @classmethod
    def from_dict(cls, record: Any) -> Self:
        """Return the result that `to_dict` wrote; a `ValueError` says why it is none."""
        name = record.get("measure", getattr(cls, "measure", None)) if _is_dict(record) else None
        if not isinstance(name, str):
            raise ValueError("a result names its measure")
        kind = result_class(name)
        if not issubclass(kind, cls):
            raise ValueError(f"{quote_safe(name)} is another measure")
        return kind._from_fields(record)

    @classmethod
    def _from_fields(cls, record: dict[str, Any]) -> Self:
        return from_plain(cls, record)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the result that `to_json` wrote."""
        try:
            return cls.from_dict(load_json(text))
        except ValueError as error:
            raise BadContent(f"This is not a {cls.noun} in JSON ({error}).") from None

    def summary_lines(self) -> list[str]:
        """Return what it is and what it says, in a few lines; ``print`` shows them."""
        facts = ", ".join(
            f"{name.replace('_', ' ')} {_short(value)}" for name, value in self.key_facts().items()
        )
        return [f"{self.measure}: {facts}", self.sentence()]

    def html_summary(self) -> str:
        return f"<p>{html.escape(self.sentence())}</p>"

    def __str__(self) -> str:
        lines = (textwrap.wrap(line, _PRINT_WIDTH) for line in self.summary_lines() if line)
        return "\n".join(line for wrapped in lines for line in wrapped)

    def __repr__(self) -> str:
        facts = ", ".join(f"{name}={_short(value)}" for name, value in self.key_facts().items())
        return f"<{type(self).__name__} {facts}>"


# The folder and class of each result, so that JSON can be read before its module is imported.
_HOMES = {
    "weat": ("measures", "WeatResult"),
    "wefat": ("measures", "WefatResult"),
    "generalised-weat": ("measures", "GeneralisedResult"),
    "agree": ("measures", "Agreement"),
    "analogy": ("measures", "Analogy"),
    "analogous-pairs": ("measures", "AnalogousPairs"),
    "word-plane": ("measures", "WordPlane"),
    "norms": ("measures", "NormsResult"),
    "translations": ("translation", "TranslationResult"),
    "seat": ("encoders", "SeatResult"),
    "seat-table": ("measures", "SeatTable"),
    "ceat": ("encoders", "CeatResult"),
    "retrieve": ("retrieval", "Retrieval"),
    "retrieval": ("retrieval", "RetrievalResult"),
    "sentiment": ("scoring", "Sentiment"),
    "sentiment-groups": ("scoring", "SentimentResult"),
    "discovery": ("discovery", "Discovery"),
    "comparison": ("discovery", "Comparison"),
    "discoveries": ("discovery", "Discoveries"),
    "cleaned-list": ("discovery", "CleanedList"),
    "group-scores": ("discovery", "GroupScores"),
    "crowd": ("crowd", "CrowdResult"),
    "compare": ("seedlab", "CorpusComparison"),
    "trajectory": ("seedlab", "Trajectory"),
    "group-difference": ("seedlab", "GroupDifference"),
    "lint": ("seedlab", "Lint"),
    "multiverse": ("seedlab", "Multiverse"),
    "seed-axis": ("seedlab", "SeedAxis"),
    "seed-checklist": ("seedlab", "Checklist"),
    "seed-survey": ("seedlab", "SeedSurvey"),
    "seed-concept": ("seedlab", "ConceptCosines"),
    "seed-generated": ("seedlab", "GeneratedPairs"),
    "seed-pairs": ("seedlab", "MeasuredPairs"),
    "seed-variance": ("seedlab", "PairVariance"),
}
_ANY_OTHER = ("measures", "MeasureResult")  # one class for all measures of word sets


def result_class(measure: str) -> type[Result]:
    """Return the class of a measure's results."""
    if measure not in Result._classes:
        folder, name = _HOMES.get(measure, _ANY_OTHER)
        kind: type[Result] = getattr(import_module(f"weatherglass.{folder}"), name)
        return kind
    return Result._classes[measure]


def _is_dict(record: Any) -> bool:
    return isinstance(record, dict)


def _short(value: Any) -> str:
    """Return a value for a one-line `repr`."""
    if isinstance(value, float):
        return f"{value:.4g}"
    text = repr(value)
    return text if len(text) <= _MAX_REPR_TEXT else f"{text[: _MAX_REPR_TEXT - 1]}…"


def column_names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of all columns, in the order in which they first occur."""
    return list(dict.fromkeys(name for row in rows for name in row))


def html_table(rows: Sequence[Mapping[str, Any]], total: int) -> str:
    """Return rows as an HTML table, without empty columns, with numbers rounded."""
    names = [
        name
        for name in column_names(rows)
        if name not in _HIDDEN_COLUMNS
        and any(row.get(name) not in (None, "", [], {}) for row in rows)
    ]
    head = "".join(f"<th scope='col'>{html.escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>"
        + "".join(f"<td>{_cell(name, row.get(name), _decimals(row))}</td>" for name in names)
        + "</tr>"
        for row in rows
    )
    more = f"<p>{total - len(rows):,} more rows.</p>" if total > len(rows) else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _decimals(row: Mapping[str, Any]) -> int:
    name = row.get("measure")
    return result_class(name).decimals if isinstance(name, str) else 2


def _cell(name: str, value: Any, decimals: int) -> str:
    if isinstance(value, float):
        is_p = name == "p" or name.startswith("p_") or name.endswith(("_p", "p_value"))
        return format_p(value) if is_p and 0 <= value <= 1 else f"{value:.{decimals}f}"
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    return "" if value is None else html.escape(str(value))


Kind = TypeVar("Kind")


def load_json(text: str | bytes) -> Any:
    """Parse JSON that can be written again; raise `ValueError` on anything else."""
    try:
        content = json.loads(text, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError("nested too deep") from None
    level = [content]
    for _ in range(_MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return content
    raise ValueError("nested too deep")


def from_plain(kind: type[Kind], record: Any) -> Kind:
    """Return the object that plain data describes; a `ValueError` says in short why it is none."""
    from pydantic import ValidationError

    try:
        parsed: Kind = _adapter(kind).validate_python(record)  # type: ignore[arg-type]
        return parsed
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"{quote_safe(place)[1:-1]}: {first['msg']}".lstrip(": ")) from None


@functools.cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _finite(text: str) -> float:
    """Parse a number; Python also reads NaN and infinity, which JSON does not have."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is no finite number")
    return number
