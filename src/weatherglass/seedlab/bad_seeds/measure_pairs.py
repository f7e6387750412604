"""Every measure of section 6, for pairs of seed sets, on one embedding or on its samples."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe
from weatherglass.measures import NOISE, too_few
from weatherglass.significance import PValue, permutation_p
from weatherglass.vectors import Case, Vectors

from ..models import Floats, Lookup, Models, Spread, frequent
from ..pairs import Kind, Match, SeedPair
from ..result import Experiment
from .subspaces import (
    BAD,
    GOOD,
    MOST,
    associations,
    coherences,
    pair_components,
    set_similarity,
    weat_axis,
    weat_effect,
    weat_statistic,
)

Subspace = Literal["weat", "pca"]


@dataclass(frozen=True)
class PairMeasures:
    """What was measured of one pair of seed sets.

    Attributes
    ----------
    x, y, kind, match
        As in `SeedPair`.
    x_words, y_words, x_missing, y_missing
        The words that were used, as the source spells them, and the words that it does not have.
    pairs
        How many pairs of words are complete.
    status, reason
        ``done``, or ``not run`` and why.
    similarity
        Set similarity, the cosine of the set means.
    explained
        The share of the variance of the pairs' half-differences along each of the first ten
        components.
    coherence_pca, coherence_weat
        Coherence along the first component, and along the difference of the set means.
    statistic, effect
        WEAT with the attributes of the result set.
    p
        The two-sided permutation p-value of that, on the whole corpus, if asked for; None where X
        and Y share a word.

    A number that cannot be had is None (`explained`: empty).
    """

    x: str
    y: str
    kind: Kind = "own"
    match: Match = "position"
    x_words: tuple[str, ...] = ()
    y_words: tuple[str, ...] = ()
    x_missing: tuple[str, ...] = ()
    y_missing: tuple[str, ...] = ()
    pairs: int = 0
    status: Literal["done", "not run"] = "done"
    reason: str = ""
    similarity: Spread | None = None
    explained: tuple[Spread, ...] = ()
    coherence_pca: Spread | None = None
    coherence_weat: Spread | None = None
    statistic: Spread | None = None
    effect: Spread | None = None
    p: PValue | None = None

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.x} / {self.y}"

    def coherence(self, by: Subspace) -> Spread | None:
        """Coherence along the one subspace or the other."""
        return self.coherence_weat if by == "weat" else self.coherence_pca


@dataclass(frozen=True, kw_only=True)
class MeasuredPairs(Experiment):
    """Pairs of seed sets, measured on one source.

    Attributes
    ----------
    pairs
        What was measured of each.
    ranked_by
        ``weat`` or ``pca`` if they are in the order of their coherence, highest first.
    """

    measure: ClassVar[str] = "seed-pairs"

    pairs: tuple[PairMeasures, ...]
    ranked_by: Subspace | None = None

    def ranked(self, by: Subspace = "weat") -> Self:
        """The same pairs in the order of their coherence; those without it come last."""
        if by not in get_args(Subspace):
            raise UsageError(f"by is {by!r}; it must be weat or pca.")

        def key(one: PairMeasures) -> tuple[bool, float]:
            value = one.coherence(by)
            return value is None, -value.mean if value else 0.0

        return dataclasses.replace(self, pairs=tuple(sorted(self.pairs, key=key)), ranked_by=by)

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row for each pair."""
        return [_flat(one, self.source["name"]) for one in self.pairs]


def _flat(one: PairMeasures, source: str) -> dict[str, Any]:
    """A row; of each number the mean, the standard deviation and the interval."""
    row: dict[str, Any] = {
        "source": source,
        "x": one.x,
        "y": one.y,
        "kind": one.kind,
        "match": one.match,
        "n_x": len(one.x_words),
        "n_y": len(one.y_words),
        "pairs": one.pairs,
        "status": one.status,
        "reason": one.reason,
    }
    spreads = {
        "similarity": one.similarity,
        "explained": one.explained[0] if one.explained else None,
        "coherence_pca": one.coherence_pca,
        "coherence_weat": one.coherence_weat,
        "statistic": one.statistic,
        "effect": one.effect,
    }
    for name, value in spreads.items():
        row[name] = value and value.mean
        for part in ("sd", "low", "high"):
            row[f"{name}_{part}"] = value and getattr(value, part)
    return row | {
        "p": one.p and one.p.value,
        "x_words": " ".join(one.x_words),
        "y_words": " ".join(one.y_words),
        "missing": " ".join((*one.x_missing, *one.y_missing)),
    }


