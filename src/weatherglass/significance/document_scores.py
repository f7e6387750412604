"""The difference of groups of documents, by scores of documents and permuted labels.

Each cell is a word w in a document d: its score y_dw, a mean over m_dw contexts there. Two target
sets X and Y have the model

    y_dw = α_w + β_X x_d + γ_X z_d + ε   for w in X,   and the same with β_Y, γ_Y for w in Y,

fitted by least squares with the weights m_dw, where x_d is the label of a document (0 or 1, or a
number) and z_d its covariates. Every word has its own level α_w, so that *which* words a group uses
does not matter, only how it uses them. The difference is θ = β_X − β_Y. It is linear in the labels:

    θ = Σ_d e_d r_d,    r_d = Σ_{w in X} m_dw ỹ_dw / V_X − Σ_{w in Y} m_dw ỹ_dw / V_Y,

with ỹ the residual of y on α_w and z, V = Σ m x̃² that of x in the same way, and e_d the residual of
the documents' labels on their covariates. A permutation exchanges the e_d of documents and leaves
everything else of a document together. With covariates this is the scheme of Freedman and Lane
(1983), which for a statistic that is linear in the labels equals that of Smith in A. M. Winkler et
al. (2014). Permutation inference for the general linear model. NeuroImage 92, 381-397. V stays that
of the observed labels: that groups use a word in different amounts is not a difference.

A document with several labels, such as the speeches of a president in several years, has a part for
each. The means of e over the parts of a document are then exchanged between documents, and the
deviations from these means within documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure

from .pvalue import PValue, clamp_p
from .sampling import share_from_count

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

CONFIDENCE = 0.95
_EPSILON = 1e-10
_MAX_NUMBERS = 1 << 22  # labels of permuted documents that are held at a time
_MAX_DOUBLINGS = 30
_MAX_HALVINGS = 60


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of one target set.

    Attributes
    ----------
    documents, words
        The document, or part of a document, and the word of each cell, as numbers from 0.
    weights, scores
        m, the number of contexts, and y, their mean score.
    """

    documents: Integers
    words: Integers
    weights: Floats
    scores: Floats


@dataclass(frozen=True, slots=True)
class LabelEffect:
    """What labels of documents do to the association of two sets, and how sure that is.

    Attributes
    ----------
    difference
        θ, for a label that is larger by 1.
    parts
        β_X and β_Y.
    se
        The standard deviation of the permuted differences after the estimated one was removed.
    p
        The two-sided p-value: the share of permutations with a difference at least as large.
    interval
        The ends of the 95 % interval, which are the differences that the permutation test does not
        reject; None if no difference is rejected on one side.
    """

    difference: float
    parts: tuple[float, float]
    se: float
    p: PValue
    interval: tuple[float, float] | None


def label_effect(
    cells: tuple[Cells, Cells],
    labels: Floats,
    covariates: Floats,
    *,
    permutations: int,
    rng: Generator,
    parts_of: Integers | None = None,
) -> LabelEffect:
    """Estimate and test what the labels of documents do to the association of two word sets.

    Parameters
    ----------
    cells
        The cells of X and of Y.
    labels
        x, a number for each document.
    covariates
        z, a row for each document; no columns if there are none.
    permutations
        How often labels are exchanged at random.
    rng
        Random generator.
    parts_of
        Where cells, labels and covariates are of parts of documents: the document of each part.

    Notes
    -----
    The null hypothesis is that the scores of documents are exchangeable given the covariates. The
    interval is the set of differences θ₀ for which the test of y − θ₀ x/2 in X and y + θ₀ x/2 in Y
    has p > 0.05; it assumes that labels shift scores and change nothing else.

    Raises
    ------
    CannotMeasure
        The labels do not vary among the documents that have the words, or follow from the
        covariates; or the scores do not vary.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat([0.0, 1.0], 20)
    >>> def cells(shift):
    ...     scores = rng.normal(size=40) + shift * labels
    ...     return Cells(np.arange(40), np.zeros(40, dtype=np.int64), np.ones(40), scores)
    >>> test = label_effect((cells(3.0), cells(0.0)), labels, np.empty((40, 0)),
    ...                     permutations=999, rng=rng)
    >>> test.p.value, test.interval[0] < test.difference < test.interval[1]
    (0.001, True)
    """
    residual = _residual_labels(labels, covariates)
    count = len(labels)
    fits = [_fit(part, labels, covariates, count) for part in cells]
    r = fits[0].r - fits[1].r
    if not r.any():
        raise CannotMeasure("the target words have the same contexts in all documents")
    c = (fits[0].c + fits[1].c) / 2  # what a difference of 1 adds to r
    difference = float(residual @ r)
    scores = np.stack([r, c], axis=1)
    if parts_of is None or len(np.unique(parts_of)) == len(parts_of):
        drawn = _permute(residual, scores, permutations, rng)
    else:
        drawn = _permute_parts(residual, scores, parts_of, permutations, rng)
    permuted, permuted_unit = drawn[:, 0], drawn[:, 1]
    p = _p_value(difference, permuted, 1.0, permuted_unit, 0.0)
    null = permuted - difference * permuted_unit
    return LabelEffect(
        difference,
        (float(residual @ fits[0].r), float(residual @ fits[1].r)),
        float(np.sqrt(null @ null / len(null))),
        p,
        _invert(difference, permuted, permuted_unit),
    )


