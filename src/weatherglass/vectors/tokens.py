"""The whole words of a tokenizer: tokens that stand for a word, not for a part of one."""

from __future__ import annotations

from typing import Any

_SPACES = ("Ġ", "▁")  # a token that follows a space: byte-level BPE, SentencePiece
_WORD_END = "</w>"  # a token that ends a word: BPE as in CLIP
_MIN_MARKED = 0.1  # share of tokens with a mark, from which the mark says what a word is


def whole_words(tokenizer: Any) -> dict[str, int]:
    """Return the words of a tokenizer's vocabulary with their numbers, in the order of the numbers.

    Where tokens are marked as the beginning or the end of a word, only these are words: in GPT-2,
    *doctor* is the token ``Ġdoctor``, and ``doctor`` is a part of another word. The continuations
    of WordPiece (``##tor``) stay as they are, and no word is spelled like them. Special tokens are
    left out.

    >>> class Tokens:
    ...     def get_vocab(self):
    ...         return {"tor": 0, "▁doc": 1, "▁doctor": 2, "</s>": 3}
    ...     all_special_tokens = ["</s>"]
    >>> whole_words(Tokens())
    {'doc': 1, 'doctor': 2}
    """
    special = set(getattr(tokenizer, "all_special_tokens", ()))
    tokens = {
        str(token): int(number)
        for token, number in sorted(tokenizer.get_vocab().items(), key=lambda item: int(item[1]))
        if token not in special
    }
    for mark in _SPACES:
        marked = {token: n for token, n in tokens.items() if token.startswith(mark) and token[1:]}
        if len(marked) > _MIN_MARKED * len(tokens):
            return _unique((_decode(tokenizer, token, mark), n) for token, n in marked.items())
    ends = {token: n for token, n in tokens.items() if token.endswith(_WORD_END)}
    if len(ends) > _MIN_MARKED * len(tokens):
        return _unique((token.removesuffix(_WORD_END), number) for token, number in ends.items())
    return tokens


def _unique(pairs: Any) -> dict[str, int]:
    words: dict[str, int] = {}
    for word, number in pairs:
        if word:
            words.setdefault(word, number)
    return words


def _decode(tokenizer: Any, token: str, mark: str) -> str:
    """Return the text of a token without its mark."""
    if mark == "Ġ" and hasattr(tokenizer, "convert_tokens_to_string"):
        # Byte-level tokens spell each byte as a character, so that é is two of them.
        return str(tokenizer.convert_tokens_to_string([token])).strip()
    return token[1:]