MAX_MISSING = 0.5  # of the words of a set; the rest would be another set
Measure = Literal["similarity", "explained", "coherence-pca", "coherence-weat", "weat", "p"]
MEASURES: tuple[Measure, ...] = (
    "similarity",
    "explained",
    "coherence-pca",
    "coherence-weat",
    "weat",
)
Progress = Callable[[int, int], None]


def measure_pairs(
    models: Any,
    pairs: SeedPair | Iterable[SeedPair],
    *,
    measures: Sequence[Measure] = MEASURES,
    a: Sequence[str] = GOOD,
    b: Sequence[str] = BAD,
    words: int | None = None,
    max_missing: float = MAX_MISSING,
    case: Case = "auto",
    progress: Progress | None = None,
) -> MeasuredPairs:
    """Measure pairs of seed sets.

    Parameters
    ----------
    models
        Vectors; or several, of samples of one corpus: what `weatherglass.corpus.open_models` gives.
    pairs
        What `seed_pair` or `gathered_pairs` gives.
    measures
        What to measure: ``similarity``, ``explained``, ``coherence-pca``, ``coherence-weat``,
        ``weat`` (statistic and effect), ``p`` (the permutation p-value of WEAT).
    a, b
        The attributes of WEAT.
    words
        Rank only so many of the most frequent words for coherence; all by default.
    max_missing
        The largest share of a set's words that may be missing. Of very few words, most sets are
        coherent: one word against one is 1 by construction.
    case
        ``auto`` falls back to lower case where the vocabulary has no capitals; ``keep``; ``lower``.
    progress
        Called with the models done and the models in all.

    Returns
    -------
    MeasuredPairs
        With means, standard deviations and percentile intervals over the samples, if there are any.

    Notes
    -----
    Vectors have unit length. A word that a set repeats is used once, and so is a pair. A word that
    one of the samples does not have is missing in all of them.

    References
    ----------
    .. [1] M. Antoniak, D. Mimno (2021). Bad Seeds: evaluating lexical methods for bias
       measurement. ACL. Section 6.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.open_vectors("default")
    >>> pair = wg.seed_pair("female_2-Caliskan_et_al_2017", "male_2-Caliskan_et_al_2017")
    >>> found = wg.measure_pairs(vectors, pair).pairs[0]
    >>> round(found.similarity.mean, 2), round(found.explained[0].mean, 2)
    (0.84, 0.69)
    >>> round(found.coherence_weat.mean, 2)
    0.81
    """
    unknown = [one for one in measures if one not in get_args(Measure)]
    if unknown:
        known = ", ".join(get_args(Measure))
        raise UsageError(f"measures has {unknown[0]!r}; each must be one of {known}.")
    several = (pairs,) if isinstance(pairs, SeedPair) else tuple(pairs)
    made = Models.of(models)
    asked = {"weat", "p"} & set(measures)
    seeds = [word for one in several for word in (*one.x_words, *one.y_words)]
    found = Lookup.of(made, [*seeds, *(a if asked else ()), *(b if asked else ())], case)
    _check_attributes(found, {"A": a, "B": b} if asked else {}, made.name)
    sets = [_Sets.of(one, found) for one in several]
    numbers = [_Numbers() for _ in sets]
    for k, vectors in enumerate(made.each):
        if progress is not None:
            progress(k, len(made.each))
        _measure_model(vectors, found, k, sets, numbers, measures, (a, b), words)
    results = tuple(_told(one, numbers[i], found, max_missing) for i, one in enumerate(sets))
    if "p" in measures:
        results = _with_p(results, made, a, b, case)
    options = {"measures": list(measures), "a": list(a), "b": list(b), "words": words}
    options |= {"max_missing": max_missing, "case": case}
    return MeasuredPairs(pairs=results, source=made.about(), options=options)


@dataclass(frozen=True, eq=False)
class _Sets:
    """A pair of sets as rows of the words that were found."""

    pair: SeedPair
    x: list[int]
    y: list[int]
    pairs: list[tuple[int, int]]

    @classmethod
    def of(cls, pair: SeedPair, found: Lookup) -> _Sets:
        whole = [both for both in pair.pairs if both[0] in found.row and both[1] in found.row]
        rows = dict.fromkeys((found.row[x], found.row[y]) for x, y in whole)
        return cls(pair, found.rows(pair.x_words), found.rows(pair.y_words), list(rows))


