"""Confidence intervals of the effect size: over other targets, over other words in all four sets.

The effect size d of two sets is a function of Student's t, so that its interval is that of the
noncentrality of a t distribution. Both intervals are computed without randomness.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import CannotMeasure, UsageError

from .interval import (
    Interval,
    check_confidence,
    chi_quadrature,
    legendre_quadrature,
    mixture_interval,
)

Floats = NDArray[np.float64]

HEAVY_TAILS = 3.0  # excess kurtosis of the residuals above which an interval has a note
OTHER_TARGETS = "other target words"
OTHER_WORDS = "other words in all four sets"

_MIN_SPREAD = 1e-9  # within sets, relative to the difference between them; less is rounding noise
_RATIO_NODES = 16
_TARGET_NODES, _ATTRIBUTE_NODES = 64, 32  # of the quadrature over two estimated variances


def effect_interval(
    x: ArrayLike,
    y: ArrayLike,
    *,
    confidence: float = 0.95,
    ddof: int = 1,
    about: str = OTHER_TARGETS,
) -> Interval:
    """Compute a confidence interval for the effect size of two sets of associations.

    The words of both sets are samples from two populations of words with means that differ by Δ and
    variances V_x, V_y. With π = n/(n + m), the interval is for the effect size in the populations,

        d* = Δ / sqrt(π V_x + (1 − π) V_y + π (1 − π) Δ²).

    Parameters
    ----------
    x, y : array_like
        One number per word; at least two words in each set.
    confidence : float
        Between 0 and 1.
    ddof : {0, 1}
        Degrees of freedom of the standard deviation in the effect that is reported with it. The
        effect in the populations does not depend on it.
    about : str
        What would be drawn again; see `Interval`.

    Returns
    -------
    Interval
        It contains the effect itself. Its `note` warns if the residuals have heavy tails.

    Raises
    ------
    CannotMeasure
        If a set has fewer than two words, or the words of each set do not differ.

    Notes
    -----
    With N = n + m, K = N (N − 1) / (n m), ν = N − 2, and t the two-sample statistic with pooled
    variance, d = t sqrt(K / (t² + ν)) exactly, for any sizes. The ends λ of the noncentrality of t
    [1]_ solve E Φ(t s − λ) = (1 ± confidence) / 2, with s = sqrt(χ²/ν'); then δ = λ sqrt(N / (n m))
    and each end is δ / sqrt(1 + π (1 − π) δ²). Long tails make the standard deviation less certain
    than for normal populations: with g the excess kurtosis of the residuals, shrunk by N / (N + 10)
    and at least 0, ν' = 2 / (2/ν + g/N).

    If the sets differ in size, it matters which of them varies more: Student's t takes too narrow
    an interval where that is the smaller one. Then the equation also has the expectation over the
    ratio of the variances, V_x / V_y = (s_x² / s_y²) / F, with F distributed as the ratio of two
    sample variances; with equal sizes it drops out.

    References
    ----------
    .. [1] J. H. Steiger, R. T. Fouladi (1997). Noncentrality interval estimation and the evaluation
       of statistical models. In: What if there were no significance tests?, 221-257.

    Examples
    --------
    >>> interval = effect_interval([1.0, 2.0, 4.0, 3.0], [0.0, 1.0, 1.0, 2.0])
    >>> round(interval.low, 2), round(interval.high, 2), interval.method
    (-0.24, 1.65, 'noncentral t')
    """
    check_confidence(confidence)
    sample = _Sample.of(x, y)
    scale, weight = (part[:, None] for part in chi_quadrature(sample.df))
    factor, error, ratio_weight = sample.ratio_quadrature()
    centre = sample.difference / sample.spread * scale * factor
    ends = mixture_interval(centre, error, weight * ratio_weight, confidence)
    low, high = sample.enclose(ends, ddof)
    return Interval(low, high, confidence, "noncentral t", 0, about, sample.note)


def crossed_interval(
    x_a: ArrayLike,
    x_b: ArrayLike,
    y_a: ArrayLike,
    y_b: ArrayLike,
    *,
    weights: tuple[ArrayLike | None, ArrayLike | None] = (None, None),
    extra: Sequence[VariancePart] = (),
    confidence: float = 0.95,
    ddof: int = 1,
    about: str = OTHER_WORDS,
) -> Interval:
    """Compute a confidence interval for the effect size if all four sets had other words.

    Targets and attributes are both samples of words, and every target meets every attribute. The
    interval is for the effect of a test with as many words in each set, averaged over the words
    that could have been chosen.

    Parameters
    ----------
    x_a, x_b, y_a, y_b : array_like
        Tables of cosines: a row for each target of X or Y, a column for each attribute of A or B.
        At least two words in each set.
    weights
        The weights of the attributes of A and of B in the mean association; equal by default.
    extra
        Variances of the difference of means from whatever else would be drawn again, such as the
        templates of sentences; see `template_variance`.
    confidence, ddof, about
        As for `effect_interval`.

    Returns
    -------
    Interval

    Raises
    ------
    CannotMeasure
        If a set has fewer than two words, or the words of each target set do not differ.

    Notes
    -----
    The variance of the difference D of means has a part from the choice of targets, V_T, and one
    from the choice of attributes. With c_a = mean cos(x, a) − mean cos(y, a), the variance of the
    mean of c over A and over B, V_A, estimates the second part plus what targets and attributes
    have in common; that is V_TA, estimated from the doubly centred tables, and subtracted [1]_.
    V_A has Satterthwaite's degrees of freedom ν_A. The confidence distribution of δ = Δ/σ is that
    of

        D s / s_p − Z sqrt(1/n + 1/m + (V_A / u² − V_TA)₊ s² / s_p²)

    with Z normal, s = sqrt(χ²/ν') as for `effect_interval` and u = sqrt(χ²/ν_A), a generalised
    confidence interval [2]_. Without variance between attributes it is `effect_interval`.

    References
    ----------
    .. [1] A. B. Owen (2007). The pigeonhole bootstrap. Ann. Appl. Statist. 1, 386-411.
    .. [2] S. Weerahandi (1993). Generalized confidence intervals. J. Am. Statist. Assoc. 88,
       899-905.

    Examples
    --------
    >>> import numpy as np
    >>> cosines = np.random.default_rng(0).normal(size=(4, 6, 5))
    >>> interval = crossed_interval(*cosines)
    >>> interval.about, interval.low < 0 < interval.high
    ('other words in all four sets', True)
    """
    check_confidence(confidence)
    tables = [np.asarray(table, dtype=np.float64) for table in (x_a, x_b, y_a, y_b)]
    a, b = (_check_weights(w, t.shape[-1]) for w, t in zip(weights, tables[:2], strict=True))
    with_a, with_b = tables[::2], tables[1::2]
    sample = _Sample.of(*(p @ a - q @ b for p, q in zip(with_a, with_b, strict=True)))
    parts = [
        _attribute_variance(tables[0], tables[2], a),
        _attribute_variance(tables[1], tables[3], b),
        *extra,
    ]
    return _combine(sample, parts, confidence, ddof, about)


def crossed_score_interval(
    x: Sequence[ArrayLike],
    y: Sequence[ArrayLike],
    *,
    confidence: float = 0.95,
    ddof: int = 1,
    about: str,
) -> Interval:
    """Compute a confidence interval for the effect size if words and other things were drawn anew.

    Each word has a mean score over several choices that are crossed with the words, such as the
    documents and the queries of a search. The interval is that of `crossed_interval`, with a part
    of the variance for each of these choices in place of the attributes.

    Parameters
    ----------
    x, y : sequence of array_like
        For each choice a table: a row for each word, a column for each document, say, with the mean
        score over all other choices. All tables of a set have the same row means.
    confidence, ddof, about
        As for `effect_interval`.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.random.default_rng(0).normal(size=(2, 6, 5, 4))
    >>> by_document, by_query = scores.mean(axis=3), scores.mean(axis=2)
    >>> interval = crossed_score_interval(
    ...     (by_document[0], by_query[0]), (by_document[1], by_query[1]), about="other names")
    >>> interval.low < 0 < interval.high
    True
    """
    check_confidence(confidence)
    tables = [
        (np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64))
        for first, second in zip(x, y, strict=True)
    ]
    sample = _Sample.of(*(table.mean(axis=1) for table in tables[0]))
    parts = [
        _attribute_variance(*pair, np.full(pair[0].shape[1], 1 / pair[0].shape[1]))
        for pair in tables
        if pair[0].shape[1] > 1
    ]
    return _combine(sample, parts, confidence, ddof, about)


def _combine(
    sample: _Sample,
    parts: Sequence[VariancePart],
    confidence: float,
    ddof: int,
    about: str,
) -> Interval:
    """Return the interval of the effect with further parts of the variance of the difference."""
    between = sum(part.variance for part in parts)
    scale, weight = (part[:, None, None] for part in chi_quadrature(sample.df, _TARGET_NODES))
    factor, error, ratio_weight = sample.ratio_quadrature(_RATIO_NODES // 2)
    added: Floats | float = 0.0
    if between > 0:
        df = between**2 / sum(part.variance**2 / part.df for part in parts)
        chi, attribute_weight = (part[:, None] for part in chi_quadrature(df, _ATTRIBUTE_NODES))
        common = sum(part.common for part in parts)
        added = np.maximum(between / chi**2 - common, 0) * (scale * factor / sample.spread) ** 2
        weight = weight * attribute_weight
    deviation = np.sqrt(error**2 + added)
    centre = sample.difference / sample.spread * scale * factor
    weight = weight * ratio_weight
    low, high = sample.enclose(mixture_interval(centre, deviation, weight, confidence), ddof)
    return Interval(low, high, confidence, "crossed", 0, about, sample.note)


@dataclass(frozen=True)
class _Sample:
    """Two sets of associations: sizes, difference of means, pooled standard deviation, tails."""

    n: int
    m: int
    difference: float
    spread: float
    share: float  # of the sum of both variances, that of X
    kurtosis: float

    @classmethod
    def of(cls, x: ArrayLike, y: ArrayLike) -> _Sample:
        first, second = check_words(x, "x"), check_words(y, "y")
        n, m = len(first), len(second)
        total = n + m
        difference = float(first.mean() - second.mean())
        residuals = np.concatenate([first - first.mean(), second - second.mean()])
        largest = float(np.abs(residuals).max())
        if largest <= _MIN_SPREAD * abs(difference) or largest == 0:
            raise CannotMeasure(
                "The words of each set all have the same association; there is nothing to estimate "
                "an interval from."
            )
        relative = residuals / largest  # so that no power of them is rounded to zero
        square = float((relative**2).mean())
        fourth = float((relative**4).mean())
        spread = largest * math.sqrt(square * total / (total - 2))
        kurtosis = total / (total - 2) * fourth / square**2 - 3
        variances = [float((part**2).sum()) / (len(part) - 1) for part in np.split(relative, [n])]
        return cls(n, m, difference, spread, variances[0] / sum(variances), kurtosis)

    @property
    def df(self) -> float:
        """Degrees of freedom of the pooled variance."""
        return self._degrees_of_freedom(self.n + self.m, 2)

    def _degrees_of_freedom(self, size: int, means: int) -> float:
        """Degrees of freedom of a variance about estimated means, fewer if tails are heavy."""
        total = self.n + self.m
        excess = max(0.0, self.kurtosis) * total / (total + 10)
        return 2 / (2 / (size - means) + excess / size)

    def ratio_quadrature(self, nodes: int = _RATIO_NODES) -> tuple[Floats, Floats, Floats]:
        """Return what the ratio of both variances determines, for values of it, and weights.

        First the ratio of the pooled standard deviation to that in d*, then the standard error of
        the difference of means in units of the latter.
        """
        from scipy.special import fdtri

        n, m = self.n, self.m
        if n == m:
            return np.ones(1), np.full(1, math.sqrt(2 / n)), np.ones(1)
        quantiles, weights = legendre_quadrature(nodes)
        degrees = (self._degrees_of_freedom(size, 1) for size in (n, m))
        x = self.share / (self.share + (1 - self.share) * fdtri(*degrees, quantiles))
        y = 1 - x
        mixed = (n * x + m * y) / (n + m)
        pooled = ((n - 1) * x + (m - 1) * y) / (n + m - 2)
        return np.sqrt(pooled / mixed), np.sqrt((x / n + y / m) / mixed), weights

    @property
    def note(self) -> str:
        if self.kurtosis <= HEAVY_TAILS:
            return ""
        return f"heavy tails (excess kurtosis {self.kurtosis:.1f}); covers less often than stated"

    def enclose(self, ends: ArrayLike, ddof: int) -> tuple[float, float]:
        """Return ends in units of the effect, moved outwards where the effect is not between them.

        The effect is a little smaller than the one in the populations may be if the sets are
        separated by many standard deviations.
        """
        if ddof not in (0, 1):
            raise UsageError(f"ddof is {ddof!r}; it must be 0 or 1.")
        total = self.n + self.m
        share = self.n * self.m / total**2
        delta = np.asarray(ends, dtype=np.float64)
        low, high = (delta / np.hypot(1, math.sqrt(share) * delta)).tolist()
        delta_here = self.difference / self.spread
        within = (total - 2) / (total - ddof)
        between = share * total / (total - ddof)
        effect = delta_here / math.hypot(math.sqrt(within), math.sqrt(between) * delta_here)
        return min(low, effect), max(high, effect)


@dataclass(frozen=True)
class VariancePart:
    """A part of the variance of the difference of means, from one of several crossed choices.

    Attributes
    ----------
    variance
        Its estimate, which includes noise that other parts have too.
    common
        That noise, to be subtracted.
    df
        The degrees of freedom of `variance`.
    """

    variance: float
    common: float
    df: int


def template_variance(
    values: ArrayLike, weights: ArrayLike, words: ArrayLike, templates: ArrayLike
) -> VariancePart | None:
    """Estimate what the choice of templates adds to the variance of a weighted sum of sentences.

    Parameters
    ----------
    values, weights : array_like
        A number for each sentence and its weight; the weights of a set sum to 1, or to -1 for the
        set that is subtracted.
    words, templates : array_like
        The word and the template of each sentence, as labels. A word belongs to one set only. A
        template that two sets share is drawn once for both.

    Returns
    -------
    VariancePart or None
        None if there is only one template.

    Notes
    -----
    With r the values without the means of their words, the variance is F/(F − 1) Σ_f (Σ w r)²,
    summed over the F templates: that of a mean of clusters. It includes the noise of single
    sentences, which the variance between words has too; the noise is estimated from the values
    without the means of words and of templates.
    """
    value, weight = (np.asarray(part, dtype=np.float64) for part in (values, weights))
    word = np.unique(np.asarray(words), return_inverse=True)[1]
    template = np.unique(np.asarray(templates), return_inverse=True)[1]
    is_first = weight > 0  # the set whose weights are positive; it varies by template on its own
    n = int(template.max()) + 1
    if n < 2:
        return None
    residual = value - _group_means(value, word)
    sums = np.bincount(template, weight * residual, minlength=n)
    correction = n / (n - 1)
    noise = residual - _group_means(residual, 2 * template + is_first)
    common = correction * float((weight * noise) @ (weight * noise))
    return VariancePart(correction * float(sums @ sums), common, n - 1)


def _group_means(values: Floats, group: NDArray[np.intp]) -> Floats:
    """Return, for each value, the mean of its group."""
    counts = np.bincount(group)
    means: Floats = (np.bincount(group, values) / np.maximum(counts, 1))[group]
    return means


def _attribute_variance(x: Floats, y: Floats, weights: Floats) -> VariancePart:
    size = len(weights)
    correction = size / (size - 1)
    c = x.mean(axis=0) - y.mean(axis=0)
    variance = correction * float(weights**2 @ (c - weights @ c) ** 2)
    common = 0.0
    for table in (x, y):
        columns, rows = table - table.mean(axis=0), table @ weights
        centred = columns - (rows - rows.mean())[:, None]
        n = len(table)
        common += correction * float((centred**2 @ weights**2).sum()) / (n * (n - 1))
    return VariancePart(variance, common, size - 1)


def _check_weights(weights: ArrayLike | None, size: int) -> Floats:
    if size < 2:
        raise CannotMeasure(f"An attribute set has {size} words; a crossed interval needs 2.")
    array = np.ones(size) if weights is None else np.asarray(weights, dtype=np.float64)
    shares: Floats = array / array.sum()
    return shares


def check_words(values: ArrayLike, name: str) -> Floats:
    """Return the numbers of a set as an array; at least two, all of them finite."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise UsageError(f"{name} has {array.ndim} dimensions; it must be a list of numbers.")
    if array.size < 2:
        raise CannotMeasure(f"{name} has {array.size} words; an interval needs at least 2.")
    if not np.isfinite(array).all():
        raise CannotMeasure(f"{name} has a number that is not finite.")
    return array
