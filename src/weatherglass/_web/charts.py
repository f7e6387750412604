"""Pictures on the pages: the charts of the report, drawn by the browser, or as a file."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, Literal

from markupsafe import Markup
from starlette.responses import Response

from weatherglass.report import describe_chart, element, import_altair, mask_slurs, save_plot

from .rendering import FILE_WAIT_SECONDS, download_headers
from .session import Session

ChartFormat = Literal["json", "svg"]
CHART_TYPES: dict[str, str] = {"json": "application/json", "svg": "image/svg+xml"}
CHART_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The picture: described for Vega-Lite, or drawn.",
        "content": {
            "application/json": {"schema": {"type": "object"}},
            "image/svg+xml": {"schema": {"type": "string"}},
        },
    }
}
"""What a route of pictures answers."""


async def chart_response(
    here: Session,
    key: Hashable,
    make: Callable[[], Any],
    form: ChartFormat,
    *,
    name: str = "picture",
    job: str = "",
) -> Response:
    """A chart as an answer: ``json`` for the browser to draw, ``svg`` as a file.

    What the browser draws has slurs both ways, and obeys the reader's tick; the file has them
    masked.

    Parameters
    ----------
    here
        The server.
    key
        What tells this chart from others, with the fingerprints of its sources.
    make
        Gives the altair chart; it is called in another thread.
    form
        The one or the other.
    name
        What the file is called.
    job
        The job that is waited for, if any.
    """

    def draw(report: Callable[..., None]) -> bytes:
        import_altair()  # raises where the package is missing
        return _encode_chart(make(), form)

    patience = FILE_WAIT_SECONDS if form == "svg" else None
    content = await here.jobs.answer(
        ("picture", form, key), "Drawing", draw, job=job, patience=patience
    )
    return Response(
        content, media_type=CHART_TYPES[form], headers=download_headers(name, "svg", form == "svg")
    )


def chart_figure(spec: str, still: str, told: str) -> Markup:
    """Where the browser draws a picture, in what the report writes; ``parts.html`` has the same."""
    image = element("noscript", element("img", src=still, alt=told))
    room = element("div", image, class_="picture", role="img", aria_label=told)
    return element("figure", room, class_="chart", data_spec=spec)


def _encode_chart(chart: Any, form: ChartFormat) -> bytes:
    if form == "json":
        return json.dumps(describe_chart(chart), separators=(",", ":"), allow_nan=False).encode()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "chart.svg")
        save_plot(mask_slurs(chart), file)
        return file.read_bytes()
