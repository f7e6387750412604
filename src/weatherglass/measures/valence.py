"""Valence: does a source know what people agree on? A check of the source, not of a bias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weatherglass.catalog import load_norms
from weatherglass.catalog import test as catalogue_test
from weatherglass.errors import WeatherglassError

from .association_table import NOT_FOR_TABLES, AssociationTable

if TYPE_CHECKING:
    from .norms import NormsResult

NORMS = "glasgow-valence"

MIN_WORDS = 100
"""Smallest number of rated words: with fewer, the interval of r is wider than ± 0.2."""


@dataclass(frozen=True, slots=True)
class SourceValence:
    """The correlation of a source's associations with how pleasant people find words.

    Attributes
    ----------
    r, low, high
        Pearson's correlation with the valence of the Glasgow Norms over words that are no
        attributes, and its 95 % interval over other words; None if it was not measured.
    n
        The number of words.
    reason
        Why it was not measured.
    """

    r: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str = ""

    @property
    def is_measured(self) -> bool:
        return self.r is not None


_ENCODED_WORDS = 400
"""Rated words that are sent to an encoder; the interval of r is then at most ± 0.1 wide."""


def valence_words() -> list[str]:
    """Return the words that are sent to an encoder: attributes, and every eleventh rated word.

    >>> len(valence_words())
    445
    """
    rated = load_norms(NORMS)
    attributes = catalogue_test(rated.test).sets
    listed = list(rated.words)
    sample = listed[:: max(1, len(listed) // _ENCODED_WORDS)][:_ENCODED_WORDS]
    words = [*sample, *attributes["A"].words, *attributes["B"].words]
    return list(dict.fromkeys(words))


def source_valence(source: Any) -> SourceValence:
    """Measure whether vectors, or an encoder, agree with the ratings of valence by people.

    Rated words that are also attributes are left out: in a small vocabulary they would make noise
    look like agreement, because the cosine of a word with itself is 1.

    Examples
    --------
    >>> import weatherglass as wg
    >>> round(source_valence(wg.open_vectors("default")).r, 2)
    0.6
    """
    from .norms import norms

    if isinstance(source, AssociationTable):
        return SourceValence(reason=NOT_FOR_TABLES)
    try:
        result: NormsResult = norms(source, NORMS, shared="leave out")
    except WeatherglassError as error:
        return SourceValence(reason=str(error).rstrip("."))
    if not result.is_done:
        return SourceValence(reason=result.reason)
    n, interval = len(result.ratings), result.intervals[0]
    if n < MIN_WORDS:
        reason = f"the source has {n} of the rated words; {MIN_WORDS} are needed"
        return SourceValence(n=n, reason=reason)
    return SourceValence(result.pearson, interval.low, interval.high, n)
