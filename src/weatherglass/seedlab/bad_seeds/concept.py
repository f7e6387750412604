"""Figure 2: the same question asked with every seed set of one concept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from weatherglass.catalog import SeedSet, seed_sets, seeds
from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe
from weatherglass.measures import too_few
from weatherglass.vectors import Case

from ..models import Floats, Lookup, Models, Spread
from ..result import Experiment
from .measure_pairs import MAX_MISSING
from .subspaces import NOTHING

ATTRIBUTE = "unpleasantness-Caliskan_et_al_2017"


@dataclass(frozen=True)
class SetCosines:
    """One seed set against the attribute.

    Attributes
    ----------
    id
        The set.
    status, reason
        ``done``, or ``not run`` and why.
    words, cosines
        The words that were used, and the cosine of each, a mean over the samples if there are any.
    mean
        The mean of the cosines: the answer that this set gives.
    missing
        The words that the source does not have.
    """

    id: str
    status: Literal["done", "not run"] = "done"
    reason: str = ""
    words: tuple[str, ...] = ()
    cosines: tuple[float, ...] = ()
    mean: Spread | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ConceptCosines(Experiment):
    """Every seed set of one concept against one attribute.

    Attributes
    ----------
    concept
        What the sets stand for.
    attribute, attribute_words, attribute_missing
        The set whose mean vector they are held against.
    sets
        What each set answers.
    """

    measure: ClassVar[str] = "seed-concept"

    concept: str
    attribute: str
    attribute_words: tuple[str, ...]
    attribute_missing: tuple[str, ...]
    sets: tuple[SetCosines, ...]

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row for each set."""
        return [
            {
                "source": self.source["name"],
                "concept": self.concept,
                "attribute": self.attribute,
                "set": one.id,
                "words": len(one.words),
                "missing": len(one.missing),
                "status": one.status,
                "reason": one.reason,
                "cosine": one.mean and one.mean.mean,
                "sd": one.mean and one.mean.sd,
                "low": one.mean and one.mean.low,
                "high": one.mean and one.mean.high,
            }
            for one in self.sets
        ]


def concept_cosines(
    models: Any,
    concept: str | Sequence[SeedSet],
    attribute: SeedSet | str = ATTRIBUTE,
    *,
    max_missing: float = MAX_MISSING,
    case: Case = "auto",
) -> ConceptCosines:
    """How near each seed set of a concept is to the mean vector of an attribute.

    Parameters
    ----------
    models
        Vectors; or several, of samples of one corpus: what `weatherglass.corpus.open_models` gives.
    concept
        A concept of the catalogue, such as ``female``; or seed sets.
    attribute
        A seed set, or its id; its unit vectors are averaged.
    max_missing
        The largest share of a set's words that may be missing.
    case
        ``auto`` falls back to lower case where the vocabulary has no capitals; ``keep``; ``lower``.

    Raises
    ------
    CannotMeasure
        No word of the attribute is in the vocabulary.

    References
    ----------
    .. [1] M. Antoniak, D. Mimno (2021). Bad Seeds: evaluating lexical methods for bias
       measurement. ACL. Section 7 and figure 2.

    Examples
    --------
    >>> import weatherglass as wg
    >>> found = wg.concept_cosines(wg.open_vectors("default"), "female")
    >>> nearest = max((one for one in found.sets if one.mean), key=lambda one: one.mean.mean)
    >>> nearest.id, round(nearest.mean.mean, 2)
    ('female-Rudinger_et_al_2017', 0.52)
    """
    sets = seed_sets(concept=concept) if isinstance(concept, str) else tuple(concept)
    if not sets:
        raise UsageError("There is no seed set to hold against the attribute.")
    averaged = seeds(attribute) if isinstance(attribute, str) else attribute
    made = Models.of(models)
    found = Lookup.of(made, [word for one in (*sets, averaged) for word in one.words], case)
    rows = found.rows(averaged.words)
    if not rows:
        some = join_first(map(quote_safe, averaged.words))
        raise CannotMeasure(f"None of the words of {averaged.id} is in {made.name}: {some}.")
    table = np.array(
        [
            _along(vectors.unit_at(found.at[k]), rows, made.name)
            for k, vectors in enumerate(made.each)
        ]
    )
    names = {one.concept for one in sets if one.concept}
    return ConceptCosines(
        concept=concept if isinstance(concept, str) else ", ".join(sorted(names)),
        attribute=averaged.id,
        attribute_words=tuple(found.words[row] for row in rows),
        attribute_missing=found.missing(averaged.words),
        sets=tuple(_told(one, found, table, max_missing) for one in sets),
        source=made.about(),
        options={"max_missing": max_missing, "case": case},
    )


def _along(words: Floats, rows: list[int], source: str) -> Floats:
    """The cosine of every word with the mean of the attribute's."""
    mean = words[rows].mean(axis=0)
    length = float(np.linalg.norm(mean))
    if length < NOTHING:
        raise CannotMeasure(
            f"The words of the attribute cancel out in {source}: their mean has no direction."
        )
    cosines: Floats = words @ mean / length
    return cosines


def _told(one: SeedSet, found: Lookup, table: Floats, max_missing: float) -> SetCosines:
    rows, missing = found.rows(one.words), found.missing(one.words)
    words = tuple(found.words[row] for row in rows)
    reason = too_few({one.id: words}, {one.id: missing}, {one.id: 1}, max_missing)
    if reason:
        reason = reason if one.words else "it has no words"
        return SetCosines(one.id, "not run", reason, words=words, missing=missing)
    return SetCosines(
        id=one.id,
        words=words,
        cosines=tuple(table[:, rows].mean(axis=0).tolist()),
        mean=Spread.of(table[:, rows].mean(axis=1)),
        missing=missing,
    )