class _Numbers(dict[str, list[Any]]):
    """What each model gave, by the name of the measure."""

    def add(self, name: str, value: Any) -> None:
        if value is not None:
            self.setdefault(name, []).append(value)


def _measure_model(
    vectors: Vectors,
    found: Lookup,
    k: int,
    sets: Sequence[_Sets],
    numbers: Sequence[_Numbers],
    measures: Sequence[Measure],
    attributes: tuple[Sequence[str], Sequence[str]],
    words: int | None,
) -> None:
    """Measure all pairs on one model."""
    rows, at = vectors.unit_at(found.at[k]), found.at[k]
    ranked: list[tuple[int, str, Floats]] = []  # which pair, which number, along which axis
    for i, one in enumerate(sets):
        x, y, noted = rows[one.x], rows[one.y], numbers[i]
        if not one.x or not one.y:
            continue
        if "similarity" in measures:
            noted.add("similarity", set_similarity(x, y))
        components = None
        if one.pairs and {"explained", "coherence-pca"} & set(measures):
            first, second = ([both[side] for both in one.pairs] for side in (0, 1))
            components = pair_components(rows[first], rows[second])
        if components is not None and "explained" in measures:
            noted.add("explained", components.explained[:MOST])
        if components is not None and "coherence-pca" in measures:
            ranked.append((i, "coherence_pca", components.axes[0]))
        axis = weat_axis(x, y) if "coherence-weat" in measures else None
        if axis is not None:
            ranked.append((i, "coherence_weat", axis))
        if "weat" in measures:
            a, b = (rows[found.rows(one)] for one in attributes)
            s_x, s_y = associations(x, a, b), associations(y, a, b)
            noted.add("statistic", weat_statistic(s_x, s_y))
            noted.add("effect", weat_effect(s_x, s_y))
    if ranked:
        among = None if words is None else frequent(vectors, 1, words)
        places = [(at[sets[i].x], at[sets[i].y]) for i, _, _ in ranked]
        apart = coherences(vectors, np.array([axis for _, _, axis in ranked]), places, among)
        for (i, name, _), value in zip(ranked, apart.tolist(), strict=True):
            numbers[i].add(name, value)


def _told(one: _Sets, numbers: _Numbers, found: Lookup, max_missing: float) -> PairMeasures:
    """A pair's numbers over all models."""
    pair = one.pair
    about: dict[str, Any] = {
        "x": pair.x,
        "y": pair.y,
        "kind": pair.kind,
        "match": pair.match,
        "x_words": tuple(found.words[row] for row in one.x),
        "y_words": tuple(found.words[row] for row in one.y),
        "x_missing": found.missing(pair.x_words),
        "y_missing": found.missing(pair.y_words),
        "pairs": len(one.pairs),
    }
    words = {pair.x: about["x_words"], pair.y: about["y_words"]}
    missing = {pair.x: about["x_missing"], pair.y: about["y_missing"]}
    reason = too_few(words, missing, dict.fromkeys(words, 1), max_missing)
    if reason:
        return PairMeasures(**about, status="not run", reason=reason)
    for name, values in numbers.items():
        if name == "explained":
            about[name] = tuple(map(Spread.of, zip(*values, strict=True)))
        else:
            about[name] = Spread.of(values)
    return PairMeasures(**about)


def _check_attributes(found: Lookup, attributes: dict[str, Sequence[str]], source: str) -> None:
    for name, words in attributes.items():
        if not found.rows(words):
            raise CannotMeasure(
                f"None of the words of the attribute set {name} is in {source}: "
                f"{join_first(map(quote_safe, words)) or 'it is empty'}."
            )


def _with_p(
    results: Sequence[PairMeasures], models: Models, a: Any, b: Any, case: Case
) -> tuple[PairMeasures, ...]:
    """The p-values on the vectors of the whole corpus."""
    whole = Models(models.name, models.whole)
    seeds = [word for one in results for word in (*one.x_words, *one.y_words)]
    found = Lookup.of(whole, [*seeds, *a, *b], case)
    rows = whole.whole.unit_at(found.at[0])
    made = []
    for one in results:
        if one.status == "not run":
            made.append(one)
            continue
        x, y = (
            associations(rows[found.rows(words)], rows[found.rows(a)], rows[found.rows(b)])
            for words in (one.x_words, one.y_words)
        )
        shared = set(one.x_words) & set(one.y_words)
        if shared or weat_effect(x, y) is None:
            made.append(one)
        else:
            p = permutation_p(x, y, alternative="two-sided", resolution=NOISE)
            made.append(dataclasses.replace(one, p=p))
    return tuple(made)
