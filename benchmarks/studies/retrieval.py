"""Retrieval audits: level of the p-values over names, coverage of the intervals.

Scores are drawn with normal effects of names, documents, queries and their pairs, or with
replacement from those of the catalogue's texts. They are compared by the functions that
`weatherglass.retrieve` calls.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

import weatherglass as wg
from weatherglass.retrieval import adjust_for_covariates
from weatherglass.retrieval.analysis import Run, centre
from weatherglass.retrieval.contrast import score_intervals
from weatherglass.retrieval.selection import select, select_pair, selected_by_name
from weatherglass.retrieval.texts import load_texts
from weatherglass.retrieval.variants import load_variants
from weatherglass.significance import batch_permutation_p, holm

from .study import Cell, Study

Floats = NDArray[np.float64]

ALPHA = 0.05
LEVEL = (0.03, 0.07)
FAMILY = (0, 0.07)
UNADJUSTED = (0.1, 1)
"""What a test by name finds if frequency moves the scores, and one group has the rare names."""

OTHER_NAMES = (0.92, 0.98)
CROSSED = (0.92, 0.98)
ONLY_NAMES = (0.6, 0.98)
"""Of the interval over names only, if documents and queries are drawn again, too."""

IMPACT = (0.95, 1)
TRUTH_DRAWS = 800
TOPS = (0.1, 0.3)


@dataclass(frozen=True)
class Size:
    """How many names each group has, and how many texts there are."""

    names: int
    documents: int
    queries: int

    def __str__(self) -> str:
        return f"{self.names}+{self.names} names, {self.documents} × {self.queries} texts"

    @property
    def is_first(self) -> Floats:
        """1 for the names of the first group, 0 for those of the second."""
        return np.repeat([1.0, 0.0], self.names)

    @property
    def groups(self) -> tuple[list[int], list[int]]:
        """The positions of the names of both groups."""
        return list(range(self.names)), list(range(self.names, 2 * self.names))


SIZES = (Size(9, 20, 20), Size(18, 20, 20), Size(18, 6, 6))
Draw = Callable[[Size, Generator], Floats]


def draw_normal(difference: float, by_text: float) -> Draw:
    """Return scores with normal effects of names, and of names in a document or for a query (sd 1).

    The groups differ by `difference`. In a document, and for a query, they differ by more or less,
    with the standard deviation `by_text`.
    """

    def draw(size: Size, rng: Generator) -> Floats:
        names, documents, queries = 2 * size.names, size.documents, size.queries
        moved = by_text * (rng.normal(size=(1, documents, 1)) + rng.normal(size=(queries, 1, 1)))
        scores: Floats = (
            rng.normal(size=names)
            + (difference + moved) * size.is_first
            + rng.normal(size=(1, documents, names))
            + rng.normal(size=(queries, 1, names))
            + rng.normal(size=(queries, documents, names))
        )
        return scores

    return draw


@cache
def catalogue_scores() -> tuple[Floats, Floats]:
    """Return the scores of the catalogue's texts with names of `us-names`: White, then Black."""
    table = load_variants("us-names")
    run = Run(table, load_texts("resumes", "documents")[1], load_texts("jobs", "queries")[1])
    rows = wg.open_encoder("cbow:default").encode(run.texts)
    scores = run.with_encodings(rows, "cosine").scores
    first, second = (scores[:, :, run.members("race", race)] for race in ("White", "Black"))
    return first, second


def draw_catalogue(size: Size, rng: Generator) -> Floats:
    """Draw names, documents and queries with replacement."""
    first, second = catalogue_scores()
    queries = rng.integers(0, first.shape[0], size.queries)
    documents = rng.integers(0, first.shape[1], size.documents)
    parts = [
        group[np.ix_(queries, documents, rng.integers(0, group.shape[2], size.names))]
        for group in (first, second)
    ]
    return np.concatenate(parts, axis=2)


def run_level(trials: int, seed: int) -> list[Cell]:
    """Count rejections where the groups mean nothing."""
    kinds: list[tuple[str, Draw, bool]] = [
        ("names differ, groups do not", draw_normal(0, 0), False),
        ("names of the catalogue, labels shuffled", draw_catalogue, True),
    ]
    cells = []
    for number, (row, draw, is_shuffled) in enumerate(kinds):
        for size in SIZES:
            rng = np.random.default_rng([seed, 21, number, size.names, size.queries])
            hits = dict.fromkeys(_LEVELS, 0)
            for _ in range(trials):
                scores = draw(size, rng)
                if is_shuffled:
                    scores = scores[:, :, rng.permutation(scores.shape[2])]
                for column, is_rejected in _reject(scores, size, rng).items():
                    hits[column] += int(is_rejected)
            cells += [
                Cell(f"{row}: {size}", column, hits[column], trials, *band)
                for column, band in _LEVELS.items()
            ]
    return cells + _adjusted(trials, seed)


