"""Trajectories: does the effect of a test rise or fall over the periods of a corpus?"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, get_args

from weatherglass.catalog import FactualTest, NamedTests, Test, choose_tests, load_dated_facts
from weatherglass.corpus import (
    Grouping,
    PeriodCheck,
    PermutedDates,
    Trained,
    open_corpus,
    open_dates,
    open_models,
    train,
)
from weatherglass.errors import CannotMeasure, UsageError, did_you_mean, join_first, quote_safe
from weatherglass.measures import spellings
from weatherglass.significance import MIN_FOR_INTERVAL, MIN_PERIODS, holm
from weatherglass.vectors import Case

from .compare import training_options
from .measure_corpora import Which
from .measure_periods import Period, Question, Series, detectable_ratio, measure_series
from .models import Models
from .trajectories import CorpusTrend, Trajectory

DatedFacts = Mapping[str, Mapping[float, float]]
PERMUTATIONS = 99  # with 99, the smallest possible p is 0.01
BOOTSTRAP = 20


def trajectory(
    corpora: Mapping[str, Any] | str | PathLike[str] | Any,
    tests: NamedTests,
    *,
    out: str | PathLike[str],
    by: str,
    bins: str | int | Sequence[float] | None = None,
    facts: str | PathLike[str] | DatedFacts | None = None,
    permutations: int = PERMUTATIONS,
    bootstrap: int = BOOTSTRAP,
    against: str | None = None,
    statistic: Which = "both",
    case: Case = "auto",
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    ddof: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
    **training: Any,
) -> Trajectory:
    """Run tests on the periods of a corpus, or of several, and test whether they rise or fall.

    Parameters
    ----------
    corpora
        A corpus, or several by the names that results give them. Each has its own trend.
    tests
        Association tests and factual tests, their ids, or a file of them.
    out
        A folder for the models, with a subfolder for each corpus if there are several.
    by, bins
        The column that dates the documents, by numbers or dates, and how it is divided into
        periods, as in `weatherglass.train`: ``"decade"``, a number of periods, or edges.
    facts
        For factual tests: facts by year, as a mapping from word to year to number, or a table with
        the columns ``word``, ``year`` and ``value``. The fact of a period is on the line between
        the years before and after its mean date; periods outside the table's years are left out.
    permutations
        How often the dates of all documents are exchanged at random. Each time a model of every
        period is trained; only the words of the tests are kept.
    bootstrap
        The number of bootstrap samples of each period; with 20 or more there is a band.
    against
        The period that changes are against; by default the first one.
    statistic
        Which trends of association tests are tested: of effect sizes, of their numerators
        (``unstandardised``), or ``both``; Holm's correction covers all.
    case, max_missing, allow_overlap, ddof
        As in `weatherglass.weat`. A period that lacks too many words is left out.
    progress
        Called with the name of the current step, the amount done and the total.
    **training
        Options of `weatherglass.train`: ``method`` (``ppmi-svd`` by default), ``dim``, ``seed``,
        ``only``, ``where`` and others.

    Notes
    -----
    The slope is that of ordinary least squares over the mean dates of the periods. The null
    hypothesis is that dates do not matter: all documents are dealt out again at random, each period
    gets as many as it has, a model is trained on each part, and p is the share of all slopes, the
    observed one included, that are at least as far from their centre. Parts of one document in
    several periods are exchanged with each other only. Beside it stands Student's t of the slope by
    the residuals of the line: periods that differ for other reasons, such as wars, make the first p
    small, and not the second. Weights of 1 / SE² are not used, as the standard errors are
    noisy themselves. ``docs/calibration.md`` has the levels and the power.

    The same words are used in all periods. A permuted or resampled model that lacks some of them is
    measured on the others.

    Examples
    --------
    >>> import tempfile
    >>> import weatherglass as wg
    >>> from weatherglass.corpus import Document
    >>> sea, land = "the calm sea and a high wave", "a green hill and the calm field"
    >>> texts = [Document(text, {"year": str(year)}) for year in (1800, 1810, 1820)
    ...          for text in [sea, land] * 5]
    >>> mine = wg.Test(x=["sea", "wave"], y=["hill", "field"], a=["calm"], b=["high", "green"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = wg.trajectory(texts, mine, out=folder, by="year", dim=3, bootstrap=0,
    ...                            permutations=9, min_count=1, min_size=0, workers=1)
    >>> [point.period for point in result.points], result.trends[0].first
    (['1800', '1810', '1820'], '1800')
    """
    questions = _questions(tests, facts)
    if permutations < 2:
        raise UsageError(f"permutations is {permutations}; a trend needs at least 2.")
    if statistic not in get_args(Which):
        names = ", ".join(get_args(Which))
        raise UsageError(f"statistic is {statistic!r}; it must be one of {names}.")
    words = spellings([word_set for q in questions for word_set in q.test.sets.values()])
    training = {"method": "ppmi-svd"} | training
    checked = tuple(q.test for q in questions if isinstance(q.test, Test))
    check = PeriodCheck(checked if len(checked) == len(questions) else (), max_missing)
    shared = training | {
        "tests": check,
        "by": by,
        "bins": bins,
        "bootstrap": bootstrap,
        "dates": PermutedDates.of(permutations, words),
        "progress": progress,
    }
    options = {
        "by": by,
        "bins": None if bins is None else str(bins),
        "case": case,
        "max_missing": max_missing,
        "allow_overlap": allow_overlap,
        "ddof": ddof,
        "statistic": statistic,
        "against": against,
        "permutations": permutations,
        "bootstrap": bootstrap,
        **training_options(training),
    }
    named = dict(corpora) if isinstance(corpora, Mapping) else {"": corpora}
    series: dict[tuple[str, str], Series] = {}
    notes: list[str] = []
    sources = []
    for name, corpus in named.items():
        folder = Path(out) / name if len(named) > 1 else Path(out)
        opened = open_corpus(corpus)
        label = name or opened.source
        run = train(opened, folder, **shared)
        periods = _periods(run, by, against)
        notes += [f"{label}: {note}" if len(named) > 1 else note for note in run.notes]
        permuted = open_dates(folder, permutations, [period.name for period in periods])
        sources += [period.models.about() | {"corpus": label} for period in periods]
        for question in questions:
            series[question.test.id, label] = measure_series(
                question, label, periods, permuted, options, is_one_of_several=len(named) > 1
            )
    return _gather(by, questions, series, notes, {"corpora": sources}, options)


def is_ordered(
    corpus: Any,
    by: str,
    bins: str | int | Sequence[float] | None = None,
    only: Iterable[str] = (),
    where: Iterable[str] = (),
) -> bool:
    """Return whether a column divides a corpus into three or more groups that have an order.

    Its values are then numbers or dates. The corpus is read once.
    """
    grouped = Grouping.of(by, bins, only, where).apply(open_corpus(corpus))
    names = dict.fromkeys(part.group for part in grouped)
    return len(names) >= MIN_PERIODS and all(grouped.value(name) is not None for name in names)


def _questions(tests: NamedTests, facts: str | PathLike[str] | DatedFacts | None) -> list[Question]:
    entries = choose_tests(tests, Test | FactualTest)
    if not entries:
        raise UsageError("There is no test; name at least one.")
    if facts is None:
        return [Question(entry) for entry in entries]
    dated = facts if isinstance(facts, Mapping) else load_dated_facts(facts)
    if not any(isinstance(entry, FactualTest) for entry in entries):
        raise UsageError("The facts need a factual test, for its attributes; name one.")
    questions = []
    for entry in entries:
        if isinstance(entry, FactualTest):
            # The values are looked up by year; these only name the targets.
            targets = dict.fromkeys(dated, 0.0)
            entry = FactualTest.model_validate(
                {"id": entry.id, "a": entry.a, "b": entry.b, "facts": targets}
            )
            questions.append(Question(entry, dated))
        else:
            questions.append(Question(entry))
    return questions


def _periods(run: Trained, by: str, against: str | None) -> list[Period]:
    """Return the trained periods of a run in their order."""
    groups = {name: about for name, about in run.groups.items() if "reason" not in about}
    if any("value" not in about for about in groups.values()):
        raise UsageError(
            f"The column {quote_safe(by)} holds neither numbers nor dates, which a trend needs."
        )
    if len(groups) < MIN_PERIODS:
        listed = join_first(map(quote_safe, groups))
        why = f" ({'; '.join(run.notes)})" if run.notes else ""
        raise CannotMeasure(
            f"A trend needs at least {MIN_PERIODS} periods; there are {len(groups)}: {listed}{why}."
        )
    if against is not None and against not in groups:
        listed = join_first(map(quote_safe, groups), 20)
        raise UsageError(
            f"There is no period {quote_safe(against)}; the periods are {listed}."
            + did_you_mean(against, groups)
        )
    ordered = sorted(groups, key=lambda name: (groups[name]["value"], name))
    return [
        Period(
            name,
            float(groups[name]["value"]),
            int(groups[name]["documents"]),
            int(groups[name]["tokens"]),
            Models.of(open_models(run.folder, group=name), name),
        )
        for name in ordered
    ]


def _gather(
    by: str,
    questions: Sequence[Question],
    series: Mapping[tuple[str, str], Series],
    notes: Sequence[str],
    source: dict[str, Any],
    options: dict[str, Any],
) -> Trajectory:
    """Put the series of all tests and corpora together, and correct for their number."""
    is_several = len({corpus for _, corpus in series}) > 1
    words, missing = {}, {}
    remarks: list[str] = []
    for (test, corpus), part in series.items():
        key = f"{test}, {corpus}" if is_several else test
        words[key], missing[key] = part.words, part.missing
        remarks += part.notes
    trends = _correct([row for part in series.values() for row in part.trends])
    points = [point for part in series.values() for point in part.points]
    remarks += [
        f"{point.test}: {quote_safe(point.period)} has no band, as {len(point.samples)} bootstrap "
        f"samples have the words, fewer than {MIN_FOR_INTERVAL}"
        for point in points
        if point.value is not None and options["bootstrap"] and point.low is None
        if point.documents > 1
    ]
    return Trajectory(
        by=by,
        points=tuple(points),
        trends=tuple(trends),
        changes=tuple(row for part in series.values() for row in part.changes),
        titles={question.test.id: question.test.title for question in questions},
        subjects={question.test.id: question.subject() for question in questions},
        words=words,
        missing=missing,
        notes=(*notes, *remarks),
        source=source,
        options=options,
    )


def _correct(trends: Sequence[CorpusTrend]) -> list[CorpusTrend]:
    """Add Holm's correction over all trends: tests, corpora and statistics.

    What can be detected is stated at the level of the smallest p-value, which is the strictest.
    """
    corrected = holm([row.p for row in trends]).tolist() if trends else []
    return [
        dataclasses.replace(
            row, p_holm=p, detectable=row.detectable * detectable_ratio(len(trends), row)
        )
        for row, p in zip(trends, corrected, strict=True)
    ]
