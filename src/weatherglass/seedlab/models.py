"""The models that the seed lab measures: one embedding, or one for each bootstrap sample.

With several, every number is measured on each sample, and its spread over the samples is its
uncertainty. Only words that every sample has are used, so that all samples measure the same thing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import combine_fingerprints
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.measures import need_whole
from weatherglass.vectors import (
    Case,
    Control,
    Vectors,
    control_phrase,
    find_usable_positions,
    is_pair,
    order_by_frequency,
)
from weatherglass.vectors import control as control_vectors

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]


class TrainedModel(Protocol):
    """A model from `weatherglass.corpus.open_models`."""

    @property
    def group(self) -> str: ...
    @property
    def is_full(self) -> bool: ...
    @property
    def vectors(self) -> Vectors: ...


def _is_trained(model: object) -> bool:
    return hasattr(model, "is_full") and hasattr(model, "group")


@dataclass(frozen=True, eq=False)
class Models:
    """An embedding, and those trained on bootstrap samples of the same corpus.

    Attributes
    ----------
    name
        Its name in results.
    whole
        The vectors of the whole corpus; generated seed sets take their words from these.
    samples
        The vectors of bootstrap samples; if there are any, numbers are measured on these.
    control
        The control of the vectors of the whole corpus, if one was requested.

    Examples
    --------
    >>> vectors = Vectors.of(["a", "b"], [[1, 0], [0, 1]])
    >>> Models.of(vectors).each == (vectors,), Models.of([vectors, vectors]).about()["samples"]
    (True, 2)
    """

    name: str
    whole: Vectors
    samples: tuple[Vectors, ...] = ()
    control: Control | None = None

    @classmethod
    def of(cls, models: Any, name: str | None = None) -> Models:
        """Build from a source, from a list of them, or from the `open_models` of one group."""
        if isinstance(models, Models):
            return models if name is None else dataclasses.replace(models, name=name)
        is_list = isinstance(models, list | tuple | Iterator) and not is_pair(models)
        if not is_list and not _is_trained(models):
            vectors = need_whole(models, "The seed lab")
            return cls(name or vectors.source, vectors)
        several = [
            model if _is_trained(model) else need_whole(model, "The seed lab")
            for model in (models if is_list else [models])
        ]
        if not several:
            raise UsageError("There are no vectors to measure; give at least one model.")
        trained = [model for model in several if not isinstance(model, Vectors)]
        groups = {model.group for model in trained}
        if len(groups) > 1:
            raise UsageError(
                f"These models are of {len(groups)} groups ({', '.join(sorted(groups))}); give "
                "those of one group at a time."
            )
        whole = [model.vectors for model in trained if model.is_full]
        samples = [
            model if isinstance(model, Vectors) else model.vectors
            for model in several
            if isinstance(model, Vectors) or not model.is_full
        ]
        first = (whole or samples)[0]
        return cls(name or first.source, first, tuple(samples))

    @property
    def each(self) -> tuple[Vectors, ...]:
        """The vectors that numbers are measured on."""
        return self.samples or (self.whole,)

    def controlled(self, method: str, progress: Callable[[int, int], None] | None = None) -> Models:
        """Return the same models after a control, as by `weatherglass.control`.

        With ``auto`` the vectors of the whole corpus decide for all samples. Each sample is
        controlled for its own frequencies, mean and axes.
        """
        report = progress or (lambda done, total: None)
        total = 1 + len(self.samples)
        report(0, total)
        whole, control = control_vectors(self.whole, method)
        if control.method == "none":
            return dataclasses.replace(self, control=control)
        samples = []
        for k, sample in enumerate(self.samples, 1):
            report(k, total)
            samples.append(control_vectors(sample, control.method)[0])
        name = f"{self.name} {control_phrase(control.method)}"
        return Models(name, whole, tuple(samples), control)

    def about(self) -> dict[str, Any]:
        """Return the name, fingerprint and sizes that results record."""
        fingerprints = [vectors.fingerprint for vectors in (self.whole, *self.samples)]
        about = {
            "name": self.name,
            "fingerprint": combine_fingerprints(fingerprints),
            "dim": self.whole.dim,
            "words": len(self.whole),
            "samples": len(self.samples),
        }
        return about | ({"control": dataclasses.asdict(self.control)} if self.control else {})


@dataclass(frozen=True, eq=False)
class Lookup:
    """Positions of words in every model.

    Attributes
    ----------
    row
        The row of each requested spelling that was found; spellings of the same word share a row.
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
        """Look up words, leaving out those for which some model has no usable vector."""
        spellings = list(dict.fromkeys(words))
        positions = np.array(
            [find_usable_positions(vectors, spellings, case) for vectors in models.each],
            dtype=np.intp,
        )
        rows: dict[int, int] = {}  # by position in the first model
        row: dict[str, int] = {}
        columns: list[int] = []
        for column in np.flatnonzero((positions >= 0).all(axis=0)).tolist():
            position = int(positions[0, column])
            if position not in rows:
                rows[position] = len(rows)
                columns.append(column)
            row[spellings[column]] = rows[position]
        at = tuple(np.array(line[columns]) for line in positions)
        return cls(row, tuple(models.each[0].words[int(position)] for position in at[0]), at)

    def rows(self, words: Sequence[str]) -> list[int]:
        """Return the rows of the words that were found, without duplicates."""
        return list(dict.fromkeys(self.row[word] for word in words if word in self.row))

    def missing(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return the words that were not found."""
        return tuple(dict.fromkeys(word for word in words if word not in self.row))


def require_whole(vectors: Vectors) -> None:
    """Raise `CannotMeasure` if only some words of a source were opened."""
    if vectors.part:
        raise CannotMeasure(
            f"Only some words of {vectors.source} were opened, but this needs the whole "
            "vocabulary; open all of it."
        )


def positions_by_rank(vectors: Vectors, first: int, last: int | None) -> Positions:
    """Return the positions of usable words of frequency rank `first` (from 1) to `last`.

    Ranks are by count where the source has counts, else by the order of the file.

    Raises
    ------
    CannotMeasure
        Only some words of the source were opened.

    >>> vectors = Vectors.of(["a", "b", "c"], [[1, 0]] * 3, counts=[5, 9, 7])
    >>> positions_by_rank(vectors, 1, 2).tolist()
    [1, 2]
    """
    require_whole(vectors)
    order = order_by_frequency(vectors)[first - 1 : last]
    return order[~np.isin(order, vectors.unusable)]


CONFIDENCE = 0.95


@dataclass(frozen=True)
class Spread:
    """The mean and spread of repeated measurements.

    Attributes
    ----------
    mean
        The mean; of a single measurement, its value.
    sd
        The standard deviation (ddof 1); None for a single measurement.
    low, high
        The percentiles that enclose 95 % of the measurements; None for a single one.
    n
        The number of measurements.

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
        """Summarise at least one measurement."""
        numbers = np.array(list(values), dtype=np.float64)
        if len(numbers) == 1:
            return cls(float(numbers[0]))
        tail = 100 * (1 - CONFIDENCE) / 2
        low, high = np.percentile(numbers, [tail, 100 - tail]).round(12).tolist()
        return cls(float(numbers.mean()), float(numbers.std(ddof=1)), low, high, len(numbers))

    def __str__(self) -> str:
        return f"{self.mean:.3f}" if self.sd is None else f"{self.mean:.3f} ± {self.sd:.3f}"
