"""Formulas in pages: LaTeX between dollars becomes MathML, which browsers draw by themselves."""

from __future__ import annotations

import re
from typing import Any

from latex2mathml.converter import convert
from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

ON_A_LINE = r"\$\$(.+?)\$\$"
IN_TEXT = r"(?<![\\$\w])\$(?![\s$])([^$\n]+?)(?<!\s)\$(?![\w$])"


class Formula(InlineProcessor):
    """Puts MathML in the place of LaTeX."""

    def __init__(self, pattern: str, md: Markdown, display: str) -> None:
        super().__init__(pattern, md)
        self.compiled_re = re.compile(pattern, re.DOTALL)
        self.display = display

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[Any, int, int]:
        """What stands in the place of one match."""
        drawn = convert(m.group(1).strip(), display=self.display)
        if self.display == "block":
            drawn = f'<div class="formula">{drawn}</div>'  # which scrolls where it is too wide
        return self.md.htmlStash.store(drawn), m.start(0), m.end(0)


class Formulas(Extension):
    """The extension of Markdown."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Come after code, whose dollars are dollars, and before escapes, which LaTeX has too."""
        md.inlinePatterns.register(Formula(ON_A_LINE, md, "block"), "formula-on-a-line", 186)
        md.inlinePatterns.register(Formula(IN_TEXT, md, "inline"), "formula-in-text", 185)


def makeExtension(**options: Any) -> Formulas:
    """What Markdown calls."""
    return Formulas(**options)
