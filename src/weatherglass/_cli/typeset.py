"""Tables for papers: rows as Markdown or LaTeX, and a bibliography."""

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


def markdown(rows: Sequence[Row], title: str | None = None) -> str:
    """Format rows as a Markdown table.

    >>> print(markdown([{"word": "a|b", "n": 1}]), end="")
    | word | n |
    | --- | ---: |
    | a\\|b | 1 |
    """
    names = list(rows[0]) if rows else []
    lines = [f"**{_markdown(title)}**", ""] if title else []
    lines.append(_line(_markdown(name) for name in names))
    lines.append(_line("---:" if _is_numeric(rows, name) else "---" for name in names))
    lines += [_line(_markdown(row[name]) for name in names) for row in rows]
    return "\n".join(lines) + "\n"


def latex(rows: Sequence[Row], title: str | None = None) -> str:
    """Format rows as a LaTeX table, for the package booktabs."""
    names = list(rows[0]) if rows else []
    columns = "".join("r" if _is_numeric(rows, name) else "l" for name in names)
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
    """List the publications of tests and measures, without repeats; empty if there are none."""
    works = dict(work for result in results if (work := _work(result)) is not None)
    if not works:
        return ""
    if style == "markdown":
        return "\n" + "".join(f"- {_markdown(citation)}\n" for citation in works.values())
    items = [rf"\bibitem{{{key}}} {_latex(citation)}" for key, citation in works.items()]
    return "\n".join([r"\begin{thebibliography}{9}", *items, r"\end{thebibliography}", ""])


def _work(result: Any) -> tuple[str, str] | None:
    """The key and the citation of the publication of a result's measure or test."""
    from weatherglass.catalog import test
    from weatherglass.errors import CatalogError
    from weatherglass.measures import MEASURES

    known = MEASURES.get(result.measure)
    if known is not None and result.section == "measures":
        name = unicodedata.normalize("NFKD", known.citation.partition(",")[0].split()[-1])
        author = re.sub(r"[^a-z]", "", name.lower())
        year = re.search(r"\((\d{4})\)", known.citation)
        return f"{author}{year[1] if year else ''}", f"{known.citation} doi:{known.doi}"
    try:
        study = test(result.test).study
    except CatalogError:  # the user's own test
        return None
    return None if study is None else (study.key, study.citation)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _is_numeric(rows: Sequence[Row], name: str) -> bool:
    """Return whether all cells of a column are formatted numbers or empty."""
    cells = [_text(row[name]) for row in rows]
    return any(cells) and all(not cell or _NUMBER.fullmatch(cell) for cell in cells)


def _markdown(value: object) -> str:
    from weatherglass.report import markdown_text  # late, so that `--help` starts quickly

    return markdown_text(_text(value), show_slurs=True)


def _latex(value: object) -> str:
    text = _text(value)
    if text.startswith("-") and _NUMBER.fullmatch(text):  # LaTeX sets a hyphen shorter than a minus
        text = f"−{text[1:]}"
    return "".join(_LATEX.get(char, char) for char in text)


def _text(value: object) -> str:
    from .output import printable

    return printable(value)
