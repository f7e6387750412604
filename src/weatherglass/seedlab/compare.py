"""Compare corpora, or the groups of one: is the effect of a test the same in both?"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from weatherglass.catalog import Test
from weatherglass.corpus import (
    NamedCorpora,
    open_corpus,
    open_models,
    open_permuted,
    train,
    why_not_permuted,
)
from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe
from weatherglass.measures import (
    MIN_SPREAD,
    MIN_WORDS,
    association_test,
    associations,
    effect,
    spread,
    too_few_reason,
)
from weatherglass.significance import (
    MIN_FOR_INTERVAL,
    holm,
    permuted_difference,
    retrained_interval,
)
from weatherglass.vectors import Case, Vectors

from .comparison import CorpusComparison, CorpusDifference, CorpusEffect, Statistic
from .models import Lookup, Models, Positions

Which = Literal["both", "effect", "unstandardised"]


class Groups(NamedTuple):
    """The trained models that are compared.

    Attributes
    ----------
    models
        The models of each corpus, by name.
    documents
        The number of documents of each corpus.
    permuted
        For every two corpora that are compared, the models of each permutation.
    """

    models: dict[str, Models]
    documents: dict[str, int]
    permuted: dict[tuple[str, str], list[tuple[Vectors, Vectors]]]


class Value(NamedTuple):
    """What a test gives on one model."""

    effect: float
    unstandardised: float


def compare(
    corpora: Mapping[str, Any] | str | PathLike[str],
    tests: Iterable[Test | str],
    *,
    out: str | PathLike[str],
    by: str | None = None,
    permutations: int = 20,
    against: str | None = None,
    statistic: Which = "both",
    case: Case = "auto",
    max_missing: float = 0.2,
    ddof: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
    **training: Any,
) -> CorpusComparison:
    """Train models on corpora, on samples of them and on permuted ones, run tests, and compare.

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
    permutations
        How often the documents of two corpora are exchanged at random; two models are trained each
        time. 0 tests no difference; from 99 on, p is a share of the permutations.
    against
        Compare each corpus with this one only. Otherwise every two are compared, and G corpora
        need G (G − 1) models for each permutation.
    statistic
        Which differences are tested: of effect sizes, which are comparable with other studies, of
        ``unstandardised`` effects, which find a difference more often, or ``both``. Decide before
        you look: with ``both``, Holm's correction covers both.
    case, max_missing, ddof
        As in `weatherglass.weat`.
    progress
        Called with the name of the current step, the amount done and the total.
    **training
        Options of `weatherglass.train`: ``method``, ``dim``, ``bootstrap``, ``seed`` and others.

    Notes
    -----
    *Differences.* The null hypothesis is that the documents of both corpora are exchangeable. The
    documents of both are pooled and divided at random into two parts of the same sizes, a model is
    trained on each part, and the difference D of the corpora is compared with the permuted
    differences D* by Student's t:

        t = (D − D̄*) / (s* √(1 + 1/B)), with B − 1 degrees of freedom,

    or, for corpora of the same number of documents, t = D / s* with s*² = Σ D*² / B and B degrees
    of freedom. On synthetic corpora that do not differ about 5 % of differences have p ≤ 0.05.

    *One corpus.* The interval of an effect size is effect ± t · sd, where sd is the standard
    deviation over bootstrap samples of the documents [1]_, with at least 20 samples. On synthetic
    corpora it covers the expected effect size in more than 95 % of cases; on a corpus whose
    documents are few and heterogeneous it may be too short.

    Only words that every model has are used, so that all models measure the same thing. The
    comparison does not cover the choice of seed words: see `weatherglass.multiverse`.

    References
    ----------
    .. [1] B. Efron, R. J. Tibshirani (1993). An introduction to the bootstrap. Chapters 6, 12, 15.

    Examples
    --------
    >>> import tempfile
    >>> import weatherglass as wg
    >>> sea, land = "the calm sea and a high wave", "a green hill and the calm field"
    >>> texts = {"one": [sea, land] * 9, "two": [land, sea, land] * 6}
    >>> mine = wg.Test(x=["sea", "wave"], y=["hill", "field"], a=["calm"], b=["high", "green"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     comparison = wg.compare(texts, [mine], out=folder, method="ppmi-svd", dim=3,
    ...                             bootstrap=3, permutations=3, min_count=1, workers=1)
    >>> [effect.corpus for effect in comparison.effects], len(comparison.differences)
    (['one', 'two'], 1)
    """
    word_tests = [association_test(test) for test in tests]
    if not word_tests:
        raise UsageError("There is no test; name at least one.")
    if permutations == 1:
        raise UsageError("permutations is 1; give 0, for no tests of differences, or at least 2.")
    if statistic not in get_args(Which):
        names = ", ".join(get_args(Which))
        raise UsageError(f"statistic is {statistic!r}; it must be one of {names}.")
    training |= {"permutations": permutations, "against": against, "progress": progress}
    groups, notes = _train(corpora, Path(out), by, training)
    options = {"by": by, "case": case, "max_missing": max_missing, "ddof": ddof}
    options |= {"statistic": statistic, **_training_options(training)}
    return measure(groups, word_tests, options, notes)


def _training_options(training: Mapping[str, Any]) -> dict[str, Any]:
    """Return the training options that influence the vectors, as values that JSON can hold."""
    return {
        name: value if value is None or isinstance(value, str | int | float) else str(value)
        for name, value in training.items()
        if name not in ("workers", "cluster", "progress")
    }


def _train(
    corpora: Mapping[str, Any] | str | PathLike[str],
    out: Path,
    by: str | None,
    training: dict[str, Any],
) -> tuple[Groups, list[str]]:
    """Return the models of each corpus, or of each group of one; and training's notes."""
    if isinstance(corpora, Mapping):
        if by is not None:
            raise UsageError("A column divides one corpus, but several were given.")
        opened = {str(name): open_corpus(corpus) for name, corpus in corpora.items()}
        if len(opened) < 2:
            raise _one_corpus(opened)
        # In one run, so that documents can be exchanged, and each corpus has its own random stream.
        named = training | {"by": "corpus", "min_size": 0}
        run = train(NamedCorpora.join(opened), out, **named)
        order = list(opened)
    elif by is None:
        raise UsageError("Give two corpora, or one and the column that divides it.")
    else:
        run = train(corpora, out, by=by, **training)
        order = list(run.groups)
    names = [name for name in order if "reason" not in run.groups[name]]
    if len(names) < 2:
        raise _one_corpus(names, run.notes)
    models = {name: Models.of(open_models(out, group=name), name) for name in names}
    documents = {name: int(run.groups[name]["documents"]) for name in names}
    permuted = {
        pair: open_permuted(out, pair, training["permutations"])
        for pair in _pairs(names, training["against"])
    }
    return Groups(models, documents, permuted), list(run.notes)


def _one_corpus(names: Iterable[str], notes: Iterable[str] = ()) -> UsageError:
    listed = ", ".join(map(quote_safe, names)) or "none with enough text"
    why = f" ({'; '.join(notes)})" if notes else ""
    return UsageError(f"There is one corpus, {listed}; two are needed to compare{why}.")


def _pairs(names: Sequence[str], against: str | None) -> list[tuple[str, str]]:
    """Return the pairs to compare, in the order given; a reference comes second."""
    if against is None:
        return list(combinations(names, 2))
    return [(name, against) for name in names if name != against]


def measure(
    groups: Groups, tests: Sequence[Test], options: dict[str, Any], notes: Sequence[str] = ()
) -> CorpusComparison:
    """Run tests on trained models and compare the corpora."""
    full = [model.whole for model in groups.models.values()]
    # One lookup over all models, so that a word one of them lacks is missing in all of them.
    every_model = Models("all", full[0], tuple(_all_vectors(groups)))
    effects: list[CorpusEffect] = []
    differences: list[CorpusDifference] = []
    words: dict[str, dict[str, tuple[str, ...]]] = {}
    missing: dict[str, dict[str, tuple[str, ...]]] = {}
    remarks: list[str] = []
    for test in tests:
        sets = {name: word_set.words for name, word_set in test.sets.items()}
        every_word = [word for wanted in sets.values() for word in wanted]
        lookup = Lookup.of(every_model, every_word, options["case"])
        words[test.id] = {
            name: tuple(word for word in wanted if word in lookup.row)
            for name, wanted in sets.items()
        }
        missing[test.id] = {name: lookup.missing(wanted) for name, wanted in sets.items()}
        in_corpora = Lookup.of(Models("full", full[0], tuple(full)), every_word, options["case"])
        remarks += _note_rare_words(test.id, in_corpora.row.keys() - lookup.row.keys())
        reason = too_few_reason(words[test.id], missing[test.id], MIN_WORDS, options["max_missing"])
        values = iter(
            None if reason else _measure_model(vectors, at, lookup, sets, options["ddof"])
            for vectors, at in zip(every_model.each, lookup.at, strict=True)
        )
        observed = {
            name: _take_corpus(values, len(model.samples)) for name, model in groups.models.items()
        }
        effects += [_corpus_effect(test.id, name, *observed[name], reason) for name in observed]
        for pair, models in groups.permuted.items():
            permuted = [(next(values), next(values)) for _ in models]
            ends = (observed[pair[0]][0], observed[pair[1]][0])
            if None in ends:
                continue
            tested, why = _test_pair(test.id, pair, ends, permuted, groups, options["statistic"])
            differences += tested
            remarks += [why] if why else []
    remarks += _note_samples(effects)
    corrected = _correct(differences)
    return CorpusComparison(
        effects=tuple(effects),
        differences=tuple(row for row in corrected if row.statistic == "effect"),
        unstandardised=tuple(row for row in corrected if row.statistic == "unstandardised"),
        titles={test.id: test.title for test in tests},
        words=words,
        missing=missing,
        notes=(*notes, *remarks),
        source={"corpora": [model.about() for model in groups.models.values()]},
        options=options,
    )


def _all_vectors(groups: Groups) -> Iterator[Vectors]:
    """Yield the vectors of each corpus, whole and samples, then those of the permutations."""
    for model in groups.models.values():
        yield model.whole
        yield from model.samples
    for models in groups.permuted.values():
        for first, second in models:
            yield from (first, second)


def _measure_model(
    vectors: Vectors, at: Positions, lookup: Lookup, sets: Mapping[str, Sequence[str]], ddof: int
) -> Value | None:
    """Return the WEAT effect size on one model, and its numerator; None if it has no scale."""
    rows = vectors.unit_at(at)
    x, y, a, b = (rows[lookup.rows(sets[name])] for name in "XYAB")
    s_x, s_y = associations(x, a, b), associations(y, a, b)
    if spread(s_x, s_y, ddof) <= MIN_SPREAD:
        return None
    return Value(float(effect(s_x, s_y, ddof)), float(s_x.mean() - s_y.mean()))


def _take_corpus(
    values: Iterator[Value | None], samples: int
) -> tuple[Value | None, tuple[float, ...]]:
    """Take the values of one corpus from the stream: of all documents, and of the samples."""
    whole, *others = [next(values) for _ in range(1 + samples)]
    return whole, tuple(value.effect for value in others if value is not None)


def _corpus_effect(
    test: str, corpus: str, whole: Value | None, samples: tuple[float, ...], reason: str
) -> CorpusEffect:
    if reason or whole is None:
        reason = reason or "all targets have the same association, so the effect has no scale"
        return CorpusEffect(test, corpus, None, reason=reason)
    low, high = retrained_interval(whole.effect, samples) or (None, None)
    return CorpusEffect(test, corpus, whole.effect, whole.unstandardised, samples, low, high)


def _test_pair(
    test: str,
    pair: tuple[str, str],
    observed: tuple[Value | None, Value | None],
    permuted: Sequence[tuple[Value | None, Value | None]],
    groups: Groups,
    which: Which,
) -> tuple[list[CorpusDifference], str]:
    """Test the difference of two corpora; return the tests, or why there are none."""
    sizes = groups.documents[pair[0]], groups.documents[pair[1]]
    why = why_not_permuted(*sizes)
    if not why and not permuted:
        why = "documents were not permuted"
    first, second = observed
    tests: list[CorpusDifference] = []
    statistics: tuple[Statistic, ...] = ("effect", "unstandardised")
    for statistic in statistics:
        if why or which not in ("both", statistic):
            continue
        drawn = tuple(
            getattr(one, statistic) - getattr(other, statistic)
            for one, other in permuted
            if one is not None and other is not None
        )
        difference = getattr(first, statistic) - getattr(second, statistic)
        try:
            found = permuted_difference(difference, drawn, equal_sizes=sizes[0] == sizes[1])
        except CannotMeasure as error:
            why = str(error).rstrip(".")
            why = why[0].lower() + why[1:]
            continue
        facts = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
        tests.append(
            CorpusDifference(
                test=test,
                corpora=pair,
                statistic=statistic,
                difference=difference,
                p_holm=found.p,
                permuted=drawn,
                **facts,
            )
        )
    if why:
        first_name, second_name = map(quote_safe, pair)
        why = f"{test}: the difference of {first_name} and {second_name} is not tested: {why}"
    return tests, why


def _correct(differences: Sequence[CorpusDifference]) -> list[CorpusDifference]:
    """Add Holm's correction over all differences and both statistics.

    A reader sees both statistics and may point to either, so both belong to the family.
    """
    p_holm = holm([difference.p for difference in differences]).tolist() if differences else []
    return [
        dataclasses.replace(difference, p_holm=p)
        for difference, p in zip(differences, p_holm, strict=True)
    ]


def _note_rare_words(test: str, words: Iterable[str]) -> list[str]:
    """Say which words every corpus has, but not every sample or permuted part of its documents."""
    rare = sorted(words)
    if not rare:
        return []
    listed = join_first(map(quote_safe, rare), 10)
    return [
        f"{test}: {len(rare):,} of its words are in every corpus, but too rare in some sample or "
        f"permuted part, and are left out everywhere: {listed}"
    ]


def _note_samples(effects: Sequence[CorpusEffect]) -> list[str]:
    """Say where the bootstrap samples are too few, or lie to one side of the effect."""
    notes = [
        f"{row.test}: in {quote_safe(row.corpus)} the effect ({row.effect:.2f}) is more than a "
        f"standard deviation from the mean of its samples ({row.mean:.2f}), so the effect depends "
        "on the size of the corpus; do not rely on its interval"
        for row in effects
        if row.is_shifted
    ]
    numbers = {len(row.samples) for row in effects if row.samples}
    if numbers and min(numbers) < MIN_FOR_INTERVAL:
        notes.append(
            f"with fewer than {MIN_FOR_INTERVAL} bootstrap samples there are no 95 % intervals of "
            "effects"
        )
    return notes
