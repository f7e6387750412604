"""`Tokenizer`: splits a text into words."""

from __future__ import annotations

import functools
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from weatherglass.errors import UsageError

Words = Literal["letters", "spaces"]
Apostrophes = Literal["possessive", "keep", "split"]
_NOT_SPACES = re.compile(r"\S+")
_ALLOWED = {"words": ("letters", "spaces"), "apostrophes": ("possessive", "keep", "split")}


@dataclass(frozen=True)
class Tokenizer:
    """Splits a text into words.

    Attributes
    ----------
    lower
        Whether to lower-case all words, as in the word lists of most studies [1]_.
    words
        ``letters``: a word is a run of letters. ``spaces``: the text is tokenized already, and
        words are separated by spaces.
    apostrophes
        Apostrophes inside words. ``possessive``: kept, except that a final 's is dropped, so that
        *mother's* is *mother* and *don't* is *don't*. ``keep``: all are kept. ``split``: a word
        ends there. Curly apostrophes are read as straight ones.
    hyphens
        Whether *drawing-room* is one word or two.
    numbers
        Whether digits count as letters.

    References
    ----------
    .. [1] M. Antoniak, D. Mimno (2021). Bad Seeds: evaluating lexical methods for bias
       measurement. ACL. Section 3.

    Examples
    --------
    >>> Tokenizer()("My mother's drawing-room isn't the captain’s, is it?")
    ['my', 'mother', 'drawing', 'room', "isn't", 'the', 'captain', 'is', 'it']
    >>> Tokenizer(lower=False, hyphens=True, apostrophes="split")("Mother's drawing-room")
    ['Mother', 's', 'drawing-room']
    """

    lower: bool = True
    words: Words = "letters"
    apostrophes: Apostrophes = "possessive"
    hyphens: bool = False
    numbers: bool = False

    def __post_init__(self) -> None:
        for name, allowed in _ALLOWED.items():
            if getattr(self, name) not in allowed:
                raise UsageError(
                    f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(allowed)}."
                )

    def __call__(self, text: str) -> list[str]:
        """Return the words of a text, in order."""
        if self.lower:
            text = text.lower()
        if self.words == "spaces":
            return text.split()
        # Normalise after lower(), which decomposes some letters.
        text = _normalise(text)
        return self._pattern_for(text).findall(text)

    def spans(self, text: str) -> tuple[str, list[tuple[int, int]]]:
        """Return a text as it is searched for words, and where each word starts and ends in it.

        Words are in the order of `__call__`, but the text keeps its capital letters.

        >>> text, spans = Tokenizer().spans("The captain’s ship.")
        >>> [text[start:end] for start, end in spans]
        ['The', 'captain', 'ship']
        """
        if self.words == "spaces":
            return text, [match.span() for match in _NOT_SPACES.finditer(text)]
        text = _normalise(text)
        group = 1 if self.apostrophes == "possessive" else 0
        return text, [match.span(group) for match in self._pattern_for(text).finditer(text)]

    def _pattern_for(self, text: str) -> re.Pattern[str]:
        has_marks = not text.isascii() and not _is_western(text)
        return _pattern(self.apostrophes, self.hyphens, self.numbers, has_marks)


def _normalise(text: str) -> str:
    return unicodedata.normalize("NFC", text).replace("’", "'")


def _is_western(text: str) -> bool:
    """Return whether all characters are in cp1252, a code page without combining marks.

    Encoding is much faster than searching the text for marks.
    """
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


@functools.cache
def _pattern(
    apostrophes: Apostrophes, hyphens: bool, numbers: bool, has_marks: bool
) -> re.Pattern[str]:
    letter = r"[^\W_]" if numbers else r"[^\W\d_]"
    run = rf"{letter}+"
    if has_marks:  # the longer pattern takes twice as long
        run += rf"(?:{_combining_marks().pattern}{letter}*)*"
    joints = [r"[-‐‑]"] if hyphens else []
    if apostrophes == "keep":
        joints.append("'")
    elif apostrophes == "possessive":
        joints.append(r"'(?![sS]\b)")
    word = run + (rf"(?:(?:{'|'.join(joints)}){run})*" if joints else "")
    if apostrophes == "possessive":
        return re.compile(rf"({word})(?:'[sS]\b)?")
    return re.compile(word)


@functools.cache
def _combining_marks() -> re.Pattern[str]:
    """Return a pattern of vowel signs and accents that combine with the letter before them."""
    codes = [
        code for code in range(0x300, 0x20000) if unicodedata.category(chr(code)) in ("Mn", "Mc")
    ]
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    characters = "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
    return re.compile(f"[{characters}]+")
