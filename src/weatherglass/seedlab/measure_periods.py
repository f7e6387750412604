"""Measure tests in ordered periods, and test their trends."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weatherglass.catalog import FactualTest, Test, fact_in, name_words
from weatherglass.errors import CannotMeasure, join_first, quote_safe
from weatherglass.measures import (
    MIN_SPREAD,
    MIN_WORDS,
    associations,
    effect,
    label_in_text,
    lower_first,
    normalised_rows,
    overlap_reason,
    spread,
    too_few_reason,
)
from weatherglass.significance import (
    MIN_PERIODS,
    holm,
    permuted_difference,
    retrained_interval,
    trend,
)
from weatherglass.vectors import Vectors, find_usable_positions

from .models import Models
from .trajectories import CorpusTrend, PeriodChange, TrajectoryPoint, TrendStatistic

Floats = NDArray[np.float64]
Rows = dict[str, dict[str, Floats]]  # by set and word

_MIN_FACTS = 3
_POWER_QUANTILE = 0.8416  # of the normal distribution at 0.8: power of 80 %
_SETS = frozenset("XYABW")


class Period(NamedTuple):
    """A period of a corpus, with its models."""

    name: str
    time: float
    documents: int
    tokens: int
    models: Models


@dataclass(frozen=True)
class Question:
    """A test that is asked in every period.

    Attributes
    ----------
    test
        An association test, or a factual one.
    facts
        Facts by word and year, for a factual test; otherwise those of the test hold in all years.
    """

    test: Test | FactualTest
    facts: Mapping[str, Mapping[float, float]] | None = None

    @property
    def sets(self) -> dict[str, tuple[str, ...]]:
        """The words of each set."""
        return {name: tuple(word_set.words) for name, word_set in self.test.sets.items()}

    @property
    def min_words(self) -> Mapping[str, int]:
        return MIN_WORDS if isinstance(self.test, Test) else {"W": _MIN_FACTS, "A": 1, "B": 1}

    @property
    def statistics(self) -> tuple[TrendStatistic, ...]:
        """The statistics; the first is the value of a period."""
        return ("effect", "unstandardised") if isinstance(self.test, Test) else ("correlation",)

    def facts_in(self, time: float) -> dict[str, float]:
        """Return the fact of each target at a time, where there is one."""
        if not isinstance(self.test, FactualTest):
            return {}
        if self.facts is None:
            return dict(zip(self.test.sets["W"].words, self.test.facts.values, strict=True))
        found = {word: fact_in(years, time) for word, years in self.facts.items()}
        return {word: value for word, value in found.items() if value is not None}

    def measure(self, rows: Rows, time: float, ddof: int) -> tuple[float, ...] | None:
        """Return each statistic; None if it has no scale."""
        stacked = {name: np.array(list(found.values())) for name, found in rows.items()}
        if isinstance(self.test, Test):
            x, y = (associations(stacked[name], stacked["A"], stacked["B"]) for name in "XY")
            if spread(x, y, ddof) <= MIN_SPREAD:
                return None
            return float(effect(x, y, ddof)), float(x.mean() - y.mean())
        facts = self.facts_in(time)
        values = normalised_rows(stacked["W"], stacked["A"], stacked["B"])
        world = np.array([facts[word] for word in rows["W"]])
        if not np.isfinite(values).all() or np.ptp(values) <= MIN_SPREAD or np.ptp(world) == 0:
            return None
        return (float(np.corrcoef(values, world)[0, 1]),)

    def subject(self) -> str:
        """Return what may have changed, in words."""
        phrase = {
            name: name_words(word_set.words)
            if word_set.label in _SETS
            else label_in_text(word_set.label)
            for name, word_set in self.test.sets.items()
        }
        if isinstance(self.test, Test):
            return (
                f"the association of {phrase['X']}, compared with {phrase['Y']}, with "
                f"{phrase['A']} rather than {phrase['B']}"
            )
        fact = lower_first(self.test.facts.name or "fact")
        return (
            f"the correlation of {fact} with the association of {phrase['W']} with {phrase['A']} "
            f"rather than {phrase['B']}"
        )


class Series(NamedTuple):
    """A test over the periods of one corpus."""

    points: list[TrajectoryPoint]
    trends: list[CorpusTrend]
    changes: list[PeriodChange]
    words: dict[str, tuple[str, ...]]
    missing: dict[str, tuple[str, ...]]
    notes: list[str]


def measure_series(
    question: Question,
    corpus: str,
    periods: Sequence[Period],
    permuted: Sequence[Mapping[str, Vectors | None]],
    options: Mapping[str, Any],
    *,
    is_one_of_several: bool = False,
) -> Series:
    """Measure a test in every period of a corpus, and test its trend.

    The same words are used in all periods. A period that lacks too many of them is left out.
    """
    sets, test = question.sets, question.test
    whole = {period.name: _look_up(period.models.whole, sets, options) for period in periods}
    for period in periods:
        if "W" in sets:
            facts = question.facts_in(period.time)
            found = whole[period.name]["W"]
            whole[period.name]["W"] = {word: found[word] for word in found if word in facts}
    used, left_out = _choose_words(question, whole, options)
    missing = {name: tuple(w for w in sets[name] if w not in used[name]) for name in sets}
    kept = [period for period in periods if period.name not in left_out]
    reason = too_few_reason(used, missing, question.min_words, options["max_missing"])
    if reason and left_out:
        reason += f", although {len(left_out)} of {len(periods)} periods were left out"
    if not options["allow_overlap"]:
        reason = reason or overlap_reason(used)
    if not reason and len(kept) < MIN_PERIODS:
        reason = f"a trend needs at least {MIN_PERIODS} periods, and {len(kept)} have the words"
    points, values = [], {}
    for period in periods:
        why = left_out.get(period.name, reason)
        rows = _only(whole[period.name], used)
        value = None if why else question.measure(rows, period.time, options["ddof"])
        if value is None:
            why = why or "all targets have the same association, so the effect has no scale"
        else:
            values[period.name] = value
        points.append(_point(question, corpus, period, value, used, options, why))
    kept = [period for period in kept if period.name in values]
    notes = _left_out_notes(points, is_one_of_several) if not reason else []
    if reason or len(kept) < MIN_PERIODS:
        reason = reason or f"fewer than {MIN_PERIODS} periods could be measured"
        return Series(points, [], [], used, missing, [*notes, f"{test.id}: no trend, {reason}"])
    drawn, lost = _measure_permuted(question, kept, permuted, used, options)
    if lost:
        notes.append(
            f"{test.id}: {lost} of {len(permuted)} permutations are left out, as some period then "
            "has too few of the words"
        )
    observed = np.array([values[period.name] for period in kept])
    trends, changes, why = _test(question, corpus, kept, observed, drawn, options)
    notes += [f"{test.id}: the trend is not tested: {why}"] if why else []
    return Series(points, trends, changes, used, missing, notes)


def _look_up(
    vectors: Vectors, sets: Mapping[str, Sequence[str]], options: Mapping[str, Any]
) -> Rows:
    """Return the unit rows of the words that a model has, by set; each row once."""
    rows: Rows = {}
    for name, words in sets.items():
        positions = find_usable_positions(vectors, words, options["case"])
        first: dict[int, str] = {}
        for word, position in zip(words, positions.tolist(), strict=True):
            if position >= 0:
                first.setdefault(position, word)
        units = vectors.unit_at(np.array(list(first), dtype=np.intp))
        rows[name] = dict(zip(first.values(), units, strict=True))
    return rows


def _only(rows: Rows, used: Mapping[str, Sequence[str]]) -> Rows:
    return {
        name: {word: rows[name][word] for word in used[name] if word in rows[name]} for name in rows
    }


def _choose_words(
    question: Question, whole: Mapping[str, Rows], options: Mapping[str, Any]
) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """Return the words that all periods have, and why some periods are left out.

    While they have too few in common, the period that lacks most words is left out; but at most
    half of the periods, as the trend of a remnant would mislead.
    """
    sets = question.sets
    present = dict(whole)
    left_out: dict[str, str] = {}
    while True:
        used = {
            name: tuple(word for word in words if all(word in p[name] for p in present.values()))
            for name, words in sets.items()
        }
        missing = {name: [w for w in sets[name] if w not in used[name]] for name in sets}
        reason = too_few_reason(used, missing, question.min_words, options["max_missing"])
        if not reason or len(present) <= max(MIN_PERIODS, len(whole) / 2):
            return used, left_out
        worst = max(present, key=lambda period: _lacking_share(sets, present[period]))
        lacking = [word for name in sets for word in sets[name] if word not in present[worst][name]]
        listed = join_first(map(quote_safe, dict.fromkeys(lacking)))
        left_out[worst] = f"too rare or missing: {listed}"
        del present[worst]


def _lacking_share(sets: Mapping[str, Sequence[str]], rows: Rows) -> float:
    """Return the largest share of a set's words that a period lacks."""
    return max(1 - len(rows[name]) / max(1, len(words)) for name, words in sets.items())


