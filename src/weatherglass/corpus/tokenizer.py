"""From a text to its words."""

from __future__ import annotations

import functools
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from weatherglass.errors import UsageError

Words = Literal["letters", "spaces"]
Apostrophes = Literal["possessive", "keep", "split"]
_CHOICES = {"words": ("letters", "spaces"), "apostrophes": ("possessive", "keep", "split")}


@dataclass(frozen=True)
class Tokenizer:
    """Cuts a text into words.

    Attributes
    ----------
    lower
        Whether to write all words in lower case, as the word lists of most studies are [1]_.
    words
        ``letters``: a word is a run of letters. ``spaces``: the text has been cut up already, and
        a word is what stands between spaces.
    apostrophes
        Apostrophes inside words. ``possessive``: kept, and a final 's is dropped, so that
        *mother's* is *mother* and *don't* is *don't*. ``keep``: all kept. ``split``: a word ends
        there. The curly apostrophe is taken for the straight one.
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
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise UsageError(
                    f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(allowed)}."
                )

    def __call__(self, text: str) -> list[str]:
        """The words of a text, in order."""
        if self.lower:
            text = text.lower()
        if self.words == "spaces":
            return text.split()
        # After lower(), which takes some letters apart.
        text = unicodedata.normalize("NFC", text).replace("’", "'")
        marked = not text.isascii() and not _is_western(text)
        return _pattern(self.apostrophes, self.hyphens, self.numbers, marked).findall(text)


def _is_western(text: str) -> bool:
    """Whether all characters are in a code page that has no marks: much quicker than to look."""
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


@functools.cache
def _pattern(
    apostrophes: Apostrophes, hyphens: bool, numbers: bool, marked: bool
) -> re.Pattern[str]:
    letter = r"[^\W_]" if numbers else r"[^\W\d_]"
    run = rf"{letter}+"
    if marked:  # half as fast
        run += rf"(?:{_mark().pattern}{letter}*)*"
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
def _mark() -> re.Pattern[str]:
    """Vowel signs and accents that are not part of a letter, and belong to the one before."""
    codes = [
        code for code in range(0x300, 0x20000) if unicodedata.category(chr(code)) in ("Mn", "Mc")
    ]
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    inside = "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
    return re.compile(f"[{inside}]+")
