"""What an audit has measured, ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from weatherglass.discovery import Discovery
from weatherglass.measures import Results
from weatherglass.seedlab.findings import Lint
from weatherglass.seedlab.multiverse_record import Multiverse


@dataclass(frozen=True)
class Audited:
    """All that one audit found.

    Attributes
    ----------
    about
        The content of ``run.json``: ``weatherglass`` (version), ``suite`` (id and title),
        ``sources`` (for each its ``name``, ``kind``, ``fingerprint``, ``words`` and ``dim``),
        ``options``, ``machine`` (Python, platform, versions of packages), ``started``,
        ``seconds``, ``command`` (which repeats it), and ``steps``: for each its ``id``, ``title``,
        ``source``, ``kind``, ``status`` (``done``, ``failed``, ``skipped``), ``reason`` and
        ``seconds``.
    results
        Every test and measure on every source, corrected over the tests of each source.
    discoveries, multiverses, lints
        What the steps of these kinds found; each names its source.
    """

    about: dict[str, Any]
    results: Results
    discoveries: tuple[Discovery, ...] = ()
    multiverses: tuple[Multiverse, ...] = ()
    lints: tuple[Lint, ...] = ()
