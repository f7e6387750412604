"""How good an embedding is: the agreement of its associations with ratings by people."""

from __future__ import annotations

from collections.abc import Callable

from weatherglass.measures import NormsResult, norms

from ..session import Session
from ..sources import fingerprints

RATINGS = ("glasgow-valence", "glasgow-gender")
"""The ratings of the catalogue with which embeddings are compared."""


async def measure_quality(session: Session, source: str, job: str = "") -> list[NormsResult]:
    """Correlate the associations of words on one source with ratings by people."""
    vectors = await session.sources.open([source], job)

    def work(report: Callable[..., None]) -> list[NormsResult]:
        results = []
        for done, rating in enumerate(RATINGS):
            report(done, len(RATINGS))
            results.append(norms(vectors[source], rating))
        return results

    key = ("quality", fingerprints(vectors))
    what = "Comparing with ratings by people"
    return await session.jobs.answer(key, what, work, is_long=True, job=job)
