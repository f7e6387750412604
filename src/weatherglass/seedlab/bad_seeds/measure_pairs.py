"""Table 4: coherence and the other measures of section 6, for pairs of seed sets.

On one embedding, or on those of the bootstrap samples of a corpus.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe
from weatherglass.measures import NOISE, associations, too_few_reason
from weatherglass.significance import PValue, permutation_p
from weatherglass.vectors import Case, Vectors

from ..models import Floats, Lookup, Models, Spread, positions_by_rank
from ..pairs import Kind, Match, SeedPair
from ..result import Experiment
from .subspaces import (
    BAD,
    GOOD,
    MAX_COMPONENTS,
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
    """The measures of one pair of seed sets.

    Attributes
    ----------
    x, y, kind, match
        As in `SeedPair`.
    x_words, y_words, x_missing, y_missing
        The words used, as the source spells them, and the words it does not have.
    pairs
        The number of complete pairs of words.
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
        WEAT statistic and effect size, with the attributes in the options of the result.
    p
        The two-sided permutation p-value of WEAT on the whole corpus, if requested; None if X and
        Y share a word.

    A number that cannot be computed is None (`explained`: empty).
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
        """Return the coherence along the subspace of WEAT or of PCA."""
        return self.coherence_weat if by == "weat" else self.coherence_pca


@dataclass(frozen=True, kw_only=True, repr=False)
class MeasuredPairs(Experiment):
    """Pairs of seed sets, measured on one source.

    Attributes
    ----------
    pairs
        The measures of each pair.
    ranked_by
        ``weat`` or ``pca`` if the pairs are ordered by that coherence, highest first.
    """

    measure: ClassVar[str] = "seed-pairs"

    pairs: tuple[PairMeasures, ...]
    ranked_by: Subspace | None = None

    def ranked(self, by: Subspace = "weat") -> Self:
        """Return the pairs ordered by coherence; those without one come last."""
        if by not in get_args(Subspace):
            raise UsageError(f"by is {by!r}; it must be weat or pca.")

        def key(pair: PairMeasures) -> tuple[bool, float]:
            value = pair.coherence(by)
            return value is None, -value.mean if value else 0.0

        return dataclasses.replace(self, pairs=tuple(sorted(self.pairs, key=key)), ranked_by=by)

    def key_facts(self) -> dict[str, Any]:
        return {"source": self.source_name, "pairs": len(self.pairs)}

    def sentence(self) -> str:
        done = sum(pair.status == "done" for pair in self.pairs)
        pairs = f"{done:,} of {len(self.pairs):,} pairs of seed sets"
        return f"{pairs} were measured on {self.source_name}."

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each pair."""
        return [_flatten(pair, self.source["name"]) for pair in self.pairs]


def _flatten(pair: PairMeasures, source: str) -> dict[str, Any]:
    """Return a row, with the mean, standard deviation and interval of each number."""
    row: dict[str, Any] = {
        "source": source,
        "x": pair.x,
        "y": pair.y,
        "kind": pair.kind,
        "match": pair.match,
        "n_x": len(pair.x_words),
        "n_y": len(pair.y_words),
        "pairs": pair.pairs,
        "status": pair.status,
        "reason": pair.reason,
    }
    spreads = {
        "similarity": pair.similarity,
        "explained": pair.explained[0] if pair.explained else None,
        "coherence_pca": pair.coherence_pca,
        "coherence_weat": pair.coherence_weat,
        "statistic": pair.statistic,
        "effect": pair.effect,
    }
    for name, value in spreads.items():
        row[name] = value and value.mean
        for part in ("sd", "low", "high"):
            row[f"{name}_{part}"] = value and getattr(value, part)
    return row | {
        "p": pair.p and pair.p.value,
        "x_words": " ".join(pair.x_words),
        "y_words": " ".join(pair.y_words),
        "missing": " ".join((*pair.x_missing, *pair.y_missing)),
    }


MAX_MISSING = 0.5  # share of a set's words; with more missing, the rest is a different set
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
        Vectors; or the models of bootstrap samples of a corpus, from
        `weatherglass.corpus.open_models`.
    pairs
        From `seed_pair` or `gathered_pairs`.
    measures
        Any of ``similarity``, ``explained``, ``coherence-pca``, ``coherence-weat``,
        ``weat`` (statistic and effect), ``p`` (the permutation p-value of WEAT).
    a, b
        The attributes of WEAT.
    words
        For coherence, rank only this many of the most frequent words; all by default.
    max_missing
        The largest share of a set's words that may be missing. Coherence is high for very few
        words: of one word against one it is 1 by construction.
    case
        ``auto`` falls back to lower case where the vocabulary has no capitals; ``keep``; ``lower``.
    progress
        Called with the number of models done and in total.

    Returns
    -------
    MeasuredPairs
        Means, with standard deviations and percentile intervals over the samples if there are any.

    Notes
    -----
    Vectors have unit length. Duplicate words and pairs are used once. A word that one of the
    samples lacks is missing in all of them.

    References
    ----------
    .. [1] M. Antoniak, D. Mimno (2021). Bad Seeds: evaluating lexical methods for bias
       measurement. ACL. Section 6 and table 4.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.open_vectors("default")
    >>> pair = wg.seed_pair("female_2-Caliskan_et_al_2017", "male_2-Caliskan_et_al_2017")
    >>> measures = wg.measure_pairs(vectors, pair).pairs[0]
    >>> round(measures.similarity.mean, 2), round(measures.explained[0].mean, 2)
    (0.84, 0.69)
    >>> round(measures.coherence_weat.mean, 2)
    0.81
    """
    unknown = [name for name in measures if name not in get_args(Measure)]
    if unknown:
        known = ", ".join(get_args(Measure))
        raise UsageError(f"measures has {unknown[0]!r}; each must be one of {known}.")
    seed_pairs = (pairs,) if isinstance(pairs, SeedPair) else tuple(pairs)
    embeddings = Models.of(models)
    attributes = {"A": a, "B": b} if {"weat", "p"} & set(measures) else {}
    seed_words = [word for pair in seed_pairs for word in (*pair.x_words, *pair.y_words)]
    attribute_words = [word for words in attributes.values() for word in words]
    lookup = Lookup.of(embeddings, [*seed_words, *attribute_words], case)
    _check_attributes(lookup, attributes, embeddings.name)
    sets = [_PairRows.of(pair, lookup) for pair in seed_pairs]
    numbers = [_Numbers() for _ in sets]
    for k, vectors in enumerate(embeddings.each):
        if progress is not None:
            progress(k, len(embeddings.each))
        _measure_model(vectors, lookup, k, sets, numbers, measures, (a, b), words)
    results = tuple(
        _summarise(pair, own, lookup, max_missing) for pair, own in zip(sets, numbers, strict=True)
    )
    if "p" in measures:
        results = _add_p_values(results, embeddings, a, b, case)
    options = {"measures": list(measures), "a": list(a), "b": list(b), "words": words}
    options |= {"max_missing": max_missing, "case": case}
    return MeasuredPairs(pairs=results, source=embeddings.about(), options=options)


