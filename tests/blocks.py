"""Find the code blocks of the docs, run them, and compare their output with the page."""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import yaml

from weatherglass._cli.main import cli

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ELLIPSIS = "…\n"  # a line that matches any number of lines


@dataclass(frozen=True)
class Block:
    """A block of code: its language, its text, and the text of the page before it."""

    kind: str
    text: str
    before: str

    @property
    def first(self) -> str:
        """The first line, which names the block in messages."""
        return self.text.partition("\n")[0]

    @property
    def file(self) -> str:
        """The file that a block is saved as: the last name that the page mentions."""
        ending = r"ya?ml" if self.kind == "yaml" else self.kind
        return str(re.findall(rf"`([\w./-]+\.{ending})`", self.before)[-1])


def blocks(page: Path) -> list[Block]:
    """Return all blocks of a page."""
    text = page.read_text(encoding="utf-8")
    parsed = [Block(*match.groups(), text[: match.start()]) for match in FENCE.finditer(text)]
    assert text.count("```") == 2 * len(parsed), "a block is indented or has no language"
    return parsed


@dataclass
class Reader:
    """Follows a page in an empty folder, block by block."""

    run: Callable[..., Any]
    names: dict[str, Any] = field(default_factory=dict)

    def does(self, block: Block) -> None:
        """Run a block, or save it and open it with the function that reads such files."""
        getattr(self, block.kind)(block)

    def python(self, block: Block) -> None:
        exec(compile(block.text, block.first, "exec"), self.names)

    def pycon(self, block: Block) -> None:
        parsed = doctest.DocTestParser().get_doctest(block.text, {}, "page", None, None)
        messages: list[str] = []
        ran = doctest.DocTestRunner(verbose=False).run(parsed, out=messages.append)
        assert ran.failed == 0, "".join(messages)

    def console(self, block: Block) -> None:
        """Run the lines that begin with a dollar sign, and compare the lines below each."""
        parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
        code = 0
        for k, part in enumerate(parts):
            line, _, expected = part.partition("\n")
            if line == "echo $?":
                assert expected == f"{code}\n"
                continue
            assert line.startswith("weatherglass "), line
            ran = self.run(*shlex.split(line)[1:])
            code = ran.code
            shows_code = k + 1 < len(parts) and parts[k + 1].startswith("echo $?")
            assert shows_code or code == 0, (line, ran.err)
            printed = (ran.out, ran.err, ran.out + ran.err)
            if expected and not any(agrees(text, expected) for text in printed):
                assert ran.out + ran.err == expected, line

    def csv(self, block: Block) -> None:
        Path(block.file).write_text(block.text, encoding="utf-8")

    def yaml(self, block: Block) -> None:
        path = Path(block.file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        read(path)


def agrees(printed: str, expected: str) -> bool:
    """Return whether the output is what the page shows; an ellipsis matches any lines."""
    pieces = re.split(rf"^{ELLIPSIS}", expected, flags=re.MULTILINE)
    pattern = r"(?:.*\n)*".join(re.escape(piece) for piece in pieces)
    return re.fullmatch(pattern, printed) is not None


def read(path: Path) -> None:
    """Open a YAML file with the function that reads it; check the commands of a CI pipeline."""
    from weatherglass.auditing import load_policy
    from weatherglass.auditing.sources import load_models
    from weatherglass.catalog import load_seeds, load_tests
    from weatherglass.catalog.debias_axes import load_axis
    from weatherglass.catalog.suites import load_suite

    text = path.read_text(encoding="utf-8")
    first = next(yaml.safe_load_all(text))
    if isinstance(first, list):
        assert load_models(path) if "source" in first[0] else load_tests(path)
        return
    readers = {"rules": load_policy, "steps": load_suite, "seeds": load_seeds, "pairs": load_axis}
    readers |= {"x": load_tests, "targets": load_tests, "tests": load_tests}
    for key, reader in readers.items():
        if key in first:
            assert reader(path)
            return
    if "repos" in first:
        check_hooks(first)
        return
    actions = [step for job in first.get("jobs", {}).values() for step in job["steps"]]
    if any(check_action(step) for step in actions):
        return
    commands = re.findall(r"(?:- |run: )(weatherglass .*)", text)
    assert commands, f"{path}: no reader is known for YAML with {list(first)}"
    for command in commands:
        check_command(command)


def check_hooks(config: dict[str, Any]) -> None:
    """Check that a configuration of pre-commit names hooks that exist, with arguments they take."""
    known = {hook["id"]: hook for hook in load_root(".pre-commit-hooks.yaml")}
    for hook in (hook for repo in config["repos"] for hook in repo["hooks"]):
        check_command(shlex.join([*known[hook["id"]]["entry"].split(), *hook.get("args", ())]))


def check_action(step: dict[str, Any]) -> bool:
    """Check the inputs of a step that uses our action; return whether it does."""
    if "/weatherglass@" not in step.get("uses", ""):
        return False
    inputs = load_root("action.yml")["inputs"]
    assert set(step["with"]) <= set(inputs), step
    assert {name for name in inputs if inputs[name].get("required")} <= set(step["with"]), step
    return True


def load_root(name: str) -> Any:
    """Read a YAML file in the root folder of the repository."""
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def check_command(line: str) -> None:
    """Check that a command line names an existing command and options that it has."""
    words = shlex.split(line, comments=True)
    assert Path(words[0]).name == "weatherglass", line
    command: click.Command = cli
    for word in words[1:]:
        if isinstance(command, click.Group) and not word.startswith("-"):
            subcommand = command.get_command(click.Context(command), word)
            assert subcommand is not None, f"{line}: there is no command {word}"
            command = subcommand
        elif re.match(r"--?[a-z]", word):
            known = {name for option in command.params for name in option.opts}
            known |= {name for option in command.params for name in option.secondary_opts}
            assert word.split("=")[0] in known | {"--help", "-h"}, f"{line}: no option {word}"