_LEVELS = {
    "p over names": LEVEL,
    "any of the queries": FAMILY,
    "impact ratio": LEVEL,
    "naive p over rows": (0.2, 1),
}


def _reject(scores: Floats, size: Size, rng: Generator) -> dict[str, bool]:
    """Return whether each p-value is at most 0.05."""
    from scipy import stats

    centred = centre(scores)
    by_query = centred.mean(axis=1)
    x, y = size.groups
    rows = [centred.mean(axis=(0, 1)), *by_query]
    p, *queries = (
        p.value
        for p in batch_permutation_p([(row[x], row[y]) for row in rows], alternative="two-sided")
    )
    labels = ["a"] * size.names + ["b"] * size.names
    selection = select(scores, "group", labels, 0.1, int(rng.integers(2**31)))
    naive = stats.ttest_ind(centred[:, :, x].ravel(), centred[:, :, y].ravel(), equal_var=False)
    values = (p, min(holm(queries)), selection.p_shuffled, float(naive.pvalue))
    return dict(zip(_LEVELS, (value <= ALPHA for value in values), strict=True))


def _adjusted(trials: int, seed: int) -> list[Cell]:
    """Count rejections where frequency and tokens move the scores, and one group is rarer."""
    cells = []
    for n in (9, 18):
        rng = np.random.default_rng([seed, 22, n])
        x, y = list(range(n)), list(range(n, 2 * n))
        adjusted = raw = 0
        for _ in range(trials):
            frequency = rng.normal(size=2 * n) + np.repeat([1.0, 0.0], n)
            tokens = np.maximum(1, np.round(2 - frequency + rng.normal(size=2 * n)))
            scores = frequency - 0.5 * tokens + rng.normal(size=2 * n)
            table = np.column_stack([frequency, tokens])
            control = adjust_for_covariates(scores, x, y, table, int(rng.integers(2**31)))
            adjusted += int(control.p is not None and control.p <= ALPHA)
            (p,) = batch_permutation_p([(scores[x], scores[y])], alternative="two-sided")
            raw += int(p.value <= ALPHA)
        row = f"one group has rarer names: {n}+{n} names"
        cells.append(Cell(row, "at equal covariates", adjusted, trials, *LEVEL))
        cells.append(Cell(row, "p over names", raw, trials, *UNADJUSTED))
    return cells


def run_intervals(trials: int, seed: int) -> list[Cell]:
    """Count intervals of the effect that cover the effect of an audit of this size."""
    kinds: list[tuple[str, Draw]] = [("names, résumés, jobs of the catalogue", draw_catalogue)]
    for difference in (0.0, 1.0, 2.0):
        for by_text in (0.0, 1.0):
            row = f"normal, difference {difference:g} sd, by text {by_text:g} sd"
            kinds.append((row, draw_normal(difference, by_text)))
    cells = []
    for number, (row, draw) in enumerate(kinds):
        for size in SIZES:
            rng = np.random.default_rng([seed, 23, number, size.names, size.queries])
            truth = _effect_in_population(draw, size, rng)
            hits = only_names = 0
            for _ in range(trials):
                names, crossed = score_intervals(centre(draw(size, rng)), *size.groups)
                hits += int(crossed.low <= truth <= crossed.high)
                only_names += int(names.low <= truth <= names.high)
            is_fixed = row.endswith("by text 0 sd")
            cells.append(Cell(row, str(size), hits, trials, *CROSSED))
            band = OTHER_NAMES if is_fixed else ONLY_NAMES
            cells.append(Cell(f"{row}: names only", str(size), only_names, trials, *band))
    return cells


def _effect_in_population(draw: Draw, size: Size, rng: Generator) -> float:
    """The mean difference over the root of the mean variance, for audits of this size."""
    x, y = size.groups
    differences, variances = [], []
    for _ in range(TRUTH_DRAWS):
        mean = centre(draw(size, rng)).mean(axis=(0, 1))
        differences.append(mean[x].mean() - mean[y].mean())
        variances.append(mean.var(ddof=1))
    return float(np.mean(differences)) / math.sqrt(float(np.mean(variances)))


DrawDocuments = Callable[[Generator], Floats]
N_DOCUMENTS = N_QUERIES = 20
FEW_DOCUMENTS = 6
N_NAMES = 18  # of each group


