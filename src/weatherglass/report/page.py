"""The frame of a page and its charts: one file that fetches nothing, runs only its own script."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from weatherglass.catalog import is_slur, mask_slurs
from weatherglass.errors import WeatherglassError

from .charts import style
from .html import element, make_visible
from .templating import render_template

# A second defence: even if hostile text slipped through, the browser would run and fetch nothing.
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
_SLUR_MARKS = (' class="slur"', ' data-slur="')  # text cannot imitate them: its quotes are escaped
WARNING = (
    "This page lists stereotypes that an embedding has learned from text. Some are offensive. "
    "The page reports that the embedding holds them, not that they are true."
)


@cache
def style_sheet(*extra_sheets: str) -> str:
    """The style sheet of all pages, the design system first, with extra sheets."""
    folder = files("weatherglass.report")
    names = ("design.css", "discovery.css", *extra_sheets)
    sheets = (folder.joinpath(name).read_text(encoding="utf-8") for name in names)
    return "".join(sheets) + style.rules()


def render_page(
    title: str,
    sections: Sequence[str],
    *,
    show_slurs: bool,
    subtitle: str = "",
    warning: str = WARNING,
    contents: Markup | str = "",
    script: str = "",
    sheets: Sequence[str] = (),
) -> str:
    """Render a page with a heading, a warning and sections.

    Slurs are masked unless `show_slurs`. `subtitle` is below the heading, `contents` comes between
    heading and sections, `script` runs at the end of the page, `sheets` names extra style sheets,
    and `warning` says what is offensive on the page.
    """
    page = render_template(
        "frame.html",
        title=title,
        subtitle=subtitle,
        warning=warning,
        contents=contents,
        sections=sections,
        style=Markup(style_sheet(*sheets)),
        policy=_security_policy(script),
        script=Markup(script),
        has_slurs=any(mark in part for part in sections for mark in _SLUR_MARKS),
        show_slurs=show_slurs,
    )
    return f"{page.strip()}\n"


def _security_policy(script: str) -> str:
    """The content security policy; it allows only the script with this hash."""
    if not script:
        return _CONTENT_SECURITY_POLICY
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # Images are drawn from the page's own charts, to save them as PNG.
    return f"{_CONTENT_SECURITY_POLICY}; img-src data:; script-src 'sha256-{digest}'"


@cache
def report_script() -> str:
    """The script of reports: saves figures, shows slurs in charts, opens folds for print."""
    return files("weatherglass.report").joinpath("report.js").read_text(encoding="utf-8")


def section(name: str, heading: str, *content: str) -> Markup:
    """A section with its heading."""
    return element("section", element("h2", heading), *content, id=name)


FONT = "Arial, Liberation Sans, sans-serif"

Draw = Callable[..., Markup]
"""Puts a chart on a page, or nothing: a function that makes the chart, its id, its description."""

_IDS = re.compile(r'(?<=\bid=")|(?<=url\(#)|(?<=href="#)')
_COORDINATES = re.compile(r' (?:d|transform)="[^"]*"')
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_NAMESPACES = re.compile(r' xmlns(:xlink)?="[^"]*"')


def can_draw() -> bool:
    """Whether the packages that draw are installed, and can be used."""
    try:
        style.import_altair()
    except WeatherglassError:
        return False
    return True


def static_chart(chart: Any, name: str) -> Markup:
    """A chart as SVG for a page, with slurs masked; `name` is the prefix of its ids."""
    return _static_svg(describe_chart(chart), name)


def static_figure(chart: Any, name: str, description: str) -> Markup:
    """A chart as a figure of a page without a script; a screen reader says its description."""
    picture = static_chart(chart, name)
    static = element("div", picture, class_="picture", role="img", aria_label=description)
    return element("figure", static, id=name, class_="chart")


def describe_chart(chart: Any) -> dict[str, Any]:
    """A chart's Vega-Lite description for a page: slurs marked, numbers short, no background."""
    spec: dict[str, Any] = chart.to_dict(validate=False)
    spec.pop("$schema", None)
    # No ARIA labels on hundreds of marks: the figure has a description of its own.
    config = {"aria": False, "font": FONT, "background": "transparent"}
    spec["config"] = spec.get("config", {}) | config
    spec.pop("background", None)
    marked: dict[str, Any] = _mark_slurs(spec)
    return marked


def mask_chart(chart: Any) -> Any:
    """The same chart with slurs masked, for a file."""
    spec = _mark_slurs(chart.to_dict(validate=False))
    if not _has_slurs(spec):  # nearly always; altair takes long to read a description back
        return chart
    return type(chart).from_dict(_choose_slurs(spec, 0), validate=False)


def _mark_slurs(value: Any) -> Any:
    """Replace text that contains a slur by a pair: masked, and as it is."""
    if isinstance(value, dict):
        return {key: _mark_slurs(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_mark_slurs(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, str):
        text = make_visible(value)
        return {"$slur": [mask_slurs(text), text]} if is_slur(text) else text
    return value


def _choose_slurs(value: Any, index: int) -> Any:
    """Replace each pair of `_mark_slurs` by its masked (0) or its plain text (1)."""
    if isinstance(value, dict):
        if "$slur" in value:
            return value["$slur"][index]
        return {key: _choose_slurs(item, index) for key, item in value.items()}
    if isinstance(value, list):
        return [_choose_slurs(item, index) for item in value]
    return value


def _has_slurs(value: Any) -> bool:
    if isinstance(value, dict):
        return "$slur" in value or any(map(_has_slurs, value.values()))
    return isinstance(value, list) and any(map(_has_slurs, value))


def _static_svg(spec: dict[str, Any], name: str) -> Markup:
    """The chart as SVG with slurs masked; its ids get a prefix, because a page has many charts."""
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(_choose_slurs(spec, 0))
    svg = _COORDINATES.sub(_round_numbers, _NAMESPACES.sub("", svg))
    # The figure around it has a description; its parts have none that makes sense by itself.
    svg = svg.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)
    return Markup(_IDS.sub(f"{name}-", svg))


def _round_numbers(coordinates: re.Match[str]) -> str:
    """Round coordinates to a hundredth of a pixel, which makes the page smaller."""
    return _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.2f}", coordinates[0])
