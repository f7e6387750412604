"""What the server sends: pages from templates, static files, charts, and files to download.

Templates escape everything; their filters mask slurs, as the report does.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import threading
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from jinja2 import Environment
from markupsafe import Markup
from starlette.responses import Response

from weatherglass._files import delimited_text
from weatherglass.report import (
    MODEL_TITLES,
    create_environment,
    describe_chart,
    element,
    import_altair,
    mask_chart,
    numbers,
    save_plot,
    style_sheet,
)

from .jobs import Jobs

NAV: list[tuple[str, str]] = []
"""The pages in the top bar: name and path."""

SHOW_SLURS: ContextVar[bool] = ContextVar("show_slurs", default=False)
"""Whether the reader of the current request chose to see slurs."""

MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}

FILE_WAIT_SECONDS = 30.0
"""How long a download waits for its job: the browser would save a progress page as the file."""

ChartFormat = Literal["json", "svg"]
CHART_TYPES: dict[str, str] = {"json": "application/json", "svg": "image/svg+xml"}
CHART_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The chart: as a Vega-Lite specification, or drawn.",
        "content": {
            "application/json": {"schema": {"type": "object"}},
            "image/svg+xml": {"schema": {"type": "string"}},
        },
    }
}
"""The `responses` of a route that returns a chart."""


# Pages


def render(template: str, /, **values: Any) -> str:
    """Fill in a template of ``pages/``."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    environment = create_environment(("weatherglass._web", "pages"))
    environment.filters["hide_commands"] = hide_commands
    environment.filters["model"] = name_model
    environment.filters["concept"] = name_concept
    environment.filters["capitalised"] = capitalise_first
    shared: dict[str, Any] = {
        "nav": NAV,
        "static": static_url,
        "signed": format_signed,
        "show_slurs": show_slurs,
    }
    environment.globals |= shared
    return environment


def name_model(source: str) -> str:
    """Return what people call an embedding, from its name on the pages.

    >>> name_model("default"), name_model("vectors.txt")
    ('GloVe 6B', 'vectors.txt')
    """
    return MODEL_TITLES.get(source, source)


def name_concept(concept: str) -> str:
    """Return the concept of a seed set as a heading.

    >>> name_concept("black-names"), name_concept("career")
    ('Black names', 'Career')
    """
    return capitalise_first(concept.replace("-", " "))


def capitalise_first(text: str) -> str:
    """Return text with a capital at its beginning; the rest stays as it is.

    >>> capitalise_first("female names of Black people")
    'Female names of Black people'
    """
    return text[:1].upper() + text[1:]


def show_slurs() -> bool:
    """Whether the reader of the current request chose to see slurs."""
    return SHOW_SLURS.get()


def hide_commands(message: str) -> str:
    """Leave out what a message of the library says about the command line.

    A reader of a page has no shell at hand, and the options are fields of the page.

    >>> hide_commands("There is no test 'x'. See `weatherglass catalog list`.")
    "There is no test 'x'."
    """
    message = message.replace("; --allow-overlap runs it all the same", "")
    message = re.sub(r" \(--[^)]*\)", "", message)
    sentences = re.split(r"(?<=[.!?]) ", message)
    rest = [text for text in sentences if not re.search(r"`weatherglass |(?:^| )--\w", text)]
    return " ".join(rest) or message


def format_signed(value: float) -> str:
    """Format a difference with its sign.

    >>> format_signed(0.126), format_signed(-0.04)
    ('+0.13', '−0.04')
    """
    text = numbers.effect(value)
    return text if text.startswith("−") else f"+{text}"


# Static files


@cache
def static_file(name: str) -> bytes | None:
    """Return the content of a static file; None if there is no such file.

    ``site.css`` is preceded by the style sheet of the report, and ``charts.js`` is bundled with
    Vega.
    """
    folder = files("weatherglass._web").joinpath("static")
    if name not in {file.name for file in folder.iterdir()}:
        return None
    content = folder.joinpath(name).read_bytes()
    if name == "site.css":
        return style_sheet("audit.css").encode() + content
    if name == "charts.js":
        import vl_convert

        bundle: str = vl_convert.javascript_bundle(content.decode())
        return bundle.encode()
    return content


