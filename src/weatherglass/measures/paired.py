"""The paired test: is the effect of a test the same on two sources with the same words?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.significance import PValue, SignFlipMethod, sign_flip_p

from .measurement import Measurement

Floats = NDArray[np.float64]

MIN_COMMON_WORDS = 4
"""Smallest number of words for a paired test: fewer leave no difference free to vary."""

_MIN_SPREAD = 1e-13  # standard deviation of associations, as a share of the largest
_ROUNDING = 1e-6  # differences of standardised associations that single precision can explain


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The difference of the effects of one test on two sources, with its paired test.

    Attributes
    ----------
    first, second
        The effect on each source, over the words that both have: the effect size of an association
        test, Pearson's correlation with the facts of a factual test.
    difference
        `first` minus `second`.
    low, high
        Its 95 % confidence interval.
    p
        The two-sided p-value of the sign-flip test.
    p_holm
        `p` corrected over all pairs of sources that were compared; None if it was not.
    n
        Number of words.
    """

    first: float
    second: float
    difference: float
    low: float
    high: float
    p: PValue
    n: int
    p_holm: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, ready for JSON."""
        return asdict(self) | {"p": self.p.to_dict()}


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    contrast: ArrayLike,
    *,
    ddof: int = 1,
    method: SignFlipMethod = "auto",
    rng: int | Generator | None = None,
    n_resamples: int = 99_999,
    workers: int | None = None,
) -> PairedDifference:
    """Test whether two sources give one test the same effect.

    Parameters
    ----------
    first, second : array_like
        The association s(w) of every target on each source, in the same order.
    contrast : array_like
        The weight c(w) with which a word's standardised association enters the effect: see
        `set_contrast` and `fact_contrast`. The weights sum to 0.
    ddof : int
        1 for the unbiased standard deviation in the effect, as in `weatherglass.weat`; 0 for the
        biased one. It changes the scale of the difference, not the p-value.
    method : {"auto", "exact", "sample"}
        Whether to count sign vectors or to draw them; ``auto`` counts for up to 50 words.
    rng, n_resamples, workers
        As for `weatherglass.significance.sign_flip_p`.

    Returns
    -------
    PairedDifference

    Raises
    ------
    CannotMeasure
        There are fewer than four words, or all have the same association on a source.

    Notes
    -----
    The null hypothesis is that the sources differ by noise only: after both have been put on one
    scale, each word's difference is as likely to be positive as negative, independently of the
    other words. The attributes are taken as given, as they are by the permutation test. If the
    attribute words themselves are noisy, all targets are off together and the test rejects too
    often; it then says that the sources differ, not why.

    With z = (s - mean s) / std s on each source, an effect is Σ c(w) z(w) [1]_, so that the
    difference of the effects is Σ c(w) δ(w), with δ = z₁ - z₂. Sums of c(w) δ(w) with random signs
    would vary too much to compare it with: each source is divided by its own standard deviation, so
    an effect that is already large can hardly grow. To first order an effect changes by
    Σ g(w) δ(w), where the gradient g is the part of c that the mean association z̄ = (z₁ + z₂) / 2
    does not explain (the residual of the regression of c on z̄). The two sums are the same number,
    because δ is orthogonal to 1 and to z̄. So the signs of g(w) δ(w) / sqrt(1 - h(w)) are flipped,
    effective scores as in [2]_; h(w) is the leverage of the word in that regression, and the root
    makes up for the two degrees of freedom that standardising has taken from δ [3]_. The p-value is
    the share of the 2^N sign vectors that give a sum at least as far from zero as the observed
    difference; ties count (>=). Up to 50 words that differ it is counted; beyond that 99,999 random
    sign vectors and the observed one are used, so that it is never below 1e-5.

    The interval is the difference ± 1.96 standard errors, the root of Σ g² δ² / (1 - h).
    Differences under a millionth of a standard deviation are rounding errors, and count as zero.

    References
    ----------
    .. [1] A. Caliskan, J. J. Bryson, A. Narayanan (2017). Semantics derived automatically from
       language corpora contain human-like biases. Science 356, 183-186.
    .. [2] J. Hemerik, J. J. Goeman, L. Finos (2020). Robust testing in generalized linear models by
       sign flipping score contributions. J. R. Stat. Soc. B 82, 841-864.
    .. [3] J. G. MacKinnon, H. White (1985). Some heteroskedasticity-consistent covariance matrix
       estimators with improved finite sample properties. J. Econometrics 29, 305-325.

    Examples
    --------
    >>> x, y = [0.3, 0.2, 0.4, 0.3], [0.1, 0.0, 0.2, 0.1]
    >>> noisier = [0.3, 0.2, 0.3, 0.4, 0.1, 0.1, 0.2, 0.0]
    >>> result = paired_difference(x + y, noisier, set_contrast(4, 4))
    >>> abs(result.difference) < 1e-9, result.p.value
    (True, 1.0)
    >>> paired_difference(x + y, [1, 2, 1, 2, 2, 1, 1, 2], set_contrast(4, 4)).p.fraction
    '32/256'
    """
    z1, z2 = _standardise(first, "first"), _standardise(second, "second")
    c = np.asarray(contrast, dtype=np.float64)
    if not z1.shape == z2.shape == c.shape:
        raise UsageError("first, second and contrast must have one number for each word.")
    n = len(c)
    delta = z1 - z2
    delta = np.where(np.abs(delta) <= _ROUNDING, 0.0, delta)
    middle = (z1 + z2) / 2
    size = float(middle @ middle)
    has_middle = size > _ROUNDING  # not if one source is the mirror image of the other
    g = c - (float(c @ middle) / size) * middle if has_middle else c
    leverage = 1 / n + (middle**2 / size if has_middle else 0.0)
    # A word with leverage 1 decides the fit alone, so it has no difference left.
    free = np.maximum(1 - leverage, _ROUNDING)
    contributions = np.where(1 - leverage > _ROUNDING, g * delta / np.sqrt(free), 0.0)
    difference = float(c @ delta)
    p = sign_flip_p(
        contributions,
        observed=difference,
        method=method,
        rng=rng,
        n_resamples=n_resamples,
        workers=workers,
    )
    scale = math.sqrt((n - 1) / (n - ddof))  # the standard deviation with `ddof`, over that with 1
    margin = 1.959964 * math.sqrt(float(contributions @ contributions))
    effects = (float(c @ z1) / scale, float(c @ z2) / scale)
    return PairedDifference(
        *effects,
        difference / scale,
        (difference - margin) / scale,
        (difference + margin) / scale,
        p,
        n,
    )


def set_contrast(x: int, y: int) -> Floats:
    """Return the weights of the effect size of `x` words in X (1/x each) and `y` in Y (-1/y)."""
    return np.concatenate([np.full(x, 1 / x), np.full(y, -1 / y)])


def fact_contrast(facts: ArrayLike) -> Floats:
    """Return the weights of Pearson's correlation with facts: the standardised facts over N - 1."""
    return _standardise(facts, "facts") / (np.size(facts) - 1)


