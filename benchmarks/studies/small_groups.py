"""Small groups of documents in one shared space: level, power and intervals, on synthetic texts.

Contexts are scored and labels permuted by the functions that `weatherglass.compare_groups` calls.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from weatherglass.corpus import SharedSpace, score_contexts, share_space
from weatherglass.corpus.token_ids import TokenIds
from weatherglass.significance import Cells, LabelEffect, detectable_difference, label_effect

from .corpora import ALPHA, POPULATIONS, SET_SIZE, VOCABULARY, Population, Texts, draw_population
from .study import Cell, Study

DIM, WINDOW = 16, 5
OTHERS = 200  # documents of the corpus that are in neither group, but in the shared space
PERMUTATIONS = 199
LEVEL = (0.03, 0.07)
COVERAGE = (0.93, 0.97)
PLANTED = (0.9, 0.97)
"""Coverage of the interval of a planted difference."""
OTHER_SPACES = (0.8, 0.97)
POWER = (0.7, 0.9)
MIN_EXPECTED = 60
"""Corpora, at least, whose mean difference is what an interval should cover."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Labelled:
    """The documents of one trial, or their parts, and what is known about them.

    Attributes
    ----------
    texts
        Their token ids.
    labels, covariates
        The label of each, and a row of covariates.
    documents
        The document of each part.
    """

    texts: Texts
    labels: Floats
    covariates: Floats
    documents: NDArray[np.int64]


Draw = Callable[[Population, Generator], Labelled]


def plain(texts: Texts, labels: Floats) -> Labelled:
    """Return documents of one part, without covariates."""
    return Labelled(texts, labels, np.empty((len(texts), 0)), np.arange(len(texts)))


