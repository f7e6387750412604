"""The chart of a corpus: how long its documents are."""

from __future__ import annotations

from typing import Any

from .style import INK, Values, import_altair, quiet_axis


def plot_lengths(rows: Values) -> Any:
    """Draw how many documents have about how many words.

    >>> plot_lengths([{"words": 100, "documents": 3}]).to_dict()["width"]
    330
    """
    alt = import_altair()
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(color=INK)
        .encode(
            alt.X("words:O", axis=quiet_axis(title="words in a document (about)", labelAngle=0)),
            alt.Y("documents:Q", axis=quiet_axis(title="documents")),
            tooltip=["words:Q", "documents:Q"],
        )
        .properties(width=330, height=120)
        .configure_view(strokeWidth=0)
    )
