"""Text on lines that fit a width, for pictures, whose text does not wrap by itself."""

from __future__ import annotations

import unicodedata

# The widths of Arial's letters in ems, by and large: what font will draw them is not known here.
_WIDTHS = {0.24: "ijl'’|", 0.3: "ft .,:;!()[]", 0.36: "r-*", 0.51: "ckszvxyJ", 0.85: "mwMW@%"}


def fitted(text: str, width: float, size: float) -> list[str]:
    """The lines of a text at a width and a font size in pixels; a word that is too long is broken.

    >>> fitted("aggravated robbery", 80, 10.5), fitted("extraordinarily", 50, 10.5)
    (['aggravated', 'robbery'], ['extraordi-', 'narily'])
    """
    room = width / size
    lines = [""]
    for part in text.split():
        line = f"{lines[-1]} {part}".strip()
        if ems(line) <= room:
            lines[-1] = line
            continue
        lines = lines if lines[-1] else []
        while ems(part) > room and len(part) > 3:
            fits = sum(ems(part[: k + 1] + "-") <= room for k in range(len(part)))
            fits = max(1, min(fits, len(part) - 3))  # no line of one or two letters
            lines.append(part[:fits] + "-")
            part = part[fits:]
        lines.append(part)
    return lines


def ems(text: str) -> float:
    """How wide a text is, in ems.

    >>> ems("il") < ems("mw")
    True
    """
    return sum(map(_letter, text))


def _letter(letter: str) -> float:
    for width, letters in _WIDTHS.items():
        if letter in letters:
            return width
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return 0.7 if letter.isupper() else 0.57
