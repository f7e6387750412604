"""What an audit has measured, ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from weatherglass.discovery import Discovery
from weatherglass.measures import Results
from weatherglass.measures.showing import Shown
from weatherglass.seedlab.findings import Lint
from weatherglass.seedlab.multiverse_record import Multiverse


@dataclass(frozen=True)
class Audited(Shown):
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

    def to_rows(self) -> list[dict[str, Any]]:
        """One flat row for each test and measure."""
        return self.results.to_rows()

    def plot(self, **options: Any) -> Any:
        """The forest plot: every effect with its interval; `audit_figures` makes all pictures."""
        from weatherglass.errors import CannotMeasure
        from weatherglass.report.arranged import association_tests, short_names, sources
        from weatherglass.report.forest import forest

        tests = [one for one in association_tests(self.results) if one.done]
        if not tests:
            raise CannotMeasure("There is nothing to draw: no association test was run.")
        return forest(tests, short_names(sources(self)), **options)

    def _repr_html_(self) -> str:
        from weatherglass.report.arranged import short_names, sources
        from weatherglass.report.audit_top import findings

        return findings(self, short_names(sources(self))) + super()._repr_html_()
