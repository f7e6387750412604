"""Figure 4: the words at both ends of the direction that seed pairs span."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.vectors import Case, Vectors, row_blocks

from ..models import Floats, Lookup, Models, Spread, frequent
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
        The pairs that span the axis.
    explained
        The share of their variance that it explains.
    agreement
        The mean correlation of the words' cosines between two samples: near 1 where all samples
        have the same axis, low where another one takes its place in some; None for one model.
    high, low
        The words at the end where X lies, and at the other, the furthest first.
    """

    arrangement: Arrangement
    pairs: tuple[tuple[str, str], ...]
    explained: Spread
    agreement: float | None
    high: tuple[AxisWord, ...]
    low: tuple[AxisWord, ...]


@dataclass(frozen=True, kw_only=True)
class SeedAxis(Experiment):
    """The words at both ends of the axes of two seed sets."""

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

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row for each word."""
        return [
            {
                "source": self.source["name"],
                "x": self.x,
                "y": self.y,
                "component": self.component,
                "arrangement": one.arrangement,
                "end": end,
                "place": place,
                "word": word.word,
                "cosine": word.cosine.mean,
                "sd": word.cosine.sd,
                "low": word.cosine.low,
                "high": word.cosine.high,
                "seed": word.seed,
            }
            for one in self.ends
            for end, some in (("high", one.high), ("low", one.low))
            for place, word in enumerate(some, 1)
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

    Along that of the pairs as documented, of the same words with their partners shuffled once, and
    of as many pairs of random words.

    Parameters
    ----------
    models
        Vectors; or several, of samples of one corpus: what `weatherglass.corpus.open_models` gives.
        Cosines are then means over the samples, and words that one of them lacks are left out.
    pair
        What `seed_pair` gives.
    component
        Which principal component; 1 is the strongest.
    top
        How many words of each end to keep.
    words
        Rank so many of the most frequent words; None for all.
    case
        ``auto`` falls back to lower case where the vocabulary has no capitals; ``keep``; ``lower``.
    rng
        Seed for shuffling and drawing.

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
    >>> [one.word for one in ordered.high[:3]], [one.word for one in ordered.low[:3]]
    (['led', 'general', 'army'], ['woman', 'mother', 'children'])
    """
    for name, value in (("component", component), ("top", top)):
        if value < 1:
            raise UsageError(f"{name} is {value}; it must be at least 1.")
    made = Models.of(models)
    arranged = arrange(made, pair, 1, words, case, np.random.default_rng(rng))
    vocabulary = _vocabulary(made, words)
    sides = _sides(pair, arranged.found)
    return SeedAxis(
        x=pair.x,
        y=pair.y,
        component=component,
        missing=arranged.missing,
        ends=tuple(
            _ends(made, arranged, which, component, top, vocabulary, sides)
            for which in ARRANGEMENTS
        ),
        source=made.about(),
        options={"component": component, "top": top, "words": words, "case": case, "rng": rng},
    )


def _vocabulary(models: Models, words: int | None) -> Lookup:
    places = frequent(models.whole, 1, words)
    return Lookup.of(models, [models.whole.words[int(place)] for place in places], "keep")


def _sides(pair: SeedPair, found: Lookup) -> dict[str, str]:
    """Which set a word is a seed of; of the one it is named in first."""
    return {
        found.words[found.row[word]]: side
        for side, listed in (("Y", pair.y_words), ("X", pair.x_words))
        for word in listed
        if word in found.row
    }


def _ends(
    models: Models,
    arranged: Arranged,
    which: Arrangement,
    component: int,
    top: int,
    vocabulary: Lookup,
    sides: dict[str, str],
) -> Ends:
    cosines: list[Floats] = []
    explained: list[float] = []
    for k, vectors in enumerate(models.each):
        rows = vectors.unit_at(arranged.found.at[k])
        found = pair_components(rows[arranged.x[which][0]], rows[arranged.y[which][0]])
        if found is None:
            raise CannotMeasure(
                f"The words of each pair have the same direction in {models.name}, so no axis lies "
                "between them. Give pairs of words that differ."
            )
        if len(found.explained) < component:
            raise CannotMeasure(
                f"The pairs have {len(found.explained)} components in {models.name}, and component "
                f"{component} was asked for."
            )
        explained.append(found.explained[component - 1])
        along = _cosines(vectors, vocabulary, k, found.axes[component - 1])
        # Which end is which is not given; all samples are turned like the first.
        turned = cosines and along @ (cosines[0] - cosines[0].mean()) < 0
        cosines.append(-along if turned else along)
    table = np.array(cosines)
    order = np.argsort(-table.mean(axis=0), kind="stable")

    def told(rows: Iterator[int]) -> tuple[AxisWord, ...]:
        words = [(vocabulary.words[row], Spread.of(table[:, row])) for row in rows]
        return tuple(AxisWord(word, value, sides.get(word, "")) for word, value in words)

    return Ends(
        arrangement=which,
        pairs=arranged.pairs(which),
        explained=Spread.of(explained),
        agreement=_agreement(table),
        high=told(iter(order[:top].tolist())),
        low=told(iter(order[::-1][:top].tolist())),
    )


def _agreement(table: Floats) -> float | None:
    """The mean correlation between the rows."""
    if len(table) < 2 or not table.std(axis=1).all():
        return None
    correlations = np.asarray(np.corrcoef(table))
    return float(correlations[np.triu_indices(len(table), 1)].mean())


def _cosines(vectors: Vectors, vocabulary: Lookup, k: int, axis: Floats) -> Floats:
    made = np.empty(len(vocabulary.words))
    for part in row_blocks(len(made)):
        made[part] = vectors.unit_at(vocabulary.at[k][part]) @ axis
    return made
