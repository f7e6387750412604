"""A question as a file: a test in YAML, its numbers as CSV, a script that repeats it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weatherglass.catalog import Test

from .answering import Answer
from .question import SIDES


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


def as_python(answer: Answer, specs: Mapping[str, str]) -> str:
    """A script that measures the same, and prints effect and p-value; `specs` are the sources."""
    question = answer.question
    options: dict[str, Any] = {}
    if question.alternative != "greater":
        options["alternative"] = question.alternative
    if question.missing != 0.2:
        options["max_missing"] = question.missing
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    sources = ",\n    ".join(repr(_whole(specs[name])) for name in answer.results)
    return (
        "import weatherglass as wg\n\n"
        f"sources = [\n    {sources},\n]\n"
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


def _whole(spec: str) -> str:
    """A source's name that means the same in any folder."""
    path = Path(spec)
    try:
        return str(path.resolve()) if path.exists() else spec
    except (OSError, ValueError):
        return spec
