"""The reproduction page: every table, figure and stated number of the papers, and its state here.

The rows are data (`reproduction.yaml`). A row that says "computed here" names the tests that check
it; whether they exist is looked up in the test files, and whether a command exists in the command
line, so that the page cannot claim what is not there.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import click
import yaml

from weatherglass._cli.main import cli
from weatherglass.catalog import tests as catalog_tests

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STATES = {
    "computed": "computed here",
    "user": "by you",
    "impossible": "not computable",
    "pending": "not yet",  # never published: `problems` names it
}


@dataclass(frozen=True)
class Row:
    """A table, figure or statement, and what there is of it here."""

    paper: str
    of: str
    what: str
    published: str
    ours: str = ""
    tests: tuple[str, ...] = ()
    command: str = ""
    needs: str = ""
    why: str = ""

    @property
    def state(self) -> str:
        """``computed``, ``user``, ``impossible``, or ``pending`` if its part is missing."""
        if self.why:
            return "impossible"
        if self.command:
            return "user" if has_command(self.command) else "pending"
        return "computed" if all(map(has_test, self.tests)) else "pending"

    @property
    def problems(self) -> list[str]:
        """What is wrong with the row: two states, no state, a test or a command that is missing."""
        name = f"{self.paper}, {self.of}, {self.what}"
        states = [bool(self.tests), bool(self.command), bool(self.why)]
        found = []
        if sum(states) != 1:
            found.append(f"{name}: one of tests, command and why is needed")
        if self.tests and not self.ours:
            found.append(f"{name}: what is computed is not stated")
        if self.command and not self.needs:
            found.append(f"{name}: what the command needs is not stated")
        if self.state == "pending":
            missing = [test for test in self.tests if not has_test(test)] or [self.command]
            found.append(f"{name}: there is no {', '.join(missing)}")
        return found


@dataclass(frozen=True)
class Paper:
    """A paper, with the tables and figures that it numbers."""

    id: str
    name: str
    title: str
    url: str
    numbered: tuple[str, ...]
    rows: tuple[Row, ...] = field(default=())


@cache
def load_papers() -> tuple[Paper, ...]:
    """Return the papers with their rows, those of the catalogue included."""
    content = yaml.safe_load((HERE / "reproduction.yaml").read_text(encoding="utf-8"))
    return tuple(
        Paper(
            entry["id"],
            entry["name"],
            entry["title"],
            entry["url"],
            tuple(entry["numbered"]),
            tuple(row for record in entry["rows"] for row in _rows(entry["id"], record)),
        )
        for entry in content["papers"]
    )


def _rows(paper: str, record: dict[str, Any]) -> Iterator[Row]:
    fields = {name: tuple(v) if name == "tests" else v for name, v in record.items()}
    table = fields.pop("catalogue", None)
    if table is None:
        yield Row(paper, **fields)
        return
    source, ours = fields.pop("source"), fields.pop("ours", {})
    for test in catalog_tests("weat*"):
        for figure in test.published:
            if figure.source == source and figure.table == table:
                variant = f"@{figure.variant}" if figure.variant in test.variants else ""
                values = dict(fields, ours=ours.get(test.id, ""))
                if "command" in fields:
                    values["command"] = fields["command"].format(id=test.id + variant)
                published = f"{figure.effect:.2f}, p {figure.p}"
                yield Row(paper, table, f"{test.id}: {test.title}", published, **values)


@cache
def _functions(path: str) -> frozenset[str]:
    file = ROOT / path
    if not file.is_file():
        return frozenset()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def has_test(name: str) -> bool:
    """Return whether a test exists, named as ``path::function``."""
    path, _, function = name.partition("::")
    return function in _functions(path)


_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e-\d+)?(?![\w])")


def unsupported_numbers(row: Row) -> list[str]:
    """Return the numbers in `ours` that occur in none of the row's tests or their constants."""
    text = " ".join(_test_text(*test.split("::")) for test in row.tests)
    known = {_plain(number) for number in _NUMBER.findall(text.replace("_", ""))}
    return [n for n in _NUMBER.findall(row.ours) if _plain(n) not in known]


