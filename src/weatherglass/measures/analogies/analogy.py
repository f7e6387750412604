"""Word analogies: a is to b as c is to …, by addition or by multiplication of cosines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from weatherglass._version import __version__
from weatherglass.errors import UsageError, quote_safe
from weatherglass.vectors import Case, Vectors, find_word, row_blocks, unit_rows

from ..embedding import Source, need_whole
from ..measurement import describe_source
from ..result import Result

Floats = NDArray[np.float64]
Rule = Literal["add", "multiply"]

RULE_NAMES: dict[Rule, str] = {"add": "3CosAdd", "multiply": "3CosMul"}
EPSILON = 0.001
"""Added to the denominator of 3CosMul, as in the paper, so that it is never zero."""

MAX_COUNT = 10_000


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answer to an analogy: its score by the rule, and whether it is one of a, b and c."""

    word: str
    score: float
    is_input: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Analogy(Result):
    """The answers to "a is to b as c is to …", best first.

    Attributes
    ----------
    a, b, c
        The inputs, as the source spells them.
    rule
        ``add`` (3CosAdd) or ``multiply`` (3CosMul).
    excludes_inputs
        Whether a, b and c were left out of the answers.
    answers
        The best words with their scores.
    unrestricted
        The best word if a, b and c may be the answer.
    source, options, version
        What is needed to repeat it.
    """

    measure: ClassVar[str] = "analogy"
    noun: ClassVar[str] = "analogy"
    chart: ClassVar[str] = "analogy"

    a: str
    b: str
    c: str
    rule: Rule
    excludes_inputs: bool
    answers: tuple[Candidate, ...]
    unrestricted: Candidate
    source: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    @property
    def rule_name(self) -> str:
        """The name of the rule in its paper."""
        return RULE_NAMES[self.rule]

    @property
    def answer(self) -> str:
        """The best word."""
        return self.answers[0].word if self.answers else ""

    def key_facts(self) -> dict[str, Any]:
        return {
            "source": self.source_name,
            "a": self.a,
            "b": self.b,
            "c": self.c,
            "rule": self.rule_name,
            "inputs": "excluded" if self.excludes_inputs else "allowed",
            "answer": self.answer,
            "unrestricted": self.unrestricted.word,
        }

    def sentence(self) -> str:
        if not self.answers:
            return f"{self.source_name} has no other words."
        text = (
            f"{self.a} is to {self.b} as {self.c} is to {self.answer} "
            f"({self.rule_name}, inputs {self.key_facts()['inputs']})."
        )
        return f"{text} {self.warning}".strip()

    @property
    def warning(self) -> str:
        """What the exclusion of the inputs changed; empty if it changed nothing."""
        if not self.excludes_inputs or not self.unrestricted.is_input:
            return ""
        return (
            f"If the inputs may be the answer, it is {self.unrestricted.word}, one of them: only "
            "because they are excluded, another word is the answer (Nissim et al. 2020)."
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each answer."""
        about = {name: value for name, value in self.key_facts().items() if name != "answer"}
        return [
            {
                "measure": self.measure,
                **about,
                "rank": rank,
                "word": candidate.word,
                "score": candidate.score,
                "is_input": candidate.is_input,
                "weatherglass": self.version,
            }
            for rank, candidate in enumerate(self.answers, 1)
        ]


def analogy(
    source: Source,
    a: str,
    b: str,
    c: str,
    *,
    rule: Rule = "add",
    count: int = 10,
    exclude_inputs: bool = True,
    case: Case = "auto",
) -> Analogy:
    """Answer "a is to b as c is to …".

    Parameters
    ----------
    source
        An embedding: a path, a name, or an object in memory (see `as_source`).
    a, b, c
        The inputs: with man, woman and king the answer should be queen.
    rule
        ``add`` is 3CosAdd, ``multiply`` is 3CosMul.
    count
        How many answers to return.
    exclude_inputs
        Whether a, b and c are left out of the answers, as nearly all published analogies do.
    case
        How words are looked up, as for `weatherglass.weat`.

    Returns
    -------
    Analogy

    Raises
    ------
    CannotMeasure
        An input is not in the vocabulary.

    Notes
    -----
    With unit vectors, 3CosAdd [1]_ maximises cos(d, b) - cos(d, a) + cos(d, c) over the words d of
    the vocabulary. 3CosMul [2]_ maximises cos'(d, b) cos'(d, c) / (cos'(d, a) + 0.001), with
    cos' = (cos + 1) / 2.

    Without the exclusion, the answer is usually c or b itself. A program that excludes the inputs
    can therefore not answer "man is to doctor as woman is to doctor", however little gender the
    word has in the vectors [3]_. `Analogy.unrestricted` is what it answers without the exclusion.

    References
    ----------
    .. [1] T. Mikolov, W. Yih, G. Zweig (2013). Linguistic regularities in continuous space word
       representations. NAACL-HLT, 746-751.
    .. [2] O. Levy, Y. Goldberg (2014). Linguistic regularities in sparse and explicit word
       representations. CoNLL, 171-180.
    .. [3] M. Nissim, R. van Noord, R. van der Goot (2020). Fair is better than sensational: man is
       to doctor as woman is to doctor. Computational Linguistics 46(2), 487-497.

    Examples
    --------
    >>> import weatherglass as wg
    >>> result = wg.analogy("default", "man", "king", "woman")
    >>> result.answer, result.unrestricted.word
    ('queen', 'king')
    >>> wg.analogy("default", "man", "doctor", "woman", exclude_inputs=False).answer
    'doctor'
    """
    _check(rule, count)
    vectors = need_whole(source, "An analogy")
    inputs = [find_word(vectors, word, case) for word in (a, b, c)]
    scores = score_words(vectors, inputs, rule)
    positions = [vectors.words.index(word) for word in inputs]
    best = int(np.argmax(scores))
    unrestricted = Candidate(vectors.words[best], float(scores[best]), best in positions)
    if exclude_inputs:
        scores[positions] = -np.inf
    answers = tuple(
        Candidate(vectors.words[row], float(scores[row]), row in positions)
        for row in highest(scores, count)
    )
    return Analogy(
        a=inputs[0],
        b=inputs[1],
        c=inputs[2],
        rule=rule,
        excludes_inputs=exclude_inputs,
        answers=answers,
        unrestricted=unrestricted,
        source=describe_source(vectors),
        options={"case": case, "count": count},
    )


def _check(rule: str, count: int) -> None:
    if rule not in get_args(Rule):
        raise UsageError(f"rule is {quote_safe(rule)}; it must be add or multiply.")
    if not 1 <= count <= MAX_COUNT:
        raise UsageError(f"count is {count}; it must be between 1 and {MAX_COUNT:,}.")


def score_words(vectors: Vectors, inputs: Sequence[str], rule: Rule) -> Floats:
    """Return the score of every word as the answer; -infinity for rows without direction."""
    a, b, c = vectors.unit(inputs)
    scores = np.empty(len(vectors))
    for block in row_blocks(len(vectors)):
        rows = unit_rows(vectors, block)
        if rule == "add":
            scores[block] = rows @ (b - a + c)
        else:
            cosines = rows @ np.stack([a, b, c], axis=1)
            shifted = (np.clip(cosines, -1, 1) + 1) / 2
            scores[block] = shifted[:, 1] * shifted[:, 2] / (shifted[:, 0] + EPSILON)
    scores[vectors.unusable] = -np.inf
    return scores


def highest(scores: Floats, count: int) -> list[int]:
    """Return the positions of the highest scores, best first; ties in the order of the source.

    >>> highest(np.array([0.5, 2.0, -np.inf, 2.0]), 3)
    [1, 3, 0]
    """
    count = min(count, int(np.isfinite(scores).sum()))
    if not count:
        return []
    threshold = np.partition(scores, -count)[-count]
    best = np.flatnonzero(scores >= threshold)  # all ties, so that the order decides among them
    ordered = best[np.argsort(-scores[best], kind="stable")][:count]
    return [int(position) for position in ordered]
