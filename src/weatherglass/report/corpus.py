"""How a notebook shows a corpus: its size, its columns, and the lengths of its documents."""

from __future__ import annotations

import html
import itertools
import math
from collections import Counter
from collections.abc import Iterable

from weatherglass.corpus import Document
from weatherglass.errors import WeatherglassError, join_first

from .charts import plot_lengths

MAX_DOCUMENTS = 2_000
"""Documents that are read to describe a corpus; large corpora are described by their beginning."""

_MAX_VALUES = 5


def corpus_html(name: str, documents: Iterable[Document]) -> str:
    """Describe documents for a notebook: counts, columns with their values, and a chart.

    >>> print(corpus_html("weather", [Document("The sea was calm.", {"year": "1900"})])[:43])
    <p><b>weather</b>: 1 document, 4 words.</p>
    """
    read = list(itertools.islice(documents, MAX_DOCUMENTS + 1))
    is_part, read = len(read) > MAX_DOCUMENTS, read[:MAX_DOCUMENTS]
    lengths = [len(document.text.split()) for document in read]
    count = f"{len(read):,} document{'' if len(read) == 1 else 's'}"
    which = f"the first {count} have" if is_part else f"{count},"
    head = f"<p><b>{html.escape(name)}</b>: {which} {sum(lengths):,} words.</p>"
    return head + _columns_table(read) + _draw(lengths)


def _columns_table(documents: list[Document]) -> str:
    """The columns of metadata, each with its number of values and the most frequent ones."""
    columns: dict[str, Counter[str]] = {}
    for document in documents:
        for column, value in document.meta.items():
            columns.setdefault(column, Counter())[value] += 1
    rows = "".join(
        f"<tr><td>{html.escape(column)}</td><td>{len(values):,}</td><td>"
        + html.escape(
            join_first([value for value, _ in values.most_common(_MAX_VALUES + 1)], _MAX_VALUES)
        )
        + "</td></tr>"
        for column, values in columns.items()
    )
    names = ("column", "values", "most frequent")
    heads = "".join(f"<th scope='col'>{name}</th>" for name in names)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""


def _draw(lengths: list[int]) -> str:
    """A histogram of the lengths of documents as SVG; empty where it cannot be drawn."""
    counts = Counter(round(4 * math.log10(length)) for length in lengths if length)
    bars = sorted(counts.items())
    try:
        chart = plot_lengths([{"words": round(10 ** (k / 4)), "documents": n} for k, n in bars])
    except WeatherglassError:
        return ""
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(chart.to_json())
    return svg
