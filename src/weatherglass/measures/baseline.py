"""The baseline of a WEAT: how unusual its alignment is among word sets of the same vocabulary.

The alignment of a test is |cos(X̄ − Ȳ, Ā − B̄)|: how much of the difference between the targets
points along the difference between the attributes. The permutation test takes it as given and asks
about the assignment of words to sets; the baseline asks how often comparable word sets reach it.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from weatherglass.errors import CannotMeasure
from weatherglass.significance import (
    PValue,
    SetProfile,
    TopicMemory,
    coherence_baseline,
    frequency_baseline,
)
from weatherglass.tasks import single_threaded_blas
from weatherglass.vectors import Vectors, VocabularySample, sample_vocabulary

from .word_sets import Floats, FoundSet

MIN_ROWS = 500  # sampled rows; in smaller vocabularies draws would repeat each other
MIN_ROWS_PER_WORD = 4
MAX_PERCENTILE = 99.9  # beyond it 9,999 draws say no more
_memories: weakref.WeakKeyDictionary[VocabularySample, TopicMemory] = weakref.WeakKeyDictionary()


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """How unusual the alignment of a test is among comparable word sets of the same vocabulary.

    Attributes
    ----------
    p
        The share of word sets matched in size, coherence and (if possible) frequency whose
        alignment is at least as large. A large p-value does not say that an effect is absent: most
        published tests look ordinary among sets of this kind.
    p_frequency
        The same for sets of unrelated words, matched in size and (if possible) frequency. Sets of
        related words, as seed sets are, are more often aligned than such sets.
    percentile, percentile_frequency
        100 (1 − p): the share of comparable word sets that are less aligned, in per cent.
    matching
        ``"frequency and coherence"``, or ``"coherence"`` where the order of the words does not show
        their frequency and the source has no counts: then `p_frequency` is unmatched.
    draws, draws_frequency
        The numbers of word sets drawn.
    rows
        How many rows of the vocabulary they were drawn from. The words of the test may be among
        them.
    coherence, coherence_drawn
        The mean cosine of two words of a set, over the four sets of the test and over the sets
        drawn. The latter is smaller where the sample has no sets as coherent as those of the test.
    seed
        The random seed.
    reason
        Why a p-value could not be computed.

    Examples
    --------
    >>> import weatherglass as wg
    >>> baseline = wg.weat(wg.open_vectors("default"), "weat6").baseline
    >>> baseline.matching, baseline.draws, baseline.p.value < 0.05
    ('frequency and coherence', 9999, True)
    """

    p: PValue | None = None
    p_frequency: PValue | None = None
    percentile: float | None = None
    percentile_frequency: float | None = None
    matching: str = ""
    draws: int = 0
    draws_frequency: int = 0
    rows: int = 0
    coherence: float | None = None
    coherence_drawn: float | None = None
    seed: int = 0
    reason: str = ""

    def sentence(self) -> str:
        """Return what it says, in plain English."""
        if self.percentile is None:
            return f"Baseline not computed: {self.reason}."
        return f"More aligned than {format_percentile(self.percentile)} of comparable word sets."


def format_percentile(percentile: float) -> str:
    """Format a percentile, rounded down, and never finer than the draws allow.

    >>> [format_percentile(value) for value in (0.0, 86.4, 99.87, 99.99)]
    ['0 %', '86 %', '99.8 %', 'more than 99.9 %']
    """
    if percentile >= MAX_PERCENTILE:
        return f"more than {MAX_PERCENTILE} %"
    if percentile >= 99:
        return f"{math.floor(10 * percentile + 1e-9) / 10:.1f} %"
    return f"{math.floor(percentile + 1e-9)} %"


def set_differences(found: Mapping[str, FoundSet]) -> tuple[Floats, Floats]:
    """Return X̄ − Ȳ and Ā − B̄, the differences of the mean unit vectors."""
    means = {name: found[name].rows.mean(axis=0) for name in "XYAB"}
    return means["X"] - means["Y"], means["A"] - means["B"]


def alignment(found: Mapping[str, FoundSet]) -> float | None:
    """Return cos(X̄ − Ȳ, Ā − B̄); None if a difference of means is zero."""
    u, v = set_differences(found)
    lengths = math.sqrt(float(u @ u)) * math.sqrt(float(v @ v))
    return float(np.clip(u @ v / lengths, -1, 1)) if lengths > 0 else None


def measure_baseline(
    vectors: Vectors, found: Mapping[str, FoundSet], cosine: float | None, seed: int
) -> Baseline:
    """Compare the alignment of four word sets with that of comparable sets.

    Parameters
    ----------
    vectors
        A whole embedding, or words that were opened with a sample of its rows.
    found, cosine
        The four sets as the source has them, and their alignment.
    seed
        Random seed.
    """
    sample = sample_vocabulary(vectors)
    if sample is None:
        return Baseline(seed=seed, reason="only some words were opened")
    if cosine is None:
        return Baseline(seed=seed, reason="two sets have the same mean")
    words = sum(len(found[name].words) for name in "XYAB")
    min_rows = max(MIN_ROWS, MIN_ROWS_PER_WORD * words)
    if len(sample) < min_rows:
        reason = f"there are {len(sample):,} words to draw from, fewer than {min_rows:,}"
        return Baseline(rows=len(sample), seed=seed, reason=reason)
    profiles = [
        SetProfile.of(
            sample.places(vectors, vectors.words.find(found[name].words)), found[name].rows
        )
        for name in "XYAB"
    ]
    is_ordered = bool(sample.by)
    # One thread, because how products are split over threads changes their last digits.
    with single_threaded_blas():
        by_frequency = frequency_baseline(
            sample.rows, profiles, cosine, is_ordered=is_ordered, rng=seed
        )
        try:
            by_coherence = coherence_baseline(
                sample.rows,
                profiles,
                cosine,
                is_ordered=is_ordered,
                rng=seed,
                memory=_memories.setdefault(sample, TopicMemory()),
            )
            reason = ""
        except CannotMeasure as error:
            by_coherence, reason = None, str(error).rstrip(".")
    return Baseline(
        p=by_coherence.p if by_coherence else None,
        p_frequency=by_frequency.p,
        percentile=100 * (1 - by_coherence.p.value) if by_coherence else None,
        percentile_frequency=100 * (1 - by_frequency.p.value),
        matching="frequency and coherence" if sample.by else "coherence",
        draws=by_coherence.drawn if by_coherence else 0,
        draws_frequency=by_frequency.drawn,
        rows=len(sample),
        coherence=float(np.mean([profile.coherence for profile in profiles])),
        coherence_drawn=by_coherence.coherence if by_coherence else None,
        seed=seed,
        reason=reason,
    )


def baseline_columns(baseline: Baseline | None) -> dict[str, float | str | None]:
    """Return the columns of a result."""
    if baseline is None:
        return {}
    return {
        "p_baseline": baseline.p.value if baseline.p else None,
        "p_baseline_frequency": baseline.p_frequency.value if baseline.p_frequency else None,
        "baseline_matching": baseline.matching or baseline.reason,
    }
