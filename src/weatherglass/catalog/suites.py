"""Suites: which measures and tests an audit runs, in which order."""

from __future__ import annotations

from os import PathLike
from os.path import exists
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from weatherglass._files import read_text, read_yaml
from weatherglass.errors import CatalogError, UnknownEntry, did_you_mean, quote_safe

from .provenance import DATA, Record, Words
from .validation import complaint

Kind = Literal["weat", "wefat", "seat", "measure", "lint", "multiverse", "discovery"]

_FOLDER = DATA / "suites"
_NEEDS = {"weat": "tests", "wefat": "tests", "seat": "tests", "multiverse": "tests"}
_CONTROLLED = ("weat", "wefat", "discovery")


class Step(Record):
    """One step of an audit.

    Attributes
    ----------
    run
        What is run: association or factual tests on word vectors (``weat``, ``wefat``) or on an
        encoder (``seat``), another ``measure``, ``lint`` of the seed sets that the other steps use,
        the ``multiverse`` of tests, or ``discovery``.
    title
        What the report calls it.
    tests
        Ids and patterns of the catalogue, for the kinds that run tests.
    measures, sets
        Names of measures, and a seed set of the catalogue for each set that they need.
    options
        Options of the function that is run.
    """

    run: Kind
    title: str
    tests: Words = ()
    measures: Words = ()
    sets: dict[str, str] = Field(default_factory=dict)
    options: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> Step:
        if self.run in _NEEDS and not self.tests:
            raise ValueError(f"runs {self.run} and names no tests")
        if self.run == "measure" and not (self.measures and self.sets):
            raise ValueError("runs measures and does not name them and their sets")
        return self


class Suite(Record):
    """Steps in order, the most important first: when time runs out, the last ones are left out."""

    id: str
    title: str
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]


def with_control(suite: Suite, method: str) -> Suite:
    """The same suite with one way to handle word frequency, in all steps that have a choice.

    >>> step = with_control(load_suite("quick"), "frequency").steps[0]
    >>> step.options
    {'control': 'frequency'}
    """
    steps = [
        step.model_copy(update={"options": step.options | {"control": method}})
        if step.run in _CONTROLLED
        else step
        for step in suite.steps
    ]
    return suite.model_copy(update={"steps": tuple(steps)})


def suites() -> tuple[str, ...]:
    """The suites of the catalogue.

    >>> suites()
    ('full', 'quick', 'standard')
    """
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))


def load_suite(which: str | PathLike[str]) -> Suite:
    """A suite of the catalogue, or a YAML file with one.

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
    documents: list[Any] = list(read_yaml(read_text(path), path.name))
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise CatalogError(f"{path.name}: one suite was expected, with id, title and steps.")
    try:
        return Suite.model_validate(documents[0])
    except ValidationError as error:
        raise complaint(error, f"suite in {path.name}", Suite.model_fields) from None
