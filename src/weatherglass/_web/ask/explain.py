"""The numbers of an answer in sentences."""

from __future__ import annotations

from weatherglass.measures import (
    WeatResult,
    format_percentile,
)
from weatherglass.report import ALPHA, numbers
from weatherglass.significance import equate_p

_TAILS = {
    "greater": "an effect size at least as large",
    "less": "an effect size at least as low",
    "two-sided": "an effect size at least as far from 0",
}

P_METHODS = {
    "exact": "exact: every partition of the targets was counted",
    "clusters": "counted by clusters of near-equal targets, within 0.1% of the true value",
    "tilted": "tilted Fourier inversion: integrated, with an estimated error",
    "bracket": "certified bracket: the true value is between two bounds",
    "sample": "sampled",
    "normal": "normal fit to a sample",
}
"""How each method finds a p-value."""


def explain_alignment(result: WeatResult) -> str:
    """Say how much of the difference between the targets lies along the attributes.

    >>> import weatherglass as wg
    >>> result = wg.weat(wg.open_vectors("default"), "weat6")
    >>> print(explain_alignment(result))  # doctest: +NORMALIZE_WHITESPACE
    The difference between the targets and that between the attributes have the cosine 0.49: the
    attributes account for 24 % of the squared difference between the targets. Word sets drawn from
    the same vocabulary, matched in size, frequency and coherence, are less aligned in 97 % of cases
    (rotation p, which compares with random directions, is 1.4e-04).
    """
    if result.cosine is None or result.shared is None or result.p_rotation is None:
        return ""
    text = (
        "The difference between the targets and that between the attributes have the cosine "
        f"{result.cosine:.2f}".replace("-", "−")
        + f": the attributes account for {_percent(result.shared)} of the squared difference "
        "between the targets. "
    )
    baseline = result.baseline
    if baseline is not None and baseline.percentile is not None:
        matched = "frequency and coherence" if "frequency" in baseline.matching else "coherence"
        text += (
            f"Word sets drawn from the same vocabulary, matched in size, {matched}, are less "
            f"aligned in {format_percentile(baseline.percentile)} of cases "
        ).replace("size, coherence", "size and coherence")
    elif baseline is not None:
        text += f"There is no baseline, because {baseline.reason} "
    p = numbers.p_value(result.p_rotation.value)
    return f"{text}(rotation p, which compares with random directions, is {p})."


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def explain_p_value(result: WeatResult) -> str:
    """Explain the permutation p-value of the finding by the partitions of the targets.

    >>> import weatherglass as wg
    >>> print(explain_p_value(wg.weat(wg.open_vectors("default"), "weat6")))
    Of all 12,870 ways to split the 16 targets into two sets, only 1 gives an effect size at least \
as large; counted in both directions, p = 1.6e-04.
    """
    p = (None if result.is_declared else result.p_two_sided) or result.p
    assert p is not None
    n_targets = result.n["X"] + result.n["Y"]
    is_two_sided = p.alternative == "two-sided"
    if p.count is not None and p.partitions is not None and p.value < 1:
        only = "only " if p.value <= ALPHA else ""
        # Two-sided, the smaller tail is counted twice.
        count = p.count // 2 if is_two_sided else p.count
        towards = "greater" if (result.effect or 0.0) > 0 else "less"
        tail = _TAILS[towards if is_two_sided else p.alternative]
        both = f"; counted in both directions, {equate_p(p.value)}" if is_two_sided else ""
        return (
            f"Of all {p.partitions:,} ways to split the {n_targets} targets into two sets, "
            f"{only}{count:,} {'gives' if count == 1 else 'give'} {tail}{both}."
        )
    precision = {
        "clusters": " (counted to within 0.1%)",
        "tilted": " (computed, not sampled)",
        "bracket": " (certain to be between two bounds)",
    }.get(p.method, "")
    return (
        f"Of all ways to split the {n_targets} targets into two sets, the share with "
        f"{_TAILS[p.alternative]} is {equate_p(p.value)}{precision}."
    )
