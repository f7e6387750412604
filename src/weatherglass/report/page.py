"""The frame of a page and its charts: one file that fetches nothing, runs only its own script."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from weatherglass._version import __version__
from weatherglass.catalog import is_slur, mask_slurs

from .charts import style
from .html import element, join, make_visible

# A second defence: even if hostile text slipped through, the browser would run and fetch nothing.
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
_SLUR_MARKS = (' class="slur"', '{"$slur":[')  # text cannot imitate them: its quotes are escaped
_WARNING = (
    "This page lists stereotypes that an embedding has learned from text. Some are offensive. "
    "The page reports that the embedding holds them, not that they are true."
)


@cache
def style_sheet(*extra_sheets: str) -> str:
    """The style sheet of all pages, with extra sheets."""
    folder = files("weatherglass.report")
    names = ("discovery.css", *extra_sheets)
    sheets = (folder.joinpath(name).read_text(encoding="utf-8") for name in names)
    return "".join(sheets) + style.rules()


def render_page(
    title: str,
    sections: Sequence[str],
    *,
    show_slurs: bool,
    contents: Markup | None = None,
    script: str = "",
    sheets: Sequence[str] = (),
) -> str:
    """Render a page with a heading, a warning and sections.

    Slurs are masked unless `show_slurs`. `contents` comes between heading and sections, `script`
    runs at the end of the page, and `sheets` names extra style sheets.
    """
    main = join(*sections)
    has_slurs = any(mark in main for mark in _SLUR_MARKS)
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_security_policy(script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Markup(style_sheet(*sheets))),
    )
    body = element(
        "body",
        element("a", "Skip to the results", class_="skip", href="#main"),
        element("header", element("h1", title), _warning(has_slurs, show_slurs)),
        contents or "",
        element("main", main, id="main"),
        element("footer", f"Written by Weatherglass {__version__}. This page needs no network."),
        element("script", Markup(script)) if script else "",
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _security_policy(script: str) -> str:
    """The content security policy; it allows only the script with this hash."""
    if not script:
        return _CONTENT_SECURITY_POLICY
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"{_CONTENT_SECURITY_POLICY}; script-src 'sha256-{digest}'"


def _warning(has_slurs: bool, show_slurs: bool) -> Markup:
    parts: list[str] = [element("p", _WARNING)]
    if has_slurs:
        parts.append(checkbox("slurs", "Show slurs, which are masked with asterisks", show_slurs))
    return element("div", *parts, class_="warning")


def checkbox(name: str, text: str, on: bool = False) -> Markup:
    """A checkbox; the style sheet has the rules that it switches."""
    box = element("input", type="checkbox", id=name, checked=on, autocomplete="off")
    return element("label", box, " ", text, class_="tick")


def screen_reader_text(text: str) -> Markup:
    """Text for screen readers only."""
    return element("span", text, class_="spoken")


def section(name: str, heading: str, *content: str) -> Markup:
    """A section with its heading."""
    return element("section", element("h2", heading), *content, id=name)


def definition_list(pairs: Sequence[tuple[str, str]]) -> Markup:
    """Terms with their descriptions; terms without one are left out."""
    items = (
        join(element("dt", term), element("dd", description))
        for term, description in pairs
        if description
    )
    return element("dl", *items)


def tiles(pairs: Sequence[tuple[str, str]]) -> Markup:
    """Headline figures, each with what it counts."""
    items = (
        element("li", element("b", figure), " ", element("span", text)) for figure, text in pairs
    )
    return element("ul", *items, class_="tiles")


FONT = "Arial, Liberation Sans, sans-serif"

Draw = Callable[..., Markup]
"""Puts a chart on a page, or nothing: a function that makes the chart, then as `chart_figure`."""

_IDS = re.compile(r'(?<=\bid=")|(?<=url\(#)|(?<=href="#)')
_COORDINATES = re.compile(r' (?:d|transform)="[^"]*"')
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_NAMESPACES = re.compile(r' xmlns(:xlink)?="[^"]*"')


def can_draw() -> bool:
    """Whether the packages that draw are installed."""
    try:
        import altair  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError:
        return False
    return True


def chart_figure(chart: Any, name: str, description: str, *, fluid: bool = False) -> Markup:
    """A chart as a figure of a page: a static SVG, and the data from which the script redraws it.

    Parameters
    ----------
    chart
        An altair chart with its data inline.
    name
        Its id on the page.
    description
        What a screen reader says in its place. The numbers are in a table next to it.
    fluid
        Whether it may be as wide as the page allows: a chart of one view, with a width.
    """
    spec = describe_chart(chart)
    static = element(
        "div", _static_svg(spec, name), class_="picture", role="img", aria_label=description
    )
    data = element("script", Markup(_script_json(_pack_tables(spec))), type="application/json")
    return element("figure", static, data, id=name, class_="chart", data_fluid=fluid)


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
    return Markup(_IDS.sub(f"{name}-", svg))


def _round_numbers(coordinates: re.Match[str]) -> str:
    """Round coordinates to a hundredth of a pixel, which makes the page smaller."""
    return _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.2f}", coordinates[0])


def _pack_tables(value: Any) -> Any:
    """Write each table as its column names and rows: repeated names are most of its size.

    >>> _pack_tables({"values": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]})
    {'values': {'$rows': [['x', 'y'], [1, 2], [3, 4]]}}
    """
    if isinstance(value, dict):
        return {key: _pack_tables(item) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    is_table = len(value) > 1 and all(isinstance(row, dict) for row in value)
    columns = list(value[0]) if is_table else []
    if columns and all(list(row) == columns for row in value) and "$slur" not in columns:
        rows = ([_pack_tables(row[column]) for column in columns] for row in value)
        return {"$rows": [columns, *rows]}
    return [_pack_tables(item) for item in value]


def _script_json(value: Any) -> str:
    r"""Write JSON that cannot end the script element it stands in.

    >>> print(_script_json(["</script>", "\u2028"]))
    ["\u003c/script\u003e","\u2028"]
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


@cache
def chart_script() -> str:
    """Vega, Vega-Lite and the code that starts them, as one script."""
    import vl_convert

    start = files("weatherglass.report").joinpath("pictures.js").read_text(encoding="utf-8")
    bundle: str = vl_convert.javascript_bundle(start)
    return bundle.replace("</script", r"<\/script").replace("<!--", r"<\!--")
