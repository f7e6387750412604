"""What an audit has measured, ready to be shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from weatherglass.discovery import Discovery
from weatherglass.measures import CeatResult, Results, SeatResult, Shown, WeatResult, WefatResult
from weatherglass.seedlab import Lint, Multiverse

from ..html import spell


@dataclass(frozen=True)
class AuditResult(Shown):
    """All that one audit found.

    Attributes
    ----------
    about
        The content of ``run.json``: ``weatherglass`` (version), ``suite`` (id and title),
        ``source_names`` (for each its ``name``, ``kind``, ``fingerprint``, ``words`` and ``dim``),
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

        pass
        from ..charts import draw_forest

        tests = [one for one in association_tests(self.results) if one.done]
        if not tests:
            raise CannotMeasure("There is nothing to draw: no association test was run.")
        return draw_forest(tests, short_names(source_names(self)), **options)

    def _repr_html_(self) -> str:
        pass
        from .headline import findings_section

        return findings_section(self, short_names(source_names(self))) + super()._repr_html_()


Names = Mapping[str, str]
"""What each source is called on a page, in the order of the audit."""


@dataclass(frozen=True)
class TestBySource:
    """A test or measure, and what it gave on each source that it was run on."""

    measure: str
    test: str
    title: str
    on: dict[str, Any] = field(default_factory=dict)

    @property
    def done(self) -> dict[str, Any]:
        """The results with numbers."""
        return {name: one for name, one in self.on.items() if one.status == "done"}

    @property
    def any(self) -> Any:
        """One of the results: title, labels and published figures are the same in all."""
        return next(iter((self.done or self.on).values()))


def group_by_test(results: Iterable[Any]) -> list[TestBySource]:
    """The tests in the order in which they were first run."""
    made: list[TestBySource] = []
    for one in results:
        source = source_name(one)
        key = (one.measure, one.test)
        rows = (row for row in made if (row.measure, row.test) == key and source not in row.on)
        row = next(rows, None)
        if row is None:
            row = TestBySource(one.measure, one.test, one.title)
            made.append(row)
        row.on[source] = one
    return made


def association_tests(results: Results) -> list[TestBySource]:
    """Association tests of words."""
    return group_by_test(
        r for r in results if isinstance(r, WeatResult) and not isinstance(r, SeatResult)
    )


def sentence_tests(results: Results) -> list[TestBySource]:
    """Association tests of sentences."""
    return group_by_test(r for r in results if isinstance(r, SeatResult))


def factual_tests(results: Results) -> list[TestBySource]:
    """Factual tests."""
    return group_by_test(r for r in results if isinstance(r, WefatResult))


def other_measures(results: Results) -> list[TestBySource]:
    """Everything else, by measure."""
    rest = [r for r in results if not isinstance(r, WeatResult | WefatResult)]
    order = list(dict.fromkeys(one.measure for one in rest))
    return group_by_test(sorted(rest, key=lambda one: order.index(one.measure)))


def source_name(one: Any) -> str:
    """The name of the source that something was found on."""
    return str(one.source.get("name", "an embedding"))


def source_names(audited: AuditResult) -> list[str]:
    """Every source, in the order of the audit."""
    first = [str(one.get("name", "")) for one in audited.about.get("sources", ())]
    found: list[Any] = [
        *audited.results,
        *audited.discoveries,
        *audited.multiverses,
        *(lint for lint in audited.lints if lint.source),
    ]
    return list(dict.fromkeys([*filter(None, first), *map(source_name, found)]))


def short_names(names: Sequence[str]) -> dict[str, str]:
    """A short name for each source: of a path its last part, or two where these are the same.

    >>> short_names(["default", "/a/b/c.txt", "/a/d/c.txt", "/a/d.vec"])["/a/b/c.txt"]
    'b/c.txt'
    """
    last = {name: PurePath(name).name or name for name in names}
    times = Counter(last.values())
    return {
        name: spell(
            short if times[short] == 1 else "/".join(PurePath(name).parts[-2:]), phrase=False
        )
        for name, short in last.items()
    }


def find_multiverse(one: Any, multiverses: Sequence[Multiverse]) -> Multiverse | None:
    """The multiverse of the same test on the same source."""
    for found in multiverses:
        if found.test == one.test and source_name(found) == source_name(one):
            return found
    return None


def p_of(one: Any) -> float | None:
    """The p-value of a result, as a number; None where it has none.

    Of sentences it is the one that counts each word once: the sentences of a word are near-copies.
    """
    if isinstance(one, WefatResult):
        return one.pearson_p
    if isinstance(one, SeatResult) and one.p_by_word is not None:
        return one.p_by_word.value
    p = getattr(one, "p", None)
    value = getattr(p, "value", p)
    return float(value) if isinstance(value, int | float) else None


def number_of(one: Any) -> float | None:
    """The main number of a result."""
    if isinstance(one, WefatResult):
        return one.pearson
    if isinstance(one, SeatResult) and one.effect_by_word is not None:
        return one.effect_by_word
    if isinstance(one, WeatResult | CeatResult):
        return one.effect
    value = getattr(one, "value", None)
    return float(value) if isinstance(value, int | float) else None


def published_number(one: Any) -> float | None:
    """The number that was printed for the test."""
    printed: Mapping[str, Any] = one.published or {}
    value = printed.get("effect", printed.get("correlation"))
    return float(value) if isinstance(value, int | float) else None
