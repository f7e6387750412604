"""Docstrings in numpydoc's form, cut into their parts and put into Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

HEADING = re.compile(r"^([A-Z][a-z]+(?: [A-Z][a-z]+)?)\n-{3,}\n", re.MULTILINE)
CODE = re.compile(r"(``.+?``|`.+?`)", re.DOTALL)


@dataclass
class Docstring:
    """What a docstring says.

    Attributes
    ----------
    text
        What stands before the first heading.
    sections
        What stands under each heading.
    """

    text: str
    sections: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, docstring: str) -> Docstring:
        """Cut a docstring whose indentation `inspect.getdoc` has taken away."""
        text, *rest = HEADING.split(docstring)
        bodies = (body.strip("\n") for body in rest[1::2])
        return cls(text.strip(), dict(zip(rest[::2], bodies, strict=True)))

    def entries(self, section: str) -> list[tuple[str, str]]:
        """Names and what is said of each, under a heading such as ``Parameters``."""
        found: list[tuple[str, list[str]]] = []
        for line in self.sections.get(section, "").splitlines():
            if line and not line.startswith(" "):
                found.append((line, []))
            elif found:
                found[-1][1].append(line.removeprefix("    "))
        return [(name, "\n".join(lines).strip()) for name, lines in found]

    def names(self, section: str) -> set[str]:
        """Every single name of a section; ``x, y`` are two."""
        lines = (name.split(" : ")[0] for name, _ in self.entries(section))
        return {one.strip().lstrip("*") for line in lines for one in line.split(",")}


def prose(text: str, linked: Callable[[str], str]) -> str:
    """A docstring's text in Markdown, a paragraph on one line; `linked` is given each code."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text):
        lines = re.split(r"\n(?=- )", paragraph)
        paragraphs.append("\n".join(" ".join(line.split()) for line in lines))
    parts = CODE.split(re.sub(r"\[(\d+)\]_", r"[\1]", "\n\n".join(paragraphs)))
    # Every second part is code; what is left must not become emphasis or a tag.
    parts[::2] = (re.sub(r"([*<])", r"\\\1", part) for part in parts[::2])
    parts[1::2] = (linked(part.strip("`")) for part in parts[1::2])
    return "".join(parts)


def references(text: str) -> list[str]:
    """The works under ``References``, each on a line."""
    return [" ".join(one.split()) for one in re.split(r"^\.\. \[\d+\] ", text, flags=re.M)[1:]]
