"""What the seed lab measures on: one embedding, or several, trained on samples of a corpus.

With several, every number is measured on each sample, and the samples' disagreement says how sure
it is. Only words that every sample has are used, so that all of them measure the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import combine_fingerprints
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.vectors import (
    Case,
    Control,
    ControlMethod,
    Vectors,
    find_usable_positions,
    order_by_frequency,
)
from weatherglass.vectors import control as take_out

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]


class Trained(Protocol):
    """A model that `weatherglass.corpus.open_models` gives."""

    @property
    def group(self) -> str: ...
    @property
    def is_full(self) -> bool: ...
    @property
    def vectors(self) -> Vectors: ...


@dataclass(frozen=True, eq=False)
class Models:
    """An embedding, and others like it that were trained on samples of the same corpus.

    Attributes
    ----------
    name
        What results call it.
    whole
        The vectors of the whole corpus; where seed sets are generated, its words are drawn from.
    samples
        The vectors of bootstrap samples; numbers are measured on these, if there are any.
    control
        What was done about word frequency in the vectors of the whole corpus, if that was asked.

    Examples
    --------
    >>> one = Vectors.of(["a", "b"], [[1, 0], [0, 1]])
    >>> Models.of(one).each == (one,), Models.of([one, one]).about()["samples"]
    (True, 2)
    """

    name: str
    whole: Vectors
    samples: tuple[Vectors, ...] = ()
    control: Control | None = None

    @classmethod
    def of(cls, given: Any, name: str | None = None) -> Models:
        """From vectors, from several of them, or from what `open_models` gives for one group."""
        if isinstance(given, Models):
            return given if name is None else dataclasses.replace(given, name=name)
        if isinstance(given, Vectors):
            return cls(name or given.source, given)
        several = list(given)
        if not several:
            raise UsageError("There are no vectors to measure on; give at least one.")
        trained = [one for one in several if not isinstance(one, Vectors)]
        groups = {one.group for one in trained}
        if len(groups) > 1:
            raise UsageError(
                f"These models are of {len(groups)} groups ({', '.join(sorted(groups))}); give "
                "those of one group at a time."
            )
        whole = [one.vectors for one in trained if one.is_full]
        samples = [
            one if isinstance(one, Vectors) else one.vectors
            for one in several
            if isinstance(one, Vectors) or not one.is_full
        ]
        first = (whole or samples)[0]
        return cls(name or first.source, first, tuple(samples))

    @property
    def each(self) -> tuple[Vectors, ...]:
        """The vectors that numbers are measured on."""
        return self.samples or (self.whole,)

    def controlled(
        self, method: ControlMethod, progress: Callable[[int, int], None] | None = None
    ) -> Models:
        """The same without word frequency, as `weatherglass.control` takes it out.

        With ``auto`` the vectors of the whole corpus decide for all samples. Of each model its own
        frequencies are taken out.
        """
        draw = progress or (lambda done, total: None)
        total = 1 + len(self.samples)
        draw(0, total)
        whole, done = take_out(self.whole, method)
        if done.method == "none":
            return dataclasses.replace(self, control=done)
        samples = []
        for k, one in enumerate(self.samples, 1):
            draw(k, total)
            samples.append(take_out(one, "frequency")[0])
        return Models(f"{self.name} without frequency", whole, tuple(samples), done)

    def about(self) -> dict[str, Any]:
        """What a result says of them."""
        prints = [one.fingerprint for one in (self.whole, *self.samples)]
        about = {
            "name": self.name,
            "fingerprint": combine_fingerprints(prints),
            "dim": self.whole.dim,
            "words": len(self.whole),
            "samples": len(self.samples),
        }
        return about | ({"control": dataclasses.asdict(self.control)} if self.control else {})


@dataclass(frozen=True, eq=False)
class Lookup:
    """Words in every model.

    Attributes
    ----------
    row
        For each spelling that was asked for and is there, its row; two that are one word in lower
        case have the same.
    words
        The word of each row, as the first model spells it.
    at
        For each model, the positions of the words in its vocabulary.
    """

    row: dict[str, int]
    words: tuple[str, ...]
    at: tuple[Positions, ...]

    @classmethod
    def of(cls, models: Models, words: Iterable[str], case: Case = "auto") -> Lookup:
        """Find words; those that one model does not have, or not with a direction, are left out."""
        asked = list(dict.fromkeys(words))
        found = np.array([find_usable_positions(one, asked, case) for one in models.each], dtype=np.intp)
        rows: dict[int, int] = {}  # of positions in the first model
        row: dict[str, int] = {}
        columns: list[int] = []
        for column in np.flatnonzero((found >= 0).all(axis=0)).tolist():
            place = int(found[0, column])
            if place not in rows:
                rows[place] = len(rows)
                columns.append(column)
            row[asked[column]] = rows[place]
        at = tuple(np.array(one[columns]) for one in found)
        return cls(row, tuple(models.each[0].words[int(place)] for place in at[0]), at)

    def rows(self, words: Sequence[str]) -> list[int]:
        """The rows of those words that are there, each once."""
        return list(dict.fromkeys(self.row[word] for word in words if word in self.row))

    def missing(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words that are not there."""
        return tuple(dict.fromkeys(word for word in words if word not in self.row))


def check_whole(vectors: Vectors) -> None:
    """Raise `CannotMeasure` if only some words of a source were opened."""
    if vectors.part:
        raise CannotMeasure(
            f"Only some words of {vectors.source} were opened, so nothing can be said of its "
            "vocabulary; open all of it."
        )


def frequent(vectors: Vectors, first: int, last: int | None) -> Positions:
    """Positions of usable words by rank of frequency, from `first` (from 1) to `last`.

    By count where the source has counts, else in the order of the file.

    Raises
    ------
    CannotMeasure
        Only some words of the source were opened.

    >>> vectors = Vectors.of(["a", "b", "c"], [[1, 0]] * 3, counts=[5, 9, 7])
    >>> frequent(vectors, 1, 2).tolist()
    [1, 2]
    """
    check_whole(vectors)
    order = order_by_frequency(vectors)[first - 1 : last]
    return order[~np.isin(order, vectors.unusable)]


CONFIDENCE = 0.95


@dataclass(frozen=True)
class Spread:
    """A number that was measured several times.

    Attributes
    ----------
    mean
        Their mean; the number itself, if there is one.
    sd
        Their standard deviation (ddof 1); None for one number.
    low, high
        The percentiles that enclose 95 % of them; None for one number.
    n
        How many there are.

    Examples
    --------
    >>> Spread.of([0.25])
    Spread(mean=0.25, sd=None, low=None, high=None, n=1)
    >>> Spread.of([1.0, 2.0, 3.0])
    Spread(mean=2.0, sd=1.0, low=1.05, high=2.95, n=3)
    """

    mean: float
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 1

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """The mean and spread of at least one number."""
        numbers = np.array(list(values), dtype=np.float64)
        if len(numbers) == 1:
            return cls(float(numbers[0]))
        tail = 100 * (1 - CONFIDENCE) / 2
        low, high = np.percentile(numbers, [tail, 100 - tail]).round(12).tolist()
        return cls(float(numbers.mean()), float(numbers.std(ddof=1)), low, high, len(numbers))

    def __str__(self) -> str:
        return f"{self.mean:.3f}" if self.sd is None else f"{self.mean:.3f} ± {self.sd:.3f}"
