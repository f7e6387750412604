"""The frame of a page: one file, nothing fetched, and no script but those that it is made with."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from weatherglass._version import __version__
from weatherglass.catalog import is_slur, masked
from weatherglass.report.charts import style

from .html import Markup, element, join, make_visible

# Even if hostile text were to slip through, the browser runs no script of its and fetches nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_SLURS = (' class="slur"', '{"$slur":[')  # no text can look like these: its quotes are escaped
_NOTHING = Markup()
_WARNING = (
    "This page lists stereotypes that an embedding has learned from text. Some are offensive. "
    "They are shown because they are there, not because they are true."
)


@cache
def style_sheet(*more: str) -> str:
    """The style of every page, and of some."""
    folder = files("weatherglass.report")
    sheets = (
        folder.joinpath(name).read_text(encoding="utf-8") for name in ("discovery.css", *more)
    )
    return "".join(sheets) + style.rules()


def render_page(
    title: str,
    sections: Sequence[str],
    *,
    show_slurs: bool,
    contents: Markup = _NOTHING,
    script: str = "",
    sheets: Sequence[str] = (),
) -> str:
    """A whole page with a heading, a warning and sections.

    Slurs are masked unless `show_slurs`. `contents` stands between heading and sections, `chart_script`
    runs when all is there, and `sheets` are further style sheets.
    """
    main = join(*sections)
    has_slurs = any(mark in main for mark in _SLURS)
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Markup(style_sheet(*sheets))),
    )
    body = element(
        "body",
        element("a", "Skip to the results", class_="skip", href="#main"),
        element("header", element("h1", title), _warning(has_slurs, show_slurs)),
        contents,
        element("main", main, id="main"),
        element("footer", f"Made with Weatherglass {__version__}. This page needs no network."),
        element("script", Markup(script)) if script else "",
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _policy(script: str) -> str:
    """What the browser may do; a script must be the one with this hash."""
    if not script:
        return _POLICY
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"{_POLICY}; script-src 'sha256-{digest}'"


def _warning(has_slurs: bool, show_slurs: bool) -> Markup:
    parts: list[str] = [element("p", _WARNING)]
    if has_slurs:
        parts.append(checkbox("slurs", "Show slurs, which are masked with asterisks", show_slurs))
    return element("div", *parts, class_="warning")


def checkbox(name: str, text: str, on: bool = False) -> Markup:
    """A box to tick; the style sheet does what it says."""
    box = element("input", type="checkbox", id=name, checked=on, autocomplete="off")
    return element("label", box, " ", text, class_="tick")


def screen_reader_text(text: str) -> Markup:
    """Text for screen readers only."""
    return element("span", text, class_="spoken")


def section(name: str, heading: str, *inside: str) -> Markup:
    """A section with its heading."""
    return element("section", element("h2", heading), *inside, id=name)


def definition_list(pairs: Sequence[tuple[str, str]]) -> Markup:
    """Terms and what is said of them."""
    made = (join(element("dt", a), element("dd", b)) for a, b in pairs if b)
    return element("dl", *made)


def tiles(pairs: Sequence[tuple[str, str]]) -> Markup:
    """Figures to be seen first, each with what it counts."""
    made = (element("li", element("b", a), " ", element("span", b)) for a, b in pairs)
    return element("ul", *made, class_="tiles")


FONT = "Arial, Liberation Sans, sans-serif"
SLUR = '{"$slur":['
"""How a slur stands in a chart's data; no text can look like this: its quotes are escaped."""

Draw = Callable[..., Markup]
"""Puts a chart on a page, or nothing: what makes it, and then as for `chart_figure`."""

_IDS = re.compile(r'(?<=\bid=")|(?<=url\(#)|(?<=href="#)')
_PLACES = re.compile(r' (?:d|transform)="[^"]*"')
_LONG = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_NAMESPACES = re.compile(r' xmlns(:xlink)?="[^"]*"')


def can_draw() -> bool:
    """Whether the packages that draw are there."""
    try:
        import altair  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError:
        return False
    return True


