"""Colours, axes and text that all charts share, and a scale of shades for paper and dark screens.

The scale has one hue, from pale to deep, so that it reads the same with any colour vision and in
grey; the text on every shade has a contrast of at least 4.5 to 1 (WCAG 2.2, AA).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from weatherglass._files import address_space_left, format_size
from weatherglass.errors import MissingExtra, WeatherglassError

INK, ACCENT, PALE, RULE = "#1f4e5f", "#d9822b", "#9aa5a9", "#d9dee0"
SOFT, TEXT = "#51646b", "#333"
DEEP_ACCENT = "#b8600b"  # for lines and text, where the accent is too light
SERIES = (INK, DEEP_ACCENT, "#7a5c99", "#3f7f57", "#b0485a", "#6d6d2c")
"""Colours of sources, in their order."""

LIGHT = ("#e8f2f4", "#cfe3e8", "#b1d1da", "#8dbbc8", "#649fb1", "#38788c", "#1f4e5f")
DARK = ("#182c33", "#1b3b47", "#1f4e5f", "#2c6679", "#5f9db0", "#92c3d1", "#c8e6ee")
INKS = ("#0b1c22", "#ffffff")
STEPS = len(LIGHT)

Values = list[dict[str, Any]]
"""The rows of a chart's data."""


def import_altair() -> Any:
    """Import altair, which draws.

    Raises
    ------
    MissingExtra
        It is not installed.
    WeatherglassError
        A limit of the address space would abort the process when a chart is drawn.
    """
    try:
        import altair
        import vl_convert  # noqa: F401  # altair calls it to draw
    except ImportError:
        raise MissingExtra("A chart", "plots") from None
    if not _has_address_space():
        raise WeatherglassError(
            f"A chart cannot be drawn: that needs {format_size(_ENGINE_BYTES)} of address space, "
            "more than this process may reserve. Remove the limit, or do without charts."
        )
    return altair


# What the JavaScript engine of vl-convert reserves when it starts, of which it uses little.
_ENGINE_BYTES = 65 << 30


@functools.cache  # once the engine has started, less is left
def _has_address_space() -> bool:
    return address_space_left() >= _ENGINE_BYTES


def quiet_axis(font_size: float = 11, **options: Any) -> Any:
    """An axis of grid lines, without a line and ticks of its own."""
    sizes = {"labelFontSize": font_size, "titleFontSize": font_size}
    return import_altair().Axis(gridColor=RULE, domain=False, ticks=False, **sizes, **options)


def without_frame() -> Any:
    """The background of a view without a frame."""
    return import_altair().ViewBackground(strokeWidth=0)


def halo_text(
    chart: Any, encoding: Mapping[str, Any], *, halo_width: float = 3, **mark: Any
) -> list[Any]:
    """Layers of text on a white halo, which keeps it readable over lines."""
    halo = {"stroke": "white", "strokeWidth": halo_width, "strokeJoin": "round"}
    return [chart.mark_text(**mark, **extra).encode(**encoding) for extra in (halo, {})]


def pad_range(values: Sequence[float], share: float) -> list[float]:
    """The range of values, wider by a share of it at both ends."""
    low, high = min(values), max(values)
    padding = share * (high - low or 1)
    return [low - padding, high + padding]


def contrast(first: str, second: str) -> float:
    """The contrast of two colours, 1 to 21, as WCAG defines it.

    >>> round(contrast("#000000", "#ffffff"))
    21
    """
    dark, bright = sorted((_luminance(first), _luminance(second)))
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ink_on(shade: str) -> str:
    """The colour of text on a shade: dark or white, whichever is easier to read."""
    return max(INKS, key=lambda ink: contrast(ink, shade))


def step(score: float, low: float, high: float) -> int:
    """The index of the shade of a score between `low` and `high`; all steps are equally wide.

    >>> [step(score, 0.1, 0.8) for score in (0.1, 0.19, 0.21, 0.8)]
    [0, 0, 1, 6]
    """
    if not math.isfinite(score) or not high > low:
        return 0
    return max(0, min(STEPS - 1, int(STEPS * (score - low) / (high - low))))


def rules() -> str:
    """The scale as CSS rules: ``.s0`` to ``.s6``, light, and dark on a dark screen."""
    light, dark = ("".join(_rule(*pair) for pair in enumerate(shades)) for shades in (LIGHT, DARK))
    return f"{light}@media screen and (prefers-color-scheme:dark){{{dark}}}"


def _rule(index: int, shade: str) -> str:
    return f".s{index}{{background:{shade};color:{ink_on(shade)}}}"


class Datasets:
    """Tables that the parts of a chart refer to by name, held once by the whole chart.

    Altair copies a part with all its data each time that parts are combined, which takes seconds
    where there are thousands of rows.

    Examples
    --------
    >>> import altair
    >>> data = Datasets()
    >>> chart = altair.Chart(data.add([{"x": 1}])).mark_point().encode(x="x:Q")
    >>> data.attach(chart).to_dict()["datasets"]
    {'data-1': [{'x': 1}]}
    """

    def __init__(self) -> None:
        self._tables: dict[str, Values] = {}

    def add(self, values: Values) -> Any:
        """Add a table, and return the reference to it for a part."""
        from altair import NamedData

        name = f"data-{len(self._tables) + 1}"
        self._tables[name] = values
        return NamedData(name)

    def attach(self, chart: Any) -> Any:
        """Attach all tables to the whole chart."""
        chart.datasets = dict(self._tables)
        return chart
