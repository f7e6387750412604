"""Open the folder of a run that was made before."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any

from weatherglass.discovery import Discovery
from weatherglass.errors import BadContent, SourceNotFound
from weatherglass.measures import Results
from weatherglass.report.audited import Audited
from weatherglass.seedlab.findings import Lint
from weatherglass.seedlab.multiverse_record import Multiverse

from .folder import RUN, STEPS, kept
from .steps import Payload


def open_audit(folder: str | PathLike[str]) -> Audited:
    """What an audit found.

    Parameters
    ----------
    folder
        The folder that `audit` wrote.
    """
    folder = Path(folder)
    about = read_run(folder)
    found = [kept(folder / STEPS / step["file"]) for step in about["steps"] if step["file"]]
    return gathered(about, [one for one in found if one is not None])


def read_run(folder: Path) -> dict[str, Any]:
    """The content of ``run.json``."""
    path = folder / RUN
    if not path.is_file():
        raise SourceNotFound(f"{folder} is not the folder of an audit: it has no {RUN}.")
    try:
        about: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        assert {"suite", "sources", "options", "steps"} <= set(about)
    except (OSError, ValueError, AssertionError, TypeError):
        raise BadContent(f"{path} is damaged; run the audit again.") from None
    return about


def gathered(about: dict[str, Any], found: list[Payload]) -> Audited:
    """All findings in their places; the tests of each source corrected together."""
    results: list[Any] = []
    for source in dict.fromkeys(step["source"] for step in about["steps"]):
        here = [
            one
            for some in found
            if isinstance(some, Results)
            for one in some
            if one.source.get("name") == source
        ]
        results += Results.of(here).correct()
    return Audited(
        about,
        Results.of(results),
        tuple(one for one in found if isinstance(one, Discovery)),
        tuple(one for one in found if isinstance(one, Multiverse)),
        tuple(one for one in found if isinstance(one, Lint)),
    )
