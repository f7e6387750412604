"""All measures of word sets, by name, and `measure`, which runs any of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, overload

from weatherglass.catalog import NamedTest, NamedTests, Test, choose_tests, names_one_test
from weatherglass.errors import UsageError, did_you_mean, quote_safe
from weatherglass.vectors import Case

from .association_table import Embedding
from .bias_clusters import BIAS_CLUSTERS
from .controls import Controls, needs_all_rows, with_controls
from .definition import Measure, MeasureResult
from .direct_bias import DIRECT_BIAS
from .documents import with_documents
from .each_test import correct_all
from .ect import ECT
from .embedding import Source, open_embedding
from .generalised_weat import GENERALISED_WEAT
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
    from .generalised_result import GeneralisedResult
    from .result_set import Results
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
        GENERALISED_WEAT,
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
"""The measures whose result is a `MeasureResult`: all but ``weat`` and ``generalised-weat``."""

# They need more than word sets: facts, an encoder, a corpus.
_OTHER_FUNCTIONS = ("wefat", "seat", "ceat")


def measure_named(name: str) -> Measure:
    """Return a measure by its name.

    >>> measure_named("rnd").title
    'Relative norm distance'
    """
    name = name.replace("_", "-")  # as Python's functions are spelled
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
    source: Source,
    name: Literal["weat"],
    sets: Sets | Test,
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
    source: Source,
    name: MeasureName,
    sets: Sets | Test,
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
    source: Source,
    name: str,
    sets: Sets | Test,
    *,
    test: str = "",
    title: str = "",
    case: Case = "auto",
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    control: Controls | None = None,
    **options: Any,
) -> MeasureResult | WeatResult | GeneralisedResult: ...


@overload
def measure(
    source: Source,
    name: str,
    sets: str,
    *,
    test: str = "",
    title: str = "",
    case: Case = "auto",
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    control: Controls | None = None,
    **options: Any,
) -> Any: ...


@overload
def measure(
    source: Source,
    name: str,
    sets: PathLike[str] | Iterable[NamedTest],
    *,
    test: str = "",
    title: str = "",
    case: Case = "auto",
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    control: Controls | None = None,
    **options: Any,
) -> Results: ...


def measure(
    source: Source,
    name: str,
    sets: Sets | NamedTests,
    *,
    test: str = "",
    title: str = "",
    case: Case = "auto",
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    control: Controls | None = None,
    **options: Any,
) -> MeasureResult | WeatResult | GeneralisedResult | Results:
    """Run a measure of bias on word sets.

    Parameters
    ----------
    source
        Any source: see `as_source`. Of a file, only the rows of the sets are read, unless the
        measure looks for neighbours. A table is for ``weat``, ``sc-weat`` and
        ``generalised-weat`` only.
    name
        The measure: ``weat``, ``rnd``, ``rnsb``, ``ripa``, ``mac``, ``ect``, ``semaxis``, ``nas``,
        ``same``, ``direct-bias``, ``indirect-bias``, ``subspace``, ``bias-clusters``,
        ``sc-weat`` or ``generalised-weat``.
        `weatherglass.measures.MEASURES` says what each needs and what its number means.
    sets
        The word sets by name, such as X, A and B: each a list of words, a seed set, or the id of
        one in the catalogue. Where a measure takes pairs, the first word of A is paired with the
        first of B, and so on; two sets of the catalogue are paired as in their study. Or tests, as
        for `weat`, of which the measure gets the sets that it needs.
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
        ``weat`` a `WeatResult`, for ``generalised-weat`` a `GeneralisedResult`; both also have
        `value`, `by_word`, `details` and `ranked`; for several tests
        `Results`.

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
    chosen = measure_named(name)
    options |= {"case": case, "max_missing": max_missing, "allow_overlap": allow_overlap}
    if isinstance(sets, Mapping):
        return run_measure(chosen, source, sets, control, test=test, title=title, **options)
    results = [
        run_measure(
            chosen,
            source,
            _sets_of(entry, chosen),
            control,
            test=test or entry.id,
            title=title or entry.title,
            **options,
        )
        for entry in choose_tests(sets, Test)
    ]
    return results[0] if names_one_test(sets) else correct_all(results)


def _sets_of(test: Test, chosen: Measure) -> Sets:
    """Return the sets of a test that a measure takes."""
    needed = {need.name for need in chosen.needs}
    return {name: words for name, words in test.sets.items() if chosen.further or name in needed}


def run_measure(
    which: Measure, source: Source, sets: Sets, control: Controls | None = None, **options: Any
) -> MeasureResult | WeatResult | GeneralisedResult:
    """Run a measure on the vectors, and on controlled vectors."""
    checked = which.check_sets(sets)
    # Measures that look for neighbours of words need all rows.
    needed = None if options.get("neighbours") else checked
    vectors = open_embedding(
        source,
        None if needed is None or needs_all_rows(control) else needed.values(),
        options.get("case", "auto"),
        sample=bool(which.options.get("baseline") and options.get("baseline", True)),
    )
    result = which(vectors, sets, **options)

    def again(rows: Embedding) -> MeasureResult | WeatResult | GeneralisedResult:
        return which(rows, sets, **options)

    # On bootstrap samples only the number counts.
    fewer = dict.fromkeys(which.options.keys() & {"baseline", "influence", "intervals"}, False)
    result = with_documents(
        result, vectors, needed, lambda rows: which(rows, sets, **(options | fewer))
    )
    return with_controls(
        result,
        vectors,
        control,
        needed,
        again,
        is_signed=which.is_signed,
    )
