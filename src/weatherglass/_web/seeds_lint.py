"""What is known of a seed set, or of two: lint, the words they share, how alike they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from weatherglass.catalog import Pairing, SeedSet, pairings, seeds
from weatherglass.errors import UsageError
from weatherglass.seedlab.checks import SEVERITIES
from weatherglass.seedlab.findings import Finding, Lint
from weatherglass.seedlab.lint import lint

from .session import Session
from .settings import Settings
from .sources import prints
from .typed import read_set

_LONG = 300  # words; to look at more takes seconds


async def looked_at(
    here: Session, one: SeedSet, other: SeedSet | None, source: str, job: str = ""
) -> Lint:
    """What lint says of a set, or of two that are held against each other, in a source."""
    vectors = await here.sources.opened([source] if source else [], job)
    (first,) = vectors.values()

    def work(report: Callable[..., None]) -> Lint:
        return lint(one, against=other or (), source=first, progress=report)

    size = len(one) + (len(other) if other else 0)
    key = ("seed lint", one, other, *prints(vectors))
    return await here.jobs.answer(key, "Looking at the words", work, is_long=size > _LONG, job=job)


def gravest_first(found: Lint) -> list[Finding]:
    """The findings, errors on top."""
    return sorted(found.findings, key=lambda one: -SEVERITIES.index(one.severity))


def set_of(text: str, settings: Settings, called: str) -> SeedSet:
    """A set of the catalogue, or words of one's own under a name.

    Raises
    ------
    UnknownEntry
        The catalogue has no such set.
    UsageError
        There are no words.

    Examples
    --------
    >>> set_of("@career-Caliskan_et_al_2017", Settings(), "mine").concept
    'career'
    >>> set_of("sun, moon", Settings(), "mine").words
    ('sun', 'moon')
    """
    alone = text.strip().removeprefix("@")
    if text.strip().startswith("@") and not any(mark in alone for mark in " ,;@"):
        if "." not in alone or alone.rpartition(".")[2] not in "XYAB":
            return seeds(alone)
        called = alone
    typed = read_set(text, settings)
    if not typed.words:
        raise UsageError("There are no words; a set of the catalogue or words were expected.")
    return SeedSet(id=called, words=typed.words)


@dataclass(frozen=True, eq=False)
class Compared:
    """Two sets beside each other."""

    one: SeedSet
    other: SeedSet
    found: Lint

    @property
    def shared(self) -> list[str]:
        """The words of both."""
        return [word for word in dict.fromkeys(self.one.words) if word in set(self.other.words)]

    @property
    def only(self) -> tuple[list[str], list[str]]:
        """The words of the first alone, and of the second alone."""
        both = set(self.shared)
        first, second = (
            [word for word in dict.fromkeys(some.words) if word not in both]
            for some in (self.one, self.other)
        )
        return first, second

    def value(self, check: str) -> float | None:
        """The number of a check of both sets, if it was run and found something."""
        return next((one.value for one in self.found.findings if one.check == check), None)

    @property
    def pairing(self) -> Pairing | None:
        """The study that holds the two against each other, if one does."""
        every = (one for one in pairings() if set(one.sets) == {self.one.id, self.other.id})
        return next(every, None)


async def compared(
    here: Session, one: SeedSet, other: SeedSet, source: str, job: str = ""
) -> Compared:
    """Hold two sets against each other."""
    if one.id == other.id:
        raise UsageError("These are one and the same set; two were expected.")
    return Compared(one, other, await looked_at(here, one, other, source, job))
