"""Norms: do the associations of words agree with what people say about them?

ValNorm (Toney and Caliskan, EMNLP 2021) and the axes of Kozlowski et al. (American Sociological
Review 2019).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from weatherglass.catalog import Norms, SeedSet, WordSet, load_norms
from weatherglass.catalog import test as catalogue_test
from weatherglass.errors import UnusableRow, UsageError
from weatherglass.significance import Interval
from weatherglass.vectors import Case, find_positions, is_alphabetical

from .association_table import AssociationTable, Embedding, side_of
from .claims import lower_first
from .embedding import Source, open_embedding
from .measurement import Measurement, Section, describe_source, describe_test, interval_columns
from .norm_correlations import Floats, correlate, other_correlation, rate_reliability
from .wefat import normalised_associations
from .word_sets import FoundSet, find_words, is_target_set, parse_sets, split_found, too_few_reason

Shared = Literal["keep", "leave out"]
Words = Sequence[str] | SeedSet | WordSet | str

MIN_RATED = 10
"""Smallest number of rated words that a source must have."""

_MIN_WORDS = {"A": 1, "B": 1}
_MIN_SPREAD = 1e-13  # of associations; below it all are the same but for rounding


@dataclass(frozen=True, kw_only=True, repr=False)
class NormsResult(Measurement):
    """The correlation of a source's associations with the ratings of people.

    Attributes
    ----------
    score
        ``"sc-weat"`` (single-category WEAT) or ``"axis"`` (cosine with a difference of means).
    pearson, pearson_p, intervals
        Pearson's correlation of association and rating, its two-sided p-value, and its 95 %
        interval over other rated words.
    spearman, spearman_interval
        The same for ranks.
    partial, partial_p, partial_interval, frequency
        Pearson's correlation given log frequency, and where frequencies come from: ``counts`` or
        ``rank``; None and empty if the source does not state them.
    reliability, ceiling, disattenuated
        The share of the variance of the ratings that is not sampling error of raters, its root,
        which is the largest correlation that can be expected, and Pearson's correlation divided by
        it. None without standard deviations of ratings.
    shared
        Rated words that are also attributes.
    pearson_other
        Pearson's correlation of the other choice: without the shared words if they were kept, with
        them if they were left out.
    slope, intercept
        The regression line: rating = slope · association + intercept.
    associations, ratings
        Every point, in the order of ``words["W"]``.
    norms
        The ratings: id, name, unit, digest, rows that were averaged or left out.

    The other attributes are those of every `Measurement`.
    """

    measure: ClassVar[str] = "norms"
    chart: ClassVar[str] = "norms"
    decimals: ClassVar[int] = 3
    section: ClassVar[Section] = "facts"
    main_name: ClassVar[str] = "correlation"
    max_value: ClassVar[float | None] = 1.0
    possible_evidence: ClassVar[tuple[str, ...]] = ("interval", "frequency control")

    score: str = "sc-weat"
    pearson: float | None = None
    pearson_p: float | None = None
    intervals: tuple[Interval, ...] = ()
    spearman: float | None = None
    spearman_interval: Interval | None = None
    partial: float | None = None
    partial_p: float | None = None
    partial_interval: Interval | None = None
    frequency: str = ""
    reliability: float | None = None
    ceiling: float | None = None
    disattenuated: float | None = None
    shared: tuple[str, ...] = ()
    pearson_other: float | None = None
    slope: float | None = None
    intercept: float | None = None
    associations: tuple[float, ...] = ()
    ratings: tuple[float, ...] = ()
    norms: dict[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> float | None:
        """Pearson's correlation."""
        return self.pearson

    @property
    def p_value(self) -> float | None:
        return self.pearson_p

    @property
    def p_for_correction(self) -> float | None:
        """None: it checks the source and is no test of a bias, so it joins no family."""
        return None

    @property
    def main_p_method(self) -> str:
        return "Pearson"

    @property
    def fact(self) -> dict[str, str]:
        """The name and unit of the ratings, as a factual test has them."""
        return {"name": self.norms.get("name", ""), "unit": self.norms.get("unit", "")}

    @property
    def facts(self) -> tuple[float, ...]:
        """The ratings, as a factual test has its facts."""
        return self.ratings

    def residuals(self) -> Floats:
        """Return rating minus regression line, for every word."""
        x = np.array(self.associations)
        line = (self.slope or 0.0) * x + (self.intercept or 0.0)
        return np.asarray(np.array(self.ratings) - line)

    def largest_residuals(self, count: int = 10) -> tuple[tuple[str, float], ...]:
        """Return the words that are farthest from the line; above zero people rate them higher."""
        residuals = self.residuals()
        order = np.argsort(-np.abs(residuals), kind="stable")[:count]
        return tuple((self.words["W"][i], float(residuals[i])) for i in order.tolist())

    def claim(self) -> str:
        name = lower_first(self.norms.get("name") or "rating")
        a, b = (self.set_phrase(side) for side in "AB")
        direction = "higher" if (self.pearson or 0.0) >= 0 else "lower"
        return (
            f"the more strongly words are associated with {a} rather than {b}, the {direction} "
            f"people rate them (r = {self.pearson:.2f} with {name}, {len(self.ratings):,} words)."
        )

    def subject(self) -> str:
        name = lower_first(self.norms.get("name") or "rating")
        a, b = (self.set_phrase(side) for side in "AB")
        return f"in {name} between words associated with {a} and with {b}"

    def target_associations(self) -> dict[str, tuple[float, ...]]:
        return {"W": self.associations}

    def target_facts(self) -> tuple[float, ...]:
        return self.ratings

    def set_sizes(self) -> list[int | None]:
        return [self.n.get("W"), None, self.n.get("A"), self.n.get("B")]

    def measure_columns(self) -> dict[str, Any]:
        partial = self.partial_interval
        return {
            **interval_columns(self.main_interval),
            "spearman": self.spearman,
            "partial": self.partial,
            "partial_low": partial.low if partial else None,
            "partial_high": partial.high if partial else None,
            "reliability": self.reliability,
            "ceiling": self.ceiling,
            "disattenuated": self.disattenuated,
            "shared_words": len(self.shared),
            "pearson_other": self.pearson_other,
            "score": self.score,
            "norms": self.norms.get("id"),
        }


