"""The data of a picture by name, apart from the parts that draw it."""

from __future__ import annotations

from typing import Any

Values = list[dict[str, Any]]


class Datasets:
    """Tables that the parts of a chart name, and that only the whole holds.

    Altair copies a part with all its data each time that parts are put together, which takes
    seconds where there are thousands of rows.

    Examples
    --------
    >>> import altair
    >>> data = Datasets()
    >>> chart = altair.Chart(data.named([{"x": 1}])).mark_point().encode(x="x:Q")
    >>> data.on(chart).to_dict()["datasets"]
    {'data-1': [{'x': 1}]}
    """

    def __init__(self) -> None:
        self._tables: dict[str, Values] = {}

    def named(self, values: Values) -> Any:
        """What a part says of its data: the name of a table."""
        from altair import NamedData

        name = f"data-{len(self._tables) + 1}"
        self._tables[name] = values
        return NamedData(name)

    def on(self, whole: Any) -> Any:
        """The chart with all tables."""
        whole.datasets = dict(self._tables)
        return whole
