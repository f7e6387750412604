"""Run tests on the models of several corpora, and test their differences."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from weatherglass.catalog import GroupsTest, Test
from weatherglass.corpus import why_not_permuted
from weatherglass.errors import CannotMeasure, join_first, quote_safe
from weatherglass.measures import (
    MIN_SPREAD,
    GroupScores,
    associations,
    effect,
    min_words,
    overlap_reason,
    split_sets,
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

_MAX_NAMED = 10
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
    shared
        For every two, the number of documents that have a part in both.
    source
        The name of the corpus that was divided into groups, or the names of all corpora.
    """

    models: dict[str, Models]
    documents: dict[str, int]
    permuted: dict[tuple[str, str], list[tuple[Vectors, Vectors]]]
    shared: dict[tuple[str, str], int]
    source: str


class Value(NamedTuple):
    """What a test gives on one model."""

    effect: float
    unstandardised: float


def measure_corpora(
    groups: Groups,
    tests: Sequence[Test | GroupsTest],
    options: dict[str, Any],
    notes: Sequence[str] = (),
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
        reason = too_few_reason(
            words[test.id], missing[test.id], min_words(sets), options["max_missing"]
        )
        reason += _where_missing(groups, every_word, options["case"]) if reason else ""
        if not options["allow_overlap"]:
            reason = reason or overlap_reason(words[test.id])
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
        source={
            "name": groups.source,
            "corpora": [model.about() for model in groups.models.values()],
        },
        options=options,
    )


def _where_missing(groups: Groups, words: Sequence[str], case: Case) -> str:
    """Say which words are too rare in which corpus, to follow a reason."""
    places = []
    for name, models in groups.models.items():
        rare = Lookup.of(Models(name, models.whole), words, case).missing(words)
        if rare:
            listed = join_first(map(quote_safe, rare), _MAX_NAMED)
            places.append(f"in {quote_safe(name)} {listed}")
    return f"; too rare are {join_first(places, _MAX_NAMED, '; ')}" if places else ""


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
    """Return the effect size on one model, and its numerator; None if it has no scale."""
    rows = vectors.unit_at(at)
    if "X1" in sets:
        groups, attributes = (
            [rows[lookup.rows(sets[name])] for name in side] for side in split_sets(sets)
        )
        numbers = GroupScores.of(groups, attributes).numbers(ddof)
        return None if numbers.effect is None else Value(numbers.effect, numbers.difference)
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
    why = why_not_permuted(*sizes, groups.shared[pair])
    if not why and not permuted:
        why = "documents were not permuted"
    first, second = observed
    tests: list[CorpusDifference] = []
    statistics: tuple[Statistic, ...] = ("effect", "unstandardised")
    for statistic in statistics:
        if why or which not in ("both", statistic):
            continue
        drawn = tuple(
            getattr(first_effect, statistic) - getattr(second_effect, statistic)
            for first_effect, second_effect in permuted
            if first_effect is not None and second_effect is not None
        )
        difference = getattr(first, statistic) - getattr(second, statistic)
        try:
            tested = permuted_difference(difference, drawn, equal_sizes=sizes[0] == sizes[1])
        except CannotMeasure as error:
            why = str(error).rstrip(".")
            why = why[0].lower() + why[1:]
            continue
        facts = {field.name: getattr(tested, field.name) for field in dataclasses.fields(tested)}
        tests.append(
            CorpusDifference(
                test=test,
                corpora=pair,
                statistic=statistic,
                difference=difference,
                p_holm=tested.p,
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