def norms(
    source: Source,
    norms: Norms | Mapping[str, float] | str | os.PathLike[str] = "glasgow-valence",
    *,
    word: str | None = None,
    value: str | None = None,
    sd: str | None = None,
    raters: str | int | None = None,
    test: str | None = None,
    axis: tuple[Words, Words] | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    shared: Shared | None = None,
    case: Case = "auto",
    max_missing: float = 0.2,
) -> NormsResult:
    """Correlate the associations of words with what people say about them.

    Parameters
    ----------
    source
        Any source: see `as_source`. Of a file, only the rows of the rated words and attributes are
        read. An encoder encodes each word as a sentence of its own. In a table, rated words are
        rows and attributes are columns.
    norms
        ``"glasgow-valence"`` or ``"glasgow-gender"``, a table (see
        `weatherglass.catalog.load_norms`), or a mapping from word to rating.
    word, value, sd, raters
        Columns of a table, as for `weatherglass.catalog.load_norms`.
    test
        Score words by the single-category WEAT with the attribute sets A and B of this test, as
        ValNorm does with ``weat1``; the default where the ratings have no scoring of their own.
    axis
        Score words on the axis from the second word set to the first.
    pairs
        Score words on the axis of these antonyms, such as ``[("rich", "poor")]``; a pair of which
        the source lacks a word is left out.
    shared
        What happens to rated words that are also attributes, whose cosine with themselves is 1:
        ``"keep"`` (the default for a test, as ValNorm computes it) or ``"leave out"`` (the default
        for an axis). `NormsResult.pearson_other` has the correlation of the other choice.
    case, max_missing
        As for `weat`; `max_missing` is about the attributes.

    Returns
    -------
    NormsResult

    Notes
    -----
    The single-category WEAT divides the difference of the mean cosines of a word with A and with B
    by the standard deviation (ddof 1) of all of them [1]_. The score on an axis is the cosine of
    the word and mean(A) - mean(B) over unit vectors; over pairs that is the mean of the differences
    of each pair [2]_.

    Ratings are means over people. If v is the mean of their squared standard errors, their
    reliability is 1 - v / var(ratings); no score can be expected to correlate with them by more
    than its root, the ceiling, and r / ceiling is the correlation corrected for the attenuation.

    References
    ----------
    .. [1] A. Toney, A. Caliskan (2021). ValNorm quantifies semantics to reveal consistent valence
       biases across languages and over centuries. EMNLP, 7203-7218.
    .. [2] A. C. Kozlowski, M. Taddy, J. A. Evans (2019). The geometry of culture: analyzing the
       meanings of class through word embeddings. American Sociological Review 84(5), 905-949.

    Examples
    --------
    >>> import weatherglass as wg
    >>> result = wg.norms("default", "glasgow-valence")
    >>> round(result.pearson, 2), result.n["W"]
    (0.61, 4680)
    """
    rated = _load(norms, word=word, value=value, sd=sd, raters=raters)
    sets, score = norm_sets(rated, test, axis, pairs)
    shared = shared or ("leave out" if score == "axis" else "keep")
    if shared not in ("keep", "leave out"):
        raise UsageError(f"shared is {shared!r}; it must be keep or leave out.")
    # With a sample, the place of each row in a file is read too, which stands for its frequency.
    vectors = open_embedding(source, [rated, *sets.values()], case, sample=True)
    options: dict[str, Any] = {"score": score, "shared": shared, "case": case}
    options |= {"max_missing": max_missing, "norms": rated.id, "norms_digest": rated.digest}
    if test:
        options["test"] = test
    return _measure(vectors, rated, sets, pairs, options)