def _residual_labels(labels: Floats, covariates: Floats) -> Floats:
    """Return e, the labels without their mean and what their covariates explain."""
    design = np.column_stack([np.ones(len(labels)), covariates])
    residual: Floats = labels - design @ np.linalg.lstsq(design, labels, rcond=None)[0]
    scale = float(np.abs(labels - labels.mean()).max())
    if scale == 0:
        raise CannotMeasure("all documents have the same value")
    if float(np.abs(residual).max()) <= _EPSILON * scale:
        raise CannotMeasure("its values follow from the other terms of the formula")
    return residual


@dataclass(frozen=True, eq=False)
class _Fit:
    """By document: r, the residual scores over V; and c, the residual labels over V."""

    r: Floats
    c: Floats


def _fit(cells: Cells, labels: Floats, covariates: Floats, count: int) -> _Fit:
    """Fit the model of one set, and return its residuals summed over each document's cells."""
    at, m = cells.documents, cells.weights
    columns = np.column_stack([cells.scores, labels[at], covariates[at]])
    total = np.bincount(cells.words, weights=m)
    for k in range(columns.shape[1]):
        mean = np.bincount(cells.words, weights=m * columns[:, k]) / np.where(total > 0, total, 1)
        columns[:, k] -= mean[cells.words]
    y, x, z = columns[:, 0], columns[:, 1], columns[:, 2:]
    if z.shape[1]:
        root = np.sqrt(m)[:, np.newaxis]
        both = np.column_stack([y, x])
        both -= z @ np.linalg.lstsq(root * z, root * both, rcond=None)[0]
        y, x = both[:, 0], both[:, 1]
    # Of documents with the same contexts rounding errors are left, which would look like scores.
    y[np.abs(y) <= _EPSILON * max(float(np.abs(cells.scores).max(initial=0.0)), _EPSILON)] = 0.0
    v = float(m @ (x * x))
    scale = float(m @ (labels[at] - labels.mean()) ** 2)
    if v <= _EPSILON * max(scale, _EPSILON):
        raise CannotMeasure("no word of a target set occurs with different values")
    return _Fit(
        np.bincount(at, weights=m * y, minlength=count) / v,
        np.bincount(at, weights=m * x, minlength=count) / v,
    )


def _permute(labels: Floats, scores: Floats, permutations: int, rng: Generator) -> Floats:
    """Return the products of permuted labels with each column of the scores."""
    rows = max(1, min(permutations, _MAX_NUMBERS // len(labels)))
    products: list[Floats] = []
    for start in range(0, permutations, rows):
        block = np.tile(labels, (min(rows, permutations - start), 1))
        products.append(rng.permuted(block, axis=1, out=block) @ scores)
    return np.concatenate(products)


def _permute_parts(
    labels: Floats, scores: Floats, parts_of: Integers, permutations: int, rng: Generator
) -> Floats:
    """Return the same if labels are of parts of documents: between documents, and within them."""
    document = np.unique(parts_of, return_inverse=True)[1]
    counts = np.bincount(document)
    means = np.bincount(document, weights=labels) / counts
    sums = np.zeros((len(counts), scores.shape[1]))
    np.add.at(sums, document, scores)
    products = _permute(means, sums, permutations, rng)
    inside = np.flatnonzero(counts[document] > 1)
    inside = inside[np.argsort(document[inside], kind="stable")]
    deviations, own = (labels - means[document])[inside], document[inside].astype(np.float64)
    for start in range(0, permutations, rows := max(1, _MAX_NUMBERS // len(inside))):
        # Sorting by document, then at random, exchanges parts within documents only.
        block = slice(start, min(start + rows, permutations))
        keys = own + rng.random((block.stop - block.start, len(own)))
        products[block] += deviations[np.argsort(keys, axis=1)] @ scores[inside]
    return products


def _p_value(
    difference: float, permuted: Floats, unit: float, permuted_unit: Floats, hypothesis: float
) -> PValue:
    """Return the p-value of the hypothesis that the difference has a certain value."""
    observed = abs(difference - hypothesis * unit)
    drawn = np.abs(permuted - hypothesis * permuted_unit)
    tolerance = 1e-12 * max(observed, float(drawn.max()))  # a division drawn again must be a tie
    share = share_from_count(int((drawn >= observed - tolerance).sum()), len(drawn))
    value, low, high = map(clamp_p, share)
    return PValue(value, low, high, "sample", "two-sided")


def _invert(
    difference: float, permuted: Floats, permuted_unit: Floats
) -> tuple[float, float] | None:
    """Return the ends of the hypotheses that the test does not reject, by bisection."""

    def is_rejected(hypothesis: float) -> bool:
        observed = abs(difference - hypothesis)
        hits = np.count_nonzero(np.abs(permuted - hypothesis * permuted_unit) >= observed)
        return bool((hits + 1) / (len(permuted) + 1) <= 1 - CONFIDENCE)

    step = float(np.abs(permuted - difference * permuted_unit).mean()) or abs(difference) or 1.0
    ends: list[float] = []
    for side in (-1, 1):
        inside, outside = difference, difference + side * step
        for _ in range(_MAX_DOUBLINGS):
            if is_rejected(outside):
                break
            inside, outside = outside, difference + 2 * (outside - difference)
        else:
            return None
        for _ in range(_MAX_HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if is_rejected(middle) else (middle, outside)
        ends.append(outside)
    return ends[0], ends[1]


def detectable_difference(se: float, alpha: float, power: float) -> float:
    """Return the smallest difference that a two-sided test at a level finds with some probability.

    (z_{1−α/2} + z_power) · se, where se is the standard error under the null hypothesis.

    >>> round(detectable_difference(1.0, 0.05, 0.8), 2)
    2.8
    """
    from scipy.special import ndtri

    return float((ndtri(1 - alpha / 2) + ndtri(power)) * se)
