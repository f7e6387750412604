"""Run a test on the groups of a corpus, and test their differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weatherglass.catalog import Test
from weatherglass.corpus import (
    ContextScores,
    SharedSpace,
    Units,
    score_contexts,
    why_not_permuted,
)
from weatherglass.errors import CannotMeasure
from weatherglass.measures import (
    MIN_SPREAD,
    MIN_WORDS,
    FoundSet,
    describe_test,
    find_sets,
    split_found,
    spread,
    too_few_reason,
)
from weatherglass.significance import Cells, Interval, LabelEffect, label_effect
from weatherglass.vectors import Vectors

from .formula import Column, Contrast, covariates
from .group_difference import GroupDifference, GroupSize

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
Integers = NDArray[np.int64]

CONFIDENCE = 0.95
_MIN_DOCUMENTS = 5
"""Of which the values of a number are permuted in 120 ways."""


class Measured(NamedTuple):
    """The contexts of a test's target words, and which words are in X.

    Attributes
    ----------
    scores
        The associations of the words, document by document.
    in_x
        Whether each target word is in X.
    scale
        The standard deviation of the associations of all target words over all documents.
    """

    scores: ContextScores
    in_x: NDArray[np.bool_]
    scale: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """The documents of a corpus, and what is compared.

    Attributes
    ----------
    units
        The documents.
    columns
        The columns of the formula, for documents that have a value in each.
    is_complete
        Which documents these are.
    contrasts
        What is compared: with the documents that take part, as positions in `columns`, and their
        labels.
    options
        The options that results record.
    """

    units: Units
    columns: list[Column]
    is_complete: NDArray[np.bool_]
    contrasts: list[tuple[Contrast, Positions, Floats]]
    options: dict[str, Any]

    def notes(self) -> list[str]:
        """Say how many documents lack a value, in sentences."""
        lacking = len(np.unique(self.units.documents[~self.is_complete]))
        names = " and ".join(column.name for column in self.columns)
        return [f"{lacking:,} documents have no value for {names}"] if lacking else []

    def without_space(
        self, tests: Sequence[Test], source: dict[str, Any]
    ) -> Iterator[GroupDifference]:
        """Yield results of tests none of which can be run, as the corpus lacks their words."""
        words = _vocabulary(self.units.corpus.words)
        for test in tests:
            found, reason = _find(words, self.units.corpus.words, test, self.options)
            yield from self._not_run(describe_test(test, *found, source, self.options), reason)

    def measure(
        self, space: SharedSpace, test: Test, source: dict[str, Any]
    ) -> Iterator[GroupDifference]:
        """Yield the result of a test for each contrast."""
        found, reason = _find(space.vectors, space.corpus.words, test, self.options)
        about = describe_test(test, *found, source, self.options)
        # The figures of a paper are effects in one source, not differences of groups.
        about["published"] = None
        if reason:
            yield from self._not_run(about, reason)
            return
        measured = _score(space, about["words"], self.options["ddof"])
        if measured.scale <= MIN_SPREAD:
            reason = "all targets have the same association, so that the effect has no scale"
            yield from self._not_run(about, reason)
            return
        for contrast, chosen, labels in self.contrasts:
            yield self._compare(contrast, chosen, labels, measured, about)

    def _not_run(self, about: dict[str, Any], reason: str) -> Iterator[GroupDifference]:
        for contrast, _, _ in self.contrasts:
            yield GroupDifference(
                status="not run", reason=reason, **about, **self._about_contrast(contrast)
            )

    def _about_contrast(self, contrast: Contrast) -> dict[str, Any]:
        others = (column.name for column in self.columns if column.name != contrast.column)
        return {
            "column": contrast.column,
            "groups": contrast.groups,
            "step": contrast.step,
            "adjusted_for": tuple(others),
        }

    def _compare(
        self,
        contrast: Contrast,
        chosen: Positions,
        labels: Floats,
        measured: Measured,
        about: dict[str, Any],
    ) -> GroupDifference:
        """Estimate and test one contrast."""
        about = about | self._about_contrast(contrast)
        parts = np.flatnonzero(self.is_complete)[chosen]
        documents = self.units.documents[parts]
        cells, occurrences = _choose_cells(measured, parts, len(self.is_complete))
        sizes = _sizes(contrast, labels, documents, self.units.sizes[parts], occurrences)
        why = _why_not_tested(contrast, labels, documents)
        if not why:
            try:
                effect = label_effect(
                    cells,
                    labels,
                    covariates(self.columns, contrast.column, chosen),
                    permutations=self.options["permutations"],
                    # The same for every test, so that tests do not depend on each other.
                    rng=np.random.default_rng(self.options["seed"]),
                    parts_of=documents,
                )
            except CannotMeasure as error:
                why = str(error)
        if why:
            return GroupDifference(status="not run", reason=why, **_split_total(sizes), **about)
        return GroupDifference(
            status="done",
            value=effect.difference / measured.scale,
            unstandardised=effect.difference,
            se=effect.se / measured.scale,
            p=effect.p,
            intervals=_interval(effect, measured.scale, self.options["permutations"]),
            **_split_total(_add_effects(sizes, contrast, cells, labels, effect, measured.scale)),
            **about,
        )


def can_find_words(words: Sequence[str], tests: Sequence[Test], options: dict[str, Any]) -> bool:
    """Return whether a corpus has the words of any of the tests."""
    vocabulary = _vocabulary(words)
    return any(not _find(vocabulary, words, test, options)[1] for test in tests)


def _vocabulary(words: Sequence[str]) -> Vectors:
    """Return the words as vectors of one number, in which tests can look up their words."""
    return Vectors.of(list(words), np.ones((len(words), 1), dtype=np.float32))


def _find(
    vectors: Vectors, words: Sequence[str], test: Test, options: dict[str, Any]
) -> tuple[tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]], str]:
    """Return the words of each set that can be used, those that cannot, and why not to run it.

    Targets must be words of the corpus, attributes need a vector only.
    """
    found, reason = find_sets(vectors, test.sets, options["case"], options["allow_overlap"])
    if not found:
        empty: dict[str, tuple[str, ...]] = dict.fromkeys(test.sets, ())
        return (empty, empty), reason
    known = set(words)
    used, missing = split_found(found)
    for name in "XY":
        used[name], missing[name] = _in_corpus(found[name], test.sets[name].words, known)
    return (used, missing), reason or too_few_reason(
        used, missing, MIN_WORDS, options["max_missing"]
    )


def _in_corpus(
    found: FoundSet, wanted: Sequence[str], known: set[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of a target set that occur in the corpus, and those that do not."""
    kept = zip(found.kept, found.words, strict=True)
    absent = tuple(wanted[position] for position, word in kept if word not in known)
    return tuple(word for word in found.words if word in known), (*found.missing, *absent)


