"""Compare corpora, or the groups of one: is the effect of a test the same in both?"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from weatherglass.catalog import Test
from weatherglass.corpus import folder_name, open_models, train
from weatherglass.errors import UsageError
from weatherglass.measures import (
    MIN_SPREAD,
    MIN_WORDS,
    association_test,
    associations,
    effect,
    spread,
    too_few_reason,
)
from weatherglass.significance import holm
from weatherglass.vectors import Case, Vectors

from .models import Lookup, Models, Positions, Spread
from .result import Experiment

_ALPHA = 0.05  # level of significance in the sentence


@dataclass(frozen=True)
class CorpusEffect:
    """The effect size of a test in one corpus.

    Attributes
    ----------
    test, corpus
        The test's id, and the name of the corpus.
    effect
        The effect size on the model of all documents; None if it could not be measured.
    samples, spread
        The effect sizes on the bootstrap samples, and their spread; None without samples.
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
    """The difference of two corpora on one test: the first effect size minus the second.

    Attributes
    ----------
    difference
        The difference of the models of all documents.
    se
        Its standard error: the root of the sum of the variances of the bootstrap samples.
    low, high
        Its 95 % confidence interval, by Student's t.
    p, p_holm
        The two-sided p-value of the difference over its standard error, and the same corrected
        over all differences.
    """

    test: str
    corpora: tuple[str, str]
    difference: float
    se: float
    low: float
    high: float
    p: float
    p_holm: float