def chart_figure(chart: Any, name: str, told: str, *, fluid: bool = False) -> Markup:
    """A chart as a figure.

    Parameters
    ----------
    chart
        An altair chart with its data inside.
    name
        Its id on the page.
    told
        What a screen reader says in its place. The numbers stand in a table beside it.
    fluid
        Whether it may be as wide as there is room: a chart of one view, with a width.
    """
    spec = describe_chart(chart)
    still = element("div", _still(spec, name), class_="picture", role="img", aria_label=told)
    data = element("script", Markup(_inside_script(_packed(spec))), type="application/json")
    return element("figure", still, data, id=name, class_="chart", data_fluid=fluid)


def describe_chart(chart: Any) -> dict[str, Any]:
    """A chart's Vega-Lite description for the page: slurs marked, numbers short, no ground."""
    spec: dict[str, Any] = chart.to_dict(validate=False)
    spec.pop("$schema", None)
    # Hundreds of marks are no text for a screen reader: the figure has its own.
    more = {"aria": False, "font": FONT, "background": "transparent"}
    spec["config"] = spec.get("config", {}) | more
    spec.pop("background", None)
    made: dict[str, Any] = _marked(spec)
    return made


def mask_slurs(chart: Any) -> Any:
    """The same chart with slurs masked, for a file."""
    spec = _marked(chart.to_dict(validate=False))
    if not _has_slurs(spec):  # as nearly always; to read a description back takes long
        return chart
    return type(chart).from_dict(_chosen(spec, 0), validate=False)


def _marked(value: Any) -> Any:
    """Text that has a slur becomes a pair: masked, and as it is."""
    if isinstance(value, dict):
        return {key: _marked(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_marked(one) for one in value]
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, str):
        text = make_visible(value)
        return {"$slur": [masked(text), text]} if is_slur(text) else text
    return value


def _chosen(value: Any, shown: int) -> Any:
    """The description with one of each pair."""
    if isinstance(value, dict):
        if "$slur" in value:
            return value["$slur"][shown]
        return {key: _chosen(one, shown) for key, one in value.items()}
    if isinstance(value, list):
        return [_chosen(one, shown) for one in value]
    return value


def _has_slurs(value: Any) -> bool:
    if isinstance(value, dict):
        return "$slur" in value or any(map(_has_slurs, value.values()))
    return isinstance(value, list) and any(map(_has_slurs, value))


def _still(spec: dict[str, Any], name: str) -> Markup:
    """The chart as SVG, masked; ids are made its own, because a page has many charts."""
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(_chosen(spec, 0))
    drawn = _PLACES.sub(_shorter, _NAMESPACES.sub("", drawn))
    return Markup(_IDS.sub(f"{name}-", drawn))


def _shorter(places: re.Match[str]) -> str:
    """Places to a hundredth of a pixel."""
    return _LONG.sub(lambda number: f"{float(number[0]):.2f}", places[0])


def _packed(value: Any) -> Any:
    """The same with each table as its heads and rows: names of columns are most of its letters.

    >>> _packed({"values": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]})
    {'values': {'$rows': [['x', 'y'], [1, 2], [3, 4]]}}
    """
    if isinstance(value, dict):
        return {key: _packed(one) for key, one in value.items()}
    if not isinstance(value, list):
        return value
    tabular = len(value) > 1 and all(isinstance(one, dict) for one in value)
    heads = list(value[0]) if tabular else []
    if heads and all(list(one) == heads for one in value) and "$slur" not in heads:
        return {"$rows": [heads, *([_packed(one[head]) for head in heads] for one in value)]}
    return [_packed(one) for one in value]


def _inside_script(value: Any) -> str:
    r"""JSON that no text can break out of.

    >>> print(_inside_script(["</script>", "\u2028"]))
    ["\u003c/script\u003e","\u2028"]
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


@cache
def chart_script() -> str:
    """Vega, Vega-Lite and what starts them, as one script."""
    import vl_convert

    start = files("weatherglass.report").joinpath("pictures.js").read_text(encoding="utf-8")
    made: str = vl_convert.javascript_bundle(start)
    return made.replace("</script", r"<\/script").replace("<!--", r"<\!--")
