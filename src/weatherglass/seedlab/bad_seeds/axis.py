"""Figure 4: the vocabulary ranked along a principal component of seed pairs (section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe
from weatherglass.vectors import Case, Vectors, row_blocks

from ..models import Floats, Lookup, Models, Spread, positions_by_rank
from ..pairs import SeedPair
from ..result import Experiment
from .subspaces import pair_components
from .variance import ARRANGEMENTS, Arranged, Arrangement, arrange


@dataclass(frozen=True)
class AxisWord:
    """A word, its cosine with the axis, and ``X`` or ``Y`` if it is a seed of that set."""

    word: str
    cosine: Spread
    seed: str = ""


@dataclass(frozen=True)
class Ends:
    """The words at both ends of an axis.

    Attributes
    ----------
    arrangement, pairs
        The pairs that define the axis.
    explained
        The share of their variance that it explains.
    agreement
        The mean correlation of the words' cosines between two samples: near 1 if all samples have
        the same axis, low if the axis differs between samples; None for a single model.
    high, low
        The words at the end of X and at the end of Y, the most extreme first.
    """

    arrangement: Arrangement
    pairs: tuple[tuple[str, str], ...]
    explained: Spread
    agreement: float | None
    high: tuple[AxisWord, ...]
    low: tuple[AxisWord, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class SeedAxis(Experiment):
    """The words at both ends of the axes of two seed sets, for each arrangement of the pairs."""

    measure: ClassVar[str] = "seed-axis"

    x: str
    y: str
    component: int
    missing: tuple[str, ...]
    ends: tuple[Ends, ...]

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.x} / {self.y}"

    def key_facts(self) -> dict[str, Any]:
        return {"source": self.source_name, "x": self.x, "y": self.y, "component": self.component}

    def sentence(self) -> str:
        first = self.ends[0]
        high, low = (
            join_first((quote_safe(word.word) for word in side), 3)
            for side in (first.high, first.low)
        )
        return f"Component {self.component} of {self.name} runs from {low} to {high}."

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each word."""
        return [
            {
                "source": self.source["name"],
                "x": self.x,
                "y": self.y,
                "component": self.component,
                "arrangement": ends.arrangement,
                "end": end,
                "place": place,
                "word": word.word,
                "cosine": word.cosine.mean,
                "sd": word.cosine.sd,
                "low": word.cosine.low,
                "high": word.cosine.high,
                "seed": word.seed,
            }
            for ends in self.ends
            for end, words in (("high", ends.high), ("low", ends.low))
            for place, word in enumerate(words, 1)
        ]


def seed_axis(
    models: Any,
    pair: SeedPair,
    *,
    component: int = 1,
    top: int = 10,
    words: int | None = 20_000,
    case: Case = "auto",
    rng: int = 0,
) -> SeedAxis:
    """Rank the words of the vocabulary along a principal component of seed pairs.

    Three components are used: that of the pairs as documented, that of the same words with their
    partners shuffled once, and that of as many pairs of random words.

    Parameters
    ----------
    models
        Vectors; or the models of bootstrap samples of a corpus, from
        `weatherglass.corpus.open_models`.
        With samples, cosines are means over them, and words that one of them lacks are left out.
    pair
        From `seed_pair`.
    component
        Which principal component; 1 is the strongest.
    top
        The number of words to keep at each end.
    words
        Rank this many of the most frequent words; None for all.
    case
        ``auto`` falls back to lower case where the vocabulary has no capitals; ``keep``; ``lower``.
    rng
        Random seed.

    Raises
    ------
    CannotMeasure
        No pair is complete, or the pairs have no such component.

    References
    ----------
    .. [1] M. Antoniak, D. Mimno (2021). Bad Seeds: evaluating lexical methods for bias
       measurement. ACL. Section 8 and figure 4.

    Examples
    --------
    >>> import weatherglass as wg
    >>> gender = wg.seed_pair("male_2-Caliskan_et_al_2017", "female_2-Caliskan_et_al_2017")
    >>> ordered, *_ = wg.seed_axis(wg.open_vectors("default"), gender, words=1000).ends
    >>> [entry.word for entry in ordered.high[:3]], [entry.word for entry in ordered.low[:3]]
    (['led', 'general', 'army'], ['woman', 'mother', 'children'])
    """
    for name, value in (("component", component), ("top", top)):
        if value < 1:
            raise UsageError(f"{name} is {value}; it must be at least 1.")
    embeddings = Models.of(models)
    arranged = arrange(embeddings, pair, 1, words, case, np.random.default_rng(rng))
    vocabulary = _look_up_vocabulary(embeddings, words)
    seed_sides = _seed_sides(pair, arranged.lookup)
    return SeedAxis(
        x=pair.x,
        y=pair.y,
        component=component,
        missing=arranged.missing,
        ends=tuple(
            _find_ends(embeddings, arranged, arrangement, component, top, vocabulary, seed_sides)
            for arrangement in ARRANGEMENTS
        ),
        source=embeddings.about(),
        options={"component": component, "top": top, "words": words, "case": case, "rng": rng},
    )