@cache
def static_url(name: str) -> str:
    """Return the address of a static file, with a hash of its content, so that browsers cache it.

    Bundling ``charts.js`` takes seconds, so its hash is that of its parts.
    """
    if name == "charts.js":
        from importlib.metadata import version

        source = files("weatherglass._web").joinpath("static", name).read_bytes()
        content = source + version("vl-convert-python").encode()
    else:
        content = static_file(name) or b""
    return f"/static/{name}?v={hashlib.sha256(content).hexdigest()[:12]}"


# Charts


async def chart_response(
    jobs: Jobs,
    key: Hashable,
    draw: Callable[[], Any],
    form: ChartFormat,
    *,
    name: str = "chart",
    job: str = "",
) -> Response:
    """Return a chart: ``json`` for the browser to draw, ``svg`` as a file.

    The JSON has slurs both masked and in full, so that the page can switch; in the file they are
    masked.

    Parameters
    ----------
    jobs
        The jobs of the server.
    key
        What distinguishes this chart from others, with the fingerprints of its sources.
    draw
        Returns the altair chart; called in a worker thread.
    form
        ``json`` or ``svg``.
    name
        The name of the file, without its suffix.
    job
        The id of the job that the page is waiting for, if any.
    """

    def work(report: Callable[..., None]) -> bytes:
        load_chart_libraries()  # raises MissingExtra before anything is computed
        return _encode_chart(draw(), form)

    content = await jobs.answer(
        ("chart", form, key),
        "Drawing the chart",
        work,
        job=job,
        wait_seconds=FILE_WAIT_SECONDS if form == "svg" else None,
    )
    headers = download_headers(name, "svg") if form == "svg" else {}
    return Response(content, media_type=CHART_TYPES[form], headers=headers)


def load_chart_libraries() -> None:
    """Import altair and what it looks for among the imported modules, one thread at a time.

    Altair asks ``sys.modules`` for pandas. If another thread is importing pandas at that moment, it
    is handed an unfinished module.
    """
    with _import_lock:
        with suppress(ImportError):
            import pandas  # type: ignore[import-untyped]  # noqa: F401
        import_altair()


_import_lock = threading.Lock()


def _encode_chart(chart: Any, form: ChartFormat) -> bytes:
    if form == "json":
        return json.dumps(describe_chart(chart), separators=(",", ":"), allow_nan=False).encode()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "chart.svg")
        save_plot(mask_chart(chart), file)
        return file.read_bytes()


def chart_figure(spec_url: str, image_url: str, description: str) -> Markup:
    """Return the figure in which the browser draws a chart, inside a section of the report.

    The macro `chart` of ``parts.html`` writes the same for templates.
    """
    image = element("img", src=image_url, alt="", loading="lazy")
    room = element("div", image, class_="picture", role="img", aria_label=description)
    return element("figure", room, class_="chart", data_spec=spec_url)


# Downloads


def file_responses(media_types: Iterable[str]) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of a route that returns a file of one of several types.

    >>> file_responses(["text/csv"])[200]["content"]
    {'text/csv': {'schema': {'type': 'string'}}}
    """
    objects = ("application/json", "application/yaml")
    content = {
        media_type.partition(";")[0]: {
            "schema": {} if media_type in objects else {"type": "string"}
        }
        for media_type in media_types
    }
    return {200: {"description": "The file.", "content": content}}


def csv_text(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Write a table as CSV.

    >>> print(csv_text(["word", "p"], [("sun, moon", 0.5), ("x", None)]), end="")
    word,p
    "sun, moon",0.5
    x,
    """
    return delimited_text([heads, *rows])


def download_headers(name: str, suffix: str) -> dict[str, str]:
    """Return the header with which a browser saves a response as a file.

    >>> download_headers("weat 6", "csv")["Content-Disposition"]
    "attachment; filename*=UTF-8''weat%206.csv"
    """
    safe = "".join(c if c.isalnum() or c in " -_.@" else "-" for c in name)[:80].strip(" .")
    return {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(safe or 'file')}.{suffix}"}
