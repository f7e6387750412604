"""What every result holds, whatever was measured."""

from __future__ import annotations

import dataclasses
import functools
import html
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from weatherglass._files import atomic_write
from weatherglass._version import __version__
from weatherglass.errors import BadContent, WeatherglassError, quote_safe
from weatherglass.significance import format_p
from weatherglass.vectors import Vectors

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_MOST_ROWS = 60
_EFFECTS = (None, "weat", "seat", "wefat", "ceat")
_NOT_SHOWN = {"record", "options", "fingerprint", "weatherglass", "p_low", "p_high"}


class Shown:
    """A result with rows that can be shown; notebooks call `_repr_html_`."""

    # For whoever reads a result back: a number that JSON cannot hold was never written.
    __pydantic_config__: ClassVar[dict[str, bool]] = {"allow_inf_nan": False}

    def to_rows(self) -> list[dict[str, Any]]:
        """The result as flat rows."""
        raise NotImplementedError

    def to_table(self) -> Any:
        """The rows as a `pyarrow.Table`."""
        import pyarrow as pa

        return pa.Table.from_pylist(self.to_rows())

    def to_parquet(self, path: str | Path) -> None:
        """Write the table as Parquet, with all that is needed to read the result back."""
        import pyarrow.parquet as pq

        with atomic_write(Path(path)) as temporary:
            pq.write_table(self.to_table(), temporary)

    def plot(self, **options: Any) -> Any:
        """Draw it; see `weatherglass.plot`."""
        # Pictures stand above results; what is public is looked up by name when it is asked for.
        return import_module("weatherglass").plot(self, **options)

    def _repr_html_(self) -> str:
        rows = self.to_rows()
        return html_table(rows[:_MOST_ROWS], len(rows)) + self._picture()

    def _picture(self) -> str:
        """The picture as SVG, or nothing where there is none or the extra is not installed."""
        try:
            chart = self.plot()
        except (WeatherglassError, AttributeError):
            return ""
        import vl_convert

        svg: str = vl_convert.vegalite_to_svg(chart.to_json())
        return svg


def html_table(rows: Sequence[Mapping[str, Any]], total: int) -> str:
    """Rows as an HTML table: columns that say something, numbers rounded as everywhere."""
    names = [
        name
        for name in dict.fromkeys(name for row in rows for name in row)
        if name not in _NOT_SHOWN and any(row.get(name) not in (None, "", [], {}) for row in rows)
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
    """Two for effects and correlations; three for other measures, whose scale may be small."""
    return 2 if row.get("measure") in _EFFECTS else 3


def _cell(name: str, value: Any, decimals: int) -> str:
    if isinstance(value, float):
        is_p = name == "p" or name.startswith("p_") or name.endswith(("_p", "p_value"))
        return format_p(value) if is_p and 0 <= value <= 1 else f"{value:.{decimals}f}"
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    return "" if value is None else html.escape(str(value))


@dataclass(frozen=True, kw_only=True)
class Record(Shown):
    """The part that all results share.

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
        What the catalogue says was printed for this test.
    source, options, version
        What is needed to repeat the measurement.
    """

    measure: ClassVar[str]

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
    source: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    def to_rows(self) -> list[dict[str, Any]]:
        """The result as one flat row."""
        from .result_set import Results

        return Results.of([self]).to_rows()


def described(
    test: Any,
    words: Mapping[str, Sequence[str]],
    missing: Mapping[str, Sequence[str]],
    source: dict[str, Any],
    options: dict[str, Any],
) -> dict[str, Any]:
    """The fields of a `Record` that are known before anything is measured."""
    printed = test.printed
    return {
        "test": test.id,
        "title": test.title,
        "labels": {name: one.label for name, one in test.sets.items()},
        "n": {name: len(some) for name, some in words.items()},
        "words": {name: tuple(some) for name, some in words.items()},
        "missing": {name: tuple(some) for name, some in missing.items()},
        "published": printed.model_dump(mode="json") if printed else None,
        "source": source,
        "options": options,
    }


def named(vectors: Vectors) -> dict[str, Any]:
    """What a record says about the vectors that were measured."""
    return {"name": vectors.source, "fingerprint": vectors.fingerprint, "dim": vectors.dim}


Kind = TypeVar("Kind")
_DEEPEST = 100  # levels; the deepest result has ten, and writing one goes through them all


def to_json(record: Any) -> str:
    """Everything that a result holds; the measure's name comes first."""
    plain = {"measure": record.measure} | dataclasses.asdict(record)
    return json.dumps(plain, indent=2, allow_nan=False)


def from_json(kind: type[Kind], text: str | bytes, what: str) -> Kind:
    """The record that `to_json` wrote; `what` is its name in a complaint."""
    try:
        return from_plain(kind, loads(text))
    except ValueError as error:
        raise BadContent(f"This is not a {what} in JSON ({error}).") from None


def loads(text: str | bytes) -> Any:
    """What a JSON text says, if it can be written again; a `ValueError` says what is wrong."""
    try:
        made = json.loads(text, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError("nested too deep") from None
    level = [made]
    for _ in range(_DEEPEST):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return made
    raise ValueError("nested too deep")


def from_plain(kind: type[Kind], record: Any) -> Kind:
    """The record that plain data stands for; a `ValueError` says in a few words why it is none."""
    from pydantic import ValidationError

    try:
        made: Kind = _adapter(kind).validate_python(record)  # type: ignore[arg-type]
        return made
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"{quote_safe(place)[1:-1]}: {first['msg']}".lstrip(": ")) from None


@functools.cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _finite(text: str) -> float:
    """JSON has no other numbers, though Python reads and makes them."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is no finite number")
    return number