def _look_up_vocabulary(models: Models, words: int | None) -> Lookup:
    positions = positions_by_rank(models.whole, 1, words)
    return Lookup.of(models, [models.whole.words[int(position)] for position in positions], "keep")


def _seed_sides(pair: SeedPair, lookup: Lookup) -> dict[str, str]:
    """Return ``X`` or ``Y`` for each seed word; a word in both counts as X."""
    return {
        lookup.words[lookup.row[word]]: side
        for side, seed_words in (("Y", pair.y_words), ("X", pair.x_words))
        for word in seed_words
        if word in lookup.row
    }


def _find_ends(
    models: Models,
    arranged: Arranged,
    arrangement: Arrangement,
    component: int,
    top: int,
    vocabulary: Lookup,
    seed_sides: dict[str, str],
) -> Ends:
    """Find the words at both ends of one axis."""
    table, explained = _project(models, arranged, arrangement, component, vocabulary)
    order = np.argsort(-table.mean(axis=0), kind="stable")

    def axis_words(rows: list[int]) -> tuple[AxisWord, ...]:
        words = [(vocabulary.words[row], Spread.of(table[:, row])) for row in rows]
        return tuple(AxisWord(word, cosine, seed_sides.get(word, "")) for word, cosine in words)

    return Ends(
        arrangement=arrangement,
        pairs=arranged.pairs(arrangement),
        explained=Spread.of(explained),
        agreement=_mean_correlation(table),
        high=axis_words(order[:top].tolist()),
        low=axis_words(order[::-1][:top].tolist()),
    )


def _project(
    models: Models,
    arranged: Arranged,
    arrangement: Arrangement,
    component: int,
    vocabulary: Lookup,
) -> tuple[Floats, list[float]]:
    """Return the cosines of all words with the axis, models × words, and the variance shares."""
    cosines: list[Floats] = []
    explained: list[float] = []
    for k, vectors in enumerate(models.each):
        rows = vectors.unit_at(arranged.lookup.at[k])
        x, y = rows[arranged.x[arrangement][0]], rows[arranged.y[arrangement][0]]
        components = pair_components(x, y)
        if components is None:
            raise CannotMeasure(
                f"The words of each pair have the same direction in {models.name}, so there is no "
                "axis between them. Give pairs of words that differ."
            )
        if len(components.explained) < component:
            raise CannotMeasure(
                f"The pairs have {len(components.explained)} components in {models.name}; you "
                f"asked for component {component}."
            )
        explained.append(components.explained[component - 1])
        along = _cosines(vectors, vocabulary, k, components.axes[component - 1])
        # The sign of a component is arbitrary, so all samples are aligned with the first.
        is_flipped = cosines and along @ (cosines[0] - cosines[0].mean()) < 0
        cosines.append(-along if is_flipped else along)
    return np.array(cosines), explained


def _mean_correlation(table: Floats) -> float | None:
    """Return the mean correlation between the rows; None if a row is constant."""
    if len(table) < 2 or not table.std(axis=1).all():
        return None
    correlations = np.asarray(np.corrcoef(table))
    return float(correlations[np.triu_indices(len(table), 1)].mean())


def _cosines(vectors: Vectors, vocabulary: Lookup, k: int, axis: Floats) -> Floats:
    """Return the cosine of each word of the vocabulary with the axis, in blocks to save memory."""
    cosines = np.empty(len(vocabulary.words))
    for block in row_blocks(len(cosines)):
        cosines[block] = vectors.unit_at(vocabulary.at[k][block]) @ axis
    return cosines
