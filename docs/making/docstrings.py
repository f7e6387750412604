"""Parse numpydoc docstrings and convert them to Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

HEADING = re.compile(r"^([A-Z][a-z]+(?: [A-Z][a-z]+)?)\n-{3,}\n", re.MULTILINE)
CODE = re.compile(r"(``.+?``|`.+?`)", re.DOTALL)


@dataclass
class Docstring:
    """A parsed docstring.

    Attributes
    ----------
    text
        The text before the first heading.
    sections
        The text under each heading.
    """

    text: str
    sections: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, docstring: str) -> Docstring:
        """Parse a docstring that `inspect.getdoc` has dedented."""
        text, *rest = HEADING.split(docstring)
        bodies = (body.strip("\n") for body in rest[1::2])
        return cls(text.strip(), dict(zip(rest[::2], bodies, strict=True)))

    def entries(self, section: str) -> list[tuple[str, str]]:
        """Return the names and descriptions of a section such as ``Parameters``."""
        entries: list[tuple[str, list[str]]] = []
        for line in self.sections.get(section, "").splitlines():
            if line and not line.startswith(" "):
                entries.append((line, []))
            elif entries:
                entries[-1][1].append(line.removeprefix("    "))
        return [(name, "\n".join(lines).strip()) for name, lines in entries]

    def names(self, section: str) -> set[str]:
        """Return every name of a section; ``x, y`` are two."""
        lines = (name.split(" : ")[0] for name, _ in self.entries(section))
        return {name.strip().lstrip("*") for line in lines for name in line.split(",")}


def prose(text: str, linked: Callable[[str], str]) -> str:
    """Convert docstring text to Markdown, one line per paragraph; `linked` renders code."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text):
        lines = re.split(r"\n(?=- )", paragraph)
        paragraphs.append("\n".join(" ".join(line.split()) for line in lines))
    parts = CODE.split(re.sub(r"\[(\d+)\]_", r"[\1]", "\n\n".join(paragraphs)))
    # Every second part is code. Escape the rest, so that it becomes neither emphasis nor a tag.
    parts[::2] = (re.sub(r"([*<])", r"\\\1", part) for part in parts[::2])
    parts[1::2] = (linked(part.strip("`")) for part in parts[1::2])
    return "".join(parts)


def references(text: str) -> list[str]:
    """Return the works under ``References``, each on one line."""
    return [" ".join(work.split()) for work in re.split(r"^\.\. \[\d+\] ", text, flags=re.M)[1:]]
