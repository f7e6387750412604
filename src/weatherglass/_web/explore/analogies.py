"""The questions of two more views of Explore: word analogies, and pairs of words in a plane."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Query

from weatherglass.errors import CannotMeasure, UsageError, WeatherglassError
from weatherglass.measures import Rule, analogous_pairs, analogy, word_plane
from weatherglass.vectors import Vectors

from ..session import Session, SourcesQuery
from ..sources import SourceReference, fingerprints, open_all
from ..word_sets import SetQuery
from .question import MAX_QUICK_NUMBERS, JsonText

N_ANSWERS = 10
N_PAIRS = 20
MAX_PAIRS = 100


# The questions


@dataclass(frozen=True)
class AnalogyQuestion:
    """What an address asks: a is to b as c is to …; without c, pairs along that direction.

    Examples
    --------
    >>> AnalogyQuestion(a="man", b="king", c="woman").query
    'a=man&b=king&c=woman'
    """

    sources: tuple[str, ...] = ()
    a: str = ""
    b: str = ""
    c: str = ""
    rule: Rule = "add"
    inputs: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether the words that are needed are filled in."""
        return bool(self.a and self.b)

    @property
    def query(self) -> str:
        """The query of the address, without what has its default value."""
        parts = [("source", source) for source in self.sources]
        parts += [(name, word) for name in "abc" if (word := getattr(self, name))]
        if self.rule != "add":
            parts.append(("rule", self.rule))
        if self.inputs:
            parts.append(("inputs", "true"))
        return urlencode(parts)


WordQuery = Annotated[str, Query(max_length=100, description="A word.")]


async def _read_analogy(
    source: SourcesQuery = (),
    a: WordQuery = "",
    b: WordQuery = "",
    c: WordQuery = "",
    rule: Annotated[Rule, Query(description="3CosAdd (add) or 3CosMul (multiply).")] = "add",
    inputs: Annotated[bool, Query(description="Let a, b and c be answers.")] = False,
) -> AnalogyQuestion:
    sources = tuple(dict.fromkeys(filter(None, source)))
    return AnalogyQuestion(sources, a.strip(), b.strip(), c.strip(), rule, inputs)


AnalogyQuery = Annotated[AnalogyQuestion, Depends(_read_analogy)]