def _score(space: SharedSpace, words: dict[str, tuple[str, ...]], ddof: int) -> Measured:
    """Return the associations of the target words in each document."""
    a, b = (space.vectors.unit(words[name]).mean(axis=0) for name in "AB")
    at = {word: position for position, word in enumerate(space.corpus.words)}
    targets = [at[word] for name in "XY" for word in words[name]]
    scores = score_contexts(space, targets, a - b)
    in_x = np.arange(len(targets)) < len(words["X"])
    return Measured(scores, in_x, float(spread(scores.pooled[in_x], scores.pooled[~in_x], ddof)))


def _choose_cells(
    measured: Measured, documents: Positions, total: int
) -> tuple[tuple[Cells, Cells], Floats]:
    """Return the cells of X and Y in some documents or parts, which are numbered anew.

    Also return how often words of X and Y occur in each of them.
    """
    scores = measured.scores
    number = np.full(total, -1, dtype=np.int64)
    number[documents] = np.arange(len(documents))
    at = number[scores.documents]
    in_x = measured.in_x[scores.words]
    parts = []
    occurrences = np.zeros((len(documents), 2))
    for k, is_in in enumerate((in_x, ~in_x)):
        kept = is_in & (at >= 0)
        parts.append(
            Cells(
                at[kept],
                scores.words[kept].astype(np.int64),
                scores.contexts[kept].astype(np.float64),
                scores.scores[kept],
            )
        )
        counts = scores.occurrences[kept].astype(np.float64)
        occurrences[:, k] = np.bincount(at[kept], weights=counts, minlength=len(documents))
    return (parts[0], parts[1]), occurrences


def _sizes(
    contrast: Contrast,
    labels: Floats,
    documents: Integers,
    tokens: Integers,
    occurrences: Floats,
) -> dict[str | None, GroupSize]:
    """Return the size of each group, and under None that of all of them."""
    members: dict[str | None, NDArray[np.bool_]] = {
        name: labels == 1 - k for k, name in enumerate(contrast.groups)
    }
    members[None] = np.ones(len(labels), dtype=np.bool_)
    return {
        name: GroupSize(
            len(np.unique(documents[chosen])),
            int(tokens[chosen].sum()),
            int(occurrences[chosen, 0].sum()),
            int(occurrences[chosen, 1].sum()),
        )
        for name, chosen in members.items()
    }


def _split_total(sizes: dict[str | None, GroupSize]) -> dict[str, Any]:
    """Return the sizes as fields of a result: a group may have any name, also "all"."""
    groups = {name: size for name, size in sizes.items() if name is not None}
    return {"sizes": groups, "total": sizes[None]}


def _why_not_tested(contrast: Contrast, labels: Floats, documents: Integers) -> str:
    """Return why documents cannot be permuted; empty if they can."""
    if contrast.groups:
        first, second = (np.unique(documents[labels == label]) for label in (1, 0))
        return why_not_permuted(len(first), len(second), len(np.intersect1d(first, second)))
    count = len(np.unique(documents))
    if count < _MIN_DOCUMENTS:
        return f"{count} documents are too few to permute; {_MIN_DOCUMENTS} are needed"
    return ""


def _interval(effect: LabelEffect, scale: float, permutations: int) -> tuple[Interval, ...]:
    if effect.interval is None:
        return ()
    low, high = (end / scale for end in effect.interval)
    return (Interval(low, high, CONFIDENCE, "permutation", permutations, "other documents"),)


def _add_effects(
    sizes: dict[str | None, GroupSize],
    contrast: Contrast,
    cells: tuple[Cells, Cells],
    labels: Floats,
    effect: LabelEffect,
    scale: float,
) -> dict[str | None, GroupSize]:
    """Add the effect in each group: that of all documents, moved by the estimated difference."""
    means = [float(np.average(part.scores, weights=part.weights)) for part in cells]
    centres = [float(np.average(labels[part.documents], weights=part.weights)) for part in cells]
    members: dict[str | None, float] = {
        name: float(1 - k) for k, name in enumerate(contrast.groups)
    }
    complete: dict[str | None, GroupSize] = {}
    for name, size in sizes.items():
        moved = [
            mean + (members[name] - centre) * slope if name in members else mean
            for mean, centre, slope in zip(means, centres, effect.parts, strict=True)
        ]
        complete[name] = GroupSize(
            size.documents, size.tokens, size.x, size.y, (moved[0] - moved[1]) / scale
        )
    return complete
