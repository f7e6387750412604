"""`multiverse`: run a test under every documented choice of seed words."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np

from weatherglass.catalog import SeedSet, Test
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.measures import (
    NOISE,
    AssociationTable,
    Embedding,
    Source,
    choose_alternative,
    describe_source,
    each_test_in_tuple,
    open_embedding,
    value_scale,
)
from weatherglass.significance import Alternative, PValue, batch_permutation_p
from weatherglass.tasks import Workers, executor, run
from weatherglass.vectors import Case, check_case

from .alternatives import Alternatives, alternatives
from .candidates import Placed, Placement, draw_subsamples, explain_nothing_left, place_candidates
from .result import Choice, Multiverse, Specification
from .specifications import Associations, correct_p_values, measure_specifications, summarise

MAX_SPECIFICATIONS = 1_000_000  # held in memory at once, about 2 kB each


@each_test_in_tuple(Test)
def multiverse(
    source: Source,
    test: Test,
    *,
    concepts: Mapping[str, str | Sequence[str]] | None = None,
    own: Mapping[str, Sequence[SeedSet]] | None = None,
    cross: bool = False,
    samples: int = 100,
    share: float = 0.75,
    alternative: Alternative | None = None,
    alpha: float = 0.05,
    ddof: int = 1,
    case: Case = "auto",
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    rng: int = 0,
    workers: int | Workers | None = None,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Multiverse:
    """Run an association test under every documented choice of seed sets.

    Parameters
    ----------
    source
        Any source: see `as_source`. Of a file, only the rows of the seed sets are read. A table
        must have a value for each pair of its words; the choices are those whose words it has.
    test
        An association test of words, or its id in the catalogue; or several tests, a pattern or a
        file, as for `weatherglass.weat`.
    concepts
        The concept of a side, such as ``{"X": "female"}``; a list for several, an empty list for
        none. By default the concept of the seed set that has its words; for a group of people, both
        their names and the terms for them.
    own
        Seed sets of your own for a side, such as ``{"X": wg.load_seeds("mine.yaml")}``. Those of
        two facing sides are paired in order; those of a single side are paired with the test's own
        set.
    cross
        Combine every set of a side with every set of the facing side. By default only sets that a
        study contrasts are used together.
    samples, share
        The number of random sub-samples of every choice, in addition to the whole sets, and the
        share of the words that each has (rounded up). Corresponding words are drawn together.
    alternative, ddof, case, max_missing, allow_overlap
        As in `weatherglass.weat`.
    alpha
        The significance level, after correction.
    rng
        Random seed of the sub-samples.
    workers
        The number of threads; all processors by default. The result does not depend on it.
    cluster
        Compute p-values on the workers of a Dask cluster instead: the address of its scheduler,
        such as ``tcp://host:8786``, or ``local``.
    progress
        Called with the number of specifications done and in total.

    Returns
    -------
    Multiverse
        For several tests a tuple of them.

    Raises
    ------
    UsageError
        The seed catalogue knows no side, an option is wrong, or there would be more than a million
        specifications.
    CannotMeasure
        No choice is left after sets were dropped.

    Notes
    -----
    Sets are dropped, with a reason, if too many of their words are missing, if they share words
    with the facing side, or if a target is also an attribute. Sets with the same words in this
    source count once.

    P-values are corrected over the choices of whole sets, and within each sub-sample over the same
    choices. The specifications share words, so they are dependent: Holm's correction is valid under
    any dependence, that of Benjamini and Hochberg under positive dependence. Sub-samples are not
    further hypotheses, so they do not make the correction stricter.

    References
    ----------
    .. [1] M. Antoniak, D. Mimno (2021). Bad seeds: evaluating lexical methods for bias measurement.
       ACL.
    .. [2] S. Steegen, F. Tuerlinckx, A. Gelman, W. Vanpaemel (2016). Increasing transparency
       through a multiverse analysis. Perspectives on Psychological Science 11, 702-712.
    .. [3] U. Simonsohn, J. P. Simmons, L. D. Nelson (2020). Specification curve analysis. Nature
       Human Behaviour 4, 1208-1214.

    Examples
    --------
    >>> import weatherglass as wg
    >>> result = wg.multiverse(wg.open_vectors("default"), "weat7", samples=10)
    >>> len(result.whole), len(result.specifications)
    (18, 198)
    >>> result.summary.same_sign["whole"]
    Part(count=18, of=18)
    """
    alternative = cast(Alternative, choose_alternative(test, alternative)["alternative"])
    _check_options(samples, share, alpha, ddof)
    check_case(case)
    by_side = {
        side: [name] if isinstance(name, str) else list(name)
        for side, name in (concepts or {}).items()
    }
    candidates = alternatives(test, concepts=by_side, own=own, cross=cross)
    vectors = open_embedding(source, candidates.sets(), case)
    placement = _place(candidates, vectors, case, max_missing, allow_overlap, samples)
    placement = _add_samples(placement, samples, share, rng)
    scale = value_scale([vectors.values]) if isinstance(vectors, AssociationTable) else 1.0
    measured, no_effect = measure_specifications(placement, ddof, scale)
    if not measured:
        raise CannotMeasure(explain_nothing_left(candidates, no_effect))
    p_values = _compute_p_values(measured, alternative, scale, workers, cluster, progress)
    specifications = _to_specifications(measured, p_values)
    factors = tuple(tuple(placed.choice for placed in factor) for factor in placement.factors)
    documented = _find_documented(specifications, factors)
    return Multiverse(
        test=test.id,
        title=test.title,
        sides=candidates.sides,
        factors=factors,
        specifications=specifications,
        documented=documented,
        summary=summarise(specifications, factors, documented, alpha),
        dropped=(*placement.dropped, *no_effect),
        notes=candidates.notes,
        source=describe_source(vectors),
        options={
            "concepts": by_side,
            "own": {side: [seeds.id for seeds in sets] for side, sets in (own or {}).items()},
            "cross": cross,
            "samples": samples,
            "share": share,
            "alternative": alternative,
            "alpha": alpha,
            "ddof": ddof,
            "case": case,
            "max_missing": max_missing,
            "allow_overlap": allow_overlap,
            "rng": rng,
        },
    )


def _check_options(samples: int, share: float, alpha: float, ddof: int) -> None:
    if samples < 0:
        raise UsageError(f"samples is {samples}; it must be 0 or more.")
    if not 0 < share < 1:
        raise UsageError(f"share is {share}; it must be above 0 and below 1.")
    if not 0 < alpha < 1:
        raise UsageError(f"alpha is {alpha}; it must be above 0 and below 1.")
    if ddof not in (0, 1):
        raise UsageError(f"ddof is {ddof!r}; it must be 0 or 1.")


def _place(
    candidates: Alternatives,
    vectors: Embedding,
    case: Case,
    max_missing: float,
    allow_overlap: bool,
    samples: int,
) -> Placement:
    """Look up the candidates; refuse if no combination is left, or too many."""
    if isinstance(vectors, AssociationTable) and (
        reason := vectors.gap_reason(vectors.rows, vectors.columns)
    ):
        raise CannotMeasure(f"{reason}; a multiverse needs a value for each pair.")
    placement = place_candidates(candidates, vectors, case, max_missing, allow_overlap)
    combinations = sum(1 for _ in placement.combinations())
    if not combinations:
        raise CannotMeasure(explain_nothing_left(candidates, placement.dropped))
    total = combinations * (1 + samples)
    if total > MAX_SPECIFICATIONS:
        raise UsageError(
            f"{combinations:,} choices with {samples:,} sub-samples each are {total:,} "
            f"specifications, more than the maximum of {MAX_SPECIFICATIONS:,}. Use fewer "
            "sub-samples."
        )
    return placement


def _add_samples(placement: Placement, samples: int, share: float, rng: int) -> Placement:
    """Return the same choices with their sub-samples."""

    def add(placed: Placed) -> Placed:
        choice = placed.choice
        drawn = draw_subsamples(placed.units, choice.sets, samples, share, rng) if samples else ()
        return dataclasses.replace(placed, choice=dataclasses.replace(choice, samples=drawn))

    factors = tuple(tuple(map(add, factor)) for factor in placement.factors)
    return dataclasses.replace(placement, factors=factors)


def _compute_p_values(
    measured: Sequence[Associations],
    alternative: Alternative,
    scale: float,
    workers: int | Workers | None,
    cluster: str | None,
    progress: Callable[[int, int], None] | None,
) -> Sequence[PValue]:
    with executor(workers, cluster, threads=True) as pool:
        return batch_permutation_p(
            [(associations.x, associations.y) for associations in measured],
            alternative=alternative,
            resolution=scale * NOISE,
            map_chunks=lambda call, chunks: run(call, chunks, pool),
            progress=progress,
        )


def _to_specifications(
    measured: Sequence[Associations], p_values: Sequence[PValue]
) -> tuple[Specification, ...]:
    p_holm, p_bh = correct_p_values(
        np.array([p.value for p in p_values]),
        np.array([associations.sample for associations in measured]),
    )
    return tuple(
        Specification(a.sets, a.sample, a.n, a.effect, a.statistic, p, holm, bh)
        for a, p, holm, bh in zip(measured, p_values, p_holm.tolist(), p_bh.tolist(), strict=True)
    )


def _find_documented(
    specifications: Sequence[Specification], factors: Sequence[Sequence[Choice]]
) -> int | None:
    """Return the index of the test's own sets; None if this source does not allow them."""
    own: dict[str, str] = {}
    for factor in factors:
        own |= next((choice.sets for choice in factor if choice.documented), {})
    indices = (
        k
        for k, specification in enumerate(specifications)
        if specification.sample == 0 and specification.sets == own
    )
    return next(indices, None)
