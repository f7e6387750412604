"""What there is to check seed sets with: tags, frequencies, a corpus, an embedding."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from weatherglass.catalog import SeedSet
from weatherglass.corpus import Tokenizer, open_corpus
from weatherglass.corpus.tags import part_of_speech
from weatherglass.errors import MissingExtra
from weatherglass.vectors import open_vectors
from weatherglass.vectors.spelling import Case

from .belonging import Neighbourhood
from .checks import Check
from .counting import Counted, count_words
from .frequencies import Frequencies, find_frequencies
from .space import Space, listed_neighbours

_NO_VECTORS = "there are no vectors (give a source; `weatherglass train` makes one of a corpus)"
_NO_CORPUS = "there is no corpus"
_NO_PAIRS = "there is no pair of sets (give others to hold them against)"
_NOT_OPPOSED = "there is no pair of sets that stand at two ends of one thing"
_COMPARED = ("outlier", "strangers", "senses")  # with other words of the source


@dataclass(frozen=True, eq=False)
class Evidence:
    """What there is to check seed sets with.

    Attributes
    ----------
    counted, space, near, tags, frequencies
        The words of the corpus, the embedding, the neighbours in it, parts of speech and
        frequencies; None where there are none.
    lacking
        Why there are none, by what a check needs.
    """

    counted: Counted | None
    space: Space | None
    near: Neighbourhood | None
    tags: dict[str, str] | None
    frequencies: Frequencies | None
    lacking: dict[str, str]

    @classmethod
    def of(
        cls,
        sets: Iterable[SeedSet],
        source: Any,
        corpus: Any,
        tokenizer: Tokenizer | None,
        case: Case,
    ) -> Evidence:
        """Gather what can be had for the words of some sets."""
        words = list(dict.fromkeys(word for one in sets for word in one.words))
        lacking: dict[str, str] = {}
        vectors = None if source is None else open_vectors(source)
        counted = _counted(corpus, tokenizer)
        if counted is None:
            lacking["corpus"] = _NO_CORPUS
        space = None if vectors is None else Space.of(vectors, words, case)
        if space is None:
            lacking["vectors"] = _NO_VECTORS
        elif space.why_no_chance:
            lacking["chance"] = space.why_no_chance
        near = None
        if space is not None and "chance" not in lacking and space.at:
            near = Neighbourhood.of(space)
        tags = _or_why(lambda: part_of_speech(words), "tags", lacking)
        found = _or_why(
            lambda: find_frequencies(words, counted, vectors, case), "frequencies", lacking
        )
        return cls(counted, space, near, tags, found, lacking)

    def why_not(self, check: Check, looked_at: int) -> str:
        """Why a check was not run; empty if it was."""
        if not looked_at:
            return _NO_PAIRS if check.about == "pair" else _NOT_OPPOSED
        if check.name in _COMPARED and "chance" in self.lacking:
            return self.lacking["chance"]
        return self.lacking.get(check.needs, "")

    def neighbours(self) -> dict[str, tuple[tuple[str, float], ...]]:
        """The neighbours of each word, as the sets spell it."""
        if self.space is None or self.near is None:
            return {}
        rows = {word: self.near.row[at] for word, at in self.space.at.items()}
        return {
            word: listed_neighbours(self.space, self.near.found[k], self.near.cosines[k])
            for word, k in rows.items()
        }

    def about_source(self) -> dict[str, Any]:
        """What the result says of the vectors."""
        if self.space is None:
            return {}
        one = self.space.vectors
        about = {"name": one.source, "fingerprint": one.fingerprint}
        return {**about, "dim": one.dim, "words": len(one)}

    def about_corpus(self) -> dict[str, Any]:
        """What the result says of the corpus."""
        one = self.counted
        if one is None:
            return {}
        about = {"name": one.source, "fingerprint": one.fingerprint}
        return {**about, "documents": one.documents, "tokens": one.tokens}


def _counted(corpus: Any, tokenizer: Tokenizer | None) -> Counted | None:
    if corpus is None or isinstance(corpus, Counted):
        return corpus
    return count_words(open_corpus(corpus), tokenizer=tokenizer)


def _or_why(find: Callable[[], Any], what: str, lacking: dict[str, str]) -> Any:
    """What a function gives, or None and the extra that would be needed."""
    try:
        return find()
    except MissingExtra as error:
        text = str(error)
        lacking[what] = text[0].lower() + text[1:]
        return None
