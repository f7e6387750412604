"""`ceat`: association tests over the contexts in which words occur in a corpus."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from weatherglass._files import Input, map_in_order
from weatherglass.catalog import Test
from weatherglass.errors import UsageError
from weatherglass.measures import Results, association_test, ceat_test

from .encode import Progress, encode_all
from .encoder import Encoder, Encodings, WordEncoder, as_encoder

_REACH = 400
_BETWEEN = "\x1f"  # no word and no sentence holds it


def ceat(
    encoder: Encoder,
    tests: Test | str | Iterable[Test | str],
    sentences: Iterable[str],
    *,
    contexts: int = 1000,
    batch_size: int = 64,
    progress: Progress | None = None,
    **options: Any,
) -> Results:
    """Run contextual association tests on an encoder.

    Parameters
    ----------
    encoder
        An encoder that gives the vector of a word inside a sentence (`hf:`); with any other one
        the vector of the whole sentence stands for the word in it.
    tests
        Association tests of words, or their ids.
    sentences
        The corpus, sentence by sentence.
    contexts
        The most sentences to use for a word; the first ones that hold it.
    batch_size
        How many sentences the encoder is given at a time.
    progress
        Called with the distinct sentences done and those in all.
    options
        As for `weatherglass.measures.ceat_test`: `samples`, `max_missing`, `rng`.

    Returns
    -------
    Results
        A result for each test, with the spread of its effect over contexts.

    Examples
    --------
    >>> import weatherglass as wg
    >>> mine = wg.Test(x=["rose", "lily"], y=["wasp", "gnat"], a=["sweet"], b=["pain"])
    >>> corpus = ["A rose is sweet.", "The lily bloomed.", "A wasp gave me pain.", "A gnat!"]
    >>> (result,) = wg.ceat(wg.open_encoder("cbow:default"), mine, corpus, samples=100)
    >>> result.status, result.contexts["rose"]
    ('done', 1)
    """
    encoder = as_encoder(encoder)
    if isinstance(sentences, str):
        raise UsageError("The corpus is one text; give its sentences as a list.")
    chosen = [_named(one) for one in ([tests] if isinstance(tests, str | Test) else tests)]
    if not chosen:
        raise UsageError("There are no tests to run.")
    wanted = {word for entry in chosen for one in entry.sets.values() for word in one.words}
    found = find_contexts(sentences, wanted, contexts)
    pairs = [(sentence, word) for word, several in found.items() for sentence in several]
    rows = _encoded(encoder, pairs, batch_size, progress)
    tables: dict[str, list[Any]] = {}
    for (_, word), row in zip(pairs, rows, strict=True):
        if np.isfinite(row).all():
            tables.setdefault(word, []).append(row)
    source = {"name": encoder.name, "fingerprint": encoder.fingerprint}
    arrays = {word: np.array(several) for word, several in tables.items()}
    return Results.of(ceat_test(arrays, entry, source=source, **options) for entry in chosen)


def find_contexts(sentences: Iterable[str], words: set[str], most: int) -> dict[str, list[str]]:
    """For each word the first sentences that hold it, whole and in that spelling.

    Of a long sentence the part around the word is taken, because encoders read only so far.

    >>> find_contexts(["Rose rose.", "A rose-bush.", "No roses."], {"rose"}, 5)
    {'rose': ['Rose rose.']}
    """
    found: dict[str, list[str]] = {word: [] for word in sorted(words)}
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w'’-])(?:{'|'.join(longest_first)})(?![\w’-])(?!'\w)")
    for sentence in sentences:
        seen: set[str] = set()
        for place in pattern.finditer(sentence):
            word = place.group()
            if word not in seen and len(found[word]) < most:
                found[word].append(_around(sentence, *place.span()))
            seen.add(word)
    return found


def _around(sentence: str, start: int, end: int) -> str:
    """The sentence, or the whole words within `_REACH` characters of a place in it."""
    first, last = max(0, start - _REACH), min(len(sentence), end + _REACH)
    if first:
        first = min(start, sentence.find(" ", first, start) + 1 or start)
    if last < len(sentence):
        last = max(end, sentence.rfind(" ", end, last))
    return sentence[first:last]


def corpus_lines(path: Path) -> Iterator[str]:
    """The lines of a text file, plain or packed, without blank ones."""
    source = Input(path)
    for block in map_in_order(lambda load: _text(load()), source.blocks(0), 1):
        yield from (line for line in block.splitlines() if line.strip())


def _text(block: Any) -> str:
    return bytes(block.data[: block.size]).decode("utf-8", "replace")


def _encoded(
    encoder: Encoder, pairs: list[tuple[str, str]], batch_size: int, progress: Progress | None
) -> Iterable[Any]:
    if not pairs:
        return []
    if isinstance(encoder, WordEncoder):
        encoder, items = _InContext(encoder), [word + _BETWEEN + text for text, word in pairs]
    else:
        items = [text for text, _ in pairs]
    return encode_all(encoder, items, batch_size=batch_size, progress=progress, missing="nan")


class _InContext:
    """Words inside sentences as an encoder's items, so that they too are checked and kept."""

    def __init__(self, encoder: WordEncoder) -> None:
        self._encoder = encoder
        self.name, self.fingerprint = encoder.name, f"{encoder.fingerprint}-words"

    def encode(self, sentences: Sequence[str]) -> Encodings:
        words, texts = zip(*(item.split(_BETWEEN, 1) for item in sentences), strict=True)
        return self._encoder.encode_words(texts, words)


def _named(test: Test | str) -> Test:
    entry = association_test(test)
    if entry.level != "word":
        raise UsageError(f"{entry.id} is not an association test of words, as CEAT needs.")
    return entry