@dataclass(frozen=True, eq=False)
class _PairRows:
    """A pair of sets as rows of a lookup."""

    pair: SeedPair
    x: list[int]
    y: list[int]
    pairs: list[tuple[int, int]]

    @classmethod
    def of(cls, pair: SeedPair, lookup: Lookup) -> _PairRows:
        complete = [(x, y) for x, y in pair.pairs if x in lookup.row and y in lookup.row]
        rows = dict.fromkeys((lookup.row[x], lookup.row[y]) for x, y in complete)
        return cls(pair, lookup.rows(pair.x_words), lookup.rows(pair.y_words), list(rows))


class _Numbers(dict[str, list[Any]]):
    """The values of one pair on each model, by the name of the measure."""

    def add(self, name: str, value: Any) -> None:
        if value is not None:
            self.setdefault(name, []).append(value)


def _measure_model(
    vectors: Vectors,
    lookup: Lookup,
    k: int,
    sets: Sequence[_PairRows],
    numbers: Sequence[_Numbers],
    measures: Sequence[Measure],
    attributes: tuple[Sequence[str], Sequence[str]],
    words: int | None,
) -> None:
    """Measure all pairs on one model, and add the values to `numbers`."""
    rows, at = vectors.unit_at(lookup.at[k]), lookup.at[k]
    to_rank: list[tuple[int, str, Floats]] = []  # pair, name of its coherence, axis
    for i, pair in enumerate(sets):
        x, y, values = rows[pair.x], rows[pair.y], numbers[i]
        if not pair.x or not pair.y:
            continue
        if "similarity" in measures:
            values.add("similarity", set_similarity(x, y))
        components = None
        if pair.pairs and {"explained", "coherence-pca"} & set(measures):
            first, second = ([both[side] for both in pair.pairs] for side in (0, 1))
            components = pair_components(rows[first], rows[second])
        if components is not None and "explained" in measures:
            values.add("explained", components.explained[:MAX_COMPONENTS])
        if components is not None and "coherence-pca" in measures:
            to_rank.append((i, "coherence_pca", components.axes[0]))
        axis = weat_axis(x, y) if "coherence-weat" in measures else None
        if axis is not None:
            to_rank.append((i, "coherence_weat", axis))
        if "weat" in measures:
            a, b = (rows[lookup.rows(attribute)] for attribute in attributes)
            s_x, s_y = associations(x, a, b), associations(y, a, b)
            values.add("statistic", weat_statistic(s_x, s_y))
            values.add("effect", weat_effect(s_x, s_y))
    if to_rank:
        # All axes at once: the cosines of the whole vocabulary are the expensive part.
        among = None if words is None else positions_by_rank(vectors, 1, words)
        positions = [(at[sets[i].x], at[sets[i].y]) for i, _, _ in to_rank]
        axes = np.array([axis for _, _, axis in to_rank])
        coherence = coherences(vectors, axes, positions, among)
        for (i, name, _), value in zip(to_rank, coherence.tolist(), strict=True):
            numbers[i].add(name, value)


