"""Words of a vocabulary on a page: escaped, shortened, and masked where they are slurs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from weatherglass.catalog import is_slur, masked
from weatherglass.report.markup import Markup, element, joined, visible

LONGEST = 40
_SPACES = re.compile(r"(\s+)")


def spelled(word: str, *, mask: bool = False, phrase: bool = True) -> str:
    r"""A word as it is read: phrases with spaces, the unseen made visible, not too long.

    >>> spelled("cab_driver"), spelled("x" * 50)[-3:], spelled("a\u202eb")
    ('cab driver', 'xx…', 'a\\u202eb')
    """
    if mask and is_slur(word):
        word = masked(word)
    text = visible(word).replace("\n", "\\n")
    if phrase and text.strip("_ "):  # underscores alone are no phrase
        text = text.replace("_", " ")
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def word(text: str) -> Markup:
    """A word, isolated from the direction of its neighbours.

    A slur is masked, and the word itself stands in no text of the page: the reader's tick lets the
    style sheet write it from an attribute.

    >>> print(word("r&b"))
    <bdi>r&amp;b</bdi>
    """
    if not is_slur(text):
        return element("bdi", spelled(text))
    return _slur(text, masked(text))


def listed(words: Iterable[str]) -> Markup:
    """Words with commas between, which the style sheet can turn into lines."""
    return joined(*map(word, words), between=element("span", ", ", class_="comma"))


def label(text: str) -> Markup:
    """A category's label, which is made of words."""
    return joined(*(word(part) for part in text.split(", ")), between=", ")


def sentence(text: str) -> Markup:
    """A sentence that may quote words: slurs in it are masked.

    >>> sentence("All of <b> is used.")
    'All of &lt;b&gt; is used.'
    """
    made, at, hidden = [], 0, masked(text)
    for piece in _SPACES.split(text):
        mask = hidden[at : at + len(piece)]
        made.append(piece if mask == piece else _slur(piece, mask))
        at += len(piece)
    return joined(*made)


def _slur(text: str, mask: str) -> Markup:
    return element("bdi", element("span", spelled(mask)), class_="slur", data_word=spelled(text))