def swap_words(population: Population, text: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return a text in which each X word is a Y word, and the reverse."""
    partner = np.arange(VOCABULARY, dtype=np.int32)
    x, y = population.sets[:2]
    partner[x], partner[y] = y, x
    return partner[text]


def two_groups(first: int, second: int, planted: float = 0.0, used: float = 1.0) -> Draw:
    """Return two groups of documents.

    In a share `planted` of the documents of the first group, X and Y words are exchanged. In the
    first group only a share `used` of the X words is left.
    """

    def draw(population: Population, rng: Generator) -> Labelled:
        texts = population.documents(first + second, rng, AFTER)
        for k in range(first):
            if k < planted * first:
                texts[k] = swap_words(population, texts[k])
            if used < 1:
                is_x = np.isin(texts[k], population.sets[0])
                texts[k] = texts[k][~is_x | (rng.random(len(is_x)) < used)]
        return plain(texts, np.repeat([1.0, 0.0], [first, second]))

    return draw


AFTER = 0.6
"""After an X word comes an A word with this probability, and after a Y word a B word, in all texts:
so that exchanging X and Y words changes something."""


def confounded(is_adjusted: bool) -> Draw:
    """Return two groups that differ in a number, on which the use of words depends.

    The larger the number, the more likely are X and Y words exchanged.
    """

    def draw(population: Population, rng: Generator) -> Labelled:
        number = rng.normal(size=80)
        labels = (number + rng.normal(size=80) > 0).astype(np.float64)
        texts = population.documents(80, rng, AFTER)
        is_swapped = rng.random(80) < 1 / (1 + np.exp(-1.5 * number))
        texts = [
            swap_words(population, text) if swapped else text
            for text, swapped in zip(texts, is_swapped, strict=True)
        ]
        columns = number[:, np.newaxis] if is_adjusted else np.empty((80, 0))
        return Labelled(texts, labels, columns, np.arange(80))

    return draw


def writers(is_joined: bool, by_year: bool = False) -> Draw:
    """Return texts of 24 writers, four each, who differ in how they use words.

    The label is of the writer, or, `by_year`, of the text: a year, of which a writer has several.
    If they are not joined, each text counts as a document.
    """

    def draw(population: Population, rng: Generator) -> Labelled:
        texts = population.documents(96, rng, AFTER)
        writer = np.repeat(np.arange(24), 4)
        swaps = rng.random(24) < 0.5
        texts = [
            swap_words(population, text) if swaps[w] else text
            for text, w in zip(texts, writer.tolist(), strict=True)
        ]
        labels = rng.permutation(np.repeat([1.0, 0.0], 12))[writer]
        if by_year:
            labels = rng.normal(size=24)[writer] + 0.5 * np.tile(np.arange(4.0), 24)
        documents = writer if is_joined else np.arange(96)
        return Labelled(texts, labels, np.empty((96, 0)), documents)

    return draw


@dataclass(frozen=True)
class Case:
    """What is simulated: a row of the table, and the bands of its rates.

    Attributes
    ----------
    rejected
        The band of the share with p ≤ 0.05.
    is_null
        Whether the true difference is 0; otherwise it is the mean of further corpora.
    covered
        The band of the coverage of the interval; None if it is not counted.
    """

    row: str
    draw: Draw
    rejected: tuple[float, float] = LEVEL
    is_null: bool = True
    covered: tuple[float, float] | None = COVERAGE


CASES = (
    Case("40+40 documents", two_groups(40, 40)),
    Case("10+10 documents", two_groups(10, 10)),
    Case("15+65 documents", two_groups(15, 65)),
    Case(
        "40+40, X words 5 times rarer in one group",
        two_groups(40, 40, used=0.2),
        (0.0, 0.05),
        covered=(0.95, 1.0),
    ),
    Case(
        "40+40, exchanged in half of one group",
        two_groups(40, 40, 0.5),
        (0.25, 0.5),
        False,
        PLANTED,
    ),
    Case(
        "40+40, exchanged in all of one group", two_groups(40, 40, 1.0), (0.65, 0.9), False, PLANTED
    ),
    Case(
        "10+10, exchanged in all of one group", two_groups(10, 10, 1.0), (0.3, 0.5), False, PLANTED
    ),
    Case("80, groups differ in a covariate, held constant", confounded(True)),
    Case(
        "80, groups differ in a covariate, not held constant",
        confounded(False),
        (0.1, 0.3),
        covered=None,
    ),
    Case("24 writers of 4 texts, `documents=` writer", writers(True)),
    Case(
        "24 writers of 4 texts, each a document",
        writers(False),
        (0.06, 0.2),
        covered=None,
    ),
    Case("24 writers of 4 texts, by year, `documents=` writer", writers(True, by_year=True)),
)


Measured = tuple[Cells, Cells]


@dataclass(frozen=True)
class Scorer:
    """A shared space, and the direction of the test in it.

    Attributes
    ----------
    space, direction
        As `weatherglass.corpus.score_contexts` takes them.
    targets
        The X words, then the Y words, as the space numbers them.
    renumbered
        The number of each word of the topic model in the space.
    """

    space: SharedSpace
    direction: Floats
    targets: list[int]
    renumbered: NDArray[np.int32]

    @classmethod
    def of(cls, population: Population, texts: Texts, folder: Path) -> Scorer:
        """Train the space on all texts."""
        tokens = np.concatenate(texts).astype(np.int32)
        counts = np.bincount(tokens, minlength=VOCABULARY)
        order = np.argsort(-counts, kind="stable")  # words are numbered by falling count
        renumbered = np.argsort(order).astype(np.int32)
        words = [str(word) for word in order.tolist()]
        ends = np.cumsum([len(text) for text in texts])
        corpus = TokenIds(words, counts[order], renumbered[tokens], ends)
        space = share_space(corpus, folder, dim=DIM, window=WINDOW)
        x, y, a, b = (renumbered[words] for words in population.sets)
        unit = space.rows / np.maximum(np.linalg.norm(space.rows, axis=1, keepdims=True), 1e-12)
        direction = (unit[a].mean(axis=0) - unit[b].mean(axis=0)).astype(np.float64)
        return cls(space, direction, [*x.tolist(), *y.tolist()], renumbered)

    def score(self, texts: Texts) -> Measured:
        """Return the cells of X and Y in texts."""
        corpus = self.space.corpus
        tokens = self.renumbered[np.concatenate(texts)]
        ends = np.cumsum([len(text) for text in texts])
        space = replace(self.space, corpus=TokenIds(corpus.words, corpus.counts, tokens, ends))
        scores = score_contexts(space, self.targets, self.direction)
        parts = []
        for kept in (scores.words < SET_SIZE, scores.words >= SET_SIZE):
            parts.append(
                Cells(
                    scores.documents[kept],
                    scores.words[kept].astype(np.int64),
                    scores.contexts[kept].astype(np.float64),
                    scores.scores[kept],
                )
            )
        return parts[0], parts[1]


def test(cells: Measured, labelled: Labelled, rng: Generator) -> LabelEffect:
    """Test the labels of one trial."""
    return label_effect(
        cells,
        labelled.labels,
        labelled.covariates,
        permutations=PERMUTATIONS,
        rng=rng,
        parts_of=labelled.documents,
    )


def shift(cells: Measured, labels: Floats, size: float) -> Measured:
    """Return cells to which a difference was added, half of it in X and half in Y."""
    moved = [
        Cells(
            part.documents,
            part.words,
            part.weights,
            part.scores + sign * size / 2 * labels[part.documents],
        )
        for part, sign in zip(cells, (1, -1), strict=True)
    ]
    return moved[0], moved[1]


def expected_differences(
    case: Case, trials: int, draw: Callable[[int, int], tuple[Scorer, Labelled, Generator]]
) -> Floats:
    """Return the mean difference over other corpora, by topic model."""
    means: list[list[float]] = [[] for _ in range(POPULATIONS)]
    for trial in range(max(MIN_EXPECTED, trials)):
        scorer, labelled, rng = draw(1, trial)
        effect = test(scorer.score(labelled.texts), labelled, rng)
        means[trial % POPULATIONS].append(effect.difference)
    return np.array([np.mean(differences) for differences in means])


def run_case(case: Case, number: int, trials: int, seed: int, folder: Path) -> list[Cell]:
    """Run the trials of one case."""
    populations = [draw_population(seed, k) for k in range(POPULATIONS)]

    def draw(stream: int, trial: int) -> tuple[Scorer, Labelled, Generator]:
        rng = np.random.default_rng([seed, 11, stream, number, trial])
        population = populations[trial % POPULATIONS]
        labelled = case.draw(population, rng)
        texts = [*labelled.texts, *population.documents(OTHERS, rng, AFTER)]
        return Scorer.of(population, texts, folder), labelled, rng

    expected, others = np.zeros(POPULATIONS), []
    if not case.is_null:
        expected = expected_differences(case, trials, draw)
        rng = np.random.default_rng([seed, 11, 2, number])
        others = [
            _join(case.draw(population, rng) for _ in range(REPEATS)) for population in populations
        ]
    rejected, found, covered = 0, 0, np.zeros(2, dtype=int)
    for trial in range(trials):
        scorer, labelled, rng = draw(0, trial)
        cells = scorer.score(labelled.texts)
        result = test(cells, labelled, rng)
        rejected += result.p.value <= ALPHA
        # Without an end on one side, an interval contains everything.
        low, high = result.interval or (-np.inf, np.inf)
        truths = [0.0, expected[trial % POPULATIONS]]
        if others:
            larger = others[trial % POPULATIONS]
            truths[0] = test(scorer.score(larger.texts), larger, rng).difference
        covered += [low <= truth <= high for truth in truths]
        if case.is_null and case.covered:
            size = detectable_difference(result.se, ALPHA, 0.8)
            found += test(shift(cells, labelled.labels, size), labelled, rng).p.value <= ALPHA
    rates = [Cell(case.row, "p ≤ 0.05", rejected, trials, *case.rejected)]
    if case.covered:
        rates.append(Cell(case.row, "interval", int(covered[0]), trials, *case.covered))
        if case.is_null:
            rates.append(
                Cell(case.row, "power at the detectable difference", found, trials, *POWER)
            )
        else:
            rates.append(
                Cell(case.row, "interval, other spaces", int(covered[1]), trials, *OTHER_SPACES)
            )
    return rates


REPEATS = 10
"""Times the documents of a trial, of which the difference in its space is taken for the truth."""


def _join(draws: Iterable[Labelled]) -> Labelled:
    """Return the documents of several trials as one."""
    trials = list(draws)
    texts = [text for trial in trials for text in trial.texts]
    return plain(texts, np.concatenate([trial.labels for trial in trials]))


def run(trials: int, seed: int) -> list[Cell]:
    """Compare groups, and count."""
    from threadpoolctl import threadpool_limits

    cells: list[Cell] = []
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(limits=1):
        for number, case in enumerate(CASES):
            cells += run_case(case, number, trials, seed, Path(folder))
    return cells


ABOUT = """
`weatherglass groups` on synthetic texts: documents of about 40 words, from the topic models of \
the comparison of corpora, in which an A word follows an X word in 60 % of cases, and a B word a \
Y word. The shared space has 16 dimensions, and is trained on the documents of both groups and \
200 others. *p* counts p ≤ 0.05 with 199 permutations of the documents' labels. A difference is \
planted by exchanging X and Y words in half or all documents of one group. With a covariate, \
groups differ in a number on which the exchange of words depends; the row in which it is not held \
constant shows what the covariate does. Writers differ in whether they exchange words: where each \
of their texts counts as a document, too many p-values are small. By year, the label is a number \
that differs between the texts of a writer too. Groups that use X words in different amounts, but \
in the same way, differ less often than chance allows: the test is conservative there.

*Interval* counts how often the interval contains the difference in the space that was trained: 0 \
without a planted difference, otherwise that of ten times as many documents, measured in the same \
space. *Interval, other spaces* counts how often it contains the mean difference of other \
corpora, each with its own space: a space trained on so few words (about 11,000) varies itself, \
so that for large differences the interval is too short. *Power at the detectable difference*: a \
difference of the size that is printed as detectable was added to the scores; it should be found \
in 80 % of cases.
"""

STUDIES = [
    Study(
        name="small-groups",
        title="Small groups in one shared space",
        about=ABOUT,
        run=run,
        trials=400,
        quick_trials=12,
    )
]
