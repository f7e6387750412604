"""One scale of colours from weak to strong, for white paper and for dark screens.

One hue, from pale to deep, so that it reads the same with any colour vision and in grey; the text
on every shade has a contrast of at least 4.5 to 1 (WCAG 2.2, AA).
"""

from __future__ import annotations

import math
from typing import Any

LIGHT = ("#e8f2f4", "#cfe3e8", "#b1d1da", "#8dbbc8", "#649fb1", "#38788c", "#1f4e5f")
DARK = ("#182c33", "#1b3b47", "#1f4e5f", "#2c6679", "#5f9db0", "#92c3d1", "#c8e6ee")
INKS = ("#0b1c22", "#ffffff")
STEPS = len(LIGHT)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, 1 to 21, as WCAG defines it.

    >>> round(contrast("#000000", "#ffffff"))
    21
    """
    dark, bright = sorted((_luminance(one), _luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ink_on(shade: str) -> str:
    """The colour of text on a shade: dark or white, whichever is easier to read."""
    return max(INKS, key=lambda ink: contrast(ink, shade))


def step(score: float, low: float, high: float) -> int:
    """Which shade a score between `low` and `high` has, from 0; all steps are equally wide.

    >>> [step(score, 0.1, 0.8) for score in (0.1, 0.19, 0.21, 0.8)]
    [0, 0, 1, 6]
    """
    if not math.isfinite(score) or not high > low:
        return 0
    return max(0, min(STEPS - 1, int(STEPS * (score - low) / (high - low))))


def rules() -> str:
    """The scale as style rules: ``.s0`` to ``.s6``, light, and dark on a dark screen."""
    light, dark = ("".join(_rule(*one) for one in enumerate(shades)) for shades in (LIGHT, DARK))
    return f"{light}@media screen and (prefers-color-scheme:dark){{{dark}}}"


def _rule(at: int, shade: str) -> str:
    return f".s{at}{{background:{shade};color:{ink_on(shade)}}}"


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
