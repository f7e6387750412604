"""All measures of word sets, by name."""

from __future__ import annotations

from typing import Any

from weatherglass.errors import UsageError, did_you_mean, quote_safe
from weatherglass.vectors import Case, Vectors

from .definition import Measure, MeasureResult
from .direct_bias import DIRECT_BIAS
from .ect import ECT
from .indirect_bias import INDIRECT_BIAS
from .mac import MAC
from .nas import NAS
from .ripa import RIPA
from .rnd import RND
from .rnsb import RNSB
from .same import SAME
from .sc_weat import SC_WEAT
from .semaxis import SEMAXIS
from .subspace import SUBSPACE
from .word_sets import Sets

MEASURES: dict[str, Measure] = {
    one.name: one
    for one in (
        RND,
        RNSB,
        RIPA,
        MAC,
        ECT,
        SEMAXIS,
        NAS,
        SAME,
        DIRECT_BIAS,
        INDIRECT_BIAS,
        SUBSPACE,
        SC_WEAT,
    )
}
"""Every measure that `weatherglass.measure` runs, with what it needs and what it means."""

_OWN = ("weat", "wefat", "seat", "ceat")


def measure_named(name: str) -> Measure:
    """A measure by its name.

    >>> measure_named("rnd").title
    'Relative norm distance'
    """
    if name in _OWN:
        raise UsageError(f"{name} runs whole tests: use `weatherglass.{name}`.")
    if name not in MEASURES:
        raise UsageError(
            f"There is no measure {quote_safe(name)}."
            + (did_you_mean(name.lower(), MEASURES) or f" There are {', '.join(MEASURES)}.")
        )
    return MEASURES[name]


def measure(
    vectors: Vectors,
    name: str,
    sets: Sets,
    *,
    test: str = "",
    title: str = "",
    case: Case = "auto",
    max_missing: float = 0.2,
    **options: Any,
) -> MeasureResult:
    """Run a measure of bias on word sets.

    Parameters
    ----------
    vectors
        The embedding.
    name
        The measure: ``rnd``, ``rnsb``, ``ripa``, ``mac``, ``ect``, ``semaxis``, ``nas``, ``same``,
        ``direct-bias``, ``indirect-bias``, ``subspace`` or ``sc-weat``.
        `weatherglass.measures.MEASURES` says what each needs and what its number means.
    sets
        The word sets by name, such as X, A and B: each a list of words, a seed set, or the id of
        one in the catalogue. Where a measure takes pairs, the words of A and B answer each other
        in their order; for two sets of the catalogue, as their study pairs them.
    test, title
        What to call the measurement in its result; the measure's name and title by default.
    case, max_missing
        As for `weat`.
    **options
        The measure's own options, such as ``unit=True`` for `rnd`.

    Returns
    -------
    MeasureResult
        With status ``"not run"`` and the reason where the words do not allow the measurement.

    Raises
    ------
    UsageError
        There is no such measure, a set is missing or is none of its sets, or it has no such option.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.Vectors.of(["nurse", "pilot", "she", "he"], [[4, 3], [3, 4], [1, 0], [0, 1]])
    >>> sets = {"X": ["nurse", "pilot"], "A": ["she"], "B": ["he"]}
    >>> result = wg.measure(vectors, "semaxis", sets)
    >>> result.value, [(word, round(score, 3)) for word, score in result.ranked()]
    (0.0, [('nurse', 0.141), ('pilot', -0.141)])
    """
    return measure_named(name)(
        vectors,
        sets,
        test=test,
        title=title,
        case=case,
        max_missing=max_missing,
        **options,
    )
