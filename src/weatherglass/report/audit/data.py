"""`AuditResult`, the results of an audit, and how a report groups them by test and source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from weatherglass.catalog import dimension_position
from weatherglass.discovery import Discovery
from weatherglass.errors import CannotMeasure
from weatherglass.measures import Results, Tabular
from weatherglass.seedlab import Lint, Multiverse

from ..html import spell
from ..model_titles import MODEL_TITLES


@dataclass(frozen=True, repr=False)
class AuditResult(Tabular):
    """All results of one audit.

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
        The results of the steps of these kinds; each names its source.
    """

    about: dict[str, Any]
    results: Results
    discoveries: tuple[Discovery, ...] = ()
    multiverses: tuple[Multiverse, ...] = ()
    lints: tuple[Lint, ...] = ()

    def __repr__(self) -> str:
        sources = len(source_names(self))
        noun = "source" if sources == 1 else "sources"
        return f"<AuditResult on {sources:,} {noun}: {len(self.results):,} results>"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat row for each test and measure."""
        return self.results.to_rows()

    def plot(self, **options: Any) -> Any:
        """Draw the forest plot of all effects with intervals; `audit_figures` draws all charts."""
        from ..charts import draw_forest  # charts draw what this module groups

        tests = [test for test in association_tests(self.results) if test.done]
        if not tests:
            raise CannotMeasure("There is nothing to draw: no association test was run.")
        return draw_forest(tests, model_names(source_names(self)), **options)

    def _repr_html_(self) -> str:
        from .headline import findings_section  # the sections of a page are about this class

        findings = findings_section(self, model_names(source_names(self)))
        return str(findings) + super()._repr_html_()


Names = Mapping[str, str]
"""Short names of the sources, in the order of the audit."""


@dataclass(frozen=True)
class TestBySource:
    """A test or measure, with its result on each source."""

    measure: str
    test: str
    title: str
    results: dict[str, Any] = field(default_factory=dict)

    @property
    def done(self) -> dict[str, Any]:
        """The results with numbers."""
        return {name: result for name, result in self.results.items() if result.is_done}

    @property
    def any(self) -> Any:
        """Any of the results: title, labels and published figures are the same in all."""
        return next(iter((self.done or self.results).values()))


def group_by_test(results: Iterable[Any]) -> list[TestBySource]:
    """Group results by test, in the order in which the tests were first run."""
    tests: list[TestBySource] = []
    for result in results:
        test = next((t for t in tests if _is_same_test(t, result)), None)
        if test is None:
            test = TestBySource(result.measure, result.test, result.title)
            tests.append(test)
        test.results[result.source_name] = result
    return tests


def _is_same_test(test: TestBySource, result: Any) -> bool:
    """Whether a result belongs to a test that has no result on its source yet."""
    is_same = (test.measure, test.test) == (result.measure, result.test)
    return is_same and result.source_name not in test.results


def association_tests(results: Results) -> list[TestBySource]:
    """Association tests of words, by social dimension; controls are last."""
    tests = group_by_test(result for result in results if result.section == "words")
    return sorted(tests, key=_dimension_position)


def sentence_tests(results: Results) -> list[TestBySource]:
    """Association tests of sentences, by social dimension; controls are last."""
    tests = group_by_test(result for result in results if result.section == "sentences")
    return sorted(tests, key=_dimension_position)


def retrieval_tests(results: Results) -> list[TestBySource]:
    """Rankings of documents that differ in a name, two groups of names at a time."""
    return group_by_test(result for result in results if result.section == "retrieval")


def _dimension_position(test: TestBySource) -> int:
    return dimension_position(test.any.dimension)


def factual_tests(results: Results) -> list[TestBySource]:
    """Factual tests."""
    return group_by_test(result for result in results if result.section == "facts")


def other_measures(results: Results) -> list[TestBySource]:
    """Everything else, by measure."""
    rest = [result for result in results if result.section == "measures"]
    order = list(dict.fromkeys(result.measure for result in rest))
    return group_by_test(sorted(rest, key=lambda result: order.index(result.measure)))


def source_names(audit: AuditResult) -> list[str]:
    """The names of all sources, in the order of the audit."""
    listed = [str(source.get("name", "")) for source in audit.about.get("sources", ())]
    results: list[Any] = [
        *audit.results,
        *audit.discoveries,
        *audit.multiverses,
        *(lint for lint in audit.lints if lint.source),
    ]
    return list(dict.fromkeys([*filter(None, listed), *(r.source_name for r in results)]))


def model_names(names: Sequence[str]) -> dict[str, str]:
    """What people call each source: GloVe 6B for the default vectors, else its short name."""
    return {name: MODEL_TITLES.get(name, short) for name, short in short_names(names).items()}


def short_names(names: Sequence[str]) -> dict[str, str]:
    """A short name for each source: the last part of a path, or the last two where these clash.

    >>> short_names(["default", "/a/b/c.txt", "/a/d/c.txt", "/a/d.vec"])["/a/b/c.txt"]
    'b/c.txt'
    """
    last_parts = {name: PurePath(name).name or name for name in names}
    counts = Counter(last_parts.values())
    return {
        name: spell(
            last if counts[last] == 1 else "/".join(PurePath(name).parts[-2:]), phrase=False
        )
        for name, last in last_parts.items()
    }
