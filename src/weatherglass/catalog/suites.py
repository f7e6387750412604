"""Suites: the measures and tests that an audit runs, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from os.path import exists
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, WrapValidator, model_validator

from weatherglass._files import printable_path
from weatherglass.errors import UnknownEntry, did_you_mean, quote_safe

from .choose_tests import is_test_file
from .provenance import DATA, Record, Words
from .record_files import read_mapping
from .schema import AnyTest, FactualTest, Test
from .user_tests import load_tests
from .validation import validate

Kind = Literal["weat", "wefat", "seat", "retrieve", "measure", "lint", "multiverse", "discovery"]

_FOLDER = DATA / "suites"
_WITH_TESTS = ("weat", "wefat", "seat", "multiverse")
_WITH_CONTROL = ("weat", "wefat", "measure")


def _as_test(value: Any, validate_union: Callable[[Any], AnyTest]) -> AnyTest:
    # By its fields: each class words its own errors, which a union would mix up.
    if isinstance(value, AnyTest):
        return value
    if not isinstance(value, Mapping):
        return validate_union(value)
    model = FactualTest if {"facts", "targets"} & value.keys() else Test
    return model.model_validate(value)


OwnTest = Annotated[AnyTest, WrapValidator(_as_test)]


class Step(Record):
    """A step of an audit.

    Attributes
    ----------
    run
        What to run: association or factual tests on word vectors (``weat``, ``wefat``) or on an
        encoder (``seat``), a ranking of documents that differ in a name by an encoder
        (``retrieve``), another ``measure``, ``lint`` of the seed sets that the other steps use,
        the ``multiverse`` of tests, or ``discovery``.
    title
        Its title in the report.
    tests
        Ids and patterns of tests of the catalogue, for the kinds that run tests. In a file of a
        suite also files of your own tests, relative to it; they are read into `own_tests`.
    own_tests
        Tests of your own.
    measures, sets
        Names of measures, and for each set that they need the id of a seed set of the catalogue.
    options
        Options of the function that runs the step.
    """

    run: Kind
    title: str
    tests: Words = ()
    own_tests: tuple[OwnTest, ...] = ()
    measures: Words = ()
    sets: dict[str, str] = Field(default_factory=dict)
    options: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check_names(self) -> Step:
        if self.run in _WITH_TESTS and not (self.tests or self.own_tests):
            raise ValueError(f"runs {self.run} and names no tests")
        if self.run == "measure" and not (self.measures and self.sets):
            raise ValueError("runs measures, but does not name both measures and sets")
        return self


class Suite(Record):
    """A list of steps, the most important first: when time runs out, the last are skipped."""

    id: str
    title: str
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]


def with_control(suite: Suite, method: str) -> Suite:
    """Return the suite with these controls, separated by commas, in every step with the option.

    A discovery takes a single control; with several, its own stays.

    >>> step = with_control(load_suite("quick"), "frequency,top:2").steps[0]
    >>> step.options
    {'control': 'frequency,top:2'}
    """
    kinds = _WITH_CONTROL if "," in method else (*_WITH_CONTROL, "discovery")
    steps = [
        step.model_copy(update={"options": step.options | {"control": method}})
        if step.run in kinds
        else step
        for step in suite.steps
    ]
    return suite.model_copy(update={"steps": tuple(steps)})


def suites() -> tuple[str, ...]:
    """Return the names of the suites of the catalogue.

    >>> suites()
    ('full', 'quick', 'standard')
    """
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))


def load_suite(which: str | PathLike[str]) -> Suite:
    """Load a suite of the catalogue, or from a YAML file.

    >>> load_suite("quick").steps[0].tests
    ('weat[1-9]', 'weat10')
    """
    path = Path(which)
    if str(which) in suites():
        path = _FOLDER / f"{which}.yaml"
    elif not path.suffix and not exists(path):
        raise UnknownEntry(
            f"There is no suite {quote_safe(str(which))}, and no such file."
            f"{did_you_mean(str(which), suites())} The catalogue has {', '.join(suites())}."
        )
    record = read_mapping(path, "a mapping with id, title and steps")
    suite = validate(Suite, record, printable_path(path), nested=[Step])
    return suite.model_copy(
        update={"steps": tuple(_read_own_tests(step, path.parent) for step in suite.steps)}
    )


def _read_own_tests(step: Step, folder: Path) -> Step:
    """Return a step with the tests of the files that it names, so that it depends on no file."""
    files = [name for name in step.tests if is_test_file(name)]
    if not files:
        return step
    own = [test for name in files for test in load_tests(folder / name)]
    names = tuple(name for name in step.tests if name not in files)
    return step.model_copy(update={"tests": names, "own_tests": (*step.own_tests, *own)})
