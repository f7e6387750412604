"""The coverage of the intervals of norms, and the level of the p-values of translations."""

from __future__ import annotations

import numpy as np

import weatherglass as wg
from weatherglass.significance import mann_whitney, partial_correlation, pearson, spearman

from .study import Cell, Study

SIZES = (20, 100, 1000)


def run_intervals(trials: int, seed: int) -> list[Cell]:
    vectors = wg.open_vectors("default")
    cells = []
    for number, name in enumerate(("glasgow-valence", "glasgow-gender")):
        result = wg.norms(vectors, name, shared="leave out")
        x, y = np.array(result.associations), np.array(result.ratings)
        z = -np.log(vectors.words.find(result.words["W"]) + 1.0)
        shuffled = np.random.default_rng([seed, number]).permutation(y)
        rows = {f"{name}, r = {result.pearson:.2f}": y, f"{name}, ratings shuffled": shuffled}
        for row, ratings in rows.items():
            truth = {
                "Pearson": pearson(x, ratings).value,
                "Spearman": spearman(x, ratings).value,
                "given frequency": partial_correlation(x, ratings, z).value,
            }
            for n in SIZES:
                rng = np.random.default_rng([seed, number, n])
                hits = dict.fromkeys(truth, 0)
                for _ in range(trials):
                    drawn = rng.integers(0, len(x), n)
                    intervals = {
                        "Pearson": pearson(x[drawn], ratings[drawn]),
                        "Spearman": spearman(x[drawn], ratings[drawn]),
                        "given frequency": partial_correlation(x[drawn], ratings[drawn], z[drawn]),
                    }
                    for kind, interval in intervals.items():
                        hits[kind] += interval.low <= truth[kind] <= interval.high
                cells += [
                    Cell(row, f"{kind}, {n} words", count, trials, 0.93, 0.99)
                    for kind, count in hits.items()
                ]
    return cells


def run_translations(trials: int, seed: int) -> list[Cell]:
    from scipy.stats import binomtest

    facts = np.array(wg.test("wefat1").facts.values)
    cells = []
    for n in (12, 50):
        for share in (0.25, 0.5):
            rng = np.random.default_rng([seed, n, int(100 * share)])
            ranked = counted = 0
            rounds = trials if n < 20 else -(-trials // 5)  # counting takes longer
            for _ in range(rounds):
                drawn = rng.choice(facts, n, replace=False)
                is_she = rng.random(n) < share
                she, he = drawn[is_she], drawn[~is_she]
                # Without a pronoun of either kind p is 1, as `measure_translations` says.
                ranked += bool(len(she) and len(he) and mann_whitney(she, he).p.value <= 0.05)
                counted += bool(binomtest(int(is_she.sum()), n).pvalue <= 0.05)
            row = f"{n} occupations, 'she' in {share:.0%}"
            cells.append(Cell(row, "AUC of the facts", ranked, rounds, 0.01, 0.055))
            if share == 0.5:
                cells.append(Cell(row, "'she' as often as 'he'", counted, rounds, 0.01, 0.055))
    return cells


STUDIES = [
    Study(
        name="norms",
        title="Coverage of the intervals of norms",
        about=(
            "The share of 95 % intervals that contain the correlation over all words, for words "
            "drawn with replacement from the Glasgow Norms, with their associations in `default`: "
            "Pearson's and Spearman's correlation, and Pearson's given log frequency. The ratings "
            "are those of people, or shuffled, so that no correlation is left."
        ),
        run=run_intervals,
        trials=2000,
        quick_trials=100,
    ),
    Study(
        name="translations",
        title="Level of the p-values of translations",
        about=(
            "The share of p-values of at most 0.05 if the pronoun of each occupation is drawn at "
            "random: the exact Mann-Whitney test of the share of women, over occupations of "
            "`wefat1`, and the sign test of 'she' and 'he'. They are exact, so that the share is "
            "at most 5 %; with few occupations few p-values are possible, and it is lower."
        ),
        run=run_translations,
        trials=1000,
        quick_trials=60,
    ),
]
