"""The cards of the Library: published tests, norms and uploads, and the search over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup

from weatherglass.catalog import (
    FactualTest,
    Norms,
    Published,
    PublishedCorrelation,
    SeedSet,
    Study,
    Test,
    WordSet,
    load_norms,
    norm_sources,
    tests,
)
from weatherglass.report import numbers, word_list

from ..seeds import nearest_sets
from ..session import Session
from ..sources import Source
from ..upload import Upload
from ..word_sets import format_words, word_tests

MAX_FIRST_WORDS = 7
MAX_FIRST_SENTENCES = 2
N_RATED = 9
"""How many words a card of norms shows, at equal distances from the lowest to the highest."""

TEST_GROUPS = {
    "words": (
        "Tests of words",
        "WEAT: are the target sets X and Y differently associated with the attribute sets A and B?",
    ),
    "facts": (
        "Tests with facts",
        "WEFAT: do associations of words predict a fact about each of them?",
    ),
    "sentences": (
        "Tests of sentences",
        "SEAT: the same questions in simple sentences, for sentence encoders. These pages ask the "
        "words.",
    ),
}
"""The kinds of tests: titles and descriptions."""

_EMBEDDINGS = {"glove-840b": "GloVe 840B", "word2vec-google-news": "word2vec Google News"}

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


# Tests


class SetRow(NamedTuple):
    """A set of a test: its letter, what it stands for, its first words, and the nearest seed set.

    `reference` is what Ask reads, such as ``@weat6.X``; it is empty for sets that Ask cannot use.
    """

    letter: str
    label: str
    size: str
    first_words: Markup
    reference: str
    nearest: tuple[SeedSet, int] | None


@dataclass(frozen=True)
class TestCard:
    """A published test, as a card shows it."""

    __test__ = False  # pytest would collect it

    entry: Test | FactualTest

    @property
    def group(self) -> str:
        """Its kind: ``words``, ``facts`` or ``sentences``."""
        if isinstance(self.entry, FactualTest):
            return "facts"
        return "words" if self.entry.level == "word" else "sentences"

    @property
    def study(self) -> Study | None:
        """The work that published it."""
        return self.entry.study

    @property
    def sets(self) -> list[SetRow]:
        """Its sets with their first words; computed once for each test."""
        return _set_rows(self.entry.id)

    @property
    def figures(self) -> list[str]:
        """The published effect sizes or correlations, in words."""
        return [describe_figure(figure) for figure in self.entry.published]

    @property
    def question(self) -> tuple[str, str]:
        """The address that asks the test without a source, and the text of the link.

        A factual test is shown as positions of its words along the axis from B to A; a test of
        sentences leads to the words that it is made of.
        """
        if isinstance(self.entry, FactualTest):
            words, a, b = (
                format_words(word_set.words)
                for word_set in (self.entry.targets, self.entry.a, self.entry.b)
            )
            fields = {"view": "axis", "words": words, "a": a, "b": b}
            return f"/explore?{urlencode(fields)}", "Explore its words along the axis"
        if self.group == "words":
            return f"/?{urlencode({'test': self.entry.id})}", "Ask this test"
        base = _test_of_words(self.entry)
        if base is None:
            return "", ""
        return f"/?{urlencode({'test': base.id})}", "Ask its words"


def describe_figure(figure: Published | PublishedCorrelation) -> str:
    """Describe a published figure in words.

    >>> weat6 = tests("weat6")[0]
    >>> describe_figure(weat6.published[0])
    'd = 1.81, p ≤ 10⁻³, GloVe 840B (Table 1)'
    """
    symbol, value = (
        ("d", figure.effect) if isinstance(figure, Published) else ("r", figure.correlation)
    )
    parts = [f"{symbol} = {numbers.effect(value)}"]
    if figure.p_bound is not None:
        sign = "<" if figure.p.startswith("<") else "≤"
        parts.append(f"p {sign} {format_bound(figure.p_bound)}")
    place = f" ({figure.table})" if figure.table else ""
    return ", ".join([*parts, _EMBEDDINGS.get(figure.source, figure.source)]) + place


def format_bound(bound: float) -> str:
    """Format the upper bound of a p-value as papers print it.

    >>> format_bound(1e-18), format_bound(0.001), format_bound(0.018), format_bound(2e-05)
    ('10⁻¹⁸', '10⁻³', '0.018', '2e-05')
    """
    mantissa, _, exponent = f"{bound:.0e}".partition("e")
    is_power = mantissa == "1" and float(f"{mantissa}e{exponent}") == bound
    return f"10{str(int(exponent)).translate(_SUPERSCRIPT)}" if is_power else f"{bound:g}"


def _test_of_words(entry: Test) -> Test | None:
    """The test whose words a test of sentences is made of."""
    by_id = {test.id: test for test in word_tests()}
    if (id := entry.id.removeprefix("sent-")) in by_id:
        return by_id[id]
    # Scripts of sentences have ids of their own, and the sets of one test of words.
    labels = _labels(entry)
    same = (test for test in word_tests() if test.study == entry.study and _labels(test) == labels)
    return next(same, None)


def _labels(entry: Test | FactualTest) -> list[str]:
    return [word_set.label for word_set in entry.sets.values()]


@cache
def _set_rows(id: str) -> list[SetRow]:
    card = _test_cards_by_id()[id]
    is_sentence = card.group == "sentences"
    rows = []
    for letter, word_set in card.entry.sets.items():
        nearest = [] if is_sentence else nearest_sets(_as_seed_set(word_set), 1)
        rows.append(
            SetRow(
                letter,
                word_set.label,
                _count(len(word_set), "sentence" if is_sentence else "word"),
                _first_sentences(word_set.words) if is_sentence else _first_words(word_set.words),
                f"@{id}.{letter}" if card.group == "words" else "",
                nearest[0] if nearest else None,
            )
        )
    return rows


def _as_seed_set(word_set: WordSet) -> SeedSet:
    return SeedSet(id=word_set.label or "set", words=word_set.words)


def _first_words(words: tuple[str, ...]) -> Markup:
    rest = ", …" if len(words) > MAX_FIRST_WORDS else ""
    return Markup(word_list(words[:MAX_FIRST_WORDS]) + rest)


def _first_sentences(sentences: tuple[str, ...]) -> Markup:
    first = Markup(" ").join(word_list([text]) for text in sentences[:MAX_FIRST_SENTENCES])
    return first + (" …" if len(sentences) > MAX_FIRST_SENTENCES else "")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


@cache
def _test_cards_by_id() -> dict[str, TestCard]:
    return {entry.id: TestCard(entry) for entry in tests()}


def find_test_cards(search: str) -> list[TestCard]:
    """Return the tests whose description has every part of a search, or a word that begins so.

    >>> [card.entry.id for card in find_test_cards("career caliskan")]
    ['weat6']
    >>> [card.entry.id for card in find_test_cards("zinnia")]
    ['weat1']
    """
    parts = search.lower().split()
    cards = _test_cards_by_id().values()
    return [card for card in cards if all(_matches_test(card, part) for part in parts)]


def _matches_test(card: TestCard, part: str) -> bool:
    if part in _test_text(card.entry.id) or _is_doi(part, card.study):
        return True
    if card.group == "sentences":
        return False
    sets = card.entry.sets.values()
    return any(word.lower().startswith(part) for word_set in sets for word in word_set.words)


def _is_doi(part: str, study: Study | None) -> bool:
    # Only the whole DOI: "science" is part of those of a journal.
    return study is not None and bool(study.doi) and part == study.doi.lower()


@cache
def _test_text(id: str) -> str:
    """The text in which a search looks for a test, besides its words."""
    card = _test_cards_by_id()[id]
    study = card.study.short if card.study else ""
    parts = (id, card.entry.title, card.entry.dimension, card.group, study, *_labels(card.entry))
    return " ".join((*parts, TEST_GROUPS[card.group][1].partition(":")[0])).lower()


# Norms


class NormsCard(NamedTuple):
    """Ratings of words by people, as a card shows them."""

    id: str
    norms: Norms
    study: Study
    licence: str
    examples: tuple[str, ...]


@cache
def _norms_cards() -> tuple[NormsCard, ...]:
    cards = []
    for id, source in norm_sources().items():
        norms = load_norms(id)
        ranked = [word for _, word in sorted(zip(norms.ratings, norms.words, strict=True))]
        # The middle of each of N_RATED equal parts, so that neither end is an extreme.
        places = [(2 * k + 1) * len(ranked) // (2 * N_RATED) for k in range(N_RATED)]
        examples = tuple(ranked[place] for place in places)
        cards.append(NormsCard(id, norms, source.study, source.licence, examples))
    return tuple(cards)


def find_norms_cards(search: str) -> list[NormsCard]:
    """Return the norms whose description has every part of a search, or that rate such a word.

    >>> [card.id for card in find_norms_cards("masculinity")]
    ['glasgow-gender']
    """
    parts = search.lower().split()
    return [card for card in _norms_cards() if all(_matches_norms(card, part) for part in parts)]


def _matches_norms(card: NormsCard, part: str) -> bool:
    text = f"{card.id} {card.norms.title} {card.norms.name} {card.norms.unit} {card.study.short}"
    # The words are thousands: one that only begins so would match almost any search.
    is_described = part in f"{text} norms ratings".lower() or _is_doi(part, card.study)
    return is_described or part in _norms_words(card.id)


@cache
def _norms_words(id: str) -> frozenset[str]:
    return frozenset(word.lower() for word in load_norms(id).words)


# Uploads


class UploadCard(NamedTuple):
    """An uploaded file, or vectors that were trained on an uploaded corpus."""

    name: str
    description: str
    source: str = ""
    id: str = ""
    size: int | None = None
    problem: str = ""


def find_upload_cards(session: Session, search: str) -> list[UploadCard]:
    """Return the uploads of a session whose name or description has every part of a search."""
    parts = search.lower().split()
    return [
        card
        for card in _upload_cards(session)
        if all(part in f"{card.name} {card.source} {card.description}".lower() for part in parts)
    ]


def _upload_cards(session: Session) -> Iterator[UploadCard]:
    sources = {source.name: source for source in session.sources if source.is_upload}
    for upload in session.uploads:
        yield _describe_upload(upload, sources.pop(upload.source, None))
    for source in sources.values():
        warning = " · trained on little text" if source.warning else ""
        yield UploadCard(
            source.name, f"Trained here · {_vectors_size(source)}{warning}", source.name
        )


def _describe_upload(upload: Upload, source: Source | None) -> UploadCard:
    if upload.problem:
        description = "Refused"
    elif source is not None:
        description = f"Word vectors · {_vectors_size(source)}"
    elif upload.summary is not None:
        documents = _count(upload.summary.documents, "document")
        description = f"Text corpus · {documents} · {_count(upload.summary.tokens, 'word')}"
    else:
        description = "Not read yet"
    name = source.name if source is not None else ""
    return UploadCard(upload.name, description, name, upload.id, upload.size, upload.problem)


def _vectors_size(source: Source) -> str:
    vectors = source.vectors
    if vectors is None:
        return "not open yet"
    return f"{_count(len(vectors), 'word')} · {_count(vectors.dim, 'dimension')}"