def _load(given: Any, **columns: Any) -> Norms:
    if isinstance(given, Norms):
        return given
    if isinstance(given, Mapping):
        words, ratings = tuple(given), tuple(float(rating) for rating in given.values())
        if not np.isfinite(ratings).all():
            raise UsageError("A rating is not a finite number.")
        return Norms("ratings", "Ratings", words, ratings)
    return load_norms(given, **columns)


def norm_sets(
    rated: Norms,
    test: str | None,
    axis: tuple[Words, Words] | None,
    pairs: Sequence[tuple[str, str]] | None,
) -> tuple[dict[str, Any], str]:
    """Return the attribute sets A and B, and the score."""
    if sum(choice is not None for choice in (test, axis, pairs)) > 1:
        raise UsageError("Give one of test, axis and pairs.")
    if pairs is not None:
        if not pairs or any(len(pair) != 2 for pair in pairs):
            raise UsageError("pairs must be a list of two words each.")
        return dict(parse_sets({"A": [a for a, _ in pairs], "B": [b for _, b in pairs]})), "axis"
    if axis is None and test is None and rated.axis:
        words = parse_sets(dict(zip("AB", rated.axis, strict=True)))
        labels = dict(zip("AB", rated.labels or rated.axis, strict=True))
        return {name: _Labelled(words[name].words, labels[name]) for name in "AB"}, "axis"
    if axis is not None:
        if isinstance(axis, str) or len(axis) != 2:
            raise UsageError("axis must be two word sets.")
        return dict(parse_sets({"A": axis[0], "B": axis[1]})), "axis"
    sets = catalogue_test(test or rated.test or "weat1").sets
    return {name: sets[name] for name in "AB"}, "sc-weat"


@dataclass(frozen=True)
class _Described:
    """What `describe_test` needs of a test."""

    id: str
    title: str
    sets: Mapping[str, Any]
    printed: Any = None
    dimension: str = ""


def _measure(
    vectors: Embedding,
    rated: Norms,
    sets: Mapping[str, Any],
    pairs: Sequence[tuple[str, str]] | None,
    options: dict[str, Any],
) -> NormsResult:
    case = options["case"]
    sets = {"W": _Labelled(rated.words, "Rated words"), **sets}
    try:
        found = {
            name: find_words(side_of(vectors, is_target_set(name)), part.words, case)
            for name, part in sets.items()
        }
        reason = ""
    except UnusableRow as error:
        found, reason = {}, str(error).rstrip(".")
    if pairs is not None and found:
        found |= _complete_pairs(vectors, pairs, case)
    words, missing = split_found(found)
    about = describe_test(
        _Described(rated.id, rated.title, sets), words, missing, describe_source(vectors), options
    )
    # Ratings list thousands of words; the number of those that a source lacks says enough.
    absent = len(about["missing"].pop("W", ()))
    about["norms"] = _describe_norms(rated) | {"absent": absent}
    about["score"] = options["score"]
    if not reason:
        attributes = {name: words[name] for name in "AB"}
        reason = too_few_reason(attributes, missing, _MIN_WORDS, options["max_missing"])
    if not reason and len(words["W"]) < MIN_RATED:
        reason = f"it has {len(words['W'])} of {len(rated):,} rated words; {MIN_RATED} are needed"
    if not reason and isinstance(vectors, AssociationTable):
        reason = vectors.gap_reason(words["W"], [*words["A"], *words["B"]])
    if not reason:
        ratings = np.array([rated.ratings[i] for i in found["W"].kept])
        values = _score(found, options["score"])
        reason = _constant_reason(values, ratings)
    if reason:
        return NormsResult(status="not run", reason=reason, **about)
    attributes_used = {*words["A"], *words["B"]}
    is_shared = np.array([word in attributes_used for word in words["W"]])
    choices: list[NDArray[np.bool_]] = [np.ones(len(values), dtype=bool), ~is_shared]
    keep, other = choices if options["shared"] == "keep" else choices[::-1]
    about["shared"] = tuple(word for word in words["W"] if word in attributes_used)
    if keep.sum() < MIN_RATED or np.ptp(ratings[keep]) == 0:
        reason = f"{keep.sum()} rated words remain without the attributes; {MIN_RATED} are needed"
        return NormsResult(status="not run", reason=reason, **about)
    if not keep.all():
        about["words"]["W"] = tuple(words["W"][i] for i in np.flatnonzero(keep).tolist())
        about["n"]["W"] = int(keep.sum())
    logs, about["frequency"] = _log_frequencies(vectors, about["words"]["W"])
    errors = [rated.errors[i] for i in found["W"].kept] if rated.errors else []
    return NormsResult(
        status="done",
        pearson_other=other_correlation(values[other], ratings[other]) if is_shared.any() else None,
        **correlate(values[keep], ratings[keep], logs),
        **rate_reliability(values[keep], ratings[keep], np.array(errors)[keep] if errors else None),
        **about,
    )


