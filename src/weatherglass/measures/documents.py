"""How much a number depends on the choice of documents: the same measurement on bootstrap samples.

Vectors that were trained here know the models of bootstrap samples of their documents. Each measure
is run on these as well; the standard deviation of what they give is the standard error of the
number, as documents vary.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from weatherglass.errors import join_first, quote_safe
from weatherglass.significance import MIN_FOR_INTERVAL, Interval, retrained_interval
from weatherglass.vectors import Vectors, open_vectors

from .association_table import Embedding
from .word_sets import spellings

if TYPE_CHECKING:
    from .measurement import Measurement

Measured = TypeVar("Measured", bound="Measurement")

CONFIDENCE = 0.95
_MAX_WORDS = 10  # named in a note


@dataclass(frozen=True, slots=True)
class DocumentSamples:
    """A number on models that were trained on bootstrap samples of the documents.

    Attributes
    ----------
    values
        The number on each sample that could be measured.
    low, high
        The 95 % interval over documents, number ± t · standard deviation of the samples; None with
        fewer than 20 samples.
    samples
        The number of samples; some may lack too many words.
    rare
        Words of the test that are too rare in some sample, and are left out there.
    is_shifted
        Whether the number is more than a standard deviation from the mean of its samples.

    Examples
    --------
    >>> samples = DocumentSamples((0.5, 0.7), None, None, 2)
    >>> round(samples.mean, 2), round(samples.sd, 2)
    (0.6, 0.14)
    """

    values: tuple[float, ...]
    low: float | None
    high: float | None
    samples: int
    rare: tuple[str, ...] = ()
    is_shifted: bool = False

    @property
    def mean(self) -> float | None:
        """The mean of the samples."""
        return math.fsum(self.values) / len(self.values) if self.values else None

    @property
    def sd(self) -> float | None:
        """The standard deviation of the samples (ddof 1), the standard error of the number."""
        mean = self.mean
        if mean is None or len(self.values) < 2:
            return None
        squares = math.fsum((value - mean) ** 2 for value in self.values)
        return math.sqrt(squares / (len(self.values) - 1))

    @property
    def interval(self) -> Interval | None:
        """The interval over documents; None with fewer than 20 samples."""
        if self.low is None or self.high is None:
            return None
        about = "resampled documents"
        return Interval(self.low, self.high, CONFIDENCE, "documents", len(self.values), about)

    def notes(self) -> list[str]:
        """Say what to be careful about, in phrases that follow the name of a test."""
        notes = []
        if self.low is None:
            notes.append(
                f"no interval over documents, which needs {MIN_FOR_INTERVAL} bootstrap samples; "
                f"{len(self.values)} could be measured"
            )
        elif len(self.values) < self.samples:
            notes.append(
                f"{self.samples - len(self.values)} of {self.samples} bootstrap samples lack too "
                "many words; the interval over documents is of the others"
            )
        if self.is_shifted:
            notes.append(
                "the number is more than a standard deviation from the mean of its bootstrap "
                f"samples ({self.mean:.2f}), so it depends on the size of the corpus; do not rely "
                "on its interval over documents"
            )
        if self.rare:
            listed = join_first(map(quote_safe, self.rare), _MAX_WORDS)
            notes.append(f"too rare in some bootstrap sample, and left out there: {listed}")
        return notes


def with_documents(
    result: Measured,
    vectors: Embedding,
    sets: Mapping[str, Any] | None,
    measure: Callable[[Vectors], Measured],
) -> Measured:
    """Return a result with the same number on bootstrap samples of the documents, if there are any.

    Parameters
    ----------
    result, vectors
        The result, and the vectors that were measured.
    sets
        The word sets of the measurement; None if it needs all words.
    measure
        The same measurement on other vectors.
    """
    number = result.main_value
    paths = vectors.bootstraps if isinstance(vectors, Vectors) else ()
    if not paths or number is None or not result.is_done:
        return result
    words = None if sets is None else spellings(sets.values())
    repeated = [measure(open_vectors(path, words=words)) for path in paths]
    values = tuple(
        again.main_value for again in repeated if again.is_done and again.main_value is not None
    )
    low, high = retrained_interval(number, values) or (None, None)
    samples = DocumentSamples(values, low, high, len(repeated), _rare_words(result, repeated))
    if samples.mean is not None and samples.sd is not None:
        is_shifted = abs(number - samples.mean) > samples.sd
        samples = dataclasses.replace(samples, is_shifted=is_shifted)
    return dataclasses.replace(result, document_samples=samples)


def _rare_words(result: Measurement, repeated: Iterable[Measurement]) -> tuple[str, ...]:
    """Return the words that the result used, but some sample does not have."""
    missing = {
        (name, word)
        for again in repeated
        for name, words in again.missing.items()
        for word in words
    }
    return tuple(
        dict.fromkeys(
            word
            for name, words in result.words.items()
            for word in words
            if (name, word) in missing
        )
    )


def document_columns(documents: DocumentSamples | None) -> dict[str, Any]:
    """Return the columns of a row; none if there are no bootstrap samples."""
    if documents is None:
        return {}
    return {
        "documents_low": documents.low,
        "documents_high": documents.high,
        "documents_mean": documents.mean,
        "documents_sd": documents.sd,
        "documents_samples": len(documents.values),
    }
