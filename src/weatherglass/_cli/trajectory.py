"""What ``weatherglass compare`` prints of a corpus with ordered periods."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from weatherglass.errors import CannotMeasure, UsageError, quote_safe

from .output import Output, announce, progress_bar, remarks, table
from .typeset import CitedTest

if TYPE_CHECKING:
    from weatherglass.seedlab import CorpusTrend, PeriodChange, Trajectory, TrajectoryPoint

_DIGITS = {"unstandardised": 4}


def run_trajectory(
    corpora: dict[str, str] | str,
    tests: list[Any],
    models: Path,
    output: Output,
    permutations: int | None,
    options: dict[str, Any],
) -> None:
    """Train the periods, test the trends, and write and draw them."""
    from weatherglass.seedlab import trajectory

    chosen: dict[str, Any] = {} if permutations is None else {"permutations": permutations}
    with progress_bar("training") as draw:
        result = trajectory(
            corpora,
            tests,
            out=models,
            progress=lambda stage, done, total: draw(done, total, stage),
            announce=announce,
            **chosen,
            **options,
        )
    if output.format == "table":
        output.write(trajectory_table(result))
    else:
        output.write_rows(result.to_rows(), document=result.to_dict())
    if all(point.value is None for point in result.points):
        raise CannotMeasure(f"No test could be run: {result.points[0].reason}.")
    output.write_bibtex(CitedTest(test.id) for test in tests)
    output.draw(result)


def replace_facts(tests: list[Any], facts: Path) -> tuple[list[Any], Path | None]:
    """Return factual tests with the facts of a table, and the table itself if it has years."""
    from weatherglass.catalog import FactualTest, has_years, load_facts

    if not any(isinstance(test, FactualTest) for test in tests):
        raise UsageError("--facts needs a factual test, for its attributes: name one with --test.")
    if has_years(facts):
        return tests, facts
    own = load_facts(facts)
    return [
        FactualTest.model_validate({"id": test.id, "a": test.a, "b": test.b, "facts": own})
        if isinstance(test, FactualTest)
        else test
        for test in tests
    ], None


def trajectory_table(result: Trajectory) -> str:
    """Return the periods, the trends and the findings."""
    changes = {(row.test, row.corpus, row.period): row for row in result.changes}
    against = {row.against for row in result.changes}
    heading = f"against {quote_safe(next(iter(against)))}" if len(against) == 1 else "change"
    is_several = len(result.corpora) > 1
    periods = [
        _period_row(
            point, changes.get((point.test, point.corpus, point.period)), heading, is_several
        )
        for point in result.points
        if not point.reason
    ]
    findings = result.findings()
    trends = [
        _trend_row(trend, findings[trend.test, trend.corpus].grade, is_several, result.by)
        for trend in result.trends
    ]
    text = table(periods, f"Periods by {result.by}") if periods else ""
    text += table(trends, "Trends") if trends else ""
    lines = []
    for (test, _), finding in findings.items():
        lines.append(f"{test}, {finding.grade}: {finding.sentence}")
    if trends:
        lines.append(
            "p: the share of slopes as large after the dates of documents were exchanged at "
            "random; p Holm: corrected for all trends; residual: Student's t of the slope by the "
            "distances of periods from the line."
        )
    for test, sets in result.missing.items():
        absent = [f"{name} {', '.join(map(quote_safe, w))}" for name, w in sets.items() if w]
        lines += [f"{test}: missing words: {'; '.join(absent)}."] if absent else []
    lines += [f"{note}." for note in result.notes]
    return text + remarks(dict.fromkeys(lines))


def _period_row(
    point: TrajectoryPoint, change: PeriodChange | None, heading: str, is_several: bool
) -> dict[str, str]:
    from weatherglass.significance import format_p

    row = {"test": point.test}
    row |= {"corpus": point.corpus} if is_several else {}
    row |= {"period": point.period, "documents": f"{point.documents:,}"}
    row |= {"tokens": f"{point.tokens:,}", "effect": f"{point.value:.2f}"}
    row["95 %"] = "" if point.low is None else f"{point.low:.2f} to {point.high:.2f}"
    row[heading] = "" if change is None else f"{change.change:+.2f}"
    row["p"] = "" if change is None else format_p(change.p)
    return row | {"p Holm": "" if change is None else format_p(change.p_holm)}


def _trend_row(trend: CorpusTrend, grade: str, is_several: bool, by: str) -> dict[str, str]:
    from weatherglass.significance import format_p

    digits = _DIGITS.get(trend.statistic, 2)
    row = {"test": trend.test}
    row |= {"corpus": trend.corpus} if is_several else {}
    row |= {"of": trend.statistic, f"slope per {by}": f"{trend.slope:+.{digits + 2}f}"}
    row["change"] = f"{trend.change:+.{digits}f}"
    row["error"] = f"{abs(trend.change / trend.slope * trend.se):.{digits}f}" if trend.slope else ""
    row |= {"p": format_p(trend.p), "p Holm": format_p(trend.p_holm)}
    if trend.residual_t is None or trend.residual_p is None:
        row |= {"residual t": "", "p residual": ""}
    else:
        row["residual t"] = f"{trend.residual_t:.2f} (df {trend.residual_df})"
        row["p residual"] = format_p(trend.residual_p)
    return row | {"periods": str(trend.periods), "grade": grade}
