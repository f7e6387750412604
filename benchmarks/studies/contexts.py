"""The level of the combined p-value over contexts (CEAT)."""

from __future__ import annotations

import numpy as np

import weatherglass as wg
from weatherglass.encoders.ceat import ceat_test

from .study import Cell, Study

WORDS, CONTEXTS, DIM = 8, 50, 20


def _contexts(rng: np.random.Generator, test: wg.Test, between: float) -> dict[str, np.ndarray]:
    """Return rows of the contexts of each word; `between` is the spread of the words' means."""
    return {
        word: between * rng.normal(size=DIM) + rng.normal(size=(CONTEXTS, DIM))
        for words in test.sets.values()
        for word in words.words
    }


def run(trials: int, seed: int) -> list[Cell]:
    names = {name: [f"{name}{k}" for k in range(WORDS)] for name in "xyab"}
    test = wg.Test(**names)
    cells = []
    rows = {
        "words that differ only by their contexts": (0.0, {100: (0.03, 0.12), 1000: (0.05, 0.2)}),
        "words with meanings of their own": (1.0, {100: (0.6, 0.9), 1000: (0.85, 1.0)}),
    }
    for number, (row, (between, bands)) in enumerate(rows.items()):
        rng = np.random.default_rng([seed, number])
        hits = dict.fromkeys(bands, 0)
        for _ in range(trials):
            contexts = _contexts(rng, test, between)
            for samples in hits:
                result = ceat_test(contexts, test, samples=samples, rng=0)
                hits[samples] += result.p is not None and result.p <= 0.05
        for samples, band in bands.items():
            cells.append(Cell(row, f"{samples} samples", hits[samples], trials, *band))
    return cells


STUDIES = [
    Study(
        name="contexts",
        title="Combined p-value over contexts (CEAT)",
        about=(
            "The share of combined p-values of at most 0.05 if eight words in each set and fifty "
            "contexts of each word are drawn from the same distribution. **This p-value does not "
            "hold its level**: the published method treats random draws from the same contexts as "
            "independent studies, so that the p-value falls with the number of draws. Weatherglass "
            "prints it for comparison with published work, and leaves it out of corrections over "
            "tests. The bands describe what was found in a first run, with another seed."
        ),
        run=run,
        trials=300,
        quick_trials=10,
    )
]
