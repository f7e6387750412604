"""The tail by random partitions: resampling, and a normal distribution fitted to resamples."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.random import Generator

from .pvalue import clamp_p
from .tail import Integers, Tail

PARTITIONS_PER_STREAM = 2048
"""Partitions drawn from one random stream. Each task has its own stream, so the result is the same
for any number of threads."""

MAX_NUMBERS = 1 << 21
"""Random numbers that one thread holds at a time: 16 MB."""

CONFIDENCE = 0.99

Bounded = tuple[float, float, float]
"""A value and its lower and upper bound."""


def draw_sums(tail: Tail, n_resamples: int, rng: Generator, workers: int | None = None) -> Integers:
    """Draw `n_resamples` random sets of the tail's size and return their sums."""
    from .kernels import sums_of_random_sets

    # A set sums to the total minus its complement, so the smaller of the two is drawn.
    drawn = min(tail.size, len(tail.values) - tail.size)

    def draw_chunk(stream: Generator, rows: int) -> Integers:
        sums: Integers = sums_of_random_sets(tail.values, stream.random((rows, drawn)))
        return sums

    rows = max(1, min(PARTITIONS_PER_STREAM, MAX_NUMBERS // drawn))
    lengths = [min(rows, n_resamples - start) for start in range(0, n_resamples, rows)]
    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        sums = np.concatenate(list(pool.map(draw_chunk, rng.spawn(len(lengths)), lengths)))
    return sums if drawn == tail.size else int(tail.values.sum()) - sums


def sampled_share(sums: Integers, tail: Tail) -> Bounded:
    """Estimate the share of sets in the tail from random sets.

    The null hypothesis is that of `permutation_p`. Sums equal to the observed one count (>=), and
    the observed set is added to the random ones: see `share_from_count`.
    """
    return share_from_count(int((sums >= tail.threshold).sum()), len(sums))


def share_from_count(count: int, drawn: int) -> Bounded:
    """Estimate a p-value from the `count` of random draws that reach the observed value.

    The value is (count + 1) / (drawn + 1), with the observed value as one more draw (Phipson and
    Smyth 2010, Stat. Appl. Genet. Mol. Biol. 9, 39), so it cannot be below 1 / (drawn + 1). The
    bounds are the 99 % Clopper-Pearson interval of count / drawn.
    """
    from scipy.special import betaincinv

    outside = (1 - CONFIDENCE) / 2
    low = float(betaincinv(count, drawn - count + 1, outside)) if count else 0.0
    high = float(betaincinv(count + 1, drawn - count, 1 - outside)) if count < drawn else 1.0
    return (count + 1) / (drawn + 1), low, high


def normal_share(sums: Integers, tail: Tail) -> Bounded:
    """Estimate the tail by a normal distribution with the mean and unbiased variance of `sums`.

    This is the p-value of Caliskan et al. (2017, supplement). The bounds are those of a 99 %
    interval of the standardised sum, given the number of draws. They cover sampling error only,
    not the difference between the permutation distribution and a normal one.
    """
    from scipy.special import ndtr, ndtri

    deviation = float(np.std(sums, ddof=1))
    if deviation == 0.0:
        return 1.0, 1.0, 1.0
    z = (tail.threshold + tail.allowance - float(np.mean(sums))) / deviation
    error = float(ndtri((1 + CONFIDENCE) / 2)) * math.sqrt((1 + z * z / 2) / len(sums))
    value, low, high = (clamp_p(ndtr(-score)) for score in (z, z + error, z - error))
    return value, low, high