def _plain(number: str) -> float:
    return float(number.replace(",", "").replace("_", "") or "nan")


@cache
def _test_text(path: str, function: str) -> str:
    """Return the source of a test, of its decorators, and of the constants of its file."""
    text = (ROOT / path).read_text(encoding="utf-8")
    parts = []
    for node in ast.parse(text).body:
        is_test = isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        if not is_test or node.name == function:
            parts.append(ast.get_source_segment(text, node) or "")
            parts += [
                ast.get_source_segment(text, decorator) or ""
                for decorator in getattr(node, "decorator_list", ())
            ]
    return " ".join(parts)


def has_command(line: str) -> bool:
    """Return whether the command line parses: command, options and number of arguments."""
    words = shlex.split(line)[1:]
    context = click.Context(cli)
    command: click.Command = cli
    while words and isinstance(command, click.Group):
        found = command.get_command(context, words[0])
        if found is None:
            return False
        command, words = found, words[1:]
    if isinstance(command, click.Group):
        return False
    parser = command.make_parser(click.Context(command, resilient_parsing=True))
    try:
        values, left, _ = parser.parse_args(list(words))
    except click.UsageError:
        return False
    choices = {p.name: p.type.choices for p in command.params if isinstance(p.type, click.Choice)}
    known = all(values.get(name) in {None, *some} for name, some in choices.items() if name)
    return known and not left  # more arguments than the command takes


def page() -> str:
    """Return the page as Markdown."""
    papers = load_papers()
    rows = [row for paper in papers for row in paper.rows]
    counts = {state: sum(row.state == state for row in rows) for state in STATES}
    listed = ", ".join(f"{counts[s]} {name}" for s, name in STATES.items() if counts[s])
    parts = [
        "# What of the papers is reproduced\n",
        f"Every numbered table and figure and every stated result of the five texts that "
        f"Weatherglass implements: {len(rows)} rows, {listed}. The page is made by "
        "`python docs/generate.py` from `docs/making/reproduction.yaml`, from the published "
        "figures of the catalogue and from the tests: a row says *computed here* only if the "
        "tests that it names exist, and `tests/test_reproduction.py` checks that no table, "
        "figure or stated number is missing, and that every command and choice of an option "
        "exists.\n",
        "- **computed here**: our number is beside the published one, and the numbers of the "
        "tests that check it are in parentheses. Tests on the rows of GloVe 840B need the file "
        "`../shared/data/glove840b-stimuli/vectors.txt` and are skipped without it.",
        "- **by you**: the command, and the file that it needs, which is not bundled.",
        "- **not computable**: why.",
    ]
    parts.append("")
    numbers: dict[str, int] = {}
    for paper in papers:
        parts += [f"## {paper.name}\n", f"[{paper.title}]({paper.url})\n"]
        parts += [*_table(paper, numbers), ""]
    parts += ["## How this page is checked\n", "| test | |", "|---|---|"]
    parts += [f"| {number} | `{test}` |" for test, number in numbers.items()]
    return "\n".join([*parts, ""])


def _table(paper: Paper, numbers: dict[str, int]) -> Iterator[str]:
    """Yield the rows; tests are numbered in the order in which they are first named."""
    yield "| of | what | | published | here |"
    yield "|---|---|---|---|---|"
    for row in paper.rows:
        if row.state == "computed":
            for test in row.tests:
                numbers.setdefault(test, len(numbers) + 1)
        cells = [row.of, row.what, STATES[row.state], row.published, _here(row, numbers)]
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _here(row: Row, numbers: dict[str, int]) -> str:
    if row.state == "impossible":
        return row.why
    if row.state == "pending":  # no code: what is written as code must exist
        return (row.ours or f"needs {row.needs}").replace("`", "")
    if row.command:
        return f"`{row.command}`; needs {row.needs}"
    tests = ", ".join(str(numbers[test]) for test in row.tests)
    return f"{row.ours} (test {tests})" if len(row.tests) == 1 else f"{row.ours} (tests {tests})"