@dataclass(frozen=True)
class PlaneQuestion:
    """What an address asks: pairs of words, written ``king:queen``.

    Examples
    --------
    >>> PlaneQuestion(pairs="king:queen, man:woman").read()
    [('king', 'queen'), ('man', 'woman')]
    """

    sources: tuple[str, ...] = ()
    pairs: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether there are pairs."""
        return bool(self.pairs.strip())

    @property
    def query(self) -> str:
        """The query of the address."""
        parts = [("source", source) for source in self.sources]
        return urlencode([*parts, *([("pairs", self.pairs)] if self.pairs else [])])

    def read(self) -> list[tuple[str, str]]:
        """Return the pairs; a `UsageError` names what is no pair."""
        pairs = []
        for text in self.pairs.replace(",", " ").replace(";", " ").split():
            first, colon, second = text.partition(":")
            if not (first and colon and second) or ":" in second:
                raise UsageError(f"{text} is no pair: write two words with a colon, king:queen.")
            pairs.append((first, second))
        if not 2 <= len(pairs) <= MAX_PAIRS:
            raise UsageError(f"Give 2 to {MAX_PAIRS} pairs, such as king:queen, man:woman.")
        return pairs


async def _read_plane(source: SourcesQuery = (), pairs: SetQuery = "") -> PlaneQuestion:
    return PlaneQuestion(tuple(dict.fromkeys(filter(None, source))), pairs)


PlaneQuery = Annotated[PlaneQuestion, Depends(_read_plane)]


# The answers


@dataclass(frozen=True)
class SourceAnswers:
    """The answers to an analogy in one source; `reason` says why there are none.

    `answers` has words, scores and whether they are inputs. `pairs`, for a question without c, has
    x, y, the score, and the answer if the inputs are allowed.
    """

    source: str
    inputs: tuple[JsonText, ...] = ()
    rule: str = ""
    answers: tuple[tuple[JsonText, float, bool], ...] = ()
    pairs: tuple[tuple[JsonText, JsonText, float, JsonText], ...] = ()
    unrestricted: JsonText = ""
    unrestricted_is_input: bool = False
    reason: JsonText = ""


async def answer_analogy(
    session: Session, question: AnalogyQuestion, job: str = ""
) -> list[SourceAnswers]:
    """Answer an analogy in each source."""
    if not question.is_complete:
        raise UsageError("Type the words: a is to b as c is to …")
    vectors = await session.sources.open(question.sources, job)
    numbers = sum(len(source) * source.dim for source in vectors.values())
    is_long = numbers > MAX_QUICK_NUMBERS or not question.c

    def work(report: Callable[..., None]) -> list[SourceAnswers]:
        if not is_long:
            return _answer_all(report, vectors, question)
        references = session.sources.refer(vectors)
        return session.jobs.call(report, _answer_in_process, references, question)

    key = ("analogy", question, *fingerprints(vectors))
    return await session.jobs.answer(key, "Answering the analogy", work, is_long=is_long, job=job)


def _answer_in_process(
    report: Callable[..., None], references: Sequence[SourceReference], question: AnalogyQuestion
) -> list[SourceAnswers]:
    return _answer_all(report, open_all(references, report), question)


def _answer_all(
    report: Callable[..., None], vectors: Mapping[str, Vectors], question: AnalogyQuestion
) -> list[SourceAnswers]:
    answers = []
    for done, (name, source) in enumerate(vectors.items()):
        report(done, len(vectors))
        answers.append(_answer(name, source, question))
    return answers


def _answer(name: str, vectors: Vectors, question: AnalogyQuestion) -> SourceAnswers:
    a, b, c = (word.replace(" ", "_") if word not in vectors else word for word in _abc(question))
    try:
        if not c:
            return _find_pairs(name, vectors, a, b)
        result = analogy(
            vectors,
            a,
            b,
            c,
            rule=question.rule,
            count=N_ANSWERS,
            exclude_inputs=not question.inputs,
        )
    except WeatherglassError as error:
        return SourceAnswers(name, reason=str(error))
    return SourceAnswers(
        name,
        inputs=(result.a, result.b, result.c),
        rule=result.rule_name,
        answers=tuple((a.word, a.score, a.is_input) for a in result.answers),
        unrestricted=result.unrestricted.word,
        unrestricted_is_input=result.unrestricted.is_input,
    )


def _find_pairs(name: str, vectors: Vectors, a: str, b: str) -> SourceAnswers:
    found = analogous_pairs(vectors, [(a, b)], count=N_PAIRS)
    pairs = tuple((pair.x, pair.y, pair.score, pair.unrestricted) for pair in found.pairs)
    return SourceAnswers(name, inputs=found.seeds[0], pairs=pairs)


def _abc(question: AnalogyQuestion) -> tuple[str, str, str]:
    return question.a, question.b, question.c


async def place_pairs(session: Session, question: PlaneQuestion, job: str = "") -> dict[str, Any]:
    """Return the plane of each source, or the reason why there is none."""
    pairs = question.read()
    vectors = await session.sources.open(question.sources, job)

    def work(report: Callable[..., None]) -> dict[str, Any]:
        planes: dict[str, Any] = {}
        for done, (name, source) in enumerate(vectors.items()):
            report(done, len(vectors))
            try:
                planes[name] = word_plane(source, pairs)
            except CannotMeasure as error:
                planes[name] = str(error)
        return planes

    key = ("plane", tuple(pairs), *fingerprints(vectors), *vectors)
    planes: dict[str, Any] = await session.jobs.answer(key, "Placing the pairs", work, job=job)
    return planes
