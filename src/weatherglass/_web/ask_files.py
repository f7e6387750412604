"""An answer as files: the picture, the test in YAML, the numbers as CSV, a script."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from fastapi import APIRouter
from starlette.responses import Response

from weatherglass.catalog import Test
from weatherglass.errors import CannotMeasure
from weatherglass.report.arranged import asked
from weatherglass.report.strips import strips

from .ask_answers import Answer, answered
from .ask_question import SIDES, Asked, JobOf
from .charts import PICTURE, Form, picture
from .files import FILE_PATIENCE, as_file, file_of
from .responses import MAY_WORK
from .session import Here
from .sources import Source

router = APIRouter(default_response_class=Response)
_KINDS = {"yaml": "application/yaml", "csv": "text/csv", "py": "text/x-python"}


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
    responses={**file_of(_KINDS.values()), **MAY_WORK},
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
        content = as_python(made, here.sources, here.settings.is_local)
    headers = as_file(made.test.id, kind)
    return Response(content.encode("utf-8", "replace"), media_type=_KINDS[kind], headers=headers)


def as_yaml(test: Test) -> str:
    r"""A test as a file that `weatherglass.load_tests` reads.

    >>> print(as_yaml(Test(x=["no"], y=["on"], a=["1e5"], b=["\x1b"])), end="")
    id: "custom"
    title: "X vs Y, A vs B"
    x: {label: "X", words: ["no"]}
    y: {label: "Y", words: ["on"]}
    a: {label: "A", words: ["1e5"]}
    b: {label: "B", words: ["\u001b"]}
    """
    lines = [f"id: {_quoted(test.id)}", f"title: {_quoted(test.title)}"]
    for side in SIDES:
        one = test.sets[side.upper()]
        words = ", ".join(map(_quoted, one.words))
        lines.append(f"{side}: {{label: {_quoted(one.label)}, words: [{words}]}}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Text in double quotes: then no word is anything but text."""
    plain = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in plain)


def as_python(answer: Answer, sources: Iterable[Source], shows_paths: bool = True) -> str:
    """A script that measures the same, and prints effect and p-value.

    A file that was sent to the page goes with it, and where files lie is shown to nobody on
    another machine: there the reader puts in the path of a copy.
    """
    question = answer.question
    options: dict[str, Any] = {}
    if question.alternative != "greater":
        options["alternative"] = question.alternative
    if question.missing != 0.2:
        options["max_missing"] = question.missing
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    known = {one.name: one for one in sources}
    lines = "".join(f"    {_line(known[name], shows_paths)}\n" for name in answer.results)
    return (
        "import weatherglass as wg\n\n"
        f"sources = [\n{lines}]\n"
        f"test = {_test(answer)}\n"
        "for source in sources:\n"
        f"    result = wg.weat(wg.open_vectors(source), test{given})\n"
        '    if result.status == "done":\n'
        "        print(source, result.effect, result.p.value, result.p.method)\n"
        "    else:\n"
        '        print(source, "not run:", result.reason)\n'
    )


def _test(answer: Answer) -> str:
    if answer.question.test:
        return f"wg.test({answer.question.test!r})"
    sets = "".join(
        f"    {side}={{'label': {one.label!r}, 'words': {list(one.words)!r}}},\n"
        for side, one in zip(SIDES, answer.test.sets.values(), strict=True)
    )
    return f"wg.Test(\n{sets})"


def _line(source: Source, shows_paths: bool) -> str:
    """A source, under a name that means the same in any folder."""
    path = Path(source.spec)
    try:
        is_file = path.exists()
    except (OSError, ValueError):
        is_file = False
    if not is_file:
        return f"{source.spec!r},"
    if source.is_sent or not shows_paths:
        return f"{source.name!r},  # put in the path of your own copy"
    return f"{str(path.resolve())!r},"
