"""Coverage of the interval of a sentence test's effect over other words and other templates."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

import weatherglass as wg
from weatherglass.significance import Interval, crossed_interval, template_variance

from .study import Cell, Study

Floats = NDArray[np.float64]
Sizes = tuple[int, int]

TEMPLATE_SIZES: tuple[Sizes, ...] = ((8, 3), (8, 7), (16, 7))
TEMPLATE_BAND = (0.92, 0.995)
TRUTH_DRAWS = 800


@dataclass(frozen=True)
class _Sentences:
    """Cosines of target sentences with attribute sentences, by set, word and template.

    ``tables["X", "A"][w, t, v, s]`` is the cosine of word w of X in template t with word v of A in
    template s. X and Y share their templates, as A and B do.
    """

    tables: Mapping[tuple[str, str], Floats]

    @property
    def differences(self) -> dict[str, Floats]:
        """The association of each target sentence, and the contrast of each attribute sentence."""
        tables = self.tables
        return {
            name: tables[name, "A"].mean(axis=(2, 3)) - tables[name, "B"].mean(axis=(2, 3))
            for name in "XY"
        } | {
            name: tables["X", name].mean(axis=(0, 1)) - tables["Y", name].mean(axis=(0, 1))
            for name in "AB"
        }

    def statistics(self) -> tuple[float, float]:
        """The difference of means, and the variance of the words' associations."""
        by_word = [self.differences[name].mean(axis=1) for name in "XY"]
        return (
            float(by_word[0].mean() - by_word[1].mean()),
            float(np.concatenate(by_word).var(ddof=1)),
        )

    def covers(self, truth: float, *, with_templates: bool) -> bool:
        interval = self._interval(with_templates)
        return interval.low <= truth <= interval.high

    def _interval(self, with_templates: bool) -> Interval:
        parts = [self._part(*pair) for pair in ("XY", "AB")] if with_templates else []
        cosines = [self.tables[w, a].mean(axis=(1, 3)) for w in "XY" for a in "AB"]
        return crossed_interval(*cosines, extra=[part for part in parts if part is not None])

    def _part(self, first: str, second: str) -> Any:
        values = [self.differences[name] for name in (first, second)]
        n, m = len(values[0]), len(values[1])
        templates = np.arange(values[0].shape[1])
        sign = np.repeat([1.0, -1.0], [values[0].size, values[1].size])
        sizes = np.repeat([values[0].size, values[1].size], [values[0].size, values[1].size])
        return template_variance(
            np.concatenate([value.ravel() for value in values]),
            sign / sizes,
            np.repeat(np.arange(n + m), len(templates)),
            np.tile(templates, n + m),
        )


@cache
def _encoded(test: str) -> dict[str, Floats]:
    """Unit vectors of a published sentence test's words in each template: word, template, axis."""
    encoder = wg.open_encoder("cbow:default")
    entry = wg.test(test)
    rows = {}
    for name, items in entry.sets.items():
        by_word: dict[str, list[str]] = {}
        for sentence, word in zip(items.words, items.origins, strict=True):
            by_word.setdefault(word, []).append(sentence)
        longest = max(map(len, by_word.values()))
        complete = [sentences for sentences in by_word.values() if len(sentences) == longest]
        vectors = encoder.encode([text for sentences in complete for text in sentences])
        units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        rows[name] = units.reshape(len(complete), longest, -1)
    return rows


def _draw_sentences(test: str, sizes: Sizes, rng: Generator) -> _Sentences:
    """Draw words and templates of a published sentence test with replacement."""
    words, n_templates = sizes
    rows = _encoded(test)
    templates = {
        pair: rng.integers(0, rows[pair[0]].shape[1], n_templates) for pair in ("XY", "AB")
    }
    chosen = {
        name: rows[name][rng.integers(0, len(rows[name]), words)][:, templates[pair]]
        for pair in ("XY", "AB")
        for name in pair
    }
    return _Sentences(
        {(w, a): np.einsum("wtd,vsd->wtvs", chosen[w], chosen[a]) for w in "XY" for a in "AB"}
    )


def _draw_normal_sentences(
    difference: float, between: float, sizes: Sizes, rng: Generator
) -> _Sentences:
    """Draw cosines with normal effects of words (sd 1), templates, and both (sd 1)."""
    n, k = sizes

    def effects(spread: float) -> dict[str, Floats]:
        """Effects of the words of two sets in the same templates, which move them apart."""
        frames = rng.normal(0, between, k) / 2
        first, second = (
            rng.normal(0, spread, n)[:, None] + side * frames + rng.normal(0, 0.5, (n, k))
            for side in (1, -1)
        )
        return {"first": first, "second": second}

    targets, attributes = effects(1), effects(0.5)
    shift = {"X": difference, "Y": 0.0}
    tables = {}
    for w, target in zip("XY", targets.values(), strict=True):
        for a, attribute in zip("AB", attributes.values(), strict=True):
            sign = 1 if a == "A" else -1
            side = 1 if w == "X" else -1
            means = sign * (target + shift[w])[:, :, None, None] / 2 + side * attribute / 2
            tables[w, a] = means + rng.normal(0, 1, (n, k, n, k))
    return _Sentences(tables)


def run_templates(trials: int, seed: int) -> list[Cell]:
    kinds: list[tuple[str, Callable[..., _Sentences], tuple[Any, ...]]] = [
        (f"sentences of {test}", _draw_sentences, (test,)) for test in ("sent-weat3", "sent-weat6")
    ]
    for difference in (0.0, 1.0, 3.0):
        for between in (0.0, 1.0):
            row = f"normal, difference {difference:g} sd, templates {between:g} sd"
            kinds.append((row, _draw_normal_sentences, (difference, between)))
    cells = []
    for number, (row, draw, arguments) in enumerate(kinds):
        for sizes in TEMPLATE_SIZES:
            rng = np.random.default_rng([seed, 7, number, *sizes])
            differences, variances = zip(
                *(draw(*arguments, sizes, rng).statistics() for _ in range(TRUTH_DRAWS)),
                strict=True,
            )
            truth = float(np.mean(differences) / math.sqrt(np.mean(variances)))
            hits = only_words = 0
            for _ in range(trials):
                sentences = draw(*arguments, sizes, rng)
                hits += sentences.covers(truth, with_templates=True)
                only_words += sentences.covers(truth, with_templates=False)
            column = "{} words × {} templates".format(*sizes)
            cells.append(Cell(row, column, hits, trials, *TEMPLATE_BAND))
            cells.append(Cell(f"{row}: words only", column, only_words, trials, 0.7, 1))
    return cells


STUDIES = [
    Study(
        name="intervals-templates",
        title="Interval of the effect by word over other words and other templates",
        about=(
            "The share of 95 % intervals (`seat --intervals`) that contain the effect of a "
            "sentence test of this size, averaged over the words of all four sets and over the "
            "templates of targets and attributes. Both are drawn with replacement from those of a "
            "published test, encoded by the mean of the default word vectors; or words, templates "
            "and sentences have normal effects, where a template moves the difference of means by "
            "the stated number of standard deviations. The lines *words only* have the interval "
            "that does not draw templates again, for the same truth."
        ),
        run=run_templates,
        trials=400,
        quick_trials=12,
    ),
]