def paired_results(first: Measurement, second: Measurement) -> PairedDifference | None:
    """Test the difference of two results of one test from their records.

    Words are matched without regard to case, and only those that both results have are used.

    Returns
    -------
    PairedDifference or None
        None where there is nothing to test: the results are of a measure without associations,
        of different facts, or have too few words in common.
    """
    words = [
        _by_word(result.target_words(), result.target_associations()) for result in (first, second)
    ]
    common = [word for word in words[0] if word in words[1]]
    if len(common) < MIN_COMMON_WORDS:
        return None
    try:
        contrast = _contrast(first, second, common)
        ddof = first.options.get("ddof", 1)
        s1, s2 = ([values[word] for word in common] for values in words)
        return None if contrast is None else paired_difference(s1, s2, contrast, ddof=ddof)
    except CannotMeasure:
        return None


Key = tuple[str, str]
"""The set of a word, and the word in lower case."""


def _by_word(
    words: Mapping[str, Sequence[str]], values: Mapping[str, Sequence[float]]
) -> dict[Key, float]:
    """Return numbers by set and word; words that differ in case only are left out."""
    pairs = [
        ((name, word.lower()), value)
        for name, numbers in values.items()
        for word, value in zip(words.get(name, ()), numbers, strict=False)
    ]
    keys = [key for key, _ in pairs]
    return {key: value for key, value in pairs if keys.count(key) == 1}


def _contrast(first: Measurement, second: Measurement, common: Sequence[Key]) -> Floats | None:
    """Return the weights of the effect over common words; None if the effects are different."""
    facts = [_by_word(result.words, {"W": result.target_facts()}) for result in (first, second)]
    if any(facts):
        if any(word not in known for known in facts for word in common):
            return None
        values = [[known[word] for word in common] for known in facts]
        return fact_contrast(values[0]) if values[0] == values[1] else None
    sizes = [sum(name == side for name, _ in common) for side in "XY"]
    return set_contrast(*sizes) if all(size >= 2 for size in sizes) else None


def _standardise(values: ArrayLike, name: str) -> Floats:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1:
        raise UsageError(f"{name} must be a list of numbers.")
    if len(numbers) < MIN_COMMON_WORDS:
        raise CannotMeasure(
            f"There are {len(numbers)} words; a paired test needs {MIN_COMMON_WORDS}."
        )
    if not np.isfinite(numbers).all():
        raise CannotMeasure(f"{name} has a number that is not finite.")
    centred = numbers - numbers.mean()
    spread = float(centred.std(ddof=1))
    if spread <= _MIN_SPREAD * float(np.abs(numbers).max()):
        raise CannotMeasure(f"All words have the same number in {name}.")
    return np.asarray(centred / spread)
