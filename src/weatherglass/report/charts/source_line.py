"""The line of a chart that says what was measured, by which version, and when it was drawn."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from weatherglass.measures import Result

from ..html import MAX_WORD_LENGTH, spell
from ..model_titles import model_title
from .style import SOFT, import_altair

_MAX_SOURCES = 3


def add_source_line(chart: Any, results: Sequence[Result]) -> Any:
    """Return a chart with its sources, the version and the date, so that it can stand alone.

    The line is the last one of the subtitle; under charts side by side, which have headings of
    their own, it is at the bottom. ``SOURCE_DATE_EPOCH`` sets another date than today's.
    """
    alt = import_altair()
    line = source_line(results)
    title = chart.title
    if title is alt.Undefined:
        look = {"fontSize": 10, "fontWeight": "normal", "color": SOFT, "orient": "bottom"}
        return chart.properties(title=alt.TitleParams(line, anchor="start", offset=12, **look))
    plain = title if isinstance(title, dict) else {"text": title}
    if isinstance(title, alt.TitleParams):
        plain = title.to_dict(validate=False)
    subtitle = plain.get("subtitle") or []
    lines = [subtitle] if isinstance(subtitle, str) else list(subtitle)
    given = {"anchor": "start", "subtitleColor": SOFT} | plain
    return chart.properties(title=alt.TitleParams(**given | {"subtitle": [*lines, line]}))


def source_line(results: Sequence[Result]) -> str:
    """Return the sources of results, the version that measured them, and the date.

    >>> import weatherglass as wg
    >>> result = wg.weat(wg.open_vectors("default"), "weat6")
    >>> source_line([result])[:31]
    'GloVe 6B · 50d. Weatherglass 0.'
    """
    listed_names = [
        model_title(source if source.get("name") == name else {"name": name}) or _short(name)
        for result in results
        for source in [getattr(result, "source", {})]
        for name in result.source_name.split(", ")
    ]
    names = list(dict.fromkeys(listed_names))
    listed = ", ".join(names) if len(names) <= _MAX_SOURCES else f"{len(names)} sources"
    versions = ", ".join(dict.fromkeys(result.version for result in results))
    return f"{listed}. Weatherglass {versions}, {_date()}."


def _short(name: str) -> str:
    """The name of a source; of a long path, its last part."""
    return spell(name if len(name) <= MAX_WORD_LENGTH else PurePath(name).name, phrase=False)


def _date() -> str:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch.isdigit():
        return datetime.datetime.fromtimestamp(int(epoch), datetime.UTC).date().isoformat()
    return datetime.date.today().isoformat()
