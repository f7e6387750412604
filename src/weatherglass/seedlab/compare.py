"""Two corpora, or the parts of one: does a test give the same answer on both?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from weatherglass.catalog import Test
from weatherglass.corpus import open_models, train
from weatherglass.corpus.runs import folder_name
from weatherglass.errors import UsageError
from weatherglass.measures.weat import NO_SPREAD, association_test, effect, spread
from weatherglass.measures.words import too_few
from weatherglass.significance import holm
from weatherglass.vectors import Vectors
from weatherglass.vectors.spelling import Case

from .association import associations
from .models import Floats, Lookup, Models
from .record import Experiment
from .spread import Spread

_LEAST = {"X": 2, "Y": 2, "A": 1, "B": 1}


@dataclass(frozen=True)
class CorpusEffect:
    """A test on one corpus.

    Attributes
    ----------
    test, corpus
        The test's id, and the name of the corpus.
    effect
        The effect on the model of all documents; None if it could not be measured.
    samples, spread
        The effects on the bootstrap samples, and their mean and spread; None without samples.
    reason
        Why it could not be measured.
    """

    test: str
    corpus: str
    effect: float | None
    samples: tuple[float, ...] = ()
    spread: Spread | None = None
    reason: str = ""


@dataclass(frozen=True)
class CorpusDifference:
    """A test on two corpora: the first effect less the second.

    Attributes
    ----------
    difference
        That of the models of all documents.
    low, high
        What encloses 95 % of the differences of a sample of the one and a sample of the other.
    p, p_holm
        Two-sided: twice the share of these differences on the smaller side of zero, with one added
        to both counts; and corrected over all differences.
    """

    test: str
    corpora: tuple[str, str]
    difference: float
    low: float
    high: float
    p: float
    p_holm: float


@dataclass(frozen=True, kw_only=True)
class CorpusComparison(Experiment):
    """Tests on several corpora. Only words that every model has are used; `missing` has the others,
    by test and set."""

    measure: ClassVar[str] = "compare"

    effects: tuple[CorpusEffect, ...]
    differences: tuple[CorpusDifference, ...]
    titles: dict[str, str]
    words: dict[str, dict[str, tuple[str, ...]]]
    missing: dict[str, dict[str, tuple[str, ...]]]

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each test and corpus."""
        return [
            {
                "test": one.test,
                "corpus": one.corpus,
                "effect": one.effect,
                "mean": one.spread.mean if one.spread else None,
                "sd": one.spread.sd if one.spread else None,
                "low": one.spread.low if one.spread else None,
                "high": one.spread.high if one.spread else None,
                "samples": len(one.samples),
                "reason": one.reason,
            }
            for one in self.effects
        ]


def compare(
    corpora: Mapping[str, Any] | str | PathLike[str],
    tests: Iterable[Test | str],
    *,
    out: str | PathLike[str],
    by: str | None = None,
    case: Case = "auto",
    max_missing: float = 0.2,
    ddof: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
    **training: Any,
) -> CorpusComparison:
    """Train models on corpora and their bootstrap samples, run tests on each, and compare.

    Parameters
    ----------
    corpora
        Corpora under the names that results call them; or one corpus, divided `by` a column.
    tests
        Association tests, or their ids.
    out
        A folder for the models, which are kept: a second call goes on from there.
    by
        The column of metadata that divides a corpus.
    case, max_missing, ddof
        As in `weatherglass.weat`.
    progress
        Called with what is being done, how much of it is done, and how much there is.
    **training
        Options of `weatherglass.train`: ``method``, ``dim``, ``bootstrap``, ``seed`` and others.

    Notes
    -----
    The null hypothesis is that the difference is zero; what varies is which documents the corpora
    happen to hold. A difference of two corpora says nothing about the choice of the seed words: see
    `weatherglass.multiverse`.

    Examples
    --------
    >>> import tempfile
    >>> import weatherglass as wg
    >>> sea, land = "the calm sea and a high wave", "a green hill and the calm field"
    >>> texts = {"one": [sea, land] * 9, "two": [land, sea, land] * 6}
    >>> mine = wg.Test(x=["sea", "wave"], y=["hill", "field"], a=["calm"], b=["high", "green"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = wg.compare(texts, [mine], out=folder, method="ppmi-svd", dim=3, bootstrap=3,
    ...                        min_count=1, workers=1)
    >>> [one.corpus for one in found.effects], len(found.differences)
    (['one', 'two'], 1)
    """
    chosen = [association_test(one) for one in tests]
    if not chosen:
        raise UsageError("There is no test; name at least one.")
    models = _trained(corpora, Path(out), by, progress, training)
    if len(models) < 2:
        raise UsageError(f"There is one corpus, {', '.join(models)}; two are needed to compare.")
    options = {"by": by, "case": case, "max_missing": max_missing, "ddof": ddof}
    return measure(models, chosen, options | {name: str(v) for name, v in training.items()})