def _summarise(
    rows: _PairRows, numbers: _Numbers, lookup: Lookup, max_missing: float
) -> PairMeasures:
    """Summarise the values of a pair over all models."""
    pair = rows.pair
    fields: dict[str, Any] = {
        "x": pair.x,
        "y": pair.y,
        "kind": pair.kind,
        "match": pair.match,
        "x_words": tuple(lookup.words[row] for row in rows.x),
        "y_words": tuple(lookup.words[row] for row in rows.y),
        "x_missing": lookup.missing(pair.x_words),
        "y_missing": lookup.missing(pair.y_words),
        "pairs": len(rows.pairs),
    }
    words = {pair.x: fields["x_words"], pair.y: fields["y_words"]}
    missing = {pair.x: fields["x_missing"], pair.y: fields["y_missing"]}
    reason = too_few_reason(words, missing, dict.fromkeys(words, 1), max_missing)
    if reason:
        return PairMeasures(**fields, status="not run", reason=reason)
    for name, values in numbers.items():
        if name == "explained":
            fields[name] = tuple(map(Spread.of, zip(*values, strict=True)))
        else:
            fields[name] = Spread.of(values)
    return PairMeasures(**fields)


def _check_attributes(lookup: Lookup, attributes: dict[str, Sequence[str]], source: str) -> None:
    for name, words in attributes.items():
        if not lookup.rows(words):
            raise CannotMeasure(
                f"None of the words of the attribute set {name} is in {source}: "
                f"{join_first(map(quote_safe, words)) or 'it is empty'}."
            )


def _add_p_values(
    results: Sequence[PairMeasures],
    models: Models,
    a: Sequence[str],
    b: Sequence[str],
    case: Case,
) -> tuple[PairMeasures, ...]:
    """Add the p-values on the vectors of the whole corpus."""
    whole = Models(models.name, models.whole)
    seed_words = [word for pair in results for word in (*pair.x_words, *pair.y_words)]
    lookup = Lookup.of(whole, [*seed_words, *a, *b], case)
    rows = whole.whole.unit_at(lookup.at[0])
    tested: list[PairMeasures] = []
    for pair in results:
        if pair.status == "not run":
            tested.append(pair)
            continue
        x, y = (
            associations(rows[lookup.rows(words)], rows[lookup.rows(a)], rows[lookup.rows(b)])
            for words in (pair.x_words, pair.y_words)
        )
        # A permutation test exchanges words between X and Y, so a word must be in one of them.
        shared = set(pair.x_words) & set(pair.y_words)
        if shared or weat_effect(x, y) is None:
            tested.append(pair)
        else:
            p = permutation_p(x, y, alternative="two-sided", resolution=NOISE)
            tested.append(dataclasses.replace(pair, p=p))
    return tuple(tested)