def _measure_model(
    question: Question,
    vectors: Vectors | None,
    time: float,
    used: Mapping[str, Sequence[str]],
    options: Mapping[str, Any],
) -> tuple[float, ...] | None:
    """Measure a permuted or resampled model on the words that it has; None if they are too few.

    `max_missing` does not apply: leaving out parts that lack words would make the others look more
    alike than they are.
    """
    if vectors is None:
        return None
    rows = _look_up(vectors, used, options)
    if any(len(found) < question.min_words[name] for name, found in rows.items()):
        return None
    return question.measure(rows, time, options["ddof"])


def _point(
    question: Question,
    corpus: str,
    period: Period,
    value: tuple[float, ...] | None,
    used: Mapping[str, Sequence[str]],
    options: Mapping[str, Any],
    reason: str,
) -> TrajectoryPoint:
    about = (question.test.id, corpus, period.name, period.time, period.documents, period.tokens)
    if value is None:
        return TrajectoryPoint(*about, None, reason=reason)
    measured = [
        _measure_model(question, sample, period.time, used, options)
        for sample in period.models.samples
    ]
    samples = tuple(sample[0] for sample in measured if sample is not None)
    low, high = retrained_interval(value[0], samples) or (None, None)
    unstandardised = value[1] if len(value) > 1 else None
    return TrajectoryPoint(*about, value[0], unstandardised, samples, low, high)