@dataclass(frozen=True)
class _Labelled:
    words: tuple[str, ...]
    label: str


def _complete_pairs(
    vectors: Embedding, pairs: Sequence[tuple[str, str]], case: Case
) -> dict[str, FoundSet]:
    """Return A and B with the words of the pairs that the source has both words of."""
    lookup = side_of(vectors, is_target=False)
    positions = [find_positions(lookup, [pair[k] for pair in pairs], case) for k in (0, 1)]
    whole = [
        pair
        for pair, first, second in zip(pairs, *positions, strict=True)
        if min(first, second) >= 0
    ]
    absent = [pair for pair in pairs if pair not in whole]
    found = {}
    for k, name in enumerate("AB"):
        words = [pair[k] for pair in whole]
        # A word that two pairs share counts twice, as in the mean over pairs.
        rows = lookup.unit_at(find_positions(lookup, words, case))
        missing = tuple(pair[k] for pair in absent)
        found[name] = FoundSet(tuple(words), rows, missing, tuple(range(len(words))))
    return found


def _score(found: Mapping[str, FoundSet], score: str) -> Floats:
    if score == "sc-weat":
        return normalised_associations(found)
    axis = found["A"].rows.mean(axis=0) - found["B"].rows.mean(axis=0)
    length = float(np.linalg.norm(axis))
    if length <= _MIN_SPREAD:
        return np.full(len(found["W"].rows), np.nan)
    return np.asarray(found["W"].rows @ (axis / length))


def _constant_reason(values: Floats, ratings: Floats) -> str:
    if not np.isfinite(values).all():
        return "a rated word has the same cosine with every attribute, or A and B the same mean"
    if np.ptp(values) <= _MIN_SPREAD * max(1.0, float(np.abs(values).max())):
        return "all rated words have the same association, so there is nothing to correlate"
    if np.ptp(ratings) == 0:
        return "all words have the same rating, so there is nothing to correlate"
    return ""


def _log_frequencies(vectors: Embedding, words: Sequence[str]) -> tuple[Floats | None, str]:
    """Return log frequencies of words up to a constant, and what they were computed from."""
    if isinstance(vectors, AssociationTable):
        return None, ""
    positions = vectors.words.find(words)
    if vectors.counts is not None:
        return np.log(np.maximum(vectors.counts[positions], 0.5)), "counts"
    ranks = vectors.ranks_at(positions)
    if ranks is None or np.ptp(ranks) == 0:
        return None, ""
    if is_alphabetical([words[k] for k in np.argsort(ranks).tolist()]):
        return None, ""
    return -np.log(ranks + 1.0), "rank"


def _describe_norms(rated: Norms) -> dict[str, Any]:
    return {
        "id": rated.id,
        "name": rated.name,
        "unit": rated.unit,
        "rated": len(rated),
        "merged": rated.merged,
        "left_out": rated.left_out,
        "digest": rated.digest,
        "citation": rated.study.citation if rated.study else "",
    }
