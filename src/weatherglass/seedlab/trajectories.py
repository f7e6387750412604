"""`Trajectory`: the effects of tests over ordered periods, their trends and their changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal

from weatherglass.findings import TrendFinding, trend_finding

from .result import Experiment

TrendStatistic = Literal["effect", "unstandardised", "correlation"]


@dataclass(frozen=True)
class TrajectoryPoint:
    """A test in one period.

    Attributes
    ----------
    test, corpus, period
        The test's id, the name of the corpus, and the name of the period.
    time
        When it was: the mean of its documents' numbers in the column.
    documents, tokens
        How many it has.
    value
        The effect size, or the correlation of a factual test, on the model of all its documents;
        None if it could not be measured.
    unstandardised
        The numerator of the effect size; None for a factual test.
    samples
        The values on the bootstrap samples.
    low, high
        The 95 % interval, value ± t · standard deviation of the samples; None with fewer than 20
        samples.
    reason
        Why it could not be measured; the period is then no part of the trend.
    """

    test: str
    corpus: str
    period: str
    time: float
    documents: int
    tokens: int
    value: float | None
    unstandardised: float | None = None
    samples: tuple[float, ...] = ()
    low: float | None = None
    high: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class CorpusTrend:
    """The trend of one statistic of a test in one corpus.

    Attributes
    ----------
    statistic
        What is tested: the effect size, its numerator (``unstandardised``), or the correlation of a
        factual test.
    first, last, periods
        The first and the last period, and how many there are.
    slope, change
        Change per unit of the column, by ordinary least squares, and along the line from the first
        period to the last.
    expected, se, low, high, p, permutations, residual_t, residual_df, residual_p
        As in `weatherglass.significance.Trend`.
    p_holm
        `p` corrected over all trends: tests, corpora and statistics.
    intercept
        The value of the line at time 0.
    detectable
        The change along the line that this test finds with a power of about 80 %, as one of all
        trends that are tested, if documents of different periods differ by a shift only.
    """

    test: str
    corpus: str
    statistic: TrendStatistic
    first: str
    last: str
    periods: int
    slope: float
    change: float
    expected: float
    se: float
    low: float
    high: float
    p: float
    p_holm: float
    permutations: int
    residual_t: float | None
    residual_df: int
    residual_p: float | None
    intercept: float
    detectable: float


@dataclass(frozen=True)
class PeriodChange:
    """The change of a period against the reference, the first period unless another was chosen.

    Attributes
    ----------
    period, against
        The period and the reference.
    change
        The value of the period minus that of the reference.
    expected, se, low, high, p, method
        As in `weatherglass.significance.PermutedDifference`, by the permuted dates.
    p_holm
        `p` corrected over all periods of the test in this corpus.
    """

    test: str
    corpus: str
    period: str
    against: str
    change: float
    expected: float
    se: float
    low: float
    high: float
    p: float
    p_holm: float
    method: Literal["t", "rank"]


@dataclass(frozen=True, kw_only=True, repr=False)
class Trajectory(Experiment):
    """Tests over ordered periods of one corpus or several.

    Attributes
    ----------
    by
        The column that dates the documents.
    points, trends, changes
        The value of each test in each period; the trend of each statistic; and the change of each
        period against the reference.
    titles, subjects
        By test: its title, and what may have changed, in words.
    words, missing
        By test and set: the words that were used and those that were not. The same words are used
        in all periods. If a test has other words in several corpora, its key is followed by the
        name of the corpus.
    notes
        What was left out, what was not tested, and what to be careful about.
    """

    measure: ClassVar[str] = "trajectory"
    chart: ClassVar[str] = "trajectory"

    by: str
    points: tuple[TrajectoryPoint, ...]
    trends: tuple[CorpusTrend, ...] = ()
    changes: tuple[PeriodChange, ...] = ()
    titles: dict[str, str] = field(default_factory=dict)
    subjects: dict[str, str] = field(default_factory=dict)
    words: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    missing: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def corpora(self) -> tuple[str, ...]:
        """The names of the corpora, in their order."""
        return tuple(dict.fromkeys(point.corpus for point in self.points))

    @property
    def source_name(self) -> str:
        """The names of the corpora."""
        return ", ".join(self.corpora)

    def findings(self) -> dict[tuple[str, str], TrendFinding]:
        """Return what was found, by test and corpus."""
        by_series: dict[tuple[str, str], list[CorpusTrend]] = {}
        for trend in self.trends:
            by_series.setdefault((trend.test, trend.corpus), []).append(trend)
        is_several = len(self.corpora) > 1
        return {
            (test, corpus): trend_finding(
                self.subjects[test] + (f" in {corpus}" if is_several else ""),
                trends[0].first,
                trends[0].last,
                trends,
            )
            for (test, corpus), trends in by_series.items()
        }

    def key_facts(self) -> dict[str, Any]:
        tests = list(self.titles)
        return {"corpora": list(self.corpora), "tests": tests, "periods": len(self.points)}

    def sentence(self) -> str:
        sentences = [finding.sentence for finding in self.findings().values()]
        return " ".join(sentences) or "No trend was tested."

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each test, corpus and period, then one for each trend."""
        findings = self.findings()
        changes = {(row.test, row.corpus, row.period): row for row in self.changes}
        points = []
        for point in self.points:
            row = {name: cell for name, cell in asdict(point).items() if name != "samples"}
            change = changes.get((point.test, point.corpus, point.period))
            row |= {"samples": len(point.samples), "kind": "period"}
            row |= {"change": change.change if change else None}
            row |= {"p": change.p if change else None, "p_holm": change.p_holm if change else None}
            points.append(row)
        trends = []
        for trend in self.trends:
            found = findings[trend.test, trend.corpus]
            row = asdict(trend) | {"kind": "trend", "period": f"{trend.first} to {trend.last}"}
            trends.append(row | {"grade": found.grade, "finding": found.sentence})
        names = _column_names([*points[:1], *trends[:1]])
        return [{name: row.get(name) for name in names} for row in (*points, *trends)]

    def _repr_html_(self) -> str:
        from html import escape

        found = "".join(
            f"<li><b>{finding.grade}</b>: {escape(finding.sentence)}</li>"
            for finding in self.findings().values()
        )
        return f"<ul>{found}</ul>" + super()._repr_html_()


def _column_names(rows: Iterable[dict[str, Any]]) -> list[str]:
    first = ["kind", "test", "corpus", "period", "statistic", "time", "value", "slope", "change"]
    names = dict.fromkeys(name for row in rows for name in row)
    return [*(name for name in first if name in names), *(n for n in names if n not in first)]
