"""Sentences into words, by the rules of the Penn Treebank, as the word vectors were made.

GloVe's corpora were cut by these rules (``n't`` and ``'s`` are words of their own, hyphenated words
are one), and the SEAT paper cut its sentences by them (``word_tokenize`` of NLTK).
"""

from __future__ import annotations

import re

# In this order: opening quotes first, while what stands before them is still to be seen; the full
# stop is cut off only at the end of a sentence, so that "Mr." and "U.S." stay whole inside it.
_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(?<=\w)’(?=\w)", "'"),  # a printer's apostrophe
        (r"[«“‘„]|``", r" \g<0> "),
        (r'(?<=[\s(\[{<])"|(?<=[\s(\[{<])\'{2}', r" `` "),
        (r"[»”]|’(?!\w)", r" \g<0> "),
        (r"(?<=[^.])(\.)([\])}>\"'»”’ ]*)$", r" \1 \2 "),
        (r"(?<=[a-z]{3})(?<!Prof)(?<!Capt)(?<!Messrs)(?<!Hon)(?<!Gov)\.(?=\s+[\"'(]?[A-Z])", " . "),
        (r"[:,](?!\d)", r" \g<0> "),
        (r"\.{2,}|[;@#$%&?!*]|-{2,}|[][(){}<>]", r" \g<0> "),
        (r"(?<=[^'])'(?=\s|$)", r" ' "),
        (r"''|\"", r" '' "),
        (r"(?i)(?<=[^' ])('s|'m|'d|'ll|'re|'ve)(?=\s|$)", r" \1 "),
        (r"(?i)(?<=\w)(n't)(?=\s|$)", r" \1 "),
        (r"(?i)\b(can)(not)\b", r"\1 \2"),
        (
            r"(?i)\b(gim|lem)(me)\b|\b(gon|wan)(na)\b|\b(got)(ta)\b|\b(d)('ye)\b",
            r"\1\3\5\7 \2\4\6\8",
        ),
        (r"(?i)(?<=\s)('t)(is|was)\b", r"\1 \2"),
        (r"(?i)(?<=\s)'(?!(?:t|s|m|d|n|ll|re|ve|em)\b)(?=\w)", r" ' "),
    )
)


def words_of(sentence: str) -> list[str]:
    """The words and punctuation marks of a sentence, as they are spelled.

    >>> words_of("The person's name isn't Amy-Lou, is it?")
    ['The', 'person', "'s", 'name', 'is', "n't", 'Amy-Lou', ',', 'is', 'it', '?']
    >>> words_of('He said "no" to Mr. Gray (twice).')
    ['He', 'said', '``', 'no', "''", 'to', 'Mr.', 'Gray', '(', 'twice', ')', '.']
    """
    text = f" {' '.join(sentence.split())} "
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text.split()
