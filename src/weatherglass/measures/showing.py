"""How results show themselves in a notebook: a table, and the picture where it can be drawn."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from weatherglass.errors import WeatherglassError
from weatherglass.significance import format_p
from weatherglass.vectors.writing import whole

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

        with whole(Path(path)) as temporary:
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
