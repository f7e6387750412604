"""The words of a question in the texts that a source was trained on, where these are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weatherglass.corpus import CorpusContext, find_corpus
from weatherglass.errors import CannotMeasure

from ..session import Session
from .answer import Answer

_PAIRS = (("X", "A"), ("Y", "A"), ("X", "B"), ("Y", "B"))
_LINES_PER_WORD = 2
_MAX_COLLOCATES = 5

Pair = tuple[str, str, CorpusContext | None]
"""A target set, an attribute set, and the lines in which they are near each other."""


def has_corpus(session: Session, source: str) -> bool:
    """Return whether the texts of a source are known."""
    return find_corpus(session.sources.find(source).spec) is not None


async def find_contexts(session: Session, answer: Answer, source: str, job: str = "") -> list[Pair]:
    """Find lines in which a target is near an attribute, for every target and attribute set."""

    def work(report: Callable[..., None]) -> list[Pair]:
        reference = session.sources.find(source)
        result = answer.results[source]
        words = {side: result.words.get(side, ()) for side in "XYAB"}
        return session.jobs.call(
            report, contexts_in_process, reference.spec, words, cache=reference.cache
        )

    key = ("contexts", source, answer.key)
    return await session.jobs.answer(key, "Reading the texts", work, is_long=True, job=job)


def contexts_in_process(
    report: Callable[..., None], spec: str, words: dict[str, Sequence[str]]
) -> list[Pair]:
    """Find the lines in a process, which can be killed: a corpus may be large."""
    known = find_corpus(spec)
    if known is None:
        raise CannotMeasure("The texts that these vectors were trained on are not known.")
    pairs: list[Pair] = []
    for target, attribute in _PAIRS:
        try:
            context = known.context(
                list(words[target]),
                list(words[attribute]),
                lines=_LINES_PER_WORD,
                collocates=_MAX_COLLOCATES,
                progress=report,
            )
        except CannotMeasure:
            if not pairs:
                known.context(list(words[target]), (), lines=0, collocates=0)  # why, if it raises
            context = None
        pairs.append((target, attribute, context))
    return pairs
