"""Audits as jobs: what one found, as it is shown, and what changed between two."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

import markupsafe
from starlette.concurrency import run_in_threadpool

from weatherglass.auditing.changes import Changed, changes
from weatherglass.errors import BadContent, UsageError, WeatherglassError, shown
from weatherglass.report import audit_effects, audit_end, audit_top, rounding
from weatherglass.report.arranged import short_names, sources
from weatherglass.report.audited import Audited
from weatherglass.report.markup import Markup, element, joined
from weatherglass.report.tables import table
from weatherglass.report.words import sentence

from .jobs import Cancelled
from .runs import Run, find_run
from .session import Session

T = TypeVar("T")
_PS = ("p", "p_rotation", "p_holm", "pearson_p")
_NUMBERS = {
    "p_rotation": "p, random rotations",
    "p_holm": "p, Holm's correction",
    "pearson": "Pearson's r",
    "pearson_p": "p of Pearson's r",
    "spearman": "Spearman's ρ",
}


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
        still = element("img", src=f"/audits/effects.svg?{at}", alt=told)
        room = element(
            "div", element("noscript", still), class_="picture", role="img", aria_label=told
        )
        return element("figure", room, class_="chart", data_spec=f"/audits/effects.json?{at}")

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


def all_of(runs: Sequence[Run]) -> markupsafe.Markup:
    """Runs as a table of links."""
    rows = []
    for run in runs:
        at = f"/audits/run?{urlencode({'run': run.name})}"
        names = short_names([one.name for one in run.about.sources]).values()
        steps = ", ".join(f"{count:,} {status}" for status, count in run.counts.items())
        rows.append(
            (
                element("a", element("bdi", sentence(run.name)), href=at),
                element(
                    "span",
                    joined(*(element("bdi", sentence(name)) for name in names), between=", "),
                ),
                sentence(run.about.suite.id),
                sentence(run.when),
                sentence(steps),
            )
        )
    heads = ("Audit", "Sources", "Suite", "When (UTC)", "Steps")
    return markupsafe.Markup(table("Audits", heads, rows))


def listed(some: Sequence[Changed], several: bool) -> markupsafe.Markup:
    """Changes as a table."""
    rows = [
        (
            sentence(one.test),
            *([element("bdi", sentence(one.source))] if several else []),
            sentence(one.measure),
            sentence(_NUMBERS.get(one.number, one.number)),
            *map(sentence, written(one)),
        )
        for one in some
    ]
    heads = ("Test", *(["Source"] if several else []), "Measure", "Number", "Before", "After")
    last = len(heads) - 1
    return markupsafe.Markup(table("Changes", heads, rows, numbers=(last - 1, last)))


def written(one: Changed) -> tuple[str, str]:
    """Both numbers as pages write them; with more digits where these hide the change.

    >>> written(Changed("", "weat", "weat6", "effect", 1.7078, 1.7112))
    ('1.708', '1.711')
    >>> written(Changed("", "weat", "weat6", "p", 0.0123, 0.5))
    ('0.012', '0.50')
    """
    pair = (one.before, one.after)
    if not all(isinstance(value, float) for value in pair):
        before, after = map(str, pair)
        return before, after
    forms: list[Callable[[Any], str]] = [
        rounding.p_value if one.number in _PS else rounding.effect,
        *(f"{{:.{digits}g}}".format for digits in (4, 6, 17)),
    ]
    for form in forms:
        before, after = map(form, pair)
        if before != after:
            break
    return before, after


def as_csv(some: Sequence[Changed]) -> str:
    """Changes as CSV."""
    stream = io.StringIO()
    names = [*Changed.__dataclass_fields__]
    writer = csv.DictWriter(stream, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(one) for one in some)
    return stream.getvalue()
