"""Audits as jobs: what one found, with the report's sections about it; what changed between two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

import markupsafe
from starlette.concurrency import run_in_threadpool

from weatherglass.auditing.changes import Changed, changes
from weatherglass.errors import BadContent, UsageError, WeatherglassError, shown
from weatherglass.report import audit_effects, audit_end, audit_top
from weatherglass.report.arranged import short_names, sources
from weatherglass.report.audited import Audited
from weatherglass.report.markup import Markup

from .audits_folders import Run, find_run
from .charts import figure
from .jobs import Cancelled
from .session import Session

T = TypeVar("T")


async def audited(here: Session, name: str, job: str = "") -> tuple[Run, Audited]:
    """A run, and all that it found."""
    run = await run_in_threadpool(find_run, here.settings.folders, name)

    def work(report: Callable[..., None]) -> Audited:
        return run.opened()

    key = ("audit", run.state)
    what = f"Reading {run.name}"
    return run, await here.jobs.answer(key, what, work, is_long=True, job=job)


async def seen(here: Session, name: str, job: str = "") -> tuple[Run, markupsafe.Markup]:
    """A run, and the report's sections about what was measured and found."""
    run, found = await audited(here, name, job)

    def work(report: Callable[..., None]) -> markupsafe.Markup:
        return _whole(run.name, lambda: _sections(run, found))

    key = ("audit seen", run.state)
    return run, await here.jobs.answer(key, "Putting it together", work, is_long=True, job=job)


def _whole(name: str, make: Callable[[], T]) -> T:
    """What is made of a run's files; these may say anything, and then it is the run's fault."""
    try:
        return make()
    except (WeatherglassError, Cancelled):
        raise
    except Exception:
        raise BadContent(f"The audit {shown(name)} is damaged; run it again.") from None


def _sections(run: Run, found: Audited) -> markupsafe.Markup:
    names = short_names(sources(found))
    at = urlencode({"run": run.name})

    def draw(make: Any, name: str, told: str, **options: Any) -> Markup:
        return figure(f"/audits/effects.json?{at}", f"/audits/effects.svg?{at}", told)

    made = "".join(
        (
            audit_top.findings(found, names),
            audit_top.measured_on(found, names),
            *audit_effects.effects(found, names, draw),
            *audit_end.not_done(found, names),
            audit_end.repeat(found),
        )
    )
    report = f'href="/audits/report?{at}#discovery" target="_blank"'
    return markupsafe.Markup(made.replace('href="#discovery"', report))


@dataclass(frozen=True)
class Compared:
    """Two runs, and every number that differs; `several` where one of them has several sources."""

    before: Run
    after: Run
    changes: tuple[Changed, ...]
    several: bool

    @property
    def both(self) -> list[Changed]:
        """What both have, and not alike; the vectors themselves apart."""
        return [one for one in self.changes if one.of_both and one.measure != "source"]

    @property
    def other_vectors(self) -> bool:
        """Whether the vectors of a source are not those that they were."""
        return any(one.of_both and one.measure == "source" for one in self.changes)

    @property
    def gone(self) -> int:
        """How many numbers only the first has."""
        return sum(one.after is None for one in self.changes)

    @property
    def new(self) -> int:
        """How many numbers only the second has."""
        return sum(one.before is None for one in self.changes)

    @property
    def query(self) -> str:
        """The comparison as the end of an address."""
        return urlencode({"before": self.before.name, "after": self.after.name})


async def changed(here: Session, before: str, after: str, job: str = "") -> Compared:
    """What changed between two runs."""
    if before == after:
        raise UsageError("Choose two audits that are not the same.")
    first, old = await audited(here, before, job)
    second, new = await audited(here, after, job)

    def work(report: Callable[..., None]) -> Compared:
        found = _whole(f"{first.name} or {second.name}", lambda: changes(old, new))
        several = max(len(one.about.sources) for one in (first, second)) > 1
        return Compared(first, second, found, several)

    key = ("changes", first.state, second.state)
    return await here.jobs.answer(key, "Comparing", work, job=job)
