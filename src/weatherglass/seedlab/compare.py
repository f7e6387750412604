"""Two corpora, or the parts of one: does a test give the same answer on both?"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from weatherglass.catalog import Test
from weatherglass.corpus import folder_name, open_models, train
from weatherglass.errors import UsageError
from weatherglass.measures import NO_SPREAD, association_test, effect, spread, too_few
from weatherglass.significance import holm
from weatherglass.vectors import Case, Vectors

from .bad_seeds import associations
from .models import Floats, Lookup, Models, Spread
from .result import Experiment

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
    se
        Its standard error: the root of the two samples' variances, added.
    low, high
        The 95 % interval around it, by Student's t.
    p, p_holm
        Two-sided, of the difference over its standard error; and corrected over all differences.
    """

    test: str
    corpora: tuple[str, str]
    difference: float
    se: float
    low: float
    high: float
    p: float
    p_holm: float


@dataclass(frozen=True, kw_only=True)
class CorpusComparison(Experiment):
    """Tests on several corpora. Only words that every model has are used; `missing` has the others,
    by test and set. `notes` say what was left out in training, and what could not be compared."""

    measure: ClassVar[str] = "compare"

    effects: tuple[CorpusEffect, ...]
    differences: tuple[CorpusDifference, ...]
    titles: dict[str, str]
    words: dict[str, dict[str, tuple[str, ...]]]
    missing: dict[str, dict[str, tuple[str, ...]]]
    notes: tuple[str, ...] = ()

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each test and corpus, then one for each two corpora, with their difference."""
        effects = [
            {
                "test": one.test,
                "corpus": one.corpus,
                "against": None,
                "effect": one.effect,
                "mean": one.spread.mean if one.spread else None,
                "sd": one.spread.sd if one.spread else None,
                "low": one.spread.low if one.spread else None,
                "high": one.spread.high if one.spread else None,
                "samples": len(one.samples),
                "p": None,
                "p_holm": None,
                "reason": one.reason,
            }
            for one in self.effects
        ]
        return effects + [
            dict.fromkeys(effects[0])
            | {
                "test": one.test,
                "corpus": one.corpora[0],
                "against": one.corpora[1],
                "effect": one.difference,
                "sd": one.se,
                "low": one.low,
                "high": one.high,
                "p": one.p,
                "p_holm": one.p_holm,
            }
            for one in self.differences
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
    happen to hold. The standard deviation over the bootstrap samples of a corpus is the standard
    error of its effect [1]_; that of a difference is the root of the sum of two squares. As it
    comes from so few samples, the difference over its standard error is held against Student's t,
    with the degrees of freedom of Welch and Satterthwaite. Percentiles of twenty samples would be
    too narrow: their 95 % intervals hold the truth in 92 of 100 cases.

    A difference of two corpora says nothing about the choice of the seed words: see
    `weatherglass.multiverse`.

    References
    ----------
    .. [1] B. Efron, R. J. Tibshirani (1993). An introduction to the bootstrap. Chapters 6 and 12.

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
    models, notes = _trained(corpora, Path(out), by, progress, training)
    if len(models) < 2:
        why = f" ({'; '.join(notes)})" if notes else ""
        raise UsageError(
            f"There is one corpus, {', '.join(models)}; two are needed to compare{why}."
        )
    options = {"by": by, "case": case, "max_missing": max_missing, "ddof": ddof}
    return measure(models, chosen, options | _plain(training), notes)


def _plain(training: Mapping[str, Any]) -> dict[str, Any]:
    """What decides the vectors, as JSON can hold it."""
    return {
        name: value if value is None or isinstance(value, str | int | float) else str(value)
        for name, value in training.items()
        if name not in ("workers", "cluster")
    }


def measure(
    models: Mapping[str, Models],
    tests: Sequence[Test],
    options: dict[str, Any],
    notes: Sequence[str] = (),
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
    differences, untested = _differences(effects)
    return CorpusComparison(
        effects=tuple(effects),
        differences=differences,
        titles={test.id: test.title for test in tests},
        words=words,
        missing=missing,
        notes=(*notes, *untested),
        source={"corpora": [one.about() for one in models.values()]},
        options=options,
    )


def _trained(
    corpora: Mapping[str, Any] | str | PathLike[str],
    out: Path,
    by: str | None,
    progress: Callable[[str, int, int], None] | None,
    training: dict[str, Any],
) -> tuple[dict[str, Models], list[str]]:
    """Models of every corpus, or of every part of one, by name; and what training noted."""
    if not isinstance(corpora, Mapping):
        if by is None:
            raise UsageError("Give two corpora, or one and the column that divides it.")
        run = train(corpora, out, by=by, progress=progress, **training)
        parts = [name for name, about in run.groups.items() if "reason" not in about]
        divided = {name: Models.of(open_models(out, group=name), name) for name in parts}
        return divided, list(run.notes)
    if by is not None:
        raise UsageError("A column divides one corpus; here are several.")
    made: dict[str, Models] = {}
    notes: list[str] = []
    taken: set[str] = set()
    for name, corpus in corpora.items():
        folder = out / folder_name(name, taken)
        taken.add(folder.name)
        run = train(corpus, folder, progress=progress, **training)
        notes += [f"{name}: {note}" for note in run.notes]
        made[name] = Models.of(open_models(folder), name)
    return made, notes


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


def _differences(
    effects: Sequence[CorpusEffect],
) -> tuple[tuple[CorpusDifference, ...], list[str]]:
    """Every two corpora on every test; and a note where the samples do not allow it."""
    made: list[CorpusDifference] = []
    untested: list[str] = []
    for one, other in combinations(effects, 2):
        if one.test != other.test or one.effect is None or other.effect is None:
            continue
        found = _difference(one, other)
        if found is None:
            untested.append(
                f"{one.test}: the difference of {one.corpus} and {other.corpus} is not tested, "
                "because that needs two samples of each, and samples that differ"
            )
        else:
            made.append(found)
    corrected = holm([one.p for one in made]).tolist() if made else []
    return tuple(
        dataclasses.replace(one, p_holm=value) for one, value in zip(made, corrected, strict=True)
    ), untested


def _difference(one: CorpusEffect, other: CorpusEffect) -> CorpusDifference | None:
    """The difference by Welch's t, with the standard deviations of the samples as errors."""
    from scipy.stats import t

    if one.effect is None or other.effect is None:
        return None
    if min(len(one.samples), len(other.samples)) < 2:
        return None
    spreads = [Spread.of(some.samples) for some in (one, other)]
    squares = [(some.sd or 0.0) ** 2 for some in spreads]
    se = math.sqrt(sum(squares))
    if se <= NO_SPREAD:
        return None
    freedom = se**4 / sum(
        square**2 / (some.n - 1) for square, some in zip(squares, spreads, strict=True)
    )
    apart = one.effect - other.effect
    reach = float(t.ppf(0.975, freedom)) * se
    p = float(2 * t.sf(abs(apart) / se, freedom))
    both = (one.corpus, other.corpus)
    return CorpusDifference(one.test, both, apart, se, apart - reach, apart + reach, p, p)
