"""Words as they are typed: which a source does not have, and what lint says of the set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from weatherglass.catalog import SeedSet, seeds
from weatherglass.errors import UnknownEntry, WeatherglassError, shown
from weatherglass.measures.words import find_words
from weatherglass.seedlab.findings import Finding
from weatherglass.seedlab.lint import lint

from .session import Session
from .sources import prints
from .typed import Typed


@dataclass(frozen=True)
class Looked:
    """A set in some sources.

    `missing` has the words that each source lacks, `wrong` why a source cannot be asked, and
    `findings` what lint says of the set on the first source, the gravest first.
    """

    missing: dict[str, tuple[str, ...]]
    wrong: dict[str, str]
    findings: tuple[Finding, ...]


async def looked_up(here: Session, sources: Sequence[str], typed: Typed, job: str = "") -> Looked:
    """Look the words of a set up."""
    vectors = await here.sources.opened(sources, job)

    def work(report: Callable[..., None]) -> Looked:
        missing, wrong = {}, {}
        for name, one in vectors.items():
            try:
                missing[name] = find_words(one, typed.words, "auto").missing
            except WeatherglassError as error:
                wrong[name] = str(error)
        first = next(iter(vectors.values()))
        found = lint(_seed_set(typed), source=first).at_least("warning")
        told = (one for one in found if one.check != "missing")  # the words themselves are shown
        return Looked(missing, wrong, tuple(sorted(told, key=lambda one: one.severity)))

    return await here.jobs.answer(
        ("words", typed, prints(vectors)), "Looking words up", work, job=job
    )


def _seed_set(typed: Typed) -> SeedSet:
    """A set for lint: the catalogue's own, with its repeats, if it is one of its seed sets."""
    if len(typed.references) == 1 and typed.references[0].words == typed.words:
        with suppress(UnknownEntry):  # a set of a test
            return seeds(typed.references[0].name)
    visible = "".join(c for c in typed.label if c.isprintable()).strip()
    return SeedSet(id=visible or shown(typed.words[0], 20), words=typed.words)
