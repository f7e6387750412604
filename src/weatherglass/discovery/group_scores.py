"""Scores of single groups, g(X, A), for your own groups and a whole vocabulary (section 2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from weatherglass._version import __version__
from weatherglass.errors import CannotMeasure, UnknownEntry, UsageError, did_you_mean, quote_safe
from weatherglass.measures import NO_CHART, Result, Source, describe_source, need_whole

from .names import Alphabet, frequent_words, place

_MAX_ROWS = 20  # of a group in `to_rows`


@dataclass(frozen=True, kw_only=True, repr=False)
class GroupScores(Result):
    """The score g(X, {w}) of each group X with every word w of a vocabulary.

    Attributes
    ----------
    groups
        The names of each group that the vocabulary has.
    words
        𝒜: the words of the vocabulary, the most frequent first.
    scores
        For each group, its score with each word.
    missing
        For each group, the names that the vocabulary lacks.
    source, options, version
        What is needed to repeat it.
    """

    measure: ClassVar[str] = "group-scores"
    noun: ClassVar[str] = "set of group scores"
    chart: ClassVar[str] = NO_CHART

    groups: dict[str, tuple[str, ...]]
    words: tuple[str, ...]
    scores: dict[str, tuple[float, ...]]
    missing: dict[str, tuple[str, ...]] = field(default_factory=dict)
    source: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    def __post_init__(self) -> None:
        if {len(scores) for scores in self.scores.values()} - {len(self.words)}:
            raise ValueError("a group has more or fewer scores than there are words")
        if set(self.scores) != set(self.groups):
            raise ValueError("groups and scores name different groups")

    def top(self, group: str, count: int = 10) -> tuple[tuple[str, float], ...]:
        """Return the words with the highest scores of a group; with a negative count, the lowest.

        Parameters
        ----------
        group
            The name of the group.
        count
            How many words.
        """
        scores = np.array(self._scores_of(group))
        order = np.argsort(-scores if count >= 0 else scores, kind="stable")[: abs(count)]
        return tuple((self.words[i], float(scores[i])) for i in order.tolist())

    def g(self, group: str, words: Iterable[str]) -> float:
        """Return g(X, A) for a set of words A: the mean of the scores of its words.

        Parameters
        ----------
        group
            The name of the group X.
        words
            Words of the vocabulary.
        """
        places = {word: i for i, word in enumerate(self.words)}
        chosen = list(dict.fromkeys(words))
        for word in chosen:
            if word not in places:
                raise UnknownEntry(f"{quote_safe(word)} is not among the words that were scored.")
        if not chosen:
            raise UsageError("There is no word: give at least one.")
        scores = self._scores_of(group)
        return float(np.mean([scores[places[word]] for word in chosen]))

    def _scores_of(self, group: str) -> tuple[float, ...]:
        if group not in self.scores:
            hint = did_you_mean(group, self.scores)
            raise UnknownEntry(f"There is no group {quote_safe(group)}.{hint}")
        return self.scores[group]

    def key_facts(self) -> dict[str, Any]:
        return {
            "source": self.source_name,
            "groups": len(self.groups),
            "words": len(self.words),
        }

    def sentence(self) -> str:
        parts = []
        for group in self.groups:
            words = ", ".join(quote_safe(word)[1:-1] for word, _ in self.top(group, 3))
            parts.append(f"{quote_safe(group)[1:-1]}: {words}")
        return f"The words with the highest score of each group are {'; '.join(parts)}."

    def to_rows(self) -> list[dict[str, Any]]:
        """Return flat rows: the words with the highest and lowest scores of each group."""
        return [
            {"group": group, "word": word, "g": score}
            for group in self.groups
            for word, score in dict.fromkeys(
                (*self.top(group, _MAX_ROWS), *reversed(self.top(group, -_MAX_ROWS)))
            )
        ]


def group_scores(
    source: Source,
    groups: Mapping[str, Iterable[str]],
    *,
    all_names: Iterable[str] | None = None,
    words: int | Iterable[str] = 30_000,
    alphabet: Alphabet = "english",
) -> GroupScores:
    """Score your own groups of names with every word of a vocabulary.

    Parameters
    ----------
    source
        A whole embedding: any source of word vectors (see `as_source`).
    groups
        The names of each group, by what results call it. The words can be any, not only names.
    all_names
        𝒳, the names that a group is compared with; by default those of all groups together.
    words
        𝒜: how many of the most frequent lower-case words, or the words themselves.
    alphabet
        As for `discover`.

    Returns
    -------
    GroupScores
        A score is no finding: it has no p-value. `discover` with a file of names and groups tests
        the words of each category against random rotations.

    Raises
    ------
    CannotMeasure
        A group has no name in the vocabulary, or a single group is compared with itself.

    Notes
    -----
    For a single group g(X, A) = (X̄ − 𝒳̄)·(Ā − 𝒜̄), a mean over the words of A: so the scores of
    single words give the score of any set. By lemma 2 of Swinger et al. (2019) it is the WEAT of X
    and A against their complements times 2 |Xᶜ| |Aᶜ| / (|𝒳| |𝒜|), and by lemma 3 a WEAT of n groups
    is Σᵢ g(Xᵢ, Aᵢ) − Σᵢⱼ g(Xᵢ, Aⱼ) / n.

    References
    ----------
    .. [1] N. Swinger, M. De-Arteaga, N. T. Heffernan IV, M. D. M. Leiserson, A. T. Kalai (2019).
       What are the biases in my word embedding? AIES, section 2.1.

    Examples
    --------
    >>> import weatherglass as wg
    >>> jobs = {"care": ["nurse", "midwife", "nanny"], "trades": ["plumber", "welder", "roofer"]}
    >>> scores = wg.group_scores(wg.open_vectors("default"), jobs, words=5000)
    >>> len(scores.words), len(scores.top("care", 3))
    (5000, 3)
    >>> scores.g("care", ["she", "her"]) > 0 > scores.g("trades", ["she", "her"])
    True
    """
    named = {str(group): tuple(dict.fromkeys(names)) for group, names in groups.items()}
    if not named:
        raise UsageError("There is no group: give at least one.")
    vectors = need_whole(source, "The score of a group")
    positions = {group: place(vectors, names) for group, names in named.items()}
    for group, found in positions.items():
        if not (found >= 0).any():
            raise CannotMeasure(f"The group {quote_safe(group)} has no name in {vectors.source}.")
    members = np.unique(np.concatenate([found[found >= 0] for found in positions.values()]))
    universe = members
    if all_names is not None:
        listed = place(vectors, list(dict.fromkeys(all_names)))
        universe = np.union1d(members, listed[listed >= 0])
    if any(len(np.unique(found[found >= 0])) == len(universe) for found in positions.values()):
        raise CannotMeasure(
            "A group has all names, so that there is nothing to compare it with; give all_names."
        )
    if isinstance(words, int):
        scored = frequent_words(vectors, words, universe, alphabet)
    else:
        scored = place(vectors, list(dict.fromkeys(words)))
        scored = scored[(scored >= 0) & ~np.isin(scored, universe)]
    if not len(scored):
        raise CannotMeasure(f"{vectors.source} has none of the words to score.")
    rows = vectors.unit_at(scored)
    mean_name = vectors.unit_at(universe).mean(axis=0)
    centred = rows - rows.mean(axis=0)
    scores = {
        group: tuple(
            (centred @ (vectors.unit_at(found[found >= 0]).mean(axis=0) - mean_name)).tolist()
        )
        for group, found in positions.items()
    }
    return GroupScores(
        groups={
            group: tuple(vectors.words.at(found[found >= 0])) for group, found in positions.items()
        },
        words=tuple(vectors.words.at(scored)),
        scores=scores,
        missing={
            group: tuple(name for name, at in zip(named[group], found, strict=True) if at < 0)
            for group, found in positions.items()
        },
        source=describe_source(vectors),
        options={"all_names": len(universe), "alphabet": alphabet},
    )