def _measure_permuted(
    question: Question,
    periods: Sequence[Period],
    permuted: Sequence[Mapping[str, Vectors | None]],
    used: Mapping[str, Sequence[str]],
    options: Mapping[str, Any],
) -> tuple[Floats, int]:
    """Return statistics by permutation, period and statistic; and how many permutations failed."""
    drawn = []
    for models in permuted:
        row = [
            _measure_model(question, models[period.name], period.time, used, options)
            for period in periods
        ]
        if all(value is not None for value in row):
            drawn.append(row)
    shape = (len(drawn), len(periods), len(question.statistics))
    return np.array(drawn, dtype=np.float64).reshape(shape), len(permuted) - len(drawn)


def _test(
    question: Question,
    corpus: str,
    periods: Sequence[Period],
    observed: Floats,
    drawn: Floats,
    options: Mapping[str, Any],
) -> tuple[list[CorpusTrend], list[PeriodChange], str]:
    """Test the trend of each statistic, and the changes; or say why they are not tested."""
    times = [period.time for period in periods]
    equal_sizes = len({period.documents for period in periods}) == 1
    trends = []
    try:
        for k, statistic in enumerate(question.statistics):
            chosen = options["statistic"]
            if len(question.statistics) > 1 and chosen not in ("both", statistic):
                continue
            line = trend(
                times, observed[:, k].tolist(), drawn[:, :, k].tolist(), equal_sizes=equal_sizes
            )
            span = max(times) - min(times)
            trends.append(
                CorpusTrend(
                    test=question.test.id,
                    corpus=corpus,
                    statistic=statistic,
                    first=periods[0].name,
                    last=periods[-1].name,
                    periods=len(periods),
                    p_holm=line.p,
                    intercept=float(observed[:, k].mean()) - line.slope * float(np.mean(times)),
                    detectable=_detectable(line.permutations) * line.se * span,
                    **dataclasses.asdict(line),
                )
            )
        changes = _changes(question, corpus, periods, observed[:, 0], drawn[:, :, 0], options)
    except CannotMeasure as error:
        why = str(error).rstrip(".")
        return [], [], why[0].lower() + why[1:]
    return trends, changes, ""


def _detectable(permutations: int, tests: int = 1) -> float:
    """Return how many standard errors a slope needs for a power of 80 % at 0.05 / tests."""
    from scipy.stats import t

    return float(t.ppf(1 - 0.025 / tests, permutations - 1)) + _POWER_QUANTILE


def detectable_ratio(tests: int, row: CorpusTrend) -> float:
    """Return how much larger a change must be if it is one of several that are tested."""
    return _detectable(row.permutations, tests) / _detectable(row.permutations)


def _changes(
    question: Question,
    corpus: str,
    periods: Sequence[Period],
    values: Floats,
    drawn: Floats,
    options: Mapping[str, Any],
) -> list[PeriodChange]:
    """Test the change of each period against the reference, by the permuted dates."""
    names = [period.name for period in periods]
    against = options["against"] if options["against"] in names else names[0]
    reference = names.index(against)
    tested = [
        permuted_difference(
            float(values[k] - values[reference]),
            (drawn[:, k] - drawn[:, reference]).tolist(),
            equal_sizes=periods[k].documents == periods[reference].documents,
        )
        for k in range(len(periods))
        if k != reference
    ]
    others = [k for k in range(len(periods)) if k != reference]
    corrected = holm([test.p for test in tested]).tolist()
    return [
        PeriodChange(
            test=question.test.id,
            corpus=corpus,
            period=names[k],
            against=against,
            change=float(values[k] - values[reference]),
            p_holm=p_holm,
            **dataclasses.asdict(test),
        )
        for k, test, p_holm in zip(others, tested, corrected, strict=True)
    ]


def _left_out_notes(points: Sequence[TrajectoryPoint], names_corpus: bool) -> list[str]:
    return [
        f"{point.test}: {quote_safe(point.period)}"
        + (f" of {quote_safe(point.corpus)}" if names_corpus else "")
        + f" is left out, {point.reason}"
        for point in points
        if point.reason
    ]
