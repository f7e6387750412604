"""A Markdown extension that converts LaTeX between dollar signs to MathML."""

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
    """Replace LaTeX by MathML, which browsers render without a script."""

    def __init__(self, pattern: str, md: Markdown, display: str) -> None:
        super().__init__(pattern, md)
        self.compiled_re = re.compile(pattern, re.DOTALL)
        self.display = display

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[Any, int, int]:
        """Return the replacement of one match."""
        html = convert(m.group(1).strip(), display=self.display)
        if self.display == "block":
            html = f'<div class="formula">{html}</div>'  # scrolls if it is too wide
        return self.md.htmlStash.store(html), m.start(0), m.end(0)


class Formulas(Extension):
    """The Markdown extension."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Register after code, whose dollars are literal, and before escapes, which LaTeX uses."""
        md.inlinePatterns.register(Formula(ON_A_LINE, md, "block"), "formula-on-a-line", 186)
        md.inlinePatterns.register(Formula(IN_TEXT, md, "inline"), "formula-in-text", 185)


def makeExtension(**options: Any) -> Formulas:
    """Return the extension; Markdown calls this."""
    return Formulas(**options)
