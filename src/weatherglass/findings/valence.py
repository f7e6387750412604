"""What the agreement of a source with the ratings of people means, in a sentence."""

from __future__ import annotations

from weatherglass.measures import SourceValence

MIN_VALENCE = 0.2
"""Correlation with the ratings of valence below which a source encodes little of what people agree
on, and no finding on it is clear. ``docs/methods/norms.md`` has the measurement behind it."""


def is_low(valence: SourceValence) -> bool:
    """Return whether a source was measured and agrees with people less than `MIN_VALENCE`."""
    return valence.r is not None and valence.r < MIN_VALENCE


def valence_sentence(valence: SourceValence) -> str:
    """Return the valence correlation of a source, and what it means.

    >>> print(valence_sentence(SourceValence(0.05, 0.02, 0.08, 4600)))
    Associations agree with how pleasant people find words with r = 0.05 (0.02 to 0.08, 4,600 \
words): the source encodes little of what people agree on, and no finding on it is graded clear.
    """
    if valence.r is None:
        return (
            "Whether associations agree with how pleasant people find words was not measured: "
            f"{valence.reason}."
        )
    ends = f"{valence.low:.2f} to {valence.high:.2f}, {valence.n:,} words"
    text = f"Associations agree with how pleasant people find words with r = {valence.r:.2f}"
    if is_low(valence):
        meaning = "the source encodes little of what people agree on, and no finding on it is "
        return f"{text} ({ends}): {meaning}graded clear."
    meaning = f"above the {MIN_VALENCE:g} that a clear finding needs"
    return f"{text} ({ends}), {meaning}; GloVe vectors of billions of words reach 0.6 to 0.7."
