"""An answer as files: the picture, the test, the numbers, a script."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter
from starlette.responses import Response

from weatherglass.errors import CannotMeasure
from weatherglass.report.arranged import asked
from weatherglass.report.strips import strips

from .answering import answered
from .answers import MAY_WORK
from .charts import FILE_PATIENCE, PICTURE, Form, as_file, picture
from .downloads import as_python, as_yaml
from .question import Asked, JobOf
from .session import Here

router = APIRouter(default_response_class=Response)
_KINDS = {"yaml": "application/yaml", "csv": "text/csv", "py": "text/x-python"}
_CONTENT = {
    kind: {"schema": {"type": "object" if name == "yaml" else "string"}}
    for name, kind in _KINDS.items()
}


@router.get("/ask/picture.{form}", responses={**PICTURE, **MAY_WORK})
async def word_strips(here: Here, question: Asked, form: Form, job: JobOf = "") -> Response:
    """The association of every target, source by source."""
    made = await answered(here, question, job, FILE_PATIENCE if form == "svg" else None)
    names = {one.source["name"]: name for name, one in made.done.items()}

    def draw() -> Any:
        if not names:
            raise CannotMeasure("There is nothing to draw: the test was not run.")
        return strips(asked(made.done.values())[0], names)

    return await picture(here, ("strips", made.key), draw, form, name=made.test.id, job=job)


@router.get(
    "/ask/download.{kind}",
    responses={**MAY_WORK, 200: {"description": "The file.", "content": _CONTENT}},
)
async def download(
    here: Here, question: Asked, kind: Literal["yaml", "csv", "py"], job: JobOf = ""
) -> Response:
    """The test as YAML, the numbers as CSV, or a Python script that repeats them."""
    made = await answered(here, question, job, FILE_PATIENCE)
    if kind == "yaml":
        content = as_yaml(made.test)
    elif kind == "csv":
        content = made.all().to_delimited(",")
    else:
        content = as_python(made, {one.name: one.spec for one in here.sources})
    headers = as_file(made.test.id, kind)
    return Response(content.encode("utf-8", "replace"), media_type=_KINDS[kind], headers=headers)
