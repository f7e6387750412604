"""Tables for papers: rows as Markdown or LaTeX, and the works that they rest on."""

from __future__ import annotations

import re
import unicodedata
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
    "≥": r"$\geq$",
    "×": r"$\times$",
}
_NUMBER = re.compile(r"[<>]?[-−]?\d[\d,]*(\.\d+)?(e-?\d+)?%?( \*)?")
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


def bibliography(results: Iterable[Any], style: str) -> str:
    """The works that tests and measures come from, each once; nothing where none is known."""
    works = dict(work for one in results if (work := _work(one)) is not None)
    if not works:
        return ""
    if style == "markdown":
        return "\n" + "".join(f"- {_markdown(citation)}\n" for citation in works.values())
    items = [rf"\bibitem{{{key}}} {_latex(citation)}" for key, citation in works.items()]
    return "\n".join([r"\begin{thebibliography}{9}", *items, r"\end{thebibliography}", ""])


def _work(result: Any) -> tuple[str, str] | None:
    """The key and the citation of the work that a result's test or measure is from."""
    from weatherglass.catalog import test
    from weatherglass.errors import CatalogError
    from weatherglass.measures import MEASURES

    if (known := MEASURES.get(result.measure)) is not None:
        name = unicodedata.normalize("NFKD", known.citation.partition(",")[0].split()[-1])
        first = re.sub(r"[^a-z]", "", name.lower())
        year = re.search(r"\((\d{4})\)", known.citation)
        return f"{first}{year[1] if year else ''}", f"{known.citation} doi:{known.doi}"
    try:
        study = test(result.test).study
    except CatalogError:  # a test of the user's own
        return None
    return None if study is None else (study.key, study.citation)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _numeric(rows: Sequence[Row], name: str) -> bool:
    """Whether a column holds numbers, which are written already; a cell may be empty."""
    cells = [_text(row[name]) for row in rows]
    return any(cells) and all(not cell or _NUMBER.fullmatch(cell) for cell in cells)


def _markdown(value: object) -> str:
    return "".join(_MARKDOWN.get(char, char) for char in _text(value))


def _latex(value: object) -> str:
    text = _text(value)
    if text.startswith("-") and _NUMBER.fullmatch(text):  # a hyphen is no minus
        text = f"−{text[1:]}"
    return "".join(_LATEX.get(char, char) for char in text)


def _text(value: object) -> str:
    from .output import printable

    return printable(value)
