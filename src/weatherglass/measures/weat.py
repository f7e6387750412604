"""WEAT: are two target sets differently near two attribute sets (Caliskan et al., Science 2017)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weatherglass.catalog import Test
from weatherglass.catalog import test as catalogue_test
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.significance import (
    Alternative,
    Interval,
    PermutationMethod,
    PValue,
    batch_permutation_p,
    bootstrap_interval,
    permutation_p,
    rotation_p,
)
from weatherglass.vectors import Case, ControlMethod, Vectors

from .frequency_control import Controlled, survival
from .result import Record, described, named
from .word_sets import Found, find_sets, too_few, words_of


@dataclass(frozen=True, slots=True)
class Influence:
    """Effect and p-value of a test without one word.

    The p-value is exact for up to 32 targets and otherwise found by tilted inversion, because
    there is one for every word.
    """

    set: str
    word: str
    effect: float
    p: float
    moved: float


def leave_one_out(
    found: Mapping[str, Found],
    ddof: int,
    alternative: Alternative,
    effect: Callable[[Any, Any, int], float],
) -> tuple[Influence, ...]:
    """Drop each word of the four sets in turn; the word that moves the effect most comes first."""
    cosines = {
        (targets, attributes): found[targets].rows @ found[attributes].rows.T
        for targets in "XY"
        for attributes in "AB"
    }
    whole = _associations(cosines)
    reference = effect(whole["X"], whole["Y"], ddof)
    least = {"X": 3, "Y": 3, "A": 2, "B": 2}
    dropped: list[tuple[str, str]] = []
    left: list[tuple[Any, Any]] = []
    for name, one in found.items():
        for k, word in enumerate(one.words if len(one.words) >= least[name] else ()):
            without = _associations(
                {
                    key: np.delete(table, k, axis=key.index(name)) if name in key else table
                    for key, table in cosines.items()
                }
            )
            dropped.append((name, word))
            left.append((without["X"], without["Y"]))
    made = []
    for (name, word), (x, y), p in zip(
        dropped, left, batch_permutation_p(left, alternative=alternative), strict=True
    ):
        value = effect(x, y, ddof)
        made.append(Influence(name, word, value, p.value, value - reference))
    return tuple(sorted(made, key=lambda one: -abs(one.moved)))


def _associations(cosines: Mapping[tuple[str, str], Any]) -> dict[str, Any]:
    return {
        targets: cosines[targets, "A"].mean(axis=1) - cosines[targets, "B"].mean(axis=1)
        for targets in "XY"
    }


Floats = NDArray[np.float64]

LEAST = {"X": 2, "Y": 2, "A": 1, "B": 1}
NOISE = 1e-15  # of associations, which are differences of means of cosines
NO_SPREAD = 100 * NOISE  # of all targets' associations: they are the same then


@dataclass(frozen=True, kw_only=True)
class WeatResult(Record):
    """The result of one association test on one source; beside what every `Record` has:

    Attributes
    ----------
    effect
        The difference of the mean associations of X and Y, over the standard deviation of all
        associations. Between -2 and 2 for sets of one size.
    statistic
        s(X, Y, A, B): the sum over X minus the sum over Y. For sets of unequal size, (\\|X\\| +
        \\|Y\\|) g of Swinger et al. (2019), which is the same number when the sizes are equal.
    p
        The permutation p-value.
    p_rotation
        The p-value of the rotational null: are targets and attributes aligned by chance.
    p_holm, p_bh
        `p` corrected for all tests of a result set; set by `Results.correct`.
    associations
        s(w, A, B) of every target, in the order of `words`.
    intervals
        Bootstrap confidence intervals of the effect, if asked for.
    influence
        What dropping each single word does, if asked for.
    control
        Effect and p-value without word frequency, and how much of the effect survives, if asked
        for; `weatherglass.Control` says what its other numbers are.
    """

    measure: ClassVar[str] = "weat"

    effect: float | None = None
    statistic: float | None = None
    p: PValue | None = None
    p_rotation: PValue | None = None
    p_holm: float | None = None
    p_bh: float | None = None
    associations: dict[str, tuple[float, ...]] = field(default_factory=dict)
    intervals: tuple[Interval, ...] = ()
    influence: tuple[Influence, ...] = ()
    control: dict[str, Any] | None = None


def weat(
    vectors: Vectors,
    test: Test | str,
    *,
    alternative: Alternative = "greater",
    method: PermutationMethod = "auto",
    ddof: int = 1,
    case: Case = "auto",
    max_missing: float = 0.2,
    rng: int = 0,
    intervals: bool = False,
    influence: bool = False,
    control: Controlled | ControlMethod | None = None,
    workers: int | None = None,
) -> WeatResult:
    """Run one word embedding association test.

    Parameters
    ----------
    vectors
        The embedding.
    test
        An association test, or its id in the catalogue.
    alternative
        ``greater`` (X with A and Y with B, as the paper tests), ``less`` or ``two-sided`` (twice
        the smaller tail, at most 1).
    method
        How the permutation p-value is found; see `weatherglass.significance.permutation_p`.
    ddof
        1 for the unbiased standard deviation in the effect, which the paper uses; 0 to compare
        with packages that use that.
    case
        ``auto`` falls back to lower case where the vocabulary has no capitals; ``keep``; ``lower``.
    max_missing
        The largest share of a set's words that may be missing.
    rng
        Seed for what is drawn at random: ``sample`` and ``normal`` p-values, bootstrap intervals.
    intervals
        Also give bootstrap confidence intervals (BCa and percentile) of the effect over words.
    influence
        Also drop each single word in turn, and give effect and p-value without it.
    control
        Also measure without word frequency: what `weatherglass.control` gave for the vectors, or
        its ``method``. The effect and p-value of the result itself stay as they are. The vectors
        must be a whole embedding, unless the control has been made from one.
    workers
        Threads; all processors by default.

    Returns
    -------
    WeatResult
        With status ``"not run"`` and the reason where the words do not allow the measurement.

    Notes
    -----
    With s(w, A, B) = mean cos(w, a) - mean cos(w, b), the effect is the difference of the means of
    s over X and over Y, divided by the standard deviation of s over both. The words are the
    subjects here, not people: neither effect nor p-value compares with those of a study of people.

    References
    ----------
    .. [1] A. Caliskan, J. J. Bryson, A. Narayanan (2017). Semantics derived automatically from
       language corpora contain human-like biases. Science 356, 183-186.
    .. [2] N. Swinger, M. De-Arteaga, N. T. Heffernan IV, M. D. M. Leiserson, A. T. Kalai (2019).
       What are the biases in my word embedding? AIES.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.Vectors.of("rose lily wasp gnat kind foul".split(),
    ...     [[1, .1], [1, .2], [.1, 1], [.2, 1], [1, 0], [0, 1]])
    >>> mine = wg.Test(x=["rose", "lily"], y=["wasp", "gnat"], a=["kind"], b=["foul"])
    >>> result = wg.weat(vectors, mine)
    >>> round(result.effect, 2), result.p.fraction
    (1.73, '1/6')
    """
    test = association_test(test)
    if ddof not in (0, 1):
        raise UsageError(f"ddof is {ddof!r}; it must be 0 or 1.")
    options: dict[str, Any] = {
        "alternative": alternative,
        "method": method,
        "ddof": ddof,
        "case": case,
        "max_missing": max_missing,
        "rng": rng,
    }
    plain = _measure(vectors, test, options, workers, intervals, influence)
    if control is None:
        return plain
    told = survival(
        plain,
        vectors,
        control,
        lambda without: _measure(without, test, options, workers),
        "effect",
        lambda one: (one.effect, one.p and one.p.value),
    )
    return dataclasses.replace(plain, control=told, options=options | {"control": told["asked"]})


def _measure(
    vectors: Vectors,
    test: Test,
    options: dict[str, Any],
    workers: int | None,
    intervals: bool = False,
    influence: bool = False,
) -> WeatResult:
    alternative, ddof, rng = options["alternative"], options["ddof"], options["rng"]
    found, reason = find_sets(vectors, test.sets, options["case"])
    about = described(test, *words_of(found), named(vectors), options)
    about["merged"] = {name: one.merged for name, one in found.items() if one.merged}
    reason = reason or too_few(about["words"], about["missing"], LEAST, options["max_missing"])
    if reason:
        return WeatResult(status="not run", reason=reason, **about)
    attributes = found["A"].rows, found["B"].rows
    x, y = (associations(found[side].rows, *attributes) for side in ("X", "Y"))
    about["associations"] = {"X": tuple(x.tolist()), "Y": tuple(y.tolist())}
    if spread(x, y, ddof) <= NO_SPREAD:
        reason = "all targets have the same association, so the effect has no scale"
        return WeatResult(status="not run", reason=reason, **about)
    u = found["X"].rows.mean(axis=0) - found["Y"].rows.mean(axis=0)
    v = found["A"].rows.mean(axis=0) - found["B"].rows.mean(axis=0)
    try:
        p = permutation_p(
            x,
            y,
            alternative=alternative,
            method=options["method"],
            rng=rng,
            workers=workers,
            resolution=NOISE,
        )
    except CannotMeasure as error:  # more targets than the method that was asked for can do
        return WeatResult(status="not run", reason=str(error).rstrip("."), **about)
    return WeatResult(
        status="done",
        effect=effect(x, y, ddof),
        statistic=float((len(x) + len(y)) / 2 * (x.mean() - y.mean())),
        p=p,
        p_rotation=rotation_p(u, v, alternative=alternative),
        intervals=_intervals(x, y, ddof, rng) if intervals else (),
        influence=leave_one_out(found, ddof, alternative, effect) if influence else (),
        **about,
    )


def associations(w: Floats, a: Floats, b: Floats) -> Floats:
    """Return s(w, A, B) of each row of `w`: its mean cosine with A minus its mean cosine with B.

    All rows have unit length, so the mean cosine with a set is the product with the set's mean.
    """
    values: Floats = w @ (a.mean(axis=0) - b.mean(axis=0))
    return values


def spread(x: Any, y: Any, ddof: int) -> Any:
    """The standard deviation of the associations of all targets, along the last axis."""
    return np.concatenate([x, y], axis=-1).std(axis=-1, ddof=ddof)


def effect(x: Any, y: Any, ddof: int) -> float:
    """The effect size of two sets of associations."""
    return float((np.mean(x) - np.mean(y)) / spread(x, y, ddof))


def _intervals(x: Floats, y: Floats, ddof: int, rng: int) -> tuple[Interval, ...]:
    def statistic(x: Any, y: Any, axis: int = -1) -> Any:
        with np.errstate(invalid="ignore", divide="ignore"):
            return (x.mean(axis=axis) - y.mean(axis=axis)) / spread(x, y, ddof)

    made = []
    for method in ("bca", "percentile"):
        try:
            interval = bootstrap_interval(x, y, statistic, method=method, rng=rng)
        except CannotMeasure:  # too few words to vary; the result then has no interval
            continue
        if interval not in made:
            made.append(interval)
    return tuple(made)


def association_test(test: Test | str) -> Test:
    """A test, or the one of the catalogue that an id names; it must be an association test."""
    entry = catalogue_test(test) if isinstance(test, str) else test
    if not isinstance(entry, Test):
        raise UsageError(f"{entry.id} is a {entry.kind} test; `wefat` runs it, on word vectors.")
    return entry
