"""Tables for papers in LaTeX: booktabs rules, numbers in mathematics or for siunitx."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]

_ESCAPES = {
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
    "±": r"$\pm$",
    "²": "$^2$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "×": r"$\times$",
    "→": r"$\rightarrow$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "√": r"$\surd$",
}
_NUMBER = r"(?P<sign>[<>]?[-−+]?)(?P<digits>\d[\d,]*(?:\.\d+)?|\.\d+)(?:e(?P<exponent>[-+]?\d+))?"
_CELL = re.compile(rf"{_NUMBER}(?P<mark>%| \*)?")
# Inside a text only numbers with a sign or an exponent look different; "weat6" and "5+5" do not.
_IN_TEXT = re.compile(rf"(?<![^\s(\[]){_NUMBER}(?![^\s)\],;])")


def latex_table(
    rows: Sequence[Row], caption: str = "", label: str = "", *, siunitx: bool = False
) -> str:
    """Format rows as a LaTeX table, for the package booktabs.

    Parameters
    ----------
    rows
        The rows; all have the same columns.
    caption, label
        The caption, and the key of ``\\ref``; empty for none.
    siunitx
        Numbers for the package siunitx: columns of type S, which align at the decimal point, and
        ``\\num`` in other columns. Otherwise numbers are set in mathematics.
    """
    names = list(rows[0]) if rows else []
    cells = {name: [_text(row[name]) for row in rows] for name in names}
    kinds = {name: _column_type(cells[name], siunitx) for name in names}
    body = [
        " & ".join(_cell(cells[name][i], kinds[name], siunitx) for name in names) + r" \\"
        for i in range(len(rows))
    ]
    packages = r"\usepackage{booktabs}" + (r" and \usepackage{siunitx}" if siunitx else "")
    heads = (f"{{{escape_latex(name)}}}" if siunitx else escape_latex(name) for name in names)
    return "\n".join(
        [
            f"% Needs {packages} in the preamble.",
            r"\begin{table}[htbp]",
            r"\centering",
            r"\small",
            *([rf"\caption{{{escape_latex(caption)}}}"] if caption else []),
            *([rf"\label{{{_key(label)}}}"] if label else []),
            rf"\begin{{tabular}}{{{''.join(kinds.values())}}}",
            r"\toprule",
            " & ".join(heads) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def escape_latex(value: object) -> str:
    r"""Return a text for LaTeX, its numbers with a sign or an exponent in mathematics.

    >>> print(escape_latex("a_b: -1.05 to +0.59, p 1.5e-09"))
    a\_b: $-1.05$ to $+0.59$, p $1.5 \times 10^{-9}$
    """
    return _in_text(_text(value), siunitx=False)


def _in_text(text: str, siunitx: bool) -> str:
    parts, end = [], 0
    for match in _IN_TEXT.finditer(text):
        if match["sign"] or match["exponent"]:
            parts += [_escape(text[end : match.start()]), _number(match, siunitx)]
            end = match.end()
    return "".join(parts) + _escape(text[end:])


def _cell(text: str, kind: str, siunitx: bool) -> str:
    if kind.startswith("S"):
        return _plain(match) if (match := _CELL.fullmatch(text)) else ""
    match = _CELL.fullmatch(text)
    if match is None:
        return _in_text(text, siunitx)
    mark = {"%": r"\,\%", " *": "*"}.get(match["mark"] or "", "")
    is_plain = not (match["sign"] or match["exponent"] or siunitx)
    return (match["digits"] if is_plain else _number(match, siunitx)) + mark


def _number(match: re.Match[str], siunitx: bool) -> str:
    if siunitx:
        return rf"\num{{{_plain(match)}}}"
    sign = match["sign"].replace("−", "-")
    exponent = match["exponent"]
    power = rf" \times 10^{{{int(exponent)}}}" if exponent else ""
    return f"${sign}{match['digits'].replace(',', '{,}')}{power}$"


def _plain(match: re.Match[str]) -> str:
    """Return a number as siunitx reads it."""
    exponent = f"e{int(match['exponent'])}" if match["exponent"] else ""
    sign, digits = match["sign"].replace("−", "-"), match["digits"].replace(",", "")
    return f"{sign}{'0' * digits.startswith('.')}{digits}{exponent}"


def _column_type(cells: Sequence[str], siunitx: bool) -> str:
    """Return ``l``, ``r`` for numbers, or the S of siunitx with room for its longest number."""
    if not is_numeric(cells):
        return "l"
    matches = [match for cell in cells if (match := _CELL.fullmatch(cell))]
    if not siunitx or any(match["mark"] or match["sign"] in ("<", ">") for match in matches):
        return "r"
    numbers = [_plain(match) for match in matches]
    whole = max(len(re.match(r"[-+]?(\d*)", number)[1]) for number in numbers)  # type: ignore[index]
    decimals = max(len(number.partition("e")[0].partition(".")[2]) for number in numbers)
    exponents = [number.partition("e")[2] for number in numbers if "e" in number]
    sign = "-" if any(number.startswith("-") for number in numbers) else ""
    power = ""
    if exponents:
        negative = "-" if any(power.startswith("-") for power in exponents) else ""
        power = f"e{negative}{max(len(text.lstrip('+-')) for text in exponents)}"
    return f"S[table-format={sign}{whole}.{decimals}{power}]"


def is_numeric(cells: Sequence[str]) -> bool:
    """Return whether all cells of a column are formatted numbers or empty."""
    return any(cells) and all(not cell or _CELL.fullmatch(cell) for cell in cells)


def _key(label: str) -> str:
    """Return a label without the characters that LaTeX would act on."""
    return re.sub(r"[^\w:.\- ]", "-", label)


def _escape(text: str) -> str:
    return "".join(_ESCAPES.get(char, char) for char in text)


def _text(value: object) -> str:
    from .output import printable

    return printable(value)