@dataclass(frozen=True, kw_only=True, repr=False)
class CorpusComparison(Experiment):
    """Tests on several corpora.

    Only words that every model has are used; `missing` has the others, by test and set. `notes`
    lists what training left out and which differences were not tested.
    """

    measure: ClassVar[str] = "compare"

    effects: tuple[CorpusEffect, ...]
    differences: tuple[CorpusDifference, ...]
    titles: dict[str, str]
    words: dict[str, dict[str, tuple[str, ...]]]
    missing: dict[str, dict[str, tuple[str, ...]]]
    notes: tuple[str, ...] = ()

    def key_facts(self) -> dict[str, Any]:
        corpora = list(dict.fromkeys(effect.corpus for effect in self.effects))
        tests = list(dict.fromkeys(effect.test for effect in self.effects))
        return {"corpora": corpora, "tests": tests, "differences": len(self.differences)}

    def sentence(self) -> str:
        significant = sum(difference.p_holm <= _ALPHA for difference in self.differences)
        return (
            f"{significant:,} of {len(self.differences):,} differences between corpora have "
            f"p ≤ {_ALPHA:g} after Holm's correction."
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each test and corpus, then one for each difference of two corpora."""
        effects = [
            {
                "test": effect.test,
                "corpus": effect.corpus,
                "against": None,
                "effect": effect.effect,
                "mean": effect.spread.mean if effect.spread else None,
                "sd": effect.spread.sd if effect.spread else None,
                "low": effect.spread.low if effect.spread else None,
                "high": effect.spread.high if effect.spread else None,
                "samples": len(effect.samples),
                "p": None,
                "p_holm": None,
                "reason": effect.reason,
            }
            for effect in self.effects
        ]
        return effects + [
            dict.fromkeys(effects[0])
            | {
                "test": difference.test,
                "corpus": difference.corpora[0],
                "against": difference.corpora[1],
                "effect": difference.difference,
                "sd": difference.se,
                "low": difference.low,
                "high": difference.high,
                "p": difference.p,
                "p_holm": difference.p_holm,
            }
            for difference in self.differences
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
        Corpora by the names that results give them; or one corpus, divided `by` a column.
    tests
        Association tests, or their ids.
    out
        A folder for the models. They stay there, and a second call resumes from them.
    by
        The column of metadata that divides the corpus into groups.
    case, max_missing, ddof
        As in `weatherglass.weat`.
    progress
        Called with the name of the current step, the amount done and the total.
    **training
        Options of `weatherglass.train`: ``method``, ``dim``, ``bootstrap``, ``seed`` and others.

    Notes
    -----
    The null hypothesis is that the difference is zero; the uncertainty is which documents the
    corpora happen to contain. The standard deviation over the bootstrap samples of a corpus is the
    standard error of its effect size [1]_; that of a difference is the root of the sum of their
    squares. As it is estimated from few samples, the difference over its standard error is compared
    with Student's t, with the degrees of freedom of Welch and Satterthwaite. Percentiles of twenty
    samples would be too narrow: their 95 % intervals cover the truth in 92 of 100 cases.

    The comparison does not cover the choice of seed words: see `weatherglass.multiverse`.

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
    ...     comparison = wg.compare(texts, [mine], out=folder, method="ppmi-svd", dim=3,
    ...                             bootstrap=3, min_count=1, workers=1)
    >>> [effect.corpus for effect in comparison.effects], len(comparison.differences)
    (['one', 'two'], 1)
    """
    word_tests = [association_test(test) for test in tests]
    if not word_tests:
        raise UsageError("There is no test; name at least one.")
    models, notes = _train(corpora, Path(out), by, progress, training)
    if len(models) < 2:
        why = f" ({'; '.join(notes)})" if notes else ""
        raise UsageError(
            f"There is one corpus, {', '.join(models)}; two are needed to compare{why}."
        )
    options = {"by": by, "case": case, "max_missing": max_missing, "ddof": ddof}
    return measure(models, word_tests, options | _training_options(training), notes)


def _training_options(training: Mapping[str, Any]) -> dict[str, Any]:
    """Return the training options that influence the vectors, as values that JSON can hold."""
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
    """Run tests on trained models, by corpus, and compare the corpora."""
    # One lookup over all models, so that a word one of them lacks is missing in all of them.
    together = Models("all", next(iter(models.values())).whole, tuple(_all_vectors(models)))
    effects: list[CorpusEffect] = []
    words: dict[str, dict[str, tuple[str, ...]]] = {}
    missing: dict[str, dict[str, tuple[str, ...]]] = {}
    for test in tests:
        sets = {name: word_set.words for name, word_set in test.sets.items()}
        every_word = [word for wanted in sets.values() for word in wanted]
        lookup = Lookup.of(together, every_word, options["case"])
        words[test.id] = {
            name: tuple(word for word in wanted if word in lookup.row)
            for name, wanted in sets.items()
        }
        missing[test.id] = {name: lookup.missing(wanted) for name, wanted in sets.items()}
        reason = too_few_reason(words[test.id], missing[test.id], MIN_WORDS, options["max_missing"])
        values = iter(
            None if reason else _measure_effect(vectors, at, lookup, sets, options["ddof"])
            for vectors, at in zip(together.each, lookup.at, strict=True)
        )
        for name, model in models.items():
            effects.append(_collect_effect(test.id, name, len(model.samples), values, reason))
    differences, untested = _compare_corpora(effects)
    return CorpusComparison(
        effects=tuple(effects),
        differences=differences,
        titles={test.id: test.title for test in tests},
        words=words,
        missing=missing,
        notes=(*notes, *untested),
        source={"corpora": [model.about() for model in models.values()]},
        options=options,
    )


def _train(
    corpora: Mapping[str, Any] | str | PathLike[str],
    out: Path,
    by: str | None,
    progress: Callable[[str, int, int], None] | None,
    training: dict[str, Any],
) -> tuple[dict[str, Models], list[str]]:
    """Return the models of each corpus, or of each group of one, by name; and training's notes."""
    if not isinstance(corpora, Mapping):
        if by is None:
            raise UsageError("Give two corpora, or one and the column that divides it.")
        run = train(corpora, out, by=by, progress=progress, **training)
        groups = [name for name, about in run.groups.items() if "reason" not in about]
        models = {name: Models.of(open_models(out, group=name), name) for name in groups}
        return models, list(run.notes)
    if by is not None:
        raise UsageError("A column divides one corpus, but several were given.")
    models = {}
    notes: list[str] = []
    used: set[str] = set()
    for name, corpus in corpora.items():
        folder = out / folder_name(name, used)
        used.add(folder.name)
        run = train(corpus, folder, progress=progress, **training)
        notes += [f"{name}: {note}" for note in run.notes]
        models[name] = Models.of(open_models(folder), name)
    return models, notes


def _all_vectors(models: Mapping[str, Models]) -> Iterable[Vectors]:
    """Yield the vectors corpus by corpus: of the whole corpus, then of its samples."""
    for model in models.values():
        yield model.whole
        yield from model.samples


def _measure_effect(
    vectors: Vectors, at: Positions, lookup: Lookup, sets: Mapping[str, Sequence[str]], ddof: int
) -> float | None:
    """Return the WEAT effect size on one model; None if all associations are equal."""
    rows = vectors.unit_at(at)
    x, y, a, b = (rows[lookup.rows(sets[name])] for name in "XYAB")
    s_x, s_y = associations(x, a, b), associations(y, a, b)
    return None if spread(s_x, s_y, ddof) <= MIN_SPREAD else effect(s_x, s_y, ddof)


def _collect_effect(
    test: str, corpus: str, samples: int, values: Iterator[float | None], reason: str
) -> CorpusEffect:
    """Take the values of one corpus, whole and samples, from the stream of all models."""
    whole, *others = [next(values) for _ in range(1 + samples)]
    if reason or whole is None:
        reason = reason or "all targets have the same association, so the effect has no scale"
        return CorpusEffect(test, corpus, None, reason=reason)
    numbers = tuple(float(value) for value in others if value is not None)
    return CorpusEffect(test, corpus, whole, numbers, Spread.of(numbers) if numbers else None)


def _compare_corpora(
    effects: Sequence[CorpusEffect],
) -> tuple[tuple[CorpusDifference, ...], list[str]]:
    """Compare every two corpora on every test; note the differences that cannot be tested."""
    differences: list[CorpusDifference] = []
    untested: list[str] = []
    for first, second in combinations(effects, 2):
        if first.test != second.test or first.effect is None or second.effect is None:
            continue
        difference = _test_difference(first, second)
        if difference is None:
            untested.append(
                f"{first.test}: the difference of {first.corpus} and {second.corpus} is not "
                "tested, because that needs two samples of each, and samples that differ"
            )
        else:
            differences.append(difference)
    p_holm = holm([difference.p for difference in differences]).tolist() if differences else []
    return tuple(
        dataclasses.replace(difference, p_holm=p)
        for difference, p in zip(differences, p_holm, strict=True)
    ), untested


def _test_difference(first: CorpusEffect, second: CorpusEffect) -> CorpusDifference | None:
    """Test a difference by Welch's t, with the samples' standard deviations as standard errors."""
    from scipy.stats import t

    if first.effect is None or second.effect is None:
        return None
    if min(len(first.samples), len(second.samples)) < 2:
        return None
    spreads = [Spread.of(first.samples), Spread.of(second.samples)]
    variances = [(sample.sd or 0.0) ** 2 for sample in spreads]
    se = math.sqrt(sum(variances))
    if se <= MIN_SPREAD:
        return None
    degrees_of_freedom = se**4 / sum(
        variance**2 / (sample.n - 1) for variance, sample in zip(variances, spreads, strict=True)
    )
    difference = first.effect - second.effect
    margin = float(t.ppf(0.975, degrees_of_freedom)) * se
    p = float(2 * t.sf(abs(difference) / se, degrees_of_freedom))
    return CorpusDifference(
        test=first.test,
        corpora=(first.corpus, second.corpus),
        difference=difference,
        se=se,
        low=difference - margin,
        high=difference + margin,
        p=p,
        p_holm=p,
    )
