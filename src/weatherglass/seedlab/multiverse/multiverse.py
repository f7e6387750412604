"""The multiverse: a test under every documented choice of seed words."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from weatherglass.catalog import SeedSet, Test
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.measures import NOISE, association_test, describe_source
from weatherglass.significance import Alternative, PValue, batch_permutation_p
from weatherglass.tasks import Workers, executor, run
from weatherglass.vectors import Case, Vectors, check_case

from .alternatives import alternatives
from .candidates import Placed, Placement, draw_subsamples, explain_nothing_left, place_candidates
from .result import Choice, Multiverse, Specification
from .specifications import Associations, correct_p_values, measure_specifications, summarise

MAX_SPECIFICATIONS = 1_000_000  # specifications, about 2 kB each


def multiverse(
    vectors: Vectors,
    test: Test | str,
    *,
    concepts: Mapping[str, str | Sequence[str]] | None = None,
    own: Mapping[str, Sequence[SeedSet]] | None = None,
    cross: bool = False,
    samples: int = 100,
    share: float = 0.75,
    alternative: Alternative = "greater",
    alpha: float = 0.05,
    ddof: int = 1,
    case: Case = "auto",
    max_missing: float = 0.2,
    rng: int = 0,
    workers: int | Workers | None = None,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Multiverse:
    """Run an association test under every documented choice of seed sets.

    Parameters
    ----------
    vectors
        The embedding.
    test
        An association test of words, or its id in the catalogue.
    concepts
        What a side stands for, such as ``{"X": "female"}``; several concepts as a list, none as an
        empty one. Otherwise the concept of the seed set that has its words, and, where that is a
        group of people by their names or by terms for them, both.
    own
        Seed sets of your own for a side, such as ``{"X": wg.load_seeds("mine.yaml")}``. Those of
        two facing sides go together one by one; those of one side go with the test's own set.
    cross
        Combine every set of a side with every set of the side it faces. Otherwise only sets that a
        study holds against each other are used together.
    samples, share
        How many random sub-samples of every choice are run besides the whole sets, and the share of
        its words that each has (rounded up). Words that answer each other are drawn together.
    alternative, ddof, case, max_missing
        As in `weatherglass.weat`.
    alpha
        The level of what is called significant, after correction.
    rng
        The seed of the sub-samples.
    workers
        Threads; all processors by default. The result does not depend on their number.
    cluster
        Find p-values on the workers of a Dask cluster instead: the address of its scheduler, such
        as ``tcp://host:8786``, or ``local``.
    progress
        Called with the specifications done and those in all.

    Returns
    -------
    Multiverse

    Raises
    ------
    UsageError
        If no side is known to the seed catalogue, or an option is wrong, or there would be more
        than a million specifications.
    CannotMeasure
        If nothing is left after sets were dropped.

    Notes
    -----
    Sets are dropped, with the reason, where too many of their words are missing, where they share
    words with the side they face, and where a target is also an attribute. Sets with the same words
    in this source count once.

    P-values are corrected over the choices of whole sets, and within each sub-sample over the same
    choices. Holm's correction holds under any dependence, and the specifications do depend on each
    other, since they share words; Benjamini and Hochberg's asks that they depend positively.
    Sub-samples are not further questions, so they do not make the correction stricter.

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
    >>> found = wg.multiverse(wg.open_vectors("default"), "weat7", samples=10)
    >>> len(found.whole), len(found.specifications)
    (18, 198)
    >>> found.summary.same_sign["whole"]
    Part(count=18, of=18)
    """
    test = association_test(test)
    _check(samples, share, alpha, ddof)
    check_case(case)
    given = {
        side: [name] if isinstance(name, str) else list(name)
        for side, name in (concepts or {}).items()
    }
    asked = alternatives(test, concepts=given, own=own, cross=cross)
    found = place_candidates(asked, vectors, case, max_missing)
    combinations = sum(1 for _ in found.combinations())
    if not combinations:
        raise CannotMeasure(explain_nothing_left(asked, found.dropped))
    if combinations * (1 + samples) > MAX_SPECIFICATIONS:
        raise UsageError(
            f"{combinations:,} choices with {samples:,} sub-samples each are "
            f"{combinations * (1 + samples):,} specifications; at most {MAX_SPECIFICATIONS:,} are held at once. "
            "Take fewer sub-samples."
        )
    found = _drawn(found, samples, share, rng)
    every, flat = measure_specifications(found, ddof)
    if not every:
        raise CannotMeasure(explain_nothing_left(asked, flat))
    with executor(workers, cluster, threads=True) as team:
        p = batch_permutation_p(
            [(one.x, one.y) for one in every],
            alternative=alternative,
            resolution=NOISE,
            map_chunks=lambda call, chunks: run(call, chunks, team),
            progress=progress,
        )
    made = _specifications(every, p)
    factors = tuple(tuple(one.choice for one in factor) for factor in found.factors)
    documented = _documented(made, factors)
    return Multiverse(
        test=test.id,
        title=test.title,
        sides=asked.sides,
        factors=factors,
        specifications=made,
        documented=documented,
        summary=summarise(made, factors, documented, alpha),
        dropped=(*found.dropped, *flat),
        notes=asked.notes,
        source=describe_source(vectors),
        options={
            "concepts": given,
            "own": {side: [one.id for one in some] for side, some in (own or {}).items()},
            "cross": cross,
            "samples": samples,
            "share": share,
            "alternative": alternative,
            "alpha": alpha,
            "ddof": ddof,
            "case": case,
            "max_missing": max_missing,
            "rng": rng,
        },
    )


def _check(samples: int, share: float, alpha: float, ddof: int) -> None:
    if samples < 0:
        raise UsageError(f"samples is {samples}; it must be 0 or more.")
    if not 0 < share < 1:
        raise UsageError(f"share is {share}; it must be above 0 and below 1.")
    if not 0 < alpha < 1:
        raise UsageError(f"alpha is {alpha}; it must be above 0 and below 1.")
    if ddof not in (0, 1):
        raise UsageError(f"ddof is {ddof!r}; it must be 0 or 1.")


def _drawn(found: Placement, samples: int, share: float, rng: int) -> Placement:
    """The same choices with their sub-samples."""

    def with_samples(one: Placed) -> Placed:
        drawn = draw_subsamples(one.units, one.choice.sets, samples, share, rng) if samples else ()
        return dataclasses.replace(one, choice=dataclasses.replace(one.choice, samples=drawn))

    factors = tuple(tuple(map(with_samples, factor)) for factor in found.factors)
    return dataclasses.replace(found, factors=factors)


def _specifications(
    every: Sequence[Associations], p: Sequence[PValue]
) -> tuple[Specification, ...]:
    by_holm, by_bh = correct_p_values(
        np.array([one.value for one in p]), np.array([one.sample for one in every])
    )
    return tuple(
        Specification(one.sets, one.sample, one.n, one.effect, one.statistic, *ps)
        for one, *ps in zip(every, p, by_holm.tolist(), by_bh.tolist(), strict=True)
    )


def _documented(made: Sequence[Specification], factors: Sequence[Sequence[Choice]]) -> int | None:
    """The place of the test's own sets, if this source allows them."""
    own: dict[str, str] = {}
    for factor in factors:
        own |= next((one.sets for one in factor if one.documented), {})
    places = (k for k, one in enumerate(made) if one.sample == 0 and one.sets == own)
    return next(places, None)