def measure(
    models: Mapping[str, Models], tests: Sequence[Test], options: dict[str, Any]
) -> CorpusComparison:
    """Run tests on models that are trained."""
    everything = Models("all", next(iter(models.values())).whole, tuple(_vectors(models)))
    effects: list[CorpusEffect] = []
    words: dict[str, dict[str, tuple[str, ...]]] = {}
    missing: dict[str, dict[str, tuple[str, ...]]] = {}
    for test in tests:
        sets = {name: one.words for name, one in test.sets.items()}
        found = Lookup.of(everything, [w for some in sets.values() for w in some], options["case"])
        words[test.id] = {k: tuple(w for w in some if w in found.row) for k, some in sets.items()}
        missing[test.id] = {name: found.missing(some) for name, some in sets.items()}
        reason = too_few(words[test.id], missing[test.id], _LEAST, options["max_missing"])
        values = iter(
            None if reason else _effect(vectors, at, found, sets, options["ddof"])
            for vectors, at in zip(everything.each, found.at, strict=True)
        )
        for name, one in models.items():
            effects.append(_gathered(test.id, name, len(one.samples), values, reason))
    return CorpusComparison(
        effects=tuple(effects),
        differences=_differences(effects),
        titles={test.id: test.title for test in tests},
        words=words,
        missing=missing,
        source={"corpora": [one.about() for one in models.values()]},
        options=options,
    )


def _trained(
    corpora: Mapping[str, Any] | str | PathLike[str],
    out: Path,
    by: str | None,
    progress: Callable[[str, int, int], None] | None,
    training: dict[str, Any],
) -> dict[str, Models]:
    """Models of every corpus, or of every part of one, by name."""
    if not isinstance(corpora, Mapping):
        if by is None:
            raise UsageError("Give two corpora, or one and the column that divides it.")
        run = train(corpora, out, by=by, progress=progress, **training)
        parts = [name for name, about in run.groups.items() if "reason" not in about]
        return {name: Models.of(open_models(out, group=name), name) for name in parts}
    if by is not None:
        raise UsageError("A column divides one corpus; here are several.")
    made: dict[str, Models] = {}
    taken: set[str] = set()
    for name, corpus in corpora.items():
        folder = out / folder_name(name, taken)
        taken.add(folder.name)
        train(corpus, folder, progress=progress, **training)
        made[name] = Models.of(open_models(folder), name)
    return made


def _vectors(models: Mapping[str, Models]) -> Iterable[Vectors]:
    """Every model, corpus by corpus: the whole one, then its samples."""
    for one in models.values():
        yield one.whole
        yield from one.samples


def _effect(
    vectors: Vectors, at: Any, found: Lookup, sets: Mapping[str, Sequence[str]], ddof: int
) -> float | None:
    rows = vectors.unit_at(at)
    x, y, a, b = (rows[found.rows(sets[name])] for name in "XYAB")
    near: tuple[Floats, Floats] = (associations(x, a, b), associations(y, a, b))
    return None if spread(*near, ddof) <= NO_SPREAD else effect(*near, ddof)


def _gathered(test: str, corpus: str, samples: int, values: Any, reason: str) -> CorpusEffect:
    whole, *others = [next(values) for _ in range(1 + samples)]
    if reason or whole is None:
        reason = reason or "all targets have the same association, so the effect has no scale"
        return CorpusEffect(test, corpus, None, reason=reason)
    numbers = tuple(float(value) for value in others if value is not None)
    return CorpusEffect(test, corpus, whole, numbers, Spread.of(numbers) if numbers else None)


def _differences(effects: Sequence[CorpusEffect]) -> tuple[CorpusDifference, ...]:
    """Every two corpora on every test, where both have at least two samples."""
    made = []
    usable = [one for one in effects if one.effect is not None and len(one.samples) > 1]
    for one, other in combinations(usable, 2):
        if one.test != other.test or one.effect is None or other.effect is None:
            continue
        apart = np.subtract.outer(one.samples, other.samples).ravel()
        low, high = np.percentile(apart, [2.5, 97.5]).tolist()
        smaller = min(int((apart <= 0).sum()), int((apart >= 0).sum()))
        p = min(1.0, 2 * (smaller + 1) / (len(apart) + 1))
        whole = one.effect - other.effect
        made.append(
            CorpusDifference(one.test, (one.corpus, other.corpus), whole, low, high, p, math.nan)
        )
    corrected = holm([one.p for one in made]).tolist() if made else []
    return tuple(
        CorpusDifference(one.test, one.corpora, one.difference, one.low, one.high, one.p, value)
        for one, value in zip(made, corrected, strict=True)
    )
