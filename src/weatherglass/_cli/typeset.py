"""Tables for papers: rows as Markdown or LaTeX, and the works that they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]

STYLES = ("markdown", "latex")

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "−": "$-$",
    "²": "$^2$",
    "≤": r"$\leq$",
}
_MARKDOWN = {char: f"\\{char}" for char in "\\|*_`<>[]"}


def markdown(rows: Sequence[Row], title: str | None = None) -> str:
    """Rows as a Markdown table.

    >>> print(markdown([{"word": "a|b", "n": 1}]), end="")
    | word | n |
    | --- | ---: |
    | a\\|b | 1 |
    """
    names = list(rows[0]) if rows else []
    lines = [f"**{_markdown(title)}**", ""] if title else []
    lines.append(_line(_markdown(name) for name in names))
    lines.append(_line("---:" if _numeric(rows, name) else "---" for name in names))
    lines += [_line(_markdown(row[name]) for name in names) for row in rows]
    return "\n".join(lines) + "\n"


def latex(rows: Sequence[Row], title: str | None = None) -> str:
    """Rows as a LaTeX table, for the package booktabs."""
    names = list(rows[0]) if rows else []
    columns = "".join("r" if _numeric(rows, name) else "l" for name in names)
    body = [" & ".join(_latex(row[name]) for name in names) + r" \\" for row in rows]
    return "\n".join(
        [
            r"\begin{table}",
            *([rf"\caption{{{_latex(title)}}}"] if title else []),
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(_latex(name) for name in names) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def bibliography(tests: Iterable[str], style: str) -> str:
    """The works that tests of the catalogue come from, each once; nothing where none is known."""
    from weatherglass.catalog import test
    from weatherglass.errors import CatalogError

    works: dict[str, str] = {}
    for id in tests:
        try:
            study = test(id).study
        except CatalogError:  # a test of the user's own
            continue
        if study is not None:
            works[study.key] = study.citation
    if not works:
        return ""
    if style == "markdown":
        return "\n" + "".join(f"- {_markdown(citation)}\n" for citation in works.values())
    items = [rf"\bibitem{{{key}}} {_latex(citation)}" for key, citation in works.items()]
    return "\n".join([r"\begin{thebibliography}{9}", *items, r"\end{thebibliography}", ""])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _numeric(rows: Sequence[Row], name: str) -> bool:
    return all(isinstance(row[name], int | float | None) for row in rows)


def _markdown(value: object) -> str:
    return "".join(_MARKDOWN.get(char, char) for char in _text(value))


def _latex(value: object) -> str:
    return "".join(_LATEX.get(char, char) for char in _text(value))


def _text(value: object) -> str:
    from .output import printable

    return printable(value)
