"""The paired test of one factual test on two sources: level, power, and the interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

import weatherglass as wg
from weatherglass.measures import PairedDifference, fact_contrast, paired_difference
from weatherglass.measures.wefat import normalised_associations
from weatherglass.measures.word_sets import FoundSet

from .agreement import DRAWS, noisy, unit
from .study import Cell, Study

Floats = NDArray[np.float64]

SIZES = {10: "exact", 20: "exact", 50: "sample"}
"""Numbers of words, and how their sign vectors are handled; `auto` would count them for all."""

LEVEL = (0.015, 0.07)
WITH_ATTRIBUTES = (0.015, 0.17)
POWER = {10: (0.05, 0.35), 20: (0.6, 0.85), 50: (0.97, 1.0)}
COVERAGE = (0.88, 0.995)


@dataclass(frozen=True)
class Words:
    """The unit rows of the words of a factual test and of its attributes, and the facts."""

    targets: Floats
    a: Floats
    b: Floats
    facts: Floats

    def take(self, number: int, rng: Generator) -> Words:
        chosen = rng.permutation(len(self.targets))[:number]
        return Words(self.targets[chosen], self.a, self.b, self.facts[chosen])


@cache
def real_words(test: str) -> Words:
    entry, vectors = wg.test(test), wg.open_vectors("default")
    kept = [i for i, word in enumerate(entry.sets["W"].words) if word.lower() in vectors]
    rows = [
        unit(vectors.take([word.lower() for word in words if word.lower() in vectors]).rows)
        for words in (entry.sets[name].words for name in "WAB")
    ]
    return Words(*rows, np.array([entry.facts.values[i] for i in kept], dtype=np.float64))


@dataclass(frozen=True)
class Setting:
    """How two sources come from one: the noise in each, and what else differs.

    `mixed` assigns the facts to the words at random, so that they are unrelated in both sources;
    `planted` moves each word of the first source by this many times its standardised fact in the
    direction of A rather than B.
    """

    name: str
    noise: tuple[float, float]
    attributes: float = 0.0
    mixed: bool = False
    planted: float = 0.0

    def band(self, size: int) -> tuple[float, float]:
        """Return the band of the share of small p-values, for so many words."""
        if self.planted:
            return POWER[size]
        return WITH_ATTRIBUTES if self.attributes else LEVEL

    def draw(self, words: Words, rng: Generator) -> tuple[Floats, Floats, Floats]:
        """Return the associations on both sources, and the facts."""
        facts = rng.permutation(words.facts) if self.mixed else words.facts
        values = []
        for index, size in enumerate(self.noise):
            rows, a, b = words.targets, words.a, words.b
            if self.planted and index == 0:
                direction = a.mean(axis=0) - b.mean(axis=0)
                shift = (facts - facts.mean()) / facts.std()
                rows = rows + self.planted * np.outer(shift, direction / np.linalg.norm(direction))
            if self.attributes:
                a, b = noisy(a, self.attributes, rng), noisy(b, self.attributes, rng)
            values.append(_associations(noisy(rows, size, rng), a, b))
        return values[0], values[1], facts


def _associations(targets: Floats, a: Floats, b: Floats) -> Floats:
    found = {
        name: FoundSet(tuple(map(str, range(len(rows)))), rows, (), tuple(range(len(rows))))
        for name, rows in (("W", targets), ("A", a), ("B", b))
    }
    return normalised_associations(found)


SETTINGS = (
    Setting("same noise in both sources", (0.5, 0.5)),
    Setting("same noise, as large as the rows", (1.0, 1.0)),
    Setting("facts at random; noise 0.3 and 0.9", (0.3, 0.9), mixed=True),
    Setting("same noise, also in the attributes", (0.5, 0.5), attributes=0.5),
    Setting("words moved by their facts (power)", (0.5, 0.5), planted=0.15),
)
TESTS = {"wefat1": "occupations", "wefat2": "names"}


def run(trials: int, seed: int) -> list[Cell]:
    cells = []
    for number, setting in enumerate(SETTINGS):
        for test, called in TESTS.items():
            for size, method in SIZES.items():
                rng = np.random.default_rng([seed, number, size])
                words = real_words(test).take(size, np.random.default_rng([seed, size]))
                results = []
                for _ in range(trials):
                    first, second, facts = setting.draw(words, rng)
                    results.append(
                        paired_difference(
                            first,
                            second,
                            fact_contrast(facts),
                            method=method,
                            rng=rng,
                            n_resamples=DRAWS,
                            workers=1,
                        )
                    )
                row = f"{called}, {setting.name}"
                hits = sum(result.p.value <= 0.05 for result in results)
                cells.append(
                    Cell(row, f"p ≤ 0.05, {size} words", hits, trials, *setting.band(size))
                )
                if setting.attributes:
                    continue
                truth = _mean_difference(results) if setting.planted else 0.0
                covered = sum(result.low <= truth <= result.high for result in results)
                cells.append(Cell(row, f"interval, {size} words", covered, trials, *COVERAGE))
    return cells


def _mean_difference(results: Sequence[PairedDifference]) -> float:
    return float(np.mean([result.difference for result in results]))


STUDIES = [
    Study(
        name="paired-facts",
        title="Paired test of one factual test on two sources",
        about="""
As in the table above, with the words and facts of `wefat1` (50 occupations and their shares of
women) and `wefat2` (50 first names and theirs): the effect is Pearson's correlation of association
and fact, for 10 or 20 of the words, drawn once, or for all. Where the noise differs, equal
correlations need a correlation of zero: the facts are then assigned to the words at random. With 10
words the test is conservative, and finds less.
""",
        run=run,
        trials=800,
        quick_trials=60,
    )
]
