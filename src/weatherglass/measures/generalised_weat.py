"""The generalised WEAT: any number of groups, of any sizes (Swinger et al. 2019, section 2.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from weatherglass.catalog import GroupsTest
from weatherglass.errors import CannotMeasure, UsageError, quote_safe
from weatherglass.significance import Alternative
from weatherglass.vectors import Case

from .alternatives import choose_alternative
from .association_table import AssociationTable, Embedding
from .controls import Controls, needs_all_rows, with_controls
from .definition import Measure, MeasuredTest, RequiredSet
from .embedding import Source, open_embedding
from .generalised_result import GeneralisedResult
from .group_effect import GroupScores, g_parts, min_words, pairwise_groups, split_sets
from .group_influence import leave_one_out_of_groups
from .measurement import DescribedTest, describe_source, describe_test
from .word_sets import (
    FoundSet,
    NamedWords,
    Sets,
    case_hint,
    find_sets,
    is_target_set,
    parse_sets,
    split_found,
    too_few_reason,
)


def generalised_weat(
    source: Source,
    test: GroupsTest | Sequence[tuple[Iterable[str], Iterable[str]]],
    *,
    all_names: Iterable[str] = (),
    all_words: Iterable[str] = (),
    alternative: Alternative | None = None,
    ddof: int = 1,
    case: Case = "auto",
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    rng: int = 0,
    influence: bool = False,
    control: Controls | None = None,
    workers: int | None = None,
) -> GeneralisedResult:
    """Test whether several groups of words are differently associated with attributes.

    Parameters
    ----------
    source
        Any source: see `as_source`. Of a file, only the rows of the groups are read. In a table,
        groups are rows and attributes are columns, and there is no control.
    test
        A test of three or more groups; or pairs (Xᵢ, Aᵢ) of the words of a group and the attributes
        that go with it, of which only g and the effect are computed.
    all_names, all_words
        𝒳 and 𝒜, which contain the groups and words; needed for a single pair only.
    alternative
        For as many attribute sets as groups: ``greater`` (each group with its own attributes),
        ``less`` or ``two-sided``, the default. One or two attribute sets have no direction.
    ddof
        1 for the unbiased standard deviation in the effect, or 0.
    case, max_missing, allow_overlap, control, workers
        As for `weat`.
    rng
        Random seed, where assignments are drawn.
    influence
        Also drop each single word in turn, and give effect and p-value without it, from 4,999
        drawn assignments.

    Returns
    -------
    GeneralisedResult
        With status ``"not run"`` and the reason where the words do not allow the measurement.

    Raises
    ------
    CannotMeasure
        A pair has no names or no words in the source, or a name is also a word.

    Notes
    -----
    *As many attribute sets as groups.* g = Σᵢ (X̄ᵢ − μ)·(Āᵢ − 𝒜̄), with means of unit vectors, and
    μ the mean of the X̄ᵢ, or 𝒳̄ for a single group. All groups weigh the same, whatever their size.
    For n groups 2g / (n − 1) is the mean, over all pairs of groups, of the numerator of WEAT,
    (X̄ᵢ − X̄ⱼ)·(Āᵢ − Āⱼ). The effect size divides it by the root mean square, over the same pairs, of
    the standard deviation of s(w, Aᵢ, Aⱼ) over all words.

    *One or two attribute sets.* With mᵢ the mean over group i of cos(w, A), or of s(w, A, B), the
    effect size is the root mean square of mᵢ − mⱼ over all pairs of groups, divided by the standard
    deviation over all words. It has no sign.

    For two groups both are the WEAT effect size (the second without its sign). The null hypothesis
    of the p-value is that words were assigned to groups at random; up to 100,000 assignments are
    counted, and of more 99,999 are drawn, so that p is at least 1e-5. The effect is not corrected
    for its bias: without a sign it is above zero under the null hypothesis, too. On controlled
    vectors, and without a word, an effect without a sign is given as negative if the groups change
    their order: if the covariance of their means, before and after, is negative.

    References
    ----------
    .. [1] N. Swinger, M. De-Arteaga, N. T. Heffernan IV, M. D. M. Leiserson, A. T. Kalai (2019).
       What are the biases in my word embedding? AIES, section 2.1.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.open_vectors("default")
    >>> jobs = wg.GroupsTest(
    ...     groups={"Care": ["nurse", "midwife", "nanny", "maid"],
    ...             "Office": ["secretary", "clerk", "typist", "cashier"],
    ...             "Trades": ["plumber", "mechanic", "carpenter", "welder"]},
    ...     attributes={"Female": ["she", "her", "woman"], "Male": ["he", "his", "man"]})
    >>> result = wg.generalised_weat(vectors, jobs)
    >>> len(result.pairs), result.p.method, result.p.value < 0.05
    (3, 'exact', True)
    """
    entry: DescribedTest = test if isinstance(test, GroupsTest) else _test_of_pairs(test)
    options: dict[str, Any] = {
        **choose_alternative(entry, alternative),
        "ddof": ddof,
        "case": case,
        "max_missing": max_missing,
        "allow_overlap": allow_overlap,
        "rng": rng,
    }
    if ddof not in (0, 1):
        raise UsageError(f"ddof is {ddof!r}; it must be 0 or 1.")
    if not isinstance(test, GroupsTest):
        universe = {"X": _check_words(all_names), "A": _check_words(all_words)}
        needed = [*entry.sets.values(), *universe.values()]
        return _measure_g(open_embedding(source, needed, case), entry, options, universe)
    groups, attributes = split_sets(entry.sets)
    if len(attributes) != len(groups) and options["alternative"] != "two-sided":
        raise UsageError(
            f"{entry.id} has no direction, because its groups share their attributes; leave out "
            "the alternative."
        )
    sets = None if needs_all_rows(control) else entry.sets.values()
    vectors = open_embedding(source, sets, case, workers=workers)
    result = measure_groups(vectors, entry, options, influence, workers)
    return with_controls(
        result,
        vectors,
        control,
        entry.sets,
        lambda rows: _oriented(measure_groups(rows, entry, options, False, workers), result),
    )


def _oriented(again: GeneralisedResult, before: GeneralisedResult) -> GeneralisedResult:
    """Return a result on controlled vectors, with a negative effect if groups changed their order.

    See `GroupScores.oriented_effect`.
    """
    if before.is_paired or again.effect is None:
        return again
    product = sum(part * again.parts[name] for name, part in before.parts.items())
    return replace(again, effect=-again.effect) if product < 0 else again


def measure_groups(
    vectors: Embedding,
    test: DescribedTest,
    options: dict[str, Any],
    influence: bool,
    workers: int | None,
) -> GeneralisedResult:
    """Test three or more groups; `test.sets` has X1, X2, … and one, two or as many attribute sets.

    The options are those of `generalised_weat`.
    """
    found, reason = find_sets(vectors, test.sets, options["case"], options["allow_overlap"])
    about = describe_test(test, *split_found(found), describe_source(vectors), options)
    about["merged"] = {name: words.merged for name, words in found.items() if words.merged}
    names, attributes = split_sets(test.sets)
    reason = reason or too_few_reason(
        about["words"], about["missing"], min_words(test.sets), options["max_missing"]
    )
    if reason:
        reason += case_hint(vectors, about["missing"], options["case"])
        return GeneralisedResult(status="not run", reason=reason, **about)
    rows = {name: words.rows for name, words in found.items()}
    scores = GroupScores.of(
        [rows[name] for name in names],
        [rows[name] for name in attributes],
        isinstance(vectors, AssociationTable),
    )
    numbers = scores.numbers(options["ddof"])
    if numbers.effect is None:
        reason = "all targets have the same association, so the effect has no scale"
        return GeneralisedResult(status="not run", reason=reason, **about)
    p = scores.p(options["alternative"], options["rng"])
    is_two_sided = options["alternative"] == "two-sided"
    return GeneralisedResult(
        status="done",
        effect=numbers.effect,
        g=numbers.g,
        difference=numbers.difference,
        parts=dict(zip(names, scores.parts().tolist(), strict=True)),
        p=p,
        p_two_sided=p if is_two_sided else scores.p("two-sided", options["rng"]),
        pairs=pairwise_groups(scores, names, options["ddof"], workers),
        associations={
            name: tuple(scores.group(k)[:, k if scores.is_paired else 0].tolist())
            for k, name in enumerate(names)
        },
        influence=leave_one_out_of_groups(found, options) if influence else (),
        **about,
    )


def _test_of_pairs(pairs: Sequence[tuple[Iterable[str], Iterable[str]]]) -> MeasuredTest:
    """Return pairs of names and words as a test."""
    if not pairs:
        raise UsageError("There is no group: give at least one pair of names and words.")
    sets: dict[str, NamedWords] = {}
    for letter, side in (("X", 0), ("A", 1)):
        for number, pair in enumerate(pairs, 1):
            listed = list(pair[side])
            if not all(isinstance(word, str) for word in listed):
                raise UsageError(f"{quote_safe(str(listed[:3]))} are no words.")
            label = f"group {number}" if letter == "X" else f"words of group {number}"
            sets[f"{letter}{number}"] = NamedWords(tuple(dict.fromkeys(listed)), label)
    return MeasuredTest("groups", "Generalised WEAT", sets)


def _check_words(words: Iterable[str]) -> NamedWords:
    listed = tuple(words)
    if not all(isinstance(word, str) for word in listed):
        raise UsageError(f"{quote_safe(str(list(listed[:3])))} are no words.")
    return NamedWords(tuple(dict.fromkeys(listed)))


def _check_gaps(table: AssociationTable, found: Sequence[Mapping[str, FoundSet]]) -> None:
    """Raise `CannotMeasure` where the table has no value for a name with a word."""
    names: list[str] = []
    words: list[str] = []
    for sets in found:
        for name, word_set in sets.items():
            (names if is_target_set(name) else words).extend(word_set.words)
    if reason := table.gap_reason(names, words):
        raise CannotMeasure(f"{reason}.")


def _measure_g(
    vectors: Embedding,
    test: DescribedTest,
    options: dict[str, Any],
    universe: Mapping[str, NamedWords],
) -> GeneralisedResult:
    """Return g of any number of groups, which may share words, without a test."""
    found, _ = find_sets(vectors, test.sets, options["case"], allow_overlap=True)
    whole, _ = find_sets(vectors, universe, options["case"], allow_overlap=True)
    names, attributes = split_sets(test.sets)
    if len(names) == 1 and not all(len(words.words) for words in whole.values()):
        raise UsageError("A single group is compared with all names and words: give both.")
    for number, pair in enumerate(zip(names, attributes, strict=True), 1):
        if not all(found[name].words for name in pair):
            raise CannotMeasure(f"Group {number} has no names or no words in {vectors.source}.")
    if isinstance(vectors, AssociationTable):
        _check_gaps(vectors, (found, whole))
    if not options["allow_overlap"] and (reason := _overlap_reason(found, names, attributes)):
        raise CannotMeasure(f"{reason}.")
    means = {name: words.rows.mean(axis=0) for name, words in found.items()}
    parts = g_parts(
        [means[name] for name in names],
        [means[name] for name in attributes],
        *(words.rows.mean(axis=0) if len(words.rows) else None for words in whole.values()),
    )
    scores = GroupScores.of(
        [found[name].rows for name in names],
        [found[name].rows for name in attributes],
        isinstance(vectors, AssociationTable),
    )
    numbers = scores.numbers(options["ddof"]) if len(names) > 1 else None
    return GeneralisedResult(
        status="done",
        effect=numbers.effect if numbers else None,
        g=float(parts.sum()),
        difference=numbers.difference if numbers else None,
        parts=dict(zip(names, parts.tolist(), strict=True)),
        associations={
            name: tuple(scores.group(k)[:, k if scores.is_paired else 0].tolist())
            for k, name in enumerate(names)
        },
        **describe_test(test, *split_found(found), describe_source(vectors), options),
    )


def _overlap_reason(
    found: Mapping[str, FoundSet], names: Sequence[str], attributes: Sequence[str]
) -> str:
    """Return which word is a name in one group and a word in any; empty if none is."""
    words = {word for name in attributes for word in found[name].words}
    shared = [word for name in names for word in found[name].words if word in words]
    if not shared:
        return ""
    return (
        f"{quote_safe(shared[0])} is both a name and a word of the groups, so that its product "
        "with itself would be part of the statistic (allow_overlap=True accepts it)"
    )


def _measure_sets(
    vectors: Embedding,
    test: DescribedTest,
    case: Case,
    max_missing: float,
    allow_overlap: bool,
    *,
    alternative: str = "two-sided",
    ddof: int = 1,
    rng: int = 0,
    influence: bool = False,
) -> GeneralisedResult:
    """Test several groups; the keyword arguments are the options of `weatherglass.measure`."""
    chosen = GroupsTest(
        id=test.id,
        title=test.title,
        groups=[_as_set(test.sets[name], name) for name in split_sets(test.sets)[0]],
        attributes=[_as_set(test.sets[name], name) for name in split_sets(test.sets)[1]],
    )
    return generalised_weat(
        vectors,
        chosen,
        alternative=None if alternative == "two-sided" else alternative,  # type: ignore[arg-type]
        ddof=ddof,
        case=case,
        max_missing=max_missing,
        allow_overlap=allow_overlap,
        rng=rng,
        influence=influence,
    )


def _as_set(words: Any, name: str) -> dict[str, Any]:
    return {"label": words.label or name, "words": words.words}


@dataclass(frozen=True, eq=False, kw_only=True)
class _GroupsMeasure(Measure):
    """The generalised WEAT as a measure of word sets: it computes a `GeneralisedResult`."""

    compute: Callable[..., GeneralisedResult] = field(repr=False, default=_measure_sets)

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
    ) -> GeneralisedResult:
        entry = MeasuredTest(test or self.name, title or self.title, self.check_sets(sets))
        settings = self.check_options(options)
        return self.compute(vectors, entry, case, max_missing, allow_overlap, **settings)

    def check_sets(self, given: Sets) -> dict[str, NamedWords]:
        """Return the groups X1, X2, … and the attribute sets; raise `UsageError` on others."""
        sets = parse_sets(given)
        for need in self.needs:
            if need.name not in sets and not (need.name == "A" and "A1" in sets):
                raise UsageError(
                    f"{self.name} needs the set {need.name}: {need.meaning}. It takes X1, X2, X3, "
                    "…, and A, A and B, or A1, A2, A3, …"
                )
        n = sum(name.startswith("X") for name in sets)
        groups = [f"X{number}" for number in range(1, n + 1)]
        shared = ["A", "B"] if "B" in sets else ["A"]
        attributes = [f"A{number}" for number in range(1, n + 1)] if "A1" in sets else shared
        if set(sets) != {*groups, *attributes}:
            wrong = sorted({*sets} ^ {*groups, *attributes})[0]
            problem = "has no set" if wrong in sets else "needs the set"
            raise UsageError(
                f"{self.name} {problem} {quote_safe(wrong)}; for {n} groups it takes X1 to X{n}, "
                f"and A, A and B, or A1 to A{n}."
            )
        return {name: sets[name] for name in (*groups, *attributes)}


GENERALISED_WEAT = _GroupsMeasure(
    name="generalised-weat",
    title="Generalised WEAT",
    needs=(
        *(RequiredSet(f"X{k}", 2, f"words of group {k}") for k in (1, 2, 3)),
        RequiredSet("A", 1, "attribute words"),
    ),
    reading="How far the groups differ in their association with A (rather than B, if there is "
    "one), in standard deviations: the root mean square over pairs of groups. With attribute sets "
    "A1, A2, … for each group, the mean over pairs of the WEAT effect: above zero each group goes "
    "with its own attributes.",
    low=None,
    high=None,
    neutral=0,
    larger="either",
    citation="N. Swinger, M. De-Arteaga, N. T. Heffernan IV, M. D. M. Leiserson, A. T. Kalai "
    "(2019). What are the biases in my word embedding? AIES, 305-311.",
    doi="10.1145/3306618.3314270",
    for_tables=True,
    further="more groups X4, X5, …; B, or A1, A2, … instead of A",
)
