"""A study of calibration: simulations, and the rates that they must give."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results"
MODULES = (
    *("permutation", "near_ties", "baseline", "rotation", "intervals", "small_sets"),
    *("templates", "single_category", "groups", "power", "facts", "agreement", "paired_facts"),
    *("controls", "corpora", "trends", "small_groups", "discovery", "crowd", "contexts", "norms"),
    "retrieval",
)
"""The modules of studies, in the order of the page."""

CONFIDENCE = 0.999
"""Of the interval that must reach the band: a cell on its edge fails once in two thousand runs."""


@dataclass(frozen=True)
class Cell:
    """A rate that was measured, and the band that the documentation promises for it.

    Attributes
    ----------
    row, column
        Where it stands in the study's table: what was simulated, and what was counted.
    hits, trials
        How many simulations rejected the null hypothesis, or had an interval that covered the
        truth; and how many there were.
    low, high
        The band, from 0 to 1.
    """

    row: str
    column: str
    hits: int
    trials: int
    low: float
    high: float

    @property
    def rate(self) -> float:
        return self.hits / self.trials

    def interval(self) -> tuple[float, float]:
        """Return the Clopper-Pearson interval of the rate."""
        from scipy.stats import binomtest

        interval = binomtest(self.hits, self.trials).proportion_ci(CONFIDENCE, method="exact")
        return float(interval.low), float(interval.high)

    @property
    def is_in_band(self) -> bool:
        """Whether the interval of the rate reaches the band; the more trials, the stricter."""
        low, high = self.interval()
        return low <= self.high and high >= self.low


@dataclass(frozen=True)
class Study:
    """Simulations of one kind of p-value or interval.

    Attributes
    ----------
    name
        Its name on the command line, and of its file of results.
    title, about
        The heading of its table, and the paragraph above it, in Markdown: what was simulated, and
        what the bands mean.
    run
        Called with the number of trials and a random seed; returns the cells, the same ones for
        the same arguments.
    trials, quick_trials
        The number of trials in the full form, and in the quick one.
    """

    name: str
    title: str
    about: str
    run: Callable[[int, int], list[Cell]]
    trials: int
    quick_trials: int


@dataclass(frozen=True)
class Outcome:
    """The cells of a study, with the number of trials and the random seed that gave them."""

    trials: int
    seed: int
    cells: tuple[Cell, ...]

    def save(self, path: Path) -> None:
        record = {"trials": self.trials, "seed": self.seed}
        cells = [json.dumps(asdict(cell), ensure_ascii=False) for cell in self.cells]
        lines = [f'  "{name}": {value},' for name, value in record.items()]
        listed = ",\n    ".join(cells)
        path.write_text("\n".join(["{", *lines, f'  "cells": [\n    {listed}\n  ]', "}", ""]))

    @classmethod
    def load(cls, path: Path) -> Outcome:
        record = json.loads(path.read_text())
        cells = tuple(Cell(**cell) for cell in record["cells"])
        return cls(record["trials"], record["seed"], cells)


def all_studies() -> dict[str, Study]:
    """Return the studies of all modules, by name."""
    studies: dict[str, Study] = {}
    for module in MODULES:
        for study in importlib.import_module(f"{__package__}.{module}").STUDIES:
            if study.name in studies:
                raise ValueError(f"two studies are named {study.name}")
            studies[study.name] = study
    return studies
