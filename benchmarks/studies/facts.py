"""The level of the p-values of factual tests (WEFAT)."""

from __future__ import annotations

import numpy as np

import weatherglass as wg

from .study import Cell, Study

SIZES = (10, 20, 50)


def run(trials: int, seed: int) -> list[Cell]:
    vectors = wg.open_vectors("default")
    attributes = wg.test("wefat1").sets
    frequent = [word for word in vectors.words[200:20_000] if word.isalpha()]
    used = {word for name in "AB" for word in attributes[name].words}
    candidates = np.array([word for word in frequent if word not in used])
    shares = np.array(wg.wefat(vectors, "wefat1").facts)
    kinds = {
        "normal facts": lambda rng, n: rng.normal(size=n),
        "shares of women in occupations": lambda rng, n: rng.choice(shares, n, replace=False),
        "lognormal facts": lambda rng, n: rng.lognormal(size=n),
    }
    cells = []
    for number, (row, draw) in enumerate(kinds.items()):
        for n in SIZES:
            rng = np.random.default_rng([seed, number, n])
            pearson = spearman = 0
            for _ in range(trials):
                words = rng.choice(candidates, n, replace=False).tolist()
                facts = dict(zip(words, draw(rng, n).tolist(), strict=True))
                test = wg.FactualTest(a=attributes["A"].words, b=attributes["B"].words, facts=facts)
                result = wg.wefat(vectors, test)
                pearson += result.pearson_p <= 0.05
                spearman += result.spearman_p <= 0.05
            low, high = (0.03, 0.08) if "lognormal" in row else (0.035, 0.065)
            cells.append(Cell(row, f"Pearson, {n} words", pearson, trials, low, high))
            cells.append(Cell(row, f"Spearman, {n} words", spearman, trials, 0.035, 0.065))
    return cells


STUDIES = [
    Study(
        name="facts",
        title="Level of the p-values of factual tests",
        about=(
            "The share of p-values of at most 0.05 if the facts are unrelated to the words: random "
            "frequent words of `default`, with the gender terms of `wefat1` as attributes, and "
            "facts drawn at random. The p-values are those of Student's t, which assume normal "
            "numbers; lognormal facts show what a few very large ones do."
        ),
        run=run,
        trials=2000,
        quick_trials=100,
    )
]
