"""The steps that a user's own tests add to a suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike

from weatherglass.catalog import (
    FactualTest,
    NamedTests,
    Step,
    Suite,
    Test,
    choose_tests,
    load_suite,
)
from weatherglass.errors import UsageError, WeatherglassError
from weatherglass.seedlab import alternatives

OWN_SUITE = "own"
"""The name of the suite that has only the user's own tests, and the lint of their sets."""

_OPTIONS = {"intervals": "true", "control": "frequency,top:2"}  # as in the standard suite


def find_suite(suite: str | PathLike[str] | Suite, tests: NamedTests | None = None) -> Suite:
    """Return a suite by name, file or as it is, with the user's own tests as its first steps.

    >>> [step.run for step in find_suite("own", "weat6").steps]
    ['weat', 'multiverse', 'seat', 'lint']
    """
    if suite == OWN_SUITE and tests is None:
        raise UsageError(f"The suite {OWN_SUITE} needs your own tests: give a file of tests.")
    own = list(_list_steps(choose_tests(tests))) if tests is not None else []
    if suite == OWN_SUITE:
        lint = Step(run="lint", title="The seed sets of your tests")
        return Suite(id=OWN_SUITE, title="Your own tests", steps=(*own, lint))
    found = suite if isinstance(suite, Suite) else load_suite(suite)
    return found.model_copy(update={"steps": (*own, *found.steps)})


def _list_steps(tests: Sequence[Test | FactualTest]) -> Iterator[Step]:
    association = tuple(test for test in tests if isinstance(test, Test))
    factual = tuple(test for test in tests if isinstance(test, FactualTest))
    if association:
        yield Step(run="weat", title="Your tests", own_tests=association, options=_OPTIONS)
    if factual:
        control = {"control": _OPTIONS["control"]}
        yield Step(run="wefat", title="Your factual tests", own_tests=factual, options=control)
    if replaceable := tuple(test for test in association if _has_alternatives(test)):
        title = "Your tests: dependence on the seed words"
        yield Step(run="multiverse", title=title, own_tests=replaceable)
    if association:
        yield Step(run="seat", title="Your tests on words and sentences", own_tests=association)


def _has_alternatives(test: Test) -> bool:
    """Return whether the seed catalogue has other sets for a side of a test."""
    try:
        return any(len(factor) > 1 for factor in alternatives(test).factors)
    except WeatherglassError:
        return False
