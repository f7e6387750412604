"""All measures of word sets, by name, and `measure`, which runs any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from weatherglass.errors import UsageError, did_you_mean, quote_safe
from weatherglass.vectors import Case, Vectors

from .bias_clusters import BIAS_CLUSTERS
from .controls import Controls, with_controls
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
from .weat import WEAT
from .word_sets import Sets

if TYPE_CHECKING:
    from .weat import WeatResult

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        WEAT,
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
        BIAS_CLUSTERS,
        SC_WEAT,
    )
}
"""Every measure that `weatherglass.measure` runs, with what it needs and what it means."""

MeasureName = Literal[
    "rnd",
    "rnsb",
    "ripa",
    "mac",
    "ect",
    "semaxis",
    "nas",
    "same",
    "direct-bias",
    "indirect-bias",
    "subspace",
    "bias-clusters",
    "sc-weat",
]
"""The measures whose result is a `MeasureResult`: all but ``weat``."""

# They need more than word sets: facts, an encoder, a corpus.
_OTHER_FUNCTIONS = ("wefat", "seat", "ceat")


def measure_named(name: str) -> Measure:
    """Return a measure by its name.

    >>> measure_named("rnd").title
    'Relative norm distance'
    """
    if name in _OTHER_FUNCTIONS:
        raise UsageError(f"{name} needs more than word sets: use `weatherglass.{name}`.")
    if name not in MEASURES:
        raise UsageError(
            f"There is no measure {quote_safe(name)}."
            + (did_you_mean(name.lower(), MEASURES) or f" There are {', '.join(MEASURES)}.")
        )
    return MEASURES[name]


@overload
def measure(
    vectors: Vectors,
    name: Literal["weat"],
    sets: Sets,
    *,
    test: str = "",
    title: str = "",
    case: Case = "auto",
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    control: Controls | None = None,
    **options: Any,
) -> WeatResult: ...


@overload
def measure(
    vectors: Vectors,
    name: MeasureName,
    sets: Sets,
    *,
    test: str = "",
    title: str = "",
    case: Case = "auto",
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    control: Controls | None = None,
    **options: Any,
) -> MeasureResult: ...


@overload
def measure(
    vectors: Vectors,
    name: str,
    sets: Sets,
    *,
    test: str = "",
    title: str = "",
    case: Case = "auto",
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    control: Controls | None = None,
    **options: Any,
) -> MeasureResult | WeatResult: ...


def measure(
    vectors: Vectors,
    name: str,
    sets: Sets,
    *,
    test: str = "",
    title: str = "",
    case: Case = "auto",
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    control: Controls | None = None,
    **options: Any,
) -> MeasureResult | WeatResult:
    """Run a measure of bias on word sets.

    Parameters
    ----------
    vectors
        The embedding.
    name
        The measure: ``weat``, ``rnd``, ``rnsb``, ``ripa``, ``mac``, ``ect``, ``semaxis``, ``nas``,
        ``same``, ``direct-bias``, ``indirect-bias``, ``subspace``, ``bias-clusters`` or
        ``sc-weat``.
        `weatherglass.measures.MEASURES` says what each needs and what its number means.
    sets
        The word sets by name, such as X, A and B: each a list of words, a seed set, or the id of
        one in the catalogue. Where a measure takes pairs, the first word of A is paired with the
        first of B, and so on; two sets of the catalogue are paired as in their study.
    test, title
        What to call the measurement in its result; the measure's name and title by default.
    case, max_missing, allow_overlap
        As for `weat`. Measures of pairs (``ripa``, ``direct-bias``, ``indirect-bias``) compare no
        word with itself and always accept a word of X that is also in a pair.
    control
        Also measure on controlled vectors, as for `weat`.
    **options
        The measure's own options, such as ``unit=True`` for `rnd`.

    Returns
    -------
    MeasureResult
        With status ``"not run"`` and the reason where the words do not allow the measurement. For
        ``weat`` a `WeatResult`, which also has `value`, `by_word`, `details` and `ranked`.

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
    return run_measure(
        measure_named(name),
        vectors,
        sets,
        control,
        test=test,
        title=title,
        case=case,
        max_missing=max_missing,
        allow_overlap=allow_overlap,
        **options,
    )


def run_measure(
    which: Measure, vectors: Vectors, sets: Sets, control: Controls | None = None, **options: Any
) -> MeasureResult | WeatResult:
    """Run a measure on the vectors, and on controlled vectors."""
    result = which(vectors, sets, **options)
    # Measures that look for neighbours of words need all rows.
    needed = None if options.get("neighbours") else which.check_sets(sets)
    return with_controls(
        result,
        vectors,
        control,
        needed,
        lambda rows: which(rows, sets, **options),
        is_signed=which.is_signed,
    )
