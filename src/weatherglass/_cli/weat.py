"""``weatherglass weat``: association tests on a source of vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .groups_table import groups_table
from .options import (
    alternative_option,
    case_option,
    control_option,
    intervals_option,
    language_option,
    missing_option,
    output_options,
    overlap_option,
    seed_option,
    tests_options,
)
from .output import Output, remarks, source_title, table
from .run_tests import (
    document_column,
    interval_table,
    interval_text,
    language_of,
    open_controlled,
    p_heading,
    run_all,
    select_tests,
    warn_of_language,
    with_controlled_rows,
    write_results,
)

if TYPE_CHECKING:
    from weatherglass.measures import WeatResult

_MAX_INFLUENTIAL = 3


@click.command()
@click.argument("source")
@tests_options
@case_option()
@missing_option()
@overlap_option
@click.option(
    "--p",
    "method",
    type=click.Choice(["auto", "exact", "tilted", "bracket", "sample", "normal"]),
    default="auto",
    show_default=True,
    help="Method for the permutation p-value.",
)
@alternative_option
@click.option(
    "--ddof",
    type=click.Choice(["0", "1"]),
    default="1",
    show_default=True,
    help="Degrees of freedom of the standard deviation in the effect size: 1 as in the paper, 0 as "
    "in some packages.",
)
@seed_option
@intervals_option("other words in all four sets")
@click.option(
    "--influence",
    is_flag=True,
    help="Leave each word out in turn and show the most influential ones.",
)
@click.option(
    "--baseline/--no-baseline",
    default=True,
    show_default=True,
    help="Compare the alignment with that of 9,999 comparable word sets of the same vocabulary.",
)
@click.option(
    "--rotation", is_flag=True, help="Rotation p-values: how often random directions align so well."
)
@control_option(
    "Measure again on controlled vectors: without word frequency, without the mean (center), "
    "without the mean and the first K principal components (top:K), or whitened; auto: without "
    "frequency, if it is strong in the vectors."
)
@language_option(
    "Language of the vectors, such as de; by default that of the corpus that they were trained on. "
    "You are warned if the words of a test are in another."
)
@output_options(plot=True, paper=True)
def weat(
    source: str,
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    method: Any,
    alternative: Any,
    ddof: str,
    case: Any,
    max_missing: float,
    allow_overlap: bool,
    seed: int,
    intervals: bool,
    influence: bool,
    baseline: bool,
    rotation: bool,
    control: tuple[str, ...],
    language: str | None,
    output: Output,
) -> None:
    """Run association tests (WEAT) on SOURCE: the ten of the Science paper, or those you name.

    Are targets X, compared with Y, more strongly associated with attributes A than with B? The
    table has the effect size with its 95 % confidence interval over other target words, the
    permutation p-value, the published ones, the p-value corrected for the number of tests (Holm),
    the baseline (the share of comparable word sets of the same vocabulary whose alignment is
    smaller), and the grade of the finding: clear, mixed, or none. Under it are the findings in
    sentences, by a two-sided p, with what they depend on.

    A test with `groups` (three or more target sets) is run as generalised WEAT: one p-value for all
    groups, and follow-up tests of every two of them.
    """
    from weatherglass.catalog import GroupsTest, Test
    from weatherglass.measures import generalised_weat
    from weatherglass.measures import weat as measure

    chosen = select_tests(ids, files, Test | GroupsTest, "weat[1-9]", "weat10")
    vectors, controlled = open_controlled(source, chosen, control, baseline, case)
    shared = {
        "alternative": alternative,
        "ddof": int(ddof),
        "case": case,
        "max_missing": max_missing,
        "allow_overlap": allow_overlap,
        "rng": seed,
        "influence": True,  # evidence of the finding; --influence also prints it
        "control": controlled,
    }
    of_pairs = {"method": method, "intervals": intervals, "baseline": baseline}
    results = run_all(
        chosen,
        lambda test: (
            generalised_weat(vectors, test, **shared)
            if isinstance(test, GroupsTest)
            else measure(vectors, test, **shared, **of_pairs)
        ),
    )
    results = warn_of_language(results, chosen, language or language_of(source))
    write_results(results.correct(), output, lambda rows: _table(rows, rotation, influence))


def _table(results: Sequence[Any], rotation: bool, influence: bool) -> str:
    several = [result for result in results if result.is_done and result.chart == "groups"]
    done = [result for result in results if result.is_done and result.chart != "groups"]
    influential = [row for r in results if influence for row in _influence_rows(r)]
    text = _pair_table(done, rotation) if done else ""
    text += interval_table(done)
    text += groups_table(several) if several else ""
    text += table(influential, "Leave-one-out") if influential else ""
    return text + remarks(_baseline_remarks(done))


def _pair_table(done: Sequence[WeatResult], rotation: bool) -> str:
    """The table of tests of two target sets."""
    p_name = p_heading(done)
    rows = [
        row
        for r in done
        for row in with_controlled_rows(_row(r, p_name, rotation), r, "effect", p_name=p_name)
    ]
    if not any(row.get("baseline") for row in rows):
        rows = [{name: text for name, text in row.items() if name != "baseline"} for row in rows]
    title = source_title("WEAT", done[0].source_name)
    return table(rows, title, details=("by", "counted"))


def _baseline_remarks(results: Sequence[WeatResult]) -> list[str]:
    """The lines that say what the baseline is, and where there is none."""
    baselines = {result.test: result.baseline for result in results if result.baseline}
    by_reason: dict[str, list[str]] = {}
    for test, baseline in baselines.items():
        if baseline.percentile is None:
            by_reason.setdefault(baseline.reason, []).append(test)
    lines = [f"{', '.join(tests)}: no baseline, {reason}." for reason, tests in by_reason.items()]
    if matching := {b.matching for b in baselines.values() if b.percentile is not None}:
        is_by_frequency = "frequency and coherence" in matching
        matched = "size, frequency and coherence" if is_by_frequency else "size and coherence only"
        lines.insert(
            0,
            "Baseline: the share of comparable word sets of the same vocabulary (matched in "
            f"{matched}) that are less aligned.",
        )
    return lines


def _format_baseline(result: WeatResult) -> dict[str, str]:
    """The column of the baseline percentile, unless it was not asked for."""
    from weatherglass.measures import format_percentile

    if result.baseline is None:
        return {}
    percentile = result.baseline.percentile
    text = "" if percentile is None else format_percentile(percentile)
    return {"baseline": text.replace("more than ", ">")}


def _row(result: WeatResult, p_name: str, rotation: bool) -> dict[str, Any]:
    from weatherglass.significance import format_p

    assert result.p is not None
    assert result.p_holm is not None
    published = result.published or {}
    return {
        "test": result.test,
        "effect": f"{result.effect:.2f}",
        "interval": interval_text(result.main_interval),
        **document_column(result),
        "published": f"{published['effect']:.2f}" if published else "",
        p_name: str(result.p),
        "by": result.p.method,
        "counted": result.p.fraction or "",
        "published p": published.get("p", ""),
        "p Holm": format_p(result.p_holm),
        **_format_baseline(result),
        **(_alignment(result) if rotation else {}),
        "targets": f"{result.n['X']}+{result.n['Y']}",
        "grade": result.finding.grade,
    }


def _alignment(result: WeatResult) -> dict[str, str]:
    """The cosine of the two differences, its square, and the rotation p-value."""
    from weatherglass.measures import NOT_FOR_TABLES

    if result.cosine is None or result.shared is None:
        empty = dict.fromkeys(["cosine", "shared", "p rotation"], "")
        return empty | ({"p rotation": NOT_FOR_TABLES} if result.is_of_table else {})
    return {
        "cosine": f"{result.cosine:.2f}",
        "shared": f"{100 * result.shared:.1f} %",
        "p rotation": str(result.p_rotation or ""),
    }


def _influence_rows(result: WeatResult) -> list[dict[str, Any]]:
    """Rows for the words that change the effect size most, and the p-value most."""
    from weatherglass.significance import format_p

    if not result.influence or result.p is None:
        return []
    log_p = math.log(result.p.value)
    largest = max(result.influence, key=lambda left_out: abs(math.log(left_out.p) - log_p))
    chosen = dict.fromkeys([*result.influence[:_MAX_INFLUENTIAL], largest])
    return [
        {
            "test": result.test,
            "set": left_out.set,
            "without": left_out.word,
            "effect": f"{left_out.effect:.2f}",
            "moved by": f"{left_out.moved:+.2f}",
            "p": format_p(left_out.p),
        }
        for left_out in chosen
    ]
