"""Calibration: the level of every p-value and the coverage of every interval, by simulation.

    python benchmarks/calibration.py [--quick] [--only NAME]... [--seed 0] [--list]

The full form takes hours. It stores what each study gave in `benchmarks/studies/results/` and
writes `docs/calibration.md` from all stored results. The quick form runs few trials, takes minutes,
writes nothing, and is a test of `make test-all`. Both exit with 1 if a rate leaves the band that
the documentation states for it, beyond what chance explains (99.9 % Clopper-Pearson interval).
`--page` only writes the page again.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from studies.study import RESULTS, Cell, Outcome, Study, all_studies

PAGE = Path(__file__).parents[1] / "docs" / "calibration.md"

INTRODUCTION = """# Calibration

A p-value is calibrated if, where its null hypothesis is true, it is at most 0.05 in 5 % of cases \
(its *level*). A 95 % interval is calibrated if it contains the true value in 95 % of cases (its \
*coverage*). This page has the measured levels of p-values and coverage of intervals, each by \
simulation. Nothing in the documentation promises more than these tables show. Not simulated: \
intervals of correlations over fewer than 16 words, and comparisons of corpora with more than 600 \
documents or more than 20 permutations. The p-values of sentence tests are permutation p-values; \
over sentences they treat near-copies as independent, which `p by word` does not.

{verdict} Some bands are not those one would wish for. These p-values and intervals do not hold \
their nominal rate, and their bands describe what was found: intervals of the effect size for \
strongly skewed or heavy-tailed associations and large effects, BCa intervals of few words (with \
two words in each set they miss the effect in up to half of cases), intervals of correlations with \
very uneven facts, intervals of large differences of small groups over other shared spaces, \
rotation p for word sets of a real vocabulary, the paired test if the attribute words differ \
between the sources too, the bounds of the method `normal`, and the combined p-value over contexts \
(CEAT). A control for anisotropy does not remove effects of word frequency, and \
discovery finds more for random words than for names.

Each cell has the measured rate in per cent, and in brackets the band within which the \
documentation promises it. A rate counts as outside its band if its 99.9 % confidence interval \
does not reach the band: with few trials, a printed rate can be outside by chance. A rate of 5 % \
varies by ±2 points in 400 trials, and by ±0.6 points in 5,000. `python benchmarks/calibration.py` \
measures everything again and writes this page; `--quick` runs fewer trials of the same \
simulations, and is a test in `make test-all` that fails if a rate leaves its band.
"""


def run_study(study: Study, trials: int, seed: int) -> Outcome:
    """Run a study and print its cells; those outside their band are marked."""
    start = time.perf_counter()
    outcome = Outcome(trials, seed, tuple(study.run(trials, seed)))
    print(f"\n{study.title} ({study.name}, {time.perf_counter() - start:.0f} s)")
    for cell in outcome.cells:
        band = f"{cell.low:.3g} to {cell.high:.3g}"
        verdict = "" if cell.is_in_band else "   OUTSIDE"
        print(
            f"  {cell.row:<52} {cell.column:<28} {cell.rate:.4f} ({cell.hits} of {cell.trials}; "
            f"{band}){verdict}",
            flush=True,
        )
    return outcome


def write_page(studies: Mapping[str, Study]) -> str:
    """Return the page, written from the stored results of all studies."""
    outcomes = {
        name: Outcome.load(RESULTS / f"{name}.json")
        for name in studies
        if (RESULTS / f"{name}.json").exists()
    }
    cells = [cell for outcome in outcomes.values() for cell in outcome.cells]
    outside = [
        f"{studies[name].title}: {cell.row}, {cell.column} ({_percent(cell.rate)} %)"
        for name, outcome in outcomes.items()
        for cell in outcome.cells
        if not cell.is_in_band
    ]
    if outside:
        verdict = f"Of {len(cells):,} rates, these are outside their band: {'; '.join(outside)}."
    else:
        verdict = f"All {len(cells):,} rates are within their bands."
    sections = [
        f"## {studies[name].title}\n\n{studies[name].about.strip()}\n\n{_table(outcome.cells)}\n\n"
        f"Repeat: `python benchmarks/calibration.py --only {name}{_seed(outcome)}`\n"
        for name, outcome in outcomes.items()
    ]
    return "\n".join([INTRODUCTION.format(verdict=verdict), *sections])


def _seed(outcome: Outcome) -> str:
    return f" --seed {outcome.seed}" if outcome.seed else ""


def _table(cells: tuple[Cell, ...]) -> str:
    """Return the cells as a Markdown table, rows and columns in the order they came in."""
    columns = list(dict.fromkeys(cell.column for cell in cells))
    rows: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        rows.setdefault(cell.row, {})[cell.column] = cell
    lines = [
        "| | " + " | ".join(columns) + " | trials |",
        "|---|" + "---|" * (len(columns) + 1),
    ]
    for row, by_column in rows.items():
        trials = sorted({cell.trials for cell in by_column.values()})
        counts = f"{trials[0]:,}" if len(trials) == 1 else f"{trials[0]:,} to {trials[-1]:,}"
        shown = [_cell(by_column[column]) if column in by_column else "" for column in columns]
        lines.append(f"| {row} | " + " | ".join(shown) + f" | {counts} |")
    return "\n".join(lines)


def _cell(cell: Cell) -> str:
    rate = _percent(cell.rate)
    return f"{rate} ({_percent(cell.low)}–{_percent(cell.high)})" if cell.low < cell.high else rate


def _percent(rate: float) -> str:
    """Return a rate in per cent, with one decimal where it is not a whole number.

    >>> _percent(0.05), _percent(0.0475), _percent(1.0)
    ('5', '4.8', '100')
    """
    text = f"{100 * rate:.1f}"
    return text.removesuffix(".0")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few trials; writes nothing")
    parser.add_argument("--only", action="append", metavar="NAME", help="one study; repeatable")
    parser.add_argument("--seed", type=int, default=0, help="random seed")
    parser.add_argument("--list", action="store_true", help="list the studies")
    parser.add_argument("--page", action="store_true", help="write the page from stored results")
    arguments = parser.parse_args()
    studies = all_studies()
    if arguments.list:
        print(*(f"{study.name}: {study.title}" for study in studies.values()), sep="\n")
        return 0
    if unknown := set(arguments.only or ()) - studies.keys():
        parser.error(f"no study {min(unknown)}; there are {', '.join(studies)}")
    outside = 0
    for name in () if arguments.page else arguments.only or studies:
        study = studies[name]
        trials = study.quick_trials if arguments.quick else study.trials
        outcome = run_study(study, trials, arguments.seed)
        outside += sum(not cell.is_in_band for cell in outcome.cells)
        if not arguments.quick:
            RESULTS.mkdir(exist_ok=True)
            outcome.save(RESULTS / f"{name}.json")
    if not arguments.quick:
        PAGE.write_text(write_page(studies), encoding="utf-8")
    print(f"\n{outside} rates outside their bands" if outside else "\nall rates within their bands")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