def draw_documents(
    difference: float, is_fitting: bool, rng: Generator, documents: int = N_DOCUMENTS
) -> DrawDocuments:
    """Return scores of documents that are drawn anew each time, for names and queries that stay.

    If `is_fitting`, every document is of one of as many kinds as there are queries, and each query
    asks for one of the kinds.
    """
    size = Size(N_NAMES, documents, N_QUERIES)
    names = 2 * N_NAMES
    fixed = (
        rng.normal(size=names) / 2
        + difference * size.is_first
        + rng.normal(size=(N_QUERIES, 1, names)) / 2
    )

    def draw(rng: Generator) -> Floats:
        fit = 3 * rng.normal(size=(N_QUERIES, documents, 1))
        if is_fitting:
            kinds = rng.integers(0, N_QUERIES, documents)
            fit += 10 * (kinds == np.arange(N_QUERIES)[:, None])[:, :, None]
        scores: Floats = (
            fixed
            + fit
            + rng.normal(size=(1, documents, names)) / 2
            + rng.normal(size=(N_QUERIES, documents, names)) / 2
        )
        return scores

    return draw


def draw_resumes(rng: Generator) -> Floats:
    """Draw documents of the catalogue with replacement."""
    scores = np.concatenate(catalogue_scores(), axis=2)
    return scores[:, rng.integers(0, scores.shape[1], N_DOCUMENTS)]


def run_impact(trials: int, seed: int) -> list[Cell]:
    """Count intervals that cover the ratio of the mean rates over documents."""
    kinds: list[tuple[str, DrawDocuments]] = [("résumés of the catalogue", draw_resumes)]
    for difference in (0.0, 0.5, 1.5):
        for is_fitting in (False, True):
            rng = np.random.default_rng([seed, 24, int(10 * difference), is_fitting])
            row = f"groups differ by {difference:g} sd"
            row += ", one kind fits" if is_fitting else ""
            kinds.append((row, draw_documents(difference, is_fitting, rng)))
        rng = np.random.default_rng([seed, 26, int(10 * difference)])
        row = f"groups differ by {difference:g} sd, {FEW_DOCUMENTS} documents"
        kinds.append((row, draw_documents(difference, False, rng, FEW_DOCUMENTS)))
    cells = []
    for number, (row, draw) in enumerate(kinds):
        for top in TOPS:
            rng = np.random.default_rng([seed, 25, number, int(100 * top)])
            rates = _mean_rates([draw(rng) for _ in range(TRUTH_DRAWS)], top)
            hits = 0
            for _ in range(trials):
                scores = draw(rng)
                labels = ["a", "b"]
                groups = [label for label in labels for _ in range(scores.shape[2] // 2)]
                pair = select_pair(scores, groups, top)
                low, high = sorted(labels, key=lambda label: pair.rates[label])
                assert pair.interval is not None
                ratio = rates[low] / rates[high]
                hits += int(pair.interval.low <= ratio <= pair.interval.high)
            cells.append(Cell(row, f"top {100 * top:g} %", hits, trials, *IMPACT))
    return cells


def _mean_rates(draws: list[Floats], top: float) -> dict[str, float]:
    mean = np.mean([selected_by_name(scores, top) for scores in draws], axis=0)
    first, second = np.split(mean, 2)
    return {"a": float(first.mean()), "b": float(second.mean())}


STUDIES = [
    Study(
        name="retrieval",
        title="Retrieval audits: levels",
        about=(
            "How often audits of groups that mean nothing have p ≤ 0.05: the permutation p-value "
            "over names, the impact ratio against groups that are assigned at random (top 10 %), "
            "and any of the queries after Holm's correction over them. Scores have normal effects "
            "of names and of names in each document and for each query, all with the standard "
            "deviation 1; or they are those of the catalogue's résumés and jobs with names of "
            "`us-names`, drawn with replacement, with the race of each name at random. The naive "
            "test over rows is there to show why the unit is the name. In the last rows frequency "
            "and number of tokens move the scores, and one group has rarer names: the p-value at "
            "equal covariates holds its level, and the one over names finds the frequency."
        ),
        run=run_level,
        trials=1_000,
        quick_trials=40,
    ),
    Study(
        name="retrieval-intervals",
        title="Retrieval audits: intervals of the effect",
        about=(
            "The share of 95 % intervals over other names, documents and queries that contain the "
            "effect of an audit of this size. All three are drawn with replacement from those of "
            "the catalogue (White and Black names of `us-names`), or scores are normal, with "
            "groups that differ by more or less in each document and for each query, by the stated "
            "standard deviation. The lines *names only* have the interval over other names, for "
            "the same truth: **it does not cover the choice of documents and queries**."
        ),
        run=run_intervals,
        trials=400,
        quick_trials=15,
    ),
    Study(
        name="retrieval-impact",
        title="Retrieval audits: interval of the impact ratio",
        about=(
            "The share of 95 % intervals over other documents that contain the ratio of the mean "
            "selection rates of two groups over all documents, for 20 or 6 documents, 20 "
            "queries and 18 or 24 names in each group. Names and queries stay. The jackknife is "
            "cautious: its standard errors are larger than the standard deviation, by up to three "
            "quarters. Where one kind fits, each query asks for one of 20 kinds of documents."
        ),
        run=run_impact,
        trials=400,
        quick_trials=25,
    ),
]
