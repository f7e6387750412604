"""Audits that are started from the page: a long job that writes an audit into a folder."""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Literal, get_args

from weatherglass.catalog import load_suite
from weatherglass.errors import CannotWrite
from weatherglass.vectors import Vectors

from ..session import Session
from ..sources import SourceReference, fingerprints

SuiteName = Literal["quick", "standard", "full"]
SUITES: tuple[SuiteName, ...] = get_args(SuiteName)
_BUDGET_SHARE = 0.8  # of the time limit of a job; the rest is for the last step and the report


def suite_titles() -> dict[SuiteName, str]:
    """Return what each suite runs."""
    return {name: f"{name.capitalize()}: {load_suite(name).title}" for name in SUITES}


async def run_audit(session: Session, source: str, suite: SuiteName, job: str = "") -> str:
    """Audit a source with a suite; return the name of the audit in the list.

    The audit is written into the first folder of the server, or into a folder of the session if
    there is none that can be written to. A cancelled audit leaves nothing behind.
    """
    vectors = await session.sources.open([source] if source else [], job)
    (name,) = vectors

    def work(report: Callable[..., None]) -> str:
        (reference,) = session.sources.refer([name])
        folder = session.results_folder()
        stem = re.sub(r"[^\w-]+", "-", name).strip("-")[:40] or "audit"
        run_name = f"{stem}-{suite}-{secrets.token_hex(2)}"
        # Folders whose names begin with a dot are not listed.
        out = folder / f".{run_name}"
        minutes = _BUDGET_SHARE * session.settings.job_seconds / 60
        try:
            session.jobs.call(
                report, _audit_in_process, reference, suite, out, minutes, cache=reference.cache
            )
            out.rename(folder / run_name)
        except OSError as error:
            raise CannotWrite(f"The audit cannot be saved: {error.strerror}.") from None
        finally:
            shutil.rmtree(out, ignore_errors=True)
        return run_name

    key = ("run audit", suite, *fingerprints(vectors))
    return await session.jobs.answer(key, f"Auditing {name}", work, is_long=True, job=job)


def _audit_in_process(
    report: Callable[..., None],
    reference: SourceReference,
    suite: SuiteName,
    out: Path,
    minutes: float,
) -> None:
    from weatherglass.auditing import audit

    def report_step(title: str, done: int, total: int) -> None:
        report(done, total, title)

    # Reports name a source as the pages do: where it has another name, its path stays hidden.
    source: str | Vectors = reference.spec
    if reference.spec != reference.name:
        source = reference.open(report)
    audit(source, out=out, suite=suite, budget=minutes, workers=1, progress=report_step)
