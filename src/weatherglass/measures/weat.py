"""WEAT: are two target sets differently associated with two attribute sets (Caliskan et al. 2017).

The word embedding association test, from Science 356, 183-186.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, cast

import numpy as np

from weatherglass.catalog import Test
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.significance import (
    Alternative,
    Interval,
    PermutationMethod,
    Power,
    PValue,
    effect_power,
    permutation_p,
    rotation_p,
)
from weatherglass.vectors import Case

from .alternatives import choose_alternative, two_sided
from .anisotropy import anisotropy_columns, anisotropy_control
from .association_table import NOT_FOR_TABLES, AssociationTable, Embedding
from .baseline import (
    Baseline,
    alignment,
    baseline_columns,
    measure_baseline,
    set_differences,
)
from .claims import association_claim, association_subject
from .controls import ControlledValue, Controls, needs_all_rows, with_controls
from .definition import Measure, MeasuredTest, RequiredSet
from .documents import with_documents
from .each_test import each_test
from .effect_intervals import effect_intervals
from .effect_size import (
    MIN_SPREAD,
    MIN_WORDS,
    NOISE,
    cosine_tables,
    effect,
    max_effect,
    mean_differences,
    spread,
    value_scale,
)
from .embedding import Source, open_embedding
from .influence import Influence, leave_one_out, two_sided_ps
from .measurement import (
    DescribedTest,
    Measurement,
    Section,
    describe_source,
    describe_test,
    interval_columns,
)
from .word_sets import (
    FoundSet,
    Sets,
    case_hint,
    find_sets,
    rank_words,
    split_found,
    too_few_reason,
)


@dataclass(frozen=True, kw_only=True, repr=False)
class WeatResult(Measurement):
    """The result of one association test on one source.

    Attributes
    ----------
    effect
        The difference of the mean associations of X and Y, over the standard deviation of all
        associations. With n and m targets, N = n + m, it is between ±√(N(N − 1) / (nm)), which is
        just below 2 for sets of equal size and larger for others: 3.4 for 2 words against 20.
    statistic
        s(X, Y, A, B): the sum over X minus the sum over Y. For sets of unequal size, (\\|X\\| +
        \\|Y\\|) g of Swinger et al. (2019), which is the same number when the sizes are equal.
    p
        The permutation p-value: one-sided for published tests, as in their paper, and two-sided
        for your own words, unless you gave an alternative.
    p_two_sided
        The two-sided permutation p-value.
    cosine
        cos(X̄ − Ȳ, Ā − B̄): how far the difference between the targets points along the difference
        between the attributes. Its square, `shared`, is the share of the squared difference
        between the targets that lies along the attributes.
    baseline
        How unusual that alignment is among comparable word sets; see `Baseline`. None if it was
        not asked for.
    p_rotation
        The p-value of the rotational null: how often a random direction is aligned so well.
    p_holm, p_bh
        `p` corrected for all tests of a result set; set by `Results.correct`.
    associations
        s(w, A, B) of every target, in the order of `words`.
    intervals
        Confidence intervals of the effect. The first, which every result has unless the words of
        each set do not differ, is over other target words; if asked for, there follow one over
        other words in all four sets, and the BCa bootstrap.
    influence
        What dropping each single word does, if asked for.
    anisotropy
        The effect without the mean and the top two components of a sample of the vocabulary;
        None without a baseline, which draws the sample.

    The other attributes are those of every `Measurement`.
    """

    measure: ClassVar[str] = "weat"
    chart: ClassVar[str] = "tests"
    decimals: ClassVar[int] = 2
    section: ClassVar[Section] = "words"
    main_name: ClassVar[str] = "effect"
    possible_evidence: ClassVar[tuple[str, ...]] = (
        "p",
        "interval",
        "leave-one-out",
        "seed choices",
        "frequency control",
        "anisotropy control",
    )

    effect: float | None = None
    statistic: float | None = None
    p: PValue | None = None
    p_two_sided: PValue | None = None
    cosine: float | None = None
    baseline: Baseline | None = None
    p_rotation: PValue | None = None
    p_holm: float | None = None
    p_bh: float | None = None
    associations: dict[str, tuple[float, ...]] = field(default_factory=dict)
    intervals: tuple[Interval, ...] = ()
    influence: tuple[Influence, ...] = ()
    anisotropy: ControlledValue | None = None

    @property
    def max_value(self) -> float | None:
        return max_effect(self.n.get("X", 0), self.n.get("Y", 0), self.options.get("ddof", 1))

    # The names that `MeasureResult` has, so that code for any measure also takes this one.
    @property
    def value(self) -> float | None:
        """The effect."""
        return self.effect

    @property
    def by_word(self) -> dict[str, tuple[float, ...]]:
        """The associations."""
        return self.associations

    @property
    def columns(self) -> dict[str, dict[str, tuple[float, ...]]]:
        """Other numbers of each word; there are none."""
        return {}

    @property
    def shared(self) -> float | None:
        """The share of the squared difference between X and Y along the attributes, cosine²."""
        return None if self.cosine is None else self.cosine**2

    @property
    def p_baseline(self) -> float | None:
        """The p-value of the baseline, matched as far as the vocabulary allows."""
        return self.baseline.p.value if self.baseline and self.baseline.p else None

    @property
    def details(self) -> dict[str, float]:
        """Other numbers of the whole test."""
        numbers = {"statistic": self.statistic, "cosine": self.cosine, "cosine²": self.shared}
        return {name: value for name, value in numbers.items() if value is not None}

    @property
    def p_value(self) -> float | None:
        return self.p.value if self.p else None

    @classmethod
    def _from_fields(cls, record: dict[str, Any]) -> Self:
        result = super()._from_fields(record)
        if result.is_done and not {"X", "Y"} <= result.associations.keys():
            raise ValueError("a result of this test has associations of X and of Y")
        return result

    @property
    def p_two_sided_value(self) -> float | None:
        if self.p_two_sided is not None or self.p is None:
            return self.p_two_sided.value if self.p_two_sided else None
        targets = self.associations["X"], self.associations["Y"]
        return two_sided_ps([targets], [self.p])[0].value  # a result of an older version

    def ranked(self, name: str = "X") -> tuple[tuple[str, float], ...]:
        """Return the words of a set with their associations, the largest first."""
        return rank_words(self.words, self.associations, name)

    def claim(self) -> str:
        return association_claim(self)

    def subject(self) -> str:
        return association_subject(self)

    def target_associations(self) -> dict[str, tuple[float, ...]]:
        return self.associations

    def power_at(
        self, alpha: float, power: float = 0.8, alternative: Alternative | None = None
    ) -> Power | None:
        if self.p is None:
            return None
        x, y = self.associations["X"], self.associations["Y"]
        spreads = float(np.std(x, ddof=1)), float(np.std(y, ddof=1))
        return effect_power(
            len(x),
            len(y),
            alpha=alpha,
            power=power,
            alternative=alternative or self.finding_alternative,
            spreads=spreads if max(spreads) > MIN_SPREAD else None,
        )

    def measure_columns(self) -> dict[str, Any]:
        return {
            **interval_columns(self.main_interval),
            "statistic": self.statistic,
            "p_low": self.p.low if self.p else None,
            "p_high": self.p.high if self.p else None,
            "p_method": self.p.method if self.p else None,
            "p_two_sided": self.p_two_sided.value if self.p_two_sided else None,
            "cosine": self.cosine,
            **baseline_columns(self.baseline),
            **anisotropy_columns(self.anisotropy),
            "p_rotation": self.p_rotation.value if self.p_rotation else None,
            "p_holm": self.p_holm,
            "p_bh": self.p_bh,
            "published_effect": (self.published or {}).get("effect"),
        }


@each_test(Test)
def weat(
    source: Source,
    test: Test,
    *,
    alternative: Alternative | None = None,
    method: PermutationMethod = "auto",
    ddof: int = 1,
    case: Case = "auto",
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    rng: int = 0,
    intervals: bool = False,
    influence: bool = False,
    baseline: bool = True,
    control: Controls | None = None,
    workers: int | None = None,
) -> WeatResult:
    """Run a word embedding association test, or several.

    Parameters
    ----------
    source
        Any source: see `as_source`. Of a file, only the rows of the test are read. An encoder
        encodes each word on its own. For a table, there is no rotation, baseline or control.
    test
        An association test, or its id in the catalogue. Several tests, a pattern such as
        ``"weat*"``, or a file of your own give a result set, corrected over its tests.
    alternative
        ``greater`` (X with A and Y with B), ``less`` or ``two-sided`` (twice the smaller tail, at
        most 1). By default ``greater`` for published tests, as the paper tests, and ``two-sided``
        for others. A direction that you give here is a declared one: the finding then uses the
        one-sided p-value; otherwise it uses the two-sided one.
    method
        How the permutation p-value is computed; see `weatherglass.significance.permutation_p`.
    ddof
        1 for the unbiased standard deviation in the effect, which the paper uses; 0 to compare
        with packages that use the biased one.
    case
        ``auto`` falls back to lower case where the vocabulary has no capitals; ``keep``; ``lower``.
    max_missing
        The largest share of a set's words that may be missing.
    allow_overlap
        Run a test in which a word is both target and attribute. Its cosine with itself is 1,
        whatever the embedding, and counts as association; without this option the test is not run.
    rng
        Random seed, for ``sample`` and ``normal`` p-values, bootstrap intervals and the baseline.
    intervals
        Also compute the confidence interval over other words in all four sets, and that of the BCa
        bootstrap over other targets. The interval over other targets is computed in any case.
    influence
        Also drop each single word in turn, and give effect and p-value without it.
    baseline
        Also compare the alignment with that of 9,999 comparable word sets of the same vocabulary,
        and compute `anisotropy`. The vectors must be a whole embedding, or words that were opened
        with a sample of it (``open_vectors(source, words=words, sample=True)``).
    control
        Also measure on controlled vectors, into `controls`: a method of `weatherglass.control`,
        the pair that it returned for the vectors, or a list of these, such as ``["frequency",
        "top:2"]``. The effect and p-value of the result itself do not change. The vectors must be
        a whole embedding, unless the control was computed from one.
    workers
        Threads; all processors by default.

    Returns
    -------
    WeatResult
        With status ``"not run"`` and the reason where the words do not allow the measurement; for
        several tests `Results`.

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
    >>> insects = wg.Test(x=["rose", "lily"], y=["wasp", "gnat"], a=["kind"], b=["foul"])
    >>> result = wg.weat(vectors, insects)
    >>> round(result.effect, 2), result.p.fraction
    (1.73, '2/6')
    """
    options: dict[str, Any] = {
        **choose_alternative(test, alternative),
        "method": method,
        "ddof": ddof,
        "case": case,
        "max_missing": max_missing,
        "allow_overlap": allow_overlap,
        "rng": rng,
    }
    needed = None if needs_all_rows(control) else test.sets.values()
    vectors = open_embedding(source, needed, case, sample=baseline, workers=workers)
    result = _measure(vectors, test, options, workers, intervals, influence, baseline)

    def again(rows: Embedding) -> WeatResult:
        return _measure(rows, test, options, workers)

    result = with_documents(result, vectors, test.sets, again)
    return with_controls(result, vectors, control, test.sets, again)


def _measure(
    vectors: Embedding,
    test: DescribedTest,
    options: dict[str, Any],
    workers: int | None,
    intervals: bool = False,
    influence: bool = False,
    baseline: bool = False,
) -> WeatResult:
    alternative, ddof, rng = options["alternative"], options["ddof"], options["rng"]
    if ddof not in (0, 1):
        raise UsageError(f"ddof is {ddof!r}; it must be 0 or 1.")
    found, reason = find_sets(vectors, test.sets, options["case"], options["allow_overlap"])
    about = describe_test(test, *split_found(found), describe_source(vectors), options)
    about["merged"] = {name: words.merged for name, words in found.items() if words.merged}
    reason = reason or too_few_reason(
        about["words"], about["missing"], MIN_WORDS, options["max_missing"]
    )
    if reason:
        reason += case_hint(vectors, about["missing"], options["case"])
        return WeatResult(status="not run", reason=reason, **about)
    tables = cosine_tables(found)
    x, y = mean_differences(tables).values()
    scale = value_scale(tables.values()) if isinstance(vectors, AssociationTable) else 1.0
    about["associations"] = {"X": tuple(x.tolist()), "Y": tuple(y.tolist())}
    if spread(x, y, ddof) <= scale * MIN_SPREAD:
        reason = "all targets have the same association, so the effect has no scale"
        return WeatResult(status="not run", reason=reason, **about)
    try:
        settings: dict[str, Any] = {"rng": rng, "workers": workers, "resolution": scale * NOISE}
        settings["method"] = options["method"]
        p = permutation_p(x, y, alternative=alternative, **settings)
        both = two_sided(p, lambda: permutation_p(x, y, alternative="two-sided", **settings))
    except CannotMeasure as error:  # more targets than the chosen method can count
        return WeatResult(status="not run", reason=str(error).rstrip("."), **about)
    return WeatResult(
        status="done",
        effect=(size := effect(x, y, ddof)),
        statistic=float((len(x) + len(y)) / 2 * (x.mean() - y.mean())),
        p=p,
        p_two_sided=both,
        intervals=effect_intervals(x, y, ddof, rng, tables if intervals else None),
        influence=leave_one_out(found, ddof, alternative) if influence else (),
        **_geometry(vectors, found, size, options, baseline),
        **about,
    )


def _geometry(
    vectors: Embedding,
    found: Mapping[str, FoundSet],
    size: float,
    options: Mapping[str, Any],
    baseline: bool,
) -> dict[str, Any]:
    """Return the fields that need vectors: a table has values, but no directions."""
    if isinstance(vectors, AssociationTable):
        return {"baseline": Baseline(reason=NOT_FOR_TABLES)} if baseline else {}
    alternative, cosine = options["alternative"], alignment(found)
    fields = {"cosine": cosine, "p_rotation": _rotation(found, alternative)}
    if not baseline:
        return fields
    return fields | {
        "baseline": measure_baseline(vectors, found, cosine, options["rng"]),
        "anisotropy": anisotropy_control(vectors, found, size, alternative, options["ddof"]),
    }


def _rotation(found: Mapping[str, FoundSet], alternative: Alternative) -> PValue | None:
    """Return the rotation p-value; None if a difference of means is zero and has no direction."""
    u, v = set_differences(found)
    return rotation_p(u, v, alternative=alternative) if u.any() and v.any() else None


def _measure_sets(
    vectors: Embedding,
    test: DescribedTest,
    case: Case,
    max_missing: float,
    allow_overlap: bool,
    *,
    alternative: str = "two-sided",
    method: str = "auto",
    ddof: int = 1,
    rng: int = 0,
    intervals: bool = False,
    influence: bool = False,
    baseline: bool = True,
) -> WeatResult:
    """Run the test; the keyword arguments are the options of `weatherglass.measure`."""
    options: dict[str, Any] = {
        **choose_alternative(test, cast(Alternative, alternative)),
        "method": method,
        "ddof": ddof,
        "case": case,
        "max_missing": max_missing,
        "allow_overlap": allow_overlap,
        "rng": rng,
    }
    return _measure(vectors, test, options, None, intervals, influence, baseline)


@dataclass(frozen=True, eq=False, kw_only=True)
class _AssociationTest(Measure):
    """WEAT as a measure of word sets: it computes a `WeatResult` itself."""

    compute: Callable[..., WeatResult] = field(repr=False, default=_measure_sets)

    def __call__(
        self,
        vectors: Embedding,
        sets: Sets,
        *,
        test: str = "",
        title: str = "",
        case: Case = "auto",
        max_missing: float = 0.2,
        allow_overlap: bool = False,
        **options: Any,
    ) -> WeatResult:
        checked = self.check_sets(sets)
        entry = MeasuredTest(test or self.name, title or self.title, checked)
        settings = self.check_options(options)
        return self.compute(vectors, entry, case, max_missing, allow_overlap, **settings)


WEAT = _AssociationTest(
    name="weat",
    title="Word embedding association test",
    needs=(
        RequiredSet("X", MIN_WORDS["X"], "words of the first target set"),
        RequiredSet("Y", MIN_WORDS["Y"], "words of the second target set"),
        RequiredSet("A", MIN_WORDS["A"], "words of the first attribute set"),
        RequiredSet("B", MIN_WORDS["B"], "words of the second attribute set"),
    ),
    reading="How much more strongly X than Y is associated with A rather than B, in standard "
    "deviations of the associations: above zero X with A and Y with B, and within 2 of it for sets "
    "of equal size (n words against m: within the root of N(N - 1) / nm, with N = n + m).",
    low=None,
    high=None,
    neutral=0,
    larger="either",
    citation="A. Caliskan, J. J. Bryson, A. Narayanan (2017). Semantics derived automatically from "
    "language corpora contain human-like biases. Science 356, 183-186.",
    doi="10.1126/science.aal4230",
    for_tables=True,
)
