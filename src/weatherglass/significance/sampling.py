"""The tail by random partitions: the two ways published work has used."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.random import Generator

from .pvalue import above_zero
from .tail import Integers, Tail

CHUNK = 2048
"""Partitions drawn from one random stream. Streams belong to chunks, not to threads, so the answer
is the same for any number of threads."""

MOST_NUMBERS = 1 << 21
"""Random numbers held by one thread at a time: 16 MB."""

CONFIDENCE = 0.99

Ends = tuple[float, float, float]
"""A value and the ends it lies between."""


def sampled_sums(
    tail: Tail, n_resamples: int, rng: Generator, workers: int | None = None
) -> Integers:
    """The sums of `n_resamples` random sets of the tail's size."""
    from .kernels import sums_of_random_sets

    # The sum of a set is the total less that of the others: the smaller of the two is drawn.
    drawn = min(tail.size, len(tail.values) - tail.size)

    def chunk(stream: Generator, rows: int) -> Integers:
        sums: Integers = sums_of_random_sets(tail.values, stream.random((rows, drawn)))
        return sums

    rows = max(1, min(CHUNK, MOST_NUMBERS // drawn))
    lengths = [min(rows, n_resamples - start) for start in range(0, n_resamples, rows)]
    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        sums = np.concatenate(list(pool.map(chunk, rng.spawn(len(lengths)), lengths)))
    return sums if drawn == tail.size else int(tail.values.sum()) - sums


def sampled_share(sums: Integers, tail: Tail) -> Ends:
    """The share of sets in the tail, by counting random ones, with the observed one among them.

    The value is (count + 1) / (resamples + 1), which cannot be below 1 / (resamples + 1); the ends
    are the 99 % Clopper-Pearson interval of count / resamples.
    """
    return counted_share(int((sums >= tail.threshold).sum()), len(sums))


def counted_share(count: int, drawn: int) -> Ends:
    """The share of random draws that reached the observed value, with that one among them."""
    from scipy.special import betaincinv

    aside = (1 - CONFIDENCE) / 2
    low = float(betaincinv(count, drawn - count + 1, aside)) if count else 0.0
    high = float(betaincinv(count + 1, drawn - count, 1 - aside)) if count < drawn else 1.0
    return (count + 1) / (drawn + 1), low, high


def normal_share(sums: Integers, tail: Tail) -> Ends:
    """The tail of a normal distribution with the mean and the unbiased variance of random sets.

    The ends are where a 99 % interval puts the standardised sum, given the number of draws. They
    speak of chance in the draws only: nothing here knows how far the truth is from normal.
    """
    from scipy.special import ndtr, ndtri

    spread = float(np.std(sums, ddof=1))
    if spread == 0.0:
        return 1.0, 1.0, 1.0
    z = (tail.threshold + tail.allowance - float(np.mean(sums))) / spread
    error = float(ndtri((1 + CONFIDENCE) / 2)) * math.sqrt((1 + z * z / 2) / len(sums))
    value, low, high = (above_zero(ndtr(-at)) for at in (z, z + error, z - error))
    return value, low, high
