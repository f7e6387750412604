"""Markdown: text and tables in which no word can break out of its cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from weatherglass.catalog import mask_slurs

from .html import make_visible

_ESCAPED = {char: f"\\{char}" for char in "\\|*_`<>[]&~$#"}
_NUMBER = re.compile(r"[<>]?[-−]?\d[\d,]*(\.\d+)?(e[-−]?\d+)?%?|–?")


def markdown_text(text: str, *, show_slurs: bool = False) -> str:
    r"""Escape text for one line of Markdown; slurs are masked.

    >>> print(markdown_text("a|b <i>\n*x*"))
    a\|b \<i\> \*x\*
    """
    line = make_visible(" ".join(text.split()))
    if not show_slurs:
        line = mask_slurs(line)
    return "".join(_ESCAPED.get(char, char) for char in line)


def markdown_code(text: str) -> str:
    r"""Format text as code that no backtick ends.

    >>> print(markdown_code("a`b"))
    `` a`b ``
    """
    line = make_visible(" ".join(text.split()))
    longest = max(map(len, re.findall(r"`+", line)), default=0)
    if not longest:
        return f"`{line}`"
    fence = "`" * (longest + 1)
    return f"{fence} {line} {fence}"


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Format cells that are escaped already as a table, numbers to the right.

    >>> print(markdown_table(["Test", "Effect"], [["weat6", "1.71"]]))
    | Test | Effect |
    | --- | ---: |
    | weat6 | 1.71 |
    """
    lines = [list(row) for row in rows]
    columns = [[line[k] for line in lines] for k in range(len(heads))]
    rules = ["---:" if _are_numbers(column) else "---" for column in columns]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rules, *lines))


def _are_numbers(cells: Sequence[str]) -> bool:
    return any(cells) and all(_NUMBER.fullmatch(cell.replace("\\", "")) for cell in cells)


def yaml_text(text: str) -> str:
    r"""Quote text for YAML.

    >>> print(yaml_text('a: "b" #c\x07'))
    "a: \"b\" #c\a"
    """
    return f'"{"".join(map(_yaml_character, text))}"'


def yaml_number(value: float) -> str:
    """Format a number so that YAML 1.1, too, reads it as one: it asks for a decimal point.

    >>> yaml_number(1e-9), yaml_number(1.5), yaml_number(2.0)
    ('1.0e-09', '1.5', '2.0')
    """
    mantissa, e, exponent = repr(float(value)).partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}{e}{exponent}"


_YAML = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\a": "\\a"}


def _yaml_character(char: str) -> str:
    if char in _YAML:
        return _YAML[char]
    if char.isprintable():
        return char
    code = ord(char)
    if 0xD800 <= code < 0xE000:  # half of a character, from bytes that are not UTF-8
        return "�"
    return f"\\x{code:02x}" if code < 0x100 else f"\\U{code:08x}"
