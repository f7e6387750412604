"""What tests ask of an encoder: words and sentences, encoded, or only counted beforehand."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weatherglass.catalog import Test, WordSet, own_words, plain_items, with_tested_words
from weatherglass.errors import CannotMeasure
from weatherglass.vectors import Vectors

from .anisotropy import Shared, complete_items, shared_part
from .encode import call_size
from .encoder import Encoder, Encodings, View


@dataclass(frozen=True, eq=False)
class EncodedItems:
    """The encoded items of a test, and what results say about their source."""

    test: Test
    vectors: Vectors
    shared: Shared | None
    source: dict[str, Any]


def encode_items(
    encoder: Encoder, tests: Sequence[Test], encode: Callable[..., Encodings]
) -> list[EncodedItems]:
    """Encode the items of each test, without those that the encoder does not know.

    An encoder with several views, such as all layers of a model, gives each test as often.
    """
    asked = needed_texts(encoder, tests)
    rows = encode(encoder, asked.all, missing="nan")
    row_of = {text: i for i, text in enumerate(asked.all)}
    unknown = {asked.all[i] for i in np.flatnonzero(np.isnan(rows).any(axis=1)).tolist()}
    known = [text for text in asked.items if text not in unknown]
    if not known:
        raise CannotMeasure(_nothing_encoded(encoder, len(asked.items)))
    plain = {
        level: [row_of[text] for text in complete_items(encoder, items) if text not in unknown]
        for level, items in asked.plain.items()
    }
    encoded: list[EncodedItems] = []
    for view in getattr(encoder, "views", None) or [View(encoder.name, encoder.fingerprint)]:
        columns = rows[:, view.columns]
        shared = {level: shared_part(columns[positions]) for level, positions in plain.items()}
        vectors = Vectors.of(known, columns[[row_of[text] for text in known]], source=view.name)
        vectors = dataclasses.replace(vectors, fingerprint=view.fingerprint)
        encoded += [
            EncodedItems(
                test,
                vectors.subset(
                    item for item, word in by_item.items() if not unknown & {item, word}
                ),
                shared[test.level],
                _describe_encoder(encoder, view),
            )
            for test, by_item in zip(tests, asked.tested, strict=True)
        ]
    return encoded


def _nothing_encoded(encoder: Encoder, items: int) -> str:
    if hasattr(encoder, "missing"):
        return f"{encoder.name} knows none of the {items} words and sentences."
    return f"{encoder.name} returned only zeros for all {items} words and sentences."


def _describe_encoder(encoder: Encoder, view: View) -> dict[str, Any]:
    """Return what the results of an encoder say about it, beyond its name and fingerprint."""
    about: dict[str, Any] = {}
    if view.facts:
        about["facts"] = dict(view.facts)
    for name in ("warnings", "history"):
        if entries := list(getattr(encoder, name, ())):
            about[name] = entries
    return about


@dataclass(frozen=True, eq=False)
class NeededTexts:
    """The texts that tests need from an encoder.

    Attributes
    ----------
    tested
        For each test its items, each with the text that an encoder must know for it to be used.
    items
        All items of the tests.
    words
        Further texts: an encoder that may lack words also encodes the word behind each sentence. If
        it does not know that word, the sentence says nothing about it, and is missing too.
    plain
        Unrelated items of each level, which show how similar the encoder finds any two.
    """

    tested: list[dict[str, str]]
    items: list[str]
    words: list[str]
    plain: dict[str, tuple[str, ...]]

    @property
    def all(self) -> list[str]:
        """All distinct texts."""
        plain = (text for texts in self.plain.values() for text in texts)
        return list(dict.fromkeys([*self.items, *self.words, *plain]))


def needed_texts(encoder: Encoder, tests: Sequence[Test]) -> NeededTexts:
    """Return the texts that tests need from an encoder."""
    tested = [_tested_texts(test) for test in tests]
    items = list(dict.fromkeys(text for by_item in tested for text in by_item))
    others = {word for by_item in tested for word in by_item.values()} - set(items)
    words = sorted(others) if hasattr(encoder, "missing") else []
    plain: dict[str, tuple[str, ...]] = {test.level: plain_items(test.level) for test in tests}
    return NeededTexts(tested, items, words, plain)


def _tested_texts(test: Test) -> dict[str, str]:
    """Return, for each item of a test, the text that an encoder must know for it to be used."""
    test = with_tested_words(test)
    if test.level == "sentence" and not all(items.origins for items in test.sets.values()):
        return own_words(test)
    return {
        item: word
        for items in test.sets.values()
        for item, word in zip(items.words, origins(items), strict=True)
    }


def origins(items: WordSet) -> Sequence[str]:
    """Return the word behind each item; a plain word is its own."""
    return items.origins or items.words


@dataclass(frozen=True)
class Workload:
    """What an encoder has to do if the cache has none of its sentences.

    Attributes
    ----------
    encoder
        The encoder's name.
    sentences
        The number of words and sentences that it encodes, with those that every run encodes:
        unrelated ones, and for an endpoint the canaries, twice.
    characters
        How long they are together.
    requests
        The number of requests to an endpoint; None for an encoder that runs here.
    """

    encoder: str
    sentences: int
    characters: int
    requests: int | None = None


def count_texts(
    encoder: Encoder, calls: Iterable[Iterable[str]], batch_size: int | None = None
) -> Workload:
    """Count what an encoder has to do, without asking it.

    Parameters
    ----------
    encoder
        The encoder.
    calls
        The texts that are encoded together, call by call; `needed_texts` has those of tests. A
        later call finds texts of an earlier one in the cache, if the encoder uses it.
    batch_size
        As for `weatherglass.seat`.

    Examples
    --------
    >>> import weatherglass as wg
    >>> encoder = wg.open_encoder("cbow:default")
    >>> count_texts(encoder, [needed_texts(encoder, [wg.test("weat6")]).all]).sentences
    72
    """
    cached: set[str] = set()
    sentences = characters = requests = 0
    endpoint: Any = encoder if hasattr(encoder, "count_requests") else None
    for texts in calls:
        new = set(texts) - cached
        sentences += len(new)
        characters += sum(map(len, new))
        if getattr(encoder, "uses_cache", True):
            cached |= new
        if endpoint is not None:
            requests += endpoint.count_requests(len(new), call_size(encoder, batch_size))
    if endpoint is None:
        return Workload(encoder.name, sentences, characters)
    canaries: tuple[str, ...] = endpoint.canaries
    return Workload(
        encoder.name,
        sentences + len(canaries),
        characters + sum(map(len, canaries)),
        requests + endpoint.count_canary_requests(),
    )
