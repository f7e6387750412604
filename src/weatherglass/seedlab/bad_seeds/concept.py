"""Figure 2: all seed sets of one concept, each compared with the same attribute (section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from weatherglass.catalog import SeedSet, seed_sets, seeds
from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe
from weatherglass.measures import too_few_reason
from weatherglass.vectors import Case

from ..models import Floats, Lookup, Models, Spread
from ..result import Experiment
from .measure_pairs import MAX_MISSING
from .subspaces import EPSILON

ATTRIBUTE = "unpleasantness-Caliskan_et_al_2017"  # the one of figure 2


@dataclass(frozen=True)
class SetCosines:
    """The cosines of one seed set with the attribute.

    Attributes
    ----------
    id
        The set.
    status, reason
        ``done``, or ``not run`` and why.
    words, cosines
        The words used, and the cosine of each; with samples, its mean over them.
    mean
        The mean of the cosines: the association that this set measures.
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


@dataclass(frozen=True, kw_only=True, repr=False)
class ConceptCosines(Experiment):
    """The cosines of all seed sets of a concept with one attribute.

    Attributes
    ----------
    concept
        The concept of the sets.
    attribute, attribute_words, attribute_missing
        The set whose mean vector they are compared with.
    sets
        The cosines of each set.
    """

    measure: ClassVar[str] = "seed-concept"

    concept: str
    attribute: str
    attribute_words: tuple[str, ...]
    attribute_missing: tuple[str, ...]
    sets: tuple[SetCosines, ...]

    def key_facts(self) -> dict[str, Any]:
        facts = {"source": self.source_name, "concept": self.concept, "attribute": self.attribute}
        return facts | {"sets": len(self.sets)}

    def sentence(self) -> str:
        cosines = [seeds.mean.mean for seeds in self.sets if seeds.mean]
        if not cosines:
            return f"No seed set of {self.concept} could be compared with {self.attribute}."
        return (
            f"The cosines of {len(cosines)} seed sets of {self.concept} with {self.attribute} are "
            f"between {min(cosines):.3f} and {max(cosines):.3f}."
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each set."""
        return [
            {
                "source": self.source["name"],
                "concept": self.concept,
                "attribute": self.attribute,
                "set": cosines.id,
                "words": len(cosines.words),
                "missing": len(cosines.missing),
                "status": cosines.status,
                "reason": cosines.reason,
                "cosine": cosines.mean and cosines.mean.mean,
                "sd": cosines.mean and cosines.mean.sd,
                "low": cosines.mean and cosines.mean.low,
                "high": cosines.mean and cosines.mean.high,
            }
            for cosines in self.sets
        ]


def concept_cosines(
    models: Any,
    concept: str | Sequence[SeedSet],
    attribute: SeedSet | str = ATTRIBUTE,
    *,
    max_missing: float = MAX_MISSING,
    case: Case = "auto",
) -> ConceptCosines:
    """Compare each seed set of a concept with the mean vector of an attribute.

    Parameters
    ----------
    models
        Vectors; or the models of bootstrap samples of a corpus, from
        `weatherglass.corpus.open_models`.
    concept
        A concept of the catalogue, such as ``female``; or seed sets.
    attribute
        A seed set, or its id; the mean of its unit vectors is used.
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
    >>> result = wg.concept_cosines(wg.open_vectors("default"), "female")
    >>> measured = [cosines for cosines in result.sets if cosines.mean]
    >>> nearest = max(measured, key=lambda cosines: cosines.mean.mean)
    >>> nearest.id, round(nearest.mean.mean, 2)
    ('female-Rudinger_et_al_2017', 0.52)
    """
    sets = seed_sets(concept=concept) if isinstance(concept, str) else tuple(concept)
    if not sets:
        raise UsageError("There is no seed set to compare with the attribute.")
    attribute_set = seeds(attribute) if isinstance(attribute, str) else attribute
    embeddings = Models.of(models)
    every_word = [word for seed_set in (*sets, attribute_set) for word in seed_set.words]
    lookup = Lookup.of(embeddings, every_word, case)
    rows = lookup.rows(attribute_set.words)
    if not rows:
        missing = join_first(map(quote_safe, attribute_set.words))
        raise CannotMeasure(
            f"None of the words of {attribute_set.id} is in {embeddings.name}: {missing}."
        )
    table = np.array(
        [
            _cosines(vectors.unit_at(lookup.at[k]), rows, embeddings.name)
            for k, vectors in enumerate(embeddings.each)
        ]
    )
    concepts = {seed_set.concept for seed_set in sets if seed_set.concept}
    return ConceptCosines(
        concept=concept if isinstance(concept, str) else ", ".join(sorted(concepts)),
        attribute=attribute_set.id,
        attribute_words=tuple(lookup.words[row] for row in rows),
        attribute_missing=lookup.missing(attribute_set.words),
        sets=tuple(_summarise(seed_set, lookup, table, max_missing) for seed_set in sets),
        source=embeddings.about(),
        options={"max_missing": max_missing, "case": case},
    )


def _cosines(words: Floats, attribute: list[int], source: str) -> Floats:
    """Return the cosine of every word with the mean of the attribute's words."""
    mean = words[attribute].mean(axis=0)
    length = float(np.linalg.norm(mean))
    if length < EPSILON:
        raise CannotMeasure(
            f"The words of the attribute cancel out in {source}: their mean has no direction."
        )
    cosines: Floats = words @ mean / length
    return cosines


def _summarise(seed_set: SeedSet, lookup: Lookup, table: Floats, max_missing: float) -> SetCosines:
    """Summarise the cosines of one set; `table` has a row for each model."""
    id, rows = seed_set.id, lookup.rows(seed_set.words)
    words, missing = tuple(lookup.words[row] for row in rows), lookup.missing(seed_set.words)
    reason = too_few_reason({id: words}, {id: missing}, {id: 1}, max_missing)
    if reason:
        reason = reason if seed_set.words else "it has no words"
        return SetCosines(id, "not run", reason, words=words, missing=missing)
    return SetCosines(
        id=id,
        words=words,
        cosines=tuple(table[:, rows].mean(axis=0).tolist()),
        mean=Spread.of(table[:, rows].mean(axis=1)),
        missing=missing,
    )
