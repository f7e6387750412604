"""Pictures on the pages: the charts of the report, drawn by the browser, or as a file."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from starlette.responses import Response

from weatherglass.report.pictures import described, with_slurs_masked
from weatherglass.report.plots import drawing, save_plot

from .session import Session

Form = Literal["json", "svg"]
FILE_PATIENCE = 30.0
KINDS: dict[str, str] = {"json": "application/json", "svg": "image/svg+xml"}
PICTURE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The picture: described for Vega-Lite, or drawn.",
        "content": {
            "application/json": {"schema": {"type": "object"}},
            "image/svg+xml": {"schema": {"type": "string"}},
        },
    }
}
"""What a route of pictures answers."""


async def picture(
    here: Session,
    key: Hashable,
    make: Callable[[], Any],
    form: Form,
    *,
    name: str = "picture",
    slurs: bool = False,
    job: str = "",
) -> Response:
    """A chart as an answer: ``json`` for the browser to draw, ``svg`` as a file.

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
    slurs
        Whether the file has slurs as they are. What the browser draws has them both ways, and
        obeys the reader's tick.
    job
        The job that is waited for, if any.
    """

    def draw(report: Callable[..., None]) -> bytes:
        drawing()  # raises where the package is missing
        return _written(make(), form, slurs)

    # A file that is asked for by a link is waited for: what came instead would be kept as the file.
    patience = FILE_PATIENCE if form == "svg" else None
    content = await here.jobs.answer(
        ("picture", form, slurs, key), "Drawing", draw, job=job, patience=patience
    )
    return Response(content, media_type=KINDS[form], headers=as_file(name, "svg", form == "svg"))


def _written(chart: Any, form: Form, slurs: bool) -> bytes:
    if form == "json":
        return json.dumps(described(chart), separators=(",", ":"), allow_nan=False).encode()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "chart.svg")
        save_plot(chart if slurs else with_slurs_masked(chart), file)
        return file.read_bytes()


def as_file(name: str, ending: str, is_file: bool = True) -> dict[str, str]:
    """The header that lets a browser keep an answer as a file.

    >>> as_file("weat 6", "csv")["Content-Disposition"]
    "attachment; filename*=UTF-8''weat%206.csv"
    """
    if not is_file:
        return {}
    plain = "".join(c if c.isalnum() or c in " -_.@" else "-" for c in name)[:80].strip(" .")
    return {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(plain or 'file')}.{ending}"
    }
